package graphtest

import (
	"slices"

	"trnsci/trnbackend/graph"
)

func anyType(graph.DType) bool { return true }

func isPred(d graph.DType) bool { return d == graph.Pred }

// add appends an operation on values that fit it, or nothing if the device lacks a type that it needs.
func (m *maker) add(op graph.Op) {
	needsPred := op == graph.Not || op == graph.And || op == graph.Or || op == graph.Compare || op == graph.Select
	needsS32 := op == graph.DynamicSlice || op == graph.DynamicUpdateSlice || op == graph.GatherRows
	if needsPred && !m.has(graph.Pred) || needsS32 && !m.has(graph.S32) {
		return
	}
	switch {
	case op.IsUnary():
		m.keep(m.unary(op))
	case op.IsBinary() || op == graph.Select:
		m.keep(m.pairwise(op))
	case op.IsReduce():
		m.keep(m.reduce(op))
	case op == graph.Dot:
		m.keep(m.dot())
	case op == graph.Constant || op == graph.Iota:
		m.keep(m.source(op))
	default:
		m.move(op)
	}
}

func (m *maker) source(op graph.Op) graph.Value {
	if op == graph.Iota {
		s := m.shape(m.dtype(graph.DType.IsNumber))
		if s.Rank() > 0 {
			return m.b.Iota(s, m.rng.IntN(s.Rank()))
		}
	}
	s := m.shape(m.dtype(anyType))
	elements := make([]float64, s.Size())
	for i := range elements {
		elements[i] = number(m.rng, s.DType)
	}
	return m.b.Constant(s, elements...)
}

func (m *maker) unary(op graph.Op) graph.Value {
	b := m.b
	switch op {
	case graph.Not:
		return b.Not(m.any(isPred))
	case graph.Convert:
		return b.Convert(m.any(anyType), m.dtype(anyType))
	case graph.Negate:
		return b.Negate(m.any(graph.DType.IsNumber))
	case graph.Abs:
		return b.Abs(m.any(graph.DType.IsNumber))
	case graph.Sign:
		return b.Sign(m.any(graph.DType.IsNumber))
	}
	x := m.any(graph.DType.IsFloat)
	x = m.tamed(op, x)
	return map[graph.Op]func(graph.Value) graph.Value{
		graph.Exp: b.Exp, graph.Log: b.Log, graph.Sqrt: b.Sqrt, graph.Rsqrt: b.Rsqrt, graph.Tanh: b.Tanh,
	}[op](x)
}

// tamed brings x into the domain of a function, most often: roots and logarithms of numbers from 1/2 on, powers of numbers up to 1.
func (m *maker) tamed(op graph.Op, x graph.Value) graph.Value {
	const wild = 4
	fill := func(v float64) graph.Value { return m.b.Fill(x.Shape(), v) }
	if m.chance(wild) || !m.may(graph.Abs) || !m.may(graph.Broadcast) || !m.may(graph.Add) || !m.may(graph.Minimum) {
		return x
	}
	switch op {
	case graph.Exp:
		return m.b.Minimum(x, fill(1))
	case graph.Log, graph.Sqrt, graph.Rsqrt:
		return m.b.Add(m.b.Abs(x), fill(0.5))
	}
	return x
}

func (m *maker) pairwise(op graph.Op) graph.Value {
	b := m.b
	right := graph.DType.IsNumber
	switch op {
	case graph.And, graph.Or:
		right = isPred
	case graph.Compare, graph.Select:
		right = anyType
	}
	x := m.any(right)
	y := m.like(x.Shape())
	switch op {
	case graph.Compare:
		return b.Compare(graph.Direction(m.rng.IntN(int(graph.GE)+1)), x, y)
	case graph.Select:
		return b.Select(m.like(x.Shape().As(graph.Pred)), x, y)
	}
	return map[graph.Op]func(x, y graph.Value) graph.Value{
		graph.Add: b.Add, graph.Subtract: b.Subtract, graph.Multiply: b.Multiply, graph.Divide: b.Divide,
		graph.Maximum: b.Maximum, graph.Minimum: b.Minimum, graph.And: b.And, graph.Or: b.Or,
	}[op](x, y)
}

func (m *maker) reduce(op graph.Op) graph.Value {
	x := m.any(graph.DType.IsNumber)
	dims := m.some(x.Shape().Rank())
	switch op {
	case graph.ReduceMax:
		return m.b.ReduceMax(x, dims...)
	case graph.ReduceMin:
		return m.b.ReduceMin(x, dims...)
	}
	return m.b.ReduceSum(x, dims...)
}

// some returns some of the numbers below n, in any order.
func (m *maker) some(n int) []int { return m.rng.Perm(n)[:m.rng.IntN(n+1)] }

