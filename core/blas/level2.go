package blas

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Gemv computes y = alpha op(A) x + beta y.
func Gemv[T dense.Scalar](team *sched.Team, trans Transpose, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	rows, cols := opShape(trans, a.Rows, a.Cols)
	require(x.N == cols && y.N == rows, "Gemv: op(A) is %dx%d, x has %d, y has %d elements", rows, cols, x.N, y.N)
	accumulate(alpha, x, beta, y, func(i, j int) T { return element(trans, a, i, j) })
}

// accumulate computes y = alpha A x + beta y for the matrix with the given elements.
func accumulate[T dense.Scalar](alpha T, x dense.Vector[T], beta T, y dense.Vector[T], entry func(i, j int) T) {
	scaleOrClear(beta, y)
	if alpha == 0 {
		return
	}
	to := y.First()
	for i := range y.N {
		var sum T
		at := x.First()
		for j := range x.N {
			sum += entry(i, j) * x.Data[at]
			at += x.Inc
		}
		y.Data[to] += alpha * sum
		to += y.Inc
	}
}

// element returns element (i, j) of op(A).
func element[T dense.Scalar](trans Transpose, a dense.Matrix[T], i, j int) T {
	switch trans {
	case NoTrans:
		return a.At(i, j)
	case Trans:
		return a.At(j, i)
	}
	return dense.Conj(a.At(j, i))
}

func scaleOrClear[T dense.Scalar](beta T, y dense.Vector[T]) {
	if beta == 1 {
		return // also where y is not finite, as in the reference BLAS
	}
	if beta != 0 {
		Scal(beta, y)
		return
	}
	at := y.First()
	for range y.N {
		y.Data[at] = 0
		at += y.Inc
	}
}

// Symv computes y = alpha A x + beta y for a symmetric A, a complex one too, of which only the triangle uplo is read.
func Symv[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	requireSquare("Symv", a, x.N, y.N)
	accumulate(alpha, x, beta, y, func(i, j int) T {
		if i == j || stored(uplo, i, j) {
			return a.At(i, j)
		}
		return a.At(j, i)
	})
}

// Hemv computes y = alpha A x + beta y for a Hermitian (real: symmetric) A of which only the triangle uplo is read.
// The imaginary part of A's diagonal is taken to be zero.
func Hemv[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	requireSquare("Hemv", a, x.N, y.N)
	accumulate(alpha, x, beta, y, func(i, j int) T {
		if i == j {
			return dense.FromReal[T](dense.Real(a.At(i, i)))
		}
		if stored(uplo, i, j) {
			return a.At(i, j)
		}
		return dense.Conj(a.At(j, i))
	})
}

func requireSquare[T dense.Scalar](name string, a dense.Matrix[T], x, y int) {
	require(a.Rows == a.Cols && x == a.Rows && y == a.Rows, "%s: A is %dx%d, x has %d, y has %d elements", name, a.Rows, a.Cols, x, y)
}

// stored reports whether element (i, j) off the diagonal belongs to the triangle uplo.
func stored(uplo Uplo, i, j int) bool { return (i > j) == (uplo == Lower) }

// Trmv computes x = op(A) x for a triangular A of which only the triangle uplo is read, and no diagonal if diag is Unit.
func Trmv[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	requireSquare("Trmv", a, x.N, x.N)
	before := make([]T, x.N)
	Copy(x, dense.Vec(before))
	at := x.First()
	for i := range x.N {
		var sum T
		for j := range x.N {
			p, q := i, j
			if trans != NoTrans {
				p, q = j, i
			}
			switch {
			case i == j && diag == Unit:
				sum += before[j]
			case i == j || stored(uplo, p, q):
				sum += element(trans, a, i, j) * before[j]
			}
		}
		x.Data[at] = sum
		at += x.Inc
	}
}

