package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// symmBlock is the number of rows of a symmetric factor that are expanded to full ones for a product.
const symmBlock = 512

// SymmetricWorkspace returns the bytes that Symm and Hemm with a factor of order n take, beside those of Gemm. They are
// kept for the next call until the garbage collector frees them.
func SymmetricWorkspace[T dense.Scalar](n int) int64 {
	return int64(min(n, symmBlock)) * int64(n) * int64(dense.Bytes[T]())
}

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

// multiply computes block rows (side Left) or block columns (Right) of C, each as a product with a panel of A: rows of
// A, or the mirror image of those.
func (s *symmetric[T]) multiply(name string, side Side, alpha T, b dense.Matrix[T], beta T, c dense.Matrix[T]) error {
	n := s.a.Rows
	order := c.Rows
	if side == Right {
		order = c.Cols
	}
	requireIn(name, s.a.Cols == n && order == n && b.Rows == c.Rows && b.Cols == c.Cols,
		"A is %dx%d, B is %dx%d, C is %dx%d", n, s.a.Cols, b.Rows, b.Cols, c.Rows, c.Cols)
	memory := borrow[T](min(n, symmBlock) * n)
	defer memory.GiveBack()
	panel := memory.matrix(min(n, symmBlock), n)
	team := s.team.Plan(n)
	for i0 := 0; i0 < n; i0 += symmBlock {
		i1 := min(n, i0+symmBlock)
		rows := panel.Slice(0, i1-i0, 0, n)
		if alpha != 0 {
			if err := s.expand(team.Plan(0), rows, i0); err != nil {
				return err
			}
		}
		var err error
		if side == Left {
			err = multiply(s.set, team.Plan(0), full, alpha, plain(rows), plain(b), beta, c.Slice(i0, i1, 0, c.Cols))
		} else {
			err = multiply(
				s.set, team.Plan(0), full, alpha, plain(b), s.mirrored(plain(rows)), beta, c.Slice(0, c.Rows, i0, i1))
		}
		if err != nil {
			return err
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

// expandRows is the number of rows of A that are expanded together.
const expandRows = 64

// expand sets panel to the rows of A from i0 on.
func (s *symmetric[T]) expand(team *sched.Team, panel dense.Matrix[T], i0 int) error {
	groups := ceilDiv(panel.Rows, expandRows)
	if !team.WorthSharing(panel.Rows*panel.Cols, moveChunk) {
		team = team.Serial()
	}
	return team.For(groups, func(_, group int) error {
		first := group * expandRows
		last := min(panel.Rows, first+expandRows)
		s.expandGroup(panel.Slice(first, last, 0, panel.Cols), i0+first)
		return nil
	})
}

// expandGroup is expand for a group of rows: the stored ones, the mirror image of the stored columns, and both
// triangles of the diagonal block.
func (s *symmetric[T]) expandGroup(rows dense.Matrix[T], i0 int) {
	n, i1 := s.a.Rows, i0+rows.Rows
	stored, mirrored := span{0, i0}, span{i1, n}
	if s.uplo == Upper {
		stored, mirrored = mirrored, stored
	}
	for i := range rows.Rows {
		copy(rows.Row(i)[stored.begin:stored.end], s.a.Row(i0 + i)[stored.begin:])
	}
	if mirrored.begin < mirrored.end {
		s.mirror(rows.Slice(0, rows.Rows, mirrored.begin, mirrored.end), s.a.Slice(mirrored.begin, mirrored.end, i0, i1))
	}
	diagonal, block := rows.Slice(0, rows.Rows, i0, i1), s.a.Slice(i0, i1, i0, i1)
	s.mirror(diagonal, block)
	for i := range rows.Rows { // the stored triangle over the mirror image of the other one
		first, last := partOf(s.uplo).columns(i, 0, rows.Rows, 1)
		copy(diagonal.Row(i)[first:last], block.Row(i)[first:])
		if s.hermitian {
			diagonal.Set(i, i, dense.FromReal[T](dense.Real(block.At(i, i))))
		}
	}
}

// mirror sets to to the transpose, or the conjugate transpose, of from.
func (s *symmetric[T]) mirror(to, from dense.Matrix[T]) {
	transpose(s.set, to, from)
	for i := 0; s.hermitian && i < to.Rows; i++ {
		dense.ConjugateTo(to.Row(i), to.Row(i))
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
