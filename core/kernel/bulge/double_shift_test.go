package bulge

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// randomReflectors returns reflectors, some of them the identity. Nothing asks them to be orthogonal.
func randomReflectors[T kernel.Float](rng *rand.Rand, n int) []Householder3[T] {
	r := make([]Householder3[T], n)
	for k := range r {
		v1, v2 := rng.NormFloat64(), rng.NormFloat64()
		tau := 2 / (1 + v1*v1 + v2*v2)
		if rng.IntN(7) > 0 {
			r[k] = Householder3[T]{V1: T(v1), V2: T(v2), T0: T(tau), T1: T(tau * v1), T2: T(tau * v2)}
		}
	}
	if n > 0 && rng.IntN(2) == 0 {
		r[n-1].V2, r[n-1].T2 = 0, 0
	}
	return r
}

// placeMatrix places rows x cols random numbers among NaNs and returns them with their stride.
func placeMatrix[T kernel.Float](rng *rand.Rand, m kerneltest.Arena[T], rows, cols int) (a []T, stride int) {
	const padding = 5
	stride = cols + rng.IntN(padding)
	a = m.Place(rng, (rows-1)*stride+cols)
	for i := range a {
		a[i] = T(math.NaN())
		if i%stride < cols {
			a[i] = T(rng.NormFloat64())
		}
	}
	return a, stride
}

// requireClose fails unless the elements of got are those of want up to rounding errors of so many operations on
// numbers of size 1, and are NaN where those are.
func requireClose[T kernel.Float](t *testing.T, got, want []T, operations float64) {
	t.Helper()
	limit := operations * kerneltest.Epsilon[T]()
	for i := range want {
		if !(math.Abs(float64(got[i]-want[i])) <= limit) && !(got[i] != got[i] && want[i] != want[i]) {
			t.Fatalf("element %d is %v, not %v", i, got[i], want[i])
		}
	}
}

// roundings is the number of rounding errors that numbers of the size of a few may have got after n reflectors.
func roundings(n int) float64 { return 30 * float64(n+1) }

func TestReflectRows(t *testing.T) {
	kerneltest.ForSets(t, testReflectRows[float32], testReflectRows[float64])
}

func testReflectRows[T kernel.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(21, uint64(s)))
	arena := kerneltest.NewArena[T](t)
	for range 2000 {
		n, cols := 1+rng.IntN(20), 1+rng.IntN(100)
		reflectors := randomReflectors[T](rng, n)
		a, stride := placeMatrix(rng, arena, reflected(reflectors), cols)
		want, parts := slices.Clone(a), slices.Clone(a)
		ReflectRows(kernel.Go, reflectors, want, stride, cols)
		ReflectRows(s, reflectors, a, stride, cols)
		requireClose(t, a, want, roundings(n))
		cut := rng.IntN(cols + 1)
		ReflectRows(s, reflectors, parts, stride, cut)
		ReflectRows(s, reflectors, parts[cut:], stride, cols-cut)
		requireClose(t, parts, a, 0)
	}
}

func TestReflectColumns(t *testing.T) {
	kerneltest.ForSets(t, testReflectColumns[float32], testReflectColumns[float64])
}

func testReflectColumns[T kernel.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(22, uint64(s)))
	arena := kerneltest.NewArena[T](t)
	for trial := range 1000 {
		n, staggered := 1+trial%40, rng.IntN(2) == 0
		groups := 1 + rng.IntN(10)
		if staggered {
			groups = 1 + rng.IntN((n+SweepRows(s)-1)/SweepRows(s))
		}
		reflectors := randomReflectors[T](rng, n)
		a, stride := placeMatrix(rng, arena, groups*SweepRows(s), reflected(reflectors))
		want := slices.Clone(a)
		for i := range groups * SweepRows(s) { // with one row for a column, the definition of ReflectRows
			from := 0
			if staggered {
				from = i / SweepRows(s) * SweepRows(s)
			}
			ReflectRows(kernel.Go, reflectors[from:], want[i*stride+from:], 1, 1)
		}
		ReflectColumns(s, reflectors, a, stride, groups, staggered)
		requireClose(t, a, want, roundings(n))
	}
}

func TestChase(t *testing.T) { kerneltest.ForSets(t, testChase[float32], testChase[float64]) }

