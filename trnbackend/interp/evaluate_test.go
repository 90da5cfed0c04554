package interp

import (
	"slices"
	"testing"

	"trnsci/trnbackend/graph"
)

func TestEveryOperationIsComputed(t *testing.T) {
	if len(computations) != len(graph.Ops()) {
		t.Fatalf("%d computations for %d operations", len(computations), len(graph.Ops()))
	}
	shared := []graph.Op{graph.Parameter, graph.Constant, graph.Reshape}
	for _, op := range graph.Ops() {
		if (computations[op] == nil) != slices.Contains(shared, op) {
			t.Errorf("%s: computed %t", op, computations[op] != nil)
		}
	}
}
