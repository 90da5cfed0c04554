// Package gonumblas makes package blas usable wherever gonum's BLAS is: under gonum.org/v1/gonum/mat, gonum's LAPACK
// and every other caller of gonum's blas32, blas64, cblas64 and cblas128.
//
// The methods for double precision are written by hand, float64.go and complex128.go; those for single precision are
// derived from them by renaming, which a test checks (go test ./core/blas/gonumblas -run Derived -write).
package gonumblas

import (
	"context"
	"runtime"

	"gonum.org/v1/gonum/blas/gonum"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Implementation satisfies the interfaces Float32, Float64, Complex64 and Complex128 of gonum.org/v1/gonum/blas.
// Operations on dense matrices and on vectors are those of package blas on GOMAXPROCS threads; gonum's own methods do
// the banded and packed ones and those that docs/gonum.md names. Arguments that do not describe a legal, nonempty
// operation are passed on to gonum's method, so that the panics are gonum's. Methods may be called from several
// goroutines.
type Implementation struct{ gonum.Implementation }

// New returns the value to pass to the Use functions of gonum's packages blas32, blas64, cblas64 and cblas128.
func New() Implementation { return Implementation{} }

// From this much work on a second thread is worth its start, which takes up to 70 microseconds: multiplications of
// level 3, elements of a matrix that is read once in level 2.
const (
	minWorkLevel3 = 1 << 22
	minWorkLevel2 = 1 << 18
)

// teamFor returns the threads for an operation. Its workers are to be stopped afterwards.
func teamFor(work, minWork int) *sched.Team {
	if work < minWork {
		return nil
	}
	return sched.NewTeam(context.Background(), runtime.GOMAXPROCS(0), nil)
}

// vectorFits reports whether a slice of that length holds n > 0 elements at the increment.
func vectorFits(n, length, inc int) bool {
	return n > 0 && inc != 0 && length > (n-1)*max(inc, -inc)
}

// matrixFits reports whether a slice of that length holds a nonempty matrix with rows ld elements apart.
func matrixFits(rows, cols, length, ld int) bool {
	return rows > 0 && cols > 0 && ld >= cols && length >= (rows-1)*ld+cols
}

func legalUplo(uplo blas.Uplo) bool { return uplo == blas.Upper || uplo == blas.Lower }

func legalTranspose(trans blas.Transpose) bool {
	return trans == blas.NoTrans || trans == blas.Trans || trans == blas.ConjTrans
}

func legalDiag(diag blas.Diag) bool { return diag == blas.NonUnit || diag == blas.Unit }

func vector[T dense.Scalar](n int, x []T, inc int) dense.Vector[T] {
	return dense.Vector[T]{N: n, Inc: inc, Data: x}
}

func matrix[T dense.Scalar](rows, cols int, a []T, ld int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: ld, Data: a}
}

// orderOf returns the order of the square operand on the given side of an m x n matrix, 0 for an illegal side.
func orderOf(side blas.Side, m, n int) int {
	switch side {
	case blas.Left:
		return m
	case blas.Right:
		return n
	}
	return 0
}

// opShape returns the shape of op(A) for a rows x cols matrix, or that of A for a given shape of op(A).
func opShape(trans blas.Transpose, rows, cols int) (int, int) {
	if trans == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}

// real64 widens a real factor for the Hermitian operations of package blas.
func real64[R dense.Float](x R) float64 { return float64(x) }

// The functions below translate the arguments of gonum's methods for an operation of package blas, which is the first
// parameter where several operations have the same form. They do nothing and report false for arguments that are left
// to gonum.

func gemv[T dense.Scalar](
	tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int,
) bool {
	lenY, lenX := opShape(tA, m, n)
	if !legalTranspose(tA) || !matrixFits(m, n, len(a), lda) || !vectorFits(lenX, len(x), incX) || !vectorFits(lenY,
		len(y), incY) {
		return false
	}
	team := teamFor(m*n, minWorkLevel2)
	blas.Gemv(team, tA, alpha, matrix(m, n, a, lda), vector(lenX, x, incX), beta, vector(lenY, y, incY))
	team.ReleaseWorkers()
	return true
}

func symv[T dense.Scalar](
	symv func(*sched.Team, blas.Uplo, T, dense.Matrix[T], dense.Vector[T], T, dense.Vector[T]),
	uplo blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int,
) bool {
	if !legalUplo(uplo) || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) || !vectorFits(n, len(y),
		incY) {
		return false
	}
	team := teamFor(n*n/2, minWorkLevel2)
	symv(team, uplo, alpha, matrix(n, n, a, lda), vector(n, x, incX), beta, vector(n, y, incY))
	team.ReleaseWorkers()
	return true
}

func trmv[T dense.Scalar](
	trmv func(*sched.Team, blas.Uplo, blas.Transpose, blas.Diag, dense.Matrix[T], dense.Vector[T]),
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []T, lda int, x []T, incX int,
) bool {
	legal := legalUplo(uplo) && legalTranspose(tA) && legalDiag(diag)
	if !legal || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) {
		return false
	}
	team := teamFor(n*n/2, minWorkLevel2)
	trmv(team, uplo, tA, diag, matrix(n, n, a, lda), vector(n, x, incX))
	team.ReleaseWorkers()
	return true
}

