package graphtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"trnsci/trnbackend/graph"
)

// Limits say what Random may use.
type Limits struct {
	Nodes  int           // operations to choose, some of which need more nodes
	DTypes []graph.DType // at least one that is a float
	NoOps  []graph.Op
}

// Limits of the arrays that Random makes. They are small, since mistakes with large arrays also occur with small ones.
const (
	mostRank     = 4
	mostElements = 1 << 10
)

// maker builds one graph.
type maker struct {
	rng        *rand.Rand
	b          *graph.Builder
	limits     Limits
	values     []graph.Value
	read       []bool // whether a value is an operand of another one
	parameters int
}

func (m *maker) may(op graph.Op) bool { return !slices.Contains(m.limits.NoOps, op) }

func (m *maker) has(d graph.DType) bool { return slices.Contains(m.limits.DTypes, d) }

// chance is true once in n times.
func (m *maker) chance(n int) bool { return m.rng.IntN(n) == 0 }

// dtype returns a type of the limits that is right.
func (m *maker) dtype(right func(graph.DType) bool) graph.DType {
	for {
		if d := m.limits.DTypes[m.rng.IntN(len(m.limits.DTypes))]; right(d) {
			return d
		}
	}
}

func (m *maker) dim() int {
	const seldom = 40
	if m.chance(seldom) {
		return 0
	}
	return []int{1, 1, 2, 3, 4, 5, 7}[m.rng.IntN(7)]
}

func (m *maker) shape(d graph.DType) graph.Shape {
	for {
		s := graph.Of(d, make([]int, m.rng.IntN(mostRank+1))...)
		for k := range s.Dims {
			s.Dims[k] = m.dim()
		}
		if s.Size() <= mostElements {
			return s
		}
	}
}

// keep makes a value available as an operand, unless it is too large.
func (m *maker) keep(v graph.Value) {
	if v.Shape().Size() <= mostElements && v.Shape().Rank() <= mostRank {
		m.values, m.read = append(m.values, v), append(m.read, false)
	}
}

// use returns value i as an operand.
func (m *maker) use(i int) graph.Value {
	m.read[i] = true
	return m.values[i]
}

// find returns a value whose shape is right, if there is one; later ones are more likely.
func (m *maker) find(right func(graph.Shape) bool) (graph.Value, bool) {
	var found []int
	for i, v := range m.values {
		if right(v.Shape()) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return graph.Value{}, false
	}
	i := max(m.rng.IntN(len(found)), m.rng.IntN(len(found)))
	return m.use(found[i]), true
}

// any returns a value of a type that is right, a new one if there is none.
func (m *maker) any(right func(graph.DType) bool) graph.Value {
	if v, ok := m.find(func(s graph.Shape) bool { return right(s.DType) }); ok {
		return v
	}
	return m.fresh(m.shape(m.dtype(right)))
}

// like returns a value of a given shape, usually an old one.
func (m *maker) like(s graph.Shape) graph.Value {
	const seldom = 4
	if !m.chance(seldom) {
		if v, ok := m.find(s.Equal); ok {
			return v
		}
	}
	return m.fresh(s)
}

// fresh returns a new parameter or constant. It counts as read, by the caller.
func (m *maker) fresh(s graph.Shape) graph.Value {
	if m.chance(4) && m.may(graph.Broadcast) && m.may(graph.Constant) {
		return m.b.Fill(s, number(m.rng, s.DType))
	}
	m.parameters++
	name := fmt.Sprint("p", m.parameters)
	var v graph.Value
	if m.chance(5) {
		v = m.b.Donated(name, s)
	} else {
		v = m.b.Parameter(name, s)
	}
	m.keep(v)
	m.read[len(m.read)-1] = true
	return v
}

// number returns an element of a type: often an integer, so that some are equal, and inside or outside the range of
// indices.
func number(rng *rand.Rand, d graph.DType) float64 {
	switch {
	case d == graph.Pred:
		return float64(rng.IntN(2))
	case d == graph.S32 && rng.IntN(20) == 0:
		return float64(int32(rng.Uint32()))
	case d == graph.S32 || rng.IntN(4) == 0:
		return float64(rng.IntN(12) - 4)
	}
	return d.Round(rng.NormFloat64())
}

func anyType(graph.DType) bool { return true }

func isPred(d graph.DType) bool { return d == graph.Pred }
