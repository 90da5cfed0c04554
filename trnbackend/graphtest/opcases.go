package graphtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"trnsci/trnbackend/graph"
)

// OpCases returns cases for every operation, in all types that it has, scalars and arrays without elements among them.
// Elementwise cases hold infinities, NaN and zeros of both signs; indices are partly out of range. There are no
// subnormal numbers, and there is no overflow except to infinities, since devices differ there. Each call returns the
// same cases. The error is a mistake in one of them.
func OpCases() ([]OpCase, error) {
	m := caseMaker{rng: rand.New(rand.NewPCG(1, 2))}
	m.unary()
	m.binary()
	m.products()
	m.reductions()
	m.movements()
	m.indexed()
	m.sources()
	m.results()
	return m.cases, m.err
}

func (m *caseMaker) unary() {
	for _, c := range []struct {
		op       graph.Op
		f        func(*graph.Builder, graph.Value) graph.Value
		types    []graph.DType
		positive bool // most elements are
	}{
		{graph.Negate, (*graph.Builder).Negate, numberTypes, false},
		{graph.Abs, (*graph.Builder).Abs, numberTypes, false},
		{graph.Sign, (*graph.Builder).Sign, numberTypes, false},
		{graph.Exp, (*graph.Builder).Exp, floatTypes, false},
		{graph.Log, (*graph.Builder).Log, floatTypes, true},
		{graph.Sqrt, (*graph.Builder).Sqrt, floatTypes, true},
		{graph.Rsqrt, (*graph.Builder).Rsqrt, floatTypes, true},
		{graph.Tanh, (*graph.Builder).Tanh, floatTypes, false},
		{graph.Not, (*graph.Builder).Not, predicates, false},
	} {
		for _, d := range c.types {
			for _, dims := range elementShapes {
				x := m.ordinary(graph.Of(d, dims...), c.positive)
				if len(x.elements) > 1 {
					copy(x.elements, corners(d))
				}
				m.add(fmt.Sprintf("%s %s", c.op, x.shape), []operand{x},
					single(func(b *graph.Builder, x []graph.Value) graph.Value { return c.f(b, x[0]) }))
			}
		}
	}
	m.conversions()
}

func (m *caseMaker) conversions() {
	for _, from := range allTypes {
		for _, to := range allTypes {
			x := m.special(graph.Of(from, 37))
			if from.IsFloat() {
				for i, v := range []float64{1.5, -2.5, 3e9, -3e9, 0x1p31, 1<<24 + 1, 1 + 0x1p-8, 1 + 3*0x1p-8} {
					x.elements[len(corners(from))+i] = from.Round(v)
				}
			}
			m.add(fmt.Sprintf("convert %s to %s", x.shape, to), []operand{x},
				single(func(b *graph.Builder, x []graph.Value) graph.Value { return b.Convert(x[0], to) }))
		}
	}
}

func (m *caseMaker) binary() {
	for _, c := range []struct {
		op    graph.Op
		f     func(b *graph.Builder, x, y graph.Value) graph.Value
		types []graph.DType
	}{
		{graph.Add, (*graph.Builder).Add, numberTypes},
		{graph.Subtract, (*graph.Builder).Subtract, numberTypes},
		{graph.Multiply, (*graph.Builder).Multiply, numberTypes},
		{graph.Divide, (*graph.Builder).Divide, numberTypes},
		{graph.Maximum, (*graph.Builder).Maximum, numberTypes},
		{graph.Minimum, (*graph.Builder).Minimum, numberTypes},
		{graph.And, (*graph.Builder).And, predicates},
		{graph.Or, (*graph.Builder).Or, predicates},
	} {
		for _, d := range c.types {
			none, scalar := m.special(graph.Of(d, 0)), m.ordinary(graph.Of(d), false)
			for _, in := range [][]operand{m.pairs(d), {none, none}, {scalar, scalar}} {
				m.add(fmt.Sprintf("%s %s", c.op, in[0].shape), in,
					single(func(b *graph.Builder, x []graph.Value) graph.Value { return c.f(b, x[0], x[1]) }))
			}
		}
	}
	for _, d := range numberTypes {
		x := m.special(graph.Of(d, 37))
		m.add(fmt.Sprintf("quotients of quotients of %s", x.shape), []operand{x, x},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				q := b.Divide(x[0], x[1])
				moved := b.Reshape(b.Reshape(q, 1, 37), 37)
				return []graph.Value{b.Divide(x[0], q), b.Divide(q, x[1]), b.Divide(x[1], moved),
					b.Divide(q, b.Divide(x[1], x[0]))}
			})
	}
	integers := m.special(graph.Of(graph.S32, 37))
	m.add("divide s32[37] by itself", []operand{integers, integers},
		func(b *graph.Builder, x []graph.Value) []graph.Value {
			return []graph.Value{b.Divide(x[0], x[0]), b.Divide(b.Negate(x[1]), b.Negate(x[1]))}
		})
	for _, d := range allTypes {
		m.add(fmt.Sprintf("compare %s", d), m.pairs(d), func(b *graph.Builder, x []graph.Value) []graph.Value {
			var all []graph.Value
			for direction := graph.EQ; direction <= graph.GE; direction++ {
				all = append(all, b.Compare(direction, x[0], x[1]))
			}
			return all
		})
		for _, dims := range elementShapes {
			in := []operand{m.ordinary(graph.Of(graph.Pred, dims...), false), m.special(graph.Of(d, dims...)),
				m.ordinary(graph.Of(d, dims...), false)}
			m.add(fmt.Sprintf("select %s", in[1].shape), in,
				single(func(b *graph.Builder, x []graph.Value) graph.Value { return b.Select(x[0], x[1], x[2]) }))
		}
	}
}

