package mp2

import (
	"math/rand/v2"
	"testing"

	"trnsci/core/sched"
)

// benchmarkRestricted reports the arithmetic of the products for each second, of one thread.
func benchmarkRestricted(b *testing.B, nocc, nvir, naux int, precision Precision) {
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
		occ[n] = -1 - rng.Float64()
	}
	for n := range vir {
		vir[n] = 0.2 + rng.Float64()
	}
	team := sched.NewTeam(b.Context(), 1, nil)
	for b.Loop() {
		if _, err := Restricted(integrals, occ, vir, Options{Precision: precision, Team: team}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(Flops(nocc, nvir, naux)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
}

func BenchmarkSmall(b *testing.B)      { benchmarkRestricted(b, 16, 112, 384, PrecisionFP64) }
func BenchmarkSmallMixed(b *testing.B) { benchmarkRestricted(b, 16, 112, 384, PrecisionMixed) }
