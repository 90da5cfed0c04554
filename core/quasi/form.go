package quasi

import (
	"math"

	"trnsci/core/dense"
)

// Eigenvalues returns the eigenvalues of the triangular or standardized quasi-triangular t, in the order of its
// diagonal. A 2 x 2 block [a b; c a] holds the pair a +- i sqrt(-bc), of which the one with positive imaginary part
// comes first.
func Eigenvalues[T dense.Scalar](t dense.View[T]) []complex128 {
	n := t.Rows
	values := make([]complex128, 0, n)
	for i := 0; i < n; i++ {
		diagonal := dense.Convert[complex128](t.At(i, i))
		if i+1 == n || t.At(i+1, i) == 0 {
			values = append(values, diagonal)
			continue
		}
		im := geometricMean(dense.Abs(t.At(i, i+1)), dense.Abs(t.At(i+1, i)))
		values = append(values, diagonal+complex(0, im), dense.Convert[complex128](t.At(i+1, i+1))-complex(0, im))
		i++
	}
	return values
}

// geometricMean returns the square root of x y, which is exact if the numbers are equal.
func geometricMean(x, y float64) float64 {
	larger, smaller := max(x, y), min(x, y)
	if ratio := smaller / larger; ratio >= dense.SmallestNormalDouble {
		return larger * math.Sqrt(ratio)
	}
	return math.Sqrt(larger) * math.Sqrt(smaller)
}

// BlockOrderAt returns the order, 1 or 2, of the diagonal block of t that starts in row i.
func BlockOrderAt[T dense.Scalar](t dense.Matrix[T], i int) int {
	if i+1 < t.Rows && t.At(i+1, i) != 0 {
		return 2
	}
	return 1
}

// BlockOrderEndingAt returns the order, 1 or 2, of the diagonal block of t that ends in row i.
func BlockOrderEndingAt[T dense.Scalar](t dense.Matrix[T], i int) int {
	if i > 0 && t.At(i, i-1) != 0 {
		return 2
	}
	return 1
}

// CheckForm returns a *dense.ArgumentError that names t unless t, a square matrix, has the shape of a Schur form:
// triangular or, if it is real, quasi-triangular. Blocks need not be in standard form.
func CheckForm[T dense.Scalar](t dense.View[T]) error {
	blocks := !dense.IsComplex[T]()
	for i := range t.Rows {
		for j := range i {
			// An element next to the diagonal is allowed if there is none above it.
			if t.At(i, j) != 0 && (j < i-1 || !blocks || (j > 0 && t.At(j, j-1) != 0)) {
				return dense.BadArgument("t", "is not a Schur form: element (%d,%d) is not zero", i, j)
			}
		}
	}
	return nil
}

// HasForm reports whether a is triangular or, if it is real, quasi-triangular with blocks that are not triangular.
func HasForm[T dense.Scalar](a dense.Matrix[T]) bool {
	coupled := dense.IsComplex[T]() // whether an element left of the diagonal is excluded, always or by the row before
	for i := 1; i < a.Rows; i++ {
		row := a.Row(i)
		for _, x := range row[:i-1] {
			if x != 0 {
				return false
			}
		}
		if row[i-1] == 0 {
			coupled = dense.IsComplex[T]()
			continue
		}
		if coupled || a.At(i-1, i) == 0 {
			return false
		}
		coupled = true
	}
	return true
}
