package qrupdate

import (
	"trnsci/core/dense"
)

// apply changes the factors, which have been loaded.
func (c *Change[T]) apply(f *factors[T], economic bool) error {
	switch c.Kind {
	case InsertRows:
		return f.triangularize(c.Count, 0)
	case DeleteColumns:
		return f.triangularize(c.Count, c.First)
	}
	steps := f.qt.Rows
	for i := range c.Count {
		if err := f.team.Err(); err != nil {
			return err
		}
		var err error
		switch c.Kind {
		case InsertColumns:
			err = f.insertColumn(columnOf(c.U, i), c.First+i, c.Rcond, i+1)
		case DeleteRows:
			err = f.deleteRow(c.First+i, f.qt.Cols-i, func(row int) bool { return row < c.First || row > c.First+i })
		default:
			err = f.addProduct(columnOf(c.U, i), columnOf(c.V, i), economic)
		}
		if err != nil {
			return err
		}
		f.team.Step(steps)
	}
	return nil
}

func columnOf[T dense.Scalar](a dense.View[T], j int) []T {
	column := make([]T, a.Rows)
	for i := range column {
		column[i] = a.At(i, j)
	}
	return column
}

// insertColumn sets column j of A, which is zero, to u.
func (f *factors[T]) insertColumn(u []T, j int, least float64, number int) error {
	var w []T
	if f.qt.Rows < f.qt.Cols {
		s := f.split(u)
		if err := f.team.Err(); err != nil {
			return err
		}
		if s.rcond < least {
			return &DependentError{Column: number, Rcond: s.rcond}
		}
		if s.length == 0 {
			s.v = f.complement(func(int) bool { return true })
		}
		f.appendRow(s.v)
		w = append(s.w, s.length)
	} else {
		w = make([]T, f.qt.Rows)
		f.coefficients(u, w)
	}
	corner := min(j, len(w)-1)
	first, err := f.reduce(w[corner:], corner, j+1)
	for i := range corner {
		f.r.Set(i, j, w[i])
	}
	f.r.Set(corner, j, first)
	return err
}

// deleteRow rotates the columns of Q so that the first one is the unit vector of the given row, and drops it. rows is
// the number of rows that have not been deleted; the columns of Q are zero in the others.
func (f *factors[T]) deleteRow(row, rows int, wanted func(row int) bool) error {
	if f.qt.Rows < rows {
		unit := make([]T, f.qt.Cols)
		unit[row] = 1
		s := f.split(unit)
		if s.length == 0 { // the unit vector is in the range of Q already
			s.v = f.complement(wanted)
			s.v[row] = 0
		}
		f.appendRow(s.v)
	}
	w := make([]T, f.qt.Rows)
	for i := range w {
		w[i] = dense.Conj(f.qt.At(i, row))
	}
	if _, err := f.reduce(w, 0, 0); err != nil {
		return err
	}
	f.setRows(1, f.qt.Rows)
	for i := range f.qt.Rows {
		f.qt.Set(i, row, 0)
	}
	return nil
}

// addProduct adds u v^H to A.
func (f *factors[T]) addProduct(u, v []T, economic bool) error {
	var w []T
	if economic {
		s := f.split(u)
		f.appendRow(s.v)
		w = append(s.w, s.length)
	} else {
		w = make([]T, f.qt.Rows)
		f.coefficients(u, w)
	}
	first, err := f.reduce(w, 0, 0)
	if err != nil {
		return err
	}
	for j, x := range f.r.Row(0) {
		f.r.Set(0, j, x+first*dense.Conj(v[j]))
	}
	if err := f.triangularize(1, 0); err != nil {
		return err
	}
	if economic {
		f.setRows(0, f.qt.Rows-1)
	}
	return nil
}
