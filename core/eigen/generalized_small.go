package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// solveInLane does solveIn's work for the standard form c of a generalized problem of an order up to singleLaneOrder, as EighGroup does it for a
// single matrix. The workspace has room for standardWords.
func solveInLane[W dense.Scalar, V dense.Float, T dense.Scalar, R dense.Float](g *generalized[W], memory workspace, c dense.Matrix[W], largest float64, w []R, v dense.View[T], opt Options) (int, error) {
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
	var values [singleLaneOrder]V
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
