// Package qrupdate changes the QR factorization of a matrix to that of a matrix from which rows or columns are deleted,
// into which they are inserted, or to which a product of low rank is added.
package qrupdate

import (
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
)

// factors are A = Q R in progress. What changes them is applied to rows: to those of R, and conjugated to those of Q^T,
// so that both are contiguous.
//
// Q has orthonormal columns, fewer than rows in the economic case. Then a further column, which does not change Q R, is
// appended where vectors outside of the range of Q have to be represented.
type factors[T dense.Scalar] struct {
	team  *sched.Team
	qt, r dense.Matrix[T]
}

// appendRow makes the vector a further column of Q, and appends a row of zeros to R.
func (f *factors[T]) appendRow(column []T) {
	f.setRows(0, f.qt.Rows+1)
	copy(f.qt.Row(f.qt.Rows-1), column)
	clear(f.r.Row(f.r.Rows - 1))
}

// setRows keeps the rows first to end-1 of Q^T and R, where end may be beyond their number.
func (f *factors[T]) setRows(first, end int) {
	f.qt, f.r = rowsOf(f.qt, first, end), rowsOf(f.r, first, end)
}

func rowsOf[T dense.Scalar](a dense.Matrix[T], first, end int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: end - first, Cols: a.Cols, Stride: a.Stride, Data: a.Data[first*a.Stride:]}
}

// reduce rotates the rows from the given one on so that w, of the coefficients of a vector for these columns of Q,
// becomes a multiple of the first unit vector, and returns the factor. R becomes upper Hessenberg there. Only the given
// columns of R and later ones are rotated.
func (f *factors[T]) reduce(w []T, row, column int) (T, error) {
	if err := f.team.Err(); err != nil { // the coefficients may be unfinished
		return 0, err
	}
	g, first := reducing(w)
	end := row + len(w)
	if err := rotate(f.team, g, upward, f.r.Slice(row, end, column, f.r.Cols)); err != nil {
		return first, err
	}
	return first, rotate(f.team, conjugates(g), upward, f.qt.Slice(row, end, 0, f.qt.Cols))
}

// triangularSteps is the number of steps of triangularize.
func triangularSteps(below, first, rows, columns int) int {
	count := max(0, min(rows-1, columns)-first)
	if below == 1 {
		return 2 * count // of R, and of Q
	}
	return count
}

// triangularize makes R upper triangular again, which has the given number of subdiagonals from a column on: by
// rotations if there is one, and otherwise by reflectors.
func (f *factors[T]) triangularize(below, first int) error {
	end := min(f.r.Rows-1, f.r.Cols)
	if end <= first {
		return f.team.Err()
	}
	if below > 1 {
		return f.reflect(below, first, end)
	}
	g := make([]rotation, end-first)
	for j := first; j < end; j++ {
		x, y := f.r.Row(j)[j:], f.r.Row(j + 1)[j:]
		var corner complex128
		g[j-first], corner = householder.ToFirst(wide(x[0]), wide(y[0]))
		x[0], y[0] = narrow[T](corner), 0
		if err := rotate(nil, g[j-first:j-first+1], upward, f.r.Slice(j, j+2, j+1, f.r.Cols)); err != nil {
			return err
		}
		if err := f.team.Err(); err != nil {
			return err
		}
		f.team.Step(1)
	}
	err := rotate(f.team, conjugates(g), downward, f.qt.Slice(first, end+1, 0, f.qt.Cols))
	f.team.Step(end - first)
	return err
}

// reflect is triangularize for several subdiagonals.
func (f *factors[T]) reflect(below, first, end int) error {
	memory := make([]T, 2*(below+1)+max(f.qt.Cols, f.r.Cols))
	vector, conj, sums := memory[:below+1], memory[below+1:2*below+2], memory[2*below+2:]
	for j := first; j < end; j++ {
		last := min(j+below+1, f.r.Rows)
		v, w := vector[:last-j], conj[:last-j]
		for i := range v {
			v[i] = f.r.At(j+i, j)
			f.r.Set(j+i, j, 0)
		}
		beta, tau := householder.Generate(v)
		f.r.Set(j, j, beta)
		if tau != 0 {
			v[0] = 1
			dense.ConjugateTo(w, v)
			householder.ApplyLeft(f.team, dense.Conj(tau), v, w, f.r.Slice(j, last, j+1, f.r.Cols), sums)
			if err := f.team.Err(); err != nil {
				return err
			}
			householder.ApplyLeft(f.team, tau, w, v, f.qt.Slice(j, last, 0, f.qt.Cols), sums)
		}
		if err := f.team.Err(); err != nil {
			return err
		}
		f.team.Step(1)
	}
	return nil
}
