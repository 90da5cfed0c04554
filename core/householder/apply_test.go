package householder

import (
	"context"
	"errors"
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// matrixOf returns I - tau v v^H, for a v in the rows from first on.
func matrixOf(n, first int, tau complex128, v []complex128) dense.Matrix[complex128] {
	h := dense.New[complex128](n, n)
	h.SetIdentity()
	for i, x := range v {
		for j, y := range v {
			h.Set(first+i, first+j, h.At(first+i, first+j)-tau*x*cmplx.Conj(y))
		}
	}
	return h
}

func product(a, b dense.Matrix[complex128]) dense.Matrix[complex128] {
	c := dense.New[complex128](a.Rows, b.Cols)
	for i := range a.Rows {
		for k := range a.Cols {
			for j := range b.Cols {
				c.Data[i*c.Stride+j] += a.At(i, k) * b.At(k, j)
			}
		}
	}
	return c
}

func wideMatrix[W dense.Scalar](a dense.Matrix[W]) dense.Matrix[complex128] {
	c := dense.New[complex128](a.Rows, a.Cols)
	for i := range a.Rows {
		copy(c.Row(i), wide(a.Row(i), 0))
	}
	return c
}

func distance(a, b dense.Matrix[complex128]) (largest float64) {
	for i := range a.Rows {
		for j, x := range a.Row(i) {
			largest = max(largest, cmplx.Abs(x-b.At(i, j)))
		}
	}
	return largest
}

// generated returns a reflector of n random elements.
func generated[W dense.Scalar](rng *rand.Rand, n int) (v []W, tau W) {
	v = random[W](rng, n)
	_, tau = Generate(v)
	if n == 1 {
		v[0] = 1
	}
	return v, tau
}

func TestApply(t *testing.T) {
	t.Run("float32", testApply[float32])
	t.Run("float64", testApply[float64])
	t.Run("complex64", testApply[complex64])
	t.Run("complex128", testApply[complex128])
}

func testApply[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	const rows, cols = 7, 5
	bound := 50 * dense.Eps[W]()
	a := numtest.Random[W](rng, rows, cols)
	v, tau := generated[W](rng, rows)
	conj := make([]W, rows)
	dense.ConjugateTo(conj, v)
	want := product(matrixOf(rows, 0, wide([]W{tau}, 0)[0], wide(v, 0)), wideMatrix(a))
	ApplyLeft(nil, tau, v, conj, a, make([]W, cols))
	if d := distance(want, wideMatrix(a)); d > bound {
		t.Errorf("from the left: off by %v", d)
	}
	a = numtest.Random[W](rng, rows, cols)
	v, tau = generated[W](rng, cols)
	want = product(wideMatrix(a), matrixOf(cols, 0, wide([]W{tau}, 0)[0], wide(v, 0)))
	ApplyRight(nil, tau, v, a, make([]W, rows))
	if d := distance(want, wideMatrix(a)); d > bound {
		t.Errorf("from the right: off by %v", d)
	}
}

// The product of the reflectors is I - V T V^H.
func TestTriangle(t *testing.T) {
	t.Run("float64", testTriangle[float64])
	t.Run("complex128", testTriangle[complex128])
}

func testTriangle[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const n, k = 9, 4
	v, triangle := dense.New[complex128](n, k), dense.New[W](k, k)
	triangle.Fill(1e300) // below the diagonal nothing is read
	want := dense.New[complex128](n, n)
	want.SetIdentity()
	for j := range k {
		x, tau := generated[W](rng, n-j)
		if j == 2 {
			tau = 0
		}
		for i, y := range wide(x, 0) {
			v.Set(j+i, j, y)
		}
		want = product(want, matrixOf(n, j, wide([]W{tau}, 0)[0], wide(x, 0)))
		products := make([]W, j)
		for q := range products {
			for i := range n {
				products[q] += dense.Convert[W](cmplx.Conj(v.At(i, q)) * v.At(i, j))
			}
		}
		ExtendTriangle(triangle, tau, products)
	}
	upper := dense.New[complex128](k, k)
	for i := range k {
		copy(upper.Row(i)[i:], wide(triangle.Row(i)[i:], 0))
	}
	adjoint := dense.New[complex128](k, n)
	for i := range n {
		for j := range k {
			adjoint.Set(j, i, cmplx.Conj(v.At(i, j)))
		}
	}
	got := product(product(v, upper), adjoint)
	for i := range n {
		for j := range n {
			got.Set(i, j, -got.At(i, j))
		}
		got.Set(i, i, 1+got.At(i, i))
	}
	if d := distance(want, got); d > 1e-14 {
		t.Errorf("I - V T V^H is off by %v", d)
	}
	x := random[W](rng, k)
	image := dense.New[complex128](k, 1)
	for i := range k {
		for j := range i + 1 {
			image.Data[i] -= cmplx.Conj(upper.At(j, i)) * wide(x[j:j+1], 0)[0]
		}
	}
	MultiplyTriangleAdjoint(triangle, x)
	for i := range x {
		if d := cmplx.Abs(image.Data[i] - wide(x[i:i+1], 0)[0]); d > 1e-14 {
			t.Errorf("-T^H x: element %d is off by %v", i, d)
		}
	}
}

// ApplyBlocks gives the result of applying one reflector after the other.
func TestBlocks(t *testing.T) {
	t.Run("float32", testBlocks[float32, float32])
	t.Run("float64", testBlocks[float64, float64])
	t.Run("complex64", testBlocks[float32, complex64])
	t.Run("complex128", testBlocks[float64, complex128])
}

func testBlocks[R dense.Float, W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	orders := []int{2, 3, 16, 17, 18, 33, 60}
	if !testing.Short() {
		orders = append(orders, manyReflectorsOrder+1)
	}
	for _, n := range orders {
		for threads := 1; threads <= 2; threads++ {
			const count = 3 // of rows
			h, tau := numtest.Random[W](rng, n, n), make([]W, n)
			rows := numtest.Random[W](rng, count, n)
			want := wideMatrix(rows)
			for i := 1; i < n; i++ {
				v, factor := generated[W](rng, i)
				if i == n/2 || n == 3 { // for n = 3 all are the identity
					factor = 0
				}
				for k := range v { // the element 1 is the last one
					h.Set(i, k, v[i-1-k])
				}
				tau[i] = factor
				for r := range count {
					x := wide(h.Row(i)[:i], 0)
					copy(want.Row(r)[:i], reflect(wide(tau[i:i+1], 0)[0], x, want.Row(r)[:i]))
				}
			}
			team := sched.NewTeam(context.Background(), threads, nil)
			blocks, err := GatherRows(team, h, tau, make([]R, BlockElements[W](n, threads)))
			if err != nil {
				t.Fatal(err)
			}
			planes := dense.Parts[W]()
			x := dense.New[R](count, planes*n)
			for r := range count {
				for k, y := range dense.Reals[R](rows.Row(r)) {
					x.Set(r, k%planes*n+k/planes, y)
				}
			}
			if err := ApplyBlocks(team, blocks, x, n, make([]R, count*ApplyElements[W](n))); err != nil {
				t.Fatal(err)
			}
			got := dense.New[complex128](count, n)
			for r := range count {
				for k := range n {
					im := 0.0
					if planes == 2 {
						im = float64(x.At(r, n+k))
					}
					got.Set(r, k, complex(float64(x.At(r, k)), im))
				}
			}
			if d := distance(want, got); d > 20*float64(n)*dense.Eps[W]() {
				t.Errorf("order %d, %d threads: off by %.1f eps", n, threads, d/dense.Eps[W]())
			}
		}
	}
}

func TestBlocksOfACancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	const n = 20
	team := sched.NewTeam(ctx, 1, nil)
	h, tau := dense.New[float64](n, n), make([]float64, n)
	tau[1] = 1
	h.Set(1, 0, 1)
	blocks, err := GatherRows(nil, h, tau, make([]float64, BlockElements[float64](n, 1)))
	if err != nil {
		t.Fatal(err)
	}
	x := numtest.Random[float64](rand.New(rand.NewPCG(25, 26)), 2, n)
	before := fmt.Sprint(x.Data)
	err = ApplyBlocks(team, blocks, x, n, make([]float64, 2*ApplyElements[float64](n)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if fmt.Sprint(x.Data) != before {
		t.Error("a block was applied after the cancellation")
	}
}
