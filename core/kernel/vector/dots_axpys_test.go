package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// rowsTest is one of the kernels that pass over rows: what it computes, and how it is called.
type rowsTest struct {
	name        string
	dots, axpys bool
	width       int
}

var rowsTests = []rowsTest{
	{"Dots", true, false, 1}, {"DotsPair", true, false, 2},
	{"Axpys", false, true, 1}, {"AxpysPair", false, true, 2},
	{"DotsAxpys", true, true, 1}, {"DotsAxpysPair", true, true, 2},
}

// rowsCase holds the operands of a call: x, y in columns, sums, alpha in rows, two of each.
type rowsCase[T kernel.Float] struct {
	Rows[T]
	x, y        [2][]T
	sums, alpha []T
}

func (c *rowsCase[T]) run(s kernel.Set, k rowsTest) {
	switch k.name {
	case "Dots":
		Dots(s, &c.Rows, c.x[0], c.sums)
	case "DotsPair":
		DotsPair(s, &c.Rows, c.x[0], c.x[1], c.sums)
	case "Axpys":
		Axpys(s, &c.Rows, c.alpha, c.y[0])
	case "AxpysPair":
		AxpysPair(s, &c.Rows, c.alpha, c.y[0], c.y[1])
	case "DotsAxpys":
		DotsAxpys(s, &c.Rows, c.x[0], c.sums, c.alpha, c.y[0])
	case "DotsAxpysPair":
		DotsAxpysPair(s, &c.Rows, c.x[0], c.x[1], c.sums, c.alpha, c.y[0], c.y[1])
	}
}

// copied returns c with its own results.
func (c *rowsCase[T]) copied() *rowsCase[T] {
	d := *c
	d.sums, d.y = slices.Clone(c.sums), [2][]T{slices.Clone(c.y[0]), slices.Clone(c.y[1])}
	return &d
}

// part returns the rows and columns of c from the given ones on; it shares all memory.
func (c *rowsCase[T]) part(width, row, rows, col, cols int) *rowsCase[T] {
	d := *c
	d.Count, d.Cols, d.A = rows, cols, c.A[row*c.Stride+col:]
	d.sums, d.alpha = c.sums[width*row:], c.alpha[width*row:]
	for v := range width {
		d.x[v], d.y[v] = c.x[v][col:], c.y[v][col:]
	}
	return &d
}

// rowsArenas are fenced memory for each operand.
type rowsArenas[T kernel.Float] struct {
	a, sums, alpha kerneltest.Arena[T]
	x, y           [2]kerneltest.Arena[T]
}

func newRowsArenas[T kernel.Float](t *testing.T) *rowsArenas[T] {
	m := kerneltest.NewArena[T]
	return &rowsArenas[T]{a: m(t), sums: m(t), alpha: m(t), x: [2]kerneltest.Arena[T]{m(t), m(t)},
		y: [2]kerneltest.Arena[T]{m(t), m(t)}}
}

// random places operands. Between the rows and behind all operands there may be NaNs.
func (m *rowsArenas[T]) random(rng *rand.Rand, k rowsTest, rows, cols int) *rowsCase[T] {
	const padding = 3
	pad := func() int { return max(0, rng.IntN(2*padding)-padding) }
	vector := func(a kerneltest.Arena[T], n int) []T {
		x := a.Place(rng, n+pad())
		kerneltest.FillNormal(rng, x[:n])
		kerneltest.FillNaN(x[n:])
		return x
	}
	stride := cols + pad()
	c := &rowsCase[T]{Rows: Rows[T]{Count: rows, Cols: cols, Stride: stride, A: m.a.Place(rng, (rows-1)*stride+cols)}}
	c.Prefetch = rng.IntN(2) == 0 // into the fence and beyond
	kerneltest.FillNaN(c.A)
	for i := range rows {
		kerneltest.FillNormal(rng, c.row(i))
	}
	for v := range 2 {
		c.x[v], c.y[v] = vector(m.x[v], cols), vector(m.y[v], cols)
	}
	c.sums, c.alpha = vector(m.sums, rows*k.width), vector(m.alpha, rows*k.width)
	return c
}

