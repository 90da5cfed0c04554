//go:build !race

package dfjk

import (
	"math/rand/v2"
	"testing"
)

// Not under the race detector, with which the packing memory of products is often thrown away and allocated anew.
func TestWorkspaceHoldsWhatIsAllocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	const naux, nao = 64, 60
	l, kinds := random(rng, naux, pairsOf(nao)), everyKind(rng, nao)
	function, _ := handedOut(l)
	opt := Options{Team: team(2)}
	bound, err := Workspace(function, kinds, opt)
	if err != nil {
		t.Fatal(err)
	}
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Compute(function, kinds, opt); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	// Comparisons of orbitals with densities take turns; the headers of slices and the like are not counted.
	if slack := int64(len(kinds)*nao*nao*8 + 100_000); got > bound+slack {
		t.Errorf("%d bytes allocated, %d announced", got, bound)
	}
}
