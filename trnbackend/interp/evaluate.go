package interp

import (
	"math"

	"trnsci/core/sched"
	"trnsci/trnbackend/graph"
)

// evaluate returns the results of a graph, each in memory that nothing else holds for writing. What the last user of a node has read is let go.
func evaluate(team *sched.Team, g *graph.Graph, arguments [][]float64) [][]float64 {
	nodes, last := g.Nodes(), g.LastUse()
	values := make([][]float64, len(nodes))
	for i, n := range g.Parameters() {
		values[n] = arguments[i]
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Op != graph.Parameter {
			e := evaluation{team: team, node: n}
			for _, o := range n.Operands {
				e.in, e.shapes = append(e.in, values[o]), append(e.shapes, nodes[o].Shape)
			}
			values[i] = e.compute()
		}
		for _, o := range n.Operands {
			if last[o] == i {
				values[o] = nil
			}
		}
	}
	results := make([][]float64, len(g.Results()))
	for i, r := range g.Results() {
		results[i] = values[r.Node]
	}
	return results
}

// evaluation is one node with the elements and shapes of its operands.
type evaluation struct {
	team   *sched.Team
	node   *graph.Node
	in     [][]float64
	shapes []graph.Shape
}

func (e *evaluation) compute() []float64 {
	n := e.node
	switch {
	case n.Op == graph.Constant:
		return n.Literal
	case n.Op.IsUnary():
		return e.unary()
	case n.Op.IsBinary():
		return e.binary()
	case n.Op.IsReduce():
		return e.reduce()
	}
	switch n.Op {
	case graph.Iota:
		return e.iota()
	case graph.Select:
		return e.choose()
	case graph.Dot:
		return e.dot()
	case graph.Reshape:
		return e.in[0]
	case graph.GatherRows:
		return e.gatherRows()
	case graph.Concatenate, graph.Pad, graph.DynamicUpdateSlice:
		return e.assemble()
	}
	return e.move()
}

func (e *evaluation) unary() []float64 {
	out, from, to := make([]float64, len(e.in[0])), e.shapes[0].DType, e.node.Shape.DType
	for i, x := range e.in[0] {
		out[i] = to.Round(e.node.Op.Unary(from, x))
	}
	return out
}

func (e *evaluation) binary() []float64 {
	out, d := make([]float64, len(e.in[0])), e.shapes[0].DType
	y := e.in[1]
	for i, x := range e.in[0] {
		if e.node.Op == graph.Compare {
			if e.node.Direction.Holds(x, y[i]) {
				out[i] = 1
			}
			continue
		}
		out[i] = d.Round(e.node.Op.Binary(d, x, y[i]))
	}
	return out
}

func (e *evaluation) iota() []float64 {
	shape, dim := e.node.Shape, e.node.Dims[0]
	out := make([]float64, shape.Size())
	stride := strides(shape.Dims)[dim]
	for i := range out {
		out[i] = shape.DType.Round(float64(i / stride % shape.Dims[dim]))
	}
	return out
}

func (e *evaluation) choose() []float64 {
	out := make([]float64, len(e.in[0]))
	for i, p := range e.in[0] {
		if p != 0 {
			out[i] = e.in[1][i]
		} else {
			out[i] = e.in[2][i]
		}
	}
	return out
}

// reduce brings the dimensions that go behind the others and combines runs of elements, in the order of the operand.
func (e *evaluation) reduce() []float64 {
	x, goes := e.shapes[0], e.node.Dims
	kept := others(x.Rank(), goes)
	rows := arranged(e.in[0], x, append(kept, goes...))
	out := make([]float64, e.node.Shape.Size())
	length := 1
	for _, k := range goes {
		length *= x.Dims[k]
	}
	for i := range out {
		out[i] = x.DType.Round(e.combined(rows[i*length : (i+1)*length]))
	}
	return out
}

// combined reduces one run. Integers wrap around: their sum is exact in float64 as long as it is below 2^53 and is then reduced.
func (e *evaluation) combined(run []float64) float64 {
	d := e.shapes[0].DType
	switch e.node.Op {
	case graph.ReduceSum:
		sum := 0.0
		for _, x := range run {
			if d == graph.S32 {
				sum = graph.Add.Binary(d, sum, x)
			} else {
				sum += x
			}
		}
		return sum
	case graph.ReduceMax:
		most := lowest(d)
		for _, x := range run {
			most = graph.Maximum.Binary(d, most, x)
		}
		return most
	}
	least := -lowest(d)
	if d == graph.S32 {
		least = math.MaxInt32
	}
	for _, x := range run {
		least = graph.Minimum.Binary(d, least, x)
	}
	return least
}

// lowest returns the number of a type below which there is none.
func lowest(d graph.DType) float64 {
	if d == graph.S32 {
		return math.MinInt32
	}
	return math.Inf(-1)
}
