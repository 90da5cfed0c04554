package gonumblas

import (
	"math"
	"math/rand/v2"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// argSource makes the arguments of gonum's methods. Padding and all that must not be read is NaN.
type argSource[T dense.Scalar] struct {
	rng *rand.Rand
	nan T
}

func (g argSource[T]) number() T {
	re, im := g.rng.NormFloat64(), g.rng.NormFloat64()
	if !dense.IsComplex[T]() {
		im = 0
	}
	return dense.FromParts[T](re, im)
}

// scalar returns a factor, which is often 0 or 1.
func (g argSource[T]) scalar() T {
	if special := g.rng.IntN(4); special < 2 {
		return dense.FromReal[T](float64(special))
	}
	return g.number()
}

func (g argSource[T]) realScalar() any { return realPart(g.scalar()) }

// realPart returns the real part of x in the real type that belongs to T.
func realPart[T dense.Scalar](x T) any {
	if dense.Eps[T]() == dense.Eps[float32]() {
		return float32(dense.Real(x))
	}
	return dense.Real(x)
}

// vector returns n elements at a random increment, which is positive where it has to be.
func (g argSource[T]) vector(n int, positive bool) (x []T, inc int) {
	inc = g.rng.IntN(3) + 1
	x = slices.Repeat([]T{g.nan}, max(0, n-1)*inc+1) // no longer: gonum without assembly clears all of y
	for i := range n {
		x[i*inc] = g.number()
	}
	if !positive && g.rng.IntN(2) == 0 {
		inc = -inc
	}
	return x, inc
}

func (g argSource[T]) matrix(rows, cols int) ([]T, int) {
	const padding = 3
	ld := cols + padding
	data := slices.Repeat([]T{g.nan}, (rows-1)*ld+cols)
	for i := range rows {
		for j := range cols {
			data[i*ld+j] = g.number()
		}
	}
	return data, ld
}

// triangle returns a matrix of which the other triangle is NaN and the diagonal is as element gives it.
func (g argSource[T]) triangle(n int, uplo blas.Uplo, element func(i, j int) T) ([]T, int) {
	data, ld := g.matrix(n, n)
	for i := range n {
		for j := range n {
			data[i*ld+j] = element(i, j)
			if (uplo == blas.Upper && j < i) || (uplo == blas.Lower && j > i) {
				data[i*ld+j] = g.nan
			}
		}
	}
	return data, ld
}

// symmetric returns a symmetric matrix, or a Hermitian one with NaN as imaginary part of the diagonal, which is not
// read.
func (g argSource[T]) symmetric(n int, uplo blas.Uplo, hermitian bool) ([]T, int) {
	return g.triangle(n, uplo, func(i, j int) T {
		x := g.number()
		if i == j && hermitian {
			return dense.FromParts[T](dense.Real(x), math.NaN())
		}
		return x
	})
}

// triangular returns a well-conditioned triangular matrix; a unit diagonal is NaN.
func (g argSource[T]) triangular(n int, uplo blas.Uplo, diag blas.Diag) ([]T, int) {
	return g.triangle(n, uplo, func(i, j int) T {
		switch {
		case i != j:
			return g.number() / dense.FromReal[T](float64(n)*4)
		case diag == blas.Unit:
			return g.nan
		}
		return dense.FromReal[T](1 + g.rng.Float64())
	})
}

// methodCase is a form of method, such as ?gemm, with a source of arguments. terms bounds the length of its sums.
type methodCase struct {
	form  string
	args  func() []any
	terms int
}

// cases returns all forms of dense operations for a dtype.
func cases[T dense.Scalar](rng *rand.Rand) []methodCase {
	g := argSource[T]{rng, dense.FromReal[T](math.NaN())}
	cases := append(vectorCases(g), matrixVectorCases(g)...)
	return append(cases, matrixCases(g)...)
}

func vectorCases[T dense.Scalar](g argSource[T]) []methodCase {
	const longest = 40
	one := func(before ...func() any) func() []any {
		return func() []any {
			n := 1 + g.rng.IntN(longest)
			args := []any{n}
			for _, f := range before {
				args = append(args, f())
			}
			x, inc := g.vector(n, true)
			return append(args, x, inc)
		}
	}
	two := func(before ...func() any) func() []any {
		return func() []any {
			n := 1 + g.rng.IntN(longest)
			args := []any{n}
			for _, f := range before {
				args = append(args, f())
			}
			x, incX := g.vector(n, false)
			y, incY := g.vector(n, false)
			return append(args, x, incX, y, incY)
		}
	}
	alpha := func() any { return g.scalar() }
	cases := []methodCase{
		{"?nrm2", one(), longest}, {"?asum", one(), longest}, {"I?amax", one(), longest}, {"?scal", one(alpha), 1},
		{"?swap", two(), 1}, {"?copy", two(), 1}, {"?axpy", two(alpha), 1},
	}
	if dense.IsComplex[T]() {
		return append(cases, methodCase{"?dotu", two(), longest}, methodCase{"?dotc", two(), longest})
	}
	rotation := func() []any {
		sin, cos := math.Sincos(g.rng.Float64())
		return append(two()(), dense.FromReal[T](cos), dense.FromReal[T](sin))
	}
	return append(cases, methodCase{"?dot", two(), longest}, methodCase{"?rot", rotation, 1})
}

func matrixVectorCases[T dense.Scalar](g argSource[T]) []methodCase {
	const order = 30
	gemv := func() []any {
		m, n, trans := 1+g.rng.IntN(order), 1+g.rng.IntN(order), pick(g.rng, blas.NoTrans, blas.Trans, blas.ConjTrans)
		lenY, lenX := opShape(trans, m, n)
		a, lda := g.matrix(m, n)
		x, incX := g.vector(lenX, false)
		y, incY := g.vector(lenY, false)
		return []any{trans, m, n, g.scalar(), a, lda, x, incX, g.scalar(), y, incY}
	}
	symv := func(hermitian bool) func() []any {
		return func() []any {
			n, uplo := 1+g.rng.IntN(order), pick(g.rng, blas.Upper, blas.Lower)
			a, lda := g.symmetric(n, uplo, hermitian)
			x, incX := g.vector(n, false)
			y, incY := g.vector(n, false)
			return []any{uplo, n, g.scalar(), a, lda, x, incX, g.scalar(), y, incY}
		}
	}
	trmv := func() []any {
		n, uplo, diag := 1+g.rng.IntN(order), pick(g.rng, blas.Upper, blas.Lower), pick(g.rng, blas.Unit, blas.NonUnit)
		a, lda := g.triangular(n, uplo, diag)
		x, incX := g.vector(n, false)
		return []any{uplo, pick(g.rng, blas.NoTrans, blas.Trans, blas.ConjTrans), diag, n, a, lda, x, incX}
	}
	ger := func() []any {
		m, n := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
		// gonum 0.17 gives wrong results for negative increments of real vectors on amd64.
		positive := !dense.IsComplex[T]()
		x, incX := g.vector(m, positive)
		y, incY := g.vector(n, positive)
		a, lda := g.matrix(m, n)
		return []any{m, n, g.scalar(), x, incX, y, incY, a, lda}
	}
	syr := func(vectors int, alpha func() any) func() []any {
		return func() []any {
			n, uplo := 1+g.rng.IntN(order), pick(g.rng, blas.Upper, blas.Lower)
			args := []any{uplo, n, alpha()}
			for range vectors {
				x, inc := g.vector(n, false)
				args = append(args, x, inc)
			}
			a, lda := g.symmetric(n, uplo, false)
			return append(args, a, lda)
		}
	}
	scalar := func() any { return g.scalar() }
	cases := []methodCase{{"?gemv", gemv, order}, {"?trmv", trmv, order}, {"?trsv", trmv, order}}
	if dense.IsComplex[T]() {
		return append(cases, methodCase{"?hemv", symv(true), order},
			methodCase{"?geru", ger, 1}, methodCase{"?gerc", ger, 1},
			methodCase{"?her", syr(1, g.realScalar), 1}, methodCase{"?her2", syr(2, scalar), 1})
	}
	return append(cases, methodCase{"?symv", symv(false), order}, methodCase{"?ger", ger, 1},
		methodCase{"?syr", syr(1, scalar), 1}, methodCase{"?syr2", syr(2, scalar), 1})
}

func matrixCases[T dense.Scalar](g argSource[T]) []methodCase {
	const order = 40
	gemm := func() []any {
		m, n, k := 1+g.rng.IntN(order), 1+g.rng.IntN(order), 1+g.rng.IntN(order)
		tA, tB := g.transpose(), g.transpose()
		a, lda := g.matrix(opShape(tA, m, k))
		b, ldb := g.matrix(opShape(tB, k, n))
		c, ldc := g.matrix(m, n)
		return []any{tA, tB, m, n, k, g.scalar(), a, lda, b, ldb, g.scalar(), c, ldc}
	}
	symm := func(hermitian bool) func() []any {
		return func() []any {
			m, n := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
			side, uplo := pick(g.rng, blas.Left, blas.Right), pick(g.rng, blas.Upper, blas.Lower)
			a, lda := g.symmetric(orderOf(side, m, n), uplo, hermitian)
			b, ldb := g.matrix(m, n)
			c, ldc := g.matrix(m, n)
			return []any{side, uplo, m, n, g.scalar(), a, lda, b, ldb, g.scalar(), c, ldc}
		}
	}
	trmm := func() []any {
		m, n := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
		side, uplo := pick(g.rng, blas.Left, blas.Right), pick(g.rng, blas.Upper, blas.Lower)
		diag := pick(g.rng, blas.Unit, blas.NonUnit)
		a, lda := g.triangular(orderOf(side, m, n), uplo, diag)
		b, ldb := g.matrix(m, n)
		return []any{side, uplo, g.transpose(), diag, m, n, g.scalar(), a, lda, b, ldb}
	}
	syrk := func(matrices int, hermitian bool, alpha, beta func() any, forms ...blas.Transpose) func() []any {
		return func() []any {
			n, k := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
			uplo, trans := pick(g.rng, blas.Upper, blas.Lower), pick(g.rng, forms...)
			args := []any{uplo, trans, n, k, alpha()}
			for range matrices {
				a, lda := g.matrix(opShape(trans, n, k))
				args = append(args, a, lda)
			}
			c, ldc := g.symmetric(n, uplo, hermitian)
			if hermitian { // gonum multiplies the imaginary parts by beta before it drops them: NaNs would spread
				for i := range n {
					c[i*ldc+i] = dense.FromParts[T](dense.Real(c[i*ldc+i]), 1)
				}
			}
			return append(args, beta(), c, ldc)
		}
	}
	scalar := func() any { return g.scalar() }
	cases := []methodCase{
		{"?gemm", gemm, order}, {"?symm", symm(false), order}, {"?trmm", trmm, order}, {"?trsm", trmm, order},
	}
	if !dense.IsComplex[T]() {
		return append(cases,
			methodCase{"?syrk", syrk(1, false, scalar, scalar, blas.NoTrans, blas.Trans, blas.ConjTrans), order},
			methodCase{"?syr2k", syrk(2, false, scalar, scalar, blas.NoTrans, blas.Trans, blas.ConjTrans), 2 * order})
	}
	return append(cases, methodCase{"?hemm", symm(true), order},
		methodCase{"?syrk", syrk(1, false, scalar, scalar, blas.NoTrans, blas.Trans), order},
		methodCase{"?herk", syrk(1, true, g.realScalar, g.realScalar, blas.NoTrans, blas.ConjTrans), order},
		methodCase{"?syr2k", syrk(2, false, scalar, scalar, blas.NoTrans, blas.Trans), 2 * order},
		methodCase{"?her2k", syrk(2, true, scalar, g.realScalar, blas.NoTrans, blas.ConjTrans), 2 * order})
}

func (g argSource[T]) transpose() blas.Transpose {
	return pick(g.rng, blas.NoTrans, blas.Trans, blas.ConjTrans)
}

// pick returns one of the choices.
func pick[C any](rng *rand.Rand, choices ...C) C { return choices[rng.IntN(len(choices))] }
