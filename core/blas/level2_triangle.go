package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// diagonal says what the diagonal of a triangle stands for.
type diagonal int

const (
	asStored diagonal = iota
	realOnly          // imaginary parts are taken to be zero
	ones              // not read
)

func diagonalOf(diag Diag) diagonal {
	if diag == Unit {
		return ones
	}
	return asStored
}

// Groups of rows between two looks at the team: about a millisecond for rows of 10000.
const groupsPerLook = 16

// triangle sweeps rows i0 <= i < i1 of a triangle; i0 is a multiple of vector.RowGroup. Beside the diagonal, blocks of RowGroup rows
// go to the kernels.
func (s *sweep[R, T]) triangle(team *sched.Team, uplo Uplo, d diagonal, i0, i1 int) {
	if s.dots && s.axpys && d == asStored && dense.Parts[T]() == 1 && s.a.Rows <= sweepCols {
		s.symmetric(team, uplo, i0, i1)
		return
	}
	for i := i0; i < i1; i += vector.RowGroup {
		if i/vector.RowGroup%groupsPerLook == groupsPerLook-1 && team.Err() != nil {
			return
		}
		end := min(i1, i+vector.RowGroup)
		if j0, j1 := besideDiagonal(uplo == Lower, i, end, s.a.Rows); j0 < j1 {
			s.add(nil, i, end, j0, j1)
		}
		s.diagonalBlock(uplo, d, i, end)
	}
}

// symmetric is triangle for a real symmetric matrix, which has a kernel of its own.
func (s *sweep[R, T]) symmetric(team *sched.Team, uplo Uplo, i0, i1 int) {
	n := s.a.Rows
	step := max(1, sweepCall/(n*vector.RowGroup)) * vector.RowGroup
	for i := i0; i < i1; i += step {
		if i > i0 && team.Err() != nil {
			return
		}
		rows := s.rows(i, min(i1, i+step), 0, n)
		vector.Symv(s.set, uplo == Upper, &rows, i, dense.Reals[R](s.in), dense.Reals[R](s.out))
	}
}

// besideDiagonal returns the columns of the triangle that are outside of the diagonal block of rows i0 <= i < i1.
func besideDiagonal(lower bool, i0, i1, n int) (j0, j1 int) {
	if lower {
		return 0, i0
	}
	return i1, n
}

// diagonalBlock sweeps the triangle of rows and columns i0 <= i < i1, at most vector.RowGroup, in Go. Sums and multiples are formed
// together, also where only one of them is wanted. What is conjugated is summed first: conj(a) x = conj(a conj(x)).
func (s *sweep[R, T]) diagonalBlock(uplo Uplo, d diagonal, i0, i1 int) {
	var multiples [vector.RowGroup]T
	in, out := s.in[i0:i1], s.out[i0:i1]
	for i, x := range in {
		j0, j1 := inBlock(uplo, i, 0, len(in))
		row := s.a.Data[(i0+i)*s.a.Stride+i0+j0:][:j1-j0]
		terms, products := in[j0:j1][:len(row)], multiples[j0:j1][:len(row)]
		sum, factor := T(0), s.conjugated(x)
		for j, v := range row {
			sum += v * terms[j]
			products[j] += v * factor
		}
		if s.dots {
			out[i] += sum
		}
		out[i] += s.diagonalValue(d, i0+i) * x
	}
	if s.axpys {
		for i := range out {
			out[i] += s.conjugated(multiples[i])
		}
	}
}

// dotOf returns the sum of a_j x_j for a few j.
func dotOf[T dense.Scalar](a, x []T) T {
	x = x[:len(a)]
	sum := T(0)
	for j, v := range a {
		sum += v * x[j]
	}
	return sum
}

// addMultiple adds alpha a to y for a few elements.
func addMultiple[T dense.Scalar](alpha T, a, y []T) {
	y = y[:len(a)]
	for j, v := range a {
		y[j] += v * alpha
	}
}

// conjugated returns conj(x) if multiples are conjugated, else x.
func (s *sweep[R, T]) conjugated(x T) T {
	if s.conj {
		return dense.Conj(x)
	}
	return x
}

// inBlock returns the columns of row i of the triangle that are in the block i0 <= j < i1 and off the diagonal.
func inBlock(uplo Uplo, i, i0, i1 int) (j0, j1 int) {
	if uplo == Lower {
		return i0, i
	}
	return i + 1, i1
}

func (s *sweep[R, T]) diagonalValue(d diagonal, i int) T {
	switch d {
	case ones:
		return 1
	case realOnly:
		return dense.FromReal[T](dense.Real(s.a.At(i, i)))
	}
	return s.conjugated(s.a.At(i, i))
}

// wholeTriangle sweeps the whole triangle. Chunks of rows, whose number depends on the order alone, have their own sums, which
// are added in order.
func (s *sweep[R, T]) wholeTriangle(team *sched.Team, uplo Uplo, d diagonal, x dense.Vector[T]) workspace[T] {
	each, chunks := s.outputs(x.N), triangleChunks(x.N)
	w := borrow[T](s.inputs(x.N) + chunks*each)
	s.load(&w, x)
	out := w.zeros(chunks * each)
	s.setOut(out[:each])
	if chunks > 1 {
		s.triangleInChunks(team, uplo, d, out, chunks)
	} else {
		s.triangle(team, uplo, d, 0, x.N)
	}
	s.collect(0, x.N)
	return w
}

