package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// randomSystem returns a lower triangular matrix for Trsm. What is not part of it is NaN.
func randomSystem[T kernel.Float](rng *rand.Rand, m kerneltest.Arena[T], order int) []T {
	l := m.Place(rng, (order-1)*TriangleOrder+order)
	kerneltest.FillNaN(l)
	for i := range order {
		kerneltest.FillNormal(rng, l[i*TriangleOrder:][:i+1])
	}
	return l
}

// systemCase is a call of Trsm.
type systemCase[T kernel.Float] struct {
	l, x                       []T
	order, first, stride, cols int
}

func randomSystemCase[T kernel.Float](rng *rand.Rand, matrices, sides kerneltest.Arena[T], order,
	cols int) *systemCase[T] {
	const padding = 5
	c := &systemCase[T]{order: order, stride: cols + rng.IntN(padding), cols: cols}
	c.l, c.x = randomSystem(rng, matrices, order), kerneltest.PlaceRows(rng, sides, order, cols, c.stride)
	if rng.IntN(2) == 0 {
		c.first, c.stride = (order-1)*c.stride, -c.stride
	}
	return c
}

// check compares each row of the solution in got with what the rows above it give, and all other memory with what it
// was.
func (c *systemCase[T]) check(t *testing.T, got []T) {
	t.Helper()
	want := slices.Clone(c.x)
	for i := range c.order {
		for j := range c.cols {
			at := c.first + i*c.stride + j
			var sum kerneltest.LongSum
			sum.Add(1, float64(c.x[at]))
			for k := range i {
				sum.Add(-float64(c.l[i*TriangleOrder+k]), float64(got[c.first+k*c.stride+j]))
			}
			reciprocal := float64(c.l[i*TriangleOrder+i])
			sum.Scale(reciprocal)
			if err := sum.Check(float64(got[at]), kerneltest.Epsilon[T](), i); err != nil {
				t.Fatalf("order %d, %d columns, stride %d, element (%d,%d): %v", c.order, c.cols, c.stride, i, j, err)
			}
			want[at] = got[at]
		}
	}
	if i := kerneltest.Differ(want, got); i >= 0 {
		t.Fatalf("order %d, %d columns, stride %d: element %d is %v, want %v", c.order, c.cols, c.stride, i, got[i],
			want[i])
	}
}

// checkProduct compares got with the triangle times the X before the call, and requires all other memory unchanged.
func (c *systemCase[T]) checkProduct(t *testing.T, got []T) {
	t.Helper()
	want := slices.Clone(c.x)
	for i := range c.order {
		for j := range c.cols {
			at := c.first + i*c.stride + j
			var sum kerneltest.LongSum
			for k := range i + 1 {
				sum.Add(float64(c.l[i*TriangleOrder+k]), float64(c.x[c.first+k*c.stride+j]))
			}
			if err := sum.Check(float64(got[at]), kerneltest.Epsilon[T](), i); err != nil {
				t.Fatalf("order %d, %d columns, stride %d, element (%d,%d): %v", c.order, c.cols, c.stride, i, j, err)
			}
			want[at] = got[at]
		}
	}
	if i := kerneltest.Differ(want, got); i >= 0 {
		t.Fatalf("order %d, %d columns, stride %d: element %d is %v, want %v", c.order, c.cols, c.stride, i, got[i],
			want[i])
	}
}

func TestSolve(t *testing.T) {
	kerneltest.ForSets(t, func(t *testing.T, s kernel.Set) {
		testSystem(t, s, Trsm[float32],
			(*systemCase[float32]).check)
	},
		func(t *testing.T, s kernel.Set) { testSystem(t, s, Trsm[float64], (*systemCase[float64]).check) })
}

func TestMultiplyTriangular(t *testing.T) {
	kerneltest.ForSets(t, func(t *testing.T, s kernel.Set) {
		testSystem(t, s, Trmm[float32], (*systemCase[float32]).checkProduct)
	}, func(t *testing.T, s kernel.Set) {
		testSystem(t, s, Trmm[float64], (*systemCase[float64]).checkProduct)
	})
}

// testSystem also cuts the columns in two, which must not change a bit.
func testSystem[T kernel.Float](t *testing.T, s kernel.Set,
	run func(s kernel.Set, order int, l, x []T, first, stride, cols int), check func(*systemCase[T], *testing.T, []T)) {
	const mostCols, rounds, large = 130, 50, 1500
	rng := rand.New(rand.NewPCG(12, uint64(s)))
	matrices, sides := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	try := func(order, cols int) {
		c := randomSystemCase(rng, matrices, sides, order, cols)
		before := *c
		before.x = slices.Clone(c.x)
		run(s, order, c.l, c.x, c.first, c.stride, cols)
		check(&before, t, c.x)
		if cut := rng.IntN(cols); cut > 0 {
			run(s, order, c.l, before.x, c.first, c.stride, cut)
			run(s, order, c.l, before.x, c.first+cut, c.stride, cols-cut)
			if i := kerneltest.Differ(c.x, before.x); i >= 0 {
				t.Fatalf("order %d, %d columns cut at %d: element %d is %v, want %v", order, cols, cut, i, before.x[i],
					c.x[i])
			}
		}
	}
	for order := 1; order <= TriangleOrder; order++ {
		for cols := 1; cols <= mostCols; cols++ {
			try(order, cols)
		}
	}
	for range rounds {
		try(1+rng.IntN(TriangleOrder), 1+rng.IntN(large))
	}
}

func TestPanelsOutsideOfMemoryAreRefused(t *testing.T) {
	kerneltest.ForSets(t, testPanelsRefused[float32], testPanelsRefused[float64])
}

// testPanelsRefused makes calls that fit x just so, and then with an element less.
func testPanelsRefused[T kernel.Float](t *testing.T, s kernel.Set) {
	enough := make([]T, 100)
	for name, call := range map[string]func(x []T){
		"Transpose, source":      func(x []T) { Transpose(s, 3, 4, x, 4, enough, 3) },
		"Transpose, destination": func(x []T) { Transpose(s, 4, 3, enough, 3, x, 4) },
		"Trsm, matrix":           func(x []T) { Trsm(s, 2, x[2:], enough, 0, 2, 2) },
		"Trsm":                   func(x []T) { Trsm(s, 2, enough, x, 0, 8, 4) },
		"Trsm, upwards":          func(x []T) { Trsm(s, 2, enough, enough, len(x)-4, -8, 4) },
	} {
		call(make([]T, 12))
		if !kerneltest.Panics(func() { call(make([]T, 11)) }) {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, call := range map[string]func(){
		"order 0":         func() { Trsm(s, 0, enough, enough, 0, 1, 1) },
		"order 9":         func() { Trsm(s, TriangleOrder+1, enough, enough, 0, 1, 1) },
		"no columns":      func() { Trsm(s, 1, enough, enough, 0, 1, 0) },
		"negative stride": func() { Transpose(s, 1, 1, enough, -1, enough, 1) },
		"no rows":         func() { Transpose(s, 0, 1, enough, 1, enough, 1) },
	} {
		if !kerneltest.Panics(call) {
			t.Errorf("%s: accepted", name)
		}
	}
}
