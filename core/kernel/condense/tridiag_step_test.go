package condense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// reductionArenas are fenced memory for each operand of a TridiagStep, of any element type.
type reductionArenas struct{ a, v, w, x, y kerneltest.Arena[float32] }

func newReductionArenas(t *testing.T) *reductionArenas {
	m := kerneltest.NewArena[float32]
	return &reductionArenas{a: m(t), v: m(t), w: m(t), x: m(t), y: m(t)}
}

// randomReduction places operands. The elements right of the diagonal, between the rows and behind the vectors are NaN,
// and so are the imaginary parts of the diagonal. Some rows have zeros in v and w.
func randomReduction[E kernel.Scalar](rng *rand.Rand, m *reductionArenas, rows, first int) *TridiagStep[E] {
	const padding, zeros = 3, 5
	cols := roundUpTo(first+rows, LineElements[E]())
	r := &TridiagStep[E]{First: first, Rows: rows, Stride: cols + rng.IntN(padding)}
	r.A = kerneltest.PlaceIn[E](rng, m.a, (rows-1)*r.Stride+cols, 0)
	vector := func(a kerneltest.Arena[float32]) []E {
		return kerneltest.PlaceIn[E](rng, a, cols+rng.IntN(padding), cols)
	}
	r.V, r.W, r.X, r.Y = vector(m.v), vector(m.w), vector(m.x), vector(m.y)
	for i := range rows {
		row := r.A[i*r.Stride:][:first+i+1]
		for j := range row {
			im := 0.0
			switch {
			case kerneltest.IsComplex[E]() && j == first+i:
				im = math.NaN()
			case kerneltest.IsComplex[E]():
				im = rng.NormFloat64()
			}
			row[j] = kerneltest.ElementOf[E](complex(rng.NormFloat64(), im))
		}
		if rng.IntN(zeros) == 0 {
			r.V[first+i], r.W[first+i] = 0, 0
		}
	}
	return r
}

// roundUpTo returns the smallest multiple of group that is at least n.
func roundUpTo(n, group int) int { return (n + group - 1) / group * group }

func (r *TridiagStep[E]) copied() *TridiagStep[E] {
	c := *r
	c.A, c.Y = slices.Clone(r.A), slices.Clone(r.Y)
	return &c
}

// compare compares got with the definition, given the operands before the call.
func (before *TridiagStep[E]) compare(got *TridiagStep[E]) error {
	const updates = 4 // products of real numbers in a part of an element's update
	n := before.First + before.Rows
	y := make([]kerneltest.LongComplex, n)
	for j := range y {
		y[j].Add(1, kerneltest.ComplexOf(before.Y[j]), false)
	}
	element := func(r *TridiagStep[E], i, j int) complex128 {
		z := kerneltest.ComplexOf(r.A[i*r.Stride+j])
		if j == r.First+i {
			return complex(real(z), 0)
		}
		return z
	}
	for i := range before.Rows {
		k := before.First + i
		vk, wk, xk := kerneltest.ComplexOf(before.V[k]), kerneltest.ComplexOf(before.W[k]),
			kerneltest.ComplexOf(before.X[k])
		for j := range k + 1 {
			var want kerneltest.LongComplex
			want.Add(1, element(before, i, j), false)
			want.Add(-vk, kerneltest.ComplexOf(before.W[j]), true)
			want.Add(-wk, kerneltest.ComplexOf(before.V[j]), true)
			a := element(got, i, j)
			if j == k {
				want.Im = kerneltest.LongSum{}
			}
			if err := want.Check(a, kerneltest.EpsilonOf[E](), updates); err != nil {
				return fmt.Errorf("A(%d,%d): %w", k, j, err)
			}
			if vk == 0 && wk == 0 && a != element(before, i, j) {
				return fmt.Errorf("A(%d,%d) is %v although v and w are 0, it was %v", k, j, a, element(before, i, j))
			}
			y[k].Add(a, kerneltest.ComplexOf(before.X[j]), false)
			if j < k {
				y[j].Add(xk, a, true)
			}
		}
	}
	for j := range y {
		if err := y[j].Check(kerneltest.ComplexOf(got.Y[j]), kerneltest.EpsilonOf[E](), 2*n); err != nil {
			return fmt.Errorf("y[%d]: %w", j, err)
		}
	}
	return before.checkOutside(got)
}

