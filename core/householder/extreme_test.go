package householder

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

// anyNumber returns zero or a number of any exponent.
func anyNumber(rng *rand.Rand) float64 {
	if rng.IntN(6) == 0 {
		return 0
	}
	return math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1060)
}

func TestReflectorsAreOrthogonalAndEliminate(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	const tolerance = 16 * dense.EpsDouble
	for range 100000 {
		x := []float64{anyNumber(rng), anyNumber(rng), anyNumber(rng)}
		if rng.IntN(3) == 0 { // elements of one size
			x[1], x[2] = x[0]*rng.NormFloat64(), x[0]*rng.NormFloat64()
		}
		p, beta := New3(x[0], x[1], x[2])
		if (p.Tau == 0) != (x[1] == 0 && x[2] == 0) {
			t.Fatalf("%v: tau = %g", x, p.Tau)
		}
		checkReal3(t, x, []float64{1, p.V1, p.V2}, p.Tau, beta, tolerance)
		v := append([]float64{}, x...)
		beta, tau := Generate(v)
		if tau != 0 {
			checkReal3(t, x, v, tau, beta, tolerance)
		} else if x[1] != 0 || x[2] != 0 || beta != x[0] {
			t.Fatalf("%v was not reflected", x)
		}
	}
}

// checkReal3 verifies that I - tau v v^T is orthogonal, which means tau^2 v^T v = 2 tau, and maps x to beta e_1.
func checkReal3(t *testing.T, x, v []float64, tau, beta, tolerance float64) {
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

func TestReflectorsOfTwoRowsEliminate(t *testing.T) {
	for _, c := range [][2]complex128{
		{1, 1}, {0, 1i}, {1e-300, 1e-300i}, {1e300i, 1e300},
		{5e-324, 1}, {1, 5e-324}, {5e-324i, 5e-324}, {3 + 4i, -2 + 1i},
	} {
		r, beta := New2(c[0], c[1])
		scale := complex(SafeScale(max(cmplx.Abs(c[0]), cmplx.Abs(c[1]))), 0)
		x, y := c[0]*scale, c[1]*scale
		sum := x + cmplx.Conj(r.V)*y
		size := max(cmplx.Abs(x), cmplx.Abs(y))
		rounded := math.SmallestNonzeroFloat64 * real(scale) // beta may be subnormal
		first, second := x-r.T0*sum, y-r.T1*sum
		if !(cmplx.Abs(second) <= 8*dense.EpsDouble*size) ||
			!(cmplx.Abs(first-beta*scale) <= 8*dense.EpsDouble*size+rounded) {
			t.Errorf("(%v, %v) becomes (%v, %v)", c[0], c[1], first/scale, second/scale)
		}
		tau := real(r.T0)
		if !(cmplx.Abs(complex(tau, 0)*r.V-r.T1) <= 8*dense.EpsDouble) ||
			!(cmplx.Abs(complex(tau*(1+real(r.V*cmplx.Conj(r.V)))-2, 0)) <= 8*dense.EpsDouble) {
			t.Errorf("(%v, %v): the reflector %v is not unitary", c[0], c[1], r)
		}
	}
}
