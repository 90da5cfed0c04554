package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// symmBlock is the order of the diagonal blocks of a symmetric factor that are expanded to full matrices.
const symmBlock = 256

// Symm computes C = alpha A B + beta C (side Left) or C = alpha B A + beta C (side Right) for a symmetric A of which
// only the triangle uplo is read. See Gemm for the rest.
func Symm[T dense.Scalar](
	team *sched.Team, side Side, uplo Uplo, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T],
) {
	s := symmetric[T]{kernel.Best(), team, a, uplo, false}
	finish(s.multiply("Symm", side, alpha, b, beta, c))
}

// Hemm is Symm for a Hermitian A; the imaginary parts of its diagonal are taken to be zero.
func Hemm[T dense.Scalar](
	team *sched.Team, side Side, uplo Uplo, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T],
) {
	s := symmetric[T]{kernel.Best(), team, a, uplo, true}
	finish(s.multiply("Hemm", side, alpha, b, beta, c))
}

// symmetric is a symmetric or Hermitian factor of a product.
type symmetric[T dense.Scalar] struct {
	set       kernel.Set
	team      *sched.Team
	a         dense.Matrix[T]
	uplo      Uplo
	hermitian bool
}

// multiply computes block rows (side Left) or block columns (Right) of C, each as three products: with A's diagonal
// block, and with the blocks before and behind it.
func (s *symmetric[T]) multiply(name string, side Side, alpha T, b dense.Matrix[T], beta T, c dense.Matrix[T]) error {
	n := s.a.Rows
	order := c.Rows
	if side == Right {
		order = c.Cols
	}
	requireIn(name, s.a.Cols == n && order == n && b.Rows == c.Rows && b.Cols == c.Cols,
		"A is %dx%d, B is %dx%d, C is %dx%d", n, s.a.Cols, b.Rows, b.Cols, c.Rows, c.Cols)
	memory := borrow[T](min(n, symmBlock) * min(n, symmBlock))
	defer memory.GiveBack()
	block := memory.matrix(min(n, symmBlock), min(n, symmBlock))
	team := s.team.Plan(n)
	for i0 := 0; i0 < n; i0 += symmBlock {
		i1 := min(n, i0+symmBlock)
		diagonal := block.Slice(0, i1-i0, 0, i1-i0)
		if alpha != 0 {
			s.expand(diagonal, i0)
		}
		beta := beta
		for _, part := range []struct {
			j0, j1 int
			block  opMatrix[T] // rows i0 to i1, columns j0 to j1 of A
		}{{i0, i1, plain(diagonal)}, {0, i0, s.block(i0, i1, 0, i0)}, {i1, n, s.block(i0, i1, i1, n)}} {
			var err error
			if side == Left {
				err = multiply(s.set, team.Plan(0), full, alpha, part.block,
					plain(b.Slice(part.j0, part.j1, 0, b.Cols)), beta, c.Slice(i0, i1, 0, c.Cols))
			} else {
				if part.j0 != i0 { // the block on the diagonal is its own mirror image
					part.block = s.mirrored(part.block)
				}
				err = multiply(s.set, team.Plan(0), full, alpha, plain(b.Slice(0, b.Rows, part.j0, part.j1)),
					part.block, beta, c.Slice(0, c.Rows, i0, i1))
			}
			if err != nil {
				return err
			}
			beta = 1
		}
		team.Step(i1 - i0)
	}
	return nil
}

// mirrored returns the block of A at the mirrored place.
func (s *symmetric[T]) mirrored(x opMatrix[T]) opMatrix[T] {
	if s.hermitian {
		return x.adjoint()
	}
	return x.transposed()
}

// block returns a block of A off the diagonal, or its mirror image from the triangle that is stored.
func (s *symmetric[T]) block(i0, i1, j0, j1 int) opMatrix[T] {
	if (j0 < i0) == (s.uplo == Lower) {
		return plain(s.a.Slice(i0, i1, j0, j1))
	}
	return s.mirrored(plain(s.a.Slice(j0, j1, i0, i1)))
}

// expand sets d to both triangles of the diagonal block that begins at i0.
func (s *symmetric[T]) expand(d dense.Matrix[T], i0 int) {
	block := s.a.Slice(i0, i0+d.Rows, i0, i0+d.Cols)
	if !dense.IsComplex[T]() {
		transpose(s.set, d, block) // then the stored triangle over the transpose of the other one
	}
	for i := range d.Rows {
		first, last := partOf(s.uplo).columns(i, 0, d.Cols, 1)
		row := d.Row(i)
		copy(row[first:last], block.Row(i)[first:])
		if !dense.IsComplex[T]() {
			continue
		}
		if s.hermitian {
			row[i] = dense.FromReal[T](dense.Real(row[i]))
		}
		at := first*d.Stride + i
		for _, x := range row[first:last] {
			if s.hermitian {
				x = dense.Conj(x)
			}
			d.Data[at] = x
			at += d.Stride
		}
	}
}

