package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/sylvester"
)

// triangularSqrt overwrites the upper triangular or quasi-triangular t by its root.
func triangularSqrt[W dense.Wide](team *sched.Team, t dense.Matrix[W], scales grading) (lost losses, err error) {
	r := dense.New[W](t.Rows, t.Rows)
	if _, err = sqrtByHalves(team.Plan(sqrtSteps(t.Rows)), t, r); err != nil {
		return lost, err
	}
	addRoot(&lost, r, t, scales)
	t.CopyFrom(r)
	return lost, nil
}

// sqrtByHalves sets r, whose elements are zeros, to the principal square root of the upper triangular or, if real,
// quasi-triangular t, whose real eigenvalues are not negative then. The halves of t on the diagonal have the roots R1
// and R2, and between them is X with R1 X + X R2 = T12. perturbed says that such an equation was singular to working
// precision.
func sqrtByHalves[W dense.Wide](team *sched.Team, t, r dense.Matrix[W]) (perturbed bool, err error) {
	n := t.Rows
	switch {
	case n == 1:
		r.Set(0, 0, dense.Convert[W](principalSqrt(dense.Convert[complex128](t.At(0, 0)))))
		return false, nil
	case n == 2 && t.At(1, 0) != 0:
		sqrtOfBlock(t, r)
		return false, nil
	case n <= elementwiseOrder && !spectrumOf(t).pairs:
		team.Step(sqrtSteps(n))
		return sqrtByElements(t, r), team.Err()
	}
	half := n / 2
	if t.At(half, half-1) != 0 { // not through a block
		half++
	}
	first, err := sqrtByHalves(team, t.Slice(0, half, 0, half), r.Slice(0, half, 0, half))
	if err != nil {
		return false, err
	}
	second, err := sqrtByHalves(team, t.Slice(half, n, half, n), r.Slice(half, n, half, n))
	if err != nil {
		return false, err
	}
	x := r.Slice(0, half, half, n)
	x.CopyFrom(t.Slice(0, half, half, n))
	phase := team.Phase(sqrtSteps(n) - sqrtSteps(half) - sqrtSteps(n-half))
	defer phase.End()
	solved, err := sylvester.Triangular(phase, sylvester.Form{}, r.Slice(0, half, 0, half), r.Slice(half, n, half, n),
		x)
	scaleBack(x, solved.Shift)
	return first || second || solved.Perturbed, err
}

// sqrtSteps returns the steps of a team that the triangular root of order n takes.
func sqrtSteps(n int) int { return n * n * n }

// elementwiseOrder is the order up to which the root of a triangular matrix is computed element by element.
const elementwiseOrder = 16

// sqrtByElements is sqrtByHalves for a small upper triangular t.
func sqrtByElements[W dense.Wide](t, r dense.Matrix[W]) (perturbed bool) {
	n := t.Rows
	least := 0.0 // replaces a sum of two roots that is zero
	for j := range n {
		r.Set(j, j, dense.Convert[W](principalSqrt(dense.Convert[complex128](t.At(j, j)))))
		least = max(least, dense.Abs(r.At(j, j))*dense.Eps[W](), math.SmallestNonzeroFloat64)
		for i := j - 1; i >= 0; i-- {
			row, sum := r.Row(i), t.At(i, j)-rowTimesColumn(r, r, i, j, i+1, j)
			pivot := row[i] + r.At(j, j)
			if pivot == 0 {
				pivot, perturbed = dense.FromReal[W](least), true
			}
			row[j] = sum / pivot
		}
	}
	return perturbed
}

// sqrtOfBlock sets r to the root of a standard block [a b; c a], b c < 0, with the eigenvalues a +- i theta: with
// alpha + i beta the root of a + i theta it is alpha I + (block - a I) / (2 alpha).
func sqrtOfBlock[W dense.Wide](t, r dense.Matrix[W]) {
	a, b, c := dense.Real(t.At(0, 0)), dense.Real(t.At(0, 1)), dense.Real(t.At(1, 0))
	theta := math.Sqrt(math.Abs(b)) * math.Sqrt(math.Abs(c))
	alpha := real(cmplx.Sqrt(complex(a, theta)))
	r.Set(0, 0, dense.FromReal[W](alpha))
	r.Set(0, 1, dense.FromReal[W](b/alpha/2))
	r.Set(1, 0, dense.FromReal[W](c/alpha/2))
	r.Set(1, 1, dense.FromReal[W](alpha))
}
