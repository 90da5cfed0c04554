package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// overParts sets x to f of a, where a may be a direct sum of matrices: rows and columns that are coupled to no others
// are a matrix of their own. So rounding errors in one do not count in another that may be much smaller, and what does
// not exist for one of them leaves the others alone.
func overParts[W dense.Wide, T dense.Scalar, C dense.Complex](
	team *sched.Team, a dense.View[T], x dense.View[C], f function,
) (o Outcome, err error) {
	n := a.Rows
	m := dense.New[W](n, n)
	if err := blas.CopyView(team, m.View(), a); err != nil {
		return o, err
	}
	parts := coupled(m)
	if len(parts) == 1 && n > 1 {
		return ofPart(team, m, x, f)
	}
	for i := range n {
		for j := range n {
			x.Set(i, j, 0)
		}
	}
	team = team.Plan(stepsOf(parts))
	for _, rows := range parts {
		if err := team.Err(); err != nil {
			return o, err
		}
		if len(rows) == 1 {
			i := rows[0]
			value, part := f.ofNumber(dense.Convert[complex128](m.At(i, i)))
			x.Set(i, i, dense.Convert[C](value))
			part.Complex = part.Complex || dense.IsComplex[W]()
			o.join(part)
			continue
		}
		result, phase := dense.New[C](len(rows), len(rows)), team.Phase(partSteps(rows))
		part, err := ofPart(phase, sub(m, rows), result.View(), f)
		if err != nil {
			return o, err
		}
		phase.End()
		o.join(part)
		for i, row := range rows {
			for j, column := range rows {
				x.Set(row, column, result.At(i, j))
			}
		}
	}
	return o, nil
}

// partSteps returns the steps of a team that a function of a part takes, in units of its own: those of numbers are not
// counted.
func partSteps(rows []int) int {
	if len(rows) == 1 {
		return 0
	}
	return len(rows) * len(rows) * len(rows)
}

// stepsOf returns the steps for all parts.
func stepsOf(parts [][]int) (steps int) {
	for _, rows := range parts {
		steps += partSteps(rows)
	}
	return steps
}

// ofNumber returns f of a matrix of order 1.
func (f function) ofNumber(z complex128) (value complex128, o Outcome) {
	if z != 0 {
		o.Complex = imag(z) != 0 || f.branches(spectrum{negative: real(z) < 0})
		return f.of(z), o
	}
	o.Singular = true
	switch {
	case f.kind == logKind:
		return principalLog(smallestEigenvalue), o
	case f.admits(1):
		return 0, o
	}
	o.Missing = true
	return complex(math.NaN(), 0), o
}

// coupled returns the sets of rows and columns that elements off the diagonal connect, each in ascending order.
func coupled[W dense.Wide](m dense.Matrix[W]) (parts [][]int) {
	n := m.Rows
	partOf, found := make([]int, n), 0 // numbers from 1
	queue := make([]int, 0, n)
	for first := range n {
		if partOf[first] > 0 {
			continue
		}
		count := len(parts) + 1
		parts = append(parts, nil)
		partOf[first] = count
		found++
		for queue = append(queue[:0], first); len(queue) > 0 && found < n; {
			i := queue[0]
			queue = queue[1:]
			row := m.Row(i)
			for j := range n {
				if partOf[j] == 0 && (row[j] != 0 || m.Data[j*m.Stride+i] != 0) {
					partOf[j] = count
					found++
					queue = append(queue, j)
				}
			}
		}
	}
	for i, part := range partOf {
		parts[part-1] = append(parts[part-1], i)
	}
	return parts
}
