package mp2

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend/programs/programtest"
)

// The bound holds for integrals of all magnitudes, and is not far too large.
func TestMP2Bound(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(50, 1))
	for _, p := range []precision.Precision{precision.FP32, precision.BF16, precision.BF16x2, precision.BF16x3} {
		least := math.Inf(1)
		for range 12 {
			spin := randomSpin[float64](rng, "", 1+rng.IntN(4), 1+rng.IntN(9), 1+rng.IntN(30))
			b := spin.Source.(mp2.Integrals[float64])
			for n := range b.Data {
				b.Data[n] *= math.Exp(2 * rng.NormFloat64())
			}
			got, _ := onDevice(t, s, p, spin)
			want := onHost(t, spin)
			off := math.Abs(got.OppositeSpin-want.OppositeSpin) + math.Abs(got.SameSpin-want.SameSpin)
			if !(off <= got.ErrorBound) {
				t.Errorf("%s: off by %g, the bound is %g", p, off, got.ErrorBound)
			}
			least = math.Min(least, got.ErrorBound/off)
		}
		if least > 1e4 {
			t.Errorf("%s: the bound is never less than %g times the error", p, least)
		}
	}
}

// Orbitals that are dropped by a huge energy and rows of zeros hardly change the bound.
func TestMP2OfDroppedOrbitals(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(57, 1))
	for _, p := range []precision.Precision{precision.FP64, precision.FP32, precision.BF16x3} {
		for _, gap := range []bool{true, false} {
			alpha, beta := randomSpin[float64](rng, "alpha", 3, 4, 6), randomSpin[float64](rng, "beta", 2, 4, 6)
			if !gap {
				alpha.Occ[0] = alpha.Vir[1] + 0.1
			}
			want, _ := onDevice(t, s, p, alpha, beta)
			for _, energy := range []float64{1e15, 1e30} {
				a, b := withDropped(alpha, energy), withDropped(beta, energy)
				got, _ := onDevice(t, s, p, a, b)
				checkEnergy(t, string(p), got, onHost(t, a, b), 10*limits[p])
				if !(got.ErrorBound <= 3*want.ErrorBound) {
					t.Errorf("%s, %g: bound %g, without dropped orbitals %g", p, energy, got.ErrorBound,
						want.ErrorBound)
				}
			}
		}
	}
}

// withDropped returns a spin with one more virtual orbital, whose rows are zero.
func withDropped(s mp2.Spin, energy float64) mp2.Spin {
	from := s.Source.(mp2.Integrals[float64])
	to := from
	to.Nvir++
	to.StrideI += to.StrideA
	to.Data = make([]float64, to.Nocc*to.StrideI)
	for i := range from.Nocc {
		copy(to.Data[i*to.StrideI:], from.Data[i*from.StrideI:(i+1)*from.StrideI])
	}
	s.Source, s.Vir = to, append(append([]float64{}, s.Vir...), energy)
	return s
}
