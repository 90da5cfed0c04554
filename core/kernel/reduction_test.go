package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// reductionArenas are fenced memory for each operand of a Reduction, of any element type.
type reductionArenas struct{ a, v, w, x, y arena[float32] }

func newReductionArenas(t *testing.T) *reductionArenas {
	m := newArena[float32]
	return &reductionArenas{a: m(t), v: m(t), w: m(t), x: m(t), y: m(t)}
}

// placeIn places n elements of which the first ones are random, and the others NaN.
func placeIn[E Scalar](rng *rand.Rand, m arena[float32], n, random int) []E {
	words := int(unsafe.Sizeof(E(0)) / unsafe.Sizeof(m[0]))
	x := unsafe.Slice((*E)(unsafe.Pointer(&m.place(rng, n*words)[0])), n)
	nan := math.NaN()
	for i := range x {
		x[i] = elementOf[E](complex(nan, nan))
		if i < random {
			x[i] = elementOf[E](complex(rng.NormFloat64(), rng.NormFloat64()))
		}
	}
	return x
}

// complexOf returns x as a complex number.
func complexOf[E Scalar](x E) complex128 { return complex(parts(x)) }

// epsilonOf returns the distance from 1 to the next real number of an element type.
func epsilonOf[E Scalar]() float64 {
	switch any(E(0)).(type) {
	case float32, complex64:
		return epsilon[float32]()
	}
	return epsilon[float64]()
}

func isComplex[E Scalar]() bool {
	switch any(E(0)).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// randomReduction places operands. The elements right of the diagonal, between the rows and behind the vectors are NaN, and so are the
// imaginary parts of the diagonal. Some rows have zeros in v and w.
func randomReduction[E Scalar](rng *rand.Rand, m *reductionArenas, rows, first int) *Reduction[E] {
	const padding, zeros = 3, 5
	cols := roundUpTo(first+rows, ReductionColumns[E]())
	r := &Reduction[E]{First: first, Rows: rows, Stride: cols + rng.IntN(padding)}
	r.A = placeIn[E](rng, m.a, (rows-1)*r.Stride+cols, 0)
	vector := func(a arena[float32]) []E { return placeIn[E](rng, a, cols+rng.IntN(padding), cols) }
	r.V, r.W, r.X, r.Y = vector(m.v), vector(m.w), vector(m.x), vector(m.y)
	for i := range rows {
		row := r.A[i*r.Stride:][:first+i+1]
		for j := range row {
			im := 0.0
			switch {
			case isComplex[E]() && j == first+i:
				im = math.NaN()
			case isComplex[E]():
				im = rng.NormFloat64()
			}
			row[j] = elementOf[E](complex(rng.NormFloat64(), im))
		}
		if rng.IntN(zeros) == 0 {
			r.V[first+i], r.W[first+i] = 0, 0
		}
	}
	return r
}

// roundUpTo returns the smallest multiple of group that is at least n.
func roundUpTo(n, group int) int { return (n + group - 1) / group * group }

// elementOf returns z, or its real part.
func elementOf[E Scalar](z complex128) (x E) {
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(real(z))
	case *float64:
		*p = real(z)
	case *complex64:
		*p = complex64(z)
	case *complex128:
		*p = z
	}
	return x
}

func (r *Reduction[E]) copied() *Reduction[E] {
	c := *r
	c.A, c.Y = slices.Clone(r.A), slices.Clone(r.Y)
	return &c
}

// longComplex is a sum of complex products.
type longComplex struct{ re, im longSum }

// add adds x y, or x conj(y).
func (s *longComplex) add(x, y complex128, conj bool) {
	sign := 1.0
	if conj {
		sign = -1
	}
	s.re.add(real(x), real(y))
	s.re.add(-sign*imag(x), imag(y))
	s.im.add(sign*real(x), imag(y))
	s.im.add(imag(x), real(y))
}

func (s *longComplex) check(got complex128, eps float64, n int) error {
	if err := s.re.check(real(got), eps, n); err != nil {
		return fmt.Errorf("real part: %w", err)
	}
	if err := s.im.check(imag(got), eps, n); err != nil {
		return fmt.Errorf("imaginary part: %w", err)
	}
	return nil
}

// compare compares got with the definition, given the operands before the call.
func (before *Reduction[E]) compare(got *Reduction[E]) error {
	const updates = 4 // products of real numbers in a part of an element's update
	n := before.First + before.Rows
	y := make([]longComplex, n)
	for j := range y {
		y[j].add(1, complexOf(before.Y[j]), false)
	}
	element := func(r *Reduction[E], i, j int) complex128 {
		z := complexOf(r.A[i*r.Stride+j])
		if j == r.First+i {
			return complex(real(z), 0)
		}
		return z
	}
	for i := range before.Rows {
		k := before.First + i
		vk, wk, xk := complexOf(before.V[k]), complexOf(before.W[k]), complexOf(before.X[k])
		for j := range k + 1 {
			var want longComplex
			want.add(1, element(before, i, j), false)
			want.add(-vk, complexOf(before.W[j]), true)
			want.add(-wk, complexOf(before.V[j]), true)
			a := element(got, i, j)
			if j == k {
				want.im = longSum{}
			}
			if err := want.check(a, epsilonOf[E](), updates); err != nil {
				return fmt.Errorf("A(%d,%d): %w", k, j, err)
			}
			if vk == 0 && wk == 0 && a != element(before, i, j) {
				return fmt.Errorf("A(%d,%d) is %v although v and w are 0, it was %v", k, j, a, element(before, i, j))
			}
			y[k].add(a, complexOf(before.X[j]), false)
			if j < k {
				y[j].add(xk, a, true)
			}
		}
	}
	for j := range y {
		if err := y[j].check(complexOf(got.Y[j]), epsilonOf[E](), 2*n); err != nil {
			return fmt.Errorf("y[%d]: %w", j, err)
		}
	}
	return before.checkOutside(got)
}

