package tridiag

import (
	"math"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel/givens"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// Residuals in units of max(n, 8) eps that no correct result reaches. The errors of QL grow like sqrt(n) eps in
// practice (Wilkinson, The Algebraic Eigenvalue Problem, section 8.12).
const residualLimit = 4

// newQL returns a zero matrix of order n with the rotations of a sweep.
func newQL(n int) *qlIteration {
	return &qlIteration{Matrix: New(n), rotations: make([]givens.Rotation[float64], n)}
}

func copyOf(m Matrix) Matrix {
	c := New(len(m.D))
	copy(c.D, m.D)
	copy(c.E, m.E)
	return c
}

// denseOf returns m as a full matrix.
func denseOf(m Matrix) dense.Matrix[float64] {
	n := len(m.D)
	a := dense.New[float64](n, n)
	for i := range n {
		a.Set(i, i, m.D[i])
		if i+1 < n {
			a.Set(i, i+1, m.E[i])
			a.Set(i+1, i, m.E[i])
		}
	}
	return a
}

// eigenRows overwrites D by the eigenvalues and returns the wanted eigenvectors, as rows, and the position of the first
// one. Memory full of NaNs shows that no particular values are expected there.
func eigenRows[R dense.Float](m Matrix, team *sched.Team,
	wanted Selection) (rows dense.Matrix[R], first int, err error) {
	n := len(m.D)
	memory := make([]float64, WorkElements[R](n))
	for i := range memory {
		memory[i] = math.NaN()
	}
	rows = dense.New[R](n, n)
	rows.Fill(R(math.NaN()))
	first, count, err := Eigenpairs(team, m, rows, wanted, n, memory)
	return rows.Slice(0, count, 0, n), first, err
}

// checkValues fails the test unless got and want differ by at most tolerance.
func checkValues(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if err := numtest.CompareValues(got, want, tolerance); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
