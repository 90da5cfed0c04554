// Package matfunc computes functions of dense matrices: the exponential by scaling and squaring; principal square
// roots, logarithms, powers and signs by the Schur method; integer powers; and the inverse square root of a positive
// definite matrix by its eigenvectors. Terms and methods are those of Higham, Functions of Matrices, SIAM, 2008.
// Arithmetic is in double precision for every dtype, and results are rounded once, at the end; exponentials and integer
// powers, however, are computed in the dtype of the matrix.
package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
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
	return evaluateFunction(team, a, x, functionFor[T](rootKind, rootExponent))
}

// Logm sets x to the principal logarithm of a square matrix: exp(X) = A, and the imaginary parts of the eigenvalues of
// X are above -pi and at most pi. It is real for a real matrix without eigenvalues below zero. x has the shape of a.
//
// Zero eigenvalues are replaced by 1e-20; a matrix with some, exactly or to working precision, has no logarithm, and
// Outcome says so. The Residual is |exp(X) - T| / |T| of the triangular form after grading.
//
// Errors: as in Sqrtm, and *dense.ArgumentError for infinities and NaNs. Cost: that of a Schur form, n^3/3 flops for
// each of some ten square roots and 2 n^3/3 for the systems of equations of an approximant of degree up to 7, four
// times that in complex arithmetic, and 4 n^3. Arithmetic is in double precision for every T; it is complex if A has
// eigenvalues that are no positive numbers.
//
// Method: inverse scaling and squaring of the Schur form with Padé approximants as partial fractions (Al-Mohy and
// Higham, SIAM J. Sci. Comput. 34, 2012).
func Logm[T dense.Scalar, C dense.Complex](team *sched.Team, a dense.View[T], x dense.View[C]) (o Outcome, err error) {
	if err := checkFunction(team, a, x); err != nil || a.Rows == 0 {
		return o, err
	}
	return evaluateFunction(team, a, x, functionFor[T](logKind, 0))
}

// Power sets x to the principal power A^p of a square matrix, exp(p log(A)), for a p that is no integer. It is real for
// a real matrix without eigenvalues below zero. x has the shape of a.
//
// A matrix with the eigenvalue zero, exactly or to working precision, in Jordan blocks of order m at most has such a
// power if m < p + 1. Otherwise NaNs stand for it: Outcome tells. The Residual is the largest of the square roots on
// the way.
//
// Errors: as in Logm, and *dense.ArgumentError for a p that is not finite or an integer. Cost and precision: about
// those of Logm. Method: for p > 0 A^p = A^k A^q with an integer k and |q| < 1 of the sign that suits the condition
// number; A^q by square roots, Padé approximants as continued fractions, and squarings (Higham and Lin, SIAM J. Matrix
// Anal. Appl. 32, 2011, and 34, 2013); for p < 0 the inverses of the triangular A^k and A^q.
func Power[T dense.Scalar, C dense.Complex](
	team *sched.Team, a dense.View[T], p float64, x dense.View[C],
) (o Outcome, err error) {
	if math.IsInf(p, 0) || p == math.Floor(p) || p != p {
		return o, dense.BadArgument("t", "expected a number that is no integer, got %g", p)
	}
	if err := checkFunction(team, a, x); err != nil || a.Rows == 0 {
		return o, err
	}
	return evaluateFunction(team, a, x, functionFor[T](powerKind, p))
}

// Signm sets x to the sign of a square matrix, that is the function whose value is 1 for eigenvalues with positive real
// parts, -1 for negative ones, and 0 for those whose real part is zero, exactly or up to n eps |A|, the rounding errors
// of the Schur form in double precision; eigenvalues that are elements of a triangular matrix have none. It is real for
// a real matrix. x has the shape of a.
//
// Errors: as in Sqrtm, and *dense.ArgumentError for infinities and NaNs. Cost: that of a Schur form and n^3
// multiply-adds. Arithmetic is in double precision. Method: Higham, Functions of Matrices, algorithm 5.5, in blocks:
// elements between eigenvalues of one sign follow from S S = I, the others from Parlett's recurrence. With a zero among
// the values, S S is not I, and all of them follow from the recurrence. A nilpotent part is split off first, and a
// Hermitian matrix is diagonalized.
func Signm[T dense.Scalar, C dense.Complex](team *sched.Team, a dense.View[T], x dense.View[C]) (o Outcome, err error) {
	if err := checkFunction(team, a, x); err != nil || a.Rows == 0 {
		return o, err
	}
	return evaluateFunction(team, a, x, functionFor[T](signKind, 0))
}