// testChase places a matrix that has a bulge below its subdiagonal, and another one. All that a chase does not name is
// NaN, and some elements that make it end.
func testChase[T kernel.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(23, uint64(s)))
	arena, other := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	for range 3000 {
		top, steps := rng.IntN(12), 2+rng.IntN(20)
		c := DoubleShiftChase[T]{First: top - 1 + rng.IntN(20), Top: top}
		if c.First < top || rng.IntN(2) == 0 {
			c.Start = &[3]T{T(rng.NormFloat64()), T(rng.NormFloat64()), T(rng.NormFloat64())}
		}
		c.Last = c.First + steps + 1 + rng.IntN(5)
		c.End = min(c.First+steps+3, c.Last+1) + rng.IntN(40)
		c.A, c.Stride = placeMatrix(rng, arena, min(c.First+steps+4, c.Last+1), c.End)
		for i := range c.A {
			row, col := i/c.Stride, i%c.Stride
			if row < c.Top || row > c.First+4 && col < row-1 || row > c.First && (col < c.First || col == c.First &&
				c.Start != nil) {
				c.A[i] = T(math.NaN())
			}
			if row > c.First+3 && row > col+1 && col > c.First {
				c.A[i] = 0
			}
		}
		c.OtherCols = rng.IntN(c.Stride + 1)
		c.Other = other.Place(rng, min(c.First+steps+2, c.Last)*c.Stride+c.OtherCols)
		for i := range c.Other {
			c.Other[i] = T(math.NaN())
			if i/c.Stride > c.First && i%c.Stride < c.OtherCols {
				c.Other[i] = T(rng.NormFloat64())
			}
		}
		possible := steps
		if k := c.First + 1 + rng.IntN(steps-1); k+3 <= c.Last && rng.IntN(3) == 0 {
			possible = k - c.First
			c.A[(k+3)*c.Stride+k+2] = T(math.NaN()) // gets into column k
		}
		c.Reflectors = make([]Householder3[T], steps)
		want := c
		want.A, want.Other, want.Reflectors = slices.Clone(c.A), slices.Clone(c.Other), slices.Clone(c.Reflectors)
		for i := range possible {
			if !want.step(want.First+i, SweepRows(s), &want.Reflectors[i]) {
				t.Fatalf("the reflector of step %d is not safe", i)
			}
		}
		if c.OtherCols > 0 {
			ReflectRows(kernel.Go, want.Reflectors[:possible], want.Other[(c.First+1)*c.Stride:], c.Stride, c.OtherCols)
		}
		if done := c.Run(s); done != possible {
			t.Fatalf("%d steps done of %d", done, possible)
		}
		requireClose(t, c.A, want.A, 100*roundings(steps))
		requireClose(t, c.Other, want.Other, 1000*roundings(steps))
		for i, r := range c.Reflectors[:possible] {
			w := want.Reflectors[i]
			requireClose(t, []T{r.V1, r.V2, r.T0, r.T1, r.T2}, []T{w.V1, w.V2, w.T0, w.T1, w.T2}, 1000*roundings(steps))
		}
	}
}

func TestChaseStops(t *testing.T) {
	kerneltest.ForSets(t, testChaseStops[float32], testChaseStops[float64])
}

// testChaseStops asks for an end before columns that need care, and that nothing of them has changed.
func testChaseStops[T kernel.Float](t *testing.T, s kernel.Set) {
	const n = 12
	for name, column := range map[string][3]T{
		"nothing to eliminate": {1, 0, 0}, "zero": {}, "infinite": {1, T(math.Inf(1)), 1}, "not a number": {1, 1,
			T(math.NaN())},
		"squares underflow": {safeRoot[T](-1), safeRoot[T](-1), 0}, "squares overflow": {safeRoot[T](1), 1, 1},
	} {
		a := make([]T, n*n)
		for k, x := range column {
			a[(k+1)*n] = x
		}
		before := slices.Clone(a)
		for _, start := range []*[3]T{nil, &column} {
			c := DoubleShiftChase[T]{A: a, Stride: n, Last: n - 1, End: n, Start: start,
				Reflectors: make([]Householder3[T], 3)}
			if done := c.Run(s); done != 0 {
				t.Errorf("%s: %d steps", name, done)
			}
			if !bytes.Equal(kerneltest.BitsOf(a), kerneltest.BitsOf(before)) {
				t.Errorf("%s: the matrix was changed", name)
			}
		}
	}
}

// safeRoot returns a number whose square is too large for sign 1 and too small for -1.
func safeRoot[T kernel.Float](sign int) T {
	least, most := safeSquares[T]()
	if sign > 0 {
		return T(2 * math.Sqrt(float64(most)))
	}
	return T(math.Sqrt(float64(least)) / 2)
}
