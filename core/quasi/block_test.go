package quasi

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/householder"
)

// anyNumber returns zero or a number of any exponent.
func anyNumber(rng *rand.Rand) float64 {
	if rng.IntN(6) == 0 {
		return 0
	}
	return math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1060)
}

func TestStandardizedBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	for range 100000 {
		m := Block2{anyNumber(rng), anyNumber(rng), anyNumber(rng), anyNumber(rng)}
		switch rng.IntN(4) {
		case 0: // elements of one size
			m.B, m.C, m.D = m.A*rng.NormFloat64(), m.A*rng.NormFloat64(), m.A*rng.NormFloat64()
		case 1: // nearly a double eigenvalue
			m.D, m.B, m.C = m.A*(1+dense.EpsDouble), m.A*rng.NormFloat64(), m.A*dense.EpsDouble*rng.NormFloat64()
		}
		s, g := m.Standardize()
		if !(math.Abs(g.C*g.C+g.S*g.S-1) <= 8*dense.EpsDouble) {
			t.Fatalf("%v: the rotation %v is not orthogonal", m, g)
		}
		// A second pass repairs what underflowed; its rotation is an exact exchange.
		repaired, h := s.Standardize()
		if !repaired.IsStandard() || (h != identity && h != rotation{S: 1}) {
			t.Fatalf("%v: %v and then %v, %v", m, s, repaired, h)
		}
		checkRotated(t, m, s, g)
	}
}

// checkRotated verifies s = G m G^T.
func checkRotated(t *testing.T, m, s Block2, g rotation) {
	t.Helper()
	largest := max(math.Abs(m.A), math.Abs(m.B), math.Abs(m.C), math.Abs(m.D))
	_, exponent := math.Frexp(largest)
	a := dense.FromRows(
		[]float64{math.Ldexp(m.A, -exponent), math.Ldexp(m.B, -exponent)},
		[]float64{math.Ldexp(m.C, -exponent), math.Ldexp(m.D, -exponent)})
	householder.RotateReal(g, a.Row(0), a.Row(1))
	rotateColumns(g, a, 0, 2)
	allowed := 16*dense.EpsDouble + math.Ldexp(math.SmallestNonzeroFloat64, -exponent)
	for i, x := range []float64{s.A, s.B, s.C, s.D} {
		if d := math.Abs(a.Data[i] - math.Ldexp(x, -exponent)); !(d <= allowed) {
			t.Fatalf("%v: element %d of %v is wrong by %g", m, i, s, d)
		}
	}
}
