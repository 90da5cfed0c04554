package qz

import (
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Eigen computes the generalized eigenvalues alpha[k] / beta[k] of the n x n matrices a and b and, where left or right
// has rows, eigenvectors of Euclidean norm 1 as their columns:
//
//	beta[k] A v = alpha[k] B v,  beta[k] u^H A = alpha[k] u^H B
//
// for column v of right and column u of left. alpha and beta have n elements and are those that Decompose returns; left
// and right are n x n, of any strides. A real eigenvalue of real matrices has real vectors, and the vectors of a
// complex pair are complex conjugates of each other. Where alpha[k] and beta[k] are both zero the pencil is singular,
// and the vector is column k of Q or Z.
//
// Errors are those of Decompose. Cost: that of Decompose without the factors that are not needed, and 4 n^3 flops for
// each kind of vectors of a real pair. Method: the generalized Schur form and back substitution (LAPACK's ggev; Golub
// and Van Loan, Matrix Computations, 4th ed., section 7.7.8), where divisors that are zero up to rounding errors are
// replaced by eps.
func Eigen[T dense.Scalar, C dense.Complex](
	a, b dense.View[T], alpha []complex128, beta []float64, left, right dense.View[C], opt Options,
) error {
	if dense.IsComplex[T]() {
		return eigen[T, complex128](a, b, alpha, beta, left, right, opt)
	}
	return eigen[T, float64](a, b, alpha, beta, left, right, opt)
}

func eigen[T dense.Scalar, W dense.Wide, C dense.Complex](
	a, b dense.View[T], alpha []complex128, beta []float64, left, right dense.View[C], opt Options,
) error {
	n := a.Rows
	if err := checkEigen(a, b, alpha, beta, left, right); err != nil {
		return err
	}
	if finite, err := checkFinite([2]string{"a", "b"}, a, b, opt); err != nil || !finite {
		if err == nil {
			left.Fill(dense.FromReal[C](math.NaN()))
			right.Fill(dense.FromReal[C](math.NaN()))
			fillValues(alpha, beta, math.NaN())
		}
		return err
	}
	m := newPencil[W](opt.Team, n, left, right)
	m.valuesOnly = left.Rows+right.Rows == 0
	powers, err := load(m, a, b)
	if err != nil {
		return err
	}
	if m.isLowerTriangular() {
		m.reverse()
	}
	c := costsOf(m)
	team := opt.Team.Plan(c.form() + (left.Rows+right.Rows)/max(1, n)*c.vectors)
	opt.Team = team.Phase(c.form())
	if err := m.toForm(opt); err != nil {
		return err
	}
	opt.Team.End()
	m.eigenvalues(alpha, beta)
	if right.Rows > 0 {
		m.team = team.Phase(c.vectors)
		if err := storeVectors(m, m.zt, alpha, beta, false, right); err != nil {
			return err
		}
		m.team.End()
	}
	if left.Rows > 0 {
		m.flipTranspose()
		m.team = team.Phase(c.vectors)
		if err := storeVectors(m, m.qt, alpha, beta, true, left); err != nil {
			return err
		}
		m.team.End()
	}
	scaleValues(alpha, beta, powers)
	return nil
}

// isLowerTriangular reports whether S and P are both lower triangular and not both diagonal.
func (m *pencil[T]) isLowerTriangular() bool {
	n := m.order()
	below := false
	for i := range n {
		for _, a := range []dense.Matrix[T]{m.s, m.p} {
			if !isZero(dense.Vec(a.Row(i)[i+1:])) {
				return false
			}
			below = below || !isZero(dense.Vec(a.Row(i)[:i]))
		}
	}
	return below
}

// reverse reverses the order of rows and columns. A lower triangular pair becomes upper triangular, so that its
// eigenvalues are exact, in the order in which balancing puts those of a single matrix.
func (m *pencil[T]) reverse() {
	n := m.order()
	for _, a := range []dense.Matrix[T]{m.s, m.p} {
		for i := range n {
			slices.Reverse(a.Row(i))
		}
	}
	for _, a := range []dense.Matrix[T]{m.s, m.p, m.qt, m.zt} {
		for i := range a.Rows / 2 {
			blas.Swap(a.RowVec(i, 0, n), a.RowVec(n-1-i, 0, n))
		}
	}
}

func checkEigen[T dense.Scalar, C dense.Complex](
	a, b dense.View[T], alpha []complex128, beta []float64, left, right dense.View[C],
) error {
	if err := checkShapes(a, b, Form[T]{S: a, P: b}); err != nil {
		return err
	}
	if err := checkValues(alpha, beta, a.Rows); err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		dense.View[C]
	}{{"left", left}, {"right", right}} {
		if c.Rows != 0 && (c.Rows != a.Rows || c.Cols != a.Rows) {
			return dense.BadArgument(
				c.name, "expected shape (%d, %d) or no rows, got (%d, %d)", a.Rows, a.Rows, c.Rows, c.Cols)
		}
	}
	return nil
}

// flipTranspose transposes S and P and reverses the order of rows and columns, which preserves (quasi-)triangular form:
// left eigenvectors become right eigenvectors with their elements in reverse order.
func (m *pencil[T]) flipTranspose() {
	n := m.order()
	for _, a := range []dense.Matrix[T]{m.s, m.p} {
		for i := range n {
			for j := range n - 1 - i {
				k, l := n-1-j, n-1-i
				x, y := a.At(i, j), a.At(k, l)
				a.Set(i, j, y)
				a.Set(k, l, x)
			}
		}
	}
}

// Shares of back substitution and of the product with the factor in the cost of eigenvectors.
const substitutionSteps, productSteps = 3 << 28, 1 << 28

// storeVectors computes the right eigenvectors of the pair, multiplies them by the factor, and stores them in out. If
// flipped is set, the pair was flipped by flipTranspose, and left eigenvectors are stored.
func storeVectors[W dense.Wide, C dense.Complex](
	m *pencil[W], factor dense.Matrix[W], alpha []complex128, beta []float64, flipped bool, out dense.View[C],
) error {
	whole := m.team.Plan(substitutionSteps + productSteps)
	m.team = whole.Phase(substitutionSteps)
	defer func() { m.team = whole }()
	rows, err := m.vectorRows(alpha, beta, flipped)
	if err != nil {
		return err
	}
	m.team.End()
	m.team = whole.Phase(productSteps)
	product := dense.New[W](rows.Rows, rows.Cols)
	blas.Gemm(m.team, blas.NoTrans, blas.NoTrans, 1, rows, factor, 0, product)
	if err := m.team.Err(); err != nil {
		return err
	}
	n := rows.Rows
	for k := 0; k < n; k++ {
		if !dense.IsComplex[W]() && imag(alpha[k]) > 0 {
			storePair(product.Row(k), product.Row(k+1), out, k)
			k++
			continue
		}
		scale := dense.FromReal[W](1 / blas.Nrm2(product.RowVec(k, 0, n)))
		for i, x := range product.Row(k) {
			out.Set(i, k, dense.Convert[C](x*scale))
		}
	}
	return nil
}

// storePair stores the vector re + i im and its complex conjugate, both of norm 1, in columns k and k+1.
func storePair[W dense.Wide, C dense.Complex](re, im []W, out dense.View[C], k int) {
	scale := 1 / math.Hypot(blas.Nrm2(dense.Vec(re)), blas.Nrm2(dense.Vec(im)))
	for i, x := range re {
		x, y := dense.Real(x)*scale, dense.Real(im[i])*scale
		out.Set(i, k, dense.FromParts[C](x, y))
		out.Set(i, k+1, dense.FromParts[C](x, -y))
	}
}