// Trsv solves op(A) z = x for z, which overwrites x. A is triangular; only the triangle uplo is read, and no diagonal if diag is
// Unit. A zero on the diagonal gives infinities and NaNs.
func Trsv[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	requireSquare("Trsv", a, x.N, x.N)
	forward := (uplo == Lower) == (trans == NoTrans)
	at := func(i int) int { return x.First() + i*x.Inc }
	for step := range x.N {
		i := step
		if !forward {
			i = x.N - 1 - step
		}
		sum := x.Data[at(i)]
		for s := range step {
			j := s
			if !forward {
				j = x.N - 1 - s
			}
			sum -= element(trans, a, i, j) * x.Data[at(j)]
		}
		if diag == NonUnit {
			sum /= element(trans, a, i, i)
		}
		x.Data[at(i)] = sum
	}
}

// Ger computes A = A + alpha x y^T.
func Ger[T dense.Scalar](team *sched.Team, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	require(x.N == a.Rows && y.N == a.Cols, "Ger: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	rankOne(alpha, x, y, a, false, func(i int) (int, int) { return 0, a.Cols })
}

// Gerc computes A = A + alpha x y^H.
func Gerc[T dense.Scalar](team *sched.Team, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	require(x.N == a.Rows && y.N == a.Cols, "Gerc: A is %dx%d, x has %d, y has %d elements", a.Rows, a.Cols, x.N, y.N)
	rankOne(alpha, x, y, a, true, func(i int) (int, int) { return 0, a.Cols })
}

// rankOne adds alpha x_i y, or its conjugate y, to the columns of row i that the given function names.
func rankOne[T dense.Scalar](alpha T, x, y dense.Vector[T], a dense.Matrix[T], conj bool, columns func(i int) (j0, j1 int)) {
	if alpha == 0 {
		return
	}
	for i := range a.Rows {
		factor := alpha * x.Data[x.First()+i*x.Inc]
		j0, j1 := columns(i)
		for j := j0; j < j1; j++ {
			v := y.Data[y.First()+j*y.Inc]
			if conj {
				v = dense.Conj(v)
			}
			a.Data[i*a.Stride+j] += factor * v
		}
	}
}

// triangleColumns returns the function that gives the columns of row i in the triangle uplo of order n.
func triangleColumns(uplo Uplo, n int) func(i int) (int, int) {
	return func(i int) (int, int) {
		if uplo == Lower {
			return 0, i + 1
		}
		return i, n
	}
}

// Syr computes A = A + alpha x x^T on the triangle uplo.
func Syr[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, x dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Syr", a, x.N, x.N)
	rankOne(alpha, x, x, a, false, triangleColumns(uplo, x.N))
}

// Her computes A = A + alpha x x^H on the triangle uplo. The imaginary part of A's diagonal becomes zero.
func Her[T dense.Scalar](team *sched.Team, uplo Uplo, alpha float64, x dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Her", a, x.N, x.N)
	rankOne(dense.FromReal[T](alpha), x, x, a, true, triangleColumns(uplo, x.N))
	if alpha != 0 {
		makeDiagonalReal(a)
	}
}

// Syr2 computes A = A + alpha x y^T + alpha y x^T on the triangle uplo.
func Syr2[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Syr2", a, x.N, y.N)
	rankOne(alpha, x, y, a, false, triangleColumns(uplo, x.N))
	rankOne(alpha, y, x, a, false, triangleColumns(uplo, x.N))
}

// Her2 computes A = A + alpha x y^H + conj(alpha) y x^H on the triangle uplo of a Hermitian (real: symmetric) A. The imaginary
// part of A's diagonal becomes zero.
func Her2[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, x, y dense.Vector[T], a dense.Matrix[T]) {
	requireSquare("Her2", a, x.N, y.N)
	rankOne(alpha, x, y, a, true, triangleColumns(uplo, x.N))
	rankOne(dense.Conj(alpha), y, x, a, true, triangleColumns(uplo, x.N))
	if alpha != 0 {
		makeDiagonalReal(a)
	}
}

func opShape(trans Transpose, rows, cols int) (int, int) {
	if trans == NoTrans {
		return rows, cols
	}
	return cols, rows
}
