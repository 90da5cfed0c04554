package frechet

import (
	"fmt"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/matfunc"
	"trnsci/core/sched"
)

// Condition returns the relative condition number of the exponential at a square matrix A in the Frobenius norm:
//
//	max |L(E)|_F |A|_F / (|E|_F |exp(A)|_F)
//
// over the directions E of the derivative L. It is NaN if A holds infinities or NaNs, or if the exponential overflows
// or is zero, and 0 if A is zero or empty.
//
// Errors: *dense.ArgumentError for a matrix that is not square; *ConvergenceError; the team's error when the call is
// cancelled.
//
// Method: the adjoint of L takes E to L(E^H)^H (Higham, Functions of Matrices, 2008, section 10.6). Hence E -> L(E)^H
// is symmetric in the real inner product Re tr(E^H F), and the norm of L is its eigenvalue of largest modulus, which
// Lanczos' method without reorthogonalization finds (Paige, Linear Algebra Appl. 34, 1980). Each step costs a
// derivative, see Expm; 10 to 50 are usual for matrices up to order 100. The relative error is of the order of that of
// the derivatives.
func Condition[T dense.Scalar](team *sched.Team, a dense.View[T]) (float64, error) {
	n := a.Rows
	if a.Cols != n {
		return 0, dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if n == 0 {
		return 0, nil
	}
	if !a.AllFinite() {
		return math.NaN(), nil
	}
	if dense.IsComplex[T]() {
		return condition[complex128](team, a)
	}
	return condition[float64](team, a)
}

func condition[W dense.Wide, T dense.Scalar](team *sched.Team, a dense.View[T]) (float64, error) {
	p, err := newPoint(team, a, func(p *point[W]) int { return usualSteps * p.derivativeProducts() })
	if err != nil || p.norm == 0 {
		return 0, err
	}
	norm, err := p.norm2()
	if err != nil {
		return 0, err
	}
	x := dense.New[W](p.n, p.n)
	dense.Copy(x.View(), a)
	if err := matfunc.Expm(p.team, x.View(), x.View()); err != nil {
		return 0, err
	}
	return norm * p.norm / blas.Nrm2(dense.Vec(x.Data)), nil
}

// ConvergenceError reports that Lanczos' method did not find the norm of the derivative.
type ConvergenceError struct{ Steps int }

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("A: the norm of the derivative has not converged after %d steps of Lanczos' method", e.Steps)
}

const (
	usualSteps = 24
	mostSteps  = 2000
	// Residual of the eigenvalue, relative to it, and change since the last look: the error is of the order of the
	// square of the residual.
	smallResidual, smallChange = 1e-8, 1e-14
	// Looks at the eigenvalues are at steps that grow by this factor, as their cost grows with the cube.
	growth = 1.1
)

// norm2 returns the norm of the derivative as a map of matrices with the Frobenius norm.
func (p *point[W]) norm2() (float64, error) {
	n := p.n
	this, last, next := dense.New[W](n, n), dense.New[W](n, n), dense.New[W](n, n)
	direction := dense.New[W](n, n)
	setIrregular(this)
	var d, e []float64
	estimate, look := 0.0, 1
	for step := 1; step <= mostSteps; step++ {
		copy(direction.Data, this.Data)
		if err := p.derivative(direction, next); err != nil {
			return 0, err
		}
		conjugateTranspose(next)
		if step > 1 {
			axpy(-e[step-2], last, next)
		}
		d = append(d, innerProduct(this, next))
		axpy(-d[step-1], this, next)
		beta := blas.Nrm2(dense.Vec(next.Data))
		if !dense.IsFinite(beta) || !dense.IsFinite(d[step-1]) {
			return math.NaN(), nil
		}
		if step >= look || beta == 0 {
			value, residual, err := largestRitz(d, e, beta)
			if err != nil {
				return 0, err
			}
			if beta == 0 || residual <= smallResidual*value && math.Abs(value-estimate) <= smallChange*value {
				return value, nil
			}
			estimate, look = value, int(math.Ceil(growth*float64(step)))+1
		}
		e = append(e, beta)
		scale(next, 1/beta)
		last, this, next = this, next, last
	}
	return 0, &ConvergenceError{Steps: mostSteps}
}

// largestRitz returns the largest modulus of an eigenvalue of the symmetric tridiagonal matrix with diagonals d and e,
// and beta times the modulus of the last component of its eigenvector.
func largestRitz(d, e []float64, beta float64) (value, residual float64, err error) {
	n := len(d)
	w, v := make([]float64, n), dense.New[float64](n, n)
	if _, err := eigen.EighTridiagonal(d, e, w, v.View(), eigen.Options{}); err != nil {
		return 0, 0, err
	}
	which := 0
	if math.Abs(w[n-1]) > math.Abs(w[0]) {
		which = n - 1
	}
	return math.Abs(w[which]), beta * math.Abs(v.At(n-1, which)), nil
}

// setIrregular sets m to a matrix of norm 1 that is as good as random.
func setIrregular[W dense.Wide](m dense.Matrix[W]) {
	irregular := func(k int) float64 {
		_, part := math.Modf(float64(k) * math.Phi)
		return part - 0.5
	}
	for k := range m.Data {
		m.Data[k] = dense.FromParts[W](irregular(2*k+1), irregular(2*k+2))
	}
	scale(m, 1/blas.Nrm2(dense.Vec(m.Data)))
}

// innerProduct returns Re tr(A^H B).
func innerProduct[W dense.Wide](a, b dense.Matrix[W]) float64 {
	return blas.Dotu(dense.Vec(dense.Reals[float64](a.Data)), dense.Vec(dense.Reals[float64](b.Data)))
}

// axpy adds x times a to b.
func axpy[W dense.Wide](x float64, a, b dense.Matrix[W]) {
	blas.Axpy(dense.FromReal[W](x), dense.Vec(a.Data), dense.Vec(b.Data))
}

func scale[W dense.Wide](m dense.Matrix[W], by float64) {
	blas.Scal(dense.FromReal[W](by), dense.Vec(m.Data))
}

// conjugateTranspose replaces m by its conjugate transpose.
func conjugateTranspose[W dense.Wide](m dense.Matrix[W]) {
	for i := range m.Rows {
		for j := range i {
			above, below := m.At(j, i), m.At(i, j)
			m.Set(j, i, dense.Conj(below))
			m.Set(i, j, dense.Conj(above))
		}
		m.Set(i, i, dense.Conj(m.At(i, i)))
	}
}
