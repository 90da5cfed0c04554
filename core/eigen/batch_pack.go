package eigen

import (
	"math"

	"trnsci/core/dense"
)

// realView is a view of a square matrix as real numbers: part p of element (i, j) is at offset + i*row + j*col + p.
type realView[R dense.Float] struct {
	data                           []R
	order, parts, offset, row, col int
}

func newRealView[R dense.Float, T dense.Scalar](v dense.View[T]) realView[R] {
	parts := dense.Parts[T]()
	return realView[R]{
		data: dense.Reals[R](v.Data), order: v.Rows, parts: parts,
		offset: v.Offset * parts, row: v.RowStride * parts, col: v.ColStride * parts,
	}
}

// magnitudeBits returns the bits of |x|. As integers they have the order of the values, with infinity after all numbers
// and NaNs after that.
func magnitudeBits[R dense.Float](x R) uint64 { return math.Float64bits(float64(x)) &^ (1 << 63) }

// extent holds bits of the largest modulus of some numbers, and of the smallest one that is not zero minus a unit in
// the last place.
type extent struct{ largest, smallest uint64 }

// newExtent returns the extent of no numbers.
func newExtent() extent { return extent{smallest: math.MaxUint64} }

func (e *extent) include(bits uint64) {
	e.largest = max(e.largest, bits)
	e.smallest = min(e.smallest, bits-1) // a zero becomes the largest integer
}

// finite reports whether there is neither an infinity nor a NaN.
func (e *extent) finite() bool { return dense.IsFinite(math.Float64frombits(e.largest)) }

// add includes the elements in the columns first <= j < end of row i.
func (v realView[R]) add(i, first, end int, e extent) extent {
	for part := range v.parts {
		at := v.offset + i*v.row + first*v.col + part
		for range end - first {
			e.include(magnitudeBits(v.data[at]))
			at += v.col
		}
	}
	return e
}

// extents returns the extent of the lower triangle, imaginary parts of the diagonal excepted, and, if others is set,
// that of all other numbers.
func (v realView[R]) extents(others bool) (lower, other extent) {
	lower, other = newExtent(), newExtent()
	for i := range v.order {
		lower = v.add(i, 0, i, lower)
		diagonal := v.offset + i*(v.row+v.col)
		lower.include(magnitudeBits(v.data[diagonal]))
		if others {
			other = v.add(i, i+1, v.order, other)
			other.include(magnitudeBits(v.data[diagonal+v.parts-1]))
		}
	}
	return lower, other
}

// load sets the lower triangle of a lane to that of v, divided by 2^exponent. Imaginary parts are multiplied by sign.
func (v realView[R]) load(lane []float64, width, exponent int, sign float64) {
	// Two factors, since the power for subnormal numbers exceeds the largest number.
	first := math.Ldexp(1, min(-exponent, maxNormalExponent))
	second := math.Ldexp(1, max(0, -exponent-maxNormalExponent))
	for part, factor := range []float64{second, sign * second}[:v.parts] {
		for i := range v.order {
			to := lane[(i*v.order*v.parts+part)*width:]
			at := v.offset + i*v.row + part
			for j := range i + 1 {
				to[j*v.parts*width] = float64(v.data[at]) * first * factor
				at += v.col
			}
		}
	}
}

// storeColumn sets column j to the lane of a row of vectors.
func (v realView[R]) storeColumn(j int, row []float64, width int) {
	for part := range v.parts {
		at := v.offset + j*v.col + part
		for i := range v.order {
			v.data[at] = R(row[(i*v.parts+part)*width])
			at += v.row
		}
	}
}
