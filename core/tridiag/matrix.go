package tridiag

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Matrix is a real symmetric tridiagonal matrix of order len(D). D is its diagonal and E[i] couples the rows i and i+1.
// E has as many elements as D; the last one is scratch memory of the solvers.
type Matrix struct{ D, E []float64 }

// New returns a zero matrix of order n.
func New(n int) Matrix {
	memory := make([]float64, 2*n)
	return Matrix{D: memory[:n:n], E: memory[n:]}
}

const (
	// NegligibleCoupling is the modulus below which an off-diagonal element counts as zero, at most 2^-620 times the
	// largest element of a matrix that needs no scaling. Rotations computed from larger numbers keep all their digits,
	// although products inside of them may underflow.
	NegligibleCoupling = 0x1p-960
	// A sum of squares above safeSquares, the square of safeLength, has lost nothing significant to underflow.
	safeSquares, safeLength = 0x1p-900, 0x1p-450
)

// ConvergenceError reports that the QL iteration, or that for singular values, gave up.
type ConvergenceError struct {
	Found    int // values that had converged, those of the blocks before the failing one included
	Order    int // order of the matrix
	Singular bool
}

func (e *ConvergenceError) Error() string {
	if e.Singular {
		return fmt.Sprintf("the QR iteration found %d of %d singular values and was given up", e.Found, e.Order)
	}
	return fmt.Sprintf("the QL iteration found %d of %d eigenvalues and was given up", e.Found, e.Order)
}

// notConverged converts the error of a block that begins at row start to one of the matrix of order n.
func notConverged(err error, start, n int) error {
	if failed, ok := err.(*ConvergenceError); ok {
		return &ConvergenceError{Found: start + failed.Found, Order: n, Singular: failed.Singular}
	}
	return err
}

// Selection reports whether the eigenvector of the eigenvalue at a 0-based position, in ascending order, is wanted. The
// wanted positions must be consecutive. A nil Selection selects all.
type Selection func(position int, value float64) bool

// Within returns the range first <= i < end of the ascending values that s selects.
func (s Selection) Within(values []float64) (first, end int) {
	n := len(values)
	if s == nil {
		return 0, n
	}
	for first < n && !s(first, values[first]) {
		first++
	}
	end = first
	for end < n && s(end, values[end]) {
		end++
	}
	return first, end
}

// block returns rows start <= i < end of t as a matrix in the same memory.
func (t Matrix) block(start, end int) Matrix { return Matrix{D: t.D[start:end], E: t.E[start:end]} }

// blockEnd returns the end of the unreduced block that starts at row l: the first i > l for which E[i-1] is negligible,
// which is then set to zero, or limit. A coupling that is small against the geometric mean of its diagonal neighbours
// changes even the smallest eigenvalue of a graded matrix by no more than a rounding error (Greenbaum and Dongarra,
// LAPACK Working Note 17, 1989). A coupling below floor is negligible in any case.
func (t Matrix) blockEnd(l, limit int, floor float64) int {
	const relative = 2 * dense.RoundoffDouble * dense.RoundoffDouble
	least := max(safeSquares, 2*floor*floor)
	d, e := t.D[l:limit], t.E[l:limit]
	for i := l; i < limit-1; i++ {
		// (a + b)^2 <= 2 a^2 + 2 b^2 shows without square roots that most couplings are not negligible.
		if square := e[i-l] * e[i-l]; square > least+relative*math.Abs(d[i-l]*d[i-l+1]) {
			continue
		}
		mean := math.Sqrt(math.Abs(t.D[i])) * math.Sqrt(math.Abs(t.D[i+1]))
		if math.Abs(t.E[i]) <= dense.RoundoffDouble*mean+floor {
			t.E[i] = 0
			return i + 1
		}
	}
	return limit
}

// blockEnds returns the ends of the unreduced blocks and sets the negligible couplings between them to zero.
func (t Matrix) blockEnds() (ends []int) {
	n := len(t.D)
	for end := 0; end < n; {
		end = t.blockEnd(end, n, NegligibleCoupling)
		ends = append(ends, end)
	}
	return ends
}

// MaxAbs returns the largest modulus of the elements of t.
func (t Matrix) MaxAbs() float64 { return t.maxAbs(0, len(t.D)) }

// maxAbs returns the largest modulus in the rows l <= i < end of D and E.
func (t Matrix) maxAbs(l, end int) float64 {
	largest := 0.0
	for i := l; i < end; i++ {
		largest = max(largest, math.Abs(t.D[i]), math.Abs(t.E[i]))
	}
	return largest
}

// normalize multiplies the unreduced block start <= i < end by the power of two that brings its largest element between
// 1/2 and 1. It returns the exponent of the factor that undoes this.
func (t Matrix) normalize(start, end int) (exponent int) {
	if end == start+1 {
		return 0 // a single element may be so small that there is no such power
	}
	_, exponent = math.Frexp(max(t.maxAbs(start, end-1), math.Abs(t.D[end-1])))
	if exponent != 0 {
		scaleByPower(-exponent, t.D[start:end])
		scaleByPower(-exponent, t.E[start:end-1])
	}
	return exponent
}

// scaleByPower multiplies x by 2^exponent.
func scaleByPower(exponent int, x []float64) { blas.Scal(math.Ldexp(1, exponent), dense.Vec(x)) }

// SortIndices fills order with the indices of d in ascending order of its elements. Equal elements keep their order.
func SortIndices(d []float64, order []int) {
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
}

// applyOrder moves d[order[i]] to d[i]. memory has room for d.
func applyOrder(d []float64, order []int, memory []float64) {
	for i, from := range order {
		memory[i] = d[from]
	}
	copy(d, memory[:len(d)])
}

// ceilDiv returns the smallest integer not below x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }

// permuteRows moves row from[i] to row i, for a permutation from, which it overwrites. It moves each row once, and one
// row of each cycle twice. memory has room for one row.
func permuteRows[R dense.Float](team *sched.Team, rows dense.Matrix[R], from []int, memory []R) error {
	row := memory[:rows.Cols]
	for first := range from {
		if from[first] == first {
			continue
		}
		copy(row, rows.Row(first))
		i := first
		for from[i] != first {
			if err := team.Err(); err != nil {
				return err
			}
			next := from[i]
			copy(rows.Row(i), rows.Row(next))
			from[i], i = i, next
		}
		from[i] = i
		copy(rows.Row(i), row)
	}
	return nil
}
