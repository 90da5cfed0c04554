package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// loadLower returns a row-major matrix whose lower triangle is that of the Hermitian matrix in the named triangle of a,
// with a real diagonal, in a layout that suits tridiagonalize. What is above the diagonal is undefined. The memory is a's own if overwrite
// allows it and a's rows or columns are contiguous and suit that.
func loadLower[W dense.Wide, T dense.Scalar](team *sched.Team, a dense.View[T], upper, overwrite bool) (dense.Matrix[W], error) {
	h, ok := dense.Matrix[W]{}, false
	if overwrite {
		h, ok = ownMemory[W](a)
	}
	if !ok {
		h = newLower[W](a.Rows)
	}
	// Row i of the lower triangle is the conjugate of column i of the upper one. In a's own memory, too, every element
	// comes from its own place or from the triangle that is not written.
	if upper {
		a = a.T()
	}
	for i := range h.Rows {
		if err := team.Err(); err != nil {
			return h, err
		}
		row := h.Row(i)[: i+1 : i+1]
		from := dense.View[T]{Rows: 1, Cols: i + 1, Offset: a.Offset + i*a.RowStride, RowStride: a.RowStride, ColStride: a.ColStride, Data: a.Data}
		dense.Copy(dense.View[W]{Rows: 1, Cols: i + 1, RowStride: i + 1, ColStride: 1, Data: row}, from)
		if upper {
			conjugate(row)
		}
		row[i] = dense.FromReal[W](dense.Real(row[i]))
	}
	return h, nil
}

// ownMemory returns a's memory as a row-major matrix of type W, transposed if a is column-major, if tridiagonalize can work there.
func ownMemory[W dense.Wide, T dense.Scalar](a dense.View[T]) (dense.Matrix[W], bool) {
	wide, ok := any(a).(dense.View[W])
	if !ok {
		return dense.Matrix[W]{}, false
	}
	h, ok := wide.Matrix()
	if !ok {
		h, ok = wide.T().Matrix()
	}
	return h, ok && suitsReduction(h)
}

// conjugate replaces x by its complex conjugate.
func conjugate[W dense.Wide](x []W) {
	if z, ok := any(x).([]complex128); ok {
		for i, c := range z {
			z[i] = complex(real(c), -imag(c))
		}
	}
}

// largestInLower returns the largest absolute value of a real or imaginary part in the lower triangle of h, or NaN if
// there is one.
func largestInLower[W dense.Wide](h dense.Matrix[W]) float64 {
	largest := 0.0
	for i := range h.Rows {
		switch row := any(h.Row(i)[:i+1]).(type) {
		case []float64:
			for _, x := range row {
				largest = max(largest, math.Abs(x))
			}
		case []complex128:
			for _, x := range row {
				largest = max(largest, math.Abs(real(x)), math.Abs(imag(x)))
			}
		}
	}
	return largest
}

func isFinite(x float64) bool { return x-x == 0 }

// Matrices whose largest element is between these powers of two are not scaled: no product of two elements, and no
// element of the standard form of two such matrices, comes near the ends of the range of float64.
const (
	smallestExponent = -340
	largestExponent  = 340
	scalingLimit     = 1022 // 2^k is a normal number up to here
)

// scalingExponent returns the even k for which 2^k brings a matrix with the given largest element into the range where
// it needs no scaling: 0 for one that is there already. An even k has an exact square root of 2^k.
func scalingExponent(largest float64) int {
	_, exponent := math.Frexp(largest)
	if largest == 0 || smallestExponent <= exponent && exponent <= largestExponent {
		return 0
	}
	return min(-exponent, scalingLimit) / 2 * 2
}

// scaleLower multiplies the lower triangle of h by 2^exponent.
func scaleLower[W dense.Wide](h dense.Matrix[W], exponent int) {
	if exponent == 0 {
		return
	}
	for i := range h.Rows {
		scaleByPower(exponent, h.Row(i)[:i+1])
	}
}

// scaleByPower multiplies x by 2^exponent.
func scaleByPower[W dense.Wide](exponent int, x []W) {
	blas.Scal(dense.FromReal[W](math.Ldexp(1, exponent)), dense.Vec(x))
}
