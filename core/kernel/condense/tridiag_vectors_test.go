package condense

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// reflectionCase holds the operands of the passes over vectors. Behind each vector there may be NaNs, which stay.
type reflectionCase[E kernel.Scalar] struct {
	s       kernel.Set
	z, v, w []E // n elements and perhaps more
	n       int
	c, d    E
}

func (k *reflectionCase[E]) vectors() (z, v, w []E) { return k.z[:k.n], k.v[:k.n], k.w[:k.n] }

func forReflections(t *testing.T, single func(*testing.T, *rand.Rand, *reflectionCase[float32]),
	double func(*testing.T, *rand.Rand, *reflectionCase[float64]),

	singleComplex func(*testing.T, *rand.Rand, *reflectionCase[complex64]), doubleComplex func(*testing.T, *rand.Rand,
		*reflectionCase[complex128])) {
	t.Run("float32", func(t *testing.T) { eachReflection(t, single) })
	t.Run("float64", func(t *testing.T) { eachReflection(t, double) })
	t.Run("complex64", func(t *testing.T) { eachReflection(t, singleComplex) })
	t.Run("complex128", func(t *testing.T) { eachReflection(t, doubleComplex) })
}

// eachReflection runs test with random operands for all sets.
func eachReflection[E kernel.Scalar](t *testing.T, test func(*testing.T, *rand.Rand, *reflectionCase[E])) {
	const mostGroups, padding, repetitions = 14, 4, 5
	m := newReductionArenas(t)
	group := LineElements[E]()
	for _, s := range kernel.Sets() {
		rng := rand.New(rand.NewPCG(71, uint64(s)))
		for n := group; n <= mostGroups*group; n += group {
			for range repetitions {
				vector := func(a kerneltest.Arena[float32]) []E {
					return kerneltest.PlaceIn[E](rng, a,
						n+rng.IntN(padding), n)
				}
				scalar := func() E { return kerneltest.ElementOf[E](complex(rng.NormFloat64(), rng.NormFloat64())) }
				test(t, rng, &reflectionCase[E]{s: s, z: vector(m.a), v: vector(m.v), w: vector(m.w), n: n, c: scalar(),
					d: scalar()})
			}
		}
	}
}

// unchanged fails the test unless x is as before from element n on.
func unchanged[E kernel.Scalar](t *testing.T, name string, before, x []E, n int) {
	t.Helper()
	for j := n; j < len(x); j++ {
		if !kerneltest.SameElement(before[j], x[j]) {
			t.Fatalf("%s[%d] changed from %v to %v", name, j, before[j], x[j])
		}
	}
}

func TestUpdateRow(t *testing.T) {
	forReflections(t, testUpdateRow[float32], testUpdateRow[float64], testUpdateRow[complex64],
		testUpdateRow[complex128])
}

func testUpdateRow[E kernel.Scalar](t *testing.T, rng *rand.Rand, k *reflectionCase[E]) {
	z, v, w := k.vectors()
	before := k.copied()
	i, count := rng.IntN(k.n), rng.IntN(k.n+1)
	squares := UpdateRow(k.s, z, v, w, i, count)
	k.checkUpdate(t, before, i, count, squares, 0)
}

func (k *reflectionCase[E]) copied() *reflectionCase[E] {
	c := *k
	c.z, c.v, c.w = slices.Clone(k.z), slices.Clone(k.v), slices.Clone(k.w)
	return &c
}

// checkUpdate fails the test unless k is what UpdateRow makes of the operands before, whose w_i is known within slack,
// and squares its result.
func (k *reflectionCase[E]) checkUpdate(t *testing.T, before *reflectionCase[E], i, count int, squares, slack float64) {
	t.Helper()
	const products = 4 // of real numbers in a part of an element
	var sum kerneltest.LongSum
	for j := range k.n {
		var want kerneltest.LongComplex
		want.Add(1, kerneltest.ComplexOf(before.z[j]), true)
		want.Add(-kerneltest.ComplexOf(before.w[j]), kerneltest.ComplexOf(before.v[i]), true)
		want.Add(-kerneltest.ComplexOf(before.v[j]), kerneltest.ComplexOf(before.w[i]), true)
		for _, part := range []*kerneltest.LongSum{&want.Re, &want.Im} {
			part.Size += slack * cmplx.Abs(kerneltest.ComplexOf(before.v[j])) / kerneltest.EpsilonOf[E]()
		}
		got := kerneltest.ComplexOf(k.z[j])
		if err := want.Check(got, kerneltest.EpsilonOf[E](), products); err != nil {
			t.Fatalf("%s: element %d of %d: %v", k.s, j, k.n, err)
		}
		if j < count {
			sum.Add(real(got), real(got))
			sum.Add(imag(got), imag(got))
		}
	}
	if err := sum.Check(squares, kerneltest.EpsilonOf[E](), 2*count); err != nil {
		t.Fatalf("%s: squares of %d of %d: %v", k.s, count, k.n, err)
	}
	before.v[i], before.w[i] = 0, 0
	unchanged(t, "z", before.z, k.z, k.n)
	unchanged(t, "v", before.v, k.v, 0)
	unchanged(t, "w", before.w, k.w, 0)
}

