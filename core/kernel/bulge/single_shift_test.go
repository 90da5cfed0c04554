package bulge

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

// forComplexSets runs the test of both complex types for all sets; their names are those of the real types.
func forComplexSets(t *testing.T, single, double func(*testing.T, kernel.Set)) {
	kerneltest.ForSets(t, single, double)
}

// randomTwoRows returns reflectors, some of them the identity.
func randomTwoRows[C kernel.Complex](rng *rand.Rand, n int) []Householder2[C] {
	r := make([]Householder2[C], n)
	for k := range r {
		v := complex(rng.NormFloat64(), rng.NormFloat64())
		tau := 2 / (1 + vec.AbsSquared(v))
		if rng.IntN(7) > 0 {
			r[k] = Householder2[C]{V: kerneltest.ElementOf[C](v), T1: kerneltest.ElementOf[C](complex(tau, 0) * v),
				T0: kerneltest.ElementOf[C](complex(tau, 0))}
		}
	}
	return r
}

// placeComplex places rows x cols random numbers among NaNs and returns them with their stride.
func placeComplex[C kernel.Complex](rng *rand.Rand, m kerneltest.Arena[float32], rows, cols int) (a []C, stride int) {
	const padding = 5
	stride = cols + rng.IntN(padding)
	n := (rows-1)*stride + cols
	a = kerneltest.PlaceIn[C](rng, m, n, n)
	for i := range a {
		if i%stride >= cols {
			a[i] = kerneltest.ElementOf[C](complex(math.NaN(), math.NaN()))
		}
	}
	return a, stride
}

// requireNear fails unless the elements of got are those of want up to rounding errors of so many operations on numbers
// of size 1, and are NaN where those are.
func requireNear[C kernel.Complex](t *testing.T, got, want []C, operations float64) {
	t.Helper()
	limit := operations * kerneltest.EpsilonOf[C]()
	for i := range want {
		re, im := vec.Parts(got[i] - want[i])
		bothNaN := cmplx.IsNaN(kerneltest.ComplexOf(got[i])) && cmplx.IsNaN(kerneltest.ComplexOf(want[i]))
		if got[i] != want[i] && !(math.Hypot(re, im) <= limit) && !bothNaN {
			t.Fatalf("element %d is %v, not %v", i, got[i], want[i])
		}
	}
}

func TestReflectTwoRows(t *testing.T) {
	forComplexSets(t, testReflectTwoRows[complex64], testReflectTwoRows[complex128])
}

func testReflectTwoRows[C kernel.Complex](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(31, uint64(s)))
	arena := kerneltest.NewArena[float32](t)
	for range 2000 {
		n, cols, columns := 1+rng.IntN(20), 1+rng.IntN(60), rng.IntN(2) == 0
		reflectors := randomTwoRows[C](rng, n)
		a, stride := placeComplex[C](rng, arena, n+1, cols)
		want, parts := slices.Clone(a), slices.Clone(a)
		ReflectRowPairs(kernel.Go, reflectors, columns, want, stride, cols)
		ReflectRowPairs(s, reflectors, columns, a, stride, cols)
		requireNear(t, a, want, roundings(n))
		cut := rng.IntN(cols + 1)
		ReflectRowPairs(s, reflectors, columns, parts, stride, cut)
		ReflectRowPairs(s, reflectors, columns, parts[cut:], stride, cols-cut)
		requireNear(t, parts, a, 0)
	}
}

// TestReflectorsOfTwoRowsAreUnitary compares the twin with the definition I - tau v v^H.
func TestReflectorsOfTwoRowsAreUnitary(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	r := Householder2[complex128]{}
	for r.T0 == 0 {
		r = randomTwoRows[complex128](rng, 1)[0]
	}
	v := [2]complex128{1, r.V}
	for j := range 2 {
		var unit, column [2]complex128
		unit[j] = 1
		column[0], column[1] = r.reflect(unit[0], unit[1])
		for i := range 2 {
			limit := math.Pow(8*kerneltest.Epsilon[float64](), 2)
			if want := unit[i] - r.T0*v[i]*vec.Conj(v[j]); !(vec.AbsSquared(column[i]-want) <= limit) {
				t.Errorf("element (%d,%d) is %v, not %v", i, j, column[i], want)
			}
		}
	}
}

