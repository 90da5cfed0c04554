package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/tridiag/reduce"
)

// loadLower returns a row-major matrix whose lower triangle is that of the Hermitian matrix in the named triangle of a,
// with a real diagonal, in a layout that suits tridiagonalize. What is above the diagonal is undefined. The memory is a's own if overwrite
// allows it and a's rows or columns are contiguous and suit that.
func loadLower[W dense.Scalar, T dense.Scalar](team *sched.Team, a dense.View[T], upper, overwrite bool) (dense.Matrix[W], error) {
	h, own := lowerOf[W](a, overwrite)
	if !own {
		h = reduce.NewLower[W](a.Rows)
	}
	return h, fillLower(team, h, a, upper, own)
}

// lowerOf returns a's own memory as a matrix for fillLower, where overwrite allows it and it is possible.
func lowerOf[W dense.Scalar, T dense.Scalar](a dense.View[T], overwrite bool) (h dense.Matrix[W], own bool) {
	if !overwrite {
		return h, false
	}
	return ownMemory[W](a)
}

// fillLower does loadLower's work in h, which is a matrix for tridiagonalize; own says whether it is a's own memory.
//
// In a's own memory every element comes from its own place or from the triangle that is not written. In other memory rows are copied together,
// with what is above the diagonal in them, so that columns are not read one element at a time.
func fillLower[W dense.Scalar, T dense.Scalar](team *sched.Team, h dense.Matrix[W], a dense.View[T], upper, own bool) error {
	height := loadedRows
	if own {
		height = 1
	}
	// Row i of the lower triangle is the conjugate of column i of the upper one.
	if upper {
		a = a.T()
	}
	one := team.Serial()
	for first := 0; first < h.Rows; first += height {
		end := min(first+height, h.Rows)
		from := a.SliceRows(first, end)
		from.Cols = end
		if err := blas.CopyView(one, h.Slice(first, end, 0, end).View(), from); err != nil {
			return err
		}
		for i := first; i < end; i++ {
			row := h.Row(i)[: i+1 : i+1]
			if upper {
				conjugate(row)
			}
			row[i] = dense.FromReal[W](dense.Real(row[i]))
		}
	}
	return nil
}

// Rows that loadLower copies together: as many as a line of the cache has elements, and some more.
const loadedRows = 32

// ownMemory returns a's memory as a row-major matrix of type W, transposed if a is column-major, if tridiagonalize can work there.
func ownMemory[W dense.Scalar, T dense.Scalar](a dense.View[T]) (dense.Matrix[W], bool) {
	wide, ok := any(a).(dense.View[W])
	if !ok {
		return dense.Matrix[W]{}, false
	}
	h, ok := wide.Matrix()
	if !ok {
		h, ok = wide.T().Matrix()
	}
	return h, ok && reduce.Suits(h)
}

// conjugate replaces x by its complex conjugate.
func conjugate[W dense.Scalar](x []W) {
	switch z := any(x).(type) {
	case []complex64:
		for i, c := range z {
			z[i] = complex(real(c), -imag(c))
		}
	case []complex128:
		for i, c := range z {
			z[i] = complex(real(c), -imag(c))
		}
	}
}

// largestInLower returns the largest absolute value of a real or imaginary part in the lower triangle of h. It is a NaN if there is one, and else
// infinite if there is an infinity.
func largestInLower[W dense.Scalar](h dense.Matrix[W]) float64 {
	// Without their signs numbers have the order of their bits, and NaNs come last.
	if dense.IsSingle[W]() {
		const sign = 1 << 31
		largest := uint32(0)
		for i := range h.Rows {
			for _, x := range dense.Reals[float32](h.Row(i)[:i+1]) {
				largest = max(largest, math.Float32bits(x)&^sign)
			}
		}
		return float64(math.Float32frombits(largest))
	}
	const sign = 1 << 63
	even, odd := uint64(0), uint64(0)
	for i := range h.Rows {
		row := dense.Reals[float64](h.Row(i)[:i+1])
		for ; len(row) >= 2; row = row[2:] {
			even = max(even, math.Float64bits(row[0])&^sign)
			odd = max(odd, math.Float64bits(row[1])&^sign)
		}
		if len(row) == 1 {
			even = max(even, math.Float64bits(row[0])&^sign)
		}
	}
	return math.Float64frombits(max(even, odd))
}

func isFinite(x float64) bool { return x-x == 0 }

// scaling says for a real type which matrices are scaled: those whose largest element is not between two powers of two. Of the others no product of
// two elements, and no element of the standard form of two double precision matrices, comes near the ends of the range.
type scaling struct {
	smallest, largest int
	limit             int // 2^k is a normal number up to here
}

// 2^k is a normal number of double precision up to here.
const scalingLimit = 1022

func scalingOf[W dense.Scalar]() scaling {
	if dense.IsSingle[W]() {
		return scaling{smallest: -20, largest: 40, limit: 126}
	}
	return scaling{smallest: -340, largest: 340, limit: scalingLimit}
}

// scalingExponent returns the even k for which 2^k brings a matrix of type W with the given largest element into the range where
// it needs no scaling: 0 for one that is there already. An even k has an exact square root of 2^k.
func scalingExponent[W dense.Scalar](largest float64) int {
	s := scalingOf[W]()
	_, exponent := math.Frexp(largest)
	if largest == 0 || s.smallest <= exponent && exponent <= s.largest {
		return 0
	}
	return min(-exponent, s.limit) / 2 * 2
}

// scaleLower multiplies the lower triangle of h by 2^exponent.
func scaleLower[W dense.Scalar](h dense.Matrix[W], exponent int) {
	if exponent == 0 {
		return
	}
	for i := range h.Rows {
		scaleByPower(exponent, h.Row(i)[:i+1])
	}
}

// scaleByPower multiplies x by 2^exponent.
func scaleByPower[W dense.Scalar](exponent int, x []W) {
	blas.Scal(dense.FromReal[W](math.Ldexp(1, exponent)), dense.Vec(x))
}

const unitRoundoff = 0x1p-53

// planes returns how many real numbers one of the type W has.
func planes[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return 2
	}
	return 1
}

// ceilDiv returns the smallest integer not below x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }
