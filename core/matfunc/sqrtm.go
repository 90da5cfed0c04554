package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/sylvester"
)

// Sqrtm sets x to the principal square root of a square matrix: X X = A, and no eigenvalue of X has a negative real
// part. Eigenvalues below zero of a real matrix get roots on the positive imaginary axis; X then is complex, and real
// for any other real matrix. x has the shape of a.
//
// A matrix with infinities or NaNs gives NaNs. One that is singular, exactly or to working precision, has a principal
// root if zero is a semisimple eigenvalue, and else NaNs stand for it: Outcome says so. The Residual is |R R - T| / |T|
// of the triangular form after grading.
//
// Errors: *dense.ArgumentError for shapes that do not fit; those of schur.Decompose, and the team's when the call is
// cancelled.
//
// The residual |X X - A| is of the order of eps |X|^2, which may be more than eps |A|. Cost: that of a Schur form and 2
// n^3/3 + 4 n^3 flops. Arithmetic is in double precision for every T. Method: the Schur method, in real arithmetic for
// a real X (Björck and Hammarling, Linear Algebra Appl. 52-53, 1983; Higham, ibid. 88-89, 1987), by recursive halving
// (Deadman, Higham and Ralha, Lecture Notes in Computer Science 7782, 2013).
func Sqrtm[T dense.Scalar, C dense.Complex](team *sched.Team, a dense.View[T], x dense.View[C]) (o Outcome, err error) {
	if err := checkFunction(team, a, x); isNotFinite(err) {
		fillNaN(x)
		return Outcome{Complex: dense.IsComplex[T]()}, nil
	} else if err != nil || a.Rows == 0 {
		return o, err
	}
	return applied(team, a, x, functionFor[T](rootKind, rootExponent))
}

// rootExponent is the power that a square root is.
const rootExponent = 0.5

// triangleToRoot overwrites the upper triangular or quasi-triangular t by its root.
func triangleToRoot[W dense.Wide](team *sched.Team, t dense.Matrix[W], scales grading) (lost losses, err error) {
	r := dense.New[W](t.Rows, t.Rows)
	if _, err = triangularRoot(team.Plan(rootSteps(t.Rows)), t, r); err != nil {
		return lost, err
	}
	noteRoot(&lost, r, t, scales)
	t.CopyFrom(r)
	return lost, nil
}

// rootResidual returns an estimate of |R R - T| / |T|, or of the relative error of R that explains it where that is
// smaller.
func rootResidual[W dense.Wide](r, t dense.Matrix[W]) float64 {
	const harmless = 1e-10 // far from half of the digits: there is nothing to explain
	n, norm := t.Rows, infinityNorm(t)
	middle := make([]W, n)
	residual := estimateNorm(n, func(transposed bool, x, y []W) {
		trans := transposition(transposed)
		blas.Gemv(nil, trans, 1, r, dense.Vec(x), 0, dense.Vec(middle))
		blas.Gemv(nil, trans, 1, t, dense.Vec(x), 0, dense.Vec(y))
		blas.Gemv(nil, trans, 1, r, dense.Vec(middle), -1, dense.Vec(y))
	}) / norm
	if residual <= harmless {
		return residual
	}
	square, other, moved := dense.New[W](n, n), dense.New[W](n, n), rounded(r)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, r, r, 0, square)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, moved, moved, 0, other)
	return errorBehind[W](distance(square, t)/norm, distance(other, square)/norm)
}

// rounded returns x with each element moved by a machine epsilon, up or down.
func rounded[W dense.Wide](x dense.Matrix[W]) dense.Matrix[W] {
	x = x.Clone()
	for k := range x.Data {
		_, part := math.Modf(float64(k+1) * math.Phi) // as good as random
		x.Data[k] *= dense.FromReal[W](1 + math.Copysign(dense.Eps[W](), part-0.5))
	}
	return x
}

// errorBehind returns the relative error of a result, in proportion to the residual that the rounding of its elements
// alone makes, if that is less than its residual.
func errorBehind[W dense.Wide](residual, ofRounding float64) float64 {
	if explained := dense.Eps[W]() * residual / ofRounding; explained < residual {
		return explained
	}
	return residual
}

