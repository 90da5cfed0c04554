package gonumblas

import (
	gblas "gonum.org/v1/gonum/blas"

	"trnsci/core/blas"
)

var _ gblas.Complex128 = Implementation{}

// Zdotu returns the sum of x_i y_i.
func (g Implementation) Zdotu(n int, x []complex128, incX int, y []complex128, incY int) complex128 {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return g.Implementation.Zdotu(n, x, incX, y, incY)
	}
	return blas.Dotu(vector(n, x, incX), vector(n, y, incY))
}

// Zdotc returns the sum of conj(x_i) y_i.
func (g Implementation) Zdotc(n int, x []complex128, incX int, y []complex128, incY int) complex128 {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return g.Implementation.Zdotc(n, x, incX, y, incY)
	}
	return blas.Dotc(vector(n, x, incX), vector(n, y, incY))
}

// Dznrm2 returns the Euclidean norm of x.
func (g Implementation) Dznrm2(n int, x []complex128, incX int) float64 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Dznrm2(n, x, incX)
	}
	return float64(blas.Nrm2(vector(n, x, incX)))
}

// Dzasum returns the sum of |re x_i| + |im x_i|.
func (g Implementation) Dzasum(n int, x []complex128, incX int) float64 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Dzasum(n, x, incX)
	}
	return float64(blas.Asum(vector(n, x, incX)))
}

// Izamax returns the index of the first largest |re x_i| + |im x_i|, -1 if there is none.
func (g Implementation) Izamax(n int, x []complex128, incX int) int {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Izamax(n, x, incX)
	}
	return blas.Iamax(vector(n, x, incX))
}

// Zswap exchanges x and y.
func (g Implementation) Zswap(n int, x []complex128, incX int, y []complex128, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Zswap(n, x, incX, y, incY)
		return
	}
	blas.Swap(vector(n, x, incX), vector(n, y, incY))
}

// Zcopy copies x to y.
func (g Implementation) Zcopy(n int, x []complex128, incX int, y []complex128, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Zcopy(n, x, incX, y, incY)
		return
	}
	blas.Copy(vector(n, x, incX), vector(n, y, incY))
}

// Zaxpy adds alpha x to y.
func (g Implementation) Zaxpy(n int, alpha complex128, x []complex128, incX int, y []complex128, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Zaxpy(n, alpha, x, incX, y, incY)
		return
	}
	blas.Axpy(alpha, vector(n, x, incX), vector(n, y, incY))
}

// Zscal multiplies x by alpha; 0 clears NaN and Inf too.
func (g Implementation) Zscal(n int, alpha complex128, x []complex128, incX int) {
	if alpha == 0 || incX < 0 || !vectorFits(n, len(x), incX) {
		g.Implementation.Zscal(n, alpha, x, incX)
		return
	}
	blas.Scal(alpha, vector(n, x, incX))
}

// Zgemv computes y = alpha op(A) x + beta y.
func (g Implementation) Zgemv(
	tA blas.Transpose, m, n int, alpha complex128, a []complex128, lda int, x []complex128, incX int,
	beta complex128, y []complex128, incY int,
) {
	if !gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Zgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Zhemv computes y = alpha A x + beta y for a Hermitian A.
func (g Implementation) Zhemv(
	uplo blas.Uplo, n int, alpha complex128, a []complex128, lda int, x []complex128, incX int, beta complex128,
	y []complex128, incY int,
) {
	if !symv(blas.Hemv, uplo, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Zhemv(uplo, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Ztrmv computes x = op(A) x for a triangular A.
func (g Implementation) Ztrmv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []complex128, lda int, x []complex128, incX int,
) {
	if !trmv(blas.Trmv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Ztrmv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Ztrsv solves op(A) x = b for a triangular A; x holds b first.
func (g Implementation) Ztrsv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []complex128, lda int, x []complex128, incX int,
) {
	if !trmv(blas.Trsv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Ztrsv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Zgeru adds alpha x y^T to A.
func (g Implementation) Zgeru(
	m, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int, a []complex128, lda int,
) {
	if !ger(blas.Ger, m, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Zgeru(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Zgerc adds alpha x y^H to A.
func (g Implementation) Zgerc(
	m, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int, a []complex128, lda int,
) {
	if !ger(blas.Gerc, m, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Zgerc(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Zher adds alpha x x^H to a Hermitian A.
func (g Implementation) Zher(
	uplo blas.Uplo, n int, alpha float64, x []complex128, incX int, a []complex128, lda int,
) {
	if !syr(blas.Her, uplo, n, real64(alpha), x, incX, a, lda) {
		g.Implementation.Zher(uplo, n, alpha, x, incX, a, lda)
	}
}

// Zher2 adds alpha x y^H + conj(alpha) y x^H to a Hermitian A.
func (g Implementation) Zher2(
	uplo blas.Uplo, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int, a []complex128,
	lda int,
) {
	if !syr2(blas.Her2, uplo, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Zher2(uplo, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Zgemm computes C = alpha op(A) op(B) + beta C.
func (g Implementation) Zgemm(
	tA, tB blas.Transpose, m, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int,
	beta complex128, c []complex128, ldc int,
) {
	if !gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Zgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Zsymm computes C = alpha A B + beta C or alpha B A + beta C for a symmetric A.
func (g Implementation) Zsymm(
	side blas.Side, uplo blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128,
	ldb int, beta complex128, c []complex128, ldc int,
) {
	if !symm(blas.Symm, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Zsymm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Zhemm computes C = alpha A B + beta C or alpha B A + beta C for a Hermitian A.
func (g Implementation) Zhemm(
	side blas.Side, uplo blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128,
	ldb int, beta complex128, c []complex128, ldc int,
) {
	if !symm(blas.Hemm, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Zhemm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ztrmm computes B = alpha op(A) B or alpha B op(A) for a triangular A.
func (g Implementation) Ztrmm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha complex128,
	a []complex128, lda int, b []complex128, ldb int,
) {
	if !trmm(blas.Trmm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Ztrmm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Ztrsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A; X overwrites B.
func (g Implementation) Ztrsm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha complex128,
	a []complex128, lda int, b []complex128, ldb int,
) {
	if !trmm(blas.Trsm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Ztrsm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Zsyrk computes C = alpha op(A) op(A)^T + beta C for a symmetric C.
func (g Implementation) Zsyrk(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128,
	c []complex128, ldc int,
) {
	if tA == blas.ConjTrans || !syrk(blas.Syrk, uplo, tA, n, k, alpha, a, lda, beta, c, ldc) {
		g.Implementation.Zsyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Zherk computes C = alpha op(A) op(A)^H + beta C for a Hermitian C.
func (g Implementation) Zherk(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []complex128, lda int, beta float64,
	c []complex128, ldc int,
) {
	if tA == blas.Trans || !syrk(blas.Herk, uplo, tA, n, k, real64(alpha), a, lda, real64(beta), c, ldc) {
		g.Implementation.Zherk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Zsyr2k computes C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C for a symmetric C.
func (g Implementation) Zsyr2k(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128,
	ldb int, beta complex128, c []complex128, ldc int,
) {
	if tA == blas.ConjTrans || !syr2k(blas.Syr2k, uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Zsyr2k(uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Zher2k computes C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C for a Hermitian C.
func (g Implementation) Zher2k(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128,
	ldb int, beta float64, c []complex128, ldc int,
) {
	if tA == blas.Trans || !syr2k(blas.Her2k, uplo, tA, n, k, alpha, a, lda, b, ldb, real64(beta), c, ldc) {
		g.Implementation.Zher2k(uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}