func TestScaleTo(t *testing.T) {
	forReflections(t, testScaleTo[float32], testScaleTo[float64], testScaleTo[complex64], testScaleTo[complex128])
}

func testScaleTo[E kernel.Scalar](t *testing.T, _ *rand.Rand, k *reflectionCase[E]) {
	z, v, w := k.vectors()
	before := k.copied()
	ScaleTo(k.s, k.c, z, v, w)
	for j := range z {
		var want kerneltest.LongComplex
		want.Add(kerneltest.ComplexOf(k.c), kerneltest.ComplexOf(before.z[j]), false)
		if err := want.Check(kerneltest.ComplexOf(z[j]), kerneltest.EpsilonOf[E](), 2); err != nil {
			t.Fatalf("%s: element %d of %d: %v", k.s, j, k.n, err)
		}
		if !kerneltest.SameElement(z[j], v[j]) || w[j] != 0 {
			t.Fatalf("%s: element %d of %d is %v in z, %v in v, and %v in y", k.s, j, k.n, z[j], v[j], w[j])
		}
	}
	unchanged(t, "z", before.z, k.z, k.n)
	unchanged(t, "v", before.v, k.v, k.n)
	unchanged(t, "y", before.w, k.w, k.n)
}

func TestAdvance(t *testing.T) {
	forReflections(t, testAdvance[float32], testAdvance[float64], testAdvance[complex64], testAdvance[complex128])
}

func testAdvance[E kernel.Scalar](t *testing.T, rng *rand.Rand, k *reflectionCase[E]) {
	z, v, w := k.vectors()
	before := k.copied()
	d, _ := vec.Parts(k.d)
	i, count := rng.IntN(k.n), rng.IntN(k.n+1)
	squares := Advance(k.s, k.c, d, z, v, w, i, count)
	var product kerneltest.LongSum
	for j := range k.n {
		x, y := kerneltest.ComplexOf(before.w[j]), kerneltest.ComplexOf(before.v[j])
		product.Add(real(x), real(y))
		product.Add(imag(x), imag(y))
	}
	// The error of the product counts wherever it is used, whatever cancels there.
	factor, eps := d*(product.High+product.Low), kerneltest.EpsilonOf[E]()
	slack := float64(2*k.n+4) * eps * math.Abs(d) * product.Size
	made, slackOfRow := before.copied(), 0.0 // with the new w
	for j := range k.n {
		c, x, y := kerneltest.ComplexOf(k.c), kerneltest.ComplexOf(before.w[j]), kerneltest.ComplexOf(before.v[j])
		want := c*x + complex(factor, 0)*y
		limit := slack*cmplx.Abs(y) + 8*eps*(cmplx.Abs(c)*cmplx.Abs(x)+math.Abs(factor)*cmplx.Abs(y))
		made.w[j] = w[j]
		if j == i { // cleared since
			made.w[j], slackOfRow = kerneltest.ElementOf[E](want), limit+eps*cmplx.Abs(want)
		} else if got := kerneltest.ComplexOf(w[j]); !(cmplx.Abs(got-want) <= limit) {
			t.Fatalf("%s: element %d of %d is %v, want %v within %.1g", k.s, j, k.n, got, want, limit)
		}
	}
	k.checkUpdate(t, made, i, count, squares, slackOfRow)
}

func TestReflectionVectorsOfOtherLengthsAreRefused(t *testing.T) {
	long, short, odd := make([]float64, 16), make([]float64, 8), make([]float64, 9)
	for _, s := range kernel.Sets() {
		for name, call := range map[string]func(){
			"UpdateRow, short w":  func() { UpdateRow(s, long, long, short, 1, 1) },
			"UpdateRow, short v":  func() { UpdateRow(s, long, short, long, 1, 1) },
			"UpdateRow, count":    func() { UpdateRow(s, short, short, short, 1, 9) },
			"UpdateRow, negative": func() { UpdateRow(s, short, short, short, 1, -1) },
			"UpdateRow, row":      func() { UpdateRow(s, short, short, short, 8, 1) },
			"UpdateRow, odd":      func() { UpdateRow(s, odd, odd, odd, 1, 1) },
			"ScaleTo, short v":    func() { ScaleTo(s, 1, long, short, long) },
			"ScaleTo, short y":    func() { ScaleTo(s, 1, long, long, short) },
			"ScaleTo, odd":        func() { ScaleTo(s, 1, odd, odd, odd) },
			"Advance, short v":    func() { Advance(s, 1, 1, long, short, long, 1, 1) },
			"Advance, negative":   func() { Advance(s, 1, 1, long, long, long, -1, 1) },
			"Advance, odd":        func() { Advance(s, 1, 1, odd, odd, odd, 1, 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: accepted", s, name)
					}
				}()
				call()
			}()
		}
	}
}
