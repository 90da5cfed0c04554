package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// tridiagonalize reduces the Hermitian matrix in the lower triangle of h to a real tridiagonal one T, whose diagonal it stores in d, and
// in e[i] the element that couples i and i+1:
//
//	H = Q T Q^H,  Q = P_{n-1} ... P_2 P_1,  P_i = I - tau_i v_i v_i^H
//
// v_i has i elements, the last of which is 1, and overwrites row i of h left of the diagonal. h has the layout of newLower. Rows are reduced
// from the last to the first, so that all work is on contiguous rows and leading submatrices.
//
// A reflection changes the matrix by an update of rank two. It is put off until the next reflection is known, and then done in the pass
// over the matrix that multiplies it by that: large matrices come from memory once for each row.
//
// Cost: 2/3 n^3 multiply-adds. Method: Golub and Van Loan, Matrix Computations, 4th ed., algorithm 8.3.1, with
// reflections that make the off-diagonal real for complex matrices, too.
func tridiagonalize[W dense.Scalar](team *sched.Team, h dense.Matrix[W], d, e []float64) (tau []W, err error) {
	if err := team.Err(); err != nil {
		return nil, err
	}
	n := h.Rows
	team = team.Plan(reductionSteps[W](n))
	tau = make([]W, n)
	r := newReduction(team, h, tau, d, e)
	if n > minSharedOrder {
		err = team.Rounds(sharedParts, r.part, func(rounds *sched.Rounds) error {
			r.rounds = rounds
			return r.steps(n-1, minSharedOrder)
		})
		n = minSharedOrder
	}
	if n > wakingOrder && err == nil {
		err = r.steps(n-1, wakingOrder)
		n = wakingOrder
	}
	team.Wake()
	if err == nil {
		err = r.steps(n-1, 1)
	}
	if err != nil {
		return nil, err
	}
	r.updateRow(0, 0)
	d[0] = dense.Real(h.At(0, 0))
	team.Reach(reductionSteps[W](h.Rows))
	return tau, nil
}

// steps reduces the rows from first down to last.
func (r *reduction[W]) steps(first, last int) error {
	for i := first; i >= last; i-- {
		if i%watchRows == 0 {
			if err := r.team.Err(); err != nil {
				return err
			}
			r.team.Reach(reductionSteps[W](r.h.Rows) - reductionSteps[W](i))
		}
		norm := r.updateRow(i, i-1)
		r.d[i] = dense.Real(r.h.At(i, i))
		var factor W
		r.tau[i], r.e[i-1], factor = reflector(r.h.At(i, i-1), norm)
		// The last one is a factor of modulus 1, which leaves the matrix of order one as it is.
		if r.tau[i] != 0 && i > 1 {
			if err := r.reflect(i, r.tau[i], factor); err != nil {
				return err
			}
		}
		r.h.Set(i, i-1, 1)
	}
	return nil
}

// Rows between two looks at cancellation and reports of progress. Passes that threads share look, too.
const watchRows = 16

// reduction is a matrix whose leading submatrix still lacks the update A - v w^H - w v^H, for w = scale product + shift (product, v) v.
type reduction[W dense.Scalar] struct {
	team   *sched.Team
	rounds *sched.Rounds // the passes that threads share
	set    kernel.Set
	h      dense.Matrix[W]
	tau    []W // results, like d and e
	d, e   []float64

	v, w  []W     // zeros behind the leading submatrix; w is the product until it is used
	due   bool    // w is the product of a step that has just been made
	scale W       // of that step
	shift float64 // of that step
	x, y  []W     // of the step being made, like v and w
	parts []W     // sums of parts of the rows but the first for y, one behind the other
	rows  int     // of the pass
	up    bool    // the pass goes from the last row to the first
}

func newReduction[W dense.Scalar](team *sched.Team, h dense.Matrix[W], tau []W, d, e []float64) *reduction[W] {
	order := paddedColumns[W](h.Rows)
	memory := make([]W, reductionElements[W](h.Rows))
	r := &reduction[W]{team: team, set: kernel.Best(), h: h, tau: tau, d: d, e: e, parts: memory[wholeVectors*order:]}
	for i, x := range []*[]W{&r.v, &r.w, &r.x, &r.y} {
		*x = memory[i*order : (i+1)*order : (i+1)*order]
	}
	return r
}

// paddedRow returns row i with what is there up to a whole group of columns.
func (r *reduction[W]) paddedRow(i int) []W {
	return r.h.Data[i*r.h.Stride:][:paddedColumns[W](i+1)]
}

