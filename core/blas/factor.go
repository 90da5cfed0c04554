package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// factor is op(X): X, its transpose, its conjugate or its conjugate transpose. Shapes and indices are those of op(X).
type factor[T dense.Scalar] struct {
	dense.Matrix[T]
	trans, conj bool
}

func opOf[T dense.Scalar](trans Transpose, x dense.Matrix[T]) factor[T] {
	return factor[T]{Matrix: x, trans: trans != NoTrans, conj: trans == ConjTrans}
}

// plain is X itself.
func plain[T dense.Scalar](x dense.Matrix[T]) factor[T] { return factor[T]{Matrix: x} }

// transposed returns the transpose of op(X).
func (f factor[T]) transposed() factor[T] {
	f.trans = !f.trans
	return f
}

// adjoint returns the conjugate transpose of op(X).
func (f factor[T]) adjoint() factor[T] {
	f.trans, f.conj = !f.trans, !f.conj
	return f
}

func (f factor[T]) shape() (rows, cols int) {
	if f.trans {
		return f.Cols, f.Rows
	}
	return f.Rows, f.Cols
}

// slice returns the rows i0 <= i < i1 and the columns j0 <= j < j1 of op(X).
func (f factor[T]) slice(i0, i1, j0, j1 int) factor[T] {
	if f.trans {
		i0, i1, j0, j1 = j0, j1, i0, i1
	}
	f.Matrix = f.Matrix.Slice(i0, i1, j0, j1)
	return f
}

// at returns element (i, j) of op(X).
func (f factor[T]) at(i, j int) T {
	if f.trans {
		i, j = j, i
	}
	if x := f.At(i, j); f.conj {
		return dense.Conj(x)
	} else {
		return x
	}
}

// isLower reports whether op(X) is lower triangular when X is the triangle uplo.
func (f factor[T]) isLower(uplo Uplo) bool { return (uplo == Lower) != f.trans }

// multiply computes C = alpha A B + beta C, or the part of it that is asked for, with the kernels of set. It returns the team's
// error when the call is cancelled.
func multiply[T dense.Scalar](set kernel.Set, team *sched.Team, part part, alpha T, a, b factor[T], beta T, c dense.Matrix[T]) error {
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if _, k := a.shape(); k == 0 || alpha == 0 { // neither A nor B is read, as in the reference BLAS
		for i := range c.Rows {
			first, last := part.columns(i, 0, c.Cols, 1)
			scaleOrClear(beta, c.RowVec(i, first, last))
		}
		return nil
	}
	if part == full && computeSmall(set, team, alpha, 1, &a, 0, &b, 0, beta, &c, 0) {
		return nil
	}
	switch c := any(c).(type) {
	case dense.Matrix[float32]:
		return gemmReal(set, team, part, any(alpha).(float32), any(a).(factor[float32]), any(b).(factor[float32]), any(beta).(float32), c)
	case dense.Matrix[float64]:
		return gemmReal(set, team, part, any(alpha).(float64), any(a).(factor[float64]), any(b).(factor[float64]), any(beta).(float64), c)
	case dense.Matrix[complex64]:
		return gemmComplex[float32](set, team, part, any(alpha).(complex64), any(a).(factor[complex64]), any(b).(factor[complex64]), any(beta).(complex64), c)
	case dense.Matrix[complex128]:
		return gemmComplex[float64](set, team, part, any(alpha).(complex128), any(a).(factor[complex128]), any(b).(factor[complex128]), any(beta).(complex128), c)
	}
	panic("blas: unreachable dtype")
}

// finish turns a panic of a worker into one of the caller. Cancellation is no failure here: callers look at team.Err().
func finish(err error) {
	if p, ok := err.(*sched.PanicError); ok {
		panic(p)
	}
}
