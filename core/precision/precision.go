// Package precision is the one vocabulary for the arithmetic of matrix products: the names that users write, the unit
// roundoff, the splitting into bfloat16 numbers, and a bound on the error of a sum of products.
//
// On the host the names choose the data type of the products. On a device they also choose how an operand is written as
// a sum of bfloat16 numbers, the inputs of matrix units: bf16x2 and bf16x3 take two and three of them, multiply the
// parts exactly and add the products in float32 (G. Henry, P. T. P. Tang, A. Heinecke, Leveraging the bfloat16
// Artificial Intelligence Datatype for Higher-Precision Computations, 26th IEEE Symposium on Computer Arithmetic,
// 2019).
package precision

import (
	"math"
	"strings"
)

// Precision names how products of matrices are computed.
type Precision string

// The precisions. Input and Mixed are for the host, FP64 is for both, the others are for devices.
const (
	Input  Precision = ""       // in the data type of the operands, the wider one of two
	FP64   Precision = "fp64"   // in float64
	Mixed  Precision = "mixed"  // in float32; the sums that follow are in float64
	FP32   Precision = "fp32"   // in float32
	BF16   Precision = "bf16"   // of operands rounded to bfloat16, added in float32
	BF16x2 Precision = "bf16x2" // of operands that are sums of two bfloat16 numbers, added in float32
	BF16x3 Precision = "bf16x3" // of operands that are sums of three bfloat16 numbers, added in float32
)

// Host returns the precisions that can be named for calls on the host.
func Host() []Precision { return []Precision{FP64, Mixed} }

// Device returns the precisions that can be named for calls on a device, whether or not a particular device has them.
func Device() []Precision { return []Precision{FP32, FP64, BF16, BF16x2, BF16x3} }

// List returns the names with commas between them, for messages.
func List(ps []Precision) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// IsDouble reports whether products are computed in float64.
func (p Precision) IsDouble() bool { return p == FP64 }

// Parts returns the number of bfloat16 numbers whose sum stands for an operand, or 0 if the operand is used as it is.
func (p Precision) Parts() int { return map[Precision]int{BF16: 1, BF16x2: 2, BF16x3: 3}[p] }

// Roundoff returns the unit roundoff of the type in which products are added: half the distance from 1 to the next
// number.
func (p Precision) Roundoff() float64 {
	if p.IsDouble() {
		return 0x1p-53
	}
	return 0x1p-24
}

// SplitError returns the relative error of an operand that is written as a sum of bfloat16 numbers, the terms that are
// left out of a product included; 0 if operands are used as they are.
func (p Precision) SplitError() float64 {
	if p.Parts() == 0 {
		return 0
	}
	return math.Ldexp(1, -bf16Digits*p.Parts())
}

// Eps returns the larger of the distance from 1 to the next number of the type of sums and of twice SplitError: the
// relative accuracy that one product can have.
func (p Precision) Eps() float64 { return max(2*p.Roundoff(), 2*p.SplitError()) }

// ProductError returns a bound on the error of a sum of k products, relative to the sum of their moduli or to an upper
// bound of that sum. The operands may have been rounded to the type before (N. J. Higham, Accuracy and Stability of
// Numerical Algorithms, section 3.1). The products of the parts of two numbers have moduli that sum to at most overlap
// times the product's modulus; the terms that are left out, and the remainder that no part holds, are within 2
// SplitError.
func (p Precision) ProductError(k int) float64 {
	const more = 8 // roundings of the operands and of a scalar factor, and additions of the products of parts
	const overlap = 1 + 0x1p-5
	sums := float64(k+more) * p.Roundoff()
	if sums >= 1 {
		return math.Inf(1)
	}
	return overlap*sums/(1-sums) + 2*p.SplitError()
}
