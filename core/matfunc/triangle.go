package matfunc

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// ofTriangular overwrites the upper triangular or, for a real root, quasi-triangular t by f of it. The computation
// works on the graded matrix, which is similar to t.
func ofTriangular[W dense.Wide](team *sched.Team, t dense.Matrix[W], f function) (o Outcome, err error) {
	if f.kind == signKind {
		return o, triangularSign(team, any(t).(dense.Matrix[complex128]), f)
	}
	snapToBranchCut(t, f.cut)
	scales := gradingFor(t)
	regrade(t, scales, 1)
	var lost losses
	switch f.kind {
	case rootKind:
		lost, err = triangularSqrt(team, t, scales)
	case logKind:
		lost, err = triangularLog(team, t, scales)
	default:
		lost, err = triangularPower(team, t, f.exponent, scales)
	}
	regrade(t, scales, -1)
	o.Residual = lost.residual
	o.IllConditioned = f.kind != logKind && !(lost.residual <= f.half)
	if f.cut > 0 { // the form has errors that growth makes larger
		rounding := float64(t.Rows)*dense.Eps[W]() + f.rounding
		o.IllConditioned = o.IllConditioned || !(rounding*lost.growth <= f.half)
	}
	return o, err
}

// snapToBranchCut moves diagonal elements of a complex t that are within rounding errors of the negative real axis onto
// it, so that rounding errors do not choose the branch.
func snapToBranchCut[W dense.Wide](t dense.Matrix[W], cut float64) {
	for i := range t.Rows {
		if z := dense.Convert[complex128](t.At(i, i)); real(z) < 0 && math.Abs(imag(z)) <= cut {
			t.Set(i, i, dense.FromReal[W](real(z)))
		}
	}
}
