package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func TestSymmetric(t *testing.T) {
	kerneltest.ForSets(t, testSymmetric[float32], testSymmetric[float64])
}

// testSymmetric compares rows of a triangle with the definition. The other triangle, and the elements of x that the
// rows have nothing to do with, are NaN.
func testSymmetric[T kernel.Float](t *testing.T, s kernel.Set) {
	const rounds, mostOrder, padding = 2500, 70, 5
	rng := rand.New(rand.NewPCG(41, uint64(s)))
	matrices, inputs, outputs := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	for round := range rounds {
		n, upper := 1+rng.IntN(mostOrder), round%2 == 0
		first := rng.IntN(n)
		if round%4 < 2 {
			first -= first % triangleRows
		}
		r := Rows[T]{Count: 1 + rng.IntN(n-first), Cols: n, Stride: n + rng.IntN(padding), Prefetch: rng.IntN(2) == 0}
		r.A = matrices.Place(rng, (r.Count-1)*r.Stride+n)
		kerneltest.FillNaN(r.A)
		x, y := inputs.Place(rng, n), outputs.Place(rng, n)
		kerneltest.FillNaN(x)
		kerneltest.FillNormal(rng, y)
		stored := func(i int) (j0, j1 int) {
			if upper {
				return first + i, n
			}
			return 0, first + i + 1
		}
		want := make([]kerneltest.LongSum, n)
		for j := range want {
			want[j].Add(1, float64(y[j]))
		}
		for i := range r.Count {
			j0, j1 := stored(i)
			kerneltest.FillNormal(rng, r.A[i*r.Stride+j0:i*r.Stride+j1])
			for j := j0; j < j1; j++ {
				if x[j] != x[j] {
					x[j] = T(rng.NormFloat64())
				}
			}
		}
		for i := range r.Count {
			j0, j1 := stored(i)
			for j := j0; j < j1; j++ {
				a := float64(r.A[i*r.Stride+j])
				want[first+i].Add(a, float64(x[j]))
				if j != first+i {
					want[j].Add(a, float64(x[first+i]))
				}
			}
		}
		before := slices.Clone(y)
		Symv(s, upper, &r, first, x, y)
		for j := range y {
			if err := want[j].Check(float64(y[j]), kerneltest.Epsilon[T](), n); err != nil {
				t.Fatalf("upper=%v, rows %d to %d of %d: y[%d] is %v", upper, first, first+r.Count, n, j, err)
			}
		}
		again := before
		Symv(s, upper, &r, first, x, again)
		if i := kerneltest.Differ(y, again); i >= 0 {
			t.Fatalf("a second call gives %v, the first gave %v", again[i], y[i])
		}
	}
}

// An infinity of x meets the elements of its row and column alone: there are no products with zeros in their place.
func TestSymmetricWithInfinities(t *testing.T) {
	kerneltest.ForSets(t, testSymmetricWithInfinities[float32], testSymmetricWithInfinities[float64])
}

func testSymmetricWithInfinities[T kernel.Float](t *testing.T, s kernel.Set) {
	for n := 1; n <= 20; n++ {
		for k := range n {
			for _, upper := range []bool{false, true} {
				r := Rows[T]{Count: n, Cols: n, Stride: n, A: make([]T, n*n)}
				for i := range r.A {
					r.A[i] = 1
				}
				x, y := make([]T, n), make([]T, n)
				x[k] = T(math.Inf(1))
				Symv(s, upper, &r, 0, x, y)
				for i := range y {
					if !math.IsInf(float64(y[i]), 1) {
						t.Fatalf("order %d, upper=%v, x[%d] infinite: y[%d] is %v", n, upper, k, i, y[i])
					}
				}
			}
		}
	}
}
