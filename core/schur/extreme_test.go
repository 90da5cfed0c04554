package schur

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// scaledBy returns 2^shift a.
func scaledBy(a dense.Matrix[float64], shift int) dense.Matrix[float64] {
	s := a.Clone()
	for i, x := range s.Data {
		s.Data[i] = math.Ldexp(x, shift)
	}
	return s
}

// subnormalUnits returns the backward error, in the units of numtest, that comes from rounding every element of the form
// of a to a multiple of the smallest subnormal number.
func subnormalUnits(a dense.Matrix[float64]) float64 {
	norm := numtest.FrobeniusNorm(a)
	if norm == 0 {
		return 0
	}
	const divisor = 8 // the smallest m of the residual
	return float64(a.Rows) * (math.SmallestNonzeroFloat64 / norm) / (divisor * eps)
}

func TestPowersOfTwoScaleTheResult(t *testing.T) {
	j := &judge{T: t}
	for name, f := range map[string]solver{"Schur": Schur[float64], "Hessenberg": Hessenberg[float64]} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(1, 3)), 30, 30)
		form, factor := j.solve(name, f, a)
		for _, shift := range []int{-900, -60, 1, 300, 390} {
			scaledForm, sameFactor := j.solve(name, f, scaledBy(a, shift))
			for i, x := range form.Data {
				if scaledForm.Data[i] != math.Ldexp(x, shift) || sameFactor.Data[i] != factor.Data[i] {
					t.Fatalf("%s: scaling by 2^%d changes more than the size", name, shift)
				}
			}
		}
	}
}

func TestNormsFromSubnormalToNearOverflow(t *testing.T) {
	j := &judge{T: t}
	for _, f := range numtest.GeneralFamilies() {
		for _, size := range []float64{5e-324, 1e-320, 1e-310, 1e-300, 1e-150, 1e150, 1e300, 1e306} {
			const n = 20
			a := f.Make(rand.New(rand.NewPCG(5, 7)), n)
			largest := 0.0
			for _, x := range a.Data {
				largest = max(largest, math.Abs(x))
			}
			for i := range a.Data {
				if a.Data[i] != 0 {
					a.Data[i] = a.Data[i] / largest * size
				}
			}
			j.check(fmt.Sprintf("%s of size %g", f.Name, size), a, subnormalUnits(a))
		}
	}
}

func TestLargestNumbers(t *testing.T) {
	const huge = math.MaxFloat64
	j := &judge{T: t}
	a := dense.FromRows([]float64{huge, 0, 0}, []float64{0, 0, -huge}, []float64{0, huge, 0})
	form, _ := j.solve("rotation", Schur[float64], a)
	if d := distance([]complex128{huge, complex(0, huge), complex(0, -huge)}, Eigenvalues(form.View())); !(d <= 2*eps*huge) {
		t.Errorf("the largest numbers come back as %v", Eigenvalues(form.View()))
	}
	// The eigenvalue of this one is twice the largest number; its Hessenberg form is itself.
	ones := dense.FromRows([]float64{huge, huge}, []float64{huge, huge})
	var e *dense.ArgumentError
	if err := Schur(ones.View(), poisoned(2).View(), poisoned(2).View(), Options{}); !errors.As(err, &e) || e.Arg != "a" {
		t.Errorf("overflow of T: got %v", err)
	}
	if h, _ := j.solve("ones", Hessenberg[float64], ones); h.At(1, 0) != huge {
		t.Errorf("a Hessenberg matrix of huge elements was changed: %v", h)
	}
}

// wild returns a matrix of order n with a random share of zeros whose other elements are spread over span powers of two,
// maybe symmetric or skew-symmetric.
func wild(rng *rand.Rand, n, span int) dense.Matrix[float64] {
	const lowest, highest = -1080, 1010
	a := dense.New[float64](n, n)
	center, zeros := lowest+rng.IntN(highest-lowest), rng.Float64()
	for i := range a.Data {
		if rng.Float64() < zeros {
			continue
		}
		exponent := min(max(center+rng.IntN(span)-span/2, lowest), highest)
		a.Data[i] = math.Ldexp(rng.NormFloat64(), exponent)
	}
	sign := float64(rng.IntN(3) - 1)
	for i := range n {
		for j := 0; j < i && sign != 0; j++ {
			a.Set(i, j, sign*a.At(j, i))
		}
		if sign < 0 {
			a.Set(i, i, 0)
		}
	}
	return a
}

func TestElementsOfAllSizes(t *testing.T) {
	j := &judge{T: t}
	rng := rand.New(rand.NewPCG(8, 9))
	for trial := range 20000 {
		span := []int{1, 10, 100, 1000, 2000}[rng.IntN(5)]
		a := wild(rng, 1+rng.IntN(12), span)
		j.check(fmt.Sprintf("trial %d, n = %d, span %d", trial, a.Rows, span), a, subnormalUnits(a))
	}
}

