package interp

import (
	"slices"

	"trnsci/core/sched"
	"trnsci/trnbackend/graph"
)

// evaluate returns the results of a graph, each in an array of its own. The arrays of spare may be used and are
// overwritten.
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
			values[i] = n.Attributes.(graph.Literal)
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

// compute sets all of out.
func (e *evaluation) compute() {
	computations[e.node.Op](e)
}
