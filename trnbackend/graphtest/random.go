package graphtest

import (
	"fmt"
	"math/rand/v2"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Random returns a graph of operations chosen evenly, on parameters, constants and one another, of scalars up to arrays
// of rank 4, with some dimensions of 1 and a few of 0. All values that no other one reads are results. The same state
// of rng gives the same graph.
func Random(rng *rand.Rand, limits Limits) *graph.Graph {
	m := maker{rng: rng, b: graph.NewBuilder("random"), limits: limits}
	var ops []graph.Op
	for _, op := range graph.Ops() {
		if op != graph.Parameter && m.may(op) {
			ops = append(ops, op)
		}
	}
	m.fresh(m.shape(m.dtype(graph.DType.IsFloat)))
	for range limits.Nodes {
		m.add(ops[rng.IntN(len(ops))])
	}
	results := 0
	for i, v := range m.values {
		if !m.read[i] {
			m.b.Result(fmt.Sprint("r", results), v)
			results++
		}
	}
	if results == 0 { // all values were too large
		m.b.Result("r0", m.any(anyType))
	}
	g, err := m.b.Build()
	if err != nil {
		panic(err) // a mistake in this file
	}
	return g
}

// Inputs returns buffers for the parameters of a graph. Floats are normal numbers around 0 and small integers; integers
// are small ones, on both sides of the range of most indices, with a few of any size.
func Inputs(rng *rand.Rand, g *graph.Graph) [][]byte {
	var in [][]byte
	for _, s := range g.ParameterShapes() {
		x := make([]float64, s.Size())
		for i := range x {
			x[i] = number(rng, s.DType)
		}
		in = append(in, trnbackend.Encode(s.DType, x))
	}
	return in
}
