package householder

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// Sizes of vectors, as powers of two, from subnormal to nearly overflowing.
func exponentsFor[W dense.Scalar]() []int {
	if dense.IsSingle[W]() {
		return []int{-149, -140, -126, -100, -81, -79, -40, 0, 40, 63, 64, 100, 120}
	}
	return []int{-1074, -1060, -1022, -961, -959, -900, -451, -449, -100, 0, 100, 499, 501, 600, 1000, 1018}
}

func random[W dense.Scalar](rng *rand.Rand, n int) []W {
	return numtest.Random[W](rng, 1, n).Row(0)
}

// times returns 2^exponent x, rounded to W.
func times[W dense.Scalar](x []W, exponent int) []W {
	out := make([]W, len(x))
	for i, v := range x {
		out[i] = dense.FromParts[W](math.Ldexp(dense.Real(v), exponent), math.Ldexp(dense.Imag(v), exponent))
	}
	return out
}

// wide returns 2^exponent x in double precision.
func wide[W dense.Scalar](x []W, exponent int) []complex128 {
	out := make([]complex128, len(x))
	for i, v := range x {
		out[i] = complex(math.Ldexp(dense.Real(v), exponent), math.Ldexp(dense.Imag(v), exponent))
	}
	return out
}

func norm(x []complex128) (norm float64) {
	for _, v := range x {
		norm = math.Hypot(norm, cmplx.Abs(v))
	}
	return norm
}

// reflect returns (I - tau v v^H) x.
func reflect(tau complex128, v, x []complex128) []complex128 {
	var product complex128
	for i, y := range v {
		product += cmplx.Conj(y) * x[i]
	}
	out := make([]complex128, len(x))
	for i, y := range v {
		out[i] = x[i] - tau*product*y
	}
	return out
}

// checkReflector checks that I - tau v v^H is unitary and maps x to beta times the unit vector of the given row, up to
// a multiple of eps and, for subnormal x, of the distance between numbers.
func checkReflector(
	t *testing.T, name string, tau complex128, v, x []complex128, beta complex128, row int, eps, spacing float64,
) {
	t.Helper()
	allowed := 4 * eps * float64(len(x)+4)
	square := norm(v) * norm(v)
	if defect := cmplx.Abs(tau*cmplx.Conj(tau))*square - 2*real(tau); math.Abs(defect)*square > allowed*4 {
		t.Errorf("%s: H^H H - I has norm %.1f eps", name, math.Abs(defect)*square/eps)
	}
	image := reflect(tau, v, x)
	image[row] -= beta
	if error, size := norm(image), norm(x); !(error <= allowed*size+float64(len(x))*spacing) {
		t.Errorf("%s: H x - beta e has %.1f eps |x|", name, error/size/eps)
	}
}

func TestGenerate(t *testing.T) {
	t.Run("float32", testGenerate[float32])
	t.Run("float64", testGenerate[float64])
	t.Run("complex64", testGenerate[complex64])
	t.Run("complex128", testGenerate[complex128])
}

func testGenerate[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 7, 40} {
		for _, exponent := range exponentsFor[W]() {
			x := times(random[W](rng, n), exponent)
			v := append([]W(nil), x...)
			beta, tau := Generate(v)
			if n == 1 {
				if tau != 0 || beta != x[0] {
					t.Errorf("order 1: beta %v, tau %v", beta, tau)
				}
				continue
			}
			if dense.Imag(beta) != 0 && tau != 0 {
				t.Errorf("beta %v is not real", beta)
			}
			if tau == 0 {
				v = make([]W, n) // meaningless
			} else if v[0] != 1 {
				t.Errorf("v begins with %v", v[0])
			}
			name := fmt.Sprintf("n = %d, 2^%d", n, exponent)
			spacing := dense.Eps[W]() * smallest[W]()
			checkReflector(t, name, cmplx.Conj(wide([]W{tau}, 0)[0]), wide(v, 0), wide(x, -exponent),
				wide([]W{beta}, -exponent)[0], 0, dense.Eps[W](), math.Ldexp(spacing, -exponent))
		}
	}
}

// smallest returns the smallest normal number.
func smallest[W dense.Scalar]() float64 {
	if dense.IsSingle[W]() {
		return 0x1p-126
	}
	return 0x1p-1022
}

