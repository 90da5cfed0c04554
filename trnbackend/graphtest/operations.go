package graphtest

import (
	"slices"

	"trnsci/trnbackend/graph"
)

// generator makes an operation on values that fit it. It reports false if there are none.
type generator struct {
	needs []graph.DType // types that the device must have
	make  func(m *maker) (v graph.Value, ok bool)
}

// generators has every operation that Random chooses; parameters are made where values are needed.
var generators = [...]generator{
	graph.Parameter: {},
	graph.Constant:  {make: always((*maker).constant)},
	graph.Iota:      {make: always((*maker).iota)},

	graph.Negate:  {make: onNumber((*graph.Builder).Negate)},
	graph.Abs:     {make: onNumber((*graph.Builder).Abs)},
	graph.Sign:    {make: onNumber((*graph.Builder).Sign)},
	graph.Exp:     {make: onFloat((*graph.Builder).Exp, atMostOne)},
	graph.Log:     {make: onFloat((*graph.Builder).Log, fromOneHalf)},
	graph.Sqrt:    {make: onFloat((*graph.Builder).Sqrt, fromOneHalf)},
	graph.Rsqrt:   {make: onFloat((*graph.Builder).Rsqrt, fromOneHalf)},
	graph.Tanh:    {make: onFloat((*graph.Builder).Tanh, nil)},
	graph.Not:     {needs: predicates, make: always(func(m *maker) graph.Value { return m.b.Not(m.any(isPred)) })},
	graph.Convert: {make: always(func(m *maker) graph.Value { return m.b.Convert(m.any(anyType), m.dtype(anyType)) })},

	graph.Add:      {make: onPair((*graph.Builder).Add, graph.DType.IsNumber)},
	graph.Subtract: {make: onPair((*graph.Builder).Subtract, graph.DType.IsNumber)},
	graph.Multiply: {make: onPair((*graph.Builder).Multiply, graph.DType.IsNumber)},
	graph.Divide:   {make: onPair((*graph.Builder).Divide, graph.DType.IsNumber)},
	graph.Maximum:  {make: onPair((*graph.Builder).Maximum, graph.DType.IsNumber)},
	graph.Minimum:  {make: onPair((*graph.Builder).Minimum, graph.DType.IsNumber)},
	graph.And:      {needs: predicates, make: onPair((*graph.Builder).And, isPred)},
	graph.Or:       {needs: predicates, make: onPair((*graph.Builder).Or, isPred)},
	graph.Compare:  {needs: predicates, make: always((*maker).compare)},
	graph.Select:   {needs: predicates, make: always((*maker).choose)},

	graph.Dot:       {make: always((*maker).dot)},
	graph.ReduceSum: {make: reducing((*graph.Builder).ReduceSum)},
	graph.ReduceMax: {make: reducing((*graph.Builder).ReduceMax)},
	graph.ReduceMin: {make: reducing((*graph.Builder).ReduceMin)},

	graph.Broadcast:          {make: moving((*maker).broadcast)},
	graph.Reshape:            {make: moving((*maker).reshape)},
	graph.Transpose:          {make: moving((*maker).transpose)},
	graph.Slice:              {make: moving((*maker).slice)},
	graph.DynamicSlice:       {needs: integers, make: moving((*maker).dynamicSlice)},
	graph.DynamicUpdateSlice: {needs: integers, make: moving((*maker).dynamicUpdate)},
	graph.GatherRows:         {needs: integers, make: (*maker).gatherRows},
	graph.Concatenate:        {make: (*maker).concatenate},
	graph.Pad:                {make: moving((*maker).pad)},
}

var (
	predicates = []graph.DType{graph.Pred}
	integers   = []graph.DType{graph.S32}
)

// add appends an operation on values that fit it, or nothing if the device lacks a type that it needs.
func (m *maker) add(op graph.Op) {
	g := &generators[op]
	for _, d := range g.needs {
		if !m.has(d) {
			return
		}
	}
	if v, ok := g.make(m); ok {
		m.keep(v)
	}
}

// always returns the make function of an operation for which there are always values.
func always(f func(m *maker) graph.Value) func(*maker) (graph.Value, bool) {
	return func(m *maker) (graph.Value, bool) { return f(m), true }
}

func (m *maker) iota() graph.Value {
	if s := m.shape(m.dtype(graph.DType.IsNumber)); s.Rank() > 0 {
		return m.b.Iota(s, m.rng.IntN(s.Rank()))
	}
	return m.constant()
}