// updateRow does the update of row i, the last one of the submatrix, which then ends above it, and replaces the row by its conjugate: the
// column that is to be eliminated. It returns the norm of the first count elements.
func (r *reduction[W]) updateRow(i, count int) (norm float64) {
	row := r.paddedRow(i)
	v, w := r.v[:len(row)], r.w[:len(row)]
	var squares float64
	if r.due {
		squares = kernel.Advance(r.set, r.scale, r.shift, row, v, w, i, count)
		r.due = false
	} else {
		squares = kernel.UpdateRow(r.set, row, v, w, i, count)
	}
	if squares > leastSquares[W]() {
		return math.Sqrt(squares)
	}
	return blas.Nrm2(dense.Vec(row[:count]))
}

// reflect makes the vector x of the reflection P = I - tau x x^H from the updated row i with factor, and does the update that the leading
// submatrix A lacks. It then lacks that which makes it P^H A P: v is x, and
//
//	w = p - (tau/2) (p^H x) x = tau A x - (|tau|^2/2) (x^H A x) x,  p = tau A x
func (r *reduction[W]) reflect(i int, tau, factor W) error {
	row, order := r.paddedRow(i), paddedColumns[W](i)
	x, y := r.x[:order], r.y[:order]
	kernel.ScaleTo(r.set, factor, row[:order], x, y)
	x[i-1] = 1
	clear(x[i:])
	if err := r.multiply(i, y); err != nil {
		return err
	}
	clear(y[i:])
	size := dense.Abs(tau)
	r.due, r.scale, r.shift = true, tau, -size*size/2
	r.v, r.x = r.x, r.v
	r.w, r.y = r.y, r.w
	return nil
}

// Cuts of a pass over the rows. They depend on nothing but the order, so that threads do not change the result.
const (
	// Passes over matrices smaller than this are one call of the kernel.
	minCutOrder = 256
	// Rows of a call in others. Passes go down and up in turn: what the last one had at its end is still in the cache.
	cutRows = 16
	// From this order on a pass is worth a second thread.
	minSharedOrder = 256
	// The other threads wake up when this order is left. The rest takes about as long as that, and they don't wait for work that long.
	wakingOrder = 96
	// Parts of a pass that threads share, each with a product of its own: that of the first one is y.
	sharedParts = 4
)

// Vectors that a reduction has besides: v, w, x and y.
const wholeVectors = 4

// reductionElements returns how many numbers the reduction of a matrix of order n keeps besides the matrix.
func reductionElements[W dense.Scalar](n int) int {
	order, vectors := paddedColumns[W](n), wholeVectors
	if order >= minSharedOrder {
		vectors += sharedParts - 1
	}
	return vectors * order
}

// multiply does the update of the leading submatrix of order i and adds what it gives times x to y.
func (r *reduction[W]) multiply(i int, y []W) error {
	r.up, r.rows = !r.up, paddedRows[W](i)
	if i < minSharedOrder {
		r.pass(0, 1, y)
		return nil
	}
	if err := r.team.Err(); err != nil {
		return err
	}
	if err := r.rounds.Do(); err != nil {
		return err
	}
	if dense.IsSingle[W]() {
		addSums[float32](r.set, r.parts[:(sharedParts-1)*len(y)], y)
	} else {
		addSums[float64](r.set, r.parts[:(sharedParts-1)*len(y)], y)
	}
	return nil
}

// addSums adds the sums of all parts but the first to y. R is the real type of W.
func addSums[R dense.Float, W dense.Scalar](set kernel.Set, sums, y []W) {
	ones := [sharedParts - 1]R{1, 1, 1}
	to := dense.Reals[R](y)
	kernel.Axpys(set, &kernel.Rows[R]{Count: len(ones), Cols: len(to), Stride: len(to), A: dense.Reals[R](sums)}, ones[:], to)
}

// part does part p of a pass.
func (r *reduction[W]) part(p int) {
	order := paddedColumns[W](r.rows)
	if p == 0 {
		r.pass(p, sharedParts, r.y[:order])
		return
	}
	sum := r.parts[(p-1)*order : p*order]
	clear(sum)
	r.pass(p, sharedParts, sum)
}

// pass does multiply's work on the rows of part p, and adds what they give to y.
func (r *reduction[W]) pass(p, parts int, y []W) {
	rows, height := r.rows, r.rows
	if rows >= minCutOrder {
		height = cutRows
	}
	cuts := ceilDiv(rows, height)
	for k := range cuts {
		cut := k
		if r.up {
			cut = cuts - 1 - k
		}
		if partOfCut(cut, parts) != p {
			continue
		}
		first := cut * height
		pass := kernel.Reduction[W]{
			First: first, Rows: min(height, rows-first), Stride: r.h.Stride, A: r.h.Data[first*r.h.Stride:], V: r.v, W: r.w, X: r.x, Y: y,
		}
		pass.Run(r.set)
	}
}