// check compares got with the definitions, given the operands before the call.
func (before *rowsCase[T]) check(k rowsTest, got *rowsCase[T]) error {
	want := before.copied()
	eps := kerneltest.Epsilon[T]()
	for v := range k.width {
		for i := range want.Count {
			if !k.dots {
				break
			}
			var s kerneltest.LongSum
			s.Add(1, float64(before.sums[k.width*i+v]))
			for j, a := range want.row(i) {
				s.Add(float64(a), float64(want.x[v][j]))
			}
			if err := s.Check(float64(got.sums[k.width*i+v]), eps, want.Cols); err != nil {
				return fmt.Errorf("sum %d of row %d: %w", v, i, err)
			}
			want.sums[k.width*i+v] = got.sums[k.width*i+v]
		}
		for j := range want.Cols {
			if !k.axpys {
				break
			}
			var s kerneltest.LongSum
			s.Add(1, float64(before.y[v][j]))
			for i := range want.Count {
				s.Add(float64(want.alpha[k.width*i+v]), float64(want.row(i)[j]))
			}
			if err := s.Check(float64(got.y[v][j]), eps, want.Count); err != nil {
				return fmt.Errorf("vector %d, column %d: %w", v, j, err)
			}
			want.y[v][j] = got.y[v][j]
		}
	}
	return sameResults(want, got) // all else is as it was
}

// sameResults compares the bits of all that a kernel might write to, what lies behind the results too.
func sameResults[T kernel.Float](want, got *rowsCase[T]) error {
	if i := kerneltest.Differ(want.sums, got.sums); i >= 0 {
		return fmt.Errorf("sums[%d] is %v, want %v", i, got.sums[i], want.sums[i])
	}
	for v := range want.y {
		if j := kerneltest.Differ(want.y[v], got.y[v]); j >= 0 {
			return fmt.Errorf("y%d[%d] is %v, want %v", v, j, got.y[v][j], want.y[v][j])
		}
	}
	return nil
}

// forRows runs test for all sets, dtypes and kernels of rows.
func forRows(t *testing.T, single func(*testing.T, kernel.Set, rowsTest),
	double func(*testing.T, kernel.Set, rowsTest)) {
	for _, k := range rowsTests {
		t.Run(k.name, func(t *testing.T) {
			kerneltest.ForSets(t, func(t *testing.T, s kernel.Set) { single(t, s, k) },
				func(t *testing.T, s kernel.Set) { double(t, s, k) })
		})
	}
}

func TestRows(t *testing.T) { forRows(t, testRows[float32], testRows[float64]) }

func testRows[T kernel.Float](t *testing.T, s kernel.Set, k rowsTest) {
	const rounds, smallRows, smallCols, largeRows, largeCols = 300, 19, 70, 35, 600
	rng := rand.New(rand.NewPCG(3, uint64(s)))
	m := newRowsArenas[T](t)
	try := func(rows, cols int) {
		c := m.random(rng, k, rows, cols)
		before := c.copied()
		c.run(s, k)
		if err := before.check(k, c); err != nil {
			t.Fatalf("%dx%d, stride %d: %v", rows, cols, c.Stride, err)
		}
	}
	for rows := 1; rows <= smallRows; rows++ {
		for cols := 1; cols <= smallCols; cols++ {
			try(rows, cols)
		}
	}
	for range rounds {
		try(1+rng.IntN(largeRows), 1+rng.IntN(largeCols))
	}
}

func TestCutsKeepBits(t *testing.T) { forRows(t, testCuts[float32], testCuts[float64]) }