// checkOutside compares what lies outside of the results and of the scratch memory, bit by bit.
func (before *TridiagStep[E]) checkOutside(got *TridiagStep[E]) error {
	group := LineElements[E]()
	n := roundUpTo(before.First+before.Rows, group)
	for at := range before.A {
		i, j := at/before.Stride, at%before.Stride
		if j >= roundUpTo(before.First+i+1, group) && !kerneltest.SameElement(before.A[at], got.A[at]) {
			return fmt.Errorf("element (%d,%d) changed from %v to %v", before.First+i, j, before.A[at], got.A[at])
		}
	}
	for j := n; j < len(before.Y); j++ {
		if !kerneltest.SameElement(before.Y[j], got.Y[j]) {
			return fmt.Errorf("y[%d] behind the columns is now %v", j, got.Y[j])
		}
	}
	return nil
}

// checkReduction runs a random pass and checks it and its repetition.
func checkReduction[E kernel.Scalar](t *testing.T, s kernel.Set, rng *rand.Rand, m *reductionArenas, rows, first int) {
	r := randomReduction[E](rng, m, rows, first)
	before := r.copied()
	again := before.copied()
	r.Run(s)
	if err := before.compare(r); err != nil {
		t.Fatalf("%s: %d rows from %d on, stride %d: %v", s, rows, first, r.Stride, err)
	}
	again.Run(s)
	for j := range r.Y[:first+rows] {
		if !kerneltest.SameElement(r.Y[j], again.Y[j]) {
			t.Fatalf("%s: a second call gives %v, the first gave %v", s, again.Y[j], r.Y[j])
		}
	}
}

func TestReduction(t *testing.T) {
	t.Run("float32", testReduction[float32])
	t.Run("float64", testReduction[float64])
	t.Run("complex64", testReduction[complex64])
	t.Run("complex128", testReduction[complex128])
}

func testReduction[E kernel.Scalar](t *testing.T) {
	const rounds, mostGroups, mostParts = 400, 6, 9
	m := newReductionArenas(t)
	for _, s := range kernel.Sets() {
		rng := rand.New(rand.NewPCG(61, uint64(s)))
		for range rounds {
			checkReduction[E](t, s, rng, m, TridiagRows[E]()*(1+rng.IntN(mostParts)),
				LineElements[E]()*rng.IntN(mostGroups))
		}
	}
}

// FuzzReduction runs random passes with every set.
func FuzzReduction(f *testing.F) {
	for dtype := range uint8(4) {
		f.Add(uint64(dtype), uint8(3), uint8(2), dtype)
	}
	f.Fuzz(func(t *testing.T, seed uint64, groups, first, dtype uint8) {
		const most = 10
		m, rng := newReductionArenas(t), rand.New(rand.NewPCG(seed, 1))
		groups, first = 1+groups%most, first%most
		for _, s := range kernel.Sets() {
			switch dtype % 4 {
			case 0:
				checkReduction[float32](t, s, rng, m, int(groups)*TridiagRows[float32](),
					int(first)*LineElements[float32]())
			case 1:
				checkReduction[float64](t, s, rng, m, int(groups)*TridiagRows[float64](),
					int(first)*LineElements[float64]())
			case 2:
				checkReduction[complex64](t, s, rng, m, int(groups)*TridiagRows[complex64](),
					int(first)*LineElements[complex64]())
			default:
				checkReduction[complex128](t, s, rng, m, int(groups)*TridiagRows[complex128](),
					int(first)*LineElements[complex128]())
			}
		}
	})
}

func TestReductionsOutsideOfMemoryAreRefused(t *testing.T) {
	const rows, first = 8, 8
	fits := func() *TridiagStep[float64] {
		n := rows + first
		return &TridiagStep[float64]{First: first, Rows: rows, Stride: n, A: make([]float64, rows*n),
			V: make([]float64, n), W: make([]float64, n), X: make([]float64, n), Y: make([]float64, n)}
	}
	for _, s := range kernel.Sets() {
		fits().Run(s)
		for name, spoil := range map[string]func(*TridiagStep[float64]){
			"no rows":         func(r *TridiagStep[float64]) { r.Rows = 0 },
			"part of a group": func(r *TridiagStep[float64]) { r.Rows = 6 },
			"odd first row":   func(r *TridiagStep[float64]) { r.First = 4 },
			"negative row":    func(r *TridiagStep[float64]) { r.First = -8 },
			"negative stride": func(r *TridiagStep[float64]) { r.Stride = -1 },
			"short matrix":    func(r *TridiagStep[float64]) { r.A = r.A[1:] },
			"short v":         func(r *TridiagStep[float64]) { r.V = r.V[1:] },
			"short w":         func(r *TridiagStep[float64]) { r.W = r.W[1:] },
			"short x":         func(r *TridiagStep[float64]) { r.X = r.X[1:] },
			"short y":         func(r *TridiagStep[float64]) { r.Y = r.Y[1:] },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: accepted", s, name)
					}
				}()
				r := fits()
				spoil(r)
				r.Run(s)
			}()
		}
	}
}