// dot multiplies a value with one that has some of its dimensions, and sometimes another one, in any order.
func (m *maker) dot() graph.Value {
	x := m.any(graph.DType.IsFloat)
	shared := m.some(x.Shape().Rank())
	batches := m.rng.IntN(len(shared) + 1)
	dims := []int{}
	for _, k := range shared {
		dims = append(dims, x.Shape().Dims[k])
	}
	for len(dims) < mostRank && !m.chance(2) {
		dims = append(dims, m.dim())
	}
	order := m.rng.Perm(len(dims)) // dimension order[k] of y is dims[k]
	y := graph.Of(x.Shape().DType, make([]int, len(dims))...)
	for k, to := range order {
		y.Dims[to] = dims[k]
	}
	return m.b.Dot(x, m.like(y), graph.Dimensions{
		Batch:    [2][]int{shared[:batches], order[:batches]},
		Contract: [2][]int{shared[batches:], order[batches:len(shared)]},
	})
}

// move appends an operation that moves elements.
func (m *maker) move(op graph.Op) {
	x := m.any(anyType)
	s := x.Shape()
	switch op {
	case graph.Broadcast:
		m.keep(m.broadcast(x))
	case graph.Reshape:
		m.keep(m.b.Reshape(x, m.regrouped(s.Dims)...))
	case graph.Transpose:
		m.keep(m.b.Transpose(x, m.rng.Perm(s.Rank())...))
	case graph.Slice:
		m.keep(m.slice(x))
	case graph.DynamicSlice:
		m.keep(m.b.DynamicSlice(x, m.part(s).Dims, m.indices(s.Rank())...))
	case graph.DynamicUpdateSlice:
		m.keep(m.b.DynamicUpdateSlice(x, m.like(m.part(s)), m.indices(s.Rank())...))
	case graph.GatherRows:
		if s.Rank() > 0 && s.Dims[0] > 0 {
			m.keep(m.b.GatherRows(x, m.like(graph.Of(graph.S32, m.dim()))))
		}
	case graph.Concatenate:
		if s.Rank() > 0 {
			m.keep(m.concatenate(x))
		}
	case graph.Pad:
		m.keep(m.b.Pad(x, m.like(graph.Of(s.DType)), m.small(s.Rank()), m.small(s.Rank())))
	}
}

// small returns n numbers from 0 to 2.
func (m *maker) small(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = m.rng.IntN(3)
	}
	return x
}

// indices returns n scalars that are starts.
func (m *maker) indices(n int) []graph.Value {
	x := make([]graph.Value, n)
	for i := range x {
		x[i] = m.like(graph.Of(graph.S32))
	}
	return x
}

// part returns the shape of a part of an array.
func (m *maker) part(s graph.Shape) graph.Shape {
	p := graph.Of(s.DType, slices.Clone(s.Dims)...)
	for k, d := range s.Dims {
		p.Dims[k] = max(m.rng.IntN(d+1), m.rng.IntN(d+1))
	}
	return p
}

func (m *maker) broadcast(x graph.Value) graph.Value {
	dims, to := []int{}, []int{}
	for _, d := range x.Shape().Dims {
		for m.chance(4) {
			dims = append(dims, m.dim())
		}
		to = append(to, len(dims))
		dims = append(dims, d)
	}
	for m.chance(2) {
		dims = append(dims, m.dim())
	}
	return m.b.Broadcast(x, dims, to...)
}

// regrouped returns other dimensions for as many elements: neighbours become one, or ones are put between them.
func (m *maker) regrouped(dims []int) []int {
	result := []int{}
	for _, d := range dims {
		switch {
		case len(result) > 0 && m.chance(2):
			result[len(result)-1] *= d
		case m.chance(3):
			result = append(result, 1, d)
		default:
			result = append(result, d)
		}
	}
	return result
}

func (m *maker) slice(x graph.Value) graph.Value {
	var start, limit, stride []int
	for _, d := range x.Shape().Dims {
		from := min(m.rng.IntN(d+1), m.rng.IntN(d+1))
		start, stride = append(start, from), append(stride, 1+m.rng.IntN(3))
		limit = append(limit, from+m.rng.IntN(d-from+1))
	}
	return m.b.Slice(x, start, limit, stride)
}

func (m *maker) concatenate(x graph.Value) graph.Value {
	s := x.Shape()
	dim := m.rng.IntN(s.Rank())
	xs := []graph.Value{x}
	for !m.chance(3) && len(xs) < mostRank {
		next := graph.Of(s.DType, slices.Clone(s.Dims)...)
		next.Dims[dim] = m.dim()
		xs = append(xs, m.like(next))
	}
	return m.b.Concatenate(dim, xs...)
}
