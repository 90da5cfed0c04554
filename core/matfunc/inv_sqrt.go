package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
)

// Options of InvSqrtSPD. The zero value runs on one thread.
type Options struct {
	Team *sched.Team // threads, cancellation, progress; nil is one thread
	// Eigenvalues up to Threshold times the largest one are dropped. 0 stands for n eps, the dtype's eps: smaller ones
	// may consist of rounding errors.
	Threshold       float64
	SkipFiniteCheck bool // omit the search for infinities and NaNs in a
}

// IndefiniteError reports that a Hermitian matrix has a negative eigenvalue, beyond what rounding explains.
type IndefiniteError = eigen.IndefiniteError

// InvSqrtSPD sets x to the inverse square root A^(-1/2) of a Hermitian (real: symmetric) positive definite n x n
// matrix. If A is singular to the threshold, x is the root of a pseudo-inverse and dropped says how many eigenvalues
// were left out:
//
//	X = sum over k of w_k^(-1/2) v_k v_k^H  for the eigenpairs A v_k = w_k v_k with w_k > threshold max(w)
//
// x has the shape of a and may be a itself, or have any other strides; it comes out Hermitian to the last bit. Only the
// lower triangle of a determines the result, and imaginary parts of the diagonal are taken to be zero.
//
// Errors: *dense.ArgumentError for shapes that do not fit, a threshold that is not at least 0 and below 1, and an
// infinity or a NaN anywhere in a; *IndefiniteError for an eigenvalue that is negative by more than the threshold and n
// eps times the largest modulus; those of eigen.Eigh. x is not touched by argument errors and IndefiniteError. With
// opt.SkipFiniteCheck an infinity or a NaN in the triangle is no error: x is filled with NaN.
//
// |X A X - I| is of the order of eps times the condition number. Cost: that of eigen.Eigh and n^3/2 multiply-adds.
func InvSqrtSPD[T dense.Scalar](a, x dense.View[T], opt Options) (dropped int, err error) {
	if err := check(a, x, opt); err != nil || a.Rows == 0 {
		return 0, err
	}
	if dense.IsComplex[T]() {
		return invSqrt[complex128](a, x, opt)
	}
	return invSqrt[float64](a, x, opt)
}

func check[T dense.Scalar](a, x dense.View[T], opt Options) error {
	n := a.Rows
	switch {
	case a.Cols != n:
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	case x.Rows != n || x.Cols != n:
		return dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", n, n, x.Rows, x.Cols)
	case !(0 <= opt.Threshold && opt.Threshold < 1):
		return dense.BadArgument("threshold", "expected a number from 0 to below 1, got %g", opt.Threshold)
	case opt.SkipFiniteCheck:
		return nil
	}
	return blas.CheckFinite(opt.Team, a, "a")
}

// invSqrt is InvSqrtSPD in the double precision type W after the checks of the arguments.
func invSqrt[W dense.Wide, T dense.Scalar](a, x dense.View[T], opt Options) (dropped int, err error) {
	n, team := a.Rows, opt.Team
	h := dense.New[W](n, n)
	if err := blas.CopyView(team, h.View(), a); err != nil {
		return 0, err
	}
	exponent := scale(h)
	w, vectors := make([]float64, n), dense.New[W](n, n) // row k of vectors is v_k^T
	solving := eigen.Cost[W](n)
	product := productCost[W](n) / 2
	team = team.Plan(solving + product)
	phase := team.Phase(solving)
	eigenOptions := eigen.Options{Team: phase, SkipFiniteCheck: true, Overwrite: true}
	if _, err := eigen.Eigh(h.View(), w, vectors.View().T(), eigenOptions); err != nil {
		return 0, err
	}
	if math.IsNaN(w[0]) {
		h.Fill(dense.FromParts[W](w[0], w[0]))
		return 0, writeHermitian(team, x, h, 1)
	}
	phase.End()
	rounding := float64(n) * dense.Eps[T]()
	dropped, err = countDropped(w, opt.Threshold, rounding, exponent)
	if err != nil {
		return 0, err
	}
	for k := dropped; k < n; k++ {
		blas.Scal(dense.FromReal[W](1/math.Sqrt(math.Sqrt(w[k]))), vectors.RowVec(k, 0, n))
	}
	// With rows v_k^T, scaled, the product of the adjoint and the matrix is the transpose of X.
	phase = team.Phase(product)
	blas.Herk(phase, blas.Lower, blas.ConjTrans, 1, vectors.Slice(dropped, n, 0, n), 0, h)
	if err := team.Err(); err != nil {
		return 0, err
	}
	phase.End()
	return dropped, writeHermitian(team, x, h, math.Ldexp(1, -exponent/2))
}

