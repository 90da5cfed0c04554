package invsqrt

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/numtest"
	"trnsci/core/precision"
	"trnsci/trnbackend/programs/programtest"
	"trnsci/trnbackend/programs/staging"
)

// byEigenvalues returns the inverse square root of a symmetric positive definite matrix by its eigenvalues in float64.
func byEigenvalues(t *testing.T, a dense.Matrix[float64]) dense.Matrix[float64] {
	t.Helper()
	n := a.Rows
	w, v, x := make([]float64, n), dense.New[float64](n, n), dense.New[float64](n, n)
	if _, err := eigen.Eigh(a.View(), w, v.View(), eigen.Options{}); err != nil {
		t.Fatal(err)
	}
	scaled := v.Clone()
	for i := range n {
		for j := range n {
			scaled.Set(i, j, scaled.At(i, j)/math.Sqrt(w[j]))
		}
	}
	blas.Gemm(nil, blas.NoTrans, blas.Trans, 1, scaled, v, 0, x)
	return x
}

// distance returns |X - Y|_2.
func distance(x, y dense.Matrix[float64]) float64 {
	off := x.Clone()
	for i := range off.Rows {
		for j := range off.Cols {
			off.Set(i, j, off.At(i, j)-y.At(i, j))
		}
	}
	return numtest.SpectralNorm(off)
}

// noCancel returns the check of a call that is not cancelled.
func noCancel(t *testing.T) *staging.CancelCheck {
	t.Helper()
	call, err := programtest.OnInterp(t).Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { call.End() })
	return staging.NewCancelCheck(call)
}

// hadamard returns V diag(d) V^T for the orthogonal V of order 2^k with elements +-2^(-k/2), k even: its eigenvectors
// are exact, and so is each element if it has few bits.
func hadamard(d []float64) dense.Matrix[float64] {
	n := len(d)
	a := dense.New[float64](n, n)
	for i := range n {
		for j := range n {
			sum := 0.0
			for l, v := range d {
				if bits.OnesCount(uint(i&l))%2 != bits.OnesCount(uint(j&l))%2 {
					v = -v
				}
				sum += v
			}
			a.Set(i, j, sum/float64(n))
		}
	}
	return a
}

// estimated has the figures of one matrix.
type estimated struct {
	condition, bound, off, norm float64
}

// check requires a bound above the error and not far above the size of rounding errors.
func (e estimated) check(t *testing.T, p precision.Precision, n int) {
	t.Helper()
	eps := p.Eps()
	t.Logf("%s, n = %d, condition %.0e: off by %.2g, the bound is %.2g", p, n, e.condition, e.off, e.bound)
	if !(e.off <= e.bound) {
		t.Errorf("%s, n = %d, condition %g: off by %g, the bound is %g", p, n, e.condition, e.off, e.bound)
	}
	// The limit of testInvSqrt for X A X - I, with a factor for the random vectors and the norms of X. The sums of n
	// terms that measure it in float64 have in addition their largest possible error, with n norms of rows.
	size := float64(n)
	limit := 8 * eps * (size + math.Sqrt(size)*e.condition) * e.norm
	if limit += 32 * size * size * dense.Eps[float64]() * e.condition * e.norm; !(e.bound <= limit) {
		t.Errorf("%s, n = %d, condition %g: the bound is %g, more than %g", p, n, e.condition, e.bound, limit)
	}
}

// Against eigenvalues in float64, whose errors are far below those of single precision.
func TestInvSqrtErrorIsWithinItsBound(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(61, 1))
	for _, p := range []precision.Precision{precision.FP32, precision.BF16x3, precision.BF16x2} {
		for _, n := range []int{1, 2, 17, 60} {
			for _, condition := range []float64{1, 10, 1e2, 1e3, 1e4, 1e5, 1e6} {
				for _, values := range spectra(n, condition) {
					a := rounded[float64](rounded[float32](numtest.WithSpectrum[float64](rng, values)))
					x, report, err := invSqrt(t, s, p, rounded[float32](a))
					eps := p.Eps()
					hard := eps*condition > 1e-3 // then a result is not required
					if failed := (*ConvergenceError)(nil); errors.As(err, &failed) && hard {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					want := byEigenvalues(t, a)
					off := distance(rounded[float64](x), want)
					estimated{condition, report.ErrorBound, off, numtest.SpectralNorm(want)}.check(t, p, n)
				}
			}
		}
	}
}