// Gemmt computes the triangle uplo of C = alpha op(A) op(B) + beta C for a square C; the other triangle is neither read
// nor written. See Gemm for the rest.
func Gemmt[T dense.Scalar](
	team *sched.Team, uplo Uplo, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T],
) {
	x, y := opOf(tA, a), opOf(tB, b)
	m, k := x.shape()
	kb, n := y.shape()
	require(k == kb && m == n && m == c.Rows && n == c.Cols, "Gemmt: op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", m, k,
		kb, n, c.Rows, c.Cols)
	finish(multiply(kernel.Best(), team, partOf(uplo), alpha, x, y, beta, c))
}

// Syrk computes the triangle uplo of C = alpha op(A) op(A)^T + beta C. trans is NoTrans or Trans; ConjTrans means Trans
// for a real dtype and is refused for a complex one.
func Syrk[T dense.Scalar](
	team *sched.Team, uplo Uplo, trans Transpose, alpha T, a dense.Matrix[T], beta T, c dense.Matrix[T],
) {
	r := rankK[T]{kernel.Best(), team, uplo}
	finish(r.update("Syrk", symmetricOp[T](trans), alpha, a, beta, c))
}

// Herk computes the triangle uplo of C = alpha op(A) op(A)^H + beta C with op(A) = A or A^H. The imaginary parts of C's
// diagonal are taken to be zero and become zero, unless nothing is to be done: beta is 1 and alpha or the inner
// dimension 0.
func Herk[T dense.Scalar](
	team *sched.Team, uplo Uplo, trans Transpose, alpha float64, a dense.Matrix[T], beta float64, c dense.Matrix[T],
) {
	r := rankK[T]{kernel.Best(), team, uplo}
	finish(r.hermitianUpdate("Herk", hermitianOp[T](trans), alpha, a, beta, c))
}

// Syr2k computes the triangle uplo of C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C. For trans see Syrk.
func Syr2k[T dense.Scalar](
	team *sched.Team, uplo Uplo, trans Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T],
) {
	r := rankK[T]{kernel.Best(), team, uplo}
	x, y := opOf(symmetricOp[T](trans), a), opOf(trans, b)
	r.require("Syr2k", x, y, c)
	finish(r.update2(alpha, alpha, x, y, y.transposed(), x.transposed(), beta, c))
}

// Her2k computes the triangle uplo of C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C with op(X) = X or
// X^H. For the imaginary parts of C's diagonal see Herk.
func Her2k[T dense.Scalar](
	team *sched.Team, uplo Uplo, trans Transpose, alpha T, a, b dense.Matrix[T], beta float64, c dense.Matrix[T],
) {
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

func (r rankK[T]) require(name string, x, y opMatrix[T], c dense.Matrix[T]) {
	n, k := x.shape()
	ny, ky := y.shape()
	requireIn(name, n == ny && k == ky && n == c.Rows && n == c.Cols, "op(A) is %dx%d, op(B) is %dx%d, C is %dx%d", n,
		k, ny, ky, c.Rows, c.Cols)
}

func (r rankK[T]) update(name string, trans Transpose, alpha T, a dense.Matrix[T], beta T, c dense.Matrix[T]) error {
	x := opOf(trans, a)
	r.require(name, x, x, c)
	return multiply(r.set, r.team, partOf(r.uplo), alpha, x, x.transposed(), beta, c)
}

func (r rankK[T]) hermitianUpdate(
	name string, trans Transpose, alpha float64, a dense.Matrix[T], beta float64, c dense.Matrix[T],
) error {
	x := opOf(trans, a)
	r.require(name, x, x, c)
	err := multiply(r.set, r.team, partOf(r.uplo), dense.FromReal[T](alpha), x, x.adjoint(), dense.FromReal[T](beta), c)
	if _, k := x.shape(); alpha != 0 && k > 0 || beta != 1 {
		makeDiagonalReal(c)
	}
	return err
}

// update2 computes C = alpha x yT + alpha2 y xT + beta C.
func (r rankK[T]) update2(alpha, alpha2 T, x, y, yT, xT opMatrix[T], beta T, c dense.Matrix[T]) error {
	const half = 1 << 20 // steps of a half, many enough to show those of the products
	team := r.team.Plan(2 * half)
	phase := team.Phase(half)
	if err := multiply(r.set, phase, partOf(r.uplo), alpha, x, yT, beta, c); err != nil {
		return err
	}
	phase.End()
	return multiply(r.set, team.Phase(half), partOf(r.uplo), alpha2, y, xT, 1, c)
}