func TestBulge(t *testing.T) { forComplexSets(t, testBulge[complex64], testBulge[complex128]) }

// testBulge places a matrix that has a bulge below its subdiagonal. All that a bulge does not name is NaN.
func testBulge[C kernel.Complex](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(33, uint64(s)))
	arena := kerneltest.NewArena[float32](t)
	for range 3000 {
		top, steps := rng.IntN(12), 1+rng.IntN(20)
		b := SingleShiftChase[C]{First: top - 1 + rng.IntN(20), Top: top}
		if rng.IntN(2) == 0 {
			b.Start = &[2]C{kerneltest.ElementOf[C](complex(rng.NormFloat64(), 1)),
				kerneltest.ElementOf[C](complex(1, rng.NormFloat64()))}
		} else {
			b.First++
		}
		b.Last = b.First + steps + 1 + rng.IntN(4)
		b.End = b.First + steps + 2 + rng.IntN(30)
		b.A, b.Stride = placeComplex[C](rng, arena, min(b.First+steps+3, b.Last+1), b.End)
		for i := range b.A {
			row, col := i/b.Stride, i%b.Stride
			if row < b.Top || row > b.First+2 && col < row-1 || row > b.First && (col < b.First || col == b.First &&
				b.Start != nil) {
				b.A[i] = kerneltest.ElementOf[C](complex(math.NaN(), math.NaN()))
			}
			if row > b.First+2 && row > col+1 && col > b.First {
				b.A[i] = 0
			}
		}
		b.Reflectors = make([]Householder2[C], steps)
		want := b
		want.A, want.Reflectors = slices.Clone(b.A), slices.Clone(b.Reflectors)
		if done := want.Run(kernel.Go); done != steps {
			t.Fatalf("the reflector of step %d is not safe", done)
		}
		if done := b.Run(s); done != steps {
			t.Fatalf("%d steps done of %d", done, steps)
		}
		requireNear(t, b.A, want.A, 1000*roundings(steps))
		for i, r := range b.Reflectors {
			w := want.Reflectors[i]
			requireNear(t, []C{r.V, r.T1, r.T0}, []C{w.V, w.T1, w.T0}, 10000*roundings(steps))
		}
	}
}

func TestBulgeStops(t *testing.T) {
	forComplexSets(t, testBulgeStops[complex64], testBulgeStops[complex128])
}

// testBulgeStops asks for an end before columns that need care, and that nothing of them has changed.
func testBulgeStops[C kernel.Complex](t *testing.T, s kernel.Set) {
	const n = 12
	least, most := safeModuli[C]()
	small, large := complex(math.Sqrt(least)/2, 0), complex(0, 2*math.Sqrt(most))
	for name, column := range map[string][2]complex128{
		"nothing to eliminate": {1, 0}, "zero": {}, "no modulus": {0, 1}, "infinite": {1,
			complex(math.Inf(1), 0)}, "not a number": {1, complex(0, math.NaN())},
		"first is not a number": {complex(math.NaN(), 0), 1}, "squares underflow": {small, 1}, "squares overflow": {1,
			large},
	} {
		a := make([]C, n*n)
		for k, x := range column {
			a[(k+1)*n] = kerneltest.ElementOf[C](x)
		}
		before := slices.Clone(a)
		b := SingleShiftChase[C]{A: a, Stride: n, Last: n - 1, End: n, Reflectors: make([]Householder2[C], 3)}
		if done := b.Run(s); done != 0 {
			t.Errorf("%s: %d steps", name, done)
		}
		requireNear(t, a, before, 0)
	}
}
