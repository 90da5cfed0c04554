package eigen

import (
	"math"
	"slices"

	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Divide and conquer finds the eigenvalues of blocks from this order on sooner than the QL iteration.
const leastConquest = 32

// tridiagonalValues finds the eigenvalues of a real symmetric tridiagonal matrix: d is its diagonal, e[i] couples i and i+1, and e has as many
// elements as d. On return d has the eigenvalues in ascending order; e is undefined.
//
// Errors: *ConvergenceError, and the team's after cancellation.
//
// Each block that no zero of e divides is scaled so that its largest element is near 1; squares that underflow then do not matter. Small
// blocks are solved by the QL iteration, on the squares of the couplings, large ones by divide and conquer, see endConquest.
//
// Cost: about 1.7 sweeps for each eigenvalue, with two divisions for each row that is left, each of which waits for the one before; or about
// 10 n^2 terms of secular functions, which threads share.
func tridiagonalValues(team *sched.Team, d, e []float64) error {
	n := len(d)
	t := &tridiagonal{d: d, e: e}
	ends := t.blockEnds()
	team = team.Plan(costOfBlocks(ends, valuesCost))
	start := 0
	for _, end := range ends {
		phase := team.Phase(valuesCost(end - start))
		if end-start < leastConquest {
			if err := t.blockValues(phase, start, end); err != nil {
				return err
			}
		} else {
			block := &tridiagonal{d: d[start:end], e: e[start:end]}
			if err := newEndConquest(block, team.Threads()).solve(phase); err != nil {
				return notConverged(err, start, n)
			}
		}
		phase.End()
		start = end
	}
	slices.Sort(d)
	return nil
}

// blockValues does values' work for the block start <= i < end; its eigenvalues are in no particular order.
func (t *tridiagonal) blockValues(team *sched.Team, start, end int) error {
	exponent := t.normalize(start, end)
	t.orient(start, end)
	for i := start; i < end-1; i++ {
		t.e[i] *= t.e[i]
	}
	err := t.iterate(team, start, end, t.squaredBlockEnd, t.rationalSweep)
	scaleByPower(exponent, t.d[start:end])
	return err
}

// normalize multiplies the block start <= i < end, whose couplings are not negligible, by a power of two that brings its largest element between
// 1/2 and 1. It returns the exponent of the factor that takes this back.
func (t *tridiagonal) normalize(start, end int) (exponent int) {
	if end == start+1 {
		return 0 // a single element may be so small that there is no such power
	}
	_, exponent = math.Frexp(max(t.largest(start, end-1), math.Abs(t.d[end-1])))
	if exponent != 0 {
		scaleByPower(-exponent, t.d[start:end])
		scaleByPower(-exponent, t.e[start:end-1])
	}
	return exponent
}

// squaredBlockEnd is blockEnd where e has the squares of the couplings. Squares below smallestCoupling are negligible in a block whose largest
// element is near 1; sums of larger ones keep all their digits.
func (t *tridiagonal) squaredBlockEnd(l, limit int, floor float64) int {
	const relative = unitRoundoff * unitRoundoff
	for i := l; i < limit-1; i++ {
		if t.e[i] <= relative*math.Abs(t.d[i])*math.Abs(t.d[i+1])+floor*floor+smallestCoupling {
			t.e[i] = 0
			return i + 1
		}
	}
	return limit
}

// rationalSweep does one QL step on the rows l to last, where e has the squares of the couplings.
func (t *tridiagonal) rationalSweep(l, last int) {
	kernel.RationalSweep(t.d[l:], t.e[l:], last-l, 1, 1, nil)
}
