package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Gemmt computes the triangle uplo of C = alpha op(A) op(B) + beta C for a square C; nothing of the other one is read or written.
// See Gemm for the rest.
func Gemmt[T dense.Scalar](team *sched.Team, uplo Uplo, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	x, y := opOf(tA, a), opOf(tB, b)
	m, k := x.shape()
	kb, n := y.shape()
	require(k == kb && m == n && m == c.Rows && n == c.Cols, "Gemmt: op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", m, k, kb, n, c.Rows, c.Cols)
	finish(multiply(kernel.Best(), team, partOf(uplo), alpha, x, y, beta, c))
}

// Syrk computes the triangle uplo of C = alpha op(A) op(A)^T + beta C. trans is NoTrans or Trans; ConjTrans means Trans for a real
// dtype and is refused for a complex one.
func Syrk[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha T, a dense.Matrix[T], beta T, c dense.Matrix[T]) {
	r := rankK[T]{kernel.Best(), team, uplo}
	finish(r.update("Syrk", symmetricOp[T](trans), alpha, a, beta, c))
}

// Herk computes the triangle uplo of C = alpha op(A) op(A)^H + beta C with op(A) = A or A^H. The imaginary parts of C's diagonal
// are taken to be zero and become zero, unless nothing is to be done: beta is 1 and alpha or the inner dimension 0.
func Herk[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha float64, a dense.Matrix[T], beta float64, c dense.Matrix[T]) {
	r := rankK[T]{kernel.Best(), team, uplo}
	finish(r.hermitianUpdate("Herk", hermitianOp[T](trans), alpha, a, beta, c))
}

// Syr2k computes the triangle uplo of C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C. For trans see Syrk.
func Syr2k[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	r := rankK[T]{kernel.Best(), team, uplo}
	x, y := opOf(symmetricOp[T](trans), a), opOf(trans, b)
	r.require("Syr2k", x, y, c)
	finish(r.update2(alpha, alpha, x, y, y.transposed(), x.transposed(), beta, c))
}

// Her2k computes the triangle uplo of C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C with op(X) = X or X^H. For the imaginary
// parts of C's diagonal see Herk.
func Her2k[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha T, a, b dense.Matrix[T], beta float64, c dense.Matrix[T]) {
	r := rankK[T]{kernel.Best(), team, uplo}
	trans = hermitianOp[T](trans)
	x, y := opOf(trans, a), opOf(trans, b)
	r.require("Her2k", x, y, c)
	finish(r.update2(alpha, dense.Conj(alpha), x, y, y.adjoint(), x.adjoint(), dense.FromReal[T](beta), c))
	if _, k := x.shape(); alpha != 0 && k > 0 || beta != 1 {
		makeDiagonalReal(c)
	}
}

// symmetricOp refuses the conjugate transpose of complex matrices, which has no place in a symmetric product.
func symmetricOp[T dense.Scalar](trans Transpose) Transpose {
	require(trans != ConjTrans || !dense.IsComplex[T](), "a symmetric product has no conjugate transposes")
	return trans
}

// hermitianOp refuses the transpose of complex matrices without conjugation.
func hermitianOp[T dense.Scalar](trans Transpose) Transpose {
	require(trans != Trans || !dense.IsComplex[T](), "a Hermitian product has no transposes without conjugation")
	return trans
}

// rankK updates a triangle.
type rankK[T dense.Scalar] struct {
	set  kernel.Set
	team *sched.Team
	uplo Uplo
}

func (r rankK[T]) require(name string, x, y factor[T], c dense.Matrix[T]) {
	n, k := x.shape()
	ny, ky := y.shape()
	requireIn(name, n == ny && k == ky && n == c.Rows && n == c.Cols, "op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", n, k, ny, ky, c.Rows, c.Cols)
}

func (r rankK[T]) update(name string, trans Transpose, alpha T, a dense.Matrix[T], beta T, c dense.Matrix[T]) error {
	x := opOf(trans, a)
	r.require(name, x, x, c)
	return multiply(r.set, r.team, partOf(r.uplo), alpha, x, x.transposed(), beta, c)
}

func (r rankK[T]) hermitianUpdate(name string, trans Transpose, alpha float64, a dense.Matrix[T], beta float64, c dense.Matrix[T]) error {
	x := opOf(trans, a)
	r.require(name, x, x, c)
	err := multiply(r.set, r.team, partOf(r.uplo), dense.FromReal[T](alpha), x, x.adjoint(), dense.FromReal[T](beta), c)
	if _, k := x.shape(); alpha != 0 && k > 0 || beta != 1 {
		makeDiagonalReal(c)
	}
	return err
}

// update2 computes C = alpha x yT + alpha2 y xT + beta C.
func (r rankK[T]) update2(alpha, alpha2 T, x, y, yT, xT factor[T], beta T, c dense.Matrix[T]) error {
	const half = 1 << 20 // steps, so that those of the products are seen
	team := r.team.Plan(2 * half)
	phase := team.Phase(half)
	if err := multiply(r.set, phase, partOf(r.uplo), alpha, x, yT, beta, c); err != nil {
		return err
	}
	phase.End()
	return multiply(r.set, team.Phase(half), partOf(r.uplo), alpha2, y, xT, 1, c)
}
