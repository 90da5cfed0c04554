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

// evaluation is one node with the elements and shapes of its operands. out is for its own elements.
type evaluation struct {
	team   *sched.Team
	node   *graph.Node
	in     [][]float64
	shapes []graph.Shape
	out    []float64
}

// computations has the function that computes each operation; nil for those that make no array of their own.
var computations = [...]func(*evaluation){
	graph.Parameter: nil,
	graph.Constant:  nil,
	graph.Iota:      (*evaluation).iota,

	graph.Negate:  (*evaluation).unary,
	graph.Abs:     (*evaluation).unary,
	graph.Sign:    (*evaluation).unary,
	graph.Exp:     (*evaluation).unary,
	graph.Log:     (*evaluation).unary,
	graph.Sqrt:    (*evaluation).unary,
	graph.Rsqrt:   (*evaluation).unary,
	graph.Tanh:    (*evaluation).unary,
	graph.Not:     (*evaluation).unary,
	graph.Convert: (*evaluation).convert,

	graph.Add:      (*evaluation).binary,
	graph.Subtract: (*evaluation).binary,
	graph.Multiply: (*evaluation).binary,
	graph.Divide:   (*evaluation).binary,
	graph.Maximum:  (*evaluation).binary,
	graph.Minimum:  (*evaluation).binary,
	graph.And:      (*evaluation).binary,
	graph.Or:       (*evaluation).binary,
	graph.Compare:  (*evaluation).compare,
	graph.Select:   (*evaluation).choose,

	graph.Dot:       (*evaluation).dot,
	graph.ReduceSum: (*evaluation).reduce,
	graph.ReduceMax: (*evaluation).reduce,
	graph.ReduceMin: (*evaluation).reduce,

	graph.Broadcast:          (*evaluation).broadcast,
	graph.Reshape:            nil,
	graph.Transpose:          (*evaluation).transpose,
	graph.Slice:              (*evaluation).slice,
	graph.DynamicSlice:       (*evaluation).dynamicSlice,
	graph.DynamicUpdateSlice: (*evaluation).update,
	graph.GatherRows:         (*evaluation).gatherRows,
	graph.Concatenate:        (*evaluation).concatenate,
	graph.Pad:                (*evaluation).pad,
}

// makesArray reports whether a node has an array of its own.
func makesArray(n *graph.Node) bool { return computations[n.Op] != nil }

// compute sets all of out.
func (e *evaluation) compute() {
	computations[e.node.Op](e)
}

// chunk is the number of elements that one thread works on at a time: few enough that a second pass finds them in the
// L1 cache.
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
		panic(err) // bodies return no error, and nothing cancels the team
	}
}
