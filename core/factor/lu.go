package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// LU overwrites an m x n matrix by the factors of A P = L U: L, lower triangular or trapezoidal, in the lower triangle,
// and above the diagonal U, which has ones on it and elements whose |re| + |im| is at most 2 (1 for a real T). P
// exchanges the columns k and pivots[k] >= k for k = 0, 1, ... in turn; pivots has min(m, n) elements. Matrices are
// stored by rows, and each pivot is the element of a row with the largest |re| + |im|, the first one of several: this
// is partial pivoting for the transpose of A, with the pivots of LAPACK's getrf, from 0.
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

// stripRows is the number of rows that are not halved further.
const stripRows = 16

// luCost returns the multiply-adds, times six, for a matrix of m rows and n >= m columns.
func luCost(m, n int) int { return m * m * (3*n - m) }

// luRows factors a matrix with at least as many columns as rows. pivots has one element for each row.
func luRows[T dense.Scalar](team *sched.Team, a dense.Matrix[T], pivots []int) (zero int, err error) {
	m, n := a.Rows, a.Cols
	if m <= stripRows {
		zero = luStrip(a, pivots)
		team.Step(luCost(m, n))
		return zero, team.Err()
	}
	half := (m/2 + stripRows - 1) / stripRows * stripRows
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
	set := kernel.Best()
	for k := range a.Rows {
		row := a.Row(k)
		exchange(row, pivots[:k])
		for i := range k { // the row of L
			l, above := row[i], a.Row(i)[:k]
			for j := i + 1; j < k; j++ {
				row[j] -= l * above[j]
			}
		}
		if k > 0 {
			subtractRows(set, a.Slice(0, k, k, a.Cols), row[:k], row[k:])
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

// subtractRows subtracts the rows, at most stripRows of them, times the factors from x.
func subtractRows[T dense.Scalar](set kernel.Set, rows dense.Matrix[T], factors, x []T) {
	switch {
	case dense.IsComplex[T]() && dense.IsSingle[T]():
		subtractPairs(set, dense.Reals[float32](rows.Data), 2*rows.Stride, dense.Reals[float32](factors),
			dense.Reals[float32](x))
	case dense.IsComplex[T]():
		subtractPairs(set, dense.Reals[float64](rows.Data), 2*rows.Stride, dense.Reals[float64](factors),
			dense.Reals[float64](x))
	case dense.IsSingle[T]():
		subtractReals(set, dense.Reals[float32](rows.Data), rows.Stride, dense.Reals[float32](factors),
			dense.Reals[float32](x))
	default:
		subtractReals(set, dense.Reals[float64](rows.Data), rows.Stride, dense.Reals[float64](factors),
			dense.Reals[float64](x))
	}
}

func subtractReals[R dense.Float](set kernel.Set, rows []R, stride int, factors, x []R) {
	var alpha [stripRows]R
	for i, f := range factors {
		alpha[i] = -f
	}
	run := vector.Rows[R]{Count: len(factors), Cols: len(x), Stride: stride, A: rows}
	vector.Axpys(set, &run, alpha[:len(factors)], x)
}

// pairsLength is the number of reals, real and imaginary parts, that subtractPairs works on at a time.
const pairsLength = 256

// subtractPairs is subtractRows for pairs of real and imaginary parts: both parts of the rows are multiplied by the
// real and by the imaginary parts of the factors, and the latter products are turned by i.
func subtractPairs[R dense.Float](set kernel.Set, rows []R, stride int, factors, x []R) {
	var alpha [2 * stripRows]R
	for i, f := range factors {
		alpha[i] = -f
	}
	for first := 0; first < len(x); first += pairsLength {
		var turned [pairsLength]R
		part := x[first:min(len(x), first+pairsLength)]
		run := vector.Rows[R]{Count: len(factors) / 2, Cols: len(part), Stride: stride, A: rows[first:]}
		vector.AxpysPair(set, &run, alpha[:len(factors)], part, turned[:len(part)])
		for j := 0; j+1 < len(part); j += 2 {
			part[j], part[j+1] = part[j]-turned[j+1], part[j+1]+turned[j]
		}
	}
}

// divide divides the elements of x by d.
func divide[T dense.Scalar](x []T, d T) {
	if len(x) == 0 {
		return
	}
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
