package reduce

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/condense"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
)

// Hermitian reduces the matrix in the lower triangle of h to the real symmetric tridiagonal matrix t, of the same
// order:
//
//	H = Q T Q^H,  Q = P_{n-1} ... P_2 P_1,  P_i = I - tau_i v_i v_i^H
//
// v_i has i elements, the last of which is 1, and overwrites row i of h left of the diagonal. h has the layout of
// NewLower. Rows are reduced from the last to the first, so that all work is on contiguous rows and leading
// submatrices.
//
// It returns the team's error after cancellation.
//
// Cost: 2/3 n^3 multiply-adds. Method: Golub and Van Loan, Matrix Computations, 4th ed., algorithm 8.3.1, with
// reflections that make the off-diagonal real for complex matrices, too. The rank-two update of a step is delayed until
// the next reflection is known, and is done in the same pass over the matrix that multiplies it by that reflection's
// vector: a large matrix comes from memory once per row.
func Hermitian[W dense.Scalar](team *sched.Team, h dense.Matrix[W], t tridiag.Matrix) (tau []W, err error) {
	if err := team.Err(); err != nil {
		return nil, err
	}
	n := h.Rows
	team = team.Plan(Cost[W](n))
	tau = make([]W, n)
	r := newReduction(team, h, tau, t)
	if n > minSharedOrder {
		err = team.Rounds(sharedParts, r.multiplyPart, func(rounds *sched.Rounds) error {
			r.rounds = rounds
			return r.reduceRows(n-1, minSharedOrder)
		})
		n = minSharedOrder
	}
	if n > wakingOrder && err == nil {
		err = r.reduceRows(n-1, wakingOrder)
		n = wakingOrder
	}
	team.StartWorkers()
	if err == nil {
		err = r.reduceRows(n-1, 1)
	}
	if err != nil {
		return nil, err
	}
	r.updateRow(0, 0)
	t.D[0] = dense.Real(h.At(0, 0))
	team.Reach(Cost[W](h.Rows))
	return tau, nil
}

const (
	// Rows between two checks for cancellation and reports of progress. Shared passes check, too.
	watchRows = 16

	// The following constants divide a pass over the rows. Only the order determines the division, so that the number
	// of threads does not change the result.

	// Passes over matrices below this order are one call of the kernel.
	minStripOrder = 256
	// Rows of a kernel call in larger ones. Passes alternate between downwards and upwards, so that each one begins
	// with what the previous one left in the cache.
	stripRows = 16
	// From this order on a pass is worth a second thread.
	minSharedOrder = 256
	// The other threads wake up when this order is reached. The rest of the reduction takes about as long as waking up,
	// so they do not wait long for work.
	wakingOrder = 96
	// Parts of a shared pass, each of which sums its own contribution to y; the first part uses y itself.
	sharedParts = 4

	// Vectors of a reduction: v, w, x and y.
	workVectors = 4

	// A step reads the whole matrix. From this size on, the one of last-level caches, it takes uncachedRatio times as
	// long.
	cacheBytes    = 16 << 20
	uncachedRatio = 1.8
)

// Cost returns the steps of progress of the reduction of a matrix of order n: n^3, and more for the orders at which the
// matrix does not fit the cache.
func Cost[W dense.Scalar](n int) int {
	cube := func(n int) int { return n * n * n }
	cached := min(n, int(math.Sqrt(cacheBytes/float64(dense.Bytes[W]()))))
	return cube(cached) + int(uncachedRatio*float64(cube(n)-cube(cached)))
}

// WorkElements returns how many numbers Hermitian allocates for order n besides tau.
func WorkElements[W dense.Scalar](n int) int {
	order, vectors := paddedColumns[W](n), workVectors
	if order >= minSharedOrder {
		vectors += sharedParts - 1
	}
	return vectors * order
}

// reduction is a matrix whose leading submatrix still lacks the update A - v w^H - w v^H with
// w = scale product + shift (product, v) v.
type reduction[W dense.Scalar] struct {
	team   *sched.Team
	rounds *sched.Rounds // the shared passes
	set    kernel.Set
	h      dense.Matrix[W]
	tau    []W
	t      tridiag.Matrix

	v, w     []W     // zero after the leading submatrix; w is the product until it is first used
	pending  bool    // w is still the product of the latest step
	scale    W       // of that step
	shift    float64 // of that step
	x, y     []W     // v and w of the current step
	partSums []W     // sums of the parts of a pass, the first one excepted
	rows     int     // of the pass
	upwards  bool    // direction of the pass
}

func newReduction[W dense.Scalar](team *sched.Team, h dense.Matrix[W], tau []W, t tridiag.Matrix) *reduction[W] {
	order := paddedColumns[W](h.Rows)
	memory := make([]W, WorkElements[W](h.Rows))
	r := &reduction[W]{team: team, set: kernel.Best(), h: h, tau: tau, t: t, partSums: memory[workVectors*order:]}
	for i, x := range []*[]W{&r.v, &r.w, &r.x, &r.y} {
		*x = memory[i*order : (i+1)*order : (i+1)*order]
	}
	return r
}

