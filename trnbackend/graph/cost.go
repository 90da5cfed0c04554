package graph

import (
	"math"
	"slices"
)

// Cost is what a node, or a graph, costs on any machine: floating-point operations, where a multiplication and an
// addition are two, and the bytes that it reads and writes if nothing is fused.
type Cost struct {
	Flops, BytesRead, BytesWritten int64
}

// Add returns the sum of two costs. Sums beyond the largest int64 become that number.
func (c Cost) Add(d Cost) Cost {
	return Cost{sum(c.Flops, d.Flops), sum(c.BytesRead, d.BytesRead), sum(c.BytesWritten, d.BytesWritten)}
}

// sum returns x + y, or the largest number if that is larger, for numbers that are not negative.
func sum(x, y int64) int64 { return x + min(y, math.MaxInt64-x) }

// product returns x y, or the largest number if that is larger, for numbers that are not negative.
func product(x, y int64) int64 {
	if y != 0 && x > math.MaxInt64/y {
		return math.MaxInt64
	}
	return x * y
}

// Cost returns the cost of the whole graph.
func (g *Graph) Cost() Cost {
	var all Cost
	for i := range g.nodes {
		all = all.Add(g.NodeCost(i))
	}
	return all
}

// NodeCost returns the cost of node i. Parameters, constants and reshapes cost nothing. A part that is taken out of an
// array reads that part, and the indices.
func (g *Graph) NodeCost(i int) Cost {
	n := &g.nodes[i]
	e := n.Op.entry()
	if e.cost == movesNone {
		return Cost{}
	}
	c, in := Cost{BytesWritten: n.Shape.Bytes()}, make([]Shape, len(n.Operands))
	for k, o := range n.Operands {
		in[k] = g.nodes[o].Shape
		read := in[k]
		if k == 0 && e.cost == movesPart {
			read = n.Shape
		}
		c.BytesRead = sum(c.BytesRead, read.Bytes())
	}
	if e.flops != nil {
		c.Flops = e.flops(n, in)
	}
	return c
}

// ofResult, ofOperand and ofDot are the flops of one operation for each element of the result, for each element of the
// operand, and of a product.
func ofResult(n *Node, _ []Shape) int64 { return int64(n.Shape.Size()) }

func ofOperand(_ *Node, in []Shape) int64 { return int64(in[0].Size()) }

func ofDot(n *Node, in []Shape) int64 {
	flops := 2 * int64(n.Shape.Size())
	for _, k := range n.Attributes.(Dimensions).Contract[0] {
		flops = product(flops, int64(in[0].Dims[k]))
	}
	return flops
}

// Peak returns the most bytes that results of nodes take at once when the nodes run in order, nothing is fused, and
// each result is freed after it has been read for the last time. Parameters are not counted, the results of the graph
// are.
func (g *Graph) Peak() int64 {
	last := g.LastUse()
	var live, peak int64
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.Op != Parameter {
			live += n.Shape.Bytes()
		}
		peak = max(peak, live)
		for k, o := range n.Operands {
			if last[o] == i && g.nodes[o].Op != Parameter && !slices.Contains(n.Operands[:k], o) {
				live -= g.nodes[o].Shape.Bytes()
			}
		}
	}
	return peak
}
