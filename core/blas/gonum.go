package blas

import (
	"context"
	"runtime"

	"gonum.org/v1/gonum/blas/gonum"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Implementation makes this package usable wherever gonum's BLAS is: it satisfies the interfaces Float32, Float64,
// Complex64 and Complex128 of gonum.org/v1/gonum/blas. Operations on dense matrices and on vectors are those of this package
// on GOMAXPROCS threads; the banded and packed ones and those that docs/gonum.md names are gonum's. It panics as gonum's does:
// what is not a legal, nonempty operation is handed to gonum, which knows what is to be done. Its methods can be called from
// several goroutines.
type Implementation struct{ gonum.Implementation }

// Gonum returns the value to pass to the Use functions of gonum's packages blas32, blas64, cblas64 and cblas128.
func Gonum() Implementation { return Implementation{} }

// From here on a second thread is worth its start (up to 70 microseconds): multiplications of two matrices, elements of a matrix
// that is read once.
const (
	gonumThreads3 = 1 << 22
	gonumThreads2 = 1 << 18
)

// gonumTeam returns the threads for an operation of that much work. They are to rest after it.
func gonumTeam(work, threshold int) *sched.Team {
	if work < threshold {
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

func legalUplo(uplo Uplo) bool { return uplo == Upper || uplo == Lower }

func legalTranspose(trans Transpose) bool {
	return trans == NoTrans || trans == Trans || trans == ConjTrans
}

func legalDiag(diag Diag) bool { return diag == NonUnit || diag == Unit }

func vectorOf[T dense.Scalar](n int, x []T, inc int) dense.Vector[T] {
	return dense.Vector[T]{N: n, Inc: inc, Data: x}
}

func matrix[T dense.Scalar](rows, cols int, a []T, ld int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: ld, Data: a}
}

// orderOf returns the order of the square operand that stands on the given side of an m x n matrix, 0 if there is no such side.
func orderOf(side Side, m, n int) int {
	switch side {
	case Left:
		return m
	case Right:
		return n
	}
	return 0
}

// The functions below carry the arguments of gonum's methods over to an operation of this package, the first parameter where
// operations share one form. They report false, and have done nothing, for arguments that are left to gonum.

func gonumGemv[T dense.Scalar](
	tA Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int,
) bool {
	lenY, lenX := opShape(tA, m, n)
	if !legalTranspose(tA) || !matrixFits(m, n, len(a), lda) || !vectorFits(lenX, len(x), incX) || !vectorFits(lenY, len(y), incY) {
		return false
	}
	team := gonumTeam(m*n, gonumThreads2)
	Gemv(team, tA, alpha, matrix(m, n, a, lda), vectorOf(lenX, x, incX), beta, vectorOf(lenY, y, incY))
	team.StopWorkers()
	return true
}

func gonumSymv[T dense.Scalar](
	symv func(*sched.Team, Uplo, T, dense.Matrix[T], dense.Vector[T], T, dense.Vector[T]),
	uplo Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int,
) bool {
	if !legalUplo(uplo) || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return false
	}
	team := gonumTeam(n*n/2, gonumThreads2)
	symv(team, uplo, alpha, matrix(n, n, a, lda), vectorOf(n, x, incX), beta, vectorOf(n, y, incY))
	team.StopWorkers()
	return true
}

func gonumTrmv[T dense.Scalar](
	trmv func(*sched.Team, Uplo, Transpose, Diag, dense.Matrix[T], dense.Vector[T]),
	uplo Uplo, tA Transpose, diag Diag, n int, a []T, lda int, x []T, incX int,
) bool {
	legal := legalUplo(uplo) && legalTranspose(tA) && legalDiag(diag)
	if !legal || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) {
		return false
	}
	team := gonumTeam(n*n/2, gonumThreads2)
	trmv(team, uplo, tA, diag, matrix(n, n, a, lda), vectorOf(n, x, incX))
	team.StopWorkers()
	return true
}

func gonumGer[T dense.Scalar](
	ger func(*sched.Team, T, dense.Vector[T], dense.Vector[T], dense.Matrix[T]),
	m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int,
) bool {
	if !matrixFits(m, n, len(a), lda) || !vectorFits(m, len(x), incX) || !vectorFits(n, len(y), incY) {
		return false
	}
	team := gonumTeam(m*n, gonumThreads2)
	ger(team, alpha, vectorOf(m, x, incX), vectorOf(n, y, incY), matrix(m, n, a, lda))
	team.StopWorkers()
	return true
}

