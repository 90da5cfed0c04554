package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// limit returns the bound up to which a smallest singular value of s counts as zero: the rounding errors of the form,
// and those of the elements that f states. It is zero for a permuted triangular matrix, whose eigenvalues are elements
// of it.
func (s schurForm[W]) limit(f function) float64 {
	for i := range s.zh.Rows {
		elements := 0
		for _, v := range s.zh.Row(i) {
			if v != 0 {
				elements++
			}
		}
		if elements > 1 {
			return roundingLimit(s.t) + f.rounding*frobeniusNorm(s.t)
		}
	}
	return 0
}

// smallestSingularValue returns an estimate of the smallest singular value of an upper triangular or quasi-triangular
// t.
func smallestSingularValue[W dense.Wide](t dense.Matrix[W]) float64 {
	n, norm := t.Rows, frobeniusNorm(t)
	if norm == 0 {
		return 0
	}
	r := triangleOf(t)
	for i := range n {
		if r.At(i, i) == 0 {
			return 0
		}
		blas.Scal(dense.FromReal[W](1/norm), dense.Vec(r.Row(i)))
	}
	return norm * inverseIteration(n, func(adjoint bool, x []W) {
		trans := blas.NoTrans
		if adjoint {
			trans = blas.ConjTrans
		}
		blas.Trsv(nil, blas.Upper, trans, blas.NonUnit, r, dense.Vec(x))
	})
}

// triangleOf returns an upper triangular matrix with the singular values of the upper triangular or quasi-triangular t:
// rotations of rows eliminate the elements below the diagonal.
func triangleOf[W dense.Wide](t dense.Matrix[W]) dense.Matrix[W] {
	r := t.Clone()
	for i := 1; i < r.Rows; i++ {
		if below := r.At(i, i-1); below != 0 { // real
			c, s, _, _ := blas.Rotg(dense.Real(r.At(i-1, i-1)), dense.Real(below))
			blas.Rot(r.RowVec(i-1, i-1, r.Cols), r.RowVec(i, i-1, r.Cols), c, dense.FromReal[W](s))
			r.Set(i, i-1, 0)
		}
	}
	return r
}

// goldenRatioVector returns a starting vector that is unlikely to be orthogonal to any singular vector: multiples of
// the golden ratio modulo 1, shifted.
func goldenRatioVector[W dense.Wide](n int) []W {
	x := make([]W, n)
	for i := range x {
		_, part := math.Modf(float64(i+1) * math.Phi)
		x[i] = dense.FromReal[W](part - 0.3)
	}
	return x
}

// normalize scales x to length 1, and reports whether its length is finite and not zero.
func normalize[W dense.Wide](x []W) bool {
	length := blas.Nrm2(dense.Vec(x))
	if length == 0 || length-length != 0 {
		return false
	}
	blas.Scal(dense.FromReal[W](1/length), dense.Vec(x))
	return true
}

// lqFactors are A = L U^H with a unitary U and an L that is lower trapezoidal after an exchange of its rows; sizes are
// the moduli of the diagonal of L in descending order, and rank is the number of those above the limit. The columns of
// U after the first rank ones span the null space.
type lqFactors[W dense.Wide] struct {
	u     dense.Matrix[W]
	sizes []float64
	rank  int
}

// pivotedLQ computes these factors of a, which is overwritten: a QR decomposition with column pivoting of the adjoint
// of A (Golub and Van Loan, Matrix Computations, 4th ed., algorithm 5.4.1), by the rows of A. Norms of the remaining
// part of the rows are computed anew in each step.
//
// Cost: up to 3 n^3 multiply-adds. It returns the team's error after cancellation, and no other.
func pivotedLQ[W dense.Wide](team *sched.Team, a dense.Matrix[W], limit float64) (d lqFactors[W], err error) {
	n := a.Cols
	d.u = dense.New[W](n, n)
	d.u.SetIdentity()
	w, images := make([]W, n), make([]W, max(a.Rows, n))
	for k := range min(a.Rows, n) {
		if err := team.Err(); err != nil {
			return d, err
		}
		largest, pivot := -1.0, k
		for i := k; i < a.Rows; i++ {
			if length := blas.Nrm2(a.RowVec(i, k, n)); length > largest {
				largest, pivot = length, i
			}
		}
		d.sizes = append(d.sizes, largest)
		if !(largest > limit) {
			return d, nil
		}
		d.rank++
		if pivot != k {
			blas.Swap(dense.Vec(a.Row(k)), dense.Vec(a.Row(pivot)))
		}
		// The reflection I - 2 w w^H / |w|^2 takes the row to a multiple of e_k.
		w := w[k:]
		for j, v := range a.Row(k)[k:] {
			w[j] = dense.Conj(v) * dense.FromReal[W](1/largest)
		}
		phase := complex(1, 0)
		if first := dense.Convert[complex128](w[0]); first != 0 {
			phase = first / complex(cmplx.Abs(first), 0)
		}
		w[0] += dense.Convert[W](phase)
		factor := dense.FromReal[W](2 / sumOfSquares(w))
		reflectRows(team, a.Slice(k, a.Rows, k, n), w, factor, images)
		reflectRows(team, d.u.Slice(0, n, k, n), w, factor, images)
	}
	return d, nil
}

func sumOfSquares[W dense.Wide](x []W) (sum float64) {
	for _, v := range x {
		sum += dense.Real(v)*dense.Real(v) + dense.Imag(v)*dense.Imag(v)
	}
	return sum
}

// reflectRows overwrites m by m (I - factor w w^H). images has room for an element for each row.
func reflectRows[W dense.Wide](team *sched.Team, m dense.Matrix[W], w []W, factor W, images []W) {
	y := dense.Vec(images[:m.Rows])
	blas.Gemv(team, blas.NoTrans, 1, m, dense.Vec(w), 0, y)
	blas.Gerc(team, -factor, y, dense.Vec(w), m)
}

// inverseIteration estimates the smallest singular value of a matrix A by inverse iteration with A^H A, usually to a
// few percent and never too small by more than rounding errors: solve overwrites x by the solution of A y = x or A^H y
// = x. It is zero if that overflows.
func inverseIteration[W dense.Wide](n int, solve func(adjoint bool, x []W)) float64 {
	const steps = 4 // the smaller the value is, the fewer are necessary
	x, smallest := goldenRatioVector[W](n), math.Inf(1)
	for step := range 2 * steps {
		if !normalize(x) {
			return 0
		}
		solve(step%2 == 0, x)
		length := blas.Nrm2(dense.Vec(x))
		if length != length {
			return 0
		}
		smallest = min(smallest, 1/length)
	}
	return smallest
}
