package mp2

import (
	"math/rand/v2"
	"testing"

	"trnsci/core/sched"
)

// benchmarkSpin returns a closed shell with random integrals and energies like those of valence electrons.
func benchmarkSpin(b *testing.B, nocc, nvir, naux int) Spin {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]float64, nocc*nvir*naux)
	for n := range data {
		data[n] = rng.NormFloat64() / 100
	}
	integrals, err := NewIntegrals(data, LayoutIAP, nocc, nvir, naux)
	if err != nil {
		b.Fatal(err)
	}
	occ, vir := make([]float64, nocc), make([]float64, nvir)
	for n := range occ {
		occ[n] = -0.5 - rng.Float64()
	}
	for n := range vir {
		vir[n] = 0.1 + 4*rng.Float64()
	}
	return Spin{Source: integrals, Occ: occ, Vir: vir}
}

// benchmarkRestricted reports the arithmetic of the products for each second, of one thread.
func benchmarkRestricted(b *testing.B, nocc, nvir, naux int, precision Precision) {
	s := benchmarkSpin(b, nocc, nvir, naux)
	team := sched.NewTeam(b.Context(), 1, nil)
	for b.Loop() {
		if _, err := Restricted(s.Source, s.Occ, s.Vir, Options{Precision: precision, Team: team}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(Flops(nocc, nvir, naux)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
}

func BenchmarkSmall(b *testing.B)      { benchmarkRestricted(b, 16, 112, 384, PrecisionFP64) }
func BenchmarkSmallMixed(b *testing.B) { benchmarkRestricted(b, 16, 112, 384, PrecisionMixed) }

// BenchmarkOppositeSpin is to be compared with BenchmarkMedium, which has the same integrals.
func BenchmarkOppositeSpin(b *testing.B) {
	s := benchmarkSpin(b, 32, 224, 768)
	team := sched.NewTeam(b.Context(), 1, nil)
	for b.Loop() {
		r, err := OppositeSpin(1e-7, Options{Team: team}, s)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Points), "points")
		b.ReportMetric(float64(r.Single), "single")
	}
}

func BenchmarkMedium(b *testing.B) { benchmarkRestricted(b, 32, 224, 768, PrecisionFP64) }