func TestGenerateLeavesMultiplesOfTheFirstUnitVectorAlone(t *testing.T) {
	if beta, tau := Generate([]complex128{complex(3, 4), 0, 0}); beta != complex(3, 4) || tau != 0 {
		t.Errorf("beta %v, tau %v", beta, tau)
	}
	if beta, tau := Generate([]float64{0, 0}); beta != 0 || tau != 0 {
		t.Errorf("beta %v, tau %v", beta, tau)
	}
	if beta, tau := Generate([]float64{0, 5e-324}); math.Abs(beta) != 5e-324 || tau != 1 {
		t.Errorf("smallest number: beta %v, tau %v", beta, tau)
	}
}

func TestGenerateUnscaled(t *testing.T) {
	t.Run("float32", testUnscaled[float32, float32])
	t.Run("float64", testUnscaled[float64, float64])
	t.Run("complex64", testUnscaled[float32, complex64])
	t.Run("complex128", testUnscaled[float64, complex128])
}

func testUnscaled[R dense.Float, W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	taken := 0
	for _, n := range []int{2, 3, 7, 40} {
		for _, exponent := range exponentsFor[W]() {
			x := times(random[W](rng, n), exponent)
			before := append([]W(nil), x...)
			beta, tau, factor, ok := GenerateUnscaled[R](x)
			for i := range x {
				if x[i] != before[i] {
					t.Fatal("x has changed")
				}
			}
			if !ok {
				continue
			}
			taken++
			v := make([]complex128, n)
			v[0] = 1
			for i, y := range wide(x, 0)[1:] {
				v[i+1] = factor * y
			}
			checkReflector(t, fmt.Sprintf("n = %d, 2^%d", n, exponent), cmplx.Conj(wide([]W{tau}, 0)[0]), v, wide(x, -exponent),
				wide([]W{beta}, -exponent)[0], 0, dense.Eps[W](), 0)
		}
	}
	if taken < 8 {
		t.Errorf("only %d vectors had safe squares", taken)
	}
	for _, first := range []W{0, 1} {
		if _, _, _, ok := GenerateUnscaled[R]([]W{first, 0, 0}); ok {
			t.Errorf("a multiple %v of the unit vector was taken", first)
		}
	}
	// Squares that underflow or overflow in double precision are refused, and so are infinities and NaNs.
	for _, x := range []float64{0x1p-460, 0x1p501, math.Inf(1), math.NaN()} {
		if _, _, _, ok := GenerateUnscaled[float64]([]float64{x, x}); ok {
			t.Errorf("%v was taken", x)
		}
	}
}

func TestGenerateHermitian(t *testing.T) {
	t.Run("float64", testHermitian[float64])
	t.Run("complex128", testHermitian[complex128])
}

func testHermitian[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{2, 3, 7, 40} {
		for _, exponent := range exponentsFor[W]() {
			for _, first := range []W{1, 0, 0x1p-300} {
				x := random[W](rng, n)
				x[0] *= first
				x = times(x, exponent)
				if norm(wide(x[1:], 0)) == 0 {
					continue // the caller's task
				}
				v := append([]W(nil), x...)
				beta, tau := GenerateHermitian(v)
				spacing := dense.Eps[W]() * smallest[W]()
				checkReflector(t, fmt.Sprintf("n = %d, 2^%d", n, exponent), complex(tau, 0), wide(v, 0), wide(x, -exponent),
					wide([]W{beta}, -exponent)[0], 0, dense.Eps[W](), math.Ldexp(spacing, -exponent))
			}
		}
	}
}

func TestGenerateFromNorm(t *testing.T) {
	t.Run("float32", testGenerateFromNorm[float32])
	t.Run("float64", testGenerateFromNorm[float64])
	t.Run("complex64", testGenerateFromNorm[complex64])
	t.Run("complex128", testGenerateFromNorm[complex128])
}

