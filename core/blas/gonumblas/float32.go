// Code generated from float64.go by derived_test.go; DO NOT EDIT.

package gonumblas

import (
	gblas "gonum.org/v1/gonum/blas"

	"trnsci/core/blas"
)

var _ gblas.Float32 = Implementation{}

// Sdot returns the sum of x_i y_i.
func (g Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		return g.Implementation.Sdot(n, x, incX, y, incY)
	}
	return blas.Dotu(vector(n, x, incX), vector(n, y, incY))
}

// Snrm2 returns the Euclidean norm of x.
func (g Implementation) Snrm2(n int, x []float32, incX int) float32 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Snrm2(n, x, incX)
	}
	return float32(blas.Nrm2(vector(n, x, incX)))
}

// Sasum returns the sum of |x_i|.
func (g Implementation) Sasum(n int, x []float32, incX int) float32 {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Sasum(n, x, incX)
	}
	return float32(blas.Asum(vector(n, x, incX)))
}

// Isamax returns the index of the first largest |x_i|, -1 if there is none.
func (g Implementation) Isamax(n int, x []float32, incX int) int {
	if incX < 0 || !vectorFits(n, len(x), incX) {
		return g.Implementation.Isamax(n, x, incX)
	}
	return blas.Iamax(vector(n, x, incX))
}

// Sswap exchanges x and y.
func (g Implementation) Sswap(n int, x []float32, incX int, y []float32, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Sswap(n, x, incX, y, incY)
		return
	}
	blas.Swap(vector(n, x, incX), vector(n, y, incY))
}

// Scopy copies x to y.
func (g Implementation) Scopy(n int, x []float32, incX int, y []float32, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Scopy(n, x, incX, y, incY)
		return
	}
	blas.Copy(vector(n, x, incX), vector(n, y, incY))
}

// Saxpy adds alpha x to y.
func (g Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Saxpy(n, alpha, x, incX, y, incY)
		return
	}
	blas.Axpy(alpha, vector(n, x, incX), vector(n, y, incY))
}

// Srot applies a plane rotation: x, y = c x + s y, c y - s x.
func (g Implementation) Srot(n int, x []float32, incX int, y []float32, incY int, c, s float32) {
	if !vectorFits(n, len(x), incX) || !vectorFits(n, len(y), incY) {
		g.Implementation.Srot(n, x, incX, y, incY, c, s)
		return
	}
	blas.Rot(vector(n, x, incX), vector(n, y, incY), real64(c), s)
}

// Sscal multiplies x by alpha; 0 clears NaN and Inf too.
func (g Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if alpha == 0 || incX < 0 || !vectorFits(n, len(x), incX) {
		g.Implementation.Sscal(n, alpha, x, incX)
		return
	}
	blas.Scal(alpha, vector(n, x, incX))
}

// Sgemv computes y = alpha op(A) x + beta y.
func (g Implementation) Sgemv(
	tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32,
	y []float32, incY int,
) {
	if !gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Ssymv computes y = alpha A x + beta y for a symmetric A.
func (g Implementation) Ssymv(
	uplo blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32,
	y []float32, incY int,
) {
	if !symv(blas.Symv, uplo, n, alpha, a, lda, x, incX, beta, y, incY) {
		g.Implementation.Ssymv(uplo, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Strmv computes x = op(A) x for a triangular A.
func (g Implementation) Strmv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []float32, lda int, x []float32, incX int,
) {
	if !trmv(blas.Trmv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Strmv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Strsv solves op(A) x = b for a triangular A; x holds b first.
func (g Implementation) Strsv(
	uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []float32, lda int, x []float32, incX int,
) {
	if !trmv(blas.Trsv, uplo, tA, diag, n, a, lda, x, incX) {
		g.Implementation.Strsv(uplo, tA, diag, n, a, lda, x, incX)
	}
}

// Sger adds alpha x y^T to A.
func (g Implementation) Sger(
	m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int,
) {
	if !ger(blas.Ger, m, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Ssyr adds alpha x x^T to a symmetric A.
func (g Implementation) Ssyr(uplo blas.Uplo, n int, alpha float32, x []float32, incX int, a []float32, lda int) {
	if !syr(blas.Syr, uplo, n, alpha, x, incX, a, lda) {
		g.Implementation.Ssyr(uplo, n, alpha, x, incX, a, lda)
	}
}

// Ssyr2 adds alpha (x y^T + y x^T) to a symmetric A.
func (g Implementation) Ssyr2(
	uplo blas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int,
) {
	if !syr2(blas.Syr2, uplo, n, alpha, x, incX, y, incY, a, lda) {
		g.Implementation.Ssyr2(uplo, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Sgemm computes C = alpha op(A) op(B) + beta C.
func (g Implementation) Sgemm(
	tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int,
) {
	if !gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssymm computes C = alpha A B + beta C or alpha B A + beta C for a symmetric A.
func (g Implementation) Ssymm(
	side blas.Side, uplo blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int,
	beta float32, c []float32, ldc int,
) {
	if !symm(blas.Symm, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Ssymm(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Strmm computes B = alpha op(A) B or alpha B op(A) for a triangular A.
func (g Implementation) Strmm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha float32, a []float32,
	lda int, b []float32, ldb int,
) {
	if !trmm(blas.Trmm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Strmm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Strsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A; X overwrites B.
func (g Implementation) Strsm(
	side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha float32, a []float32,
	lda int, b []float32, ldb int,
) {
	if !trmm(blas.Trsm, side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb) {
		g.Implementation.Strsm(side, uplo, tA, diag, m, n, alpha, a, lda, b, ldb)
	}
}

// Ssyrk computes C = alpha op(A) op(A)^T + beta C for a symmetric C.
func (g Implementation) Ssyrk(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32,
	ldc int,
) {
	if !syrk(blas.Syrk, uplo, tA, n, k, alpha, a, lda, beta, c, ldc) {
		g.Implementation.Ssyrk(uplo, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Ssyr2k computes C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C for a symmetric C.
func (g Implementation) Ssyr2k(
	uplo blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int,
	beta float32, c []float32, ldc int,
) {
	if !syr2k(blas.Syr2k, uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		g.Implementation.Ssyr2k(uplo, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}
