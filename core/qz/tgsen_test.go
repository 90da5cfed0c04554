package qz

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// chordal returns the distance of two eigenvalues on the Riemann sphere, at most 1.
func chordal(a complex128, b float64, c complex128, d float64) float64 {
	sizeA, sizeC := math.Hypot(cmplx.Abs(a), b), math.Hypot(cmplx.Abs(c), d)
	if sizeA == 0 || sizeC == 0 {
		return 1
	}
	return cmplx.Abs(a/complex(sizeA, 0)*complex(d/sizeC, 0) - c/complex(sizeC, 0)*complex(b/sizeA, 0))
}

func TestOrderMovesTheSelectedToTheTop(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 8, 20, 50} {
		for seed := range uint64(20) {
			ordered[float32](t, n, seed)
			ordered[float64](t, n, seed)
			ordered[complex64](t, n, seed)
			ordered[complex128](t, n, seed)
		}
	}
}

// ordered selects half of the eigenvalues of a random pair and checks the form, the number, and the order.
func ordered[T dense.Scalar](t *testing.T, n int, seed uint64) {
	name := fmt.Sprintf("%T, n = %d, seed %d", *new(T), n, seed)
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	r, _ := solve(t, name, a, b)
	selected := make([]bool, n)
	for k := range selected {
		selected[k] = rng.IntN(2) == 0
	}
	var first, second []int
	for k := range n {
		isPair := !dense.IsComplex[T]() && imag(r.alpha[k]) != 0
		other := k
		if isPair && imag(r.alpha[k]) > 0 {
			other = k + 1
		} else if isPair {
			other = k - 1
		}
		if selected[k] || selected[other] {
			first = append(first, k)
		} else {
			second = append(second, k)
		}
	}
	alpha, beta := append([]complex128{}, r.alpha...), append([]float64{}, r.beta...)
	count, err := Order(r.form(), selected, Options{})
	if err != nil || count != len(first) {
		t.Errorf("%s: %d selected, want %d: %v", name, count, len(first), err)
		return
	}
	checkForm(t, name, a, b, r, true)
	for i, k := range append(first, second...) {
		// The condition of an eigenvalue of such a matrix may be some hundreds.
		if d := chordal(alpha[k], beta[k], r.alpha[i], r.beta[i]); !(d <= 1e4*float64(n)*dense.Eps[T]()) {
			t.Errorf("%s: eigenvalue %d became number %d and is off by %g", name, k, i, d)
		}
	}
}

// Close complex pairs in badly scaled blocks with a huge coupling: some are swapped and some are rejected, and in both
// cases the result is a form of the same pair.
func TestOrderOfCloseEigenvalues(t *testing.T) {
	rejected, done := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		gap, size := math.Pow(10, -16*rng.Float64()), math.Pow(10, 16*rng.Float64()-4)
		coupling := func() float64 { return size * rng.NormFloat64() }
		s := dense.FromRows([]float64{1, 1, coupling(), coupling()}, []float64{-1, 1, coupling(), coupling()},
			[]float64{0, 0, 1 + gap, size}, []float64{0, 0, -1 / size, 1 + gap})
		r := newResult[float64](4)
		r.s.CopyFrom(s)
		for _, m := range []dense.Matrix[float64]{r.p, r.q, r.z} {
			m.SetIdentity()
		}
		unit := r.p.Clone()
		count, err := Order(r.form(), []bool{false, false, true, true}, Options{})
		var e *OrderError
		switch {
		case err == nil && count == 2:
			done++
		case errors.As(err, &e) && e.Row == 0 && count == 0:
			rejected++
		default:
			t.Errorf("seed %d: %d selected: %v", seed, count, err)
		}
		checkForm(t, fmt.Sprintf("seed %d", seed), s, unit, r, true)
	}
	if rejected == 0 || done == 0 {
		t.Errorf("%d pairs were interchanged, %d rejected", done, rejected)
	}
}

func TestOrderChecksItsArguments(t *testing.T) {
	valid := func() (*result[float64], []bool) {
		rng := rand.New(rand.NewPCG(1, 2))
		r, _ := solve(t, "valid", numtest.Random[float64](rng, 4, 4), numtest.Random[float64](rng, 4, 4))
		return r, make([]bool, 4)
	}
	r, selected := valid()
	if _, err := Order(r.form(), selected[:3], Options{}); !isArgument(err, "selected") {
		t.Errorf("selected: got %v", err)
	}
	r.s.Set(3, 0, 1)
	if _, err := Order(r.form(), selected, Options{}); !isArgument(err, "s") {
		t.Errorf("a full S: got %v", err)
	}
	r, selected = valid()
	r.p.Set(3, 2, 1)
	if _, err := Order(r.form(), selected, Options{}); !isArgument(err, "p") {
		t.Errorf("a P that is not triangular: got %v", err)
	}
	r, selected = valid()
	for i := range 3 {
		r.s.Set(i+1, i, 1)
	}
	if _, err := Order(r.form(), selected, Options{}); !isArgument(err, "s") {
		t.Errorf("blocks that overlap: got %v", err)
	}
	r, selected = valid()
	r.s.Set(1, 0, math.NaN())
	if _, err := Order(r.form(), selected, Options{}); !isArgument(err, "s") {
		t.Errorf("a NaN: got %v", err)
	}
}

// A block with real eigenvalues, which rounding to single precision may produce, is split before anything moves.
func TestOrderSplitsBlocksOfRealEigenvalues(t *testing.T) {
	s := dense.FromRows([]float64{1, 2, 3}, []float64{1, 1, 5}, []float64{0, 0, 4})
	p := dense.FromRows([]float64{2, 0, 1}, []float64{0, 1, 1}, []float64{0, 0, 1})
	r := newResult[float64](3)
	r.s.CopyFrom(s)
	r.p.CopyFrom(p)
	r.q.SetIdentity()
	r.z.SetIdentity()
	if count, err := Order(r.form(), []bool{false, false, true}, Options{}); err != nil || count != 1 {
		t.Fatalf("%d selected: %v", count, err)
	}
	checkForm(t, "split", s, p, r, true)
	if d := chordal(r.alpha[0], r.beta[0], 4, 1); d > 64*dense.EpsDouble {
		t.Errorf("the selected eigenvalue is %v/%v, want 4", r.alpha[0], r.beta[0])
	}
}
