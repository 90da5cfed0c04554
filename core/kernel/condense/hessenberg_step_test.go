package condense

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// similarityArenas are fenced memory for each operand of a HessenbergStep.
type similarityArenas[T kernel.Float] struct{ a, y, v, w, x, s kerneltest.Arena[T] }

func newSimilarityArenas[T kernel.Float](t *testing.T) *similarityArenas[T] {
	m := kerneltest.NewArena[T]
	return &similarityArenas[T]{a: m(t), y: m(t), v: m(t), w: m(t), x: m(t), s: m(t)}
}

// similarityShape is the shape of a pass.
type similarityShape struct {
	row, top, rows, first, vectors int
	pairs                          bool
}

func randomSimilarityShape(rng *rand.Rand) similarityShape {
	const most, mostVectors = 11, 4
	s := similarityShape{
		row: rng.IntN(most), top: rng.IntN(most), rows: rng.IntN(most), first: rng.IntN(most),
		vectors: 1 + rng.IntN(mostVectors), pairs: rng.IntN(2) == 0,
	}
	if s.top+s.rows == 0 {
		s.top = 1
	}
	return s
}

// randomSimilarity places operands that fit the shape just so. What lies between the rows, before the columns and
// between the vectors is NaN.
func randomSimilarity[T kernel.Float](rng *rand.Rand, m *similarityArenas[T],
	shape similarityShape) *HessenbergStep[T] {
	const padding = 3
	p := &HessenbergStep[T]{
		Row: shape.row, Top: shape.top, Rows: shape.rows, First: shape.first, Cols: shape.vectors * LineElements[T](),
		Complex: shape.pairs,
	}
	end, count := p.First+p.Cols, (p.Row+p.Top+p.Rows)*p.width()
	p.Stride = end + rng.IntN(padding)
	p.ImagOffset = max(end, count) + rng.IntN(padding)
	length := max(end, count)
	if p.Complex {
		length = p.ImagOffset + end
	}
	place := func(a kerneltest.Arena[T], n int, isUsed func(i int) bool) []T {
		x := a.Place(rng, n)
		kerneltest.FillNaN(x)
		for i := range x {
			if isUsed(i) {
				x[i] = T(rng.NormFloat64())
			}
		}
		return x
	}
	isOfColumns := func(i int) bool {
		return i >= p.First && i < end || p.Complex && i >= p.ImagOffset+p.First
	}
	isOfBoth := func(i int) bool { return isOfColumns(i) || i >= (p.Row+p.Top)*p.width() && i < count }
	p.A = place(m.a, (p.Row+p.Top+p.Rows-1)*p.Stride+end, func(i int) bool {
		return i/p.Stride >= p.Row && i%p.Stride >= p.First && i%p.Stride < end
	})
	p.Y = place(m.y, count, func(i int) bool { return i >= p.Row*p.width() })
	p.V, p.X = place(m.v, length, isOfBoth), place(m.x, length, isOfBoth)
	if p.Rows > 0 {
		p.W, p.S = place(m.w, length, isOfColumns), place(m.s, length, isOfColumns)
	}
	return p
}

func (p *HessenbergStep[T]) copied() *HessenbergStep[T] {
	c := *p
	c.A, c.Y, c.S = slices.Clone(p.A), slices.Clone(p.Y), slices.Clone(p.S)
	return &c
}

