package graph

import (
	"math"
	"slices"
)

// Cost is what a node, or a graph, costs on any machine: floating-point operations, where a multiplication and an addition are two, and bytes
// that it reads and writes if nothing is fused.
type Cost struct {
	Flops, BytesRead, BytesWritten int64
}

// Add returns the sum of two costs. What passes the largest int64 stays at it.
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

// NodeCost returns the cost of node i. Parameters, constants and reshapes cost nothing. A part that is taken out of an array reads that part,
// and the indices.
func (g *Graph) NodeCost(i int) Cost {
	n := &g.nodes[i]
	size := int64(n.Shape.Size())
	if n.Op == Parameter || n.Op == Constant || n.Op == Reshape {
		return Cost{}
	}
	c := Cost{BytesWritten: n.Shape.Bytes()}
	for k, o := range n.Operands {
		read := g.nodes[o].Shape
		if k == 0 && (n.Op == Slice || n.Op == DynamicSlice || n.Op == GatherRows) {
			read = n.Shape
		}
		c.BytesRead = sum(c.BytesRead, read.Bytes())
	}
	switch {
	case n.Op == Dot:
		c.Flops = 2 * size
		x := g.nodes[n.Operands[0]].Shape
		for _, k := range n.Contract[0] {
			c.Flops = product(c.Flops, int64(x.Dims[k]))
		}
	case n.Op.IsReduce():
		c.Flops = int64(g.nodes[n.Operands[0]].Shape.Size())
	case n.Op.IsUnary() || n.Op.IsBinary() || n.Op == Select:
		c.Flops = size
	}
	return c
}

// Peak returns the most bytes that results of nodes take at once when the nodes run in order, nothing is fused, and what has been read for the last
// time is freed. Parameters are not counted, the results of the graph are.
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
