package eigen

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/tridiag"
)

const (
	// Matrices up to this order are solved in the lanes of vectors if there are leastGroup of them at least: all lanes take as long as one.
	laneOrder  = 64
	leastGroup = 3
	// A single matrix up to this order is solved in one lane, without vectors up to the second one, or to the third if it is complex.
	singleLaneOrder   = 18
	singleValueOrder  = 32
	complexValueOrder = 24
)

// GroupSize returns how many of count matrices of type T and order n EighGroup should get at a time; 0 says that each goes to Eigh.
func GroupSize[T dense.Scalar](n, count int, opt Options) int {
	single := singleLaneOrder
	switch {
	case opt.ValuesOnly && dense.IsComplex[T]():
		single = complexValueOrder
	case opt.ValuesOnly:
		single = singleValueOrder
	}
	switch {
	case opt.Jacobi, worksInSingle[T](n, opt), n < 1 || n > laneOrder, n > single && count < leastGroup:
		return 0
	}
	return min(count, kernel.Lanes)
}

// EighGroup is Eigh for a group of matrices of the same order, at most kernel.Lanes of them, for which GroupSize is not 0. The eigenvalues of a[k]
// go to w[k] and its eigenvectors to v[k], whose slice is not looked at if there are none. It returns the number of eigenvalues of
// the last matrix; and with an error the matrix that it belongs to, while all outputs are undefined.
//
// Results do not depend on the other matrices of a group. Those of orders up to 18 are the same as Eigh's, bit for bit, and eigenvalues
// without vectors up to 32; in larger matrices they differ by rounding errors.
func EighGroup[T dense.Scalar, R dense.Float](a []dense.View[T], w [][]R, v []dense.View[T], opt Options) (count, failed int, err error) {
	requireRealType[T, R]()
	if opt.ValuesOnly {
		v = make([]dense.View[T], len(a))
	}
	for k := range a {
		if err := checkCall(a[k], w[k], v[k], opt); err != nil {
			return 0, k, err
		}
	}
	if err := opt.Team.Err(); err != nil {
		return 0, 0, err
	}
	g := newLaneGroup[T](len(a), a[0].Rows, opt.ValuesOnly)
	defer g.memory.GiveBack()
	for k := range g.Width {
		if g.Idle[k] = k >= len(a); !g.Idle[k] && !loadLane[R](g, k, a[k], opt) {
			return 0, k, dense.NotFinite("a")
		}
	}
	found := g.solve()
	for k := range a {
		switch g.kinds[k] {
		case laneNotFinite:
			count = fillNaN(g.Order, w[k], v[k], opt)
		case laneTooWide:
			if count, err = eighWide(a[k], w[k], v[k], opt); err != nil {
				return 0, k, err
			}
		default:
			if found[k] < g.Order {
				return 0, k, &ConvergenceError{Found: found[k], Order: g.Order}
			}
			count = storeLane(g, k, w[k], v[k], opt)
		}
	}
	return count, 0, nil
}

// laneGroup is a group of matrices in lanes.
type laneGroup struct {
	*kernel.LaneProblem
	memory    workspace
	exponents [kernel.Lanes]int // matrix k was multiplied by 2^-exponents[k]
	kinds     [kernel.Lanes]laneKind
}

// laneKind says what a lane holds of its matrix.
type laneKind uint8

const (
	laneHolds     laneKind = iota
	laneNotFinite          // nothing, as its eigenpairs are NaN
	laneTooWide            // nothing, as it has elements, perhaps of a block of their own, whose squares would be lost
)

// newLaneGroup returns a group of count matrices of order n in memory of its own.
func newLaneGroup[T dense.Scalar](count, n int, valuesOnly bool) *laneGroup {
	memory := borrowWorkspace(laneWords[T](count, n, valuesOnly))
	g := laneGroupIn[T](memory, count, n, valuesOnly)
	g.memory = memory
	return g
}

// laneGroupIn is newLaneGroup in a workspace with room for laneWords.
func laneGroupIn[T dense.Scalar](memory workspace, count, n int, valuesOnly bool) *laneGroup {
	width := laneWidth(count)
	elements := kernel.LaneElements(width, n, planes[T](), !valuesOnly)
	return &laneGroup{LaneProblem: kernel.NewLaneProblem(width, n, planes[T](), !valuesOnly, take[float64](&memory, elements))}
}

