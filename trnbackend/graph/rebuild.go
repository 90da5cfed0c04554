package graph

import "fmt"

// Rebuild makes a graph from nodes, operands before their users, and results, with the Builder's checks: the shape of
// an operation must be the one that its operands give, and the elements of a constant must be numbers of its type.
// Build then simplifies the graph, which may have fewer nodes. The nodes are copied. An error names the node or the
// result by its index.
func Rebuild(name string, nodes []Node, results []Result) (*Graph, error) {
	return rebuild(name, nodes, results, func(i int) string {
		if i < len(nodes) {
			return fmt.Sprintf("node %%%d", i)
		}
		return fmt.Sprintf("result %d", i-len(nodes))
	})
}

// rebuild is Rebuild with other places in errors: where(i) is the place of node i and, after the nodes, of the results.
func rebuild(name string, nodes []Node, results []Result, where func(i int) string) (*Graph, error) {
	b := NewBuilder(name)
	for i := range nodes {
		b.where = where(i)
		if b.restore(&nodes[i]); b.err != nil {
			return nil, b.err
		}
	}
	for i, r := range results {
		b.where = where(len(nodes) + i)
		v := Value{}
		if r.Node >= 0 && r.Node < len(b.nodes) {
			v = Value{b, r.Node}
		}
		b.Result(r.Name, v)
	}
	return b.Build()
}

// restore adds a copy of a node that has its shape.
func (b *Builder) restore(n *Node) {
	operands := make([]Value, len(n.Operands))
	for i, o := range n.Operands {
		if o < 0 || o >= len(b.nodes) {
			b.fail(n.Op.String(), "the operand %%%d is not a node before this one", o)
			return
		}
		operands[i] = Value{b, o}
	}
	literal, _ := n.Attributes.(Literal)
	for _, x := range literal {
		if rounded := n.Shape.DType.Round(x); rounded != x && x == x {
			b.fail(n.Op.String(), "%v is not a number of type %s", x, n.Shape.DType)
			return
		}
	}
	v := b.readd(n, operands)
	if got := v.Shape(); b.err == nil && !got.Equal(n.Shape) {
		b.fail(n.Op.String(), "the shape is %s, not %s", got, n.Shape)
	}
}

// readd adds a copy of a node.
func (b *Builder) readd(n *Node, operands []Value) Value {
	c := Node{Op: n.Op, Shape: n.Shape.clone()}
	switch a := n.Attributes.(type) {
	case nil:
	case Input:
		if n.Op == Parameter && len(operands) == 0 {
			return b.parameter(a.Name, n.Shape, a.Donated)
		}
		c.Attributes = a
	case Literal:
		if n.Op == Constant && len(operands) == 0 {
			return b.Constant(n.Shape, a...) // makes all NaNs one
		}
		c.Attributes = a
	default:
		c.Attributes = a.clone()
	}
	return b.add(c, operands...)
}
