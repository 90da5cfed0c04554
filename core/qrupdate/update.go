package qrupdate

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// Update writes the QR factorization of a changed matrix to q1 and r1, given that of the matrix: Q, m x k, and R, k x n
// and upper triangular, with k = m or, in the economic case, k = n < m. The result is economic if Q was and if it still
// has more rows than columns; q1 and r1 have shapes to match. Q and R are not changed.
//
// A *DependentError is returned if the column to be inserted is too close to the range of Q in the economic case. A
// matrix that is not finite is a *dense.ArgumentError, or with SkipFiniteCheck gives NaNs. The team's error is returned
// after cancellation; results are then unspecified.
//
// Cost: about 3 (m k + k n) multiply-adds for each row or column, 6 in AddProduct. Method: rotations and reflectors of
// neighbouring rows (Golub and Van Loan, Matrix Computations, 4th ed., section 6.5; Hammarling and Lucas, Updating the
// QR factorization and the least squares problem, Manchester, 2008), and in the economic case orthogonalization of one
// more column (Daniel, Gragg, Kaufman and Stewart, Math. Comp. 30, 1976).
func Update[T dense.Scalar](team *sched.Team, q, r dense.View[T], c Change[T], q1, r1 dense.View[T]) error {
	if err := c.check(team, q, r); err != nil {
		return err
	}
	m, k, n := q.Rows, q.Cols, r.Cols
	memory := workspaces.Borrow(scratch.WordsOf[T](c.elements(m, k, n)))
	defer memory.GiveBack()
	f := c.load(q, r, scratch.Numbers[T](memory.Words, c.elements(m, k, n)))
	f.team = team.Plan(max(1, c.steps(m, k, n)))
	if err := c.apply(f, k < m); err != nil {
		return err
	}
	return f.store(c, q1, r1)
}

var workspaces = scratch.Pool{MostBytes: scratch.DefaultLimit}

// Workspace returns the memory in bytes that Update takes beside its results and vectors.
func Workspace[T dense.Scalar](c Change[T], m, k, n int) int64 {
	return int64(dense.Bytes[T]()) * int64(c.elements(m, k, n))
}

// load copies Q and R, with the rows and columns that are inserted, and without the columns that are deleted.
func (c *Change[T]) load(q, r dense.View[T], memory []T) *factors[T] {
	m, k, n := q.Rows, q.Cols, r.Cols
	rows, columnsQ, columnsR := c.shape(m, k, n)
	f := &factors[T]{}
	f.qt = dense.Matrix[T]{Rows: rows, Cols: columnsQ, Stride: columnsQ, Data: memory[:rows*columnsQ]}
	f.r = dense.Matrix[T]{Rows: rows, Cols: columnsR, Stride: columnsR, Data: memory[rows*columnsQ:]}
	f.qt.Clear()
	f.r.Clear()
	top, gapQ, gapR, skipped := 0, 0, 0, 0 // rows above Q^T and R, columns left open, columns left out
	switch c.Kind {
	case InsertRows:
		top, gapQ = c.Count, c.Count
	case InsertColumns:
		gapR = c.Count
	case DeleteColumns:
		skipped = c.Count
	}
	for i := range k {
		row := f.qt.Row(top + i)
		for j := range m {
			row[shifted(j, c.First, gapQ)] = q.At(j, i)
		}
		row = f.r.Row(top + i)
		for j := i; j < n; j++ {
			if j < c.First || j >= c.First+skipped {
				row[shifted(j, c.First, gapR-skipped)] = r.At(i, j)
			}
		}
	}
	for i := range top {
		f.qt.Set(i, c.First+i, 1)
		for j := range n {
			f.r.Set(i, j, c.U.At(i, j))
		}
	}
	f.setRows(0, top+k)
	return f
}

// shifted returns j, or from first on j + by.
func shifted(j, first, by int) int {
	if j >= first {
		return j + by
	}
	return j
}

// store writes Q, without the rows that are deleted, and R.
func (f *factors[T]) store(c Change[T], q1, r1 dense.View[T]) error {
	if q1.Cols > f.qt.Rows || r1.Rows > f.r.Rows || r1.Cols != f.r.Cols {
		return dense.BadArgument("q1", "shape (%d, %d) does not fit", q1.Rows, q1.Cols)
	}
	deleted := 0
	if c.Kind == DeleteRows {
		deleted = c.Count
	}
	for i := range q1.Cols {
		row := f.qt.Row(i)
		for j := range q1.Rows {
			q1.Set(j, i, row[shifted(j, c.First, deleted)])
		}
	}
	for i := range r1.Rows {
		row := f.r.Row(i)
		for j := range r1.Cols {
			if j < i {
				row[j] = 0
			}
			r1.Set(i, j, row[j])
		}
	}
	return f.team.Err()
}
