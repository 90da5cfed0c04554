package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// reductionArenas are fenced memory for each operand of a Reduction.
type reductionArenas struct{ a, v, w, x, y arena[float64] }

func newReductionArenas(t *testing.T) *reductionArenas {
	m := newArena[float64]
	return &reductionArenas{a: m(t), v: m(t), w: m(t), x: m(t), y: m(t)}
}

// placeIn places n elements of which the first ones are random, and the others NaN.
func placeIn[E float64 | complex128](rng *rand.Rand, m arena[float64], n, random int) []E {
	parts := int(unsafe.Sizeof(E(0)) / unsafe.Sizeof(float64(0)))
	x := m.place(rng, n*parts)
	fillNaN(x)
	fillNormal(rng, x[:random*parts])
	return unsafe.Slice((*E)(unsafe.Pointer(&x[0])), n)
}

// complexOf returns x as a complex number.
func complexOf[E float64 | complex128](x E) complex128 {
	if z, ok := any(x).(complex128); ok {
		return z
	}
	return complex(any(x).(float64), 0)
}

// randomReduction places operands. The elements right of the diagonal, between the rows and behind the vectors are NaN, and so are the
// imaginary parts of the diagonal. Some rows have zeros in v and w.
func randomReduction[E float64 | complex128](rng *rand.Rand, m *reductionArenas, rows, first int) *Reduction[E] {
	const padding, zeros = 3, 5
	cols := first + rows
	r := &Reduction[E]{First: first, Rows: rows, Stride: cols + rng.IntN(padding)}
	r.A = placeIn[E](rng, m.a, (rows-1)*r.Stride+cols, 0)
	vector := func(a arena[float64]) []E { return placeIn[E](rng, a, cols+rng.IntN(padding), cols) }
	r.V, r.W, r.X, r.Y = vector(m.v), vector(m.w), vector(m.x), vector(m.y)
	isComplex := unsafe.Sizeof(E(0)) > unsafe.Sizeof(float64(0))
	for i := range rows {
		row := r.A[i*r.Stride:][:first+i+1]
		for j := range row {
			im := 0.0
			switch {
			case isComplex && j == first+i:
				im = math.NaN()
			case isComplex:
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

// elementOf returns z, or its real part.
func elementOf[E float64 | complex128](z complex128) (x E) {
	switch p := any(&x).(type) {
	case *float64:
		*p = real(z)
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

func (s *longComplex) check(got complex128, n int) error {
	const eps = 0x1p-52
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
			if err := want.check(a, updates); err != nil {
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
		if err := y[j].check(complexOf(got.Y[j]), 2*n); err != nil {
			return fmt.Errorf("y[%d]: %w", j, err)
		}
	}
	return before.checkOutside(got)
}

// checkOutside compares what lies outside of the results and of the scratch memory, bit by bit.
func (before *Reduction[E]) checkOutside(got *Reduction[E]) error {
	n := before.First + before.Rows
	for at := range before.A {
		i, j := at/before.Stride, at%before.Stride
		if scratchEnd := (before.First + i/ReductionRows*ReductionRows) + ReductionRows; j >= scratchEnd && !sameElement(before.A[at], got.A[at]) {
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

func sameElement[E float64 | complex128](x, y E) bool {
	p, q := complexOf(x), complexOf(y)
	return math.Float64bits(real(p)) == math.Float64bits(real(q)) && math.Float64bits(imag(p)) == math.Float64bits(imag(q))
}

// checkReduction runs a random pass and checks it and its repetition.
func checkReduction[E float64 | complex128](t *testing.T, s Set, rng *rand.Rand, m *reductionArenas, rows, first int) {
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
	t.Run("float64", testReduction[float64])
	t.Run("complex128", testReduction[complex128])
}

func testReduction[E float64 | complex128](t *testing.T) {
	const rounds, mostGroups = 400, 9
	m := newReductionArenas(t)
	for _, s := range Sets() {
		rng := rand.New(rand.NewPCG(61, uint64(s)))
		for range rounds {
			first := rng.IntN(mostGroups)
			checkReduction[E](t, s, rng, m, ReductionRows*(1+rng.IntN(mostGroups-first)), ReductionRows*first)
		}
	}
}

// FuzzReduction runs random passes with every set.
func FuzzReduction(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(2), false)
	f.Add(uint64(2), uint8(1), uint8(0), true)
	f.Fuzz(func(t *testing.T, seed uint64, groups, first uint8, isComplex bool) {
		const most = 10
		m, rng := newReductionArenas(t), rand.New(rand.NewPCG(seed, 1))
		rows, start := ReductionRows*(1+int(groups)%most), ReductionRows*(int(first)%most)
		if rows+start > most*ReductionRows {
			rows = most*ReductionRows - start
		}
		for _, s := range Sets() {
			if isComplex {
				checkReduction[complex128](t, s, rng, m, rows, start)
			} else {
				checkReduction[float64](t, s, rng, m, rows, start)
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
			"part of a group": func(r *Reduction[float64]) { r.Rows = 4 },
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
