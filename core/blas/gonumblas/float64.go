package gonumblas

import (
	gblas "gonum.org/v1/gonum/blas"

	"trnsci/core/blas"
)

var _ gblas.Float64 = Implementation{}

// Ddot returns the sum of x_i y_i.
func (g Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return g.Implementation.Ddot(n, x, incX, y, incY)
	}
	return blas.Dotu(vector(n, x, incX), vector(n, y, incY))
}

// Dnrm2 returns the Euclidean norm of x.
func (g Implementation) Dnrm2(n int, x []float64, incX int) float64 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Dnrm2(n, x, incX)
	}
	return float64(blas.Nrm2(vector(n, x, incX)))
}

// Dasum returns the sum of |x_i|.
func (g Implementation) Dasum(n int, x []float64, incX int) float64 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Dasum(n, x, incX)
	}
	return float64(blas.Asum(vector(n, x, incX)))
}

// Idamax returns the index of the first largest |x_i|, -1 if there is none.
func (g Implementation) Idamax(n int, x []float64, incX int) int {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Idamax(n, x, incX)
	}
	return blas.Iamax(vector(n, x, incX))
}

// Dswap exchanges x and y.
func (g Implementation) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Dswap(n, x, incX, y, incY)
		return
	}
	blas.Swap(vector(n, x, incX), vector(n, y, incY))
}

// Dcopy copies x to y.
func (g Implementation) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Dcopy(n, x, incX, y, incY)
		return
	}
	blas.Copy(vector(n, x, incX), vector(n, y, incY))
}

// Daxpy adds alpha x to y.
func (g Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	blas.Axpy(alpha, vector(n, x, incX), vector(n, y, incY))
}

// Drot applies a plane rotation: x, y = c x + s y, c y - s x.
func (g Implementation) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Drot(n, x, incX, y, incY, c, s)
		return
	}
	blas.Rot(vector(n, x, incX), vector(n, y, incY), real64(c), s)
}

// Dscal multiplies x by alpha; 0 clears NaN and Inf too.
func (g Implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	if alpha == 0 || incX < 0 || !vectorFits(n, len(x), incX) {
		g.Implementation.Dscal(n, alpha, x, incX)
		return
	}
	blas.Scal(alpha, vector(n, x, incX))
}

// Dgemv computes y = alpha op(A) x + beta y.
func (g Implementation) Dgemv(
	tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64,
	y []float64, incY int,
) {
	if !gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dsymv computes y = alpha A x + beta y for a symmetric A.
func (g Implementation) Dsymv(
	uplo blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64,
	y []float64, incY int,
) {
	if !symv(blas.Symv, uplo, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Dsymv(uplo, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dtrmv computes x = op(A) x for a triangular A.
func (g Implementation) Dtrmv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []float64, lda int, x []float64, incX int,
) {
	if !trmv(blas.Trmv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Dtrmv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Dtrsv solves op(A) x = b for a triangular A; x holds b first.
func (g Implementation) Dtrsv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []float64, lda int, x []float64, incX int,
) {
	if !trmv(blas.Trsv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Dtrsv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Dger adds alpha x y^T to A.
func (g Implementation) Dger(
	m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int,
) {
	if !ger(blas.Ger, m, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Dsyr adds alpha x x^T to a symmetric A.
func (g Implementation) Dsyr(uplo blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	if !syr(blas.Syr, uplo, n, alpha, x, incX, a, lda) {
		g.Implementation.Dsyr(uplo, n, alpha, x, incX, a, lda)
	}
}

// Dsyr2 adds alpha (x y^T + y x^T) to a symmetric A.
func (g Implementation) Dsyr2(
	uplo blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int,
) {
	if !syr2(blas.Syr2, uplo, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Dsyr2(uplo, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Dgemm computes C = alpha op(A) op(B) + beta C.
func (g Implementation) Dgemm(
	tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int,
) {
	if !gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsymm computes C = alpha A B + beta C or alpha B A + beta C for a symmetric A.
func (g Implementation) Dsymm(
	side blas.Side, uplo blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int,
) {
	if !symm(blas.Symm, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Dsymm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dtrmm computes B = alpha op(A) B or alpha B op(A) for a triangular A.
func (g Implementation) Dtrmm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha float64, a []float64,
	lda int, b []float64, ldb int,
) {
	if !trmm(blas.Trmm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Dtrmm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Dtrsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A; X overwrites B.
func (g Implementation) Dtrsm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha float64, a []float64,
	lda int, b []float64, ldb int,
) {
	if !trmm(blas.Trsm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Dtrsm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Dsyrk computes C = alpha op(A) op(A)^T + beta C for a symmetric C.
func (g Implementation) Dsyrk(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64,
	ldc int,
) {
	if !syrk(blas.Syrk, uplo, tA, n, k, alpha, a, lda, beta, c, ldc) {
		g.Implementation.Dsyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Dsyr2k computes C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C for a symmetric C.
func (g Implementation) Dsyr2k(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int,
) {
	if !syr2k(blas.Syr2k, uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Dsyr2k(uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}