func (m *maker) constant() graph.Value {
	s := m.shape(m.dtype(anyType))
	elements := make([]float64, s.Size())
	for i := range elements {
		elements[i] = number(m.rng, s.DType)
	}
	return m.b.Constant(s, elements...)
}

func onNumber(f func(*graph.Builder, graph.Value) graph.Value) func(*maker) (graph.Value, bool) {
	return always(func(m *maker) graph.Value { return f(m.b, m.any(graph.DType.IsNumber)) })
}

// onFloat returns the make function of an operation whose operand tame brings into its domain, most often.
func onFloat(
	f func(*graph.Builder, graph.Value) graph.Value, tame func(m *maker, x graph.Value) graph.Value,
) func(*maker) (graph.Value, bool) {
	const wild = 4
	return always(func(m *maker) graph.Value {
		x := m.any(graph.DType.IsFloat)
		lacks := !m.may(graph.Abs) || !m.may(graph.Broadcast) || !m.may(graph.Add) || !m.may(graph.Minimum)
		if !m.chance(wild) && !lacks && tame != nil {
			x = tame(m, x)
		}
		return f(m.b, x)
	})
}

func atMostOne(m *maker, x graph.Value) graph.Value { return m.b.Minimum(x, m.b.Fill(x.Shape(), 1)) }

func fromOneHalf(m *maker, x graph.Value) graph.Value {
	return m.b.Add(m.b.Abs(x), m.b.Fill(x.Shape(), 0.5))
}

func onPair(
	f func(b *graph.Builder, x, y graph.Value) graph.Value, right func(graph.DType) bool,
) func(*maker) (graph.Value, bool) {
	return always(func(m *maker) graph.Value {
		x := m.any(right)
		return f(m.b, x, m.like(x.Shape()))
	})
}

func (m *maker) compare() graph.Value {
	x := m.any(anyType)
	y := m.like(x.Shape())
	return m.b.Compare(graph.Direction(m.rng.IntN(int(graph.GE)+1)), x, y)
}

func (m *maker) choose() graph.Value {
	x := m.any(anyType)
	y := m.like(x.Shape())
	return m.b.Select(m.like(x.Shape().As(graph.Pred)), x, y)
}

func reducing(f func(b *graph.Builder, x graph.Value, dims ...int) graph.Value) func(*maker) (graph.Value, bool) {
	return always(func(m *maker) graph.Value {
		x := m.any(graph.DType.IsNumber)
		return f(m.b, x, m.some(x.Shape().Rank())...)
	})
}

// moving returns the make function of an operation that moves the elements of any value.
func moving(f func(m *maker, x graph.Value) graph.Value) func(*maker) (graph.Value, bool) {
	return always(func(m *maker) graph.Value { return f(m, m.any(anyType)) })
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

func (m *maker) reshape(x graph.Value) graph.Value {
	return m.b.Reshape(x, m.regrouped(x.Shape().Dims)...)
}

func (m *maker) transpose(x graph.Value) graph.Value {
	return m.b.Transpose(x, m.rng.Perm(x.Shape().Rank())...)
}

func (m *maker) dynamicSlice(x graph.Value) graph.Value {
	s := x.Shape()
	return m.b.DynamicSlice(x, m.part(s).Dims, m.indices(s.Rank())...)
}

func (m *maker) dynamicUpdate(x graph.Value) graph.Value {
	s := x.Shape()
	return m.b.DynamicUpdateSlice(x, m.like(m.part(s)), m.indices(s.Rank())...)
}

func (m *maker) pad(x graph.Value) graph.Value {
	s := x.Shape()
	return m.b.Pad(x, m.like(graph.Of(s.DType)), m.small(s.Rank()), m.small(s.Rank()))
}

func (m *maker) gatherRows() (v graph.Value, ok bool) {
	x := m.any(anyType)
	if s := x.Shape(); s.Rank() == 0 || s.Dims[0] == 0 {
		return v, false
	}
	return m.b.GatherRows(x, m.like(graph.Of(graph.S32, m.dim()))), true
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

func (m *maker) concatenate() (v graph.Value, ok bool) {
	x := m.any(anyType)
	s := x.Shape()
	if s.Rank() == 0 {
		return v, false
	}
	dim := m.rng.IntN(s.Rank())
	xs := []graph.Value{x}
	for !m.chance(3) && len(xs) < mostRank {
		next := graph.Of(s.DType, slices.Clone(s.Dims)...)
		next.Dims[dim] = m.dim()
		xs = append(xs, m.like(next))
	}
	return m.b.Concatenate(dim, xs...), true
}
