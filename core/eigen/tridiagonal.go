package eigen

import (
	"cmp"
	"math"
	"slices"

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

	sweepsLeft int // before the iteration is given up
}

// Numbers of length n that the algorithm keeps per row besides the matrices: d, e and the rotations.
const wholeRows = 4

func newTridiagonal(n int) *tridiagonal {
	memory := make([]float64, 2*n)
	return &tridiagonal{d: memory[:n:n], e: memory[n:], rotations: make([]kernel.Rotation[float64], n), sweepsLeft: maxSweepsPerValue * n}
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

// diagonalize overwrites d by the eigenvalues, in no particular order, and e by zeros. The rows of vectors, zero on
// entry, become the orthonormal eigenvectors.
//
// Method: the implicit QL iteration with Wilkinson's shift, Dubrulle, Martin and Wilkinson, Numer. Math. 12, 1968, on
// each block that no zero of e divides. A block whose first element is the larger one is turned end for end first, as
// the iteration is more accurate for matrices that grow downwards.
func (t *tridiagonal) diagonalize(team *sched.Team) error {
	n := len(t.d)
	for start := 0; start < n; {
		end := t.blockEnd(start, n, smallestCoupling)
		t.orient(start, end)
		if err := t.diagonalizeBlock(team, start, end); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// diagonalizeBlock does diagonalize's work for the block start <= i < end.
func (t *tridiagonal) diagonalizeBlock(team *sched.Team, start, end int) error {
	return t.iterate(team, start, end, t.blockEnd, func(l, last int) error {
		return t.rotate(team, t.sweep(l, last), last, start, end)
	})
}

// iterate does sweeps on the rows l to last, the largest ones that nothing separates for the first l that is not yet done, until the block start <=
// i < end is diagonal. blockEnd is a method like the one of that name.
func (t *tridiagonal) iterate(team *sched.Team, start, end int, blockEnd func(l, limit int, floor float64) int, sweep func(l, last int) error) error {
	sweeps, floor := 0, smallestCoupling
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
		if t.sweepsLeft == 0 {
			return &ConvergenceError{Found: l, Order: len(t.d)}
		}
		t.sweepsLeft--
		sweeps++
		if sweeps == patientSweeps {
			floor = unitRoundoff * t.largest(l, end)
		}
		if err := sweep(l, last); err != nil {
			return err
		}
	}
	return nil
}

// blockEnd returns the end of the block that starts at l: the first i > l for which e[i-1] is negligible, which it then
// sets to zero, or limit. A coupling that is small against the geometric mean of its neighbours changes even the
// smallest eigenvalue of a graded matrix by no more than a rounding error (Greenbaum and Dongarra, LAPACK Working Note
// 17, 1989); one below floor is negligible in any case.
func (t *tridiagonal) blockEnd(l, limit int, floor float64) int {
	for i := l; i < limit-1; i++ {
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
		r := length(f, g)
		e[i+1] = r
		if r < smallestCoupling {
			d[i+1] -= p
			e[i], e[i+1], e[last] = b, 0, 0
			return i + 1
		}
		s, c = f/r, g/r
		c, s = unitRotation(c, s)
		t.rotations[i] = kernel.Rotation[float64]{C: c, S: -s} // row i+1 comes first in the sweep
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

// Sums of squares above this have lost nothing of what counts to underflow.
const smallestSum = 0x1p-900

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

// sort puts the eigenvalues into ascending order and the vectors with them. Equal eigenvalues keep their order. Each vector is moved once, and one
// of each cycle twice.
func (t *tridiagonal) sort(team *sched.Team) error {
	n := len(t.d)
	from, row := make([]int, n), make([]float64, t.vectors.Cols)
	sortIndices(t.d, from)
	for first := range from {
		if from[first] == first {
			continue
		}
		if err := team.Err(); err != nil {
			return err
		}
		value := t.d[first]
		copy(row, t.vectors.Row(first))
		i := first
		for from[i] != first {
			next := from[i]
			t.d[i] = t.d[next]
			copy(t.vectors.Row(i), t.vectors.Row(next))
			from[i], i = i, next
		}
		t.d[i], from[i] = value, i
		copy(t.vectors.Row(i), row)
	}
	return nil
}

// sortIndices fills order with the indices of d in ascending order of its elements.
func sortIndices(d []float64, order []int) {
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
}
