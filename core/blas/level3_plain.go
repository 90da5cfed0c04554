package blas

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Gemmt computes the triangle uplo of C = alpha op(A) op(B) + beta C for a square C; the other triangle is neither read nor
// written.
func Gemmt[T dense.Scalar](team *sched.Team, uplo Uplo, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	require(c.Rows == c.Cols, "Gemmt: C is %dx%d", c.Rows, c.Cols)
	product := dense.New[T](c.Rows, c.Cols)
	Gemm(team, tA, tB, alpha, a, b, 0, product)
	addTriangle(uplo, product, beta, c)
}

// addTriangle computes C = D + beta C on the triangle uplo.
func addTriangle[T dense.Scalar](uplo Uplo, d dense.Matrix[T], beta T, c dense.Matrix[T]) {
	for i := range c.Rows {
		j0, j1 := 0, i+1
		if uplo == Upper {
			j0, j1 = i, c.Cols
		}
		row := c.RowVec(i, j0, j1)
		scaleOrClear(beta, row)
		Axpy(1, d.RowVec(i, j0, j1), row)
	}
}

// Symm computes C = alpha A B + beta C (side Left) or C = alpha B A + beta C (side Right) for a symmetric A, of which only the
// triangle uplo is read.
func Symm[T dense.Scalar](team *sched.Team, side Side, uplo Uplo, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	multiplyWhole(team, side, alpha, wholeOf(uplo, a, func(x T) T { return x }), b, beta, c)
}

// Hemm is Symm for a Hermitian A. The imaginary part of A's diagonal is taken to be zero.
func Hemm[T dense.Scalar](team *sched.Team, side Side, uplo Uplo, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	whole := wholeOf(uplo, a, dense.Conj[T])
	makeDiagonalReal(whole)
	multiplyWhole(team, side, alpha, whole, b, beta, c)
}

func multiplyWhole[T dense.Scalar](team *sched.Team, side Side, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	if side == Right {
		a, b = b, a
	}
	Gemm(team, NoTrans, NoTrans, alpha, a, b, beta, c)
}

// wholeOf returns the matrix of which the triangle uplo is given and mirrored.
func wholeOf[T dense.Scalar](uplo Uplo, a dense.Matrix[T], mirrored func(T) T) dense.Matrix[T] {
	require(a.Rows == a.Cols, "A is %dx%d", a.Rows, a.Cols)
	whole := dense.New[T](a.Rows, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			if i == j || stored(uplo, i, j) {
				whole.Set(i, j, a.At(i, j))
			} else {
				whole.Set(i, j, mirrored(a.At(j, i)))
			}
		}
	}
	return whole
}

// Syrk computes the triangle uplo of C = alpha A A^T + beta C, or of C = alpha A^T A + beta C if trans is Trans.
func Syrk[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha T, a dense.Matrix[T], beta T, c dense.Matrix[T]) {
	Gemmt(team, uplo, trans, flipped(trans, Trans), alpha, a, a, beta, c)
}

// Herk computes the triangle uplo of C = alpha A A^H + beta C, or of C = alpha A^H A + beta C if trans is ConjTrans. The imaginary
// part of C's diagonal becomes zero.
func Herk[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha float64, a dense.Matrix[T], beta float64, c dense.Matrix[T]) {
	Gemmt(team, uplo, trans, flipped(trans, ConjTrans), dense.FromReal[T](alpha), a, a, dense.FromReal[T](beta), c)
	makeDiagonalReal(c)
}

// flipped returns the transpose of the other factor of a rank-k update.
func flipped(trans, other Transpose) Transpose {
	if trans == NoTrans {
		return other
	}
	return NoTrans
}

// Syr2k computes the triangle uplo of C = alpha (A B^T + B A^T) + beta C, or of C = alpha (A^T B + B^T A) + beta C if trans is Trans.
func Syr2k[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	Gemmt(team, uplo, trans, flipped(trans, Trans), alpha, a, b, beta, c)
	Gemmt(team, uplo, trans, flipped(trans, Trans), alpha, b, a, 1, c)
}

// Her2k computes the triangle uplo of C = alpha A B^H + conj(alpha) B A^H + beta C, or of C = alpha A^H B + conj(alpha) B^H A + beta C if
// trans is ConjTrans. The imaginary part of C's diagonal becomes zero.
func Her2k[T dense.Scalar](team *sched.Team, uplo Uplo, trans Transpose, alpha T, a, b dense.Matrix[T], beta float64, c dense.Matrix[T]) {
	Gemmt(team, uplo, trans, flipped(trans, ConjTrans), alpha, a, b, dense.FromReal[T](beta), c)
	Gemmt(team, uplo, trans, flipped(trans, ConjTrans), dense.Conj(alpha), b, a, 1, c)
	makeDiagonalReal(c)
}

// GemmStrided computes count products: in product k, A, B and C begin k times their stride further in memory.
func GemmStrided[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, count int, a dense.Matrix[T], strideA int, b dense.Matrix[T], strideB int,
	beta T, c dense.Matrix[T], strideC int) {
	for k := range count {
		Gemm(team, tA, tB, alpha, moved(a, k*strideA), moved(b, k*strideB), beta, moved(c, k*strideC))
	}
}

func moved[T dense.Scalar](a dense.Matrix[T], by int) dense.Matrix[T] {
	if a.Rows > 0 && a.Cols > 0 {
		a.Data = a.Data[by:]
	}
	return a
}

// GemmBatch computes the products of pairs of matrices, which may have different shapes.
func GemmBatch[T dense.Scalar](team *sched.Team, tA, tB Transpose, alpha T, as, bs []dense.Matrix[T], beta T, cs []dense.Matrix[T]) {
	require(len(as) == len(bs) && len(as) == len(cs), "GemmBatch: %d, %d and %d matrices", len(as), len(bs), len(cs))
	for k := range cs {
		Gemm(team, tA, tB, alpha, as[k], bs[k], beta, cs[k])
	}
}
