package factor

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// EstimateNorm returns a lower bound on the 1-norm of a linear map of vectors with the length of x, which is nearly
// always within a factor of 3 of it. apply overwrites x by its image under the map, or the adjoint of that, divided by
// 2^shift. The contents of x do not matter before, and are arbitrary after. Errors of apply are returned.
//
// Cost: 4 or 5 applications usually, 11 at most. Source: Higham, FORTRAN codes for estimating the one-norm of a real or
// complex matrix, ACM TOMS 14, 1988, which LAPACK's lacn2 follows, too.
func EstimateNorm[T dense.Scalar](x []T, apply func(adjoint bool) (shift int, err error)) (norm float64, err error) {
	const most = 5 // columns of the map that are looked at
	n := len(x)
	if n == 0 {
		return 0, nil
	}
	fill(x, dense.FromReal[T](1/float64(n)))
	last := -1
	for range most {
		shift, err := apply(false)
		if err != nil {
			return 0, err
		}
		estimate := math.Ldexp(sumOfModuli(x), shift)
		if last >= 0 && estimate <= norm {
			break
		}
		norm = estimate
		// The largest element of the adjoint's image of the signs of x shows where the norm grows fastest.
		for i, v := range x {
			x[i] = phase(v)
		}
		if _, err := apply(true); err != nil {
			return 0, err
		}
		at := 0
		for i, v := range x {
			if dense.Abs(v) > dense.Abs(x[at]) {
				at = i
			}
		}
		if last >= 0 && dense.Abs(x[at]) == dense.Abs(x[last]) {
			break
		}
		last = at
		fill(x, 0)
		x[at] = 1
	}
	// A vector that the search can miss: alternating signs of growing size.
	for i := range x {
		v := 1.0
		if n > 1 {
			v += float64(i) / float64(n-1)
		}
		if i%2 == 1 {
			v = -v
		}
		x[i] = dense.FromReal[T](v)
	}
	shift, err := apply(false)
	if err != nil {
		return 0, err
	}
	return max(norm, 2*math.Ldexp(sumOfModuli(x), shift)/float64(3*n)), nil
}

// ReciprocalCondition estimates 1 / (|A|_1 |A^-1|_1) of a matrix A of order n with the given 1-norm; it is 0 for one
// that is not finite. solve overwrites x, n x 1, by the solution y of A y = x, or with trans of A^T y = x.
func ReciprocalCondition[T dense.Scalar](n int, norm float64, solve func(trans bool, x dense.Matrix[T]) error) (
	rcond float64, err error) {
	x := dense.New[T](n, 1)
	inverse, err := EstimateNorm(x.Data, func(adjoint bool) (shift int, err error) {
		// The norm is that of the inverse of A / |A|_1, which overflows only if A is singular to working precision.
		blas.Scal(dense.FromReal[T](norm), dense.Vec(x.Data))
		if adjoint {
			dense.Conjugate(x.Data)
			defer dense.Conjugate(x.Data)
		}
		return 0, solve(adjoint, x)
	})
	if !(inverse > 0) {
		return 0, err
	}
	return 1 / inverse, err
}

func fill[T dense.Scalar](x []T, value T) {
	for i := range x {
		x[i] = value
	}
}

// phase returns x / |x|, or 1 for 0.
func phase[T dense.Scalar](x T) T {
	size := dense.Abs(x)
	if size == 0 {
		return 1
	}
	return dense.FromParts[T](dense.Real(x)/size, dense.Imag(x)/size)
}

func sumOfModuli[T dense.Scalar](x []T) (sum float64) {
	for _, v := range x {
		sum += dense.Abs(v)
	}
	return sum
}