func (m *caseMaker) products() {
	cases := []struct {
		x, y            []int
		contract, batch [2][]int
	}{
		{x: []int{4, 8}, y: []int{8, 3}, contract: [2][]int{{1}, {0}}},
		{x: []int{65, 130}, y: []int{67, 130}, contract: [2][]int{{1}, {1}}},
		{x: []int{8, 4}, y: []int{8, 3}, contract: [2][]int{{0}, {0}}},
		{x: []int{5}, y: []int{5}, contract: [2][]int{{0}, {0}}},
		{x: []int{5}, y: []int{5, 3}, contract: [2][]int{{0}, {0}}},
		{x: []int{5}, y: []int{3}},
		{x: []int{}, y: []int{}},
		{x: []int{}, y: []int{2, 3}},
		{x: []int{2, 4, 8}, y: []int{2, 8, 3}, contract: [2][]int{{2}, {1}}, batch: [2][]int{{0}, {0}}},
		{x: []int{4, 2, 8}, y: []int{8, 3, 2}, contract: [2][]int{{2}, {0}}, batch: [2][]int{{1}, {2}}},
		{x: []int{3, 2, 4, 5}, y: []int{5, 3, 6, 4}, contract: [2][]int{{3, 2}, {0, 3}}, batch: [2][]int{{0}, {1}}},
		{x: []int{2, 3, 4}, y: []int{3, 2, 5}, batch: [2][]int{{0, 1}, {1, 0}}},
		{x: []int{4, 0}, y: []int{0, 3}, contract: [2][]int{{1}, {0}}},
		{x: []int{0, 4}, y: []int{4, 3}, contract: [2][]int{{1}, {0}}},
		{x: []int{0, 4, 2}, y: []int{0, 2, 3}, contract: [2][]int{{2}, {1}}, batch: [2][]int{{0}, {0}}},
	}
	for _, d := range floatTypes {
		for _, c := range cases {
			in := []operand{m.ordinary(graph.Of(d, c.x...), false), m.ordinary(graph.Of(d, c.y...), false)}
			m.add(fmt.Sprintf("dot %s %s", in[0].shape, in[1].shape), in,
				single(func(b *graph.Builder, x []graph.Value) graph.Value {
					return b.Dot(x[0], x[1], graph.Dimensions{Contract: c.contract, Batch: c.batch})
				}))
		}
	}
}

func (m *caseMaker) reductions() {
	cases := []struct{ x, dims []int }{
		{[]int{4, 8}, []int{1}}, {[]int{4, 8}, []int{0}}, {[]int{4, 8}, []int{0, 1}}, {[]int{4, 8}, nil}, {[]int{},
			nil}, {[]int{300}, []int{0}},
		{[]int{3, 4, 5}, []int{0, 2}}, {[]int{3, 0, 5}, []int{1}}, {[]int{3, 0, 5}, []int{0}}, {[]int{0}, []int{0}},
	}
	for _, d := range numberTypes {
		for _, c := range cases {
			x := m.ordinary(graph.Of(d, c.x...), false)
			m.add(fmt.Sprintf("reduce %s over %v", x.shape, c.dims), []operand{x},
				func(b *graph.Builder, x []graph.Value) []graph.Value {
					return []graph.Value{b.ReduceSum(x[0], c.dims...), b.ReduceMax(x[0], c.dims...),
						b.ReduceMin(x[0], c.dims...)}
				})
		}
		large := m.special(graph.Of(d, 2, 12))
		m.add(fmt.Sprintf("reduce corners %s", d), []operand{large},
			func(b *graph.Builder, x []graph.Value) []graph.Value {
				return []graph.Value{b.ReduceSum(x[0], 1), b.ReduceMax(x[0], 1), b.ReduceMin(x[0], 1)}
			})
	}
}

// Has returns the cases whose graphs have the operation.
func Has(cases []OpCase, op graph.Op) []OpCase {
	return slices.DeleteFunc(slices.Clone(cases), func(c OpCase) bool {
		return !slices.ContainsFunc(c.Graph.Nodes(), func(n graph.Node) bool { return n.Op == op })
	})
}
