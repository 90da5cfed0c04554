// Code generated from complex128.go by derived_test.go; DO NOT EDIT.

package gonumblas

import (
	gblas "gonum.org/v1/gonum/blas"

	"trnsci/core/blas"
)

var _ gblas.Complex64 = Implementation{}

// Cdotu returns the sum of x_i y_i.
func (g Implementation) Cdotu(n int, x []complex64, incX int, y []complex64, incY int) complex64 {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return g.Implementation.Cdotu(n, x, incX, y, incY)
	}
	return blas.Dotu(vector(n, x, incX), vector(n, y, incY))
}

// Cdotc returns the sum of conj(x_i) y_i.
func (g Implementation) Cdotc(n int, x []complex64, incX int, y []complex64, incY int) complex64 {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return g.Implementation.Cdotc(n, x, incX, y, incY)
	}
	return blas.Dotc(vector(n, x, incX), vector(n, y, incY))
}

// Scnrm2 returns the Euclidean norm of x.
func (g Implementation) Scnrm2(n int, x []complex64, incX int) float32 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Scnrm2(n, x, incX)
	}
	return float32(blas.Nrm2(vector(n, x, incX)))
}

// Scasum returns the sum of |re x_i| + |im x_i|.
func (g Implementation) Scasum(n int, x []complex64, incX int) float32 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Scasum(n, x, incX)
	}
	return float32(blas.Asum(vector(n, x, incX)))
}

// Icamax returns the index of the first largest |re x_i| + |im x_i|, -1 if there is none.
func (g Implementation) Icamax(n int, x []complex64, incX int) int {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Icamax(n, x, incX)
	}
	return blas.Iamax(vector(n, x, incX))
}

// Cswap exchanges x and y.
func (g Implementation) Cswap(n int, x []complex64, incX int, y []complex64, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Cswap(n, x, incX, y, incY)
		return
	}
	blas.Swap(vector(n, x, incX), vector(n, y, incY))
}

// Ccopy copies x to y.
func (g Implementation) Ccopy(n int, x []complex64, incX int, y []complex64, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Ccopy(n, x, incX, y, incY)
		return
	}
	blas.Copy(vector(n, x, incX), vector(n, y, incY))
}

// Caxpy adds alpha x to y.
func (g Implementation) Caxpy(n int, alpha complex64, x []complex64, incX int, y []complex64, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Caxpy(n, alpha, x, incX, y, incY)
		return
	}
	blas.Axpy(alpha, vector(n, x, incX), vector(n, y, incY))
}

// Cscal multiplies x by alpha; 0 clears NaN and Inf too.
func (g Implementation) Cscal(n int, alpha complex64, x []complex64, incX int) {
	if alpha == 0 || incX < 0 || !vectorFits(n, len(x), incX) {
		g.Implementation.Cscal(n, alpha, x, incX)
		return
	}
	blas.Scal(alpha, vector(n, x, incX))
}

