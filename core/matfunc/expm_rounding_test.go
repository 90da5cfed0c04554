package matfunc

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// newExponentialOf returns the state of an Expm call for a.
func newExponentialOf[T dense.Scalar](a dense.Matrix[T]) *exponential[T] {
	e := newExponential[T](nil, a.Rows)
	e.a.CopyFrom(a)
	e.norm = infinityNorm(e.a)
	return e
}

// The spectral norm of c (I - 2 v v^H) + b v v^H with |v| = 1 and b > 2 c is b - c.
func TestSpectralNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 1))
	for _, n := range []int{1, 2, 5, 40} {
		const c, b = 1, 4
		v := numtest.Random[complex128](rng, n, 1)
		length := numtest.FrobeniusNorm(v)
		a := dense.New[complex128](n, n)
		for i := range n {
			for j := range n {
				a.Set(i, j, (b-2*c)*v.Data[i]*dense.Conj(v.Data[j])/complex(length*length, 0))
			}
			a.Set(i, i, a.At(i, i)+c)
		}
		if got, want := newExponentialOf(a).spectralNorm(), float64(b-c); !(got <= want*(1+1e-12) && got >= 0.95*want) {
			t.Errorf("n = %d: estimate %g, want %g", n, got, want)
		}
	}
	// The large singular values of a random matrix are close; for unit variance the largest is near 2 sqrt(n).
	const n = 200
	a := numtest.Random[float64](rng, n, n)
	want := 2 * numtest.FrobeniusNorm(a) / math.Sqrt(n)
	if got := newExponentialOf(a).spectralNorm(); !(got <= 1.1*want && got >= 0.85*want) {
		t.Errorf("random: %g, expected about %g", got, want)
	}
	if got := newExponentialOf(dense.New[float64](3, 3)).spectralNorm(); got != 0 {
		t.Errorf("zero: %g", got)
	}
}

// ofPower gives the same rounded answer as the norm of the power itself, whatever the order of the calls.
func TestPowersOfModuli(t *testing.T) {
	rng := rand.New(rand.NewPCG(68, 1))
	nilpotent := dense.FromRows([]float64{0, 3, -1, 2}, []float64{0, 0, 5, 1}, []float64{0, 0, 0, -7},
		[]float64{0, 0, 0, 0})
	for _, a := range []dense.Matrix[float64]{numtest.Random[float64](rng, 9, 9),
		dense.FromRows([]float64{1, 1e6}, []float64{0, -1}), nilpotent} {
		moduli, power := dense.New[float64](a.Rows, a.Rows), dense.New[float64](a.Rows, a.Rows)
		setModuli(moduli, a)
		power.SetIdentity()
		norms := []float64{1}
		for range 27 {
			next := dense.New[float64](a.Rows, a.Rows)
			blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, moduli, power, 0, next)
			power = next
			norms = append(norms, infinityNorm(power))
		}
		e := newExponentialOf(a)
		for _, p := range []int{7, 3, 27, 11, 19, 2} {
			answer := func(logNorm float64) float64 { return math.Ceil(logNorm/3 - 0.1234) }
			if got, want := e.moduli.ofPower(e, p, answer), answer(math.Log2(norms[p])); got != want {
				t.Errorf("order %d, power %d: %g, not %g", a.Rows, p, got, want)
			}
		}
	}
}

// A matrix A with random signs is not scaled, although the norm of |A| is large. A matrix whose spectral norm is large,
// too, is scaled even if its square is zero.
func TestScalingAgainstRoundingErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(69, 1))
	const n = 100
	a := numtest.Random[float64](rng, n, n)
	norm := numtest.FrobeniusNorm(a)
	for i := range a.Data {
		a.Data[i] *= 2 * math.Sqrt(n) / norm
	}
	if e := newExponentialOf(a); e.leastScaling(highestDegree) > 0 {
		t.Errorf("random signs: %g halvings", e.leastScaling(highestDegree))
	}
	// For A = [1 1; -1 -1] the norm of |A|^k is 2^k; A has the spectral norm 2 and the square 0.
	b := dense.FromRows([]float64{1e6, 1e6}, []float64{-1e6, -1e6})
	if e := newExponentialOf(b); e.leastScaling(highestDegree) < 15 {
		t.Errorf("cancellation: %g halvings", e.leastScaling(highestDegree))
	}
}
