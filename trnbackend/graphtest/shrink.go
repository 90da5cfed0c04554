package graphtest

import (
	"fmt"
	"slices"

	"trnsci/trnbackend/graph"
)

// Shrink returns a smaller graph that still fails: one with fewer or earlier results, and with parameters in place of
// operations. It ends when no single step leads to a graph that fails. The function fails makes the inputs of each
// graph.
func Shrink(g *graph.Graph, fails func(*graph.Graph) bool) *graph.Graph {
	for {
		smaller := step(g, fails)
		if smaller == nil {
			return g
		}
		g = smaller
	}
}

// step returns a graph that is one step smaller and fails, or nil.
func step(g *graph.Graph, fails func(*graph.Graph) bool) *graph.Graph {
	accept := func(nodes []graph.Node, results []graph.Result) *graph.Graph {
		smaller, err := graph.Rebuild(g.Name(), nodes, results)
		if err == nil && weight(smaller) < weight(g) && fails(smaller) {
			return smaller
		}
		return nil
	}
	if results := g.Results(); len(results) > 1 {
		for i := range results {
			if smaller := accept(g.Nodes(), slices.Delete(slices.Clone(results), i, i+1)); smaller != nil {
				return smaller
			}
		}
	}
	for i, r := range g.Results() {
		for _, o := range g.Nodes()[r.Node].Operands {
			results := slices.Clone(g.Results())
			results[i].Node = o
			if smaller := accept(g.Nodes(), results); smaller != nil {
				return smaller
			}
		}
	}
	for i := len(g.Nodes()) - 1; i >= 0; i-- {
		if smaller := accept(asParameter(g, i), g.Results()); smaller != nil {
			return smaller
		}
		if smaller := accept(withoutParameter(g, i)); smaller != nil {
			return smaller
		}
	}
	return nil
}

// weight is smaller after every step: the number of results and nodes, where nodes other than parameters count twice.
func weight(g *graph.Graph) int {
	return 2*len(g.Nodes()) - len(g.Parameters()) + len(g.Results())
}

// asParameter returns the nodes with node i replaced by a parameter.
func asParameter(g *graph.Graph, i int) []graph.Node {
	nodes := slices.Clone(g.Nodes())
	if nodes[i].Op != graph.Parameter {
		nodes[i] = graph.Node{
			Op: graph.Parameter, Shape: nodes[i].Shape, Attributes: graph.Input{Name: fmt.Sprint("n", len(nodes), ".",
				i)},
		}
	}
	return nodes
}

// withoutParameter returns the nodes and results without node i if that is a parameter without users, else no nodes.
func withoutParameter(g *graph.Graph, i int) ([]graph.Node, []graph.Result) {
	if g.Nodes()[i].Op != graph.Parameter || g.LastUse()[i] != i {
		return nil, nil
	}
	nodes, results := slices.Delete(slices.Clone(g.Nodes()), i, i+1), slices.Clone(g.Results())
	for k := range nodes {
		nodes[k].Operands = slices.Clone(nodes[k].Operands)
		for j, o := range nodes[k].Operands {
			if o > i {
				nodes[k].Operands[j]--
			}
		}
	}
	for k := range results {
		if results[k].Node > i {
			results[k].Node--
		}
	}
	return nodes, results
}
