package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// LU overwrites an m x n matrix by the factors of A P = L U: L, lower triangular or trapezoidal, in the lower triangle,
// and above the diagonal U, which has ones on it and elements whose |re| + |im| is at most 2 (1 for a real T). P
// exchanges the columns k and pivots[k] >= k for k = 0, 1, ... in turn; pivots has min(m, n) elements. Matrices are
// stored by rows, and each pivot is the element of a row with the largest |re| + |im|, the first one of several: this is
// partial pivoting for the transpose of A, with the pivots of LAPACK's getrf, from 0.
//
// zero is the number (1-based) of the first pivot that is exactly zero, or 0 if there is none. L is then singular, and
// U has zeros. Infinities and NaNs propagate. The team's error is returned after cancellation; a is then partly
// overwritten.
//
// Cost: n^3/3 multiply-adds if m = n. Method: recursive halving of the rows (Toledo, SIAM J. Matrix Anal. Appl. 18,
// 1997), which turns everything but strips of few rows into triangular solves and products of matrices.
func LU[T dense.Scalar](team *sched.Team, a dense.Matrix[T], pivots []int) (zero int, err error) {
	m, n := a.Rows, a.Cols
	wide := min(m, n) // rows that have pivots
	if len(pivots) != wide {
		return 0, dense.BadArgument("pivots", "expected %d elements, got %d", wide, len(pivots))
	}
	if wide == 0 {
		return 0, nil
	}
	above, below := luCost(wide, n), 3*wide*wide*(m-wide)
	team = team.Plan(above + below)
	if zero, err = luRows(team, a.Slice(0, wide, 0, n), pivots); err != nil || m == wide {
		return zero, err
	}
	rest := a.Slice(wide, m, 0, n)
	if err := exchangeOnTeam(team, rest, pivots); err != nil {
		return 0, err
	}
	solving := team.Phase(below)
	blas.Trsm(solving, blas.Right, blas.Upper, blas.NoTrans, blas.Unit, 1, a.Slice(0, wide, 0, wide), rest)
	solving.End()
	return zero, team.Err()
}

// luCost returns the multiply-adds, times six, for a matrix of m rows and n >= m columns.
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
	if err := exchangeOnTeam(team, below, pivots[:half]); err != nil {
		return 0, err
	}
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
	if err := exchangeOnTeam(team, above.Slice(0, half, half, n), pivots[half:]); err != nil {
		return 0, err
	}
	for k := half; k < m; k++ {
		pivots[k] += half
	}
	if zero == 0 && zeroInRest > 0 {
		zero = half + zeroInRest
	}
	return zero, nil
}

// luStrip is luRows for few rows. It computes one row after another: it subtracts the contributions of all rows above
// at once, then chooses the pivot. A row takes part in the exchanges of earlier rows when its turn comes.
func luStrip[T dense.Scalar](a dense.Matrix[T], pivots []int) (zero int) {
	n := a.Cols
	for k := range a.Rows {
		row := a.Row(k)
		exchange(row, pivots[:k])
		for j := 1; j < k; j++ { // the row of L
			x := row[j]
			for i, l := range row[:j] {
				x -= l * a.Data[i*a.Stride+j]
			}
			row[j] = x
		}
		if k > 0 {
			subtractRows(a.Slice(0, k, k, n), row[:k], row[k:])
		}
		p := k + blas.Iamax(dense.Vec(row[k:]))
		pivots[k] = p
		for at := 0; p != k && at <= k*a.Stride; at += a.Stride {
			a.Data[at+k], a.Data[at+p] = a.Data[at+p], a.Data[at+k]
		}
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

// exchangeRows is the number of rows in which a thread exchanges columns.
const exchangeRows = 64

// exchangeOnTeam is exchangeColumns on the threads of the team.
func exchangeOnTeam[T dense.Scalar](team *sched.Team, a dense.Matrix[T], pivots []int) error {
	if a.Rows <= exchangeRows {
		exchangeColumns(a, pivots)
		return nil
	}
	return team.For((a.Rows+exchangeRows-1)/exchangeRows, func(_, part int) error {
		first := part * exchangeRows
		exchangeColumns(a.Slice(first, min(a.Rows, first+exchangeRows), 0, a.Cols), pivots)
		return nil
	})
}

// exchangeColumns exchanges the columns k and pivots[k] of a for k = 0, 1, ... in turn.
func exchangeColumns[T dense.Scalar](a dense.Matrix[T], pivots []int) {
	i := 0
	for ; i+3 < a.Rows; i += 4 { // four rows at a time: each pivot is read once for them
		r0, r1, r2, r3 := a.Row(i), a.Row(i+1), a.Row(i+2), a.Row(i+3)
		for k, p := range pivots {
			r0[k], r0[p] = r0[p], r0[k]
			r1[k], r1[p] = r1[p], r1[k]
			r2[k], r2[p] = r2[p], r2[k]
			r3[k], r3[p] = r3[p], r3[k]
		}
	}
	for ; i < a.Rows; i++ {
		exchange(a.Row(i), pivots)
	}
}

// exchange exchanges the elements k and pivots[k] of a row for k = 0, 1, ... in turn.
func exchange[T dense.Scalar](row []T, pivots []int) {
	for k, p := range pivots {
		row[k], row[p] = row[p], row[k]
	}
}
