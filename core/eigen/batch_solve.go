package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/batch"
	"trnsci/core/tridiag"
)

// eighGroup solves matrices of one order, at most batch.Width of them, for which groupSize is not 0, after the checks
// of the arguments. counts gets their numbers of eigenvalues. With an error it returns the index of the matrix that
// failed.
func eighGroup[T dense.Scalar, R dense.Float](members []Member[T, R], counts []int, opt Options) (failed int, err error) {
	if err := opt.Team.Err(); err != nil {
		return 0, err
	}
	g := newLaneGroup[T](len(members), members[0].A.Rows, opt.ValuesOnly)
	defer g.memory.GiveBack()
	for k := range g.Width {
		if g.Idle[k] = k >= len(members); !g.Idle[k] && !loadLane[R](g, k, members[k].A, opt) {
			return k, dense.NotFinite("a")
		}
	}
	found := g.solve()
	for k, m := range members {
		switch g.kinds[k] {
		case laneNotFinite:
			counts[k] = fillNaN(g.Order, m.W, m.V, opt)
		case laneTooWide:
			if counts[k], err = eighDouble(m.A, m.W, m.V, opt); err != nil {
				return k, err
			}
		default:
			if found[k] < g.Order {
				return k, &ConvergenceError{Found: found[k], Order: g.Order}
			}
			counts[k] = storeLane(g, k, m.W, m.V, opt)
		}
	}
	return 0, nil
}

// laneGroup is a group of matrices in SIMD lanes.
type laneGroup struct {
	*batch.Problem
	memory    workspace
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

// newLaneGroup returns a group for count matrices of order n and type T. Its memory is to be given back.
func newLaneGroup[T dense.Scalar](count, n int, valuesOnly bool) *laneGroup {
	memory := borrowWorkspace(laneWords[T](count, n, valuesOnly))
	g := laneGroupIn[T](memory, count, n, valuesOnly)
	g.memory = memory
	return g
}

// laneGroupIn is newLaneGroup in a workspace with room for laneWords.
func laneGroupIn[T dense.Scalar](memory workspace, count, n int, valuesOnly bool) *laneGroup {
	width, parts := laneWidth(count), dense.Parts[T]()
	numbers := take[float64](&memory, batch.Elements(width, n, parts, !valuesOnly))
	return &laneGroup{Problem: batch.NewProblem(width, n, parts, !valuesOnly, numbers)}
}

// laneWords returns the words that a group of count matrices of order n takes.
func laneWords[T dense.Scalar](count, n int, valuesOnly bool) int {
	return wordsOf[float64](batch.Elements(laneWidth(count), n, dense.Parts[T](), !valuesOnly))
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

// solveInLane is solveIn for the standard form c of a generalized problem of an order up to maxSingleOrder. It solves
// it as eighGroup solves a single matrix. The workspace has room for standardWords.
func solveInLane[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](
	g *generalized[W], memory workspace, c dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options,
) (int, error) {
	n, rest := c.Rows, memory
	vectors := takeMatrix[W](&rest, n, n)
	lane := laneGroupIn[W](rest, 1, n, opt.ValuesOnly)
	for k := 1; k < lane.Width; k++ {
		lane.Idle[k] = true
	}
	loadLane[V](lane, 0, c.View(), Options{SkipFiniteCheck: true})
	if lane.kinds[0] == laneTooWide {
		return solveIn[W, V](memory, c, largest, w, v, opt, g.transformation())
	}
	if found := lane.solve(); found[0] < n {
		return 0, &ConvergenceError{Found: found[0], Order: n}
	}
	var values [maxSingleOrder]V
	storeLane(lane, 0, values[:], vectors.View().T(), Options{ValuesOnly: opt.ValuesOnly})
	count := 0
	for i, x := range values[:n] {
		value := R(math.Ldexp(float64(x), g.transformation().valueExponent)) + 0 // no negative zero
		if !opt.Subset.holds(i, float64(value)) {
			continue
		}
		w[count] = value
		if !opt.ValuesOnly {
			copy(vectors.Row(count), vectors.Row(i))
		}
		count++
	}
	if opt.ValuesOnly {
		return count, nil
	}
	rows := vectors.Slice(0, count, 0, n)
	if err := g.fromStandardForm(rows); err != nil {
		return 0, err
	}
	for i := range count {
		fixPhase(rows.Row(i))
	}
	return count, blas.CopyView(nil, columns(v, count), rows.View().T())
}
