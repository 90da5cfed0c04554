package tridiag

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// Tridiagonal matrices whose elements span up to 320 orders of magnitude, with zeros and equal elements: iterations
// stagnate, shifts underflow and sweeps end early.
func TestDiagonalizeWildMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := &numtest.WorstResiduals{}
	for trial := range 20000 {
		n := 2 + rng.IntN(12)
		if trial%1000 == 0 {
			n = 100
		}
		m := newQL(n)
		fillWild(rng, m.Matrix)
		// Callers of diagonalize have brought the largest element near 1.
		m.D[rng.IntN(n)] = 1
		a := denseOf(m.Matrix)
		m.vectors = dense.New[float64](n, n)
		if err := m.diagonalize(); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if _, _, err := sortBlocks(nil, m.D, m.vectors, nil, make([]float64, n)); err != nil {
			t.Fatal(err)
		}
		v := dense.New[float64](n, n)
		dense.Copy(v.View(), m.vectors.View().T())
		residual, unitarity := numtest.EigenResidual(a, m.D, v, 0x1p-52), numtest.UnitaryResidual(v, 0x1p-52)
		worst.Note(fmt.Sprintf("trial %d", trial), residual, unitarity)
		if !(residual < residualLimit) || !(unitarity < residualLimit) {
			t.Fatalf("trial %d: residual %g, orthogonality %g for\n%v", trial, residual, unitarity, a)
		}
	}
	t.Log(worst)
}

// fillWild fills m with elements of one of several kinds.
func fillWild(rng *rand.Rand, m Matrix) {
	span := []float64{1, 5, 20, 50, 200, 320}[rng.IntN(6)]
	kind := rng.IntN(5)
	element := func() float64 {
		switch x := math.Pow(10, -span*rng.Float64()); {
		case kind == 1 && rng.IntN(3) == 0:
			return 0
		case kind == 2 && rng.IntN(2) == 0:
			return 1
		case kind == 3:
			return math.Ldexp(1, -rng.IntN(int(span)*3))
		case rng.IntN(2) == 0:
			return -x
		default:
			return x
		}
	}
	for i := range m.D {
		if kind != 4 {
			m.D[i] = element()
		}
		if i+1 < len(m.D) {
			m.E[i] = element()
		}
	}
}

// Without patientSweeps the iteration stagnates on the first of these matrices with a zero diagonal. A sweep on the
// second one ends early and changes the sign of the remaining coupling.
func TestDiagonalizeStagnation(t *testing.T) {
	for name, couplings := range map[string][]float64{
		"stagnation": {-1.4815719665868613e-75, -5.3480551729721025e-97, -1.3667626361287632e-94, -1, 3.664927588532642e-124,
			-4.0683757293783067e-247, 2.761564647326035e-264},
		"sign change": {3.59982087669369e-277, 6.09915008146647e-76, -8.703334011965455e-220, -4.097681154506567e-119,
			-3.6535935682480794e-65},
	} {
		n := len(couplings) + 1
		m := newQL(n)
		copy(m.E, couplings)
		a, v := denseOf(m.Matrix), dense.New[float64](n, n)
		m.vectors = dense.New[float64](n, n)
		if err := m.diagonalize(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dense.Copy(v.View(), m.vectors.View().T())
		if r := numtest.EigenResidual(a, m.D, v, 0x1p-52); !(r < residualLimit) {
			t.Errorf("%s: residual %g", name, r)
		}
	}
}

func TestDiagonalizeGivesUp(t *testing.T) {
	m := newQL(3)
	m.vectors = dense.New[float64](3, 3)
	for i := range m.D {
		m.D[i], m.E[i] = math.NaN(), math.NaN()
	}
	err, ok := m.diagonalize().(*ConvergenceError)
	if !ok || err.Found != 0 || err.Order != 3 {
		t.Errorf("a matrix of NaNs: %v", err)
	}
}