// testCuts cuts runs at multiples of RowGroup, and columns anywhere if there are no sums over them.
func testCuts[T kernel.Float](t *testing.T, s kernel.Set, k rowsTest) {
	const rounds, mostRows, mostCols = 300, 40, 200
	rng := rand.New(rand.NewPCG(4, uint64(s)))
	m := newRowsArenas[T](t)
	for range rounds {
		rows, cols := RowGroup+1+rng.IntN(mostRows-RowGroup), 2+rng.IntN(mostCols)
		whole := m.random(rng, k, rows, cols)
		cut := whole.copied()
		whole.run(s, k)
		row, col := RowGroup*(1+rng.IntN((rows-1)/RowGroup)), cols
		if !k.dots {
			col = 1 + rng.IntN(cols-1)
		}
		cut.part(k.width, 0, row, 0, col).run(s, k)
		cut.part(k.width, row, rows-row, 0, col).run(s, k)
		if col < cols {
			cut.part(k.width, 0, rows, col, cols-col).run(s, k)
		}
		if err := sameResults(whole, cut); err != nil {
			t.Fatalf("%dx%d cut at row %d, column %d: %v", rows, cols, row, col, err)
		}
	}
}

func TestOneElementReachesItsSumsOnly(t *testing.T) {
	forRows(t, testOneElement[float32], testOneElement[float64])
}

// testOneElement puts an infinity or a NaN in one place of a matrix of ones: its row's sums and its column of y take it
// over, all other results are the finite numbers that they should be.
func testOneElement[T kernel.Float](t *testing.T, s kernel.Set, k rowsTest) {
	const rows, mostCols = 15, 40
	for cols := 1; cols <= mostCols; cols++ {
		for at := range rows * cols {
			special := T(math.Inf(1))
			if at%2 == 0 {
				special = T(math.NaN())
			}
			ones := func(n int) []T { return slices.Repeat([]T{1}, n) }
			c := &rowsCase[T]{Rows: Rows[T]{Count: rows, Cols: cols, Stride: cols, A: ones(rows * cols)},
				x: [2][]T{ones(cols), ones(cols)}, y: [2][]T{ones(cols),
					ones(cols)}, sums: ones(2 * rows), alpha: ones(2 * rows)}
			want := c.copied()
			c.A[at] = special
			c.run(s, k)
			for v := range k.width {
				for i := 0; k.dots && i < rows; i++ {
					want.sums[k.width*i+v] = T(cols + 1)
				}
				for j := 0; k.axpys && j < cols; j++ {
					want.y[v][j] = rows + 1
				}
				if k.dots {
					want.sums[k.width*(at/cols)+v] = special
				}
				if k.axpys {
					want.y[v][at%cols] = special
				}
			}
			if err := sameResults(want, c); err != nil {
				t.Fatalf("%v at (%d,%d) of %d columns: %v", special, at/cols, at%cols, cols, err)
			}
		}
	}
}

func TestRowsOutsideOfMemoryAreRefused(t *testing.T) {
	forRows(t, testRowsRefused[float32], testRowsRefused[float64])
}

func testRowsRefused[T kernel.Float](t *testing.T, s kernel.Set, k rowsTest) {
	const rows, cols, stride = 3, 5, 6
	fits := func() *rowsCase[T] {
		return &rowsCase[T]{Rows: Rows[T]{Count: rows, Cols: cols, Stride: stride, A: make([]T, (rows-1)*stride+cols)},
			x: [2][]T{make([]T, cols), make([]T, cols)}, y: [2][]T{make([]T, cols), make([]T, cols)},
			sums: make([]T, k.width*rows), alpha: make([]T, k.width*rows)}
	}
	fits().run(s, k)
	for name, spoil := range map[string]func(*rowsCase[T]){
		"no rows":           func(c *rowsCase[T]) { c.Count = 0 },
		"no columns":        func(c *rowsCase[T]) { c.Cols = 0 },
		"negative stride":   func(c *rowsCase[T]) { c.Stride = -1 },
		"short matrix":      func(c *rowsCase[T]) { c.A = c.A[1:] },
		"short columns":     func(c *rowsCase[T]) { c.x[k.width-1], c.y[k.width-1] = c.x[0][1:], c.y[0][1:] },
		"short row results": func(c *rowsCase[T]) { c.sums, c.alpha = c.sums[1:], c.alpha[1:] },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			c := fits()
			spoil(c)
			c.run(s, k)
		}()
	}
}
