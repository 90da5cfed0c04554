package qrupdate

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// outside is the part of a vector u outside of the range of Q: u = Q w + length v with a v of length 1 that is
// orthogonal to the range, or zero if length is.
type outside[T dense.Scalar] struct {
	w, v   []T
	length T
	// rcond is the reciprocal condition number of the matrix of the columns of Q and u/|u|.
	rcond float64
}

// split returns u relative to the range of Q; u is overwritten by v.
//
// Method: classical Gram-Schmidt, twice; u is taken to be in the range if the second time shortens what is left
// (Daniel, Gragg, Kaufman and Stewart, Math. Comp. 30, 1976). The singular values of (Q, u/|u|) are sqrt(1 +- |w|) and
// ones.
func (f *factors[T]) split(u []T) outside[T] {
	x := dense.Vec(u)
	norm := blas.Nrm2(x)
	s := outside[T]{w: make([]T, f.qt.Rows), v: u}
	if norm == 0 {
		return s
	}
	scale(u, norm)
	f.coefficients(u, s.w)
	f.subtract(s.w, u)
	first := blas.Nrm2(x)
	s.rcond = first / (1 + blas.Nrm2(dense.Vec(s.w)))
	again := make([]T, len(s.w))
	f.coefficients(u, again)
	f.subtract(again, u)
	for i, c := range again {
		s.w[i] += c
	}
	blas.Scal(dense.FromReal[T](norm), dense.Vec(s.w))
	second := blas.Nrm2(x)
	if second <= first*math.Sqrt2/2 {
		clear(u)
		return s
	}
	scale(u, second)
	s.length = dense.FromReal[T](norm * second)
	return s
}

// scale divides x by its length.
func scale[T dense.Scalar](x []T, length float64) {
	for i := range x {
		x[i] /= dense.FromReal[T](length)
	}
}

// coefficients sets w to Q^H u, unless the team is cancelled: callers look at its error.
func (f *factors[T]) coefficients(u, w []T) {
	if f.team.Err() != nil {
		return
	}
	conj := make([]T, len(u))
	dense.ConjugateTo(conj, u)
	blas.Gemv(f.team, blas.NoTrans, 1, f.qt, dense.Vec(conj), 0, dense.Vec(w))
	dense.Conjugate(w)
}

// subtract subtracts Q w from u, unless the team is cancelled.
func (f *factors[T]) subtract(w, u []T) {
	if f.team.Err() != nil {
		return
	}
	blas.Gemv(f.team, blas.Trans, -1, f.qt, dense.Vec(w), 1, dense.Vec(u))
}

// complement returns a vector of length 1 that is orthogonal to the columns of Q and zero in the rows of Q that are not
// wanted: what is left of the unit vector that is farthest from the range of Q.
func (f *factors[T]) complement(wanted func(row int) bool) []T {
	row, least := 0, math.Inf(1)
	for j := range f.qt.Cols {
		if size := blas.Nrm2(f.qt.ColVec(j, 0, f.qt.Rows)); wanted(j) && size < least {
			row, least = j, size
		}
	}
	v := make([]T, f.qt.Cols)
	v[row] = 1
	return f.split(v).v
}
