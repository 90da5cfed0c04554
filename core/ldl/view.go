package ldl

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Options say what a matrix is and which factors are wanted.
type Options struct {
	Lower           bool // A = L D L^H with the lower triangle of A, otherwise A = U D U^H with the upper one
	Hermitian       bool // otherwise symmetric: L^T takes the place of L^H
	SkipFiniteCheck bool
}

// View writes the factors of A = L D L^H, which has a permuted unit triangular L, to l, d and perm: row i of the
// triangular matrix is row perm[i] of L. A is symmetric or Hermitian, and all of d is written. d has contiguous rows; l
// may have any strides. Only one triangle of A determines the results.
//
// An infinity or a NaN anywhere in A is a *dense.ArgumentError for "A", or with SkipFiniteCheck gives NaNs. The team's
// error is returned after cancellation; results are then unspecified.
//
// Cost and method: see Factor. For an upper triangle rows and columns are eliminated from the last one on, as in
// LAPACK.
func View[T dense.Scalar](team *sched.Team, a, l, d dense.View[T], perm []int64, opt Options) error {
	n := a.Rows
	x, ok := d.Matrix()
	switch {
	case a.Cols != n:
		return dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	case !ok || d.Rows != n || d.Cols != n || l.Rows != n || l.Cols != n || len(perm) != n:
		return dense.BadArgument("d", "expected results of order %d and contiguous rows of d", n)
	}
	if !opt.SkipFiniteCheck {
		if err := blas.CheckFinite(team, a, "A"); err != nil {
			return err
		}
	}
	if n == 0 {
		return nil
	}
	if !opt.Lower {
		a, l, d = reversed(a), reversed(l), reversed(d)
	}
	copying, factoring := copySteps*n*n, n*n*n
	team = team.Plan(2*copying + factoring)
	// The rows of X are the columns of A: what is factored is the transpose, whose factors are U = L^T and D^T.
	if err := blas.CopyView(team, x.View(), a.T()); err != nil {
		return err
	}
	team.Step(copying)
	phase := team.Phase(factoring)
	f, err := factorFrom(phase, x, opt.Hermitian, !opt.Lower)
	if err != nil {
		return err
	}
	phase.End()
	order := f.order()
	if err := f.writeTriangle(team, l, order); err != nil {
		return err
	}
	f.writeDiagonal(d)
	for i, p := range order {
		if opt.Lower {
			perm[i] = int64(p)
		} else {
			perm[n-1-i] = int64(n - 1 - p)
		}
	}
	team.Step(copying)
	return team.Err()
}

// copySteps is the number of steps, six for each multiply-add, for the copy of an element to new memory.
const copySteps = 240

// reversed returns J A J, the elements in the opposite order along both axes.
func reversed[T dense.Scalar](a dense.View[T]) dense.View[T] {
	a.Offset += (a.Rows-1)*a.RowStride + (a.Cols-1)*a.ColStride
	a.RowStride, a.ColStride = -a.RowStride, -a.ColStride
	return a
}

// order returns which row of A each row of P A is.
func (f *Factors[T]) order() []int {
	order := make([]int, len(f.Pivots))
	for i := range order {
		order[i] = i
	}
	for k, p := range f.Pivots {
		order[k], order[p] = order[p], order[k]
	}
	return order
}

// writeTriangle sets row order[i] of l to row i of U^T.
func (f *Factors[T]) writeTriangle(team *sched.Team, l dense.View[T], order []int) error {
	return team.For((l.Cols+exchangeRows-1)/exchangeRows, func(_, part int) error {
		for k := part * exchangeRows; k < min(l.Cols, (part+1)*exchangeRows); k++ {
			for i, x := range f.U.Row(k) {
				switch {
				case i < k:
					x = 0
				case i == k:
					x = 1
				}
				l.Set(order[i], k, x)
			}
		}
		return nil
	})
}

// writeDiagonal sets d to D^T. The memory of d is that of U.
func (f *Factors[T]) writeDiagonal(d dense.View[T]) {
	diagonal := make([]T, d.Rows)
	for k := range diagonal {
		diagonal[k] = f.U.At(k, k)
	}
	f.U.Clear()
	for k, x := range diagonal {
		d.Set(k, k, x)
		if x := f.Above[k]; x != 0 {
			d.Set(k+1, k, x)
			d.Set(k, k+1, f.mirrored(x))
		}
	}
}