// In float64 against roots that are known exactly, of matrices of any scale.
func TestInvSqrtErrorOfDoublePrecision(t *testing.T) {
	const n = 16
	s := programtest.OnInterp(t)
	for _, scale := range []float64{1, 0x1p-200, 0x1p300} {
		for _, most := range []int{0, 2, 6, 10} { // condition 4^most
			d, roots := make([]float64, n), make([]float64, n)
			for i := range d {
				power := i % (most + 1)
				d[i], roots[i] = math.Ldexp(scale, 2*power), math.Ldexp(1/math.Sqrt(scale), -power)
			}
			want := hadamard(roots)
			x, report, err := invSqrt(t, s, precision.FP64, hadamard(d))
			if err != nil {
				t.Fatal(err)
			}
			estimated{math.Ldexp(1, 2*most), report.ErrorBound, distance(x, want), numtest.SpectralNorm(want)}.check(t,
				precision.FP64, n)
		}
	}
}

// TestRootErrorSeesErrors gives it roots with an error of known size.
func TestRootErrorSeesErrors(t *testing.T) {
	const n = 20
	rng := rand.New(rand.NewPCG(62, 1))
	check := noCancel(t)
	for _, condition := range []float64{1, 1e3, 1e6} {
		a := numtest.WithSpectrum[float64](rng, spectra(n, condition)["even"])
		exact := byEigenvalues(t, a)
		for _, relative := range []float64{1e-12, 1e-8, 1e-4} {
			x := exact.Clone()
			for i := range n {
				for j := range i + 1 {
					v := relative * rng.NormFloat64()
					x.Set(i, j, x.At(i, j)+v)
					x.Set(j, i, x.At(i, j))
				}
			}
			bound, _, err := rootError(check, a, x)
			if err != nil {
				t.Fatal(err)
			}
			if off := distance(x, exact); !(off <= bound) || math.IsInf(bound, 1) && relative*condition < 1e-4 {
				t.Errorf("condition %g: off by %g, the bound is %g", condition, off, bound)
			}
		}
	}
	// The mean of 32 squares of normal numbers, which times 64 is off^2, is 1 up to a few tenths.
	bound, off, err := rootError(check, dense.FromRows([]float64{1}), dense.FromRows([]float64{3}))
	if !math.IsInf(bound, 1) || !(4 < off && off < 16) || err != nil {
		t.Errorf("3 for the root of 1: |X A X - I| is about %g, the bound is %g, %v", off, bound, err)
	}
}

// Where rounding in float64 hides X A X - I, it is measured in twice the working precision. The matrix has an exact
// root of which one element is changed: then X A X - I is known up to the square of the change.
func TestRootErrorInTwiceTheDigits(t *testing.T) {
	const n, most, change = 64, 24, 0x1p-30 // condition 2^48; X has elements up to 2^24
	check := noCancel(t)
	d, roots := make([]float64, n), make([]float64, n)
	for i := range n {
		power := i % (most + 1)
		d[i], roots[i] = math.Ldexp(1, 2*power-2*most), math.Ldexp(1, most-power)
	}
	a, x := hadamard(d), hadamard(roots)
	bound, off, err := rootError(check, a, x)
	// The elements of both are exact, with at most 2 most + 6 bits behind the leading one, so that X A X is I.
	if err != nil || off > 1e-12 || !(bound <= 1e-10*math.Ldexp(1, most)) {
		t.Errorf("exact: |X A X - I| is about %g, the bound is %g: %v", off, bound, err)
	}
	want := x.Clone()
	x.Set(3, 3, x.At(3, 3)+change)
	bound, off, err = rootError(check, a, x)
	if err != nil || !(distance(x, want) <= bound) || !(bound <= 1e-8*math.Ldexp(1, most)) {
		t.Errorf("changed by %g: |X A X - I| is about %g, the bound is %g: %v", change, off, bound, err)
	}
}

// In single precision matrices of condition 1e12 are singular: there is no result, and the error says how far the best
// one is off.
func TestInvSqrtOfAMatrixThatIsSingularToThePrecision(t *testing.T) {
	for _, s := range programtest.OnEach(t) {
		rng := rand.New(rand.NewPCG(63, 1))
		for name, values := range spectra(30, 1e12) {
			a := rounded[float32](numtest.WithSpectrum[float64](rng, values))
			x, _, err := invSqrt(t, s, precision.FP32, a)
			var failed *ConvergenceError
			if !errors.As(err, &failed) || failed.Ended && !(failed.Off > 0.1) ||
				!strings.Contains(err.Error(), "singular to fp32") {
				t.Errorf("%s on %s: %v", name, s.Name(), err)
			}
			if x.At(0, 0) == x.At(0, 0) {
				t.Errorf("%s on %s: the result was written", name, s.Name())
			}
		}
	}
}