// Cgemv computes y = alpha op(A) x + beta y.
func (g Implementation) Cgemv(
	tA blas.Transpose, m, n int, alpha complex64, a []complex64, lda int, x []complex64, incX int,
	beta complex64, y []complex64, incY int,
) {
	if !gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Cgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Chemv computes y = alpha A x + beta y for a Hermitian A.
func (g Implementation) Chemv(
	uplo blas.Uplo, n int, alpha complex64, a []complex64, lda int, x []complex64, incX int, beta complex64,
	y []complex64, incY int,
) {
	if !symv(blas.Hemv, uplo, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Chemv(uplo, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Ctrmv computes x = op(A) x for a triangular A.
func (g Implementation) Ctrmv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []complex64, lda int, x []complex64, incX int,
) {
	if !trmv(blas.Trmv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Ctrmv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Ctrsv solves op(A) x = b for a triangular A; x holds b first.
func (g Implementation) Ctrsv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []complex64, lda int, x []complex64, incX int,
) {
	if !trmv(blas.Trsv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Ctrsv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Cgeru adds alpha x y^T to A.
func (g Implementation) Cgeru(
	m, n int, alpha complex64, x []complex64, incX int, y []complex64, incY int, a []complex64, lda int,
) {
	if !ger(blas.Ger, m, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Cgeru(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Cgerc adds alpha x y^H to A.
func (g Implementation) Cgerc(
	m, n int, alpha complex64, x []complex64, incX int, y []complex64, incY int, a []complex64, lda int,
) {
	if !ger(blas.Gerc, m, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Cgerc(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Cher adds alpha x x^H to a Hermitian A.
func (g Implementation) Cher(
	uplo blas.Uplo, n int, alpha float32, x []complex64, incX int, a []complex64, lda int,
) {
	if !syr(blas.Her, uplo, n, real64(alpha), x, incX, a, lda) {
		g.Implementation.Cher(uplo, n, alpha, x, incX, a, lda)
	}
}

// Cher2 adds alpha x y^H + conj(alpha) y x^H to a Hermitian A.
func (g Implementation) Cher2(
	uplo blas.Uplo, n int, alpha complex64, x []complex64, incX int, y []complex64, incY int, a []complex64,
	lda int,
) {
	if !syr2(blas.Her2, uplo, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Cher2(uplo, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Cgemm computes C = alpha op(A) op(B) + beta C.
func (g Implementation) Cgemm(
	tA, tB blas.Transpose, m, n, k int, alpha complex64, a []complex64, lda int, b []complex64, ldb int,
	beta complex64, c []complex64, ldc int,
) {
	if !gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Cgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Csymm computes C = alpha A B + beta C or alpha B A + beta C for a symmetric A.
func (g Implementation) Csymm(
	side blas.Side, uplo blas.Uplo, m, n int, alpha complex64, a []complex64, lda int, b []complex64,
	ldb int, beta complex64, c []complex64, ldc int,
) {
	if !symm(blas.Symm, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Csymm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Chemm computes C = alpha A B + beta C or alpha B A + beta C for a Hermitian A.
func (g Implementation) Chemm(
	side blas.Side, uplo blas.Uplo, m, n int, alpha complex64, a []complex64, lda int, b []complex64,
	ldb int, beta complex64, c []complex64, ldc int,
) {
	if !symm(blas.Hemm, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Chemm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ctrmm computes B = alpha op(A) B or alpha B op(A) for a triangular A.
func (g Implementation) Ctrmm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha complex64,
	a []complex64, lda int, b []complex64, ldb int,
) {
	if !trmm(blas.Trmm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Ctrmm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Ctrsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A; X overwrites B.
func (g Implementation) Ctrsm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha complex64,
	a []complex64, lda int, b []complex64, ldb int,
) {
	if !trmm(blas.Trsm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Ctrsm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Csyrk computes C = alpha op(A) op(A)^T + beta C for a symmetric C.
func (g Implementation) Csyrk(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, beta complex64,
	c []complex64, ldc int,
) {
	if tA == blas.ConjTrans || !syrk(blas.Syrk, uplo, tA, n, k, alpha, a, lda, beta, c, ldc) {
		g.Implementation.Csyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Cherk computes C = alpha op(A) op(A)^H + beta C for a Hermitian C.
func (g Implementation) Cherk(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []complex64, lda int, beta float32,
	c []complex64, ldc int,
) {
	if tA == blas.Trans || !syrk(blas.Herk, uplo, tA, n, k, real64(alpha), a, lda, real64(beta), c, ldc) {
		g.Implementation.Cherk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Csyr2k computes C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C for a symmetric C.
func (g Implementation) Csyr2k(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, b []complex64,
	ldb int, beta complex64, c []complex64, ldc int,
) {
	if tA == blas.ConjTrans || !syr2k(blas.Syr2k, uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Csyr2k(uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Cher2k computes C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C for a Hermitian C.
func (g Implementation) Cher2k(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, b []complex64,
	ldb int, beta float32, c []complex64, ldc int,
) {
	if tA == blas.Trans || !syr2k(blas.Her2k, uplo, tA, n, k, alpha, a, lda, b, ldb, real64(beta), c, ldc) {
		g.Implementation.Cher2k(uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}
