package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"trnsci/core/dense"
)

// gonumArgs makes the arguments of gonum's methods. Padding and what must not be read is NaN.
type gonumArgs[T dense.Scalar] struct {
	rng *rand.Rand
	nan T
}

func (g gonumArgs[T]) number() T { return number[T](g.rng) }

// scalar returns a factor, which is often 0 or 1.
func (g gonumArgs[T]) scalar() T {
	if special := g.rng.IntN(4); special < 2 {
		return dense.FromReal[T](float64(special))
	}
	return g.number()
}

func (g gonumArgs[T]) realScalar() any { return realPart(g.scalar()) }

// realPart returns the real part of x in the real type that belongs to T.
func realPart[T dense.Scalar](x T) any {
	if dense.Eps[T]() == dense.Eps[float32]() {
		return float32(dense.Real(x))
	}
	return dense.Real(x)
}

// vector returns n elements at a random increment, which is positive where it has to be.
func (g gonumArgs[T]) vector(n int, positive bool) (x []T, inc int) {
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

func (g gonumArgs[T]) matrix(rows, cols int) ([]T, int) {
	m := random[T](g.rng, rows, cols)
	return m.Data[:(rows-1)*m.Stride+cols], m.Stride
}

// triangle returns a matrix of which the other triangle is NaN and the diagonal is as element gives it.
func (g gonumArgs[T]) triangle(n int, uplo Uplo, element func(i, j int) T) ([]T, int) {
	data, ld := g.matrix(n, n)
	for i := range n {
		for j := range n {
			data[i*ld+j] = element(i, j)
			if (uplo == Upper && j < i) || (uplo == Lower && j > i) {
				data[i*ld+j] = g.nan
			}
		}
	}
	return data, ld
}

// symmetric returns a symmetric matrix, or a Hermitian one with NaN as imaginary part of the diagonal, which is not read.
func (g gonumArgs[T]) symmetric(n int, uplo Uplo, hermitian bool) ([]T, int) {
	return g.triangle(n, uplo, func(i, j int) T {
		x := g.number()
		if i == j && hermitian {
			return dense.FromParts[T](dense.Real(x), math.NaN())
		}
		return x
	})
}

// triangular returns a well-conditioned triangular matrix; a unit diagonal is NaN.
func (g gonumArgs[T]) triangular(n int, uplo Uplo, diag Diag) ([]T, int) {
	return g.triangle(n, uplo, func(i, j int) T {
		switch {
		case i != j:
			return g.number() / dense.FromReal[T](float64(n)*4)
		case diag == Unit:
			return g.nan
		}
		return dense.FromReal[T](1 + g.rng.Float64())
	})
}

// gonumCase is a form of method, such as ?gemm, with a source of arguments. terms bounds the length of its sums.
type gonumCase struct {
	form  string
	args  func() []any
	terms int
}

// gonumCases returns all forms of dense operations for a dtype.
func gonumCases[T dense.Scalar](rng *rand.Rand) []gonumCase {
	g := gonumArgs[T]{rng, dense.FromReal[T](math.NaN())}
	cases := append(gonumVectorCases(g), gonumMatrixVectorCases(g)...)
	return append(cases, gonumMatrixCases(g)...)
}

func gonumVectorCases[T dense.Scalar](g gonumArgs[T]) []gonumCase {
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
	cases := []gonumCase{
		{"?nrm2", one(), longest}, {"?asum", one(), longest}, {"I?amax", one(), longest}, {"?scal", one(alpha), 1},
		{"?swap", two(), 1}, {"?copy", two(), 1}, {"?axpy", two(alpha), 1},
	}
	if dense.IsComplex[T]() {
		return append(cases, gonumCase{"?dotu", two(), longest}, gonumCase{"?dotc", two(), longest})
	}
	rotation := func() []any {
		sin, cos := math.Sincos(g.rng.Float64())
		return append(two()(), dense.FromReal[T](cos), dense.FromReal[T](sin))
	}
	return append(cases, gonumCase{"?dot", two(), longest}, gonumCase{"?rot", rotation, 1})
}

func gonumMatrixVectorCases[T dense.Scalar](g gonumArgs[T]) []gonumCase {
	const order = 30
	gemv := func() []any {
		m, n, trans := 1+g.rng.IntN(order), 1+g.rng.IntN(order), pick(g.rng, NoTrans, Trans, ConjTrans)
		lenY, lenX := opShape(trans, m, n)
		a, lda := g.matrix(m, n)
		x, incX := g.vector(lenX, false)
		y, incY := g.vector(lenY, false)
		return []any{trans, m, n, g.scalar(), a, lda, x, incX, g.scalar(), y, incY}
	}
	symv := func(hermitian bool) func() []any {
		return func() []any {
			n, uplo := 1+g.rng.IntN(order), pick(g.rng, Upper, Lower)
			a, lda := g.symmetric(n, uplo, hermitian)
			x, incX := g.vector(n, false)
			y, incY := g.vector(n, false)
			return []any{uplo, n, g.scalar(), a, lda, x, incX, g.scalar(), y, incY}
		}
	}
	trmv := func() []any {
		n, uplo, diag := 1+g.rng.IntN(order), pick(g.rng, Upper, Lower), pick(g.rng, Unit, NonUnit)
		a, lda := g.triangular(n, uplo, diag)
		x, incX := g.vector(n, false)
		return []any{uplo, pick(g.rng, NoTrans, Trans, ConjTrans), diag, n, a, lda, x, incX}
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
			n, uplo := 1+g.rng.IntN(order), pick(g.rng, Upper, Lower)
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
	cases := []gonumCase{{"?gemv", gemv, order}, {"?trmv", trmv, order}, {"?trsv", trmv, order}}
	if dense.IsComplex[T]() {
		return append(cases, gonumCase{"?hemv", symv(true), order}, gonumCase{"?geru", ger, 1}, gonumCase{"?gerc", ger, 1},
			gonumCase{"?her", syr(1, g.realScalar), 1}, gonumCase{"?her2", syr(2, scalar), 1})
	}
	return append(cases, gonumCase{"?symv", symv(false), order}, gonumCase{"?ger", ger, 1},
		gonumCase{"?syr", syr(1, scalar), 1}, gonumCase{"?syr2", syr(2, scalar), 1})
}

func gonumMatrixCases[T dense.Scalar](g gonumArgs[T]) []gonumCase {
	const order = 40
	gemm := func() []any {
		m, n, k := 1+g.rng.IntN(order), 1+g.rng.IntN(order), 1+g.rng.IntN(order)
		tA, tB := pick(g.rng, NoTrans, Trans, ConjTrans), pick(g.rng, NoTrans, Trans, ConjTrans)
		a, lda := g.matrix(opShape(tA, m, k))
		b, ldb := g.matrix(opShape(tB, k, n))
		c, ldc := g.matrix(m, n)
		return []any{tA, tB, m, n, k, g.scalar(), a, lda, b, ldb, g.scalar(), c, ldc}
	}
	symm := func(hermitian bool) func() []any {
		return func() []any {
			m, n := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
			side, uplo := pick(g.rng, Left, Right), pick(g.rng, Upper, Lower)
			a, lda := g.symmetric(orderOf(side, m, n), uplo, hermitian)
			b, ldb := g.matrix(m, n)
			c, ldc := g.matrix(m, n)
			return []any{side, uplo, m, n, g.scalar(), a, lda, b, ldb, g.scalar(), c, ldc}
		}
	}
	trmm := func() []any {
		m, n := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
		side, uplo, diag := pick(g.rng, Left, Right), pick(g.rng, Upper, Lower), pick(g.rng, Unit, NonUnit)
		a, lda := g.triangular(orderOf(side, m, n), uplo, diag)
		b, ldb := g.matrix(m, n)
		return []any{side, uplo, pick(g.rng, NoTrans, Trans, ConjTrans), diag, m, n, g.scalar(), a, lda, b, ldb}
	}
	syrk := func(matrices int, hermitian bool, alpha, beta func() any, forms ...Transpose) func() []any {
		return func() []any {
			n, k := 1+g.rng.IntN(order), 1+g.rng.IntN(order)
			uplo, trans := pick(g.rng, Upper, Lower), pick(g.rng, forms...)
			args := []any{uplo, trans, n, k, alpha()}
			for range matrices {
				a, lda := g.matrix(opShape(trans, n, k))
				args = append(args, a, lda)
			}
			c, ldc := g.symmetric(n, uplo, hermitian)
			if hermitian { // gonum multiplies the imaginary parts by beta before it drops them, so that NaNs would spread
				for i := range n {
					c[i*ldc+i] = dense.FromParts[T](dense.Real(c[i*ldc+i]), 1)
				}
			}
			return append(args, beta(), c, ldc)
		}
	}
	scalar := func() any { return g.scalar() }
	cases := []gonumCase{
		{"?gemm", gemm, order}, {"?symm", symm(false), order}, {"?trmm", trmm, order}, {"?trsm", trmm, order},
	}
	if !dense.IsComplex[T]() {
		return append(cases, gonumCase{"?syrk", syrk(1, false, scalar, scalar, NoTrans, Trans, ConjTrans), order},
			gonumCase{"?syr2k", syrk(2, false, scalar, scalar, NoTrans, Trans, ConjTrans), 2 * order})
	}
	return append(cases, gonumCase{"?hemm", symm(true), order},
		gonumCase{"?syrk", syrk(1, false, scalar, scalar, NoTrans, Trans), order},
		gonumCase{"?herk", syrk(1, true, g.realScalar, g.realScalar, NoTrans, ConjTrans), order},
		gonumCase{"?syr2k", syrk(2, false, scalar, scalar, NoTrans, Trans), 2 * order},
		gonumCase{"?her2k", syrk(2, true, scalar, g.realScalar, NoTrans, ConjTrans), 2 * order})
}

// method returns a method of an implementation by its form, such as ?gemm or I?amax, for a dtype.
func method[T dense.Scalar](implementation any, form string) reflect.Value {
	var zero T
	letters := map[reflect.Kind]string{reflect.Float32: "S", reflect.Float64: "D", reflect.Complex64: "C", reflect.Complex128: "Z"}
	letter := letters[reflect.TypeOf(zero).Kind()]
	switch {
	case strings.HasPrefix(form, "I"):
		letter = strings.ToLower(letter)
	case form == "?nrm2" || form == "?asum":
		letter = map[string]string{"S": "S", "D": "D", "C": "Sc", "Z": "Dz"}[letter]
	}
	m := reflect.ValueOf(implementation).MethodByName(strings.Replace(form, "?", letter, 1))
	if !m.IsValid() {
		panic("no method for " + form)
	}
	return m
}

// widened returns a copy of an argument in double precision.
func widened(x any) any {
	switch x := x.(type) {
	case float32:
		return float64(x)
	case complex64:
		return complex128(x)
	case []float32:
		return convertAll[float64](x)
	case []float64:
		return slices.Clone(x)
	case []complex64:
		return convertAll[complex128](x)
	case []complex128:
		return slices.Clone(x)
	}
	return x
}

func convertAll[D, S dense.Scalar](x []S) []D {
	y := make([]D, len(x))
	for i, v := range x {
		y[i] = dense.Convert[D](v)
	}
	return y
}

// numbers returns the numbers in arguments and results as one list.
func numbers(values []reflect.Value) (list []complex128) {
	for _, v := range values {
		switch x := widened(v.Interface()).(type) {
		case []float64:
			list = append(list, convertAll[complex128](x)...)
		case []complex128:
			list = append(list, x...)
		case int:
			list = append(list, complex(float64(x), 0))
		case float64:
			list = append(list, complex(x, 0))
		case complex128:
			list = append(list, x)
		}
	}
	return list
}

func reflected(args []any) []reflect.Value {
	values := make([]reflect.Value, len(args))
	for i, x := range args {
		values[i] = reflect.ValueOf(x)
	}
	return values
}

// TestGonumValues compares every dense operation with gonum's in double precision.
func TestGonumValues(t *testing.T) {
	forDtypes(t, testGonumValues[float32, float64], testGonumValues[float64, float64],
		testGonumValues[complex64, complex128], testGonumValues[complex128, complex128])
}

func testGonumValues[T, W dense.Scalar](t *testing.T) {
	const rounds = 60
	rng := rand.New(rand.NewPCG(3, 8))
	for _, c := range gonumCases[T](rng) {
		for range rounds {
			args := c.args()
			wide := make([]any, len(args))
			for i, x := range args {
				wide[i] = widened(x)
			}
			low, high := reflected(args), reflected(wide)
			low = append(low, method[T](Gonum(), c.form).Call(low)...)
			high = append(high, method[W](gonum.Implementation{}, c.form).Call(high)...)
			got, want := numbers(low), numbers(high)
			for i := range got {
				if !sameNumber[T](got[i], want[i], c.terms) {
					t.Fatalf("%s%v: number %d is %v, should be %v", c.form, args, i, got[i], want[i])
				}
			}
		}
	}
}

// sameNumber reports whether got is want but for the rounding of a sum of that many terms. NaN stands for what must not change.
func sameNumber[T dense.Scalar](got, want complex128, terms int) bool {
	part := func(got, want float64) bool {
		return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 20*float64(terms+2)*dense.Eps[T]()
	}
	return part(real(got), real(want)) && part(imag(got), imag(want))
}

// TestGonumPanics spoils one argument after the other: the adapters panic where gonum does, and say the same.
func TestGonumPanics(t *testing.T) {
	forDtypes(t, testGonumPanics[float32], testGonumPanics[float64], testGonumPanics[complex64], testGonumPanics[complex128])
}

func testGonumPanics[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	panics := 0
	for _, c := range gonumCases[T](rng) {
		args := c.args()
		for i := range args {
			for _, bad := range spoiled(args[i]) {
				spoilt := slices.Clone(args)
				spoilt[i] = bad
				got := panicOf(method[T](Gonum(), c.form), spoilt)
				want := panicOf(method[T](gonum.Implementation{}, c.form), spoilt)
				if got != want {
					t.Errorf("%s with argument %d = %v: panic %q, should be %q", c.form, i, bad, got, want)
				}
				if want != "" {
					panics++
				}
			}
		}
	}
	if panics == 0 {
		t.Error("nothing has panicked")
	}
}

// spoiled returns values that may not be legal in the place of x.
func spoiled(x any) []any {
	switch x := x.(type) {
	case int:
		return []any{-1, 0, 1, x + 1}
	case Transpose:
		return []any{Trans, ConjTrans, Transpose('X')}
	case Uplo:
		return []any{Uplo('X')}
	case Side:
		return []any{Side('X')}
	case Diag:
		return []any{Diag('X')}
	}
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Slice {
		return nil
	}
	return []any{v.Slice(0, 0).Interface(), v.Slice(0, v.Len()/2).Interface()}
}

// panicOf calls a method and returns what it panics with, "" if it does not.
func panicOf(method reflect.Value, args []any) (said string) {
	defer func() {
		if v := recover(); v != nil {
			said = fmt.Sprint(v)
		}
	}()
	method.Call(reflected(args))
	return ""
}
