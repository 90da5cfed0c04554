package graph_test

import (
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// nodes returns the nodes of 2 x + reduced y, a graph without anything for Build to do.
func nodes() []graph.Node {
	vector := graph.Of(graph.F32, 3)
	return []graph.Node{
		{Op: graph.Parameter, Shape: vector, Attributes: graph.Input{Name: "x", Donated: true}},
		{Op: graph.Parameter, Shape: graph.Of(graph.F32, 4, 3), Attributes: graph.Input{Name: "y"}},
		{Op: graph.Constant, Shape: vector, Attributes: graph.Literal{2, 2, 2}},
		{Op: graph.Multiply, Shape: vector, Operands: []int{0, 2}},
		{Op: graph.ReduceSum, Shape: vector, Operands: []int{1}, Attributes: graph.Axes{0}},
		{Op: graph.Add, Shape: vector, Operands: []int{3, 4}},
	}
}

func TestRebuild(t *testing.T) {
	given := nodes()
	g, err := graph.Rebuild("r", given, []graph.Result{{Name: "z", Node: 5}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `graph "r"
%0 = parameter f32[3] "x" donated
%1 = parameter f32[4,3] "y"
%2 = constant f32[3] {2 2 2}
%3 = multiply f32[3] %0 %2
%4 = reduce-sum f32[3] %1 dims=[0]
%5 = add f32[3] %3 %4
result "z" %5
`
	given[0].Shape.Dims[0], given[4].Attributes.(graph.Axes)[0], given[2].Attributes.(graph.Literal)[0] = 7, 7, 7
	again, err := graph.Rebuild(g.Name(), g.Nodes(), g.Results())
	if err != nil || g.Text() != want || again.Text() != want || again.Key() != g.Key() {
		t.Errorf("%v\n%s\n%s", err, g.Text(), again.Text())
	}
}

func TestRebuildRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(n []graph.Node)
		result graph.Result
		want   string
	}{
		{"shape", func(n []graph.Node) { n[4].Shape = graph.Of(graph.F32, 4) }, graph.Result{Name: "z", Node: 5},
			"graph r: reduce-sum at node %4: the shape is f32[3], not f32[4]"},
		{"later operand", func(n []graph.Node) { n[3].Operands[1] = 3 }, graph.Result{Name: "z", Node: 5},
			"graph r: multiply at node %3: the operand %3 is not a node before this one"},
		{"negative operand", func(n []graph.Node) { n[3].Operands[1] = -1 }, graph.Result{Name: "z", Node: 5},
			"the operand %-1"},
		{"literal", func(n []graph.Node) { n[2].Attributes.(graph.Literal)[1] = 0.1 }, graph.Result{Name: "z", Node: 5},
			"graph r: constant at node %2: 0.1 is not a number of type f32"},
		{"operand of a parameter", func(n []graph.Node) { n[1].Operands = []int{0} }, graph.Result{Name: "z", Node: 5},
			"node %1: 1 operands, not 0"},
		{"operation", func(n []graph.Node) { n[5].Op = 200 }, graph.Result{Name: "z", Node: 5},
			"op(200) at node %5: there is no such operation"},
		{"type", func(n []graph.Node) { n[0].Shape.DType = 9 }, graph.Result{Name: "z", Node: 5},
			"parameter at node %0: type 9 does not exist"},
		{"attributes of another operation", func(n []graph.Node) { n[4].Attributes = graph.Literal{0} },
			graph.Result{Name: "z", Node: 5},
			"reduce-sum at node %4: attributes graph.Literal, not graph.Axes"},
		{"no attributes", func(n []graph.Node) { n[0].Attributes = nil }, graph.Result{Name: "z", Node: 5},
			"parameter at node %0: attributes <nil>, not graph.Input"},
		{"result", func([]graph.Node) {}, graph.Result{Name: "z", Node: 6},
			`graph r: result at result 0: "z" is not a value of this graph`},
		{"name of a result", func([]graph.Node) {}, graph.Result{Node: 5}, `result at result 0: the name is empty`},
	} {
		n := nodes()
		c.spoil(n)
		_, err := graph.Rebuild("r", n, []graph.Result{c.result})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
