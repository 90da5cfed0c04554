package qrupdate

import (
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Kind is the kind of a change.
type Kind int

const (
	InsertRows    Kind = iota // the rows of U, before row First
	InsertColumns             // the columns of U, before column First
	DeleteRows                // Count rows, from row First on
	DeleteColumns             // Count columns, from column First on
	AddProduct                // U V^H
)

// Change is what changes a matrix.
type Change[T dense.Scalar] struct {
	Kind         Kind
	First, Count int // Count is also the number of rows or columns of U that are inserted, or of columns of U and V
	U, V         dense.View[T]
	// Rcond is the smallest reciprocal condition number of Q and a column that InsertColumns accepts in the economic case.
	Rcond           float64
	SkipFiniteCheck bool
}

// DependentError reports that a column, with the 1-based number Column, is too close to the range of the others.
type DependentError struct {
	Column int
	Rcond  float64
}

func (e *DependentError) Error() string {
	return fmt.Sprintf("u: column %d lies in the range of Q: the reciprocal condition number of Q with it is %.3g",
		e.Column,
		e.Rcond)
}

// shape returns how many rows Q^T and R have memory for, and their numbers of columns.
func (c *Change[T]) shape(m, k, n int) (rows, columnsQ, columnsR int) {
	switch c.Kind {
	case InsertRows:
		return k + c.Count, m + c.Count, n
	case InsertColumns:
		return min(m, k+c.Count), m, n + c.Count
	case DeleteRows:
		return k + c.Count, m, n
	case DeleteColumns:
		return k, m, n - c.Count
	}
	return k + 1, m, n
}

func (c *Change[T]) elements(m, k, n int) int {
	rows, columnsQ, columnsR := c.shape(m, k, n)
	return rows * (columnsQ + columnsR)
}

// steps returns the steps of progress.
func (c *Change[T]) steps(m, k, n int) int {
	switch c.Kind {
	case InsertRows:
		return triangularSteps(c.Count, 0, k+c.Count, n)
	case DeleteColumns:
		return triangularSteps(c.Count, c.First, k, n-c.Count)
	case AddProduct:
		rows := k
		if k < m {
			rows++
		}
		return c.Count * (k + triangularSteps(1, 0, rows, n))
	}
	return c.Count * k
}

func (c *Change[T]) check(team *sched.Team, q, r dense.View[T]) error {
	if q.Cols != r.Rows || q.Cols > q.Rows || q.Cols < q.Rows && r.Cols != r.Rows {
		return dense.BadArgument("Q", "shape (%d, %d) does not fit the shape (%d, %d) of R", q.Rows, q.Cols, r.Rows, r.Cols)
	}
	if c.SkipFiniteCheck {
		return nil
	}
	for _, given := range []struct {
		name string
		dense.View[T]
	}{{"Q", q}, {"R", r}, {"u", c.U}, {"v", c.V}} {
		if err := blas.CheckFinite(team, given.View, given.name); err != nil {
			return err
		}
	}
	return nil
}
