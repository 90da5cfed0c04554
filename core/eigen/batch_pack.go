package eigen

import (
	"math"

	"trnsci/core/dense"
)

// laneView is a view of a square matrix as real numbers: part p of element (i, j) is at offset + i*row + j*col + p.
type laneView[R dense.Float] struct {
	data                           []R
	order, parts, offset, row, col int
}

func newLaneView[R dense.Float, T dense.Scalar](v dense.View[T]) laneView[R] {
	parts := planes[T]()
	return laneView[R]{
		data: dense.Reals[R](v.Data), order: v.Rows, parts: parts,
		offset: v.Offset * parts, row: v.RowStride * parts, col: v.ColStride * parts,
	}
}

// modulus returns the bits of the absolute value of x. As integers they are in the order of the values, with infinity behind all numbers and
// NaNs behind that.
func modulus[R dense.Float](x R) uint64 { return math.Float64bits(float64(x)) &^ (1 << 63) }

// extent is the range of the moduli of some numbers: the largest one, and the smallest one but zeros less a unit of the last digit.
type extent struct{ largest, smallest uint64 }

// newExtent returns the extent of no numbers.
func newExtent() extent { return extent{smallest: math.MaxUint64} }

func (e *extent) include(modulus uint64) {
	e.largest = max(e.largest, modulus)
	e.smallest = min(e.smallest, modulus-1) // a zero becomes the largest integer
}

// finite reports whether there is neither an infinity nor a NaN.
func (e *extent) finite() bool { return isFinite(math.Float64frombits(e.largest)) }

// add includes the elements in the columns first <= j < end of row i.
func (v laneView[R]) add(i, first, end int, e extent) extent {
	for part := range v.parts {
		at := v.offset + i*v.row + first*v.col + part
		for range end - first {
			e.include(modulus(v.data[at]))
			at += v.col
		}
	}
	return e
}

// extents returns that of the lower triangle without imaginary parts of the diagonal, and that of the other numbers, if they are to be looked at.
func (v laneView[R]) extents(others bool) (lower, other extent) {
	lower, other = newExtent(), newExtent()
	for i := range v.order {
		lower = v.add(i, 0, i, lower)
		diagonal := v.offset + i*(v.row+v.col)
		lower.include(modulus(v.data[diagonal]))
		if others {
			other = v.add(i, i+1, v.order, other)
			other.include(modulus(v.data[diagonal+v.parts-1]))
		}
	}
	return lower, other
}

// load sets the lower triangle of a lane to that of v, divided by 2^exponent; sign is that of imaginary parts.
func (v laneView[R]) load(lane []float64, width, exponent int, sign float64) {
	// Two factors, as the power for subnormal numbers is beyond the largest number.
	first := math.Ldexp(1, min(-exponent, scalingLimit))
	second := math.Ldexp(1, max(0, -exponent-scalingLimit))
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
func (v laneView[R]) storeColumn(j int, row []float64, width int) {
	for part := range v.parts {
		at := v.offset + j*v.col + part
		for i := range v.order {
			v.data[at] = R(row[(i*v.parts+part)*width])
			at += v.row
		}
	}
}

// storeLane writes the eigenpairs of matrix k that belong to opt's subset to w and v. It returns their number.
func storeLane[T dense.Scalar, R dense.Float](g *laneGroup, k int, w []R, v dense.View[T], opt Options) (count int) {
	var order [laneOrder]int
	values := g.D[k:]
	for i := range g.Order {
		at := i
		for ; at > 0 && values[order[at-1]*g.Width] > values[i*g.Width]; at-- {
			order[at] = order[at-1]
		}
		order[at] = i
	}
	out := newLaneView[R](v)
	for i, row := range order[:g.Order] {
		value := R(math.Ldexp(values[row*g.Width], g.exponents[k])) + 0 // no negative zero
		if !opt.Subset.holds(i, float64(value)) {
			continue
		}
		w[count] = value
		if !opt.ValuesOnly {
			out.storeColumn(count, g.Vectors[row*g.Cols*g.Width+k:], g.Width)
		}
		count++
	}
	return count
}
