package kernel

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
)

// reflectionCase holds the operands of the passes over vectors. Behind each vector there may be NaNs, which stay.
type reflectionCase[E Scalar] struct {
	s       Set
	z, v, w []E // n elements and perhaps more
	n       int
	c, d    E
}

func (k *reflectionCase[E]) vectors() (z, v, w []E) { return k.z[:k.n], k.v[:k.n], k.w[:k.n] }

func forReflections(t *testing.T, single func(*testing.T, *rand.Rand, *reflectionCase[float32]), double func(*testing.T, *rand.Rand, *reflectionCase[float64]),
	singleComplex func(*testing.T, *rand.Rand, *reflectionCase[complex64]), doubleComplex func(*testing.T, *rand.Rand, *reflectionCase[complex128])) {
	t.Run("float32", func(t *testing.T) { eachReflection(t, single) })
	t.Run("float64", func(t *testing.T) { eachReflection(t, double) })
	t.Run("complex64", func(t *testing.T) { eachReflection(t, singleComplex) })
	t.Run("complex128", func(t *testing.T) { eachReflection(t, doubleComplex) })
}

// eachReflection runs test with random operands for all sets.
func eachReflection[E Scalar](t *testing.T, test func(*testing.T, *rand.Rand, *reflectionCase[E])) {
	const mostGroups, padding, repetitions = 14, 4, 5
	m := newReductionArenas(t)
	group := ReductionColumns[E]()
	for _, s := range Sets() {
		rng := rand.New(rand.NewPCG(71, uint64(s)))
		for n := group; n <= mostGroups*group; n += group {
			for range repetitions {
				vector := func(a arena[float32]) []E { return placeIn[E](rng, a, n+rng.IntN(padding), n) }
				scalar := func() E { return elementOf[E](complex(rng.NormFloat64(), rng.NormFloat64())) }
				test(t, rng, &reflectionCase[E]{s: s, z: vector(m.a), v: vector(m.v), w: vector(m.w), n: n, c: scalar(), d: scalar()})
			}
		}
	}
}

// unchanged fails the test unless x is as before from element n on.
func unchanged[E Scalar](t *testing.T, name string, before, x []E, n int) {
	t.Helper()
	for j := n; j < len(x); j++ {
		if !sameElement(before[j], x[j]) {
			t.Fatalf("%s[%d] changed from %v to %v", name, j, before[j], x[j])
		}
	}
}

func TestUpdateRow(t *testing.T) {
	forReflections(t, testUpdateRow[float32], testUpdateRow[float64], testUpdateRow[complex64], testUpdateRow[complex128])
}

func testUpdateRow[E Scalar](t *testing.T, rng *rand.Rand, k *reflectionCase[E]) {
	const products = 4 // of real numbers in a part of an element
	z, v, w := k.vectors()
	before, beforeV, beforeW := slices.Clone(k.z), slices.Clone(k.v), slices.Clone(k.w)
	count := rng.IntN(k.n + 1)
	squares := UpdateRow(k.s, z, k.c, w, k.d, v, count)
	var sum longSum
	for j := range z {
		var want longComplex
		want.add(1, complexOf(before[j]), true)
		want.add(-complexOf(beforeW[j]), complexOf(k.c), true)
		want.add(-complexOf(beforeV[j]), complexOf(k.d), true)
		got := complexOf(z[j])
		if err := want.check(got, epsilonOf[E](), products); err != nil {
			t.Fatalf("%s: element %d of %d: %v", k.s, j, k.n, err)
		}
		if j < count {
			sum.add(real(got), real(got))
			sum.add(imag(got), imag(got))
		}
	}
	if err := sum.check(squares, epsilonOf[E](), 2*count); err != nil {
		t.Fatalf("%s: squares of %d of %d: %v", k.s, count, k.n, err)
	}
	unchanged(t, "z", before, k.z, k.n)
	unchanged(t, "v", beforeV, k.v, 0)
	unchanged(t, "w", beforeW, k.w, 0)
}

func TestScaleTo(t *testing.T) {
	forReflections(t, testScaleTo[float32], testScaleTo[float64], testScaleTo[complex64], testScaleTo[complex128])
}

func testScaleTo[E Scalar](t *testing.T, _ *rand.Rand, k *reflectionCase[E]) {
	z, v, _ := k.vectors()
	before, beforeV := slices.Clone(k.z), slices.Clone(k.v)
	ScaleTo(k.s, k.c, z, v)
	for j := range z {
		var want longComplex
		want.add(complexOf(k.c), complexOf(before[j]), false)
		if err := want.check(complexOf(z[j]), epsilonOf[E](), 2); err != nil {
			t.Fatalf("%s: element %d of %d: %v", k.s, j, k.n, err)
		}
		if !sameElement(z[j], v[j]) {
			t.Fatalf("%s: element %d of %d is %v in z, %v in v", k.s, j, k.n, z[j], v[j])
		}
	}
	unchanged(t, "z", before, k.z, k.n)
	unchanged(t, "v", beforeV, k.v, k.n)
}

func TestCombine(t *testing.T) {
	forReflections(t, testCombine[float32], testCombine[float64], testCombine[complex64], testCombine[complex128])
}

func testCombine[E Scalar](t *testing.T, _ *rand.Rand, k *reflectionCase[E]) {
	z, v, _ := k.vectors()
	before, beforeV := slices.Clone(k.z), slices.Clone(k.v)
	d, _ := parts(k.d)
	Combine(k.s, k.c, z, d, v)
	var product longSum
	for j := range z {
		x, y := complexOf(before[j]), complexOf(v[j])
		product.add(real(x), real(y))
		product.add(imag(x), imag(y))
	}
	// The error of the product counts wherever it is used, whatever cancels there.
	factor := d * (product.high + product.low)
	slack := float64(2*k.n+4) * epsilonOf[E]() * math.Abs(d) * product.size
	for j := range z {
		c, x, y := complexOf(k.c), complexOf(before[j]), complexOf(v[j])
		want := c*x + complex(factor, 0)*y
		limit := slack*cmplx.Abs(y) + 8*epsilonOf[E]()*(cmplx.Abs(c)*cmplx.Abs(x)+math.Abs(factor)*cmplx.Abs(y))
		if got := complexOf(z[j]); !(cmplx.Abs(got-want) <= limit) {
			t.Fatalf("%s: element %d of %d is %v, want %v within %.1g", k.s, j, k.n, got, want, limit)
		}
	}
	unchanged(t, "z", before, k.z, k.n)
	unchanged(t, "v", beforeV, k.v, 0)
}

func TestReflectionVectorsOfOtherLengthsAreRefused(t *testing.T) {
	long, short, odd := make([]float64, 16), make([]float64, 8), make([]float64, 9)
	for _, s := range Sets() {
		for name, call := range map[string]func(){
			"UpdateRow, short w": func() { UpdateRow(s, long, 1, short, 1, long, 1) },
			"UpdateRow, short v": func() { UpdateRow(s, long, 1, long, 1, short, 1) },
			"UpdateRow, count":   func() { UpdateRow(s, short, 1, short, 1, short, 9) },
			"UpdateRow, odd":     func() { UpdateRow(s, odd, 1, odd, 1, odd, 1) },
			"ScaleTo, short v":   func() { ScaleTo(s, 1, long, short) },
			"ScaleTo, odd":       func() { ScaleTo(s, 1, odd, odd) },
			"Combine, short v":   func() { Combine(s, 1, long, 1, short) },
			"Combine, odd":       func() { Combine(s, 1, odd, 1, odd) },
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
