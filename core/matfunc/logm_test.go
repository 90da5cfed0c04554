package matfunc

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func TestLogmAndPower(t *testing.T) {
	t.Run("float32", testLogmAndPower[float32, complex64])
	t.Run("float64", testLogmAndPower[float64, complex128])
	t.Run("complex64", testLogmAndPower[complex64, complex64])
	t.Run("complex128", testLogmAndPower[complex128, complex128])
}

// The logarithm of A = exp(B) is B, since the imaginary parts of B's eigenvalues are below pi, and the powers of A are
// exponentials of multiples of B.
func testLogmAndPower[T dense.Scalar, C dense.Complex](t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	worstLog, worstPower := 0.0, 0.0
	for _, n := range []int{1, 2, 3, 6} {
		for _, radius := range []float64{1e-8, 1e-3, 0.1, 0.8, 2} {
			for _, triangle := range []bool{false, true} {
				b := shifted[float64](rng, n, radius, 0)
				if triangle {
					for i := range n {
						clear(b.Row(i)[:i])
					}
				}
				exact := preciseExp(b)
				a := dense.New[T](n, n)
				dense.Copy(a.View(), exact.View())
				unit := dense.Eps[T]() * float64(max(n,
					8)) * numtest.FrobeniusNorm(exact) * numtest.FrobeniusNorm(preciseExp(negative(b)))
				x, o := evaluate(t, Logm[T, C], a)
				r := distanceOf(widened(x), widened(b)) / unit
				worstLog = max(worstLog, r)
				if !(r < 1) || o.Complex != dense.IsComplex[T]() {
					t.Errorf("n = %d, radius %g: error %g of the logarithm, %+v", n, radius, r, o)
				}
				for _, p := range []float64{0.5, 1.0 / 3, -0.7, 2.3, -1.1} {
					y, o := evaluate(t, powerOf[T, C](p), a)
					want := preciseExp(multiple(b, p))
					r := distanceOf(widened(y), want) / (unit * numtest.FrobeniusNorm(want) * max(1, math.Abs(p)))
					worstPower = max(worstPower, r)
					if !(r < 1) || o.Complex != dense.IsComplex[T]() {
						t.Errorf("n = %d, radius %g, p = %g: error %g, %+v", n, radius, p, r, o)
					}
				}
			}
		}
	}
	t.Logf("largest errors: logarithm %.2g, power %.2g", worstLog, worstPower)
}

func negative(b dense.Matrix[float64]) dense.Matrix[float64] { return multiple(b, -1) }

func multiple(b dense.Matrix[float64], p float64) dense.Matrix[float64] {
	m := b.Clone()
	for i := range m.Data {
		m.Data[i] *= p
	}
	return m
}

// Larger matrices: the exponential of the logarithm and products of powers reproduce the matrix.
func TestLogmAndPowerOfLargerMatrices(t *testing.T) {
	for _, n := range []int{20, 65, 130} {
		for _, center := range []float64{0, 1.4} {
			a := shifted[float64](rand.New(rand.NewPCG(74, uint64(n))), n, 1, center)
			wide := widened(a)
			unit := 0x1p-52 * float64(n) * numtest.FrobeniusNorm(wide)
			x, o := evaluate(t, Logm[float64, complex128], a)
			size := numtest.FrobeniusNorm(x)
			if r := distanceOf(expm(t, x), wide) / (unit * size); !(r < 20) || center > 0 && o.Complex {
				t.Errorf("n = %d, center %g: residual %g of the logarithm, %+v", n, center, r, o)
			}
			y, _ := evaluate(t, powerOf[float64, complex128](0.4), a)
			z, _ := evaluate(t, powerOf[float64, complex128](0.6), a)
			scale := numtest.FrobeniusNorm(y) * numtest.FrobeniusNorm(z) / numtest.FrobeniusNorm(wide)
			if r := distanceOf(product(y, z), wide) / (unit * scale); !(r < 20) {
				t.Errorf("n = %d, center %g: residual %g of the powers", n, center, r)
			}
		}
	}
}

