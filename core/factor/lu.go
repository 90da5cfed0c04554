package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// LU overwrites an n x n matrix by the factors of A P = L U: L in the lower triangle, with the pivots on its diagonal,
// and above it the unit upper triangular U, whose elements have |re| + |im| of at most 2 (1 for a real T). P exchanges
// the columns k and pivots[k] >= k for k = 0, 1, ... in turn; pivots has n elements. Matrices are stored by rows, and
// each pivot is the largest element of a row: this is partial pivoting for the transpose of A.
//
// zero is the number (1-based) of the first pivot that is exactly zero, or 0 if there is none. L is then singular, and
// U has zeros. Infinities and NaNs propagate. The team's error is returned after cancellation; a is then partly
// overwritten.
//
// Cost: n^3/3 multiply-adds. Method: recursive halving of the rows (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997), which
// turns everything but strips of few rows into triangular solves and products of matrices.
func LU[T dense.Scalar](team *sched.Team, a dense.Matrix[T], pivots []int) (zero int, err error) {
	if a.Rows != a.Cols {
		return 0, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if len(pivots) != a.Rows {
		return 0, dense.BadArgument("pivots", "expected %d elements, got %d", a.Rows, len(pivots))
	}
	return luRows(team.Plan(luCost(a.Rows, a.Cols)), a, pivots)
}

// luCost returns the multiply-adds, times six, for a matrix of m rows and n columns.
func luCost(m, n int) int { return m * m * (3*n - m) }

// luRows factors a matrix with at least as many columns as rows. pivots has one element for each row.
func luRows[T dense.Scalar](team *sched.Team, a dense.Matrix[T], pivots []int) (zero int, err error) {
	m, n := a.Rows, a.Cols
	if m <= gemm.TriangleOrder {
		zero = luStrip(a, pivots)
		team.Step(luCost(m, n))
		return zero, team.Err()
	}
	half := (m/2 + gemm.TriangleOrder - 1) / gemm.TriangleOrder * gemm.TriangleOrder
	above, below := a.Slice(0, half, 0, n), a.Slice(half, m, 0, n)
	if zero, err = luRows(team, above, pivots[:half]); err != nil {
		return 0, err
	}
	exchangeColumns(below, 0, pivots[:half])
	left, rest := below.Slice(0, m-half, 0, half), below.Slice(0, m-half, half, n)
	solving := team.Phase(3 * half * half * (m - half))
	blas.Trsm(solving, blas.Right, blas.Upper, blas.NoTrans, blas.Unit, 1, above.Slice(0, half, 0, half), left)
	solving.End()
	update := team.Phase(6 * half * (m - half) * (n - half))
	blas.Gemm(update, blas.NoTrans, blas.NoTrans, -1, left, above.Slice(0, half, half, n), 1, rest)
	update.End()
	if err := team.Err(); err != nil {
		return 0, err
	}
	zeroInRest, err := luRows(team, rest, pivots[half:])
	if err != nil {
		return 0, err
	}
	exchangeColumns(above.Slice(0, half, half, n), 0, pivots[half:])
	for k := half; k < m; k++ {
		pivots[k] += half
	}
	if zero == 0 && zeroInRest > 0 {
		zero = half + zeroInRest
	}
	return zero, nil
}

// luStrip is luRows for few rows. It computes one row after another: it subtracts the contributions of all rows above
// at once, then chooses the pivot.
func luStrip[T dense.Scalar](a dense.Matrix[T], pivots []int) (zero int) {
	n := a.Cols
	for k := range a.Rows {
		row := a.Row(k)
		for j := 1; j < k; j++ { // the row of L
			for i := range j {
				row[j] -= row[i] * a.At(i, j)
			}
		}
		if k > 0 {
			subtractRows(a.Slice(0, k, k, n), row[:k], row[k:])
		}
		p := k + blas.Iamax(dense.Vec(row[k:]))
		pivots[k] = p
		exchangeColumns(a, k, pivots[k:k+1])
		if pivot := row[k]; pivot != 0 {
			divide(row[k+1:], pivot)
		} else if zero == 0 {
			zero = k + 1
		}
	}
	return zero
}

// subtractRows subtracts the rows, at most gemm.TriangleOrder of them, times the factors from x.
func subtractRows[T dense.Scalar](rows dense.Matrix[T], factors, x []T) {
	switch {
	case dense.IsComplex[T]():
		blas.Gemv(nil, blas.Trans, -1, rows, dense.Vec(factors), 1, dense.Vec(x))
	case dense.IsSingle[T]():
		subtractReals(dense.Reals[float32](rows.Data), rows.Stride, dense.Reals[float32](factors), dense.Reals[float32](x))
	default:
		subtractReals(dense.Reals[float64](rows.Data), rows.Stride, dense.Reals[float64](factors), dense.Reals[float64](x))
	}
}

func subtractReals[R dense.Float](rows []R, stride int, factors, x []R) {
	var alpha [gemm.TriangleOrder]R
	for i, f := range factors {
		alpha[i] = -f
	}
	run := vector.Rows[R]{Count: len(factors), Cols: len(x), Stride: stride, A: rows}
	vector.Axpys(kernel.Best(), &run, alpha[:len(factors)], x)
}

// divide divides the elements of x by d.
func divide[T dense.Scalar](x []T, d T) {
	if reciprocal := 1 / d; dense.IsFinite(reciprocal) && dense.Abs(reciprocal) >= dense.SmallestNormal[T]() {
		blas.Scal(reciprocal, dense.Vec(x))
		return
	}
	for j := range x {
		x[j] /= d
	}
}

// exchangeColumns exchanges the columns first + k and pivots[k] of a for k = 0, 1, ... in turn.
func exchangeColumns[T dense.Scalar](a dense.Matrix[T], first int, pivots []int) {
	for i := range a.Rows {
		row := a.Row(i)
		own := row[first : first+len(pivots)]
		for k, p := range pivots {
			own[k], row[p] = row[p], own[k]
		}
	}
}

// LUSolve overwrites B, n x k, by the solution X of A X = B, given the factors from LU.
//
// A zero pivot gives infinities or NaNs. The team's error is returned after cancellation; B is then partly overwritten.
//
// Cost: n^2 k multiply-adds. Source: Golub and Van Loan, Matrix Computations, 4th ed., section 3.4.
func LUSolve[T dense.Scalar](team *sched.Team, lu dense.Matrix[T], pivots []int, b dense.Matrix[T]) error {
	if err := checkSystem("lu", lu, b); err != nil {
		return err
	}
	if len(pivots) != lu.Rows {
		return dense.BadArgument("pivots", "expected %d elements, got %d", lu.Rows, len(pivots))
	}
	return overColumns(team, b, func(team *sched.Team, columns dense.Matrix[T]) {
		solveTwice(team, columns, func(team *sched.Team) {
			blas.Trsm(team, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, lu, columns)
		}, func(team *sched.Team) {
			blas.Trsm(team, blas.Left, blas.Upper, blas.NoTrans, blas.Unit, 1, lu, columns)
		})
		for k := len(pivots) - 1; k >= 0; k-- {
			if p := pivots[k]; p != k {
				blas.Swap(columns.RowVec(k, 0, columns.Cols), columns.RowVec(p, 0, columns.Cols))
			}
		}
	})
}
