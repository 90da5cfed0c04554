package graph

import (
	"fmt"
	"strconv"
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
// Attributes follow the operands, in the order and with the names below. Numbers of a literal are the shortest decimals that give the
// number back.

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
	switch {
	case n.Op == Parameter:
		fmt.Fprintf(&b, " %q", n.Name)
		if n.Donated {
			b.WriteString(" donated")
		}
	case n.Op == Constant:
		b.WriteString(" {")
		for i, x := range n.Literal {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(number(x))
		}
		b.WriteByte('}')
	case n.Op == Compare:
		fmt.Fprintf(&b, " direction=%s", n.Direction)
	case n.Op == Dot:
		fmt.Fprintf(&b, " contract=%s%s batch=%s%s", dimsText(n.Contract[0]), dimsText(n.Contract[1]), dimsText(n.Batch[0]), dimsText(n.Batch[1]))
	case n.Op == Slice:
		fmt.Fprintf(&b, " start=%s limit=%s stride=%s", dimsText(n.Start), dimsText(n.Limit), dimsText(n.Stride))
	case n.Op == Pad:
		fmt.Fprintf(&b, " before=%s behind=%s", dimsText(n.Start), dimsText(n.Limit))
	case n.Op.usesDims():
		fmt.Fprintf(&b, " dims=%s", dimsText(n.Dims))
	}
	return b.String()
}

// usesDims reports whether nodes of this operation have Dims.
func (o Op) usesDims() bool {
	return o == Broadcast || o == Transpose || o == Iota || o == Concatenate || o.IsReduce()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
