package graph

import (
	"fmt"
	"unicode/utf8"
)

// MaxOps is the limit of the number of nodes of a graph, parameters and constants included: compilers for devices take
// minutes for graphs of some thousand operations.
const MaxOps = 4096

// foldElements is the limit of the size of constants that folding makes: larger ones are better computed on the device
// than sent to it.
const foldElements = 64

// Build freezes the graph. Nodes that no result needs are left out, except for parameters; operations on small
// constants are evaluated; nodes that compute the same are merged. The error is the first mistake of the builder, or
// that the graph has no result or more than MaxOps operations. The builder can be used further; Build then makes
// another graph.
func (b *Builder) Build() (*Graph, error) {
	switch {
	case b.err != nil:
		return nil, b.err
	case !utf8.ValidString(b.name):
		return nil, fmt.Errorf("the name %q of a graph is not UTF-8", b.name)
	case len(b.results) == 0:
		return nil, fmt.Errorf("graph %s has no result", b.name)
	}
	g := &Graph{name: b.name}
	m := merger{graph: g, at: make([]int, len(b.nodes)), known: map[string]int{}}
	used := needed(b.nodes, b.params, b.results)
	for i, n := range b.nodes {
		if used[i] {
			m.at[i] = m.add(n)
		}
	}
	for _, p := range b.params {
		g.params = append(g.params, m.at[p])
	}
	for _, r := range b.results {
		g.results = append(g.results, Result{r.Name, m.at[r.Node]})
	}
	g.prune()
	if len(g.nodes) > MaxOps {
		return nil, fmt.Errorf("graph %s has %d operations, the limit is %d", b.name, len(g.nodes), MaxOps)
	}
	g.freeze()
	return g, nil
}

// needed marks the parameters and what a result needs.
func needed(nodes []Node, params []int, results []Result) []bool {
	needed := make([]bool, len(nodes))
	for _, p := range params {
		needed[p] = true
	}
	for _, r := range results {
		needed[r.Node] = true
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if needed[i] {
			for _, o := range nodes[i].Operands {
				needed[o] = true
			}
		}
	}
	return needed
}

// merger appends nodes to a graph, folded, and equal ones only once.
type merger struct {
	graph *Graph
	at    []int          // where each node of the builder is in the graph
	known map[string]int // nodes by their text, which determines them
}

func (m *merger) add(n Node) int {
	operands := make([]int, len(n.Operands))
	for i, o := range n.Operands {
		operands[i] = m.at[o]
	}
	n.Operands = operands
	if folded, ok := m.graph.fold(n); ok {
		n = folded
	}
	text := n.write()
	if at, ok := m.known[text]; ok {
		return at
	}
	m.graph.nodes = append(m.graph.nodes, n)
	m.known[text] = len(m.graph.nodes) - 1
	return m.known[text]
}

// fold evaluates a node whose operands are small constants.
func (g *Graph) fold(n Node) (Node, bool) {
	element := n.Op.entry().element
	if element == nil || n.Shape.Size() > foldElements {
		return n, false
	}
	var in [][]float64
	for _, o := range n.Operands {
		if g.nodes[o].Op != Constant {
			return n, false
		}
		in = append(in, g.nodes[o].Attributes.(Literal))
	}
	elements := make(Literal, n.Shape.Size())
	d := g.nodes[n.Operands[0]].Shape.DType
	for i := range elements {
		elements[i] = n.Shape.DType.literal(element(&n, d, in, i))
	}
	return Node{Op: Constant, Shape: n.Shape, Attributes: elements}, true
}

func elementOfReshape(_ *Node, _ DType, in [][]float64, i int) float64 { return in[0][i] }

func elementOfUnary(n *Node, d DType, in [][]float64, i int) float64 { return n.Op.Unary(d, in[0][i]) }

func elementOfBinary(n *Node, d DType, in [][]float64, i int) float64 {
	return n.Op.Binary(d, in[0][i], in[1][i])
}

func elementOfCompare(n *Node, _ DType, in [][]float64, i int) float64 {
	if n.Attributes.(Direction).Holds(in[0][i], in[1][i]) {
		return 1
	}
	return 0
}

func elementOfSelect(_ *Node, _ DType, in [][]float64, i int) float64 {
	if in[0][i] != 0 {
		return in[1][i]
	}
	return in[2][i]
}

// prune removes nodes that have no user after folding.
func (g *Graph) prune() {
	keep, at := needed(g.nodes, g.params, g.results), make([]int, len(g.nodes))
	var nodes []Node
	for i, n := range g.nodes {
		if !keep[i] {
			continue
		}
		for k, o := range n.Operands {
			n.Operands[k] = at[o]
		}
		at[i] = len(nodes)
		nodes = append(nodes, n)
	}
	g.nodes = nodes
	for i, p := range g.params {
		g.params[i] = at[p]
	}
	for i := range g.results {
		g.results[i].Node = at[g.results[i].Node]
	}
}
