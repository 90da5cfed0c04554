package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
)

// strided is a vector among guard words.
type strided[T dense.Scalar] struct {
	dense.Vector[T]
	memory []T
	offset int
}

var increments = []int{1, 1, 2, -1, -3}

// newStrided returns a random vector of n elements; guard is what lies between and around them.
func newStrided[T dense.Scalar](rng *rand.Rand, n int, guard T) *strided[T] {
	inc, offset := pick(rng, increments...), rng.IntN(5)
	length := 0
	if n > 0 {
		length = (n-1)*max(inc, -inc) + 1
	}
	v := &strided[T]{memory: make([]T, offset+length+5), offset: offset}
	for i := range v.memory {
		v.memory[i] = guard
	}
	v.Vector = dense.Vector[T]{N: n, Inc: inc, Data: v.memory[offset : offset+length]}
	for i := range n {
		v.set(i, number[T](rng))
	}
	return v
}

// rowOf returns a row of a matrix as a vector without a guard.
func rowOf[T dense.Scalar](m dense.Matrix[T], i int) *strided[T] {
	return &strided[T]{Vector: dense.Vec(m.Row(i)), memory: m.Row(i)}
}

// place returns where in Data element i lies by the definition of the BLAS.
func (v *strided[T]) place(i int) int {
	if v.Inc < 0 {
		return (v.N - 1 - i) * -v.Inc
	}
	return i * v.Inc
}

func (v *strided[T]) at(i int) T     { return v.Data[v.place(i)] }
func (v *strided[T]) set(i int, x T) { v.Data[v.place(i)] = x }

func (v *strided[T]) fill(x T) {
	for i := range v.N {
		v.set(i, x)
	}
}

func (v *strided[T]) clone() *strided[T] {
	c := *v
	c.memory = slices.Clone(v.memory)
	c.Data = c.memory[v.offset : v.offset+len(v.Data)]
	return &c
}

// wide returns the elements in double precision.
func (v *strided[T]) wide() []complex128 {
	w := make([]complex128, v.N)
	for i := range w {
		w[i] = dense.Convert[complex128](v.at(i))
	}
	return w
}

// guarded reports whether all that does not belong to the vector is still guardWord.
func (v *strided[T]) guarded() bool {
	around := slices.Clone(v.memory)
	for i := range v.N {
		around[v.offset+v.place(i)] = guardWord
	}
	return !slices.ContainsFunc(around, func(x T) bool { return x != guardWord })
}

// expected is a vector by definition, with the sums of moduli that its errors are measured by.
type expected struct {
	value []complex128
	size  []float64
}

func newExpected(n int) *expected { return &expected{make([]complex128, n), make([]float64, n)} }

// add adds x y to element i.
func (e *expected) add(i int, x, y complex128) {
	e.value[i] += x * y
	e.size[i] += dense.Abs(x) * dense.Abs(y)
}

// addScaled adds beta y; an infinity in y does not count if beta is 0.
func (e *expected) addScaled(beta complex128, y []complex128) {
	for i := range y {
		if beta != 0 {
			e.add(i, beta, y[i])
		}
	}
}

// differs describes the first element of got that is further from the definition than sums of the given number of terms may be. A complex
// product and two roundings of each term are counted.
func differs[T dense.Scalar](got *strided[T], want *expected, terms int) error {
	for i := range got.N {
		limit := 2 * float64(terms+4) * dense.Eps[T]() * want.size[i]
		if x := dense.Convert[complex128](got.at(i)); !(dense.Abs(x-want.value[i]) <= limit) {
			return fmt.Errorf("element %d is %v, want %v within %.2g", i, x, want.value[i], limit)
		}
	}
	if !got.guarded() {
		return fmt.Errorf("memory around the vector was written")
	}
	return nil
}

func nanOf[T dense.Scalar]() T { return dense.FromReal[T](math.NaN()) }

func factorsOf[T dense.Scalar](rng *rand.Rand) []T { return []T{0, 1, -1, number[T](rng)} }

// someLength returns lengths of up to 70, now and then of up to 600.
func someLength(rng *rand.Rand, round int) int {
	if round%20 == 0 {
		return rng.IntN(600)
	}
	return rng.IntN(70)
}

func checkf(t *testing.T, err error, format string, values ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(format, values...), err)
	}
}
