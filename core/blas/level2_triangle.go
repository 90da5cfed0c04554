package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// diagonal is the interpretation of the diagonal of a triangle.
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

// Groups of rows between two checks of the team: about a millisecond for rows of 10000.
const groupsPerLook = 16

// triangle sweeps rows i0 <= i < i1 of a triangle; i0 is a multiple of vector.RowGroup. Kernels process the blocks of
// RowGroup rows beside the diagonal.
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

// besideDiagonal returns the columns of the triangle outside the diagonal block of rows i0 <= i < i1.
func besideDiagonal(lower bool, i0, i1, n int) (j0, j1 int) {
	if lower {
		return 0, i0
	}
	return i1, n
}

// diagonalBlock sweeps the triangle of rows and columns i0 <= i < i1, at most vector.RowGroup, in Go. Sums and
// multiples are formed together, even if only one of them is wanted. Conjugated terms are summed before they are
// conjugated: conj(a) x = conj(a conj(x)).
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

// wholeTriangle sweeps the whole triangle. Chunks of rows, whose number depends only on the order n, have their own
// sums, which are added in order.
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

// mostChunks is the largest number of chunks of a triangle.
const mostChunks = 16

// triangleChunks returns the number of chunks of a triangle of order n: enough for the threads, and few enough that
// their sums cost only a few percent.
func triangleChunks(n int) int {
	const rowsEach = 128
	return max(1, min(mostChunks, n/rowsEach))
}

// triangleInChunks sweeps a triangle in chunks of about equal areas and leaves the sum of their results in the first
// part of out.
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

// chunksInParallel sweeps the chunks on the team's threads. The receiver is a value, since data shared by threads
// escape to the heap.
func (s sweep[R, T]) chunksInParallel(team *sched.Team, uplo Uplo, d diagonal, out []T, chunks int) {
	inParallel(team, chunks, func(c int) { s.chunk(team, uplo, d, out, c, chunks) })
}

// chunk sweeps chunk c with its own sums, those of part c of out. The receiver is a value, since each chunk has sums of
// its own.
func (s sweep[R, T]) chunk(team *sched.Team, uplo Uplo, d diagonal, out []T, c, chunks int) {
	n, each := s.a.Rows, len(out)/chunks
	s.setOut(out[c*each : (c+1)*each])
	s.triangle(team, uplo, d, chunkStart(uplo, c, chunks, n), chunkStart(uplo, c+1, chunks, n))
}

// chunkStart returns the first row of chunk c of a triangle of order n, a multiple of vector.RowGroup. The area of the
// rows above row i is about i^2/2 in a lower triangle, and what lies below has (n-i)^2/2 in an upper one.
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
func Symv[T dense.Scalar](
	team *sched.Team, uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T],
) {
	requireSquare("Symv", a, x.N, y.N)
	symmetricProduct(kernel.Best(), team, uplo, false, alpha, a, x, beta, y)
}

// Hemv computes y = alpha A x + beta y for a Hermitian (real: symmetric) A of which only the triangle uplo is read.
// The imaginary part of A's diagonal is taken to be zero.
func Hemv[T dense.Scalar](
	team *sched.Team, uplo Uplo, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T],
) {
	requireSquare("Hemv", a, x.N, y.N)
	symmetricProduct(kernel.Best(), team, uplo, dense.IsComplex[T](), alpha, a, x, beta, y)
}

// symmetricProduct is Hemv, or Symv, with the kernels of set.
func symmetricProduct[T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, hermitian bool, alpha T, a dense.Matrix[T], x dense.Vector[T],
	beta T, y dense.Vector[T],
) {
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

// symvDirect computes Symv if it is direct and a single chunk, and T is real, and reports whether it did.
func symvDirect[T dense.Scalar](
	set kernel.Set, uplo Uplo, alpha T, a *dense.Matrix[T], x *dense.Vector[T], beta T, y *dense.Vector[T],
) bool {
	if triangleChunks(y.N) > 1 || !isDirect(alpha, a, x, beta, y) {
		return false
	}
	switch y := any(y).(type) {
	case *dense.Vector[float32]:
		addSymmetric(set, uplo, any(a).(*dense.Matrix[float32]), any(x).(*dense.Vector[float32]), beta == 0, y)
	case *dense.Vector[float64]:
		addSymmetric(set, uplo, any(a).(*dense.Matrix[float64]), any(x).(*dense.Vector[float64]), beta == 0, y)
	default:
		return false
	}
	return true
}

// addSymmetric adds A x to y for the triangle uplo of a symmetric A, or sets y to it if afresh.
func addSymmetric[T dense.Float](
	set kernel.Set, uplo Uplo, a *dense.Matrix[T], x *dense.Vector[T], afresh bool, y *dense.Vector[T],
) {
	in, out := x.Data[:x.N], y.Data[:y.N]
	if afresh {
		clear(out)
	}
	rows := vector.Rows[T]{Count: a.Rows, Cols: a.Cols, Stride: a.Stride, A: a.Data}
	vector.Symv(set, uplo == Upper, &rows, 0, in, out)
}

// symv reads each element of the triangle once.
func symv[R dense.Float, T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, hermitian bool, alpha T, a dense.Matrix[T], x dense.Vector[T],
	beta T, y dense.Vector[T],
) {
	s := sweep[R, T]{set: set, a: a, dots: true, axpys: true, conj: hermitian}
	d := asStored
	if hermitian {
		d = realOnly
	}
	w := s.wholeTriangle(team, uplo, d, x)
	accumulate(set, alpha, s.out[:y.N], beta, y)
	w.GiveBack()
}

// Trmv computes x = op(A) x for a triangular A of which only the triangle uplo is read, without its diagonal if diag is
// Unit.
func Trmv[T dense.Scalar](
	team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T],
) {
	requireSquare("Trmv", a, x.N, x.N)
	switch {
	case x.N == 0:
	case dense.IsSingle[T]():
		trmv[float32](kernel.Best(), team, uplo, trans, diag, a, x)
	default:
		trmv[float64](kernel.Best(), team, uplo, trans, diag, a, x)
	}
}