// laneWords returns the words that a group of count matrices of order n takes.
func laneWords[T dense.Scalar](count, n int, valuesOnly bool) int {
	return wordsOf[float64](kernel.LaneElements(laneWidth(count), n, planes[T](), !valuesOnly))
}

// laneWidth returns the number of lanes for a group of count matrices.
func laneWidth(count int) int {
	if count <= kernel.PairLanes {
		return kernel.PairLanes
	}
	return kernel.Lanes
}

// solve replaces the matrices by their eigenvalues and the rows that are their eigenvectors. It returns how many eigenvalues each has.
func (g *laneGroup) solve() (found [kernel.Lanes]int) {
	set := kernel.Best()
	g.Reduce(set)
	if g.Cols > 0 {
		g.Form(set)
	}
	for k := range g.Width {
		g.orient(k)
	}
	found = g.Iterate(set, tridiag.MaxSweepsPerValue*g.Order)
	if g.Cols > 0 {
		g.Direct(set)
	}
	return found
}

// orient turns the tridiagonal matrix k end for end, and the rows of vectors with it, if its first diagonal element is larger than its last one: the
// iteration is more accurate for matrices that grow downwards.
func (g *laneGroup) orient(k int) {
	last := (g.Order - 1) * g.Width
	if g.Idle[k] || !(math.Abs(g.D[k]) > math.Abs(g.D[last+k])) {
		return
	}
	reverseLane(g.D[k:], last, g.Width)
	reverseLane(g.E[k:], last-g.Width, g.Width)
	size := g.Cols * g.Width
	for i, j := 0, g.Order-1; i < j; i, j = i+1, j-1 {
		x, y := g.Vectors[i*size:(i+1)*size], g.Vectors[j*size:(j+1)*size]
		for at := k; at < len(x); at += g.Width {
			x[at], y[at] = y[at], x[at]
		}
	}
}

// reverseLane reverses the numbers at 0, step, 2 step, ..., last.
func reverseLane(x []float64, last, step int) {
	for i, j := 0, last; i < j; i, j = i+step, j-step {
		x[i], x[j] = x[j], x[i]
	}
}

// loadLane sets matrix k to that of the triangle of a that opt names, divided by a power of two where that is needed. It returns false if a is not
// finite and opt cares.
func loadLane[R dense.Float, T dense.Scalar](g *laneGroup, k int, a dense.View[T], opt Options) (ok bool) {
	sign := 1.0
	if opt.Upper { // row i of the lower triangle is the conjugate of column i of the upper one
		a, sign = a.T(), -1
	}
	from := newLaneView[R](a)
	lower, other := from.extents(!opt.SkipFiniteCheck)
	if !other.finite() || !lower.finite() {
		g.Idle[k], g.kinds[k] = true, laneNotFinite
		return opt.SkipFiniteCheck
	}
	largest, smallest := math.Float64frombits(lower.largest), math.Float64frombits(lower.smallest)
	g.exponents[k] = laneScaling(largest)
	if math.Ldexp(smallest, -g.exponents[k]) < laneSmallest {
		g.Idle[k], g.kinds[k] = true, laneTooWide
		return true
	}
	from.load(g.A[k:], g.Width, g.exponents[k], sign)
	negligible := unitRoundoff * math.Ldexp(largest, -g.exponents[k])
	g.Floor[k] = negligible * negligible
	return true
}

const (
	// Matrices whose largest element is between 2^-laneExponent and 2^laneExponent are not scaled in lanes: see kernel.LaneProblem.
	laneExponent = 200
	// The kernels take numbers below 2^-480 for zero, which is nothing beside elements of this size.
	laneSmallest = 0x1p-400
)

// laneScaling returns the exponent of the power of two by which a matrix with the given largest element is to be divided.
func laneScaling(largest float64) int {
	_, exponent := math.Frexp(largest)
	if -laneExponent < exponent && exponent <= laneExponent {
		return 0
	}
	return exponent
}
