//go:build !race

package dfjk

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"trnsci/core/packed"
)

// Not under the race detector, with which the packing memory of products is often thrown away and allocated anew. A collection of garbage
// does the same, so that there is none here.
func TestWorkspaceHoldsWhatIsAllocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	const naux, nao = 64, 60
	l, kinds := random(rng, naux, packed.Pairs(nao)), everyKind(rng, nao)
	function, _ := handedOut(l)
	opt := Options{Team: team(2)}
	bound, err := Workspace(function, kinds, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := uint64(1 << 62)
	for range 5 { // one of which finds all packing memory where it looks for it
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Compute(function, kinds, opt); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	// Comparisons of orbitals with densities take turns; the headers of slices and the like are not counted.
	slack := int64(len(kinds)*nao*nao*8 + 100_000)
	if got := int64(least); got > bound+slack || got < bound-slack {
		t.Errorf("%d bytes allocated, %d announced", got, bound)
	}
}
