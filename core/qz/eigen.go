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
// for column v of right and column u of left. alpha and beta have n elements and are what Decompose gives; left and
// right are n x n, of any strides. A real eigenvalue of real matrices has real vectors, and those of a complex pair are
// complex conjugates of each other. Where alpha[k] and beta[k] are both zero the pencil is singular, and the vector is
// just column k of Q or Z.
//
// Errors are those of Decompose. Cost: that of Decompose without the factors that are not needed, and 4 n^3 flops for
// either kind of vectors of a real pair. Method: the generalized Schur form and back substitution, Golub and Van Loan,
// Matrix Computations, 4th ed., section 7.7.8, with a tiny number in place of a divisor that is zero up to rounding
// errors.
func Eigen[T dense.Scalar, C dense.Complex](a, b dense.View[T], alpha []complex128, beta []float64, left,
	right dense.View[C], opt Options) error {
	if dense.IsComplex[T]() {
		return eigen[T, complex128](a, b, alpha, beta, left, right, opt)
	}
	return eigen[T, float64](a, b, alpha, beta, left, right, opt)
}

func eigen[T dense.Scalar, W dense.Wide, C dense.Complex](a, b dense.View[T], alpha []complex128, beta []float64, left,
	right dense.View[C], opt Options) error {
	n := a.Rows
	if err := checkEigen(a, b, alpha, beta, left, right); err != nil {
		return err
	}
	if finite, err := checkFinite([2]string{"a", "b"}, a, b, opt); err != nil || !finite {
		if err == nil {
			fill(left, math.NaN())
			fill(right, math.NaN())
			fillValues(alpha, beta, math.NaN())
		}
		return err
	}
	m := &pencil[W]{team: opt.Team, s: dense.New[W](n, n), p: dense.New[W](n, n), qt: factorFor[W](left),
		zt: factorFor[W](right)}
	by, err := load(m, a, b)
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
		m.turnOver()
		m.team = team.Phase(c.vectors)
		if err := storeVectors(m, m.qt, alpha, beta, true, left); err != nil {
			return err
		}
		m.team.End()
	}
	scaleValues(alpha, beta, by)
	return nil
}

// isLowerTriangular reports whether neither S nor P has elements above the diagonal, and one of them has some below.
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

// reverse brings rows and columns into the reverse order. A lower triangular pair becomes an upper triangular one,
// which has its eigenvalues, exactly, in the order in which balancing puts those of a single matrix.
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

func checkEigen[T dense.Scalar, C dense.Complex](a, b dense.View[T], alpha []complex128, beta []float64, left,
	right dense.View[C]) error {
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
			return dense.BadArgument(c.name, "expected shape (%d, %d) or no rows, got (%d, %d)", a.Rows, a.Rows, c.Rows, c.Cols)
		}
	}
	return nil
}

// turnOver transposes S and P and reverses the order of rows and columns, which keeps them (quasi-)triangular: left
// eigenvectors become right ones with elements in reverse order.
func (m *pencil[T]) turnOver() {
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

// Shares of substitution and of the product with the factor in what vectors take.
const substitutionSteps, productSteps = 3 << 28, 1 << 28

// storeVectors computes the right eigenvectors of the pair, multiplies them by the factor, and stores them in out. With
// turned set, the pair was turned over and left eigenvectors are stored.
func storeVectors[W dense.Wide, C dense.Complex](m *pencil[W], factor dense.Matrix[W], alpha []complex128,
	beta []float64, turned bool, out dense.View[C]) error {
	whole := m.team.Plan(substitutionSteps + productSteps)
	m.team = whole.Phase(substitutionSteps)
	defer func() { m.team = whole }()
	rows, err := m.vectorRows(alpha, beta, turned)
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

// vectorRows returns the eigenvectors of the triangular pair as the rows of a matrix: for a complex pair of a real one,
// real and imaginary parts in two rows.
func (m *pencil[W]) vectorRows(alpha []complex128, beta []float64, turned bool) (dense.Matrix[W], error) {
	n := m.order()
	rows := dense.New[W](n, n)
	team := m.team.Plan(n * n)
	err := team.For(n, func(_, k int) error {
		last := k // the row of S that the vector ends with
		if turned {
			last = n - 1 - k
		}
		defer team.Step(2*last + 1)
		switch m := any(m).(type) {
		case *pencil[complex128]:
			x := any(rows).(dense.Matrix[complex128]).Row(k)
			newSubstitution(m, alpha[k], complex(beta[k], 0), dotsComplex).solve(last, x)
			place(x, turned, true)
		case *pencil[float64]:
			real64 := any(rows).(dense.Matrix[float64])
			if imag(alpha[k]) == 0 {
				newSubstitution(m, real(alpha[k]), beta[k], dotsReal).solve(last, real64.Row(k))
				place(real64.Row(k), turned, false)
			} else if imag(alpha[k]) > 0 {
				x := make([]complex128, n)
				if !turned {
					last++
				}
				newSubstitution(m, alpha[k], complex(beta[k], 0), dotsMixed).solve(last, x)
				place(x, turned, true)
				for i, v := range x {
					real64.Set(k, i, real(v))
					real64.Set(k+1, i, imag(v))
				}
			}
		}
		return nil
	})
	return rows, err
}

// place brings the vector of a pair that was turned over to its order and makes the left eigenvector of it.
func place[T dense.Wide](x []T, turned, isComplex bool) {
	if !turned {
		return
	}
	for i, j := 0, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
	if isComplex {
		for i := range x {
			x[i] = dense.Conj(x[i])
		}
	}
}