// mostChunks is the most chunks of a triangle.
const mostChunks = 16

// triangleChunks returns into how many chunks a triangle of order n is cut: enough for the threads, few enough that their sums do not
// cost more than some percent.
func triangleChunks(n int) int {
	const rowsEach = 128
	return max(1, min(mostChunks, n/rowsEach))
}

// triangleInChunks sweeps a triangle in chunks of about equal areas and leaves the sum of their results in the first part of out.
func (s *sweep[R, T]) triangleInChunks(team *sched.Team, uplo Uplo, d diagonal, out []T, chunks int) {
	if isShared[T](team, s.a.Rows, s.a.Rows) {
		s.chunksInParallel(team, uplo, d, out, chunks)
	} else {
		for c := range chunks {
			s.chunk(team, uplo, d, out, c, chunks)
		}
	}
	each := len(out) / chunks
	var units [mostChunks]R
	for c := range units {
		units[c] = 1
	}
	w := dense.Parts[T]()
	rest := vector.Rows[R]{Count: chunks - 1, Cols: w * each, Stride: w * each, A: dense.Reals[R](out[each:])}
	vector.Axpys(s.set, &rest, units[:chunks-1], dense.Reals[R](out[:each]))
}

// chunksInParallel sweeps the chunks on the team's threads. By value: what the threads share lives on the heap.
func (s sweep[R, T]) chunksInParallel(team *sched.Team, uplo Uplo, d diagonal, out []T, chunks int) {
	inParallel(team, chunks, func(c int) { s.chunk(team, uplo, d, out, c, chunks) })
}

// chunk sweeps chunk c with its own sums, those of part c of out. By value: the sweep of the others has other sums.
func (s sweep[R, T]) chunk(team *sched.Team, uplo Uplo, d diagonal, out []T, c, chunks int) {
	n, each := s.a.Rows, len(out)/chunks
	s.setOut(out[c*each : (c+1)*each])
	s.triangle(team, uplo, d, chunkStart(uplo, c, chunks, n), chunkStart(uplo, c+1, chunks, n))
}

// chunkStart returns the first row of chunk c of a triangle of order n, a multiple of vector.RowGroup. The area of the rows above row i
// is about i^2/2 in a lower triangle, and what lies below has (n-i)^2/2 in an upper one.
func chunkStart(uplo Uplo, c, chunks, n int) int {
	if c == chunks {
		return n
	}
	row := float64(n) * math.Sqrt(float64(c)/float64(chunks))
	if uplo == Upper {
		row = float64(n) * (1 - math.Sqrt(float64(chunks-c)/float64(chunks)))
	}
	return int(row) / vector.RowGroup * vector.RowGroup
}

// Symv computes y = alpha A x + beta y for a symmetric A, a complex one too, of which only the triangle uplo is read.
func Symv[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	requireSquare("Symv", a, x.N, y.N)
	symmetricProduct(kernel.Best(), team, uplo, false, alpha, a, x, beta, y)
}

// Hemv computes y = alpha A x + beta y for a Hermitian (real: symmetric) A of which only the triangle uplo is read.
// The imaginary part of A's diagonal is taken to be zero.
func Hemv[T dense.Scalar](team *sched.Team, uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	requireSquare("Hemv", a, x.N, y.N)
	symmetricProduct(kernel.Best(), team, uplo, dense.IsComplex[T](), alpha, a, x, beta, y)
}

// symmetricProduct is Hemv, or Symv, with the kernels of set.
func symmetricProduct[T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, hermitian bool, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	switch {
	case y.N == 0 || alpha == 0:
		scaleOrClear(beta, y)
	case symvDirect(set, uplo, alpha, &a, &x, beta, &y):
	case dense.IsSingle[T]():
		symv[float32](set, team, uplo, hermitian, alpha, a, x, beta, y)
	default:
		symv[float64](set, team, uplo, hermitian, alpha, a, x, beta, y)
	}
}

// symv reads each element of the triangle once.
func symv[R dense.Float, T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, hermitian bool, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	s := sweep[R, T]{set: set, a: a, dots: true, axpys: true, conj: hermitian}
	d := asStored
	if hermitian {
		d = realOnly
	}
	w := s.wholeTriangle(team, uplo, d, x)
	accumulate(set, alpha, s.out[:y.N], beta, y)
	w.GiveBack()
}

// Trmv computes x = op(A) x for a triangular A of which only the triangle uplo is read, and no diagonal if diag is Unit.
func Trmv[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	requireSquare("Trmv", a, x.N, x.N)
	switch {
	case x.N == 0:
	case dense.IsSingle[T]():
		trmv[float32](kernel.Best(), team, uplo, trans, diag, a, x)
	default:
		trmv[float64](kernel.Best(), team, uplo, trans, diag, a, x)
	}
}

func trmv[R dense.Float, T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	s := sweep[R, T]{set: set, a: a, dots: trans == NoTrans, axpys: trans != NoTrans, conj: trans == ConjTrans}
	w := s.wholeTriangle(team, uplo, diagonalOf(diag), x)
	Copy(dense.Vec(s.out[:x.N]), x)
	w.GiveBack()
}