func ger[T dense.Scalar](
	ger func(*sched.Team, T, dense.Vector[T], dense.Vector[T], dense.Matrix[T]),
	m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int,
) bool {
	if !matrixFits(m, n, len(a), lda) || !vectorFits(m, len(x), incX) || !vectorFits(n, len(y), incY) {
		return false
	}
	team := teamFor(m*n, minWorkLevel2)
	ger(team, alpha, vector(m, x, incX), vector(n, y, incY), matrix(m, n, a, lda))
	team.ReleaseWorkers()
	return true
}

func syr[T, A dense.Scalar](
	syr func(*sched.Team, blas.Uplo, A, dense.Vector[T], dense.Matrix[T]),
	uplo blas.Uplo, n int, alpha A, x []T, incX int, a []T, lda int,
) bool {
	if !legalUplo(uplo) || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) {
		return false
	}
	team := teamFor(n*n/2, minWorkLevel2)
	syr(team, uplo, alpha, vector(n, x, incX), matrix(n, n, a, lda))
	team.ReleaseWorkers()
	return true
}

func syr2[T dense.Scalar](
	syr2 func(*sched.Team, blas.Uplo, T, dense.Vector[T], dense.Vector[T], dense.Matrix[T]),
	uplo blas.Uplo, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int,
) bool {
	if !legalUplo(uplo) || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) || !vectorFits(n, len(y),
		incY) {
		return false
	}
	team := teamFor(n*n/2, minWorkLevel2)
	syr2(team, uplo, alpha, vector(n, x, incX), vector(n, y, incY), matrix(n, n, a, lda))
	team.ReleaseWorkers()
	return true
}

func gemm[T dense.Scalar](
	tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int,
) bool {
	rowsA, colsA := opShape(tA, m, k)
	rowsB, colsB := opShape(tB, k, n)
	fit := matrixFits(rowsA, colsA, len(a), lda) && matrixFits(rowsB, colsB, len(b), ldb) && matrixFits(m, n, len(c),
		ldc)
	if !legalTranspose(tA) || !legalTranspose(tB) || !fit {
		return false
	}
	team := teamFor(m*n*k, minWorkLevel3)
	blas.Gemm(team, tA, tB, alpha, matrix(rowsA, colsA, a, lda), matrix(rowsB, colsB, b, ldb), beta,
		matrix(m, n, c, ldc))
	team.ReleaseWorkers()
	return true
}

func symm[T dense.Scalar](
	symm func(*sched.Team, blas.Side, blas.Uplo, T, dense.Matrix[T], dense.Matrix[T], T, dense.Matrix[T]),
	side blas.Side, uplo blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int,
) bool {
	order := orderOf(side, m, n)
	fit := matrixFits(order, order, len(a), lda) && matrixFits(m, n, len(b), ldb) && matrixFits(m, n, len(c), ldc)
	if !legalUplo(uplo) || !fit {
		return false
	}
	team := teamFor(m*n*order, minWorkLevel3)
	symm(team, side, uplo, alpha, matrix(order, order, a, lda), matrix(m, n, b, ldb), beta, matrix(m, n, c, ldc))
	team.ReleaseWorkers()
	return true
}

func trmm[T dense.Scalar](
	trmm func(*sched.Team, blas.Side, blas.Uplo, blas.Transpose, blas.Diag, T, dense.Matrix[T], dense.Matrix[T]),
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int,
	alpha T, a []T, lda int, b []T, ldb int,
) bool {
	order := orderOf(side, m, n)
	legal := legalUplo(uplo) && legalTranspose(tA) && legalDiag(diag)
	if !legal || !matrixFits(order, order, len(a), lda) || !matrixFits(m, n, len(b), ldb) {
		return false
	}
	team := teamFor(m*n*order/2, minWorkLevel3)
	trmm(team, side, uplo, tA, diag, alpha, matrix(order, order, a, lda), matrix(m, n, b, ldb))
	team.ReleaseWorkers()
	return true
}

func syrk[T, A dense.Scalar](
	syrk func(*sched.Team, blas.Uplo, blas.Transpose, A, dense.Matrix[T], A, dense.Matrix[T]),
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha A, a []T, lda int, beta A, c []T, ldc int,
) bool {
	rows, cols := opShape(tA, n, k)
	if !legalUplo(uplo) || !legalTranspose(tA) || !matrixFits(rows, cols, len(a), lda) || !matrixFits(n, n, len(c),
		ldc) {
		return false
	}
	team := teamFor(n*n*k/2, minWorkLevel3)
	syrk(team, uplo, tA, alpha, matrix(rows, cols, a, lda), beta, matrix(n, n, c, ldc))
	team.ReleaseWorkers()
	return true
}

func syr2k[T, B dense.Scalar](
	syr2k func(*sched.Team, blas.Uplo, blas.Transpose, T, dense.Matrix[T], dense.Matrix[T], B, dense.Matrix[T]),
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta B, c []T, ldc int,
) bool {
	rows, cols := opShape(tA, n, k)
	fit := matrixFits(rows, cols, len(a), lda) && matrixFits(rows, cols, len(b), ldb) && matrixFits(n, n, len(c), ldc)
	if !legalUplo(uplo) || !legalTranspose(tA) || !fit {
		return false
	}
	team := teamFor(n*n*k, minWorkLevel3)
	syr2k(team, uplo, tA, alpha, matrix(rows, cols, a, lda), matrix(rows, cols, b, ldb), beta, matrix(n, n, c, ldc))
	team.ReleaseWorkers()
	return true
}
