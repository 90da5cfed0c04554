package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// Ger computes A = A + alpha x y^T.
func Ger[T dense.Scalar](team *sched.Team, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	require(x.N == a.Rows && y.N == a.Cols, "Ger: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	update[T]{a: a}.run(team, alpha, x, y)
}

// Gerc computes A = A + alpha x y^H.
func Gerc[T dense.Scalar](team *sched.Team, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	require(x.N == a.Rows && y.N == a.Cols, "Gerc: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	update[T]{a: a, conj: dense.IsComplex[T]()}.run(team, alpha, x, y)
}

// Syr computes A = A + alpha x x^T on the triangle uplo.
func Syr[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, x dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Syr", a, x.N, x.N)
	update[T]{a: a, uplo: uplo}.run(team, alpha, x, x)
}

// Her computes A = A + alpha x x^H on the triangle uplo of a Hermitian (real: symmetric) A. The imaginary part of A's
// diagonal is taken to be zero and becomes zero, unless alpha is 0.
func Her[T dense.Scalar](team *sched.Team, uplo Uplo, alpha float64, x dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Her", a, x.N, x.N)
	update[T]{a: a, uplo: uplo, conj: dense.IsComplex[T]()}.run(team, dense.FromReal[T](alpha), x, x)
}

// Syr2 computes A = A + alpha x y^T + alpha y x^T on the triangle uplo.
func Syr2[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Syr2", a, x.N, y.N)
	update[T]{a: a, uplo: uplo, both: true}.run(team, alpha, x, y)
}

// Her2 computes A = A + alpha x y^H + conj(alpha) y x^H on the triangle uplo of a Hermitian (real: symmetric) A. The
// imaginary part of A's diagonal is taken to be zero and becomes zero, unless alpha is 0.
func Her2[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Her2", a, x.N, y.N)
	update[T]{a: a, uplo: uplo, conj: dense.IsComplex[T](), both: true}.run(team, alpha, x, y)
}

// update is a rank-one update alpha x y^T of A, or one of rank two where both x y^T and y x^T are added. The transpose
// is conjugated if conj is set.
type update[T dense.Scalar] struct {
	a    dense.Matrix[T]
	uplo Uplo // 0: the whole matrix
	conj bool
	both bool
}

func (u update[T]) run(team *sched.Team, alpha T, x, y dense.Vector[T]) {
	switch {
	case u.a.Rows == 0 || u.a.Cols == 0 || alpha == 0:
	case dense.IsSingle[T]():
		rankUpdate[float32](kernel.Best(), team, u, alpha, x, y)
	default:
		rankUpdate[float64](kernel.Best(), team, u, alpha, x, y)
	}
}

// rowUpdate adds multiples of a few vectors to the rows of a matrix. As a multiple of y, c y is re(c) y + im(c) iy, so
// that there are two real vectors for each complex one.
type rowUpdate[R dense.Float, T dense.Scalar] struct {
	update[T]
	set     kernel.Set
	vectors vector.Rows[R] // y or y, iy; then x or x, ix
	factors []T            // of row i: alpha x_i, followed by alpha y_i
}

// Up to this many elements of A a whole matrix is updated by the kernels of products, which have less overhead for each
// row.
const smallUpdate = 1 << 16

// rankUpdate computes an update with the kernels of set. R is T's real type.
func rankUpdate[R dense.Float, T dense.Scalar](
	set kernel.Set, team *sched.Team, u update[T], alpha T, x, y dense.Vector[T],
) {
	if u.uplo == 0 && u.a.Rows*u.a.Cols <= smallUpdate && y.Inc == 1 {
		u.asProduct(set, team, alpha, x, y)
		return
	}
	rank := 1
	if u.both {
		rank = 2
	}
	count, line := rank*dense.Parts[T](), dense.WholeLines[T](y.N)
	w := borrow[T](count*line + rank*x.N)
	defer w.GiveBack()
	vectors, factors := w.take(count*line), w.take(rank*x.N)
	loadVectors[R](vectors[:count/rank*line], line, y, u.conj)
	loadFactors(factors, rank, alpha, x)
	if u.both {
		loadVectors[R](vectors[count/rank*line:], line, x, u.conj)
		if u.conj {
			alpha = dense.Conj(alpha)
		}
		loadFactors(factors[1:], rank, alpha, y)
	}
	rows := vector.Rows[R]{Count: count, Stride: dense.Parts[T]() * line, A: dense.Reals[R](vectors)}
	p := rowUpdate[R, T]{u, set, rows, factors}
	if isShared[T](team, u.a.Rows, u.a.Cols) {
		p.inParallel(team)
	} else {
		p.rows(team, 0, u.a.Rows)
	}
	if u.uplo != 0 && u.conj {
		makeDiagonalReal(u.a)
	}
}

// makeDiagonalReal clears the imaginary parts that rounding, or the caller, has left on the diagonal.
func makeDiagonalReal[T dense.Scalar](a dense.Matrix[T]) {
	if !dense.IsComplex[T]() {
		return
	}
	for i := range a.Rows {
		a.Set(i, i, dense.FromReal[T](dense.Real(a.At(i, i))))
	}
}

// asProduct computes a rank-one update of a whole matrix as a product with an inner dimension of 1.
func (u update[T]) asProduct(set kernel.Set, team *sched.Team, alpha T, x, y dense.Vector[T]) {
	w := borrow[T](x.N)
	defer w.GiveBack()
	column := w.matrix(x.N, 1)
	loadFactors(column.Data, 1, alpha, x)
	row := dense.Matrix[T]{Rows: 1, Cols: y.N, Stride: y.N, Data: y.Data}
	finish(multiply(set, team, full, 1, plain(column), opMatrix[T]{Matrix: row, conj: u.conj}, 1, u.a))
}

// loadVectors sets dst to y, or to its conjugate, and for a complex T the following vector to i times that.
func loadVectors[R dense.Float, T dense.Scalar](dst []T, line int, y dense.Vector[T], conj bool) {
	Copy(y, dense.Vec(dst[:y.N]))
	if dense.Parts[T]() == 1 {
		return
	}
	sign := R(1)
	if conj {
		sign = -1
	}
	v, iv := dense.Reals[R](dst[:y.N]), dense.Reals[R](dst[line:][:y.N])
	for j := 0; j+1 < len(v) && j+1 < len(iv); j += 2 {
		re, im := v[j], sign*v[j+1]
		v[j+1] = im
		iv[j], iv[j+1] = -im, re
	}
}

// loadFactors sets every step-th element of dst to alpha x_i.
func loadFactors[T dense.Scalar](dst []T, step int, alpha T, x dense.Vector[T]) {
	at := x.First()
	for i := range x.N {
		dst[i*step] = alpha * x.Data[at]
		at += x.Inc
	}
}

func (p rowUpdate[R, T]) inParallel(team *sched.Team) {
	step := max(1, sweepShare/p.a.Cols)
	inParallel(team, ceilDiv(p.a.Rows, step), func(c int) { p.rows(team, c*step, min(p.a.Rows, (c+1)*step)) })
}

// rows updates rows i0 <= i < i1.
func (p *rowUpdate[R, T]) rows(team *sched.Team, i0, i1 int) {
	w, n, work := dense.Parts[T](), p.a.Cols, 0
	for i := i0; i < i1; i++ {
		if work += w * n; work >= sweepCall {
			if team.Err() != nil {
				return
			}
			work = 0
		}
		j0, j1 := 0, n
		if p.uplo != 0 {
			j0, j1 = triangleRow(p.uplo, i, n)
		}
		p.row(i, j0, j1)
	}
}

// row updates columns j0 <= j < j1 of row i.
func (p *rowUpdate[R, T]) row(i, j0, j1 int) {
	w := dense.Parts[T]()
	rank := p.vectors.Count / w
	factors, row := dense.Reals[R](p.factors[i*rank:(i+1)*rank]), dense.Reals[R](p.a.Data[i*p.a.Stride:])
	v := p.vectors
	for j := w * j0; j < w*j1; j += sweepCols {
		v.Cols, v.A = min(w*j1-j, sweepCols), p.vectors.A[j:]
		vector.Axpys(p.set, &v, factors, row[j:j+v.Cols])
	}
}
