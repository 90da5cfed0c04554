package qz

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// Random forms with infinite, zero and finite eigenvalues and complex pairs in any order are reordered by random
// selections. The numbers of exact zeros among the selected alphas and betas, and among the others, must not change.
func TestOrderKeepsExactZeros(t *testing.T) {
	for seed := range uint64(400) {
		zerosStay[float32](t, seed)
		zerosStay[float64](t, seed)
		zerosStay[complex64](t, seed)
		zerosStay[complex128](t, seed)
	}
}

// formWithZeros returns a random generalized Schur form with identities as Q and Z. Its elements have many sizes.
func formWithZeros[T dense.Scalar](rng *rand.Rand, n int) *result[T] {
	r := newResult[T](n)
	for _, m := range []dense.Matrix[T]{r.s, r.p} {
		m.CopyFrom(numtest.Random[T](rng, n, n))
		for i := range n {
			for j := range n {
				switch size := rng.IntN(8); {
				case j < i || size == 0:
					m.Set(i, j, 0)
				case size < 3:
					m.Set(i, j, m.At(i, j)*dense.FromReal[T](1e-6))
				}
			}
		}
	}
	r.q.SetIdentity()
	r.z.SetIdentity()
	for k := 0; k < n; k++ {
		// The diagonal of P is positive, and there is no eigenvalue 0/0.
		r.p.Set(k, k, dense.FromReal[T](rng.Float64()+0.1))
		r.s.Set(k, k, r.s.At(k, k)+dense.FromReal[T](2))
		switch kind := rng.IntN(6); {
		case kind == 0:
			r.p.Set(k, k, 0)
		case kind == 1:
			r.s.Set(k, k, 0)
		case kind < 4 && k+1 < n && !dense.IsComplex[T]():
			x := r.s.At(k, k)
			r.s.Set(k+1, k+1, x)
			r.s.Set(k, k+1, x)
			r.s.Set(k+1, k, -x)
			r.p.Set(k, k+1, 0)
			r.p.Set(k+1, k+1, r.p.At(k, k))
			k++
		}
	}
	return r
}

func zerosStay[T dense.Scalar](t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 55))
	n := 2 + rng.IntN(6)
	name := fmt.Sprintf("%T, n = %d, seed %d", *new(T), n, seed)
	r := formWithZeros[T](rng, n)
	a, b := r.s.Clone(), r.p.Clone()
	if _, err := Order(r.form(), make([]bool, n), Options{}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	selected := make([]bool, n)
	for k := range selected {
		selected[k] = rng.IntN(2) == 0
		if k > 0 && !dense.IsComplex[T]() && imag(r.alpha[k]) < 0 {
			selected[k] = selected[k-1]
		}
	}
	var infinite, zero [2]int
	number := 0
	for k, chosen := range selected {
		group := 1
		if chosen {
			group = 0
			number++
		}
		if r.beta[k] == 0 {
			infinite[group]++
		}
		if r.alpha[k] == 0 {
			zero[group]++
		}
	}
	if _, err := Order(r.form(), selected, Options{}); err != nil {
		return // eigenvalues that are too close
	}
	checkForm(t, name, a, b, r, true)
	for k := range n {
		group := 1
		if k < number {
			group = 0
		}
		if r.beta[k] == 0 {
			infinite[group]--
		}
		if r.alpha[k] == 0 {
			zero[group]--
		}
	}
	if infinite != [2]int{} || zero != [2]int{} {
		t.Errorf("%s: lost %v infinite and %v zero eigenvalues (selected, others)", name, infinite, zero)
	}
}
