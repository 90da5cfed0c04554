package mp2

import (
	"fmt"
	"slices"

	"trnsci/core/precision"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
)

// pairKind says which energies of the pairs of occupied orbitals a graph computes.
type pairKind int

const (
	closedShell  pairKind = iota // opposite-spin and same-spin energies of both spins together
	sameSpin                     // of one spin of an open shell
	oppositeSpin                 // of alpha i, a and beta j, b
)

func (k pairKind) String() string {
	return [...]string{"closed shell", "same spin", "opposite spin"}[k]
}

// component is one energy of a pair.
type component int

const (
	oppositeSpinEnergy component = iota // sum_ab K_ab^2 / D
	sameSpinEnergy                      // sum_ab (K_ab - K_ba)^2 / D
)

// components returns the energies that a graph computes, in the order of its result.
func (k pairKind) components() []component {
	return [...][]component{{oppositeSpinEnergy, sameSpinEnergy}, {sameSpinEnergy}, {oppositeSpinEnergy}}[k]
}

// triangular reports whether both orbitals of a pair have one spin, so that the pairs with i >= j are enough.
func (k pairKind) triangular() bool { return k != oppositeSpin }

// weight returns the factor of an energy of the pair i, j. In the sums over all i, j, a, b
//
//	closed shell: sum K_ab^2 / D, and sum K_ab (K_ab - K_ba) / D = 1/2 sum (K_ab - K_ba)^2 / D
//	open shell:   1/2 sum K_ab (K_ab - K_ba) / D = 1/4 sum (K_ab - K_ba)^2 / D
//
// the pairs i < j are equal to their mirror images, and same-spin energies vanish for i = j.
func (k pairKind) weight(c component, i, j int) float64 {
	switch {
	case k == oppositeSpin:
		return 1
	case i < j || i == j && c == sameSpinEnergy:
		return 0
	case i == j:
		return 1
	case c == oppositeSpinEnergy:
		return 2
	case k == closedShell:
		return 1
	}
	return 0.5
}

// weights returns the weights of a block of pairs, components x block x block, for a block on the diagonal or for one
// below it.
func (k pairKind) weights(block int, diagonal bool) []float64 {
	below := block
	if diagonal {
		below = 0
	}
	var weights []float64
	for _, c := range k.components() {
		for i := range block {
			for j := range block {
				weights = append(weights, k.weight(c, below+i, j))
			}
		}
	}
	return weights
}

// build returns the graph for two blocks of the same number of occupied orbitals i and j, nvir[0] virtual orbitals a,
// nvir[1] virtual orbitals b, and naux auxiliary functions. Its parameters are
//
//	b_i, b_j      block x nvir x naux integrals, zero in the padding
//	d_ia, d_jb    2 x block x nvir: e_i - e_a as a sum of two numbers
//	weights       components x block x block
//
// and its result is components x block x block weighted energies. In the padding K = 0, which contributes exactly zero.
func (k pairKind) build(p precision.Precision, block int, nvir [2]int, naux int) (*graph.Graph, error) {
	b := graph.NewBuilder(fmt.Sprintf("mp2 %s %s", k, p))
	t := product.DType(p)
	x := b.Parameter("b_i", graph.Of(t, block, nvir[0], naux))
	y := b.Parameter("b_j", graph.Of(t, block, nvir[1], naux))
	left := b.Parameter("d_ia", graph.Of(t, 2, block, nvir[0]))
	right := b.Parameter("d_jb", graph.Of(t, 2, block, nvir[1]))
	weights := b.Parameter("weights", graph.Of(t, len(k.components()), block, block))
	const aux = 2
	integrals := product.Dot(b, p, x, y, graph.Dimensions{Contract: [2][]int{{aux}, {aux}}})
	if b.Err() != nil {
		return nil, b.Err()
	}
	d := denominators(b, left, right, integrals.Shape())
	var energies []graph.Value
	for _, c := range k.components() {
		z := integrals
		if c == sameSpinEnergy {
			z = b.Subtract(integrals, b.Transpose(integrals, 0, 3, 2, 1)) // i, b, j, a
		}
		terms := b.Divide(b.Multiply(z, z), d)
		overA := sumHalves(b, terms, 1)
		energies = append(energies, b.Reshape(sumHalves(b, overA, 2), 1, block, block))
	}
	b.Result("energies", b.Multiply(weights, b.Concatenate(0, energies...)))
	return b.Build()
}

// denominators adds D = d_ia + d_jb in the shape i, a, j, b, with the small parts of both added last. A denominator
// that is 0 is replaced by 1: it belongs to padding, or to two electrons of one spin in one orbital, where the
// numerator is 0.
func denominators(b *graph.Builder, left, right graph.Value, shape graph.Shape) graph.Value {
	sum := func(n int) graph.Value {
		x := b.Broadcast(entry(b, left, n), shape.Dims, 0, 1)
		return b.Add(x, b.Broadcast(entry(b, right, n), shape.Dims, 2, 3))
	}
	d := b.Add(sum(0), sum(1))
	return b.Select(b.Compare(graph.EQ, d, b.Fill(shape, 0)), b.Fill(shape, 1), d)
}

// entry adds x[n].
func entry(b *graph.Builder, x graph.Value, n int) graph.Value {
	return b.Reshape(sliceOfDim(b, x, 0, n, n+1), x.Shape().Dims[1:]...)
}

// sliceOfDim adds the elements start to limit of one dimension of x.
func sliceOfDim(b *graph.Builder, x graph.Value, dim, start, limit int) graph.Value {
	shape := x.Shape()
	from, to, stride := make([]int, shape.Rank()), slices.Clone(shape.Dims), slices.Repeat([]int{1}, shape.Rank())
	from[dim], to[dim] = start, limit
	return b.Slice(x, from, to, stride)
}

// sumHalves adds the sums of x over a dimension, which is removed. As long as the length is even it adds one half to
// the other: a compiler may add the elements of a reduction one after the other, with rounding errors that grow with
// their number.
func sumHalves(b *graph.Builder, x graph.Value, dim int) graph.Value {
	for n := x.Shape().Dims[dim]; n%2 == 0; n /= 2 {
		x = b.Add(sliceOfDim(b, x, dim, 0, n/2), sliceOfDim(b, x, dim, n/2, n))
	}
	return b.ReduceSum(x, dim)
}

// halvingAdditions returns an upper bound on the number of additions that a term of sumHalves passes through.
func halvingAdditions(n int) int {
	halvings := 0
	for ; n%2 == 0; n /= 2 {
		halvings++
	}
	return halvings + n - 1
}
