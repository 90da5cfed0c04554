package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
	"trnsci/core/tridiag/reduce"
)

// lowerCopy returns a row-major matrix in the layout of package reduce whose lower triangle is that of the Hermitian
// matrix in the named triangle of a, with a real diagonal. The elements above the diagonal are undefined. The matrix is
// in a's own memory if overwrite allows it and the layout of a suits.
func lowerCopy[W dense.Scalar, T dense.Scalar](
	team *sched.Team, a dense.View[T], upper, overwrite bool,
) (dense.Matrix[W], error) {
	h, inPlace := lowerInPlace[W](a, overwrite)
	if !inPlace {
		h = reduce.NewLower[W](a.Rows)
	}
	return h, copyTriangle(team, h, a, upper, inPlace)
}

// lowerInPlace returns a's memory as a row-major matrix of type W, transposed if a is column-major, if overwrite allows
// it and the layout suits package reduce.
func lowerInPlace[W dense.Scalar, T dense.Scalar](a dense.View[T], overwrite bool) (h dense.Matrix[W], ok bool) {
	same, ok := any(a).(dense.View[W])
	if !ok || !overwrite {
		return h, false
	}
	h, ok = same.Matrix()
	if !ok {
		h, ok = same.T().Matrix()
	}
	return h, ok && reduce.Suits(h)
}

// Rows that copyTriangle copies together: more than a cache line has elements.
const copiedRows = 32

// copyTriangle does the work of lowerCopy in h, which is in a's own memory if inPlace is set.
//
// In place, every element comes from its own position or from the triangle that is not written. Otherwise several rows
// are copied together, with the elements above the diagonal, so that columns are not read one element at a time.
func copyTriangle[W dense.Scalar, T dense.Scalar](
	team *sched.Team, h dense.Matrix[W], a dense.View[T], upper, inPlace bool,
) error {
	height := copiedRows
	if inPlace {
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
				dense.Conjugate(row)
			}
			row[i] = dense.FromReal[W](dense.Real(row[i]))
		}
	}
	return nil
}

// largestInLower returns the largest absolute value of a real or imaginary part in the lower triangle of h. It is NaN
// if there is a NaN, and otherwise infinite if there is an infinity.
func largestInLower[W dense.Scalar](h dense.Matrix[W]) float64 {
	// The bits of nonnegative numbers have the order of the numbers, and NaNs come last.
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

// scaling says for a real type which matrices are scaled: those whose largest element is not between two powers of two.
// For the others no product of two elements, and no element of the standard form of two double precision matrices,
// comes near the ends of the range.
type scaling struct {
	smallest, largest int
	limit             int // the exponent of the largest factor
}

// maxNormalExponent is the largest k for which 2^k and 2^-k are normal double precision numbers.
const maxNormalExponent = 1022

func scalingOf[W dense.Scalar]() scaling {
	if dense.IsSingle[W]() {
		return scaling{smallest: -20, largest: 40, limit: 126}
	}
	return scaling{smallest: -340, largest: 340, limit: maxNormalExponent}
}

// scalingExponent returns the even k for which 2^k brings a matrix of type W with the given largest element into the
// range that needs no scaling, or 0 if it is there. The square root of 2^k is exact.
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
		blas.Ldexp(h.Row(i)[:i+1], exponent)
	}
}

// conjugateLower replaces the lower triangle of h by its complex conjugate.
func conjugateLower[W dense.Scalar](h dense.Matrix[W]) {
	if !dense.IsComplex[W]() {
		return
	}
	for i := range h.Rows {
		dense.Conjugate(h.Row(i)[:i+1])
	}
}

// phaseOf returns x / |x| with a modulus as close to 1 as possible; 1 for zero.
func phaseOf[W dense.Wide](x W) W {
	const small, up = 0x1p-900, 0x1p170 // quotients of subnormal numbers have few digits
	modulus := dense.Abs(x)
	if modulus < small {
		x *= dense.FromReal[W](up)
		modulus = dense.Abs(x)
	}
	if modulus == 0 {
		return 1
	}
	return dense.FromParts[W](householder.Normalize(dense.Real(x)/modulus, dense.Imag(x)/modulus))
}
