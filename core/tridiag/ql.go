package tridiag

import (
	"math"
	"slices"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/batch"
	"trnsci/core/kernel/givens"
	"trnsci/core/sched"
)

// qlIteration is a tridiagonal matrix in the QL iteration. The rows of vectors become its eigenvectors; vectors is
// empty if they are not wanted.
type qlIteration struct {
	Matrix
	vectors   dense.Matrix[float64]
	rotations []givens.Rotation[float64] // of one sweep; rotation i acts on the rows i and i+1
}

const (
	// MaxSweepsPerValue is the limit on QL sweeps per eigenvalue, the same as LAPACK's.
	MaxSweepsPerValue = 30
	// An eigenvalue takes 1.7 sweeps on average and seldom more than five. After patientSweeps on one eigenvalue, a
	// coupling need only be small against the largest element of its block. Without this rule, blocks whose elements
	// differ very much in size can stagnate, because the shift drowns in the rounding errors of the large ones.
	patientSweeps = 10
)

// iterate does QL sweeps on the unreduced rows l to last at the top of what is left, until the block start <= i < end
// is diagonal. blockEnd is Matrix.blockEnd or a variant of it.
func (t *qlIteration) iterate(
	team *sched.Team, start, end int, blockEnd func(l, limit int, floor float64) int, sweep func(l, last int),
) error {
	sweeps, sweepsLeft, floor := 0, MaxSweepsPerValue*(end-start), NegligibleCoupling
	for l := start; l < end; {
		last := blockEnd(l, end, floor) - 1
		if last == l {
			l++
			sweeps, floor = 0, NegligibleCoupling
			team.Step(1)
			continue
		}
		if err := team.Err(); err != nil {
			return err
		}
		if sweepsLeft == 0 {
			return &ConvergenceError{Found: l, Order: len(t.D)}
		}
		sweepsLeft--
		sweeps++
		if sweeps == patientSweeps {
			floor = dense.RoundoffDouble * t.maxAbs(l, end)
		}
		sweep(l, last)
	}
	return nil
}

// orient reverses the order of the rows of the block start <= i < end if its first diagonal element is larger than its
// last one, since the iteration is more accurate for matrices that grow downwards. It sets the block's rows of vectors
// to the corresponding unit vectors.
func (t *qlIteration) orient(start, end int) {
	reversed := math.Abs(t.D[end-1]) < math.Abs(t.D[start])
	if reversed {
		slices.Reverse(t.D[start:end])
		slices.Reverse(t.E[start : end-1])
	}
	for i := range min(end, t.vectors.Rows) - start {
		column := start + i
		if reversed {
			column = end - 1 - i
		}
		t.vectors.Set(start+i, column, 1)
	}
}

// sortedPairs overwrites D by the eigenvalues in ascending order, and E. The eigenvector of D[i] is row from[i] of the
// result, which lies in memory, of n (n + 3) numbers.
func (t *qlIteration) sortedPairs(memory []float64, from []int) (vectors dense.Matrix[float64], err error) {
	n := len(t.D)
	take := func(count int) []float64 {
		part := memory[:count]
		memory = memory[count:]
		return part
	}
	t.vectors = dense.Matrix[float64]{Rows: n, Cols: n, Stride: n, Data: take(n * n)}
	clear(t.vectors.Data)
	t.rotations = unsafe.Slice((*givens.Rotation[float64])(unsafe.Pointer(unsafe.SliceData(take(2*n)))), n)
	if err := t.diagonalize(); err != nil {
		return t.vectors, err
	}
	SortIndices(t.D, from)
	applyOrder(t.D, from, take(n))
	return t.vectors, nil
}

// diagonalize overwrites D by the eigenvalues, in no particular order, and E by zeros. The rows of vectors, zero on
// entry, become the orthonormal eigenvectors.
//
// Method: implicit QL iteration with Wilkinson's shift on every unreduced block (Dubrulle, Martin and Wilkinson, Numer.
// Math. 12, 1968; xSTEQR).
func (t *qlIteration) diagonalize() error {
	n := len(t.D)
	for start := 0; start < n; {
		end := t.blockEnd(start, n, NegligibleCoupling)
		t.orient(start, end)
		err := t.iterate(nil, start, end, t.blockEnd, func(l, last int) {
			first := t.sweep(l, last)
			stride := t.vectors.Stride
			givens.Rotate(kernel.Best(), t.rotations[first:last], true,
				t.vectors.Data[first*stride+start:last*stride+end], stride, end-start)
		})
		if err != nil {
			return err
		}
		start = end
	}
	return nil
}

// sweep does one implicit QL step on the rows l to last and stores its rotations. It returns the index of the first
// one, which is above l if the step ended early because the block split.
func (t *qlIteration) sweep(l, last int) (first int) {
	d, e := t.D, t.E
	// g starts as d[last] minus the shift, the eigenvalue of the leading 2 x 2 block that is closer to d[l].
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[last] - d[l] + e[l]/(g+math.Copysign(householder.Length(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := last - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Sqrt(f*f + g*g)
		if !(r > safeLength) {
			r = math.Hypot(f, g)
		}
		e[i+1] = r
		if r < NegligibleCoupling {
			d[i+1] -= p
			e[i], e[i+1], e[last] = b, 0, 0
			return i + 1
		}
		s, c = f/r, g/r
		// The rotation acts on row i+1 first, hence the sign.
		unitC, unitS := householder.Normalize(c, s)
		t.rotations[i] = givens.Rotation[float64]{C: unitC, S: -unitS}
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

// blockValues overwrites D by the eigenvalues of the unreduced block start <= i < end, in no particular order, with the
// root-free QL iteration, which works on the squares of the couplings.
func (t *qlIteration) blockValues(team *sched.Team, start, end int) error {
	exponent := t.normalize(start, end)
	t.orient(start, end)
	for i := start; i < end-1; i++ {
		t.E[i] *= t.E[i]
	}
	err := t.iterate(team, start, end, t.squaredBlockEnd, func(l, last int) {
		batch.RationalSweep(t.D[l:], t.E[l:], last-l, 1, 1, nil)
	})
	scaleByPower(exponent, t.D[start:end])
	return err
}

// squaredBlockEnd is blockEnd where E holds the squares of the couplings. Squares below NegligibleCoupling are
// negligible in a block whose largest element is near 1, and sums of larger ones keep all their digits.
func (t *qlIteration) squaredBlockEnd(l, limit int, floor float64) int {
	const relative = dense.RoundoffDouble * dense.RoundoffDouble
	for i := l; i < limit-1; i++ {
		if t.E[i] <= relative*math.Abs(t.D[i])*math.Abs(t.D[i+1])+floor*floor+NegligibleCoupling {
			t.E[i] = 0
			return i + 1
		}
	}
	return limit
}