func TestKnownLogarithms(t *testing.T) {
	cases := []struct {
		name    string
		a, want dense.Matrix[complex128]
	}{
		{"minus one", dense.FromRows([]complex128{-1}), dense.FromRows([]complex128{complex(0, math.Pi)})},
		{"identity", dense.FromRows([]complex128{1, 0}, []complex128{0, 1}), dense.New[complex128](2, 2)},
		{"Jordan block", dense.FromRows([]complex128{2, 1}, []complex128{0, 2}),
			dense.FromRows([]complex128{math.Ln2, 0.5}, []complex128{0, math.Ln2})},
		{"both sides of the axis", dense.FromRows([]complex128{complex(-1, 1e-9), 1},
			[]complex128{0, complex(-1, -1e-9)}),
			// The divided difference of the logarithm is (-2 pi i + 2e-9 i) / (-2e-9 i).
			dense.FromRows([]complex128{complex(0, math.Pi-1e-9), math.Pi*1e9 - 1},
				[]complex128{0, complex(0, -math.Pi+1e-9)})},
		{"subnormal", dense.FromRows([]complex128{0x1p-1030, 0x1p-1030}, []complex128{0, 0x1p-1029}),
			dense.FromRows([]complex128{-1030 * math.Ln2, math.Ln2}, []complex128{0, -1029 * math.Ln2})},
		{"subnormal and not", dense.FromRows([]complex128{0x1p-1030, 0}, []complex128{0, 2}),
			dense.FromRows([]complex128{-1030 * math.Ln2, 0}, []complex128{0, math.Ln2})},
		{"rotation", dense.FromRows([]complex128{0, 1}, []complex128{-1, 0}),
			dense.FromRows([]complex128{0, math.Pi / 2}, []complex128{-math.Pi / 2, 0})},
	}
	for _, c := range cases {
		x, _ := evaluate(t, Logm[complex128, complex128], c.a)
		if r := distanceOf(x, c.want); !(r <= 40*0x1p-52*max(1, numtest.FrobeniusNorm(c.want))) {
			t.Errorf("%s: %v, not %v", c.name, x.Data, c.want.Data)
		}
	}
}

// The nodes and weights integrate polynomials of degree 2m - 1 exactly.
func TestGaussLegendre(t *testing.T) {
	for m := 1; m <= highestRootDegree; m++ {
		nodes, weights := gaussLegendre(m)
		for degree := range 2 * m {
			sum := 0.0
			for k, x := range nodes {
				sum += weights[k] * math.Pow(x, float64(degree))
			}
			if want := 1 / float64(degree+1); math.Abs(sum-want) > 8*0x1p-52 {
				t.Errorf("%d points: the integral of x^%d is %g, not %g", m, degree, sum, want)
			}
		}
	}
}

func TestIntegerPower(t *testing.T) {
	fibonacci := dense.FromRows([]float64{1, 1}, []float64{1, 0})
	for k, want := range map[int64][]float64{
		0: {1, 0, 0, 1}, 1: {1, 1, 1, 0}, 2: {2, 1, 1, 1}, 10: {89, 55, 55, 34}, 50: {20365011074, 12586269025,
			12586269025, 7778742049},
		-1: {0, 1, 1, -1}, -10: {34, -55, -55, 89},
	} {
		x := dense.New[float64](2, 2)
		if err := IntegerPower(nil, fibonacci.View(), k, x.View()); err != nil {
			t.Fatal(err)
		}
		for i, v := range x.Data {
			if math.Abs(v-want[i]) > 1e-13*math.Abs(want[i]) {
				t.Errorf("power %d: %v, not %v", k, x.Data, want)
				break
			}
		}
	}
	var singular *factor.SingularError
	if err := IntegerPower(nil, dense.New[float32](2, 2).View(), -3, dense.New[float32](2, 2).View()); !errors.As(err,
		&singular) {
		t.Errorf("zero to the power -3: %v", err)
	}
}

