package givens

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func randomRotations[T kernel.Float](rng *rand.Rand, m kerneltest.Arena[T], n int) []Rotation[T] {
	if n == 0 {
		return nil
	}
	q := unsafe.Slice((*Rotation[T])(unsafe.Pointer(&m.Place(rng, 2*n)[0])), n)
	for i := range q {
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		q[i] = Rotation[T]{C: T(c), S: T(s)}
	}
	return q
}

// rotated returns what Rotate has to make of a, and the lengths of the columns of a.
func rotated[T kernel.Float](q []Rotation[T], down bool, a []T, stride, cols int) (want, lengths []float64) {
	want, lengths = make([]float64, len(a)), make([]float64, cols)
	for i, x := range a {
		want[i] = float64(x)
	}
	for j := range cols {
		for i := range len(q) + 1 {
			lengths[j] = math.Hypot(lengths[j], want[i*stride+j])
		}
		for k := range q {
			i := k
			if down {
				i = len(q) - 1 - k
			}
			c, s := float64(q[i].C), float64(q[i].S)
			x, y := want[i*stride+j], want[(i+1)*stride+j]
			want[i*stride+j], want[(i+1)*stride+j] = c*x+s*y, c*y-s*x
		}
	}
	return want, lengths
}

func TestRotate(t *testing.T) { kerneltest.ForSets(t, testRotate[float32], testRotate[float64]) }

// testRotate also cuts the columns in two, which must not change a bit.
func testRotate[T kernel.Float](t *testing.T, s kernel.Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(13, uint64(s)))
	rotations, matrices := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	kerneltest.ForShapes(rng, func(rows, cols int) {
		stride, down := cols+rng.IntN(padding), rng.IntN(2) == 0
		q := randomRotations(rng, rotations, rows-1)
		a := kerneltest.PlaceRows(rng, matrices, rows, cols, stride)
		before := slices.Clone(a)
		Rotate(s, q, down, a, stride, cols)
		if err := checkRotated(q, down, before, a, stride, cols); err != nil {
			t.Fatalf("%dx%d, stride %d, down %v: %v", rows, cols, stride, down, err)
		}
		if cut := rng.IntN(cols); cut > 0 {
			Rotate(s, q, down, before, stride, cut)
			Rotate(s, q, down, before[cut:], stride, cols-cut)
			if i := kerneltest.Differ(a, before); i >= 0 {
				t.Fatalf("%dx%d cut at column %d: element %d is %v, want %v", rows, cols, cut, i, before[i], a[i])
			}
		}
	})
}

// checkRotated compares got with the definition and allows for one rounding error of a column's length for each
// rotation.
func checkRotated[T kernel.Float](q []Rotation[T], down bool, before, got []T, stride, cols int) error {
	want, lengths := rotated(q, down, before, stride, cols)
	for at, x := range got {
		i, j := at/stride, at%stride
		if j >= cols {
			if x == x {
				return fmt.Errorf("element %d is outside and was written", at)
			}
			continue
		}
		limit := float64(len(q)+2) * kerneltest.Epsilon[T]() * lengths[j]
		if !(math.Abs(float64(x)-want[at]) <= limit) {
			return fmt.Errorf("element (%d,%d): %v, want %v within %.1g", i, j, x, want[at], limit)
		}
	}
	return nil
}

func TestRotationsOutsideOfMemoryAreRefused(t *testing.T) {
	kerneltest.ForSets(t, testRotationsRefused[float32], testRotationsRefused[float64])
}

// testRotationsRefused makes a call that fits x just so, and then with an element less.
func testRotationsRefused[T kernel.Float](t *testing.T, s kernel.Set) {
	q := make([]Rotation[T], 2)
	call := func(x []T) { Rotate(s, q, false, x, 4, 4) }
	call(make([]T, 12))
	if !kerneltest.Panics(func() { call(make([]T, 11)) }) {
		t.Error("too short: accepted")
	}
	if !kerneltest.Panics(func() { Rotate(s, q, true, make([]T, 100), 1, 0) }) {
		t.Error("no columns: accepted")
	}
}