// anyNumber returns zero or a number of any exponent.
func anyNumber(rng *rand.Rand) float64 {
	if rng.IntN(6) == 0 {
		return 0
	}
	return math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1060)
}

func TestReflectorsAreOrthogonalAndEliminate(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	const tolerance = 16 * eps
	for range 100000 {
		x := []float64{anyNumber(rng), anyNumber(rng), anyNumber(rng)}
		if rng.IntN(3) == 0 { // elements of one size
			x[1], x[2] = x[0]*rng.NormFloat64(), x[0]*rng.NormFloat64()
		}
		p, beta := newReflector(x[0], x[1], x[2])
		if (p.tau == 0) != (x[1] == 0 && x[2] == 0) {
			t.Fatalf("%v: tau = %g", x, p.tau)
		}
		checkReflector(t, x, []float64{1, p.v1, p.v2}, p.tau, beta, tolerance)
		v := append([]float64{}, x...)
		beta, tau := householder(v)
		if tau != 0 {
			checkReflector(t, x, v, tau, beta, tolerance)
		} else if x[1] != 0 || x[2] != 0 || beta != x[0] {
			t.Fatalf("%v was not reflected", x)
		}
	}
}

// checkReflector verifies that I - tau v v^T is orthogonal, which means tau^2 v^T v = 2 tau, and maps x to beta e_1.
func checkReflector(t *testing.T, x, v []float64, tau, beta, tolerance float64) {
	t.Helper()
	vv := v[0]*v[0] + v[1]*v[1] + v[2]*v[2]
	if !(math.Abs(tau*(tau*vv-2)) <= tolerance) {
		t.Fatalf("%v: not orthogonal, tau = %g, v = %v", x, tau, v)
	}
	_, exponent := math.Frexp(max(math.Abs(x[0]), math.Abs(x[1]), math.Abs(x[2])))
	y := [3]float64{}
	for i := range y {
		y[i] = math.Ldexp(x[i], -exponent)
	}
	s := tau * (v[0]*y[0] + v[1]*y[1] + v[2]*y[2])
	target := [3]float64{math.Ldexp(beta, -exponent)}
	// beta is a multiple of the smallest subnormal number.
	allowed := tolerance + math.Ldexp(math.SmallestNonzeroFloat64, -exponent)
	for i := range y {
		if !(math.Abs(y[i]-s*v[i]-target[i]) <= allowed) {
			t.Fatalf("%v: element %d of the reflection is wrong by %g", x, i, y[i]-s*v[i]-target[i])
		}
	}
}

func TestStandardizedBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	for range 100000 {
		m := block2{anyNumber(rng), anyNumber(rng), anyNumber(rng), anyNumber(rng)}
		switch rng.IntN(4) {
		case 0: // elements of one size
			m.b, m.c, m.d = m.a*rng.NormFloat64(), m.a*rng.NormFloat64(), m.a*rng.NormFloat64()
		case 1: // nearly a double eigenvalue
			m.d, m.b, m.c = m.a*(1+eps), m.a*rng.NormFloat64(), m.a*eps*rng.NormFloat64()
		}
		s, g := m.standardize()
		if !(math.Abs(g.cs*g.cs+g.sn*g.sn-1) <= 8*eps) {
			t.Fatalf("%v: the rotation %v is not orthogonal", m, g)
		}
		// A second pass repairs what underflowed; its rotation is an exact exchange.
		repaired, h := s.standardize()
		if !repaired.isStandard() || (!h.isIdentity() && h != rotation{0, 1}) {
			t.Fatalf("%v: %v and then %v, %v", m, s, repaired, h)
		}
		checkRotated(t, m, s, g)
	}
}

// checkRotated verifies s = G m G^T.
func checkRotated(t *testing.T, m, s block2, g rotation) {
	t.Helper()
	largest := max(math.Abs(m.a), math.Abs(m.b), math.Abs(m.c), math.Abs(m.d))
	_, exponent := math.Frexp(largest)
	a := dense.FromRows([]float64{math.Ldexp(m.a, -exponent), math.Ldexp(m.b, -exponent)}, []float64{math.Ldexp(m.c, -exponent), math.Ldexp(m.d, -exponent)})
	rotateRows(g, a.Row(0), a.Row(1))
	rotateColumns(g, a, 0, 2)
	allowed := 16*eps + math.Ldexp(math.SmallestNonzeroFloat64, -exponent)
	for i, x := range []float64{s.a, s.b, s.c, s.d} {
		if d := math.Abs(a.Data[i] - math.Ldexp(x, -exponent)); !(d <= allowed) {
			t.Fatalf("%v: element %d of %v is wrong by %g", m, i, s, d)
		}
	}
}
