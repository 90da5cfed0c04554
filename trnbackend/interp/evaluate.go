package interp

import (
	"slices"

	"trnsci/core/sched"
	"trnsci/trnbackend/graph"
)

// evaluate returns the results of a graph, each in an array of its own, which may be one of spare: those are written.
func evaluate(team *sched.Team, g *graph.Graph, plan memoryPlan, arguments, spare [][]float64) [][]float64 {
	nodes, memory := g.Nodes(), newArrays(plan, spare)
	values := make([][]float64, len(nodes))
	for i, n := range g.Parameters() {
		values[n] = arguments[i]
	}
	for i := range nodes {
		n := &nodes[i]
		e := evaluation{team: team, node: n}
		for _, o := range n.Operands {
			e.in, e.shapes = append(e.in, values[o]), append(e.shapes, nodes[o].Shape)
		}
		switch {
		case makesArray(n):
			e.out = memory.take(n.Shape.Size())
			e.compute()
			values[i] = e.out
		case n.Op == graph.Constant:
			values[i] = n.Literal
		case n.Op == graph.Reshape:
			values[i] = e.in[0]
		}
		for _, dead := range plan.dead[i] {
			memory.give(values[dead])
			values[dead] = nil
		}
	}
	results := make([][]float64, len(g.Results()))
	for i, r := range g.Results() {
		results[i] = values[r.Node]
		if plan.shared[i] {
			results[i] = slices.Clone(results[i])
		}
	}
	return results
}

// evaluation is one node with the elements and shapes of its operands. out is for its own elements.
type evaluation struct {
	team   *sched.Team
	node   *graph.Node
	in     [][]float64
	shapes []graph.Shape
	out    []float64
}

// compute sets all of out.
func (e *evaluation) compute() {
	n := e.node
	switch {
	case n.Op.IsUnary():
		e.unary()
	case n.Op.IsBinary():
		e.binary()
	case n.Op.IsReduce():
		e.reduce()
	case n.Op == graph.Iota:
		e.iota()
	case n.Op == graph.Select:
		e.choose()
	case n.Op == graph.Dot:
		e.dot()
	case n.Op == graph.GatherRows:
		e.gatherRows()
	case n.Op == graph.Concatenate:
		e.concatenate()
	case n.Op == graph.Pad:
		e.pad()
	case n.Op == graph.DynamicUpdateSlice:
		e.update()
	default:
		e.move()
	}
}

// chunk is how many elements one thread works on at a time: few enough that a second pass finds them in its first cache.
const chunk = 1 << 11

// chunks calls body for all ranges of elements of out, on all threads.
func (e *evaluation) chunks(body func(lo, hi int)) {
	size := len(e.out)
	e.parallel((size+chunk-1)/chunk, func(i int) { body(i*chunk, min(size, (i+1)*chunk)) })
}

// parallel calls body for 0 <= i < n on all threads.
func (e *evaluation) parallel(n int, body func(i int)) {
	err := e.team.For(n, func(_, i int) error {
		body(i)
		return nil
	})
	if err != nil {
		panic(err) // bodies give none, and nothing cancels the team
	}
}
