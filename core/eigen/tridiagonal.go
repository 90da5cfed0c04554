package eigen

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// tridiagonal is a real symmetric tridiagonal matrix on its way to diagonal form: d is the diagonal, e[i] couples i and
// i+1. The rows of vectors become its eigenvectors; the matrix is empty if they are not wanted.
type tridiagonal struct {
	d, e      []float64
	vectors   dense.Matrix[float64]
	rotations []kernel.Rotation[float64] // of one sweep; rotation i acts on rows i and i+1
}

const (
	unitRoundoff = 0x1p-53
	// Couplings below this are zero: 2^-620 of the largest element at most. Rotations made of larger numbers keep all
	// their digits, although the products in them may fall below the smallest normal number.
	smallestCoupling = 0x1p-960
	// An eigenvalue takes 1.7 sweeps on average and seldom more than five. After patientSweeps for one eigenvalue couplings
	// need only be small against the whole block; without that, blocks with elements of very different size can stand
	// still, as the shift is lost in the rounding errors of large elements.
	patientSweeps = 10
	// LAPACK gives up after the same number of sweeps.
	maxSweepsPerValue = 30
)

// sortedPairs overwrites d by the eigenvalues in ascending order, and e. The eigenvector of d[i] is row from[i] of the result, which is in
// memory; that has n (n + 3) numbers.
func (t *tridiagonal) sortedPairs(memory []float64, from []int) (vectors dense.Matrix[float64], err error) {
	n := len(t.d)
	take := func(count int) []float64 {
		part := memory[:count]
		memory = memory[count:]
		return part
	}
	t.vectors = dense.Matrix[float64]{Rows: n, Cols: n, Stride: n, Data: take(n * n)}
	clear(t.vectors.Data)
	t.rotations = unsafe.Slice((*kernel.Rotation[float64])(unsafe.Pointer(unsafe.SliceData(take(2*n)))), n)
	if err := t.diagonalize(); err != nil {
		return t.vectors, err
	}
	sortIndices(t.d, from)
	applyOrder(t.d, from, take(n))
	return t.vectors, nil
}

// diagonalize overwrites d by the eigenvalues, in no particular order, and e by zeros. The rows of vectors, zero on
// entry, become the orthonormal eigenvectors.
//
// Method: the implicit QL iteration with Wilkinson's shift, Dubrulle, Martin and Wilkinson, Numer. Math. 12, 1968, on
// each block that no zero of e divides. A block whose first element is the larger one is turned end for end first, as
// the iteration is more accurate for matrices that grow downwards.
func (t *tridiagonal) diagonalize() error {
	n := len(t.d)
	for start := 0; start < n; {
		end := t.blockEnd(start, n, smallestCoupling)
		t.orient(start, end)
		err := t.iterate(nil, start, end, t.blockEnd, func(l, last int) {
			first := t.sweep(l, last)
			stride := t.vectors.Stride
			kernel.Rotate(kernel.Best(), t.rotations[first:last], true, t.vectors.Data[first*stride+start:last*stride+end], stride, end-start)
		})
		if err != nil {
			return err
		}
		start = end
	}
	return nil
}

// iterate does sweeps on the rows l to last, the largest ones that nothing separates for the first l that is not yet done, until the block start <=
// i < end is diagonal. blockEnd is a method like the one of that name.
func (t *tridiagonal) iterate(team *sched.Team, start, end int, blockEnd func(l, limit int, floor float64) int, sweep func(l, last int)) error {
	sweeps, sweepsLeft, floor := 0, maxSweepsPerValue*(end-start), smallestCoupling
	for l := start; l < end; {
		last := blockEnd(l, end, floor) - 1
		if last == l {
			l++
			sweeps, floor = 0, smallestCoupling
			team.Step(1)
			continue
		}
		if err := team.Err(); err != nil {
			return err
		}
		if sweepsLeft == 0 {
			return &ConvergenceError{Found: l, Order: len(t.d)}
		}
		sweepsLeft--
		sweeps++
		if sweeps == patientSweeps {
			floor = unitRoundoff * t.largest(l, end)
		}
		sweep(l, last)
	}
	return nil
}

