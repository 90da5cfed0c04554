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
// number back in the type of the constant.

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
			b.WriteString(number(n.Shape.DType, x))
		}
		b.WriteByte('}')
	case n.Op == Compare:
		fmt.Fprintf(&b, " direction=%s", n.Direction)
	}
	for _, a := range n.attributes() {
		fmt.Fprintf(&b, " %s=", a.name)
		for _, list := range a.lists {
			b.WriteString(dimsText(*list))
		}
	}
	return b.String()
}

// attribute is what the text calls some lists of integers of a node.
type attribute struct {
	name  string
	lists []*[]int
}

// attributes returns the lists that nodes of n's operation have, in the order of the text.
func (n *Node) attributes() []attribute {
	switch {
	case n.Op == Dot:
		return []attribute{
			{"contract", []*[]int{&n.Contract[0], &n.Contract[1]}},
			{"batch", []*[]int{&n.Batch[0], &n.Batch[1]}},
		}
	case n.Op == Slice:
		return []attribute{{"start", []*[]int{&n.Start}}, {"limit", []*[]int{&n.Limit}}, {"stride", []*[]int{&n.Stride}}}
	case n.Op == Pad:
		return []attribute{{"before", []*[]int{&n.Start}}, {"behind", []*[]int{&n.Limit}}}
	case n.Op == Broadcast || n.Op == Transpose || n.Op == Iota || n.Op == Concatenate || n.Op.IsReduce():
		return []attribute{{"dims", []*[]int{&n.Dims}}}
	}
	return nil
}

// number returns the shortest decimal that gives back x, a number of type d: integers without an exponent.
func number(d DType, x float64) string {
	format := byte('g')
	if d == S32 {
		format = 'f'
	}
	return strconv.FormatFloat(x, format, -1, d.textBits())
}

// textBits returns the size of the IEEE type as whose numbers those of type d are written and read: a single holds a bf16, a double the others.
func (d DType) textBits() int {
	const single, double = 32, 64
	if d == F32 || d == BF16 {
		return single
	}
	return double
}