func gonumSyr[T, A dense.Scalar](
	syr func(*sched.Team, Uplo, A, dense.Vector[T], dense.Matrix[T]),
	uplo Uplo, n int, alpha A, x []T, incX int, a []T, lda int,
) bool {
	if !legalUplo(uplo) || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) {
		return false
	}
	team := gonumTeam(n*n/2, gonumThreads2)
	syr(team, uplo, alpha, vectorOf(n, x, incX), matrix(n, n, a, lda))
	team.StopWorkers()
	return true
}

func gonumSyr2[T dense.Scalar](
	syr2 func(*sched.Team, Uplo, T, dense.Vector[T], dense.Vector[T], dense.Matrix[T]),
	uplo Uplo, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int,
) bool {
	if !legalUplo(uplo) || !matrixFits(n, n, len(a), lda) || !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return false
	}
	team := gonumTeam(n*n/2, gonumThreads2)
	syr2(team, uplo, alpha, vectorOf(n, x, incX), vectorOf(n, y, incY), matrix(n, n, a, lda))
	team.StopWorkers()
	return true
}

func gonumGemm[T dense.Scalar](
	tA, tB Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int,
) bool {
	rowsA, colsA := opShape(tA, m, k)
	rowsB, colsB := opShape(tB, k, n)
	fit := matrixFits(rowsA, colsA, len(a), lda) && matrixFits(rowsB, colsB, len(b), ldb) && matrixFits(m, n, len(c), ldc)
	if !legalTranspose(tA) || !legalTranspose(tB) || !fit {
		return false
	}
	team := gonumTeam(m*n*k, gonumThreads3)
	Gemm(team, tA, tB, alpha, matrix(rowsA, colsA, a, lda), matrix(rowsB, colsB, b, ldb), beta, matrix(m, n, c, ldc))
	team.StopWorkers()
	return true
}

func gonumSymm[T dense.Scalar](
	symm func(*sched.Team, Side, Uplo, T, dense.Matrix[T], dense.Matrix[T], T, dense.Matrix[T]),
	side Side, uplo Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int,
) bool {
	order := orderOf(side, m, n)
	fit := matrixFits(order, order, len(a), lda) && matrixFits(m, n, len(b), ldb) && matrixFits(m, n, len(c), ldc)
	if !legalUplo(uplo) || !fit {
		return false
	}
	team := gonumTeam(m*n*order, gonumThreads3)
	symm(team, side, uplo, alpha, matrix(order, order, a, lda), matrix(m, n, b, ldb), beta, matrix(m, n, c, ldc))
	team.StopWorkers()
	return true
}

func gonumTrmm[T dense.Scalar](
	trmm func(*sched.Team, Side, Uplo, Transpose, Diag, T, dense.Matrix[T], dense.Matrix[T]),
	side Side, uplo Uplo, tA Transpose, diag Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int,
) bool {
	order := orderOf(side, m, n)
	legal := legalUplo(uplo) && legalTranspose(tA) && legalDiag(diag)
	if !legal || !matrixFits(order, order, len(a), lda) || !matrixFits(m, n, len(b), ldb) {
		return false
	}
	team := gonumTeam(m*n*order/2, gonumThreads3)
	trmm(team, side, uplo, tA, diag, alpha, matrix(order, order, a, lda), matrix(m, n, b, ldb))
	team.StopWorkers()
	return true
}

func gonumSyrk[T, A dense.Scalar](
	syrk func(*sched.Team, Uplo, Transpose, A, dense.Matrix[T], A, dense.Matrix[T]),
	uplo Uplo, tA Transpose, n, k int, alpha A, a []T, lda int, beta A, c []T, ldc int,
) bool {
	rows, cols := opShape(tA, n, k)
	if !legalUplo(uplo) || !legalTranspose(tA) || !matrixFits(rows, cols, len(a), lda) || !matrixFits(n, n, len(c), ldc) {
		return false
	}
	team := gonumTeam(n*n*k/2, gonumThreads3)
	syrk(team, uplo, tA, alpha, matrix(rows, cols, a, lda), beta, matrix(n, n, c, ldc))
	team.StopWorkers()
	return true
}

func gonumSyr2k[T, B dense.Scalar](
	syr2k func(*sched.Team, Uplo, Transpose, T, dense.Matrix[T], dense.Matrix[T], B, dense.Matrix[T]),
	uplo Uplo, tA Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta B, c []T, ldc int,
) bool {
	rows, cols := opShape(tA, n, k)
	fit := matrixFits(rows, cols, len(a), lda) && matrixFits(rows, cols, len(b), ldb) && matrixFits(n, n, len(c), ldc)
	if !legalUplo(uplo) || !legalTranspose(tA) || !fit {
		return false
	}
	team := gonumTeam(n*n*k, gonumThreads3)
	syr2k(team, uplo, tA, alpha, matrix(rows, cols, a, lda), matrix(rows, cols, b, ldb), beta, matrix(n, n, c, ldc))
	team.StopWorkers()
	return true
}
