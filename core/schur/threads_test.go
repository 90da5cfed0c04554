package schur

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// The form is the same with and without the factor, and both are the same for any number of threads, to the last bit.
func TestSchurForAnyThreads(t *testing.T) {
	least := max(plainRealOrder, plainComplexOrder) + 1
	if testing.Short() { // also under the race detector
		t.Run("float64", func(t *testing.T) { checkThreads[float64](t, least) })
		t.Run("complex128", func(t *testing.T) { checkThreads[complex128](t, least) })
		return
	}
	for _, n := range []int{least, 263} {
		t.Run(fmt.Sprintf("float64/%d", n), func(t *testing.T) { checkThreads[float64](t, n) })
		t.Run(fmt.Sprintf("float32/%d", n), func(t *testing.T) { checkThreads[float32](t, n) })
		t.Run(fmt.Sprintf("complex128/%d", n), func(t *testing.T) { checkThreads[complex128](t, n) })
		t.Run(fmt.Sprintf("complex64/%d", n), func(t *testing.T) { checkThreads[complex64](t, n) })
	}
}

func checkThreads[T dense.Scalar](t *testing.T, n int) {
	a := numtest.Random[T](rand.New(rand.NewPCG(71, uint64(n))), n, n)
	var form, factor dense.Matrix[T]
	for threads := 1; threads <= 4; threads++ {
		opt := Options{Team: sched.NewTeam(t.Context(), threads, nil)}
		nextForm, nextFactor := dense.New[T](n, n), dense.New[T](n, n)
		if err := Decompose(a.View(), nextForm.View(), nextFactor.View(), opt); err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			form, factor = nextForm, nextFactor
		}
		sameBits(t, fmt.Sprintf("form, %d threads", threads), form, nextForm)
		sameBits(t, fmt.Sprintf("factor, %d threads", threads), factor, nextFactor)
		if err := Decompose(a.View(), nextForm.View(), dense.View[T]{}, opt); err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("form without factor, %d threads", threads), form, nextForm)
	}
}

func sameBits[T dense.Scalar](t *testing.T, name string, want, got dense.Matrix[T]) {
	t.Helper()
	for i, x := range want.Data {
		y := got.Data[i]
		if math.Float64bits(dense.Real(x)) != math.Float64bits(dense.Real(y)) ||
			math.Float64bits(dense.Imag(x)) != math.Float64bits(dense.Imag(y)) {
			t.Fatalf("%s: %v instead of %v in row %d, column %d", name, y, x, i/want.Stride, i%want.Stride)
		}
	}
}
