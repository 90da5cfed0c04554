package graphtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"trnsci/trnbackend/graph"
)

// OpCase is a graph of one operation, or of a few that belong together, and inputs for it.
type OpCase struct {
	Name   string // "maximum f32[16,16]"
	Graph  *graph.Graph
	Inputs [][]float64 // of each parameter, exact in its type
}

// caseMaker collects cases.
type caseMaker struct {
	rng   *rand.Rand
	cases []OpCase
	err   error // the first mistake
}

// operand is a parameter of a case and its elements.
type operand struct {
	shape    graph.Shape
	elements []float64
}

// add makes a case whose parameters are the operands. build returns the results.
func (m *caseMaker) add(name string, operands []operand, build func(b *graph.Builder, x []graph.Value) []graph.Value) {
	c := OpCase{Name: name}
	b := graph.NewBuilder(name)
	var params []graph.Value
	for i, o := range operands {
		params = append(params, b.Parameter(fmt.Sprintf("x%d", i), o.shape))
		c.Inputs = append(c.Inputs, o.elements)
	}
	m.finish(c, b, build(b, params))
}

func (m *caseMaker) finish(c OpCase, b *graph.Builder, results []graph.Value) {
	for i, v := range results {
		b.Result(fmt.Sprintf("y%d", i), v)
	}
	g, err := b.Build()
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("case %s: %w", c.Name, err)
	}
	c.Graph = g
	m.cases = append(m.cases, c)
}

// single wraps a function that gives one result.
func single(build func(b *graph.Builder, x []graph.Value) graph.Value) func(*graph.Builder,
	[]graph.Value) []graph.Value {
	return func(b *graph.Builder, x []graph.Value) []graph.Value { return []graph.Value{build(b, x)} }
}

// allTypes are all types, numberTypes those with arithmetic, floatTypes those with fractions.
var (
	allTypes    = []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64}
	numberTypes = []graph.DType{graph.F32, graph.BF16, graph.S32, graph.F64}
	floatTypes  = []graph.DType{graph.F32, graph.BF16, graph.F64}
)

// corners returns the special elements of a type.
func corners(d graph.DType) []float64 {
	switch d {
	case graph.S32:
		return []float64{0, 1, -1, 7, -7, math.MaxInt32, math.MinInt32, math.MinInt32 + 1, 1 << 24, 1<<24 + 1}
	case graph.Pred:
		return []float64{0, 1}
	}
	return []float64{0, math.Copysign(0, -1), 1, -1, 2, -3, 0.5, math.Inf(1), math.Inf(-1), math.NaN()}
}

// ordinary returns elements of moderate size, on request positive ones.
func (m *caseMaker) ordinary(shape graph.Shape, positive bool) operand {
	const most = 9 // of integers
	o := operand{shape, make([]float64, shape.Size())}
	for i := range o.elements {
		x := m.rng.NormFloat64()
		switch shape.DType {
		case graph.S32:
			x = float64(m.rng.IntN(2*most+1) - most)
		case graph.Pred:
			x = float64(m.rng.IntN(2))
		}
		if positive {
			x = math.Abs(x)
		}
		o.elements[i] = shape.DType.Round(x)
	}
	return o
}

// special returns elements that begin with the corners.
func (m *caseMaker) special(shape graph.Shape) operand {
	o := m.ordinary(shape, false)
	copy(o.elements, corners(shape.DType))
	return o
}

// pairs returns two square arrays that hold all pairs of corners and of some other elements.
func (m *caseMaker) pairs(d graph.DType) []operand {
	const others = 6
	list := slices.Concat(corners(d), m.ordinary(graph.Of(d, others), false).elements)
	n := len(list)
	x, y := operand{shape: graph.Of(d, n, n)}, operand{shape: graph.Of(d, n, n)}
	for _, a := range list {
		for _, b := range list {
			x.elements, y.elements = append(x.elements, a), append(y.elements, b)
		}
	}
	return []operand{x, y}
}

// elementShapes are the dimensions that elementwise operations get: scalars, none, and more than a vector register
// holds.
var elementShapes = [][]int{{}, {37}, {0, 3}, {2, 3, 11}}

// FileName returns the name of the case as part of a file's name.
func (c *OpCase) FileName() string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,[]", r) {
			return '_'
		}
		return r
	}, c.Name), "_")
}
