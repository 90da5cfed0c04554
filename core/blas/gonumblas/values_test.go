package gonumblas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// method returns a method of an implementation by its form, such as ?gemm or I?amax, for a dtype.
func method[T dense.Scalar](implementation any, form string) reflect.Value {
	var zero T
	letters := map[reflect.Kind]string{
		reflect.Float32: "S", reflect.Float64: "D", reflect.Complex64: "C", reflect.Complex128: "Z",
	}
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

// TestValues compares every dense operation with gonum's in double precision.
func TestValues(t *testing.T) {
	t.Run("float32", testValues[float32, float64])
	t.Run("float64", testValues[float64, float64])
	t.Run("complex64", testValues[complex64, complex128])
	t.Run("complex128", testValues[complex128, complex128])
}

func testValues[T, W dense.Scalar](t *testing.T) {
	const rounds = 60
	rng := rand.New(rand.NewPCG(3, 8))
	for _, c := range cases[T](rng) {
		for range rounds {
			args := c.args()
			wide := make([]any, len(args))
			for i, x := range args {
				wide[i] = widened(x)
			}
			low, high := reflected(args), reflected(wide)
			low = append(low, method[T](New(), c.form).Call(low)...)
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

// sameNumber reports whether got is want but for the rounding of a sum of that many terms. NaN stands for what must not
// change.
func sameNumber[T dense.Scalar](got, want complex128, terms int) bool {
	part := func(got, want float64) bool {
		return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 20*float64(terms+2)*dense.Eps[T]()
	}
	return part(real(got), real(want)) && part(imag(got), imag(want))
}

// TestPanics spoils one argument after the other: the adapters panic where gonum does, and say the same.
func TestPanics(t *testing.T) {
	t.Run("float32", testPanics[float32])
	t.Run("float64", testPanics[float64])
	t.Run("complex64", testPanics[complex64])
	t.Run("complex128", testPanics[complex128])
}

func testPanics[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	panics := 0
	for _, c := range cases[T](rng) {
		args := c.args()
		for i := range args {
			for _, bad := range spoiled(args[i]) {
				spoilt := slices.Clone(args)
				spoilt[i] = bad
				got := panicOf(method[T](New(), c.form), spoilt)
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
	case blas.Transpose:
		return []any{blas.Trans, blas.ConjTrans, blas.Transpose('X')}
	case blas.Uplo:
		return []any{blas.Uplo('X')}
	case blas.Side:
		return []any{blas.Side('X')}
	case blas.Diag:
		return []any{blas.Diag('X')}
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