// reduceRows reduces the rows from first down to last.
func (r *reduction[W]) reduceRows(first, last int) error {
	for i := first; i >= last; i-- {
		if i%watchRows == 0 {
			if err := r.team.Err(); err != nil {
				return err
			}
			r.team.Reach(Cost[W](r.h.Rows) - Cost[W](i))
		}
		norm := r.updateRow(i, i-1)
		r.t.D[i] = dense.Real(r.h.At(i, i))
		var factor W
		r.tau[i], r.t.E[i-1], factor = householder.GenerateFromNorm(r.h.At(i, i-1), norm, negligible[W]())
		// The last reflection is a factor of modulus 1, which does not change the remaining matrix of order one.
		if r.tau[i] != 0 && i > 1 {
			if err := r.applyReflector(i, r.tau[i], factor); err != nil {
				return err
			}
		}
		r.h.Set(i, i-1, 1)
	}
	return nil
}

// paddedRow returns row i up to a whole group of columns.
func (r *reduction[W]) paddedRow(i int) []W {
	return r.h.Data[i*r.h.Stride:][:paddedColumns[W](i+1)]
}

// updateRow does the pending update of row i, the last one of the submatrix, which then ends above it, and conjugates
// the row: it becomes the column to be eliminated. It returns the norm of the first count elements.
func (r *reduction[W]) updateRow(i, count int) (norm float64) {
	row := r.paddedRow(i)
	v, w := r.v[:len(row)], r.w[:len(row)]
	var squares float64
	if r.pending {
		squares = condense.Advance(r.set, r.scale, r.shift, row, v, w, i, count)
		r.pending = false
	} else {
		squares = condense.UpdateRow(r.set, row, v, w, i, count)
	}
	if squares > safeSquares[W]() {
		return math.Sqrt(squares)
	}
	return blas.Nrm2(dense.Vec(row[:count]))
}

// applyReflector forms the vector x of the reflection P = I - tau x x^H from the updated row i and factor, and does the
// pending update of the leading submatrix A. It leaves the update to P^H A P pending, with v = x and
//
//	w = p - (tau/2) (p^H x) x = tau A x - (|tau|^2/2) (x^H A x) x,  p = tau A x
func (r *reduction[W]) applyReflector(i int, tau, factor W) error {
	row, order := r.paddedRow(i), paddedColumns[W](i)
	x, y := r.x[:order], r.y[:order]
	condense.ScaleTo(r.set, factor, row[:order], x, y)
	x[i-1] = 1
	clear(x[i:])
	if err := r.multiply(i, y); err != nil {
		return err
	}
	clear(y[i:])
	size := dense.Abs(tau)
	r.pending, r.scale, r.shift = true, tau, -size*size/2
	r.v, r.x = r.x, r.v
	r.w, r.y = r.y, r.w
	return nil
}

// multiply does the pending update of the leading submatrix of order i and adds the product of the result and x to y.
func (r *reduction[W]) multiply(i int, y []W) error {
	r.upwards, r.rows = !r.upwards, paddedRows[W](i)
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
		addPartSums[float32](r.set, r.partSums[:(sharedParts-1)*len(y)], y)
	} else {
		addPartSums[float64](r.set, r.partSums[:(sharedParts-1)*len(y)], y)
	}
	return nil
}

// addPartSums adds the sums of all parts but the first to y. R is the real type of W.
func addPartSums[R dense.Float, W dense.Scalar](set kernel.Set, sums, y []W) {
	ones := [sharedParts - 1]R{1, 1, 1}
	to := dense.Reals[R](y)
	rows := vector.Rows[R]{Count: len(ones), Cols: len(to), Stride: len(to), A: dense.Reals[R](sums)}
	vector.Axpys(set, &rows, ones[:], to)
}

// multiplyPart does part p of a shared pass.
func (r *reduction[W]) multiplyPart(p int) {
	order := paddedColumns[W](r.rows)
	if p == 0 {
		r.pass(p, sharedParts, r.y[:order])
		return
	}
	sum := r.partSums[(p-1)*order : p*order]
	clear(sum)
	r.pass(p, sharedParts, sum)
}

// pass does the work of multiply on the strips of part p and adds their product to y.
func (r *reduction[W]) pass(p, parts int, y []W) {
	rows, height := r.rows, r.rows
	if rows >= minStripOrder {
		height = stripRows
	}
	strips := ceilDiv(rows, height)
	for k := range strips {
		strip := k
		if r.upwards {
			strip = strips - 1 - k
		}
		if partOfStrip(strip, parts) != p {
			continue
		}
		first := strip * height
		pass := condense.TridiagStep[W]{
			First: first, Rows: min(height, rows-first), Stride: r.h.Stride, A: r.h.Data[first*r.h.Stride:],
			V: r.v, W: r.w, X: r.x, Y: y,
		}
		pass.Run(r.set)
	}
}

// partOfStrip deals the strips, each longer than the one before, to the parts in alternating directions.
func partOfStrip(strip, parts int) int {
	k := strip % (2 * parts)
	return min(k, 2*parts-1-k)
}

// negligible returns the length below which a column counts as 0. No factor of a reflector of a longer column leaves
// the range of W's real type.
func negligible[W dense.Scalar]() float64 {
	if dense.IsSingle[W]() {
		return 0x1p-110
	}
	return tridiag.NegligibleCoupling
}

// safeSquares returns the sum of squares in W's real type above which nothing significant was lost to underflow.
func safeSquares[W dense.Scalar]() float64 {
	if dense.IsSingle[W]() {
		return 0x1p-80
	}
	return 0x1p-900
}