// scale makes the diagonal of h real and divides the lower triangle by 2^exponent, an even number, so that the largest
// part of an element is near 1: no eigenvalue then leaves the range of double precision. A matrix with an infinity or a
// NaN stays as it is.
func scale[W dense.Wide](h dense.Matrix[W]) (exponent int) {
	const lowest = -1000 // the powers of two that are multiplied by stay in range
	largest := 0.0
	for i := range h.Rows {
		h.Set(i, i, dense.FromReal[W](dense.Real(h.At(i, i))))
		for _, v := range h.Row(i)[:i+1] {
			largest = max(largest, math.Abs(dense.Real(v)), math.Abs(dense.Imag(v)))
		}
	}
	_, exponent = math.Frexp(largest)
	exponent = max(exponent+exponent&1, lowest)
	factor := dense.FromReal[W](math.Ldexp(1, -exponent))
	for i := range h.Rows {
		row := h.Row(i)[:i+1]
		for j := range row {
			row[j] *= factor
		}
	}
	return exponent
}

// countDropped returns how many of the ascending eigenvalues are dropped, or an IndefiniteError. Those of the caller's
// matrix are larger by 2^exponent.
func countDropped(w []float64, threshold, rounding float64, exponent int) (int, error) {
	if threshold == 0 {
		threshold = rounding
	}
	last := w[len(w)-1]
	limit := max(threshold, rounding) * max(last, -w[0])
	if w[0] < -limit {
		return 0, &IndefiniteError{Arg: "a", Value: math.Ldexp(w[0], exponent), Limit: math.Ldexp(limit, exponent)}
	}
	dropped := 0
	for dropped < len(w) && w[dropped] <= threshold*last {
		dropped++
	}
	return dropped, nil
}

// writeHermitian sets x to factor times the Hermitian matrix whose transpose has the lower triangle of h.
func writeHermitian[W dense.Wide, T dense.Scalar](
	team *sched.Team, x dense.View[T], h dense.Matrix[W], factor float64,
) error {
	for i := range h.Rows {
		if err := team.Err(); err != nil {
			return err
		}
		for j, v := range h.Row(i)[:i+1] {
			v *= dense.FromReal[W](factor)
			x.Set(j, i, dense.Convert[T](v))
			x.Set(i, j, dense.Convert[T](dense.Conj(v)))
		}
	}
	return nil
}

// Workspace returns an upper bound of the memory in bytes that a call for an n x n matrix allocates; math.MaxInt64 if
// no machine can hold it.
func Workspace[T dense.Scalar](team *sched.Team, n int) (bytes int64) {
	if dense.IsComplex[T]() {
		return workspace[complex128](team, n)
	}
	return workspace[float64](team, n)
}

func workspace[W dense.Wide](team *sched.Team, n int) int64 {
	const matrices = 2 // h and the vectors
	order := float64(n)
	total := matrices*order*order*float64(dense.Bytes[W]()) + order*float64(dense.Bytes[float64]())
	// The solver's workspace includes that of products, which is kept for those that follow.
	total += float64(eigen.Workspace[W](n, false, eigen.Options{Team: team, Overwrite: true}))
	return boundedBytes(total)
}
