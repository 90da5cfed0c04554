package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// symmBlock is the order of the blocks on the diagonal of a symmetric factor that are written out in full.
const symmBlock = 256

// Symm computes C = alpha A B + beta C (side Left) or C = alpha B A + beta C (side Right) for a symmetric A of which only the
// triangle uplo is read. See Gemm for the rest.
func Symm[T dense.Scalar](team *sched.Team, side Side, uplo Uplo, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	s := symmetric[T]{kernel.Best(), team, a, uplo, false}
	finish(s.multiply("Symm", side, alpha, b, beta, c))
}

// Hemm is Symm for a Hermitian A; the imaginary parts of its diagonal are taken to be zero.
func Hemm[T dense.Scalar](team *sched.Team, side Side, uplo Uplo, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
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

// multiply computes block rows (side Left) or block columns (Right) of C, each as three products: with the block on A's
// diagonal, and with what lies before and behind it.
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
			s.writeOut(diagonal, i0)
		}
		beta := beta
		for _, part := range []struct {
			j0, j1 int
			block  factor[T] // rows i0 to i1, columns j0 to j1 of A
		}{{i0, i1, plain(diagonal)}, {0, i0, s.block(i0, i1, 0, i0)}, {i1, n, s.block(i0, i1, i1, n)}} {
			var err error
			if side == Left {
				err = multiply(s.set, team.Plan(0), full, alpha, part.block, plain(b.Slice(part.j0, part.j1, 0, b.Cols)), beta, c.Slice(i0, i1, 0, c.Cols))
			} else {
				if part.j0 != i0 { // the block on the diagonal is its own mirror image
					part.block = s.mirrored(part.block)
				}
				err = multiply(s.set, team.Plan(0), full, alpha, plain(b.Slice(0, b.Rows, part.j0, part.j1)), part.block, beta, c.Slice(0, c.Rows, i0, i1))
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
func (s *symmetric[T]) mirrored(x factor[T]) factor[T] {
	if s.hermitian {
		return x.adjoint()
	}
	return x.transposed()
}

// block returns a block of A off the diagonal, or its mirror image from the triangle that is stored.
func (s *symmetric[T]) block(i0, i1, j0, j1 int) factor[T] {
	if (j0 < i0) == (s.uplo == Lower) {
		return plain(s.a.Slice(i0, i1, j0, j1))
	}
	return s.mirrored(plain(s.a.Slice(j0, j1, i0, i1)))
}

// writeOut sets d to both triangles of the block on the diagonal that begins at i0.
func (s *symmetric[T]) writeOut(d dense.Matrix[T], i0 int) {
	block := s.a.Slice(i0, i0+d.Rows, i0, i0+d.Cols)
	if !dense.IsComplex[T]() {
		transpose(s.set, d, block) // and then the triangle that is stored over what has become of the other one
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
