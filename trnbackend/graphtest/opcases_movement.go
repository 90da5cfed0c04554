package graphtest

import (
	"fmt"
	"math"

	"trnsci/trnbackend/graph"
)

// movements makes the cases of operations that move elements to places fixed in the graph.
func (m *caseMaker) movements() {
	for _, d := range allTypes {
		matrix, cube := m.special(graph.Of(d, 6, 7)), m.special(graph.Of(d, 3, 4, 5))
		scalar, none := m.ordinary(graph.Of(d), false), m.ordinary(graph.Of(d, 3, 0), false)
		m.add(fmt.Sprintf("broadcast %s", d), []operand{matrix, scalar, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{
					b.Broadcast(x[0], []int{6, 2, 7}, 0, 2), b.Broadcast(x[0], []int{6, 7, 2}, 0, 1), b.Broadcast(x[1],
						[]int{2, 3}),
					b.Broadcast(x[1], []int{2, 0}), b.Broadcast(x[2], []int{2, 3, 0}, 1, 2), b.Broadcast(x[1], nil),
				}
			})
		m.add(fmt.Sprintf("reshape %s", d), []operand{cube, scalar, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{b.Reshape(x[0], 60), b.Reshape(x[0], 5, 1, 12), b.Reshape(x[1], 1, 1),
					b.Reshape(b.Reshape(x[1], 1)), b.Reshape(x[2], 0, 4)}
			})
		m.add(fmt.Sprintf("transpose %s", d), []operand{cube, scalar, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{b.Transpose(x[0], 2, 0, 1), b.Transpose(x[0], 0, 1, 2), b.Transpose(x[1]),
					b.Transpose(x[2], 1, 0)}
			})
		m.add(fmt.Sprintf("slice %s", d), []operand{matrix, scalar, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{
					b.Slice(x[0], []int{1, 0}, []int{5, 7}, []int{1, 1}), b.Slice(x[0], []int{0, 1}, []int{6, 7},
						[]int{5, 3}),
					b.Slice(x[0], []int{2, 3}, []int{2, 7}, []int{1, 1}), b.Slice(x[1], nil, nil, nil), b.Slice(x[2],
						[]int{1, 0}, []int{3, 0}, []int{1, 1}),
				}
			})
		m.add(fmt.Sprintf("concatenate %s", d), []operand{cube, cube, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{b.Concatenate(0, x[0], x[1]), b.Concatenate(2, x[0], x[1], x[0]),
					b.Concatenate(1, x[0]), b.Concatenate(0, x[2], x[2])}
			})
		m.add(fmt.Sprintf("pad %s", d), []operand{matrix, scalar, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{
					b.Pad(x[0], x[1], []int{1, 0}, []int{2, 3}), b.Pad(x[0], x[1], []int{0, 0}, []int{0, 0}),
					b.Pad(x[1], x[1], nil, nil), b.Pad(x[2], x[1], []int{0, 1}, []int{0, 2}),
				}
			})
	}
}

// starts returns scalar integers.
func starts(list ...int) []operand {
	var all []operand
	for _, x := range list {
		all = append(all, operand{graph.Of(graph.S32), []float64{float64(x)}})
	}
	return all
}

