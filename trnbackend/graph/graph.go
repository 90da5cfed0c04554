package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Result is an output of a graph.
type Result struct {
	Name string
	Node int
}

// Graph is a frozen graph. Callers must not change what its methods return.
type Graph struct {
	name    string
	nodes   []Node
	params  []int
	results []Result
	text    string
	key     string
}

// Name returns the name that the graph was given.
func (g *Graph) Name() string { return g.name }

// Nodes returns the nodes, operands before users.
func (g *Graph) Nodes() []Node { return g.nodes }

// Parameters returns the nodes of the inputs, in the order in which a program takes them.
func (g *Graph) Parameters() []int { return g.params }

// Input returns the attributes of parameter i.
func (g *Graph) Input(i int) Input { return g.nodes[g.params[i]].Attributes.(Input) }

// Results returns the outputs, in the order in which a program gives them.
func (g *Graph) Results() []Result { return g.results }

// ParameterShapes returns the shapes of the inputs.
func (g *Graph) ParameterShapes() []Shape {
	shapes := make([]Shape, len(g.params))
	for i, n := range g.params {
		shapes[i] = g.nodes[n].Shape
	}
	return shapes
}

// ResultShapes returns the shapes of the outputs.
func (g *Graph) ResultShapes() []Shape {
	shapes := make([]Shape, len(g.results))
	for i, r := range g.results {
		shapes[i] = g.nodes[r.Node].Shape
	}
	return shapes
}

// Donation returns, for each parameter, the result that takes over its buffer, or -1: the first result that is the
// parameter itself, else the first remaining one of the same shape. Parameters choose in their order.
func (g *Graph) Donation() []int {
	const none = -1
	donation := make([]int, len(g.params))
	for i := range donation {
		donation[i] = none
	}
	taken := make([]bool, len(g.results))
	give := func(fits func(parameter, result int) bool) {
		for i, p := range g.params {
			if !g.Input(i).Donated || donation[i] != none {
				continue
			}
			for r, result := range g.results {
				if !taken[r] && fits(p, result.Node) {
					taken[r], donation[i] = true, r
					break
				}
			}
		}
	}
	give(func(parameter, result int) bool { return parameter == result })
	give(func(parameter, result int) bool { return g.nodes[parameter].Shape.Equal(g.nodes[result].Shape) })
	return donation
}

// LastUse returns, for each node, the last node that reads it; the node itself if none does, as for a parameter that is
// not used; the number of nodes for a result. A buffer may be freed after that node.
func (g *Graph) LastUse() []int {
	last := make([]int, len(g.nodes))
	for i, n := range g.nodes {
		last[i] = i
		for _, o := range n.Operands {
			last[o] = i
		}
	}
	for _, r := range g.results {
		last[r.Node] = len(g.nodes)
	}
	return last
}

// Uses reports whether a node of the graph has the type d.
func (g *Graph) Uses(d DType) bool {
	return slices.ContainsFunc(g.nodes, func(n Node) bool { return n.Shape.DType == d })
}

// Text returns the canonical text, which Parse reads.
func (g *Graph) Text() string { return g.text }

// Key returns the content key, the SHA-256 of the text in hexadecimal digits: graphs with the same key have the same
// name and compute the same.
func (g *Graph) Key() string { return g.key }

// freeze computes what is derived from the nodes.
func (g *Graph) freeze() {
	g.text = g.write()
	sum := sha256.Sum256([]byte(g.text))
	g.key = hex.EncodeToString(sum[:])
}

// The canonical text has a line for each node:
//
//	graph "name"
//	%0 = parameter f32[4,8] "a"
//	%1 = parameter f32[8,2] "b" donated
//	%2 = dot f32[4,2] %0 %1 contract=[1][0] batch=[][]
//	result "c" %2
//
// Attributes follow the operands; see the write methods of Attributes. Numbers of a literal are the shortest decimals
// that give the number back in the type of the constant.

// write returns the canonical text.
func (g *Graph) write() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q\n", g.name)
	for i := range g.nodes {
		fmt.Fprintf(&b, "%%%d = %s\n", i, g.nodes[i].write())
	}
	for _, r := range g.results {
		fmt.Fprintf(&b, "result %q %%%d\n", r.Name, r.Node)
	}
	return b.String()
}
