package graphtest

import (
	"fmt"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Reference holds the results of a graph for some inputs, with the intervals in which results of executors may lie.
type Reference struct {
	graph   *graph.Graph
	results [][]interval
}

// Evaluate returns the results of a graph for buffers of its parameters. It takes some 100 nanoseconds for each element
// and each term of a product.
func Evaluate(g *graph.Graph, in [][]byte) *Reference {
	nodes := g.Nodes()
	values := make([][]interval, len(nodes))
	for i, p := range g.Parameters() {
		for _, x := range trnbackend.Decode(nodes[p].Shape.DType, in[i]) {
			values[p] = append(values[p], exactly(x))
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Op == graph.Parameter {
			continue
		}
		e := evaluation{node: n}
		for _, o := range n.Operands {
			e.in = append(e.in, array{nodes[o].Shape, values[o]})
		}
		values[i] = make([]interval, n.Shape.Size())
		for k := range values[i] {
			values[i][k] = judges[n.Op](&e, unravel(n.Shape.Dims, k), k)
		}
	}
	r := &Reference{graph: g}
	for _, result := range g.Results() {
		r.results = append(r.results, values[result.Node])
	}
	return r
}

// Values returns the elements of result i by definition: rounded after every operation, with sums in the order of
// indices.
func (r *Reference) Values(i int) []float64 {
	x := make([]float64, len(r.results[i]))
	for k, e := range r.results[i] {
		x[k] = e.v
	}
	return x
}

// Range returns the least and the greatest value that each element of result i may have. NaN in both says that only NaN
// is right; minus infinity and infinity, that everything is, or everything but NaN.
func (r *Reference) Range(i int) (low, high []float64) {
	for _, x := range r.results[i] {
		if x.v != x.v && !x.any {
			x.lo, x.hi = x.v, x.v
		}
		low, high = append(low, x.lo), append(high, x.hi)
	}
	return low, high
}

// Known returns the number of elements that Compare checks, and the number of all.
func (r *Reference) Known() (known, all int) {
	shapes := r.graph.ResultShapes()
	for i, result := range r.results {
		for _, x := range result {
			all++
			if !x.any && (x.known() || shapes[i].DType != graph.Pred) {
				known++
			}
		}
	}
	return known, all
}

// Compare returns an error if the buffers of the results differ from those of every correct executor.
func (r *Reference) Compare(got [][]byte) error {
	shapes := r.graph.ResultShapes()
	for i, result := range r.results {
		name := r.graph.Results()[i].Name
		if int64(len(got[i])) != shapes[i].Bytes() {
			return fmt.Errorf("result %q %s has %d bytes", name, shapes[i], len(got[i]))
		}
		for k, y := range trnbackend.Decode(shapes[i].DType, got[i]) {
			if x := result[k]; !x.accepts(y) {
				return fmt.Errorf("result %q %s: element %v is %v, not %v (%v to %v)", name, shapes[i],
					unravel(shapes[i].Dims, k), y, x.v, x.lo, x.hi)
			}
		}
	}
	return nil
}
