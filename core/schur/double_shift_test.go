package schur

import (
	"testing"

	"trnsci/core/dense"
)

func TestNegligible(t *testing.T) {
	const tiny = 1e-40
	cases := []struct {
		name            string
		t               dense.Matrix[float64]
		k               int
		strict, relaxed bool
	}{
		{"separate eigenvalues", dense.FromRows([]float64{1, tiny}, []float64{tiny, 2}), 1, true, true},
		{"coupled eigenvalues", dense.FromRows([]float64{1, 1e-3}, []float64{1e-3, 2}), 1, false, false},
		{"exact zero", dense.FromRows([]float64{0, 1}, []float64{0, 0}), 1, true, true},
		// The eigenvalues are 1 and about -7 * 2^-59; without the lower left element they would be 1 and 2^-59.
		{"graded", dense.FromRows([]float64{1, 1}, []float64{0x1p-56, 0x1p-59}), 1, false, true},
		// Two complex pairs +-i that have separated.
		{"skew-symmetric", dense.FromRows(
			[]float64{0, 1, 0, 0}, []float64{-1, 0, tiny, 0}, []float64{0, -tiny, 0, 1}, []float64{0, 0, -1, 0}), 2, true, true},
		// The same with one pair +-i tiny: the coupling is as large as the eigenvalue.
		{"skew-symmetric, graded", dense.FromRows(
			[]float64{0, 1, 0, 0}, []float64{-1, 0, tiny, 0}, []float64{0, -tiny, 0, tiny}, []float64{0, 0, -tiny, 0}),
			2, false, true},
		{"middle of a pair", dense.FromRows(
			[]float64{0, 1, 0, 0}, []float64{-1, 0, tiny, 0}, []float64{0, -tiny, 0, 1}, []float64{0, 0, -1, 0}),
			3, false, false},
	}
	for _, c := range cases {
		f := doubleShiftQR[float64]{iteration: iteration[float64]{t: c.t, eps: dense.EpsDouble}}
		if got := f.negligible(c.k, false); got != c.strict {
			t.Errorf("%s: strict test gives %v", c.name, got)
		}
		if got := f.negligible(c.k, true); got != c.relaxed {
			t.Errorf("%s: relaxed test gives %v", c.name, got)
		}
	}
}