// blockEnd returns the end of the block that starts at l: the first i > l for which e[i-1] is negligible, which it then
// sets to zero, or limit. A coupling that is small against the geometric mean of its neighbours changes even the
// smallest eigenvalue of a graded matrix by no more than a rounding error (Greenbaum and Dongarra, LAPACK Working Note
// 17, 1989); one below floor is negligible in any case.
func (t *tridiagonal) blockEnd(l, limit int, floor float64) int {
	const relative = 2 * unitRoundoff * unitRoundoff
	least := max(smallestSum, 2*floor*floor)
	d, e := t.d[l:limit], t.e[l:limit]
	for i := l; i < limit-1; i++ {
		// (a + b)^2 <= 2 a^2 + 2 b^2: most couplings are seen to be large without square roots.
		if square := e[i-l] * e[i-l]; square > least+relative*math.Abs(d[i-l]*d[i-l+1]) {
			continue
		}
		mean := math.Sqrt(math.Abs(t.d[i])) * math.Sqrt(math.Abs(t.d[i+1]))
		if math.Abs(t.e[i]) <= unitRoundoff*mean+floor {
			t.e[i] = 0
			return i + 1
		}
	}
	return limit
}

// largest returns the largest modulus of an element of the block l <= i < end.
func (t *tridiagonal) largest(l, end int) float64 {
	largest := 0.0
	for i := l; i < end; i++ {
		largest = max(largest, math.Abs(t.d[i]), math.Abs(t.e[i]))
	}
	return largest
}

// orient turns the block start <= i < end so that its last diagonal element is not smaller than its first, and makes
// the rows of vectors that belong to it unit vectors.
func (t *tridiagonal) orient(start, end int) {
	turned := math.Abs(t.d[end-1]) < math.Abs(t.d[start])
	if turned {
		slices.Reverse(t.d[start:end])
		slices.Reverse(t.e[start : end-1])
	}
	for i := range min(end, t.vectors.Rows) - start {
		column := start + i
		if turned {
			column = end - 1 - i
		}
		t.vectors.Set(start+i, column, 1)
	}
}

// sweep does one implicit QL step on the rows l to last, keeps its rotations, and returns the first of them: it is
// above l if the step ended early because the block fell apart.
func (t *tridiagonal) sweep(l, last int) (first int) {
	d, e := t.d, t.e
	// g starts as d[last] less the shift: the eigenvalue of the leading 2x2 block that is closer to d[l].
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[last] - d[l] + e[l]/(g+math.Copysign(length(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := last - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Sqrt(f*f + g*g)
		if !(r > smallestLength) {
			r = math.Hypot(f, g)
		}
		e[i+1] = r
		if r < smallestCoupling {
			d[i+1] -= p
			e[i], e[i+1], e[last] = b, 0, 0
			return i + 1
		}
		s, c = f/r, g/r
		t.rotations[i] = leftRotation(c, s)
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
	}
	d[l] -= p
	e[l] = g
	e[last] = 0
	return l
}

// Sums of squares above smallestSum, the square of smallestLength, have lost nothing of what counts to underflow.
const smallestSum, smallestLength = 0x1p-900, 0x1p-450

// leftRotation returns the rotation of a sweep by c and s, which applies to row i+1 first.
func leftRotation(c, s float64) kernel.Rotation[float64] {
	c, s = unitRotation(c, s)
	return kernel.Rotation[float64]{C: c, S: -s}
}

// unitRotation returns c and s with c^2 + s^2 closer to 1. Without this step that is the largest error of the eigenvectors' lengths.
func unitRotation(c, s float64) (float64, float64) {
	lack := math.FMA(-s, s, math.FMA(-c, c, 1)) / 2
	return c + c*lack, s + s*lack
}

// length returns the length of (x, y), or an infinity where it is beyond the square root of the largest number. The
// squares are accurate where their sum is not tiny; math.Hypot costs four times as much.
func length(x, y float64) float64 {
	if sum := x*x + y*y; sum > smallestSum {
		return math.Sqrt(sum)
	}
	return math.Hypot(x, y)
}

// sortIndices fills order with the indices of d in ascending order of its elements.
func sortIndices(d []float64, order []int) {
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
}

// blockEnds returns where the blocks end that negligible couplings divide the matrix into; it sets these to zero.
func (t *tridiagonal) blockEnds() (ends []int) {
	n := len(t.d)
	for end := 0; end < n; {
		end = t.blockEnd(end, n, smallestCoupling)
		ends = append(ends, end)
	}
	return ends
}
