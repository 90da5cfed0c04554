package graph_test

import (
	"math"
	"testing"

	"trnsci/trnbackend/graph"
)

func TestShapesThatNoMemoryHoldsAreRefused(t *testing.T) {
	for _, s := range []graph.Shape{
		graph.Of(graph.F32, -1), graph.Of(graph.F32, math.MaxInt), graph.Of(graph.F32, 1<<48,
			1<<48), graph.Of(graph.F32, 0, 1<<40, 1<<40),
		graph.Of(graph.DType(200), 1),
	} {
		if s.Check() == nil {
			t.Errorf("dimensions %v of type %d are accepted", s.Dims, s.DType)
		}
		b := graph.NewBuilder("large")
		if b.Parameter("x", s); b.Err() == nil {
			t.Errorf("a parameter has dimensions %v of type %d", s.Dims, s.DType)
		}
	}
	for _, s := range []graph.Shape{graph.Of(graph.F64), graph.Of(graph.Pred, 0, 3),
		graph.Of(graph.S32, 1<<24, 1<<24)} {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestAttributesNearTheLargestIntegerDoNotWrapAround(t *testing.T) {
	build := func(add func(b *graph.Builder, x graph.Value) graph.Value) (graph.Shape, error) {
		b := graph.NewBuilder("extreme")
		x := add(b, b.Parameter("x", graph.Of(graph.F32, 5)))
		return x.Shape(), b.Err()
	}
	shape, err := build(func(b *graph.Builder, x graph.Value) graph.Value {
		return b.Slice(x, []int{1}, []int{5}, []int{math.MaxInt})
	})
	if err != nil || !shape.Equal(graph.Of(graph.F32, 1)) {
		t.Errorf("a slice with a huge stride has shape %s, error %v", shape, err)
	}
	if _, err := build(func(b *graph.Builder, x graph.Value) graph.Value {
		return b.Pad(x, b.Scalar(graph.F32, 0), []int{math.MaxInt}, []int{math.MaxInt})
	}); err == nil {
		t.Error("padding wraps around to a small shape")
	}
	if _, err := build(func(b *graph.Builder, _ graph.Value) graph.Value {
		return b.GatherRows(b.Iota(graph.Of(graph.F32, 1, 1<<40), 0), b.Iota(graph.Of(graph.S32, 1<<40), 0))
	}); err == nil {
		t.Error("gathered rows have more elements than any memory holds")
	}
}

func TestIntegersHaveNoNegativeZero(t *testing.T) {
	for _, x := range []float64{-0.5, math.Copysign(0, -1)} {
		if math.Signbit(graph.S32.Round(x)) {
			t.Errorf("%v becomes a negative zero", x)
		}
	}
}
