package programs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Precision says how products are computed on a device.
type Precision string

// The precisions. In those with bf16, the operands of products are rounded to 8 bits, or written as sums of two or three such
// numbers; products are exact and are summed in f32.
const (
	FP32   Precision = "fp32"
	FP64   Precision = "fp64"
	BF16   Precision = "bf16"
	BF16x2 Precision = "bf16x2"
	BF16x3 Precision = "bf16x3"
)

var precisions = []Precision{FP32, FP64, BF16, BF16x2, BF16x3}

// dtype returns the type in which operands come to the device and results leave it.
func (p Precision) dtype() graph.DType {
	if p == FP64 {
		return graph.F64
	}
	return graph.F32
}

// parts returns of how many bf16 numbers an operand is the sum; 0 if it is used as it is.
func (p Precision) parts() int { return map[Precision]int{BF16: 1, BF16x2: 2, BF16x3: 3}[p] }

// unit returns the relative error of an operand as products see it, what is left out of them included; 0 if operands are used as they are.
func (p Precision) unit() float64 {
	const bits = 8 // of a bf16
	if p.parts() == 0 {
		return 0
	}
	return math.Ldexp(1, -bits*p.parts())
}

// productError returns a bound on the error of a sum of k products, in units of the sum of their moduli or of what bounds it, for operands that may
// have been rounded to the type (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The parts of two operands that are
// multiplied have moduli that sum to at most overlap times the product's; those left out and what no part holds are within 2 unit.
func (p Precision) productError(k int) float64 {
	const more = 8 // roundings of the operands and of a factor, and additions of parts
	const overlap = 1 + 0x1p-5
	sums := float64(k+more) * p.dtype().Eps() / 2
	if sums >= 1 {
		return math.Inf(1)
	}
	return overlap*sums/(1-sums) + 2*p.unit()
}

// choices returns the precisions that a device has.
func choices(caps trnbackend.Caps) []string {
	var names []string
	for _, p := range precisions {
		if p == FP64 && !caps.Has(graph.F64) || p.parts() > 0 && !caps.Has(graph.BF16) {
			continue
		}
		names = append(names, string(p))
	}
	return names
}

// Integers is asked for where no precision was named and the data were integers before they became double precision. It is a word of
// callers, not of users, and only changes what the error says.
const Integers = "integers"

// ChoosePrecision returns the precision that was asked for, or fp32 for single-precision data where none was named. Data of double
// precision are not rounded unasked: without a named precision they are an UnsupportedError, as is a precision that the device lacks.
func ChoosePrecision(caps trnbackend.Caps, asked string, double bool) (Precision, error) {
	names := choices(caps)
	have := strings.Join(names, ", ")
	switch {
	case asked == "" && double:
		return "", &trnbackend.UnsupportedError{Device: caps.Device, What: "precision: float64 arrays need precision=, one of " + have}
	case asked == Integers && double:
		return "", &trnbackend.UnsupportedError{
			Device: caps.Device, What: "precision: integer arrays are computed in float64, which needs precision=, one of " + have,
		}
	case asked == "" || asked == Integers:
		return FP32, nil
	case !slices.Contains(precisions, Precision(asked)):
		return "", fmt.Errorf("precision: %q is not one of %s", asked, have)
	case !slices.Contains(names, asked):
		return "", &trnbackend.UnsupportedError{Device: caps.Device, What: fmt.Sprintf("precision: there is no %s, there are %s", asked, have)}
	}
	return Precision(asked), nil
}

// split adds the bf16 numbers of which x, of type f32, is the sum. The leading 8 bits are cut off by arithmetic in f32 (T. J. Dekker, Numer.
// Math. 18, 1971) and not by a conversion, since compilers may drop a conversion there and back. Numbers above 2^110 overflow to infinity there.
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

// product adds the product of x and y in the precision, with a result of type f32 or f64. Of the products of parts those are left out that are below
// the last one kept: of two parts the square of the small one, of three those of the third with all but the first.
func product(b *graph.Builder, p Precision, x, y graph.Value, d graph.Dimensions) graph.Value {
	parts := p.parts()
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

// productWithItself adds the product of stacks of matrices with their own transposes, X X^T, or X^T X with trans, as product does: x has dimensions
// of a stack, of rows and of columns. The parts of x are computed once. Products of two different parts come in pairs that are each other's
// transposes, of which one is multiplied and the sum of all of them transposed: two products instead of three for bf16x2, four instead of six for
// bf16x3. A sum of parts passes through fewer additions than in product.
func productWithItself(b *graph.Builder, p Precision, x graph.Value, trans bool) graph.Value {
	const rows, cols = 1, 2
	d := graph.Dimensions{Batch: [2][]int{{0}, {0}}, Contract: [2][]int{{cols}, {cols}}}
	if trans {
		d.Contract = [2][]int{{rows}, {rows}}
	}
	parts := p.parts()
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
	var half, squares graph.Value                 // products of different parts, one of each pair; of parts with themselves
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