// atanh(z)/z is 1 + z^2/3 + z^4/5 + ... for z of every size in the unit disk.
func TestInverseHyperbolicTangent(t *testing.T) {
	for _, size := range []float64{1e-300, 1e-20, 1e-9, 1e-4, 0.1, 0.5} {
		for _, direction := range []complex128{1, -1, 1i, -1i, 0.6 + 0.8i, -0.8 + 0.6i} {
			z := complex(size, 0) * direction
			series, power := complex(1, 0), complex(1, 0)
			for k := 1; k < 40; k++ {
				power *= z * z
				series += power / complex(float64(2*k+1), 0)
			}
			if r := cmplx.Abs(atanh(z)/z - series); !(r <= 1e-15) {
				t.Errorf("z = %v: relative error %g", z, r)
			}
		}
	}
}

// If rounding errors split the double eigenvalue l of a Jordan block, its logarithm is still accurate to all digits:
// log(l) on the diagonal and 1/l above it.
func TestLogarithmForCloseEigenvalues(t *testing.T) {
	for _, gap := range []float64{0, 0x1p-50, 1e-12, 1e-9, 1e-6} {
		a := dense.FromRows([]float64{2, 1}, []float64{0, 2 + gap})
		x := dense.New[complex128](2, 2)
		if _, err := Logm(nil, a.View(), x.View()); err != nil {
			t.Fatal(err)
		}
		distance := a.At(1, 1) - 2
		want := 0.5 - distance/8 + distance*distance/24 // (log(2 + d) - log(2)) / d
		if r := cmplx.Abs(x.At(0, 1) - complex(want, 0)); !(r <= 2e-16) {
			t.Errorf("gap %g: %v above the diagonal, error %g", gap, x.At(0, 1), r)
		}
	}
}

// Functions of matrices stop soon after they are cancelled.
func TestFunctionsStopWhenCancelled(t *testing.T) {
	const n = 160
	rng := rand.New(rand.NewPCG(91, 7))
	a, h, x := shifted[float64](rng, n, 1, 2), dense.New[float64](n, n), dense.New[complex128](n, n)
	for i := range n {
		for j := range n {
			h.Set(i, j, a.At(i, j)+a.At(j, i))
		}
		h.Set(i, i, 8*n)
	}
	triangle, unitary := numtest.Random[complex128](rng, n, n), dense.New[complex128](n, n)
	unitary.SetIdentity()
	values := make([]complex128, n)
	for i := range n {
		clear(triangle.Row(i)[:i])
		triangle.Set(i, i, complex(float64(i), 0))
		values[i] = cmplx.Sqrt(complex(float64(i), 0))
	}
	for name, call := range map[string]func(team *sched.Team) error{
		"Expm":  func(team *sched.Team) error { return Expm(team, a.View(), dense.New[float64](n, n).View()) },
		"Sqrtm": func(team *sched.Team) error { _, err := Sqrtm(team, a.View(), x.View()); return err },
		"Logm":  func(team *sched.Team) error { _, err := Logm(team, a.View(), x.View()); return err },
		"Power": func(team *sched.Team) error { _, err := Power(team, a.View(), 0.3, x.View()); return err },
		"Signm": func(team *sched.Team) error { _, err := Signm(team, a.View(), x.View()); return err },
		"Parlett": func(team *sched.Team) error {
			_, err := Parlett(team, triangle.View(), unitary.View(), values, x.View())
			return err
		},
		"IntegerPower": func(team *sched.Team) error {
			return IntegerPower(team, a.View(), -13, dense.New[float64](n, n).View())
		},
	} {
		limits := schedtest.Limits{}
		if name == "Power" {
			limits.Reports = 5 // two triangular products and their phases of progress may end before the next check
		}
		t.Run(name, func(t *testing.T) { schedtest.Cancel(t, limits, call) })
	}
}
