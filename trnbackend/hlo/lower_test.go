package hlo

import (
	"testing"

	"trnsci/trnbackend/graph"
)

func TestEveryOperationHasAnEmitter(t *testing.T) {
	if len(emitters) != len(graph.Ops()) {
		t.Fatalf("%d emitters for %d operations", len(emitters), len(graph.Ops()))
	}
	for _, op := range graph.Ops() {
		if emitters[op].opcode == "" {
			t.Errorf("%s has no opcode", op)
		}
	}
}
