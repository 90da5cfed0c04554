package main

import (
	"math"

	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
)

// ulps is how far a result of one operation may be from the number that interp has, in units of eps times the number. interp's numbers are
// correctly rounded but for the functions of package math in f64, which are within 1. XLA on a CPU was seen at 0.9 for exp and log, 1.9 for
// tanh; the reciprocal root is rounded twice. Operations that are not listed are correctly rounded everywhere, or exact.
var ulps = map[graph.Op]float64{graph.Exp: 2, graph.Log: 2, graph.Rsqrt: 2, graph.Tanh: 4}

// allowedErrors returns, for each result of a case of one operation, the errors that its elements may have; nil where there must be none.
// Infinities and NaN are to be as they are.
//
// A sum of n terms, in an order that interp does not have, is within n eps times the sum of the magnitudes, which is what the operation
// gives for the magnitudes of its operands; eps is that of f32 where f32 is what it adds up in, and the result is rounded once more.
func allowedErrors(c *graphtest.OpCase, results [][]float64) ([][]float64, error) {
	magnitudes, err := evaluate(c.Graph, absolute(c.Inputs))
	if err != nil {
		return nil, err
	}
	errors := make([][]float64, len(results))
	for i, r := range c.Graph.Results() {
		n := &c.Graph.Nodes()[r.Node]
		eps := n.Shape.DType.Eps()
		allow := func(bound func(k int) float64) {
			errors[i] = make([]float64, len(results[i]))
			for k := range errors[i] {
				if e := bound(k); !math.IsInf(e, 0) && e == e {
					errors[i][k] = e
				}
			}
		}
		switch {
		case n.Op == graph.Dot || n.Op == graph.ReduceSum && n.Shape.DType.IsFloat():
			count := float64(terms(c.Graph, n))
			allow(func(k int) float64 {
				return eps*math.Abs(results[i][k]) + count*min(eps, graph.F32.Eps())*magnitudes[i][k]
			})
		case ulps[n.Op] > 0:
			allow(func(k int) float64 { return ulps[n.Op] * eps * math.Abs(results[i][k]) })
		}
	}
	return errors, nil
}

// terms returns how many numbers each element of a product or a sum is made of.
func terms(g *graph.Graph, n *graph.Node) int {
	dims := n.Dims
	if n.Op == graph.Dot {
		dims = n.Contract[0]
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