// triangularRoot sets r, whose elements are zeros, to the principal square root of the upper triangular or, if real,
// quasi-triangular t, whose real eigenvalues are not negative then. The halves of t on the diagonal have the roots R1
// and R2, and between them is X with R1 X + X R2 = T12. perturbed says that such an equation was singular to working
// precision.
func triangularRoot[W dense.Wide](team *sched.Team, t, r dense.Matrix[W]) (perturbed bool, err error) {
	n := t.Rows
	switch {
	case n == 1:
		r.Set(0, 0, dense.Convert[W](principalRoot(dense.Convert[complex128](t.At(0, 0)))))
		return false, nil
	case n == 2 && t.At(1, 0) != 0:
		setBlockRoot(t, r)
		return false, nil
	case n <= rootBase && !spectrumOf(t).pairs:
		team.Step(rootSteps(n))
		return rootByElements(t, r), team.Err()
	}
	half := n / 2
	if t.At(half, half-1) != 0 { // not through a block
		half++
	}
	first, err := triangularRoot(team, t.Slice(0, half, 0, half), r.Slice(0, half, 0, half))
	if err != nil {
		return false, err
	}
	second, err := triangularRoot(team, t.Slice(half, n, half, n), r.Slice(half, n, half, n))
	if err != nil {
		return false, err
	}
	x := r.Slice(0, half, half, n)
	x.CopyFrom(t.Slice(0, half, half, n))
	phase := team.Phase(rootSteps(n) - rootSteps(half) - rootSteps(n-half))
	defer phase.End()
	solved, err := sylvester.Triangular(phase, sylvester.Form{}, r.Slice(0, half, 0, half), r.Slice(half, n, half, n),
		x)
	scaleBack(x, solved.Shift)
	return first || second || solved.Perturbed, err
}

// rootSteps returns the steps of a team that the triangular root of order n takes.
func rootSteps(n int) int { return n * n * n }

// scaleBack multiplies the solution x of an equation by 2^shift: if it overflows, so be it.
func scaleBack[W dense.Wide](x dense.Matrix[W], shift int) {
	for i := 0; i < x.Rows && shift != 0; i++ {
		blas.Scal(dense.FromReal[W](math.Ldexp(1, min(shift, math.MaxInt16))), dense.Vec(x.Row(i)))
	}
}

// rootBase is the order up to which a triangular matrix is taken element by element.
const rootBase = 16

// rootByElements is triangularRoot for a small upper triangular t.
func rootByElements[W dense.Wide](t, r dense.Matrix[W]) (perturbed bool) {
	n := t.Rows
	least := 0.0 // what stands for a sum of two roots that is zero
	for j := range n {
		r.Set(j, j, dense.Convert[W](principalRoot(dense.Convert[complex128](t.At(j, j)))))
		least = max(least, dense.Abs(r.At(j, j))*dense.Eps[W](), math.SmallestNonzeroFloat64)
		for i := j - 1; i >= 0; i-- {
			row, sum := r.Row(i), t.At(i, j)-rowTimesColumn(r, r, i, j, i+1, j)
			pivot := row[i] + r.At(j, j)
			if pivot == 0 {
				pivot, perturbed = dense.FromReal[W](least), true
			}
			row[j] = sum / pivot
		}
	}
	return perturbed
}

// rowTimesColumn returns the sum of l_ik r_kj over first <= k < end.
func rowTimesColumn[W dense.Wide](l, r dense.Matrix[W], i, j, first, end int) (sum W) {
	if first >= end {
		return 0
	}
	// Without calls of At, each of which would copy r.
	column, stride := r.Data[first*r.Stride+j:], r.Stride
	for k, x := range l.Row(i)[first:end] {
		sum += x * column[k*stride]
	}
	return sum
}

// principalRoot returns the square root with a real part that is not negative, on the upper half of the imaginary axis
// for negative numbers.
func principalRoot(z complex128) complex128 {
	if imag(z) == 0 {
		z = complex(real(z), 0) // a negative zero would choose the lower half
	}
	return cmplx.Sqrt(z)
}

// setBlockRoot sets r to the root of a standard block [a b; c a], b c < 0, with the eigenvalues a +- i theta: with
// alpha + i beta the root of a + i theta it is alpha I + (block - a I) / (2 alpha).
func setBlockRoot[W dense.Wide](t, r dense.Matrix[W]) {
	a, b, c := dense.Real(t.At(0, 0)), dense.Real(t.At(0, 1)), dense.Real(t.At(1, 0))
	theta := math.Sqrt(math.Abs(b)) * math.Sqrt(math.Abs(c))
	alpha := real(cmplx.Sqrt(complex(a, theta)))
	r.Set(0, 0, dense.FromReal[W](alpha))
	r.Set(0, 1, dense.FromReal[W](b/alpha/2))
	r.Set(1, 0, dense.FromReal[W](c/alpha/2))
	r.Set(1, 1, dense.FromReal[W](alpha))
}
