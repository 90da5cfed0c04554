package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// frobeniusNorm returns the root of the sum of the squares of the elements.
func frobeniusNorm[W dense.Wide](m dense.Matrix[W]) float64 {
	norm := 0.0
	for i := range m.Rows {
		norm = math.Hypot(norm, blas.Nrm2(dense.Vec(m.Row(i))))
	}
	return norm
}

// roundingLimit returns what a singular value of m may be but for rounding errors of a unitary similarity when it is
// zero: n eps |m|.
func roundingLimit[W dense.Wide](m dense.Matrix[W]) float64 {
	return float64(m.Rows) * dense.Eps[W]() * frobeniusNorm(m)
}

// limit returns up to which smallest singular value the matrix of the form s may be singular: rounding errors of the
// form, and of the elements as f has it. It is zero for a matrix that was triangular but for the order of its rows and
// columns, since its eigenvalues are elements of it.
func (s similar[W]) limit(f function) float64 {
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
	return norm * smallestByInverses(n, func(adjoint bool, x []W) {
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

// scattered returns a vector with a part in every direction that matters: multiples of the golden ratio modulo 1.
func scattered[W dense.Wide](n int) []W {
	x := make([]W, n)
	for i := range x {
		_, part := math.Modf(float64(i+1) * math.Phi)
		x[i] = dense.FromReal[W](part - 0.3)
	}
	return x
}

// normalize scales x to length 1, and reports whether its length is a number that is not zero.
func normalize[W dense.Wide](x []W) bool {
	length := blas.Nrm2(dense.Vec(x))
	if length == 0 || length-length != 0 {
		return false
	}
	blas.Scal(dense.FromReal[W](1/length), dense.Vec(x))
	return true
}

// reduction is A = L U^H with a unitary U and an L that is lower trapezoidal after an exchange of its rows; sizes are
// the moduli of L's diagonal, which fall, and the rank is the number of those above the limit, so that the columns of U
// from there on span the null space.
type reduction[W dense.Wide] struct {
	u     dense.Matrix[W]
	sizes []float64
	rank  int
}

// reduceRows finds the reduction of a, which is overwritten: a QR decomposition with column pivoting of the adjoint of
// A (Golub and Van Loan, Matrix Computations, 4th ed., algorithm 5.4.1), by the rows of A. Norms of the remaining part
// of the rows are computed anew in each step.
//
// Cost: up to 3 n^3 multiply-adds. It returns the team's error after cancellation, and no other.
func reduceRows[W dense.Wide](team *sched.Team, a dense.Matrix[W], limit float64) (d reduction[W], err error) {
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