// checkOutside compares what lies outside of the results and of the scratch memory, bit by bit.
func (before *Reduction[E]) checkOutside(got *Reduction[E]) error {
	group := ReductionColumns[E]()
	n := roundUpTo(before.First+before.Rows, group)
	for at := range before.A {
		i, j := at/before.Stride, at%before.Stride
		if j >= roundUpTo(before.First+i+1, group) && !sameElement(before.A[at], got.A[at]) {
			return fmt.Errorf("element (%d,%d) changed from %v to %v", before.First+i, j, before.A[at], got.A[at])
		}
	}
	for j := n; j < len(before.Y); j++ {
		if !sameElement(before.Y[j], got.Y[j]) {
			return fmt.Errorf("y[%d] behind the columns is now %v", j, got.Y[j])
		}
	}
	return nil
}

func sameElement[E Scalar](x, y E) bool {
	p, q := complexOf(x), complexOf(y)
	return math.Float64bits(real(p)) == math.Float64bits(real(q)) && math.Float64bits(imag(p)) == math.Float64bits(imag(q))
}

// checkReduction runs a random pass and checks it and its repetition.
func checkReduction[E Scalar](t *testing.T, s Set, rng *rand.Rand, m *reductionArenas, rows, first int) {
	r := randomReduction[E](rng, m, rows, first)
	before := r.copied()
	again := before.copied()
	r.Run(s)
	if err := before.compare(r); err != nil {
		t.Fatalf("%s: %d rows from %d on, stride %d: %v", s, rows, first, r.Stride, err)
	}
	again.Run(s)
	for j := range r.Y[:first+rows] {
		if !sameElement(r.Y[j], again.Y[j]) {
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

func testReduction[E Scalar](t *testing.T) {
	const rounds, mostGroups, mostParts = 400, 6, 9
	m := newReductionArenas(t)
	for _, s := range Sets() {
		rng := rand.New(rand.NewPCG(61, uint64(s)))
		for range rounds {
			checkReduction[E](t, s, rng, m, ReductionRows[E]()*(1+rng.IntN(mostParts)), ReductionColumns[E]()*rng.IntN(mostGroups))
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
		for _, s := range Sets() {
			switch dtype % 4 {
			case 0:
				checkReduction[float32](t, s, rng, m, int(groups)*ReductionRows[float32](), int(first)*ReductionColumns[float32]())
			case 1:
				checkReduction[float64](t, s, rng, m, int(groups)*ReductionRows[float64](), int(first)*ReductionColumns[float64]())
			case 2:
				checkReduction[complex64](t, s, rng, m, int(groups)*ReductionRows[complex64](), int(first)*ReductionColumns[complex64]())
			default:
				checkReduction[complex128](t, s, rng, m, int(groups)*ReductionRows[complex128](), int(first)*ReductionColumns[complex128]())
			}
		}
	})
}

func TestReductionsOutsideOfMemoryAreRefused(t *testing.T) {
	const rows, first = 8, 8
	fits := func() *Reduction[float64] {
		n := rows + first
		return &Reduction[float64]{First: first, Rows: rows, Stride: n, A: make([]float64, rows*n),
			V: make([]float64, n), W: make([]float64, n), X: make([]float64, n), Y: make([]float64, n)}
	}
	for _, s := range Sets() {
		fits().Run(s)
		for name, spoil := range map[string]func(*Reduction[float64]){
			"no rows":         func(r *Reduction[float64]) { r.Rows = 0 },
			"part of a group": func(r *Reduction[float64]) { r.Rows = 6 },
			"odd first row":   func(r *Reduction[float64]) { r.First = 4 },
			"negative row":    func(r *Reduction[float64]) { r.First = -8 },
			"negative stride": func(r *Reduction[float64]) { r.Stride = -1 },
			"short matrix":    func(r *Reduction[float64]) { r.A = r.A[1:] },
			"short v":         func(r *Reduction[float64]) { r.V = r.V[1:] },
			"short w":         func(r *Reduction[float64]) { r.W = r.W[1:] },
			"short x":         func(r *Reduction[float64]) { r.X = r.X[1:] },
			"short y":         func(r *Reduction[float64]) { r.Y = r.Y[1:] },
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
