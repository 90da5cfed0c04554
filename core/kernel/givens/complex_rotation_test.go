package givens

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func randomComplexRotations[T kernel.Float](rng *rand.Rand, m kerneltest.Arena[T], n int) []ComplexRotation[T] {
	if n == 0 {
		return nil
	}
	const numbers = 4 // of a rotation
	q := unsafe.Slice((*ComplexRotation[T])(unsafe.Pointer(&m.Place(rng, numbers*n)[0])), n)
	for i := range q {
		size, c := math.Sincos(2 * math.Pi * rng.Float64())
		sine := cmplx.Rect(size, 2*math.Pi*rng.Float64())
		q[i] = NewComplexRotation(T(c), T(real(sine)), T(imag(sine)))
	}
	return q
}

func TestRotateComplex(t *testing.T) {
	kerneltest.ForSets(t, testRotateComplex[float32], testRotateComplex[float64])
}

// testRotateComplex also cuts the columns in two, which must not change a bit.
func testRotateComplex[T kernel.Float](t *testing.T, s kernel.Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(17, uint64(s)))
	rotations, matrices := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	kerneltest.ForShapes(rng, func(rows, numbers int) {
		cols := (numbers + 1) / 2
		stride, down := 2*cols+rng.IntN(padding), rng.IntN(2) == 0
		q := randomComplexRotations(rng, rotations, rows-1)
		a := kerneltest.PlaceRows(rng, matrices, rows, 2*cols, stride)
		before := slices.Clone(a)
		RotateComplex(s, q, down, a, stride, cols)
		if err := checkRotatedComplex(q, down, before, a, stride, cols); err != nil {
			t.Fatalf("%dx%d, stride %d, down %v: %v", rows, cols, stride, down, err)
		}
		if cut := rng.IntN(cols); cut > 0 {
			RotateComplex(s, q, down, before, stride, cut)
			RotateComplex(s, q, down, before[2*cut:], stride, cols-cut)
			if i := kerneltest.Differ(a, before); i >= 0 {
				t.Fatalf("%dx%d cut at column %d: element %d is %v, want %v", rows, cols, cut, i, before[i], a[i])
			}
		}
	})
}

// checkRotatedComplex compares got with the definition and allows for two rounding errors of a column's length for each
// rotation.
func checkRotatedComplex[T kernel.Float](q []ComplexRotation[T], down bool, before, got []T, stride, cols int) error {
	for at, x := range got {
		if at%stride >= 2*cols && x == x {
			return fmt.Errorf("element %d is outside and was written", at)
		}
	}
	for j := range cols {
		column, length := make([]complex128, len(q)+1), 0.0
		for i := range column {
			column[i] = complex(float64(before[i*stride+2*j]), float64(before[i*stride+2*j+1]))
			length = math.Hypot(length, cmplx.Abs(column[i]))
		}
		for k := range q {
			i := k
			if down {
				i = len(q) - 1 - k
			}
			c, s := complex(float64(q[i].C), 0), complex(float64(q[i].Re), float64(q[i].Im))
			column[i], column[i+1] = c*column[i]+s*column[i+1], c*column[i+1]-cmplx.Conj(s)*column[i]
		}
		limit := 2 * float64(len(q)+2) * kerneltest.Epsilon[T]() * length
		for i, want := range column {
			if x := complex(float64(got[i*stride+2*j]), float64(got[i*stride+2*j+1])); !(cmplx.Abs(x-want) <= limit) {
				return fmt.Errorf("element (%d,%d): %v, want %v within %.1g", i, j, x, want, limit)
			}
		}
	}
	return nil
}

func TestComplexRotationsOutsideOfMemoryAreRefused(t *testing.T) {
	kerneltest.ForSets(t, testComplexRotationsRefused[float32], testComplexRotationsRefused[float64])
}

// testComplexRotationsRefused makes a call that fits x just so, and then with an element less.
func testComplexRotationsRefused[T kernel.Float](t *testing.T, s kernel.Set) {
	q := make([]ComplexRotation[T], 2)
	call := func(x []T) { RotateComplex(s, q, false, x, 8, 4) }
	call(make([]T, 24))
	if !kerneltest.Panics(func() { call(make([]T, 23)) }) {
		t.Error("too short: accepted")
	}
	if !kerneltest.Panics(func() { RotateComplex(s, q, true, make([]T, 100), 1, 0) }) {
		t.Error("no columns: accepted")
	}
}
