package numtest

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/dense"
)

// WorstResiduals keeps the largest residuals of several eigenproblems and the names of these.
type WorstResiduals struct {
	residual, unitarity         float64
	residualName, unitarityName string
}

// Note takes the residuals of one problem into account.
func (w *WorstResiduals) Note(name string, residual, unitarity float64) {
	if residual > w.residual {
		w.residual, w.residualName = residual, name
	}
	if unitarity > w.unitarity {
		w.unitarity, w.unitarityName = unitarity, name
	}
}

func (w *WorstResiduals) String() string {
	return fmt.Sprintf("worst |AV - VW|: %.2f (%s), worst |V^H V - I|: %.2f (%s)",
		w.residual, w.residualName, w.unitarity, w.unitarityName)
}

// SameBits reports whether x and y hold the same bits. NaNs are equal to NaNs.
func SameBits[T dense.Scalar](x, y []T) bool {
	return slices.EqualFunc(x, y, func(a, b T) bool { return a == b || (a != a && b != b) })
}

// CompareValues returns an error unless got has the length of want and differs from it by at most tolerance.
func CompareValues(got, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d eigenvalues, want %d", len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			return fmt.Errorf("eigenvalue %d is %v, want %v, tolerance %g", i, got[i], want[i], tolerance)
		}
	}
	return nil
}