func testGenerateFromNorm[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	least := 0x1p-960
	exponents := []int{-950, -460, -400, 0, 400, 500}
	if dense.IsSingle[W]() {
		least, exponents = 0x1p-110, []int{-105, -60, 0, 60, 100}
	}
	for _, n := range []int{1, 2, 3, 40} {
		for _, exponent := range exponents {
			x := times(random[W](rng, n), exponent)
			last := n - 1
			size := math.Ldexp(norm(wide(x[:last], -exponent)), exponent)
			tau, beta, factor := GenerateFromNorm(x[last], size, least)
			v := make([]complex128, n)
			for i, y := range wide(x[:last], 0) {
				v[i] = wide([]W{factor}, 0)[0] * y
			}
			v[last] = 1
			checkReflector(t, fmt.Sprintf("n = %d, 2^%d", n, exponent), cmplx.Conj(wide([]W{tau}, 0)[0]), v, wide(x, -exponent),
				complex(math.Ldexp(beta, -exponent), 0), last, dense.Eps[W](), 0)
		}
	}
	if tau, beta, _ := GenerateFromNorm[W](0, least/2, least); tau != 0 || beta != 0 {
		t.Errorf("below the least length: tau %v, beta %v", tau, beta)
	}
	if tau, beta, _ := GenerateFromNorm[W](3, 0, least); tau != 0 || beta != 3 {
		t.Errorf("nothing to eliminate: tau %v, beta %v", tau, beta)
	}
}

func TestNew3(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, exponent := range exponentsFor[float64]() {
		for _, zero := range []int{-1, 0, 1, 2} {
			x := random[float64](rng, 3)
			if zero >= 0 {
				x[zero] = 0
			}
			x = times(x, exponent)
			p, beta := New3(x[0], x[1], x[2])
			name := fmt.Sprintf("%v", x)
			checkReflector(t, name, complex(p.Tau, 0), []complex128{1, complex(p.V1, 0), complex(p.V2, 0)}, wide(x, -exponent),
				complex(math.Ldexp(beta, -exponent), 0), 0, dense.Eps[float64](), math.Ldexp(5e-324, -exponent))
			if math.Abs(p.T1-p.Tau*p.V1) > 1e-15 || math.Abs(p.T2-p.Tau*p.V2) > 1e-15 {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	if p, beta := New3(-2, 0, 0); p != (Reflector3{}) || beta != -2 {
		t.Errorf("%+v, beta %v", p, beta)
	}
	if p, _ := New3(1, 5e-324, 0); p == (Reflector3{}) {
		t.Error("the smallest number was not eliminated")
	}
}

func TestNew2(t *testing.T) {
	t.Run("complex64", testNew2[complex64])
	t.Run("complex128", testNew2[complex128])
}

func testNew2[W dense.Complex](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, exponent := range exponentsFor[W]() {
		for _, first := range []W{1, 0, dense.FromReal[W](0x1p-60)} {
			x := random[W](rng, 2)
			x[0] *= first
			x = times(x, exponent)
			r, beta := New2(x[0], x[1])
			spacing := math.Ldexp(dense.Eps[W]()*smallest[W](), -exponent)
			checkReflector(t, fmt.Sprintf("%v", x), complex128(r.T0), []complex128{1, complex128(r.V)}, wide(x, -exponent),
				wide([]W{beta}, -exponent)[0], 0, dense.Eps[W](), spacing)
			if x[1] == 0 {
				continue // underflow has made it the identity
			}
			if defect := cmplx.Abs(complex128(r.T1) - complex128(r.T0)*complex128(r.V)); defect > 4*dense.Eps[W]() {
				t.Errorf("%v: T1 differs by %v", x, defect)
			}
		}
	}
	if r, beta := New2(W(complex(0, 3)), 0); r != (Reflector2[W]{}) || beta != W(complex(0, 3)) {
		t.Errorf("%+v, beta %v", r, beta)
	}
}

// Equal squares, whose plain sum is off by some units in the last place, and mixed ones, against big.Float.
func TestExactSumSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	equal, mixed := make([]float64, 1000), make([]float64, 1000)
	for i := range equal {
		equal[i] = 1.0 / 3
		mixed[i] = math.Ldexp(rng.Float64(), rng.IntN(60))
	}
	for name, x := range map[string][]float64{"none": nil, "equal": equal, "mixed": mixed} {
		const bits = 400 // more than the exact sum has
		exact, v := new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits)
		for _, y := range x {
			v.SetFloat64(y)
			exact.Add(exact, v.Mul(v, v))
		}
		if want, _ := exact.Float64(); exactSumSquares(x) != want {
			t.Errorf("%s: %v, want %v", name, exactSumSquares(x), want)
		}
	}
}
