package compliance

import (
	"context"
	"slices"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
)

// faulty is an executor that changes the nodes of every graph.
type faulty struct {
	trnbackend.Executor
	change func(n *graph.Node)
}

func (f *faulty) Compile(ctx context.Context, g *graph.Graph) (trnbackend.Program, error) {
	nodes := slices.Clone(g.Nodes())
	for i := range nodes {
		f.change(&nodes[i])
	}
	changed, err := graph.Rebuild(g.Name(), nodes, g.Results())
	if err != nil {
		return nil, err
	}
	return f.Executor.Compile(ctx, changed)
}

// swap returns a function that changes one operation to another one of the same shapes.
func swap(from, to graph.Op) func(n *graph.Node) {
	return func(n *graph.Node) {
		if n.Op == from {
			n.Op = to
		}
	}
}

func TestRandomGraphsFindWrongOperations(t *testing.T) {
	for name, change := range map[string]func(n *graph.Node){
		"maximum":     swap(graph.Maximum, graph.Minimum),
		"add":         swap(graph.Add, graph.Subtract),
		"tanh":        swap(graph.Tanh, graph.Sign),
		"rsqrt":       swap(graph.Rsqrt, graph.Sqrt),
		"and":         swap(graph.And, graph.Or),
		"sum":         swap(graph.ReduceSum, graph.ReduceMax),
		"largest":     swap(graph.ReduceMax, graph.ReduceMin),
		"equal":       compareBy(func(d graph.Direction) graph.Direction { return max(d, graph.NE) }),
		"less":        compareBy(func(d graph.Direction) graph.Direction { return min(d, graph.GT) }),
		"select":      func(n *graph.Node) { swapOperands(n, graph.Select, 1, 2) },
		"subtract":    func(n *graph.Node) { swapOperands(n, graph.Subtract, 0, 1) },
		"slice":       func(n *graph.Node) { shiftSlice(n) },
		"iota":        func(n *graph.Node) { otherAxis(n) },
		"concatenate": func(n *graph.Node) { swapOperands(n, graph.Concatenate, 0, len(n.Operands)-1) },
	} {
		e := &faulty{interp.New(), change}
		found := false
		for seed := uint64(0); seed < randomGraphs && !found; seed++ {
			g := randomGraph(e, seed)
			if _, err := e.Compile(context.Background(), g); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			found = wrong(e, g, seed)
		}
		if !found {
			t.Errorf("%s: no random graph notices", name)
		}
	}
}

func TestRandomGraphsFindAWrongElementOfAProduct(t *testing.T) {
	e := &faulty{interp.New(), func(n *graph.Node) {
		if d, isDot := n.Attributes.(graph.Dimensions); isDot && len(d.Contract[0]) == 2 {
			// pairs them the wrong way, where the lengths allow it
			d.Contract[0] = []int{d.Contract[0][1], d.Contract[0][0]}
			n.Attributes = d
		}
	}}
	for seed := range uint64(10 * randomGraphs) {
		g := randomGraph(e, seed)
		if _, err := e.Compile(context.Background(), g); err == nil && wrong(e, g, seed) {
			return
		}
	}
	t.Error("no random graph notices")
}

// compareBy returns a function that changes the directions of comparisons.
func compareBy(change func(d graph.Direction) graph.Direction) func(n *graph.Node) {
	return func(n *graph.Node) {
		if d, compares := n.Attributes.(graph.Direction); compares {
			n.Attributes = change(d)
		}
	}
}

func swapOperands(n *graph.Node, op graph.Op, i, j int) {
	if n.Op == op {
		n.Operands = slices.Clone(n.Operands)
		n.Operands[i], n.Operands[j] = n.Operands[j], n.Operands[i]
	}
}

// shiftSlice moves a slice that does not begin at 0 by one.
func shiftSlice(n *graph.Node) {
	if r, isSlice := n.Attributes.(graph.Ranges); isSlice && len(r.Start) > 0 && r.Start[0] > 0 {
		r.Start, r.Limit = slices.Clone(r.Start), slices.Clone(r.Limit)
		r.Start[0]--
		r.Limit[0]--
		n.Attributes = r
	}
}

func otherAxis(n *graph.Node) {
	if n.Op == graph.Iota && n.Shape.Rank() > 1 {
		n.Attributes = graph.Axes{(n.Attributes.(graph.Axes)[0] + 1) % n.Shape.Rank()}
	}
}