// evaluateFunction sets x to f of a. It is real if the elements are real, even in a complex dtype, and no eigenvalue is
// below zero.
func evaluateFunction[T dense.Scalar, C dense.Complex](
	team *sched.Team, a dense.View[T], x dense.View[C], f function,
) (o Outcome, err error) {
	if !dense.IsComplex[T]() {
		return evaluateComponents[float64](team, a, x, f)
	}
	if isReal(a) {
		o, err = evaluateComponents[float64](team, a, x, f)
	} else {
		o, err = evaluateComponents[complex128](team, a, x, f)
	}
	o.Complex = true
	return o, err
}

// evaluateComponents sets x to f of a, where a may be a direct sum of matrices: each connected component of its rows
// and columns is treated as a matrix of its own. Rounding errors of one component then do not affect another one that
// may be much smaller, and if the function of one does not exist, the others are not affected.
func evaluateComponents[W dense.Wide, T dense.Scalar, C dense.Complex](
	team *sched.Team, a dense.View[T], x dense.View[C], f function,
) (o Outcome, err error) {
	n := a.Rows
	m := dense.New[W](n, n)
	if err := blas.CopyView(team, m.View(), a); err != nil {
		return o, err
	}
	parts := connectedComponents(m)
	if len(parts) == 1 && n > 1 {
		return evaluateComponent(team, m, x, f)
	}
	for i := range n {
		for j := range n {
			x.Set(i, j, 0)
		}
	}
	team = team.Plan(stepsOfComponents(parts))
	for _, rows := range parts {
		if err := team.Err(); err != nil {
			return o, err
		}
		if len(rows) == 1 {
			i := rows[0]
			value, part := f.ofNumber(dense.Convert[complex128](m.At(i, i)))
			x.Set(i, i, dense.Convert[C](value))
			part.Complex = part.Complex || dense.IsComplex[W]()
			o.join(part)
			continue
		}
		result, phase := dense.New[C](len(rows), len(rows)), team.Phase(componentSteps(rows))
		part, err := evaluateComponent(phase, submatrix(m, rows), result.View(), f)
		if err != nil {
			return o, err
		}
		phase.End()
		o.join(part)
		for i, row := range rows {
			for j, column := range rows {
				x.Set(row, column, result.At(i, j))
			}
		}
	}
	return o, nil
}

// evaluateComponent sets x to f of m, which is overwritten.
func evaluateComponent[W dense.Wide, C dense.Complex](
	team *sched.Team, m dense.Matrix[W], x dense.View[C], f function,
) (o Outcome, err error) {
	if math.IsInf(frobeniusNorm(m), 0) {
		return o, dense.BadArgument("a", "elements are too large: their norm overflows")
	}
	if isHermitian(m) {
		return ofHermitian(team, m, x, f)
	}
	c := costsFor(m, f)
	team = team.Plan(c.total())
	phase := team.Phase(c.form)
	form, err := schurFormOf[W](phase, m.View())
	if err != nil {
		return o, err
	}
	phase.End()
	limit := form.limit(f)
	f.cut = limit
	o.Singular = spectrumOf(form.t).zero || limit > 0 && smallestSingularValue(form.t) <= limit
	if o.Singular && f.kind != logKind && limit == 0 {
		return ofDecoupled(team, c, form, x, f)
	}
	if o.Singular && f.kind != logKind {
		splitting := deflationRate * productCost[float64](m.Rows)
		rest := team.Remainder().Plan(splitting + c.total())
		phase := rest.Phase(splitting)
		d, err := deflate(phase, m, limit, f)
		if err != nil {
			return o, err
		}
		phase.End()
		if !f.admits(d.index) {
			o.Missing = true
			fillNaN(x)
			return o, nil
		}
		if d.zeros > 0 {
			part, err := ofDeflated(rest, c, d, x, f)
			o.join(part)
			return o, err
		}
	}
	part, err := evaluateForm(team, c, form, x, f)
	o.join(part)
	return o, err
}

// evaluateForm sets x to f of the matrix whose triangular form is given, and overwrites the form. It uses the remaining
// phases of the costs.
func evaluateForm[W dense.Wide, C dense.Complex](
	team *sched.Team, c costs, form schurForm[W], x dense.View[C], f function,
) (o Outcome, err error) {
	has := spectrumNear(form.t, f.cut)
	if real, ok := any(form).(schurForm[float64]); ok && f.needsComplex(has) {
		form, err := complexForm(team, real)
		if err != nil {
			return o, err
		}
		has = spectrumNear(form.t, f.cut)
		if o, err = evaluateForm(team, c, form, x, f); err != nil || f.branches(has) {
			return o, err
		}
		o.Complex = false
		dropImaginary(x)
		return o, nil
	}
	o.Complex = dense.IsComplex[W]()
	phase := team.Phase(c.function)
	part, err := ofTriangular(phase, form.t, f)
	o.join(part)
	if err != nil {
		return o, err
	}
	phase.End()
	return o, transformBack(team.Phase(c.back), form, dense.New[W](form.t.Rows, form.t.Rows), x)
}
