package compliance

import (
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// labelled returns an array of small numbers, which are odd or even as predicates.
func labelled(d graph.DType, dims []int, labels ...int) array {
	x := of(d, dims)
	for _, l := range labels {
		if d == graph.Pred {
			l %= 2
		}
		x.elements = append(x.elements, float64(l))
	}
	return x
}

func testMovements(t *testing.T, e trnbackend.Executor) {
	eachType(t, e, allTypes, func(t *testing.T, d graph.DType) {
		x := labelled(d, []int{2, 3}, 10, 11, 12, 13, 14, 15)
		cube := labelled(d, []int{2, 2, 3}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
		check(t, e, []testCase{
			{"broadcast a scalar",
				func(b *graph.Builder, in []graph.Value) graph.Value { return b.Broadcast(in[0], []int{2, 2}) },
				[]array{labelled(d, nil, 7)}, labelled(d, []int{2, 2}, 7, 7, 7, 7), 0},
			{"broadcast to the last",
				func(b *graph.Builder, in []graph.Value) graph.Value { return b.Broadcast(in[0], []int{2, 3}, 1) },
				[]array{labelled(d, []int{3}, 1, 2, 4)}, labelled(d, []int{2, 3}, 1, 2, 4, 1, 2, 4), 0},
			{"broadcast to the first",
				func(b *graph.Builder, in []graph.Value) graph.Value { return b.Broadcast(in[0], []int{2, 3}, 0) },
				[]array{labelled(d, []int{2}, 1, 2)}, labelled(d, []int{2, 3}, 1, 1, 1, 2, 2, 2), 0},
			{"broadcast around",
				func(b *graph.Builder,
					in []graph.Value) graph.Value {
					return b.Broadcast(in[0], []int{2, 2, 2}, 0, 2)
				},
				[]array{labelled(d, []int{2, 2}, 1, 2, 4, 3)}, labelled(d, []int{2, 2, 2}, 1, 2, 1, 2, 4, 3, 4, 3), 0},
			{"reshape", func(b *graph.Builder, in []graph.Value) graph.Value { return b.Reshape(in[0], 3, 1, 2) },
				[]array{x}, labelled(d, []int{3, 1, 2}, 10, 11, 12, 13, 14, 15), 0},
			{"transpose", func(b *graph.Builder, in []graph.Value) graph.Value { return b.Transpose(in[0], 1, 0) },
				[]array{x}, labelled(d, []int{3, 2}, 10, 13, 11, 14, 12, 15), 0},
			{"rotate", func(b *graph.Builder, in []graph.Value) graph.Value { return b.Transpose(in[0], 2, 0, 1) },
				[]array{cube}, labelled(d, []int{3, 2, 2}, 0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11), 0},
			{"slice", func(b *graph.Builder, in []graph.Value) graph.Value {
				return b.Slice(in[0], []int{1, 0}, []int{2, 3}, []int{1, 2})
			}, []array{x}, labelled(d, []int{1, 2}, 13, 15), 0},
			{"slice of nothing", func(b *graph.Builder, in []graph.Value) graph.Value {
				return b.Slice(in[0], []int{1, 2}, []int{1, 3}, []int{1, 1})
			}, []array{x}, labelled(d, []int{0, 1}), 0},
			{"concatenate rows",
				func(b *graph.Builder, in []graph.Value) graph.Value { return b.Concatenate(0, in...) },
				[]array{labelled(d, []int{1, 2}, 1, 2), labelled(d, []int{0, 2}),
					labelled(d, []int{2, 2}, 3, 4, 5, 6)}, labelled(d, []int{3, 2}, 1, 2, 3, 4, 5, 6), 0},
			{"concatenate columns",
				func(b *graph.Builder, in []graph.Value) graph.Value { return b.Concatenate(1, in...) },
				[]array{labelled(d, []int{2, 1}, 1, 2), labelled(d, []int{2, 2}, 3, 4, 5, 6)}, labelled(d, []int{2, 3},
					1, 3, 4, 2, 5, 6), 0},
			{"pad", func(b *graph.Builder, in []graph.Value) graph.Value {
				return b.Pad(in[0], in[1], []int{1, 0}, []int{0, 2})
			},
				[]array{labelled(d, []int{2, 1}, 1, 2), labelled(d, nil, 9)}, labelled(d, []int{3, 3}, 9, 9, 9, 1, 9, 9,
					2, 9, 9), 0},
		})
		needType(t, e, graph.S32)
		check(t, e, indexed(d, x))
	})
}

// indexed are operations whose indices are inputs; indices outside of the array are moved inside.
func indexed(d graph.DType, x array) []testCase {
	start := func(i float64) array { return scalar(graph.S32, i) }
	take := func(b *graph.Builder, in []graph.Value) graph.Value {
		return b.DynamicSlice(in[0], []int{1, 2}, in[1:]...)
	}
	put := func(b *graph.Builder, in []graph.Value) graph.Value {
		return b.DynamicUpdateSlice(in[0], in[1], in[2:]...)
	}
	part := labelled(d, []int{1, 2}, 7, 4)
	const far = 1 << 30
	return []testCase{
		{"dynamic slice", take, []array{x, start(1), start(0)}, labelled(d, []int{1, 2}, 13, 14), 0},
		{"dynamic slice beyond", take, []array{x, start(far), start(2)}, labelled(d, []int{1, 2}, 14, 15), 0},
		{"dynamic slice before", take, []array{x, start(-1), start(-far)}, labelled(d, []int{1, 2}, 10, 11), 0},
		{"dynamic slice of a slice, each beyond", func(b *graph.Builder, in []graph.Value) graph.Value {
			columns := b.DynamicSlice(in[0], []int{2, 2}, in[1], in[2])
			return b.DynamicSlice(columns, []int{1, 1}, in[3], in[4])
		}, []array{x, start(0), start(-1), start(1), start(3)}, labelled(d, []int{1, 1}, 14), 0},
		{"dynamic update", put, []array{x, part, start(0), start(1)}, labelled(d, []int{2, 3}, 10, 7, 4, 13, 14, 15),
			0},
		{"dynamic update beyond", put, []array{x, part, start(2), start(2)},
			labelled(d, []int{2, 3}, 10, 11, 12, 13, 7, 4), 0},
		{"dynamic update before", put, []array{x, part, start(-far), start(-1)},
			labelled(d, []int{2, 3}, 7, 4, 12, 13, 14, 15), 0},
		{"gather rows", func(b *graph.Builder, in []graph.Value) graph.Value { return b.GatherRows(in[0], in[1]) },
			[]array{x, vector(graph.S32, 1, 0, -3, far)}, labelled(d, []int{4, 3}, 13, 14, 15, 10, 11, 12, 10, 11, 12,
				13, 14, 15), 0},
		{"gather elements", func(b *graph.Builder, in []graph.Value) graph.Value { return b.GatherRows(in[0], in[1]) },
			[]array{labelled(d, []int{3}, 5, 6, 8), vector(graph.S32, 2, 2, 0)}, labelled(d, []int{3}, 8, 8, 5), 0},
	}
}
