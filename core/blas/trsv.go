package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// Trsv solves op(A) z = x for z, which overwrites x. A is triangular; only the triangle uplo is read, and no diagonal if diag is
// Unit. A zero on the diagonal gives infinities and NaNs. One thread does the work.
func Trsv[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	requireSquare("Trsv", a, x.N, x.N)
	switch {
	case x.N == 0:
	case dense.IsSingle[T]():
		trsv[float32](kernel.Best(), team, uplo, trans, diag, a, x)
	default:
		trsv[float64](kernel.Best(), team, uplo, trans, diag, a, x)
	}
}

// trsv solves for groups of vector.RowGroup unknowns at a time. Without a transpose a group is ready once the sums along its rows are
// known; otherwise its multiples are taken from the right-hand sides of those that follow.
func trsv[R dense.Float, T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	n := x.N
	s := sweep[R, T]{set: set, a: a, dots: trans == NoTrans, axpys: trans != NoTrans, conj: trans == ConjTrans}
	w := borrow[T](s.inputs(n) + s.outputs(n))
	defer w.GiveBack()
	s.loadCopy(&w, x)
	s.setOut(w.zeros(s.outputs(n)))
	groups := ceilDiv(n, vector.RowGroup)
	for step := range groups {
		if step%groupsPerLook == groupsPerLook-1 && team.Err() != nil {
			return
		}
		group := step
		if (uplo == Lower) != (trans == NoTrans) {
			group = groups - 1 - step
		}
		i0 := group * vector.RowGroup
		i1 := min(n, i0+vector.RowGroup)
		j0, j1 := besideDiagonal(uplo == Lower, i0, i1, n)
		if s.dots && j0 < j1 {
			s.add(nil, i0, i1, j0, j1)
		}
		s.collect(i0, i1)
		s.solveBlock(uplo, diagonalOf(diag), i0, i1)
		if s.axpys && j0 < j1 {
			s.add(nil, i0, i1, j0, j1)
		}
	}
	Copy(dense.Vec(s.in), x)
}

// solveBlock replaces the right-hand sides i0 <= i < i1 in s.in, at most vector.RowGroup, by the solution, given in s.out what the other
// groups of unknowns contribute.
func (s *sweep[R, T]) solveBlock(uplo Uplo, d diagonal, i0, i1 int) {
	var multiples [vector.RowGroup]T
	for step := range i1 - i0 {
		i := i0 + step
		if (uplo == Lower) != s.dots {
			i = i1 - 1 - step
		}
		j0, j1 := inBlock(uplo, i, i0, i1)
		row := s.a.Data[i*s.a.Stride+j0:][:j1-j0]
		x := s.in[i] - s.out[i]
		if s.dots {
			x -= dotOf(row, s.in[j0:j1])
		} else {
			x -= s.conjugated(multiples[i-i0])
		}
		if d != ones {
			x /= s.diagonalValue(d, i)
		}
		s.in[i] = x
		if s.axpys {
			addMultiple(s.conjugated(x), row, multiples[j0-i0:])
		}
	}
	if s.dots {
		s.turn(i0, i1)
	}
}
