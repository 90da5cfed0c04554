package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSymmetric(t *testing.T) { forSets(t, testSymmetric[float32], testSymmetric[float64]) }

// testSymmetric compares rows of a triangle with the definition. The other triangle, and the elements of x that the rows have nothing to do
// with, are NaN.
func testSymmetric[T Float](t *testing.T, s Set) {
	const rounds, mostOrder, padding = 2500, 70, 5
	rng := rand.New(rand.NewPCG(41, uint64(s)))
	matrices, inputs, outputs := newArena[T](t), newArena[T](t), newArena[T](t)
	for round := range rounds {
		n, upper := 1+rng.IntN(mostOrder), round%2 == 0
		first := rng.IntN(n)
		if round%4 < 2 {
			first -= first % triangleRows
		}
		r := Rows[T]{Count: 1 + rng.IntN(n-first), Cols: n, Stride: n + rng.IntN(padding), Far: rng.IntN(2) == 0}
		r.A = matrices.place(rng, (r.Count-1)*r.Stride+n)
		fillNaN(r.A)
		x, y := inputs.place(rng, n), outputs.place(rng, n)
		fillNaN(x)
		fillNormal(rng, y)
		stored := func(i int) (j0, j1 int) {
			if upper {
				return first + i, n
			}
			return 0, first + i + 1
		}
		want := make([]longSum, n)
		for j := range want {
			want[j].add(1, float64(y[j]))
		}
		for i := range r.Count {
			j0, j1 := stored(i)
			fillNormal(rng, r.A[i*r.Stride+j0:i*r.Stride+j1])
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
				want[first+i].add(a, float64(x[j]))
				if j != first+i {
					want[j].add(a, float64(x[first+i]))
				}
			}
		}
		before := slices.Clone(y)
		Symmetric(s, upper, &r, first, x, y)
		for j := range y {
			if err := want[j].check(float64(y[j]), epsilon[T](), n); err != nil {
				t.Fatalf("upper=%v, rows %d to %d of %d: y[%d] is %v", upper, first, first+r.Count, n, j, err)
			}
		}
		again := before
		Symmetric(s, upper, &r, first, x, again)
		if i := differ(y, again); i >= 0 {
			t.Fatalf("a second call gives %v, the first gave %v", again[i], y[i])
		}
	}
}
