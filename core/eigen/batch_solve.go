package eigen

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/batch"
	"trnsci/core/tridiag"
)

const (
	// Matrices up to this order are solved in SIMD lanes if there are at least minGroup of them: all lanes together
	// take as long as one.
	maxLaneOrder = 64
	minGroup     = 3
	// A single matrix is solved in one lane up to these orders: with eigenvectors, and without them if it is real or
	// complex.
	maxSingleOrder         = 18
	maxSingleRealValues    = 32
	maxSingleComplexValues = 24
)

// groupSize returns how many of count matrices of type T and order n are solved together in SIMD lanes; 0 means that
// each one is solved by itself.
func groupSize[T dense.Scalar](n, count int, opt Options) int {
	single := maxSingleOrder
	switch {
	case opt.ValuesOnly && dense.IsComplex[T]():
		single = maxSingleComplexValues
	case opt.ValuesOnly:
		single = maxSingleRealValues
	}
	switch {
	case opt.Jacobi, worksInSingle[T](n, opt), n < 1 || n > maxLaneOrder, n > single && count < minGroup:
		return 0
	}
	return min(count, batch.Width)
}

// Member is one problem of a batch, with the matrix A and the outputs W and V of Eigh. V is not used if only
// eigenvalues are wanted.
type Member[T dense.Scalar, R dense.Float] struct {
	A dense.View[T]
	W []R
	V dense.View[T]
}

// laneGroup is a group of matrices in SIMD lanes.
type laneGroup struct {
	*batch.Problem
	exponents [batch.Width]int // matrix k was multiplied by 2^-exponents[k]
	kinds     [batch.Width]laneKind
}

// laneKind says how the matrix of a lane is solved.
type laneKind uint8

const (
	laneFilled    laneKind = iota // the lane solves it
	laneNotFinite                 // the result is NaN
	laneTooWide                   // squares of its small elements would underflow in the kernels
)

// newLaneGroup returns a group for count matrices of order n and type T. memory has laneElements numbers.
func newLaneGroup[T dense.Scalar](memory []float64, count, n int, valuesOnly bool) *laneGroup {
	return &laneGroup{Problem: batch.NewProblem(laneWidth(count), n, dense.Parts[T](), !valuesOnly, memory)}
}

// laneElements returns how many numbers a group of count matrices of order n takes.
func laneElements[T dense.Scalar](count, n int, valuesOnly bool) int {
	return batch.Elements(laneWidth(count), n, dense.Parts[T](), !valuesOnly)
}

// laneWidth returns the number of lanes for a group of count matrices.
func laneWidth(count int) int {
	if count <= batch.PairWidth {
		return batch.PairWidth
	}
	return batch.Width
}

// solve replaces the matrices by their eigenvalues and the rows that are their eigenvectors. It returns how many
// eigenvalues of each have converged.
func (g *laneGroup) solve() (found [batch.Width]int) {
	set := kernel.Best()
	g.Reduce(set)
	if g.Cols > 0 {
		g.FormQ(set)
	}
	for k := range g.Width {
		g.orient(k)
	}
	found = g.Diagonalize(set, tridiag.MaxSweepsPerValue*g.Order)
	if g.Cols > 0 {
		g.FixPhases(set)
	}
	return found
}

// orient reverses the order of the rows of tridiagonal matrix k, and the rows of vectors with it, if its first diagonal
// element is larger than its last one: the iteration is more accurate for matrices that grow downwards.
func (g *laneGroup) orient(k int) {
	last := (g.Order - 1) * g.Width
	if g.Idle[k] || !(math.Abs(g.D[k]) > math.Abs(g.D[last+k])) {
		return
	}
	reverse := func(x []float64, last int) {
		for i, j := 0, last; i < j; i, j = i+g.Width, j-g.Width {
			x[i], x[j] = x[j], x[i]
		}
	}
	reverse(g.D[k:], last)
	reverse(g.E[k:], last-g.Width)
	size := g.Cols * g.Width
	for i, j := 0, g.Order-1; i < j; i, j = i+1, j-1 {
		x, y := g.Vectors[i*size:(i+1)*size], g.Vectors[j*size:(j+1)*size]
		for at := k; at < len(x); at += g.Width {
			x[at], y[at] = y[at], x[at]
		}
	}
}

const (
	// Matrices whose largest element is between 2^-laneExponent and 2^laneExponent are not scaled in lanes; see
	// batch.Problem.
	laneExponent = 200
	// The kernels treat numbers below 2^-480 as zero, which is negligible beside elements of this size.
	laneSmallest = 0x1p-400
)

// loadLane sets matrix k to the triangle of a that opt names, divided by a power of two if necessary. It returns false
// if a is not finite and opt checks for that.
func loadLane[R dense.Float, T dense.Scalar](g *laneGroup, k int, a dense.View[T], opt Options) (ok bool) {
	sign := 1.0
	if opt.Upper { // row i of the lower triangle is the conjugate of column i of the upper one
		a, sign = a.T(), -1
	}
	from := newRealView[R](a)
	lower, other := from.extents(!opt.SkipFiniteCheck)
	if !other.finite() || !lower.finite() {
		g.Idle[k], g.kinds[k] = true, laneNotFinite
		return opt.SkipFiniteCheck
	}
	largest, smallest := math.Float64frombits(lower.largest), math.Float64frombits(lower.smallest)
	if _, exponent := math.Frexp(largest); exponent <= -laneExponent || exponent > laneExponent {
		g.exponents[k] = exponent
	}
	if math.Ldexp(smallest, -g.exponents[k]) < laneSmallest {
		g.Idle[k], g.kinds[k] = true, laneTooWide
		return true
	}
	from.load(g.A[k:], g.Width, g.exponents[k], sign)
	negligible := dense.RoundoffDouble * math.Ldexp(largest, -g.exponents[k])
	g.Floor[k] = negligible * negligible
	return true
}

// storeLane writes the eigenpairs of matrix k that belong to opt's subset to w and v. It returns their number.
func storeLane[T dense.Scalar, R dense.Float](g *laneGroup, k int, w []R, v dense.View[T], opt Options) (count int) {
	var order [maxLaneOrder]int
	values := g.D[k:]
	for i := range g.Order {
		at := i
		for ; at > 0 && values[order[at-1]*g.Width] > values[i*g.Width]; at-- {
			order[at] = order[at-1]
		}
		order[at] = i
	}
	out := newRealView[R](v)
	for i, row := range order[:g.Order] {
		value := R(math.Ldexp(values[row*g.Width], g.exponents[k])) + 0 // no negative zero
		if !opt.Subset.holds(i, float64(value)) {
			continue
		}
		w[count] = value
		if !opt.ValuesOnly {
			out.storeColumn(count, g.Vectors[row*g.Cols*g.Width+k:], g.Width)
		}
		count++
	}
	return count
}