// compare compares got with the definition, given the operands before the call.
func (before *HessenbergStep[T]) compare(got *HessenbergStep[T]) error {
	const updates = 4 // products in an element's update
	eps, width, end := kerneltest.Epsilon[T](), before.width(), before.First+before.Cols
	s := make([]kerneltest.LongSum, len(before.S))
	for j, x := range before.S {
		s[j].Add(1, float64(x))
	}
	total := before.Row + before.Top + before.Rows
	for i := before.Row; i < total; i++ {
		both := i >= before.Row+before.Top
		sums := make([]kerneltest.LongSum, width)
		for j := before.First; j < end; j++ {
			at := i*before.Stride + j
			a := float64(got.A[at])
			var want kerneltest.LongSum
			want.Add(1, float64(before.A[at]))
			for part := range width {
				turned := part * before.ImagOffset
				want.Add(-float64(before.Y[width*i+part]), float64(before.V[turned+j]))
				sums[part].Add(a, float64(before.X[turned+j]))
				if !both {
					continue
				}
				sign := []float64{-1, 1}[part]
				want.Add(sign*float64(before.V[width*i+part]), float64(before.W[turned+j]))
				s[turned+j].Add(float64(before.X[width*i+part]), a)
			}
			if err := want.Check(a, eps, updates); err != nil {
				return fmt.Errorf("A(%d,%d): %w", i, j, err)
			}
		}
		for part := range sums {
			if err := sums[part].Check(float64(got.Y[width*i+part]), eps, before.Cols); err != nil {
				return fmt.Errorf("y[%d]: %w", width*i+part, err)
			}
		}
	}
	for j := range s {
		isResult := j >= before.First && j < end || before.Complex && j >= before.ImagOffset+before.First
		if !isResult {
			if !kerneltest.SameElement(before.S[j], got.S[j]) {
				return fmt.Errorf("s[%d], not a column's, is now %v", j, got.S[j])
			}
			continue
		}
		if err := s[j].Check(float64(got.S[j]), eps, before.Rows); err != nil {
			return fmt.Errorf("s[%d]: %w", j, err)
		}
	}
	for at, x := range before.A {
		i, j := at/before.Stride, at%before.Stride
		if (i < before.Row || j < before.First || j >= end) && !kerneltest.SameElement(x, got.A[at]) {
			return fmt.Errorf("element (%d,%d) changed from %v to %v", i, j, x, got.A[at])
		}
	}
	return nil
}

// checkSimilarity runs a random pass and checks it and its repetition.
func checkSimilarity[T kernel.Float](t *testing.T, s kernel.Set, rng *rand.Rand, m *similarityArenas[T],
	shape similarityShape) {
	p := randomSimilarity(rng, m, shape)
	before := p.copied()
	again := before.copied()
	p.Run(s)
	if err := before.compare(p); err != nil {
		t.Fatalf("%s: %+v: %v", s, shape, err)
	}
	again.Run(s)
	if !slices.EqualFunc(again.Y, p.Y, kerneltest.SameElement[T]) || !slices.EqualFunc(again.S, p.S,
		kerneltest.SameElement[T]) {
		t.Fatalf("%s: %+v: a second call gives other results", s, shape)
	}
}

func TestSimilarity(t *testing.T) {
	t.Run("float32", testSimilarity[float32])
	t.Run("float64", testSimilarity[float64])
}

func testSimilarity[T kernel.Float](t *testing.T) {
	const rounds = 1500
	m := newSimilarityArenas[T](t)
	for _, s := range kernel.Sets() {
		rng := rand.New(rand.NewPCG(71, uint64(s)))
		for range rounds {
			checkSimilarity(t, s, rng, m, randomSimilarityShape(rng))
		}
	}
}

func TestSimilaritiesOutsideOfMemoryAreRefused(t *testing.T) {
	const n = 8
	fits := func() *HessenbergStep[float64] {
		vector := func() []float64 { return make([]float64, n+2*n) }
		return &HessenbergStep[float64]{Top: 2, Rows: 2, Cols: 2 * n, Stride: 2 * n, A: make([]float64, 4*2*n),
			Complex: true, ImagOffset: n,
			Y: make([]float64, n), V: vector(), W: vector(), X: vector(), S: vector()}
	}
	for _, s := range kernel.Sets() {
		fits().Run(s)
		for name, spoil := range map[string]func(*HessenbergStep[float64]){
			"no rows":         func(p *HessenbergStep[float64]) { p.Top, p.Rows = 0, 0 },
			"negative rows":   func(p *HessenbergStep[float64]) { p.Top, p.Rows = 3, -1 },
			"negative row":    func(p *HessenbergStep[float64]) { p.Row = -1 },
			"no columns":      func(p *HessenbergStep[float64]) { p.Cols = 0 },
			"part of a line":  func(p *HessenbergStep[float64]) { p.Cols = n + 2 },
			"negative column": func(p *HessenbergStep[float64]) { p.First = -1 },
			"negative stride": func(p *HessenbergStep[float64]) { p.Stride = -1 },
			"short matrix":    func(p *HessenbergStep[float64]) { p.A = p.A[1:] },
			"short y":         func(p *HessenbergStep[float64]) { p.Y = p.Y[1:] },
			"short v":         func(p *HessenbergStep[float64]) { p.V = p.V[1:] },
			"short w":         func(p *HessenbergStep[float64]) { p.W = p.W[1:] },
			"short x":         func(p *HessenbergStep[float64]) { p.X = p.X[1:] },
			"short s":         func(p *HessenbergStep[float64]) { p.S = p.S[1:] },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: accepted", s, name)
					}
				}()
				p := fits()
				spoil(p)
				p.Run(s)
			}()
		}
	}
}