// partOfCut deals the cuts, each of which is longer than the one before, to the parts: forwards and backwards in turn.
func partOfCut(cut, parts int) int {
	k := cut % (2 * parts)
	return min(k, 2*parts-1-k)
}

// paddedRows returns n rounded up to whole groups of rows of a kernel.Reduction.
func paddedRows[W dense.Scalar](n int) int {
	group := kernel.ReductionRows[W]()
	return ceilDiv(n, group) * group
}

// paddedColumns returns n rounded up to whole groups of columns of a kernel.Reduction.
func paddedColumns[W dense.Scalar](n int) int {
	group := kernel.ReductionColumns[W]()
	return ceilDiv(n, group) * group
}

// newLower returns a matrix of zeros for tridiagonalize: with memory up to the next whole group of rows and columns, and with rows whose
// distance suits the caches.
func newLower[W dense.Scalar](n int) dense.Matrix[W] { return lowerIn(n, make([]W, lowerSize[W](n))) }

// lowerIn is newLower in memory of lowerSize numbers; the elements of the matrix are what they were before.
func lowerIn[W dense.Scalar](n int, memory []W) dense.Matrix[W] {
	stride := lowerStride[W](n)
	clear(memory[n*stride:]) // what is multiplied by zeros is to be finite
	return dense.Matrix[W]{Rows: n, Cols: n, Stride: stride, Data: memory}
}

// lowerSize returns how many numbers are in what newLower makes.
func lowerSize[W dense.Scalar](n int) int { return paddedRows[W](n) * lowerStride[W](n) }

func lowerStride[W dense.Scalar](n int) int {
	stride := paddedColumns[W](n)
	for !goodStride[W](stride) {
		stride += kernel.ReductionColumns[W]()
	}
	return stride
}

// goodStride reports whether rows so far apart suit tridiagonalize: by twice an odd number of cache lines. Rows a multiple of four lines apart
// compete for few places of a cache. For many odd numbers of lines some of the rows that a kernel takes together are a line more or less than a whole
// number of pages apart: what has just been written to one of them then seems to be what is about to be read from another, and is waited for.
func goodStride[W dense.Scalar](stride int) bool {
	const lines = 2
	group := kernel.ReductionColumns[W]() // one line
	return stride%(2*lines*group) == lines*group
}

// suitsReduction reports whether tridiagonalize can work in the memory of h alone.
func suitsReduction[W dense.Scalar](h dense.Matrix[W]) bool {
	return goodStride[W](h.Stride) && h.Rows == paddedColumns[W](h.Rows)
}

// reflector returns tau, beta and factor so that, for a vector x of the length norm above an element alpha,
//
//	(I - tau v v^H)^H (x, alpha) = (0, beta),  v = (factor x, 1),  beta real
//
// tau is 0 if x is 0 and alpha real, or if the whole is shorter than leastCoupling and thus taken to be 0. Method: Lehoucq,
// "The computation of elementary unitary matrices", ACM Trans. Math. Softw. 22, 1996: the choice that LAPACK made.
func reflector[W dense.Scalar](alpha W, norm float64) (tau W, beta float64, factor W) {
	re, im := dense.Real(alpha), dense.Imag(alpha)
	if norm == 0 && im == 0 {
		return 0, re, 0
	}
	beta = -math.Copysign(length(length(re, im), norm), re)
	if math.Abs(beta) < leastCoupling[W]() {
		return 0, 0, 0
	}
	pivot := complex(re-beta, im)
	inverse := complex(1/(re-beta), 0)
	if im != 0 {
		inverse = 1 / pivot
	}
	return dense.FromParts[W](-real(pivot)/beta, -im/beta), beta, dense.FromParts[W](real(inverse), imag(inverse))
}

// leastCoupling returns the length below which what is left of the diagonal is taken to be 0. Above it, no factor of reflector leaves the range
// of W's real type.
func leastCoupling[W dense.Scalar]() float64 {
	if dense.IsSingle[W]() {
		return 0x1p-110
	}
	return smallestCoupling
}

// leastSquares returns a sum of squares in W's real type above which nothing that counts was lost to underflow.
func leastSquares[W dense.Scalar]() float64 {
	if dense.IsSingle[W]() {
		return 0x1p-80
	}
	return smallestSum
}
