package graph

import (
	"fmt"
	"strings"
)

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

func (n *Node) write() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", n.Op, n.Shape)
	for _, o := range n.Operands {
		fmt.Fprintf(&b, " %%%d", o)
	}
	if n.Attributes != nil {
		n.Attributes.write(&b, n.Shape.DType)
	}
	return b.String()
}
