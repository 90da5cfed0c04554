package product

import (
	"trnsci/core/precision"
	"trnsci/trnbackend/graph"
)

// split adds the bf16 numbers whose sum is x, of type f32. The leading 8 bits are cut off by arithmetic in f32 (T. J.
// Dekker, Numer. Math. 18, 1971) and not by a conversion, since compilers may drop a conversion to bf16 and back.
// Numbers above 2^110 overflow to infinity in it.
func split(b *graph.Builder, x graph.Value, parts int) []graph.Value {
	const factor = 1<<16 + 1 // 24 bits of f32 less the 8 that stay, and one
	shape := x.Shape()
	var values []graph.Value
	for part := range parts {
		head := x
		if part < parts-1 {
			big := b.Multiply(x, b.Fill(shape, factor))
			head = b.Subtract(big, b.Subtract(big, x))
			x = b.Subtract(x, head)
		}
		values = append(values, b.Convert(head, graph.BF16))
	}
	return values
}

// Dot adds the product of x and y in the precision, with a result of type f32 or f64. Products of parts that are
// smaller than the last one kept are left out: for two parts the product of the second ones, for three the products of
// a third part with a second or a third.
func Dot(b *graph.Builder, p precision.Precision, x, y graph.Value, d graph.Dimensions) graph.Value {
	parts := p.Parts()
	if parts == 0 {
		return b.Dot(x, y, d)
	}
	xs, ys := split(b, x, parts), split(b, y, parts)
	var sum graph.Value
	for order := parts - 1; order >= 0; order-- { // the smallest first
		for i := 0; i <= order; i++ {
			term := b.Dot(xs[i], ys[order-i], d)
			if order == parts-1 && i == 0 {
				sum = term
			} else {
				sum = b.Add(sum, term)
			}
		}
	}
	return sum
}

// WithItself adds the product of a stack of matrices with their own transposes, X X^T, or X^T X with trans, in the way
// of Dot. x has the dimensions stack, rows, columns. The parts of x are computed once. Products of two different parts
// come in pairs that are each other's transposes: one of each pair is multiplied, and their sum is transposed. That
// makes two products instead of three for bf16x2 and four instead of six for bf16x3, and a sum of parts passes through
// fewer additions than in Dot.
func WithItself(b *graph.Builder, p precision.Precision, x graph.Value, trans bool) graph.Value {
	const rows, cols = 1, 2
	d := graph.Dimensions{Batch: [2][]int{{0}, {0}}, Contract: [2][]int{{cols}, {cols}}}
	if trans {
		d.Contract = [2][]int{{rows}, {rows}}
	}
	parts := p.Parts()
	if parts == 0 {
		return b.Dot(x, x, d)
	}
	xs := split(b, x, parts)
	plus := func(sum, term graph.Value) graph.Value {
		if sum == (graph.Value{}) {
			return term
		}
		return b.Add(sum, term)
	}
	// products of two different parts, one of each pair; of parts with themselves
	var half, squares graph.Value
	for order := parts - 1; order >= 0; order-- { // the smallest first
		for i := 0; 2*i < order; i++ {
			half = plus(half, b.Dot(xs[i], xs[order-i], d))
		}
		if order%2 == 0 {
			squares = plus(squares, b.Dot(xs[order/2], xs[order/2], d))
		}
	}
	if parts == 1 {
		return squares
	}
	return b.Add(b.Add(half, b.Transpose(half, 0, 2, 1)), squares)
}
