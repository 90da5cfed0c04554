package compliance

import (
	"context"
	"errors"
	"slices"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

var (
	allTypes   = []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64}
	floatTypes = []graph.DType{graph.F32, graph.BF16, graph.F64}
)

// eachType runs a test for the types that the device has and skips those that it lacks.
func eachType(t *testing.T, e trnbackend.Executor, types []graph.DType, test func(t *testing.T, d graph.DType)) {
	for _, d := range types {
		t.Run(d.String(), func(t *testing.T) {
			needType(t, e, d)
			test(t, d)
		})
	}
}

func needType(t *testing.T, e trnbackend.Executor, types ...graph.DType) {
	t.Helper()
	caps := e.Caps()
	for _, d := range types {
		if !caps.Has(d) {
			t.Skipf("device %s has no type %s", e.Name(), d)
		}
	}
}

// testCaps requires that a device refuses what it lacks before any work.
func testCaps(t *testing.T, e trnbackend.Executor) {
	caps := e.Caps()
	if caps.Device != e.Name() || caps.Version == "" || caps.CacheKey == "" {
		t.Errorf("device %q calls itself %q, version %q, cache key %q", e.Name(), caps.Device, caps.Version,
			caps.CacheKey)
	}
	if !slices.ContainsFunc(caps.DTypes, graph.DType.IsFloat) {
		t.Errorf("no float among the types %v", caps.DTypes)
	}
	for _, d := range allTypes {
		if caps.Has(d) {
			continue
		}
		g := build(t, "refused", []array{vector(d, 0)},
			func(_ *graph.Builder, in []graph.Value) graph.Value { return in[0] })
		_, err := e.Compile(context.Background(), g)
		if u := (*trnbackend.UnsupportedError)(nil); !errors.As(err, &u) {
			t.Errorf("a graph of type %s, which the device lacks, gives the error %v", d, err)
		}
	}
}
