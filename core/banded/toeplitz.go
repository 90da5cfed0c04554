package banded

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// MinorError reports that the leading principal minor of the given order (1-based) of a Toeplitz matrix is zero to
// working precision. The matrix itself need not be singular, but Levinson's recursion ends there.
type MinorError struct{ Order int }

func (e *MinorError) Error() string {
	return fmt.Sprintf("c: the leading principal minor of order %d is zero; Levinson's recursion divides by it", e.Order)
}

// SolveToeplitz overwrites B, n x k, by the solution X of T X = B for the Toeplitz matrix with the given first column
// and row:
//
//	T(i, j) = column[i-j] for i >= j, row[j-i] for i < j
//
// row[0] is not used. It returns a *MinorError if a leading principal minor is exactly zero as computed, and the team's
// error after cancellation; B is then unchanged. Infinities and NaNs propagate. The arithmetic is that of double
// precision for every T. The method is stable for positive definite matrices; for others its error grows with the
// condition numbers of all leading submatrices.
//
// Cost: (2 + k) n^2 multiply-adds. Source: Levinson's recursion as in Golub and Van Loan, Matrix Computations, 4th ed.,
// section 4.7, for matrices that need not be symmetric.
func SolveToeplitz[T dense.Scalar](team *sched.Team, column, row []T, b dense.Matrix[T]) error {
	if len(row) != len(column) {
		return dense.BadArgument("r", "expected %d elements, got %d", len(column), len(row))
	}
	if err := checkOrder(len(column), b); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if dense.IsComplex[T]() {
		return solveToeplitz[complex128](team, column, row, b)
	}
	return solveToeplitz[float64](team, column, row, b)
}

// ToeplitzWorkspace returns an upper bound on the memory in bytes that SolveToeplitz takes for k right-hand sides.
func ToeplitzWorkspace[T dense.Scalar](n, k int) int64 {
	const wordBytes, vectors = 8, 3
	return int64(n)*int64(mostOrders+vectors+k+1)*int64(wordBytes*dense.Parts[T]()) + headers
}

// levinson is the state of the recursion for the leading submatrix T_m of order m: T_m forward = (pivot, 0, ..., 0)
// with forward[0] = 1, and T_m backward = (0, ..., 0, pivot) with backward[m-1] = 1.
type levinson[W dense.Wide] struct {
	reversed, row     []W // the first column from its end, and the first row
	forward, backward []W
	pivot             W
	next              dense.Matrix[W] // the backward vectors of some orders
	pivots            []W             // of these orders
}

const (
	mostOrders = 32 // orders whose backward vectors are computed before the right-hand sides take them up
	orderSteps = 4  // multiply-adds for each order of the submatrix
	rightSteps = 2  // likewise for a right-hand side
)

func solveToeplitz[W dense.Wide, T dense.Scalar](team *sched.Team, column, row []T, b dense.Matrix[T]) error {
	n, k := b.Rows, b.Cols
	team = team.Plan(n * n * (orderSteps + rightSteps*k) / 2)
	x := dense.New[W](k, n)
	dense.Copy(x.View(), b.View().T())
	l := newLevinson[W](column, row)
	for m := 0; m < n; {
		count := min(n-m, mostOrders, max(1, partSteps/(m+1)))
		for s := range count {
			if err := l.advance(m+s, s); err != nil {
				return err
			}
		}
		copy(l.backward, l.next.Row(count-1))
		if err := team.For(k, func(_, q int) error {
			for s := range count {
				l.extend(m+s, s, x.Row(q))
			}
			return nil
		}); err != nil {
			return err
		}
		team.Step(count * (m + count/2) * (orderSteps + rightSteps*k))
		m += count
	}
	dense.Copy(b.View().T(), x.View())
	return nil
}

func newLevinson[W dense.Wide, T dense.Scalar](column, row []T) *levinson[W] {
	n := len(column)
	l := &levinson[W]{
		reversed: make([]W, n), row: make([]W, n), forward: make([]W, n), backward: make([]W, n),
		next: dense.New[W](mostOrders, n), pivots: make([]W, mostOrders),
	}
	for i := range n {
		l.reversed[n-1-i], l.row[i] = dense.Convert[W](column[i]), dense.Convert[W](row[i])
	}
	return l
}

// advance computes the vectors of order m+1 from those of order m, the backward one in row s of next.
func (l *levinson[W]) advance(m, s int) error {
	next := l.next.Row(s)
	if m == 0 {
		l.pivot, l.forward[0], next[0] = l.reversed[len(l.reversed)-1], 1, 1
	} else {
		backward := l.backward
		if s > 0 {
			backward = l.next.Row(s - 1)
		}
		below := dot(l.belowRow(m), l.forward[:m]) / l.pivot
		above := dot(l.row[1:m+1], backward[:m])
		ratio := above / l.pivot
		next[0] = 0
		copy(next[1:m+1], backward[:m])
		subtract(ratio, l.forward[:m], next[:m])
		l.forward[m] = 0
		subtract(below, backward[:m], l.forward[1:m+1])
		l.pivot -= below * above
	}
	l.pivots[s] = l.pivot
	if l.pivot == 0 {
		return &MinorError{Order: m + 1}
	}
	return nil
}

// belowRow returns the elements of row m of T left of the diagonal.
func (l *levinson[W]) belowRow(m int) []W {
	n := len(l.reversed)
	return l.reversed[n-1-m : n-1]
}

// extend makes x[:m+1] the solution for the submatrix of order m+1, given that of order m in x[:m].
func (l *levinson[W]) extend(m, s int, x []W) {
	f := (x[m] - dot(l.belowRow(m), x[:m])) / l.pivots[s]
	x[m] = 0
	subtract(-f, l.next.Row(s)[:m+1], x[:m+1])
}
