package main

import (
	"math"
	"slices"

	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
)

// ulps has the allowed difference of a result from that of interp, in units of eps times the result. Results of interp
// are correctly rounded, except for functions of package math in f64, which are within 1. Errors of XLA on a CPU were
// up to 0.9 for exp and log and 1.9 for tanh; the reciprocal root is rounded twice. Operations that are not listed are
// exact or correctly rounded everywhere.
var ulps = map[graph.Op]float64{graph.Exp: 2, graph.Log: 2, graph.Rsqrt: 2, graph.Tanh: 4}

// rightResults returns, for each result of a case of one operation, the least and the greatest elements that are right.
// Infinities and NaN must be reproduced.
func rightResults(c *graphtest.OpCase) (low, high [][]float64, err error) {
	results, err := evaluate(c.Graph, c.Inputs)
	if err != nil {
		return nil, nil, err
	}
	magnitudes, err := evaluate(c.Graph, absolute(c.Inputs))
	if err != nil {
		return nil, nil, err
	}
	for i, r := range c.Graph.Results() {
		least, greatest := slices.Clone(results[i]), slices.Clone(results[i])
		for k, x := range results[i] {
			if e := allowedError(c.Graph, &c.Graph.Nodes()[r.Node], x, magnitudes[i][k]); !math.IsInf(e, 0) && e == e {
				least[k], greatest[k] = x-e, x+e
			}
		}
		low, high = append(low, least), append(high, greatest)
	}
	return low, high, nil
}

// allowedError returns the allowed difference of an element of a node from x. magnitude is the result for the
// magnitudes of the operands.
//
// A sum of n terms in another order than that of interp is within n eps times the sum of their magnitudes, with the eps
// of f32 where products are added in f32. The result is rounded once more.
func allowedError(g *graph.Graph, n *graph.Node, x, magnitude float64) float64 {
	d := n.Shape.DType
	if n.Op == graph.Dot || n.Op == graph.ReduceSum {
		return d.Eps()*math.Abs(x) + float64(terms(g, n))*min(d.Eps(), graph.F32.Eps())*magnitude
	}
	return ulps[n.Op] * d.Eps() * math.Abs(x)
}

// terms returns the number of terms of each element of a product or a sum.
func terms(g *graph.Graph, n *graph.Node) int {
	dims, _ := n.Attributes.(graph.Axes)
	if n.Op == graph.Dot {
		dims = n.Attributes.(graph.Dimensions).Contract[0]
	}
	count := 1
	for _, k := range dims {
		count *= g.Nodes()[n.Operands[0]].Shape.Dims[k]
	}
	return count
}

func absolute(inputs [][]float64) [][]float64 {
	list := make([][]float64, len(inputs))
	for i, x := range inputs {
		for _, v := range x {
			list[i] = append(list[i], math.Abs(v))
		}
	}
	return list
}