func trmv[R dense.Float, T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T],
) {
	s := sweep[R, T]{set: set, a: a, dots: trans == NoTrans, axpys: trans != NoTrans, conj: trans == ConjTrans}
	w := s.wholeTriangle(team, uplo, diagonalOf(diag), x)
	Copy(dense.Vec(s.out[:x.N]), x)
	w.GiveBack()
}

// Trsv solves op(A) z = x for z, which overwrites x. A is triangular; only the triangle uplo is read, without its
// diagonal if diag is Unit. A zero on the diagonal gives infinities and NaNs. One thread does the work.
func Trsv[T dense.Scalar](
	team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T],
) {
	requireSquare("Trsv", a, x.N, x.N)
	switch {
	case x.N == 0:
	case dense.IsSingle[T]():
		trsv[float32](kernel.Best(), team, uplo, trans, diag, a, x)
	default:
		trsv[float64](kernel.Best(), team, uplo, trans, diag, a, x)
	}
}

// trsv solves for groups of vector.RowGroup unknowns at a time. Without a transpose a group is ready once the sums
// along its rows are known; otherwise its multiples are taken from the right-hand sides of those that follow.
func trsv[R dense.Float, T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T],
) {
	n := x.N
	s := sweep[R, T]{set: set, a: a, dots: trans == NoTrans, axpys: trans != NoTrans, conj: trans == ConjTrans}
	w := borrow[T](s.inputs(n) + s.outputs(n))
	defer w.GiveBack()
	s.loadCopy(&w, x)
	s.setOut(w.zeros(s.outputs(n)))
	groups := ceilDiv(n, vector.RowGroup)
	for step := range groups {
		if step%groupsPerLook == groupsPerLook-1 && team.Err() != nil {
			return
		}
		group := step
		if (uplo == Lower) != (trans == NoTrans) {
			group = groups - 1 - step
		}
		i0 := group * vector.RowGroup
		i1 := min(n, i0+vector.RowGroup)
		j0, j1 := besideDiagonal(uplo == Lower, i0, i1, n)
		if s.dots && j0 < j1 {
			s.add(nil, i0, i1, j0, j1)
		}
		s.collect(i0, i1)
		s.solveBlock(uplo, diagonalOf(diag), i0, i1)
		if s.axpys && j0 < j1 {
			s.add(nil, i0, i1, j0, j1)
		}
	}
	Copy(dense.Vec(s.in), x)
}

// solveBlock replaces the right-hand sides i0 <= i < i1 in s.in, at most vector.RowGroup, by the solution. s.out holds
// the contributions of the other groups of unknowns.
func (s *sweep[R, T]) solveBlock(uplo Uplo, d diagonal, i0, i1 int) {
	var multiples [vector.RowGroup]T
	for step := range i1 - i0 {
		i := i0 + step
		if (uplo == Lower) != s.dots {
			i = i1 - 1 - step
		}
		j0, j1 := inBlock(uplo, i, i0, i1)
		row := s.a.Data[i*s.a.Stride+j0:][:j1-j0]
		x := s.in[i] - s.out[i]
		if s.dots {
			x -= dotOf(row, s.in[j0:j1])
		} else {
			x -= s.conjugated(multiples[i-i0])
		}
		if d != ones {
			x /= s.diagonalValue(d, i)
		}
		s.in[i] = x
		if s.axpys {
			addMultiple(s.conjugated(x), row, multiples[j0-i0:])
		}
	}
	if s.dots {
		s.turn(i0, i1)
	}
}
