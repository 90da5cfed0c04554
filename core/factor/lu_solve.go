package factor

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// LUView writes LAPACK's factors of an m x n matrix to out, which has the same shape and whose columns are contiguous;
// out may be a itself. A = P L U with a unit lower triangular L, whose elements have |re| + |im| of at most 2 (1 for a
// real T), and an upper triangular U: L without its ones lies below the diagonal of out. P is the product of the
// exchanges of the rows k and pivots[k]. zero is that of LU. With checkFinite an infinity or a NaN in a is a
// *dense.ArgumentError, before anything is written.
func LUView[T dense.Scalar](team *sched.Team, a, out dense.View[T], pivots []int, checkFinite bool) (zero int,
	err error) {
	if checkFinite {
		if err := blas.CheckFinite(team, a, "a"); err != nil {
			return 0, err
		}
	}
	stored, ok := out.T().Matrix()
	if !ok {
		return 0, dense.BadArgument("out", "expected contiguous columns")
	}
	copying, wide := copySteps*a.Rows*a.Cols, min(a.Rows, a.Cols)
	factoring := luCost(wide, a.Rows) + 3*wide*wide*(a.Cols-wide)
	team = team.Plan(copying + factoring)
	if !sameMemory(a, out) {
		if err := blas.CopyView(team, out, a); err != nil {
			return 0, err
		}
	}
	team.Step(copying)
	return LU(team.Phase(factoring), stored, pivots)
}

// LUSolve overwrites B, n x k, by the solution X of op(A) X = B, given the factors of A from LU.
//
// A zero pivot gives infinities or NaNs. The team's error is returned after cancellation; B is then partly overwritten.
//
// Cost: n^2 k multiply-adds. Source: Golub and Van Loan, Matrix Computations, 4th ed., section 3.4.
func LUSolve[T dense.Scalar](team *sched.Team, trans blas.Transpose, lu dense.Matrix[T], pivots []int,
	b dense.Matrix[T]) error {
	if err := checkSystem("lu", lu, b); err != nil {
		return err
	}
	if len(pivots) != lu.Rows {
		return dense.BadArgument("pivots", "expected %d elements, got %d", lu.Rows, len(pivots))
	}
	return overColumns(team, b, func(team *sched.Team, columns dense.Matrix[T]) {
		lower := func(team *sched.Team) { solveWith(team, blas.Lower, trans, blas.NonUnit, lu, columns) }
		upper := func(team *sched.Team) { solveWith(team, blas.Upper, trans, blas.Unit, lu, columns) }
		if trans != blas.NoTrans { // op(A) = P op(U) op(L)
			for k, p := range pivots {
				swapRows(columns, k, p)
			}
			solveTwice(team, columns, upper, lower)
			return
		}
		solveTwice(team, columns, lower, upper)
		for k := len(pivots) - 1; k >= 0; k-- {
			swapRows(columns, k, pivots[k])
		}
	})
}

// luInverse overwrites the identity X by the inverse of A, given its factors from LU.
func luInverse[T dense.Scalar](team *sched.Team, lu dense.Matrix[T], pivots []int, x dense.Matrix[T]) error {
	n := x.Rows
	team = team.Plan(n)
	for j := 0; j < n; j += solveColumns {
		end := min(n, j+solveColumns)
		phase, columns := team.Phase(end-j), x.Slice(0, n, j, end)
		solveTwice(phase, columns, func(team *sched.Team) { // the columns of the inverse of L begin on the diagonal
			solveWith(team, blas.Lower, blas.NoTrans, blas.NonUnit, lu.Slice(j, n, j, n), x.Slice(j, n, j, end))
		}, func(team *sched.Team) { solveWith(team, blas.Upper, blas.NoTrans, blas.Unit, lu, columns) })
		for k := n - 1; k >= 0; k-- {
			swapRows(columns, k, pivots[k])
		}
		if err := team.Err(); err != nil {
			return err
		}
		phase.End()
	}
	return nil
}

// solveWith overwrites B by the solution X of op(A) X = B for a triangular A.
func solveWith[T dense.Scalar](team *sched.Team, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag,
	a, b dense.Matrix[T]) {
	if b.Cols == 1 {
		blas.Trsv(team, uplo, trans, diag, a, b.ColVec(0, 0, b.Rows))
		return
	}
	blas.Trsm(team, blas.Left, uplo, trans, diag, 1, a, b)
}

func swapRows[T dense.Scalar](a dense.Matrix[T], i, j int) {
	if i != j {
		blas.Swap(a.RowVec(i, 0, a.Cols), a.RowVec(j, 0, a.Cols))
	}
}

// Determinant returns the determinant of a square A, which is not changed, as mantissa * 2^exponent: the parts of the
// mantissa are below 1, and one of them is 1/2 at least, unless it is zero, infinite or NaN. With checkFinite an
// infinity or a NaN in a is a *dense.ArgumentError. The team's error is returned after cancellation.
//
// Cost: that of LU.
func Determinant[T dense.Scalar](team *sched.Team, a dense.View[T], checkFinite bool) (
	mantissa complex128, exponent int, err error) {
	n := a.Rows
	if a.Cols != n {
		return 0, 0, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	memory, pivots := workspaces.Borrow(scratch.WordsOf[T](n*n)), make([]int, n)
	defer memory.GiveBack()
	stored := borrowed[T](memory, n)
	if _, err := LUView(team, a, stored.View().T(), pivots, checkFinite); err != nil {
		return 0, 0, err
	}
	mantissa, exponent = ofFactors(stored, pivots)
	return mantissa, exponent, nil
}

// Only the limit of all pools bounds the copies of matrices that are kept.
var workspaces = scratch.Pool{MostBytes: scratch.DefaultLimit}

// borrowed returns an n x n matrix of unknown elements in lent memory.
func borrowed[T dense.Scalar](memory scratch.Memory, n int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: n, Cols: n, Stride: n, Data: scratch.Numbers[T](memory.Words, n*n)}
}

// ofFactors is Determinant, given the factors from LU.
func ofFactors[T dense.Scalar](lu dense.Matrix[T], pivots []int) (mantissa complex128, exponent int) {
	mantissa, exponent = normalized(1)
	for k, p := range pivots {
		if p != k {
			mantissa = -mantissa
		}
		pivot, shift := normalized(complex(dense.Real(lu.At(k, k)), dense.Imag(lu.At(k, k))))
		mantissa, exponent = product(mantissa, pivot), exponent+shift
		mantissa, shift = normalized(mantissa)
		exponent += shift
	}
	return mantissa, exponent
}

// product returns x y, real if both factors are, also where they are infinite.
func product(x, y complex128) complex128 {
	if imag(x) == 0 && imag(y) == 0 {
		return complex(real(x)*real(y), 0)
	}
	return x * y
}

// normalized returns x as mantissa * 2^exponent.
func normalized(x complex128) (mantissa complex128, exponent int) {
	size := max(math.Abs(real(x)), math.Abs(imag(x)))
	if size == 0 || math.IsInf(size, 0) || math.IsNaN(size) {
		return x, 0
	}
	_, exponent = math.Frexp(size)
	return complex(math.Ldexp(real(x), -exponent), math.Ldexp(imag(x), -exponent)), exponent
}