// indexed makes the cases of operations whose places are inputs, inside of the array and out of it.
func (m *caseMaker) indexed() {
	for _, d := range allTypes {
		x, part, line := m.special(graph.Of(d, 5, 6)), m.ordinary(graph.Of(d, 2, 3), false), m.special(graph.Of(d, 12))
		for _, at := range [][]int{{1, 2}, {0, 0}, {4, 5}, {-7, 3}, {math.MaxInt32, math.MinInt32}} {
			m.add(fmt.Sprintf("dynamic-slice %s at %v", x.shape, at), append([]operand{x, line}, starts(at...)...),
				func(b *graph.Builder, x []graph.Value) []graph.Value {
					return []graph.Value{
						b.DynamicSlice(x[0], []int{2, 3}, x[2:]...), b.DynamicSlice(x[0], []int{5, 6}, x[2:]...),
						b.DynamicSlice(x[0], []int{0, 2}, x[2:]...), b.DynamicSlice(x[1], []int{4}, x[2]),
					}
				})
			m.add(fmt.Sprintf("dynamic-update-slice %s at %v", x.shape, at),
				append([]operand{x, part, line}, starts(at...)...),
				func(b *graph.Builder, x []graph.Value) []graph.Value {
					return []graph.Value{
						b.DynamicUpdateSlice(x[0], x[1], x[3:]...), b.DynamicUpdateSlice(x[0], x[0], x[3:]...),
						b.DynamicUpdateSlice(x[2], b.Reshape(x[1], 6), x[3]),
					}
				})
		}
		scalars := []operand{m.ordinary(graph.Of(d), false), m.ordinary(graph.Of(d), false)}
		m.add(fmt.Sprintf("dynamic-slice and dynamic-update-slice %s[]", d), scalars,
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{b.DynamicSlice(x[0], nil), b.DynamicUpdateSlice(x[0], x[1])}
			})
		list := operand{graph.Of(graph.S32, 7), []float64{4, 0, 4, -1, 5, math.MaxInt32, math.MinInt32}}
		none := operand{shape: graph.Of(graph.S32, 0)}
		cube := m.ordinary(graph.Of(d, 5, 2, 3), false)
		m.add(fmt.Sprintf("gather-rows %s", d), []operand{x, cube, line, list, none},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{
					b.GatherRows(x[0], x[3]), b.GatherRows(x[1], x[3]), b.GatherRows(x[2], x[3]), b.GatherRows(x[0],
						x[4]),
					b.GatherRows(b.Slice(x[0], []int{0, 0}, []int{5, 0}, []int{1, 1}), x[3]),
				}
			})
	}
}

// sources makes the cases of nodes without operands.
func (m *caseMaker) sources() {
	for _, d := range numberTypes {
		m.add(fmt.Sprintf("iota %s", d), nil, func(b *graph.Builder, _ []graph.Value) []graph.Value {
			return []graph.Value{b.Iota(graph.Of(d, 300), 0), b.Iota(graph.Of(d, 3, 4), 0),
				b.Iota(graph.Of(d, 3, 4), 1), b.Iota(graph.Of(d, 0, 4), 1)}
		})
	}
	for _, d := range allTypes {
		many := m.special(graph.Of(d, 9, 3))
		m.add(fmt.Sprintf("constant %s", d), nil, func(b *graph.Builder, _ []graph.Value) []graph.Value {
			return []graph.Value{
				b.Constant(many.shape, many.elements...), b.Scalar(d,
					many.elements[1]), b.Constant(graph.Of(d, 2, 0)), b.Fill(graph.Of(d, 2, 3), 1),
			}
		})
	}
}

// results makes cases whose results are parameters, or one node twice, and such with donated parameters.
func (m *caseMaker) results() {
	for _, d := range allTypes {
		x := m.special(graph.Of(d, 5, 4))
		m.add(fmt.Sprintf("parameter %s as result", d), []operand{x},
			func(_ *graph.Builder, x []graph.Value) []graph.Value { return x })
		m.add(fmt.Sprintf("results %s twice", d), []operand{x, x},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				y := b.Transpose(x[0], 1, 0)
				return []graph.Value{x[0], y, x[0], y, x[1]}
			})
		m.donated(d, x)
	}
	x := m.special(graph.Of(graph.F32, 5, 4))
	m.add("parameters unused", []operand{x, x, x},
		single(func(b *graph.Builder, x []graph.Value) graph.Value { return b.Negate(x[1]) }))
}

// donated makes graphs that may overwrite a parameter: with one result, with several, one of which reads the parameter
// late, and with a parameter that fits no result.
func (m *caseMaker) donated(d graph.DType, x operand) {
	line := m.ordinary(graph.Of(d, 4), false)
	b := graph.NewBuilder("one donated")
	p, q := b.Parameter("x0", x.shape), b.Donated("x1", x.shape)
	m.finish(OpCase{Name: fmt.Sprintf("donated %s", d), Inputs: [][]float64{x.elements, x.elements}}, b,
		[]graph.Value{b.Select(b.Compare(graph.EQ, p, q), q, p)})
	b = graph.NewBuilder("several donated")
	p = b.Donated("x0", x.shape)
	b.Donated("x1", line.shape)
	y := b.Slice(p, []int{0, 1}, []int{5, 4}, []int{1, 1})
	m.finish(OpCase{Name: fmt.Sprintf("donated %s among several", d), Inputs: [][]float64{x.elements, line.elements}},
		b,
		[]graph.Value{y, b.Concatenate(1, y, b.Reshape(b.Slice(p, []int{0, 0}, []int{5, 1}, []int{1, 1}), 5, 1)), p})
}
