package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// forShapes runs try for all small shapes and for some larger ones.
func forShapes(rng *rand.Rand, try func(rows, cols int)) {
	const small, rounds, large = 40, 100, 140 // of these an arena holds a matrix
	for rows := 1; rows <= small; rows++ {
		for cols := 1; cols <= small; cols++ {
			try(rows, cols)
		}
	}
	for range rounds {
		try(1+rng.IntN(large), 1+rng.IntN(large))
	}
}

// bitsOf returns the memory of x.
func bitsOf[T Float](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// fillBits sets x to arbitrary bits; every third element is a NaN of some kind.
func fillBits[T Float](rng *rand.Rand, x []T) {
	b := bitsOf(x)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	size := int(unsafe.Sizeof(x[0]))
	for end := size; end <= len(b); end += 3 * size {
		b[end-2], b[end-1] = 0xff, 0xff // all of the exponent
	}
}

func TestTranspose(t *testing.T) { forSets(t, testTranspose[float32], testTranspose[float64]) }

// testTranspose moves arbitrary bits and compares all memory with the definition.
func testTranspose[T Float](t *testing.T, s Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(11, uint64(s)))
	from, to := newArena[T](t), newArena[T](t)
	forShapes(rng, func(rows, cols int) {
		srcStride, dstStride := cols+rng.IntN(padding), rows+rng.IntN(padding)
		src := from.place(rng, (rows-1)*srcStride+cols)
		dst := to.place(rng, (cols-1)*dstStride+rows)
		fillBits(rng, src)
		fillBits(rng, dst)
		want := slices.Clone(dst)
		for i := range rows {
			for j := range cols {
				want[j*dstStride+i] = src[i*srcStride+j]
			}
		}
		before := slices.Clone(src)
		Transpose(s, rows, cols, src, srcStride, dst, dstStride)
		if !bytes.Equal(bitsOf(want), bitsOf(dst)) || !bytes.Equal(bitsOf(before), bitsOf(src)) {
			t.Fatalf("%dx%d, strides %d, %d", rows, cols, srcStride, dstStride)
		}
	})
}

func TestCopy(t *testing.T) { forSets(t, testCopy[float32], testCopy[float64]) }

// testCopy moves arbitrary bits and compares all memory with the definition.
func testCopy[T Float](t *testing.T, s Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(12, uint64(s)))
	from, to := newArena[T](t), newArena[T](t)
	for range 3000 {
		p := Panel[T]{Count: 1 + rng.IntN(4), Rows: 1 + rng.IntN(20), Cols: 1 + rng.IntN(BlockingOf[T](s).TileCols())}
		p.FromStep = p.Cols + rng.IntN(padding)
		p.FromRow = p.Count*p.FromStep + rng.IntN(padding)
		p.ToRow = p.Cols + rng.IntN(padding)
		p.ToStep = p.Rows*p.ToRow + rng.IntN(padding)
		p.From = from.place(rng, (p.Count-1)*p.FromStep+(p.Rows-1)*p.FromRow+p.Cols)
		p.To = to.place(rng, (p.Count-1)*p.ToStep+(p.Rows-1)*p.ToRow+p.Cols)
		fillBits(rng, p.From)
		fillBits(rng, p.To)
		want, before := slices.Clone(p.To), slices.Clone(p.From)
		for n := range p.Count {
			for i := range p.Rows {
				for j := range p.Cols {
					want[n*p.ToStep+i*p.ToRow+j] = p.From[n*p.FromStep+i*p.FromRow+j]
				}
			}
		}
		Copy(s, &p)
		if !bytes.Equal(bitsOf(want), bitsOf(p.To)) || !bytes.Equal(bitsOf(before), bitsOf(p.From)) {
			t.Fatalf("%d tiles of %dx%d, strides %d,%d %d,%d", p.Count, p.Rows, p.Cols, p.FromRow, p.FromStep, p.ToRow, p.ToStep)
		}
	}
}

func TestPairs(t *testing.T) { forSets(t, testPairs[float32], testPairs[float64]) }

// testPairs changes signs of arbitrary bits and compares all memory with the definition, with From apart from To and within it.
func testPairs[T Float](t *testing.T, s Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(14, uint64(s)))
	from, to := newArena[T](t), newArena[T](t)
	sign := func() T { return T(1 - 2*rng.IntN(2)) }
	for range 3000 {
		p := Panel[T]{Count: 1 + rng.IntN(4), Rows: 1 + rng.IntN(20), Cols: 2 * (1 + rng.IntN(BlockingOf[T](s).TileCols()/2))}
		p.ToRow = p.Cols + rng.IntN(padding)
		p.ToStep = pairRows*p.Rows*p.ToRow + rng.IntN(padding)
		p.To = to.place(rng, (p.Count-1)*p.ToStep+(pairRows*p.Rows-1)*p.ToRow+p.Cols)
		fillNormal(rng, p.To)
		inPlace := rng.IntN(2) == 0
		if inPlace {
			p.From, p.FromStep, p.FromRow = p.To, p.ToStep, pairRows*p.ToRow
		} else {
			p.FromStep = p.Cols + rng.IntN(padding)
			p.FromRow = p.Count*p.FromStep + rng.IntN(padding)
			p.From = from.place(rng, (p.Count-1)*p.FromStep+(p.Rows-1)*p.FromRow+p.Cols)
			fillNormal(rng, p.From)
			p.From[rng.IntN(len(p.From))] = 0
			p.From[rng.IntN(len(p.From))] = T(math.Inf(1))
		}
		upper, lower := [2]T{sign(), sign()}, [2]T{sign(), sign()}
		want, before := slices.Clone(p.To), slices.Clone(p.From)
		for n := range p.Count {
			for i := range p.Rows {
				for j := range p.Cols {
					at := n*p.ToStep + 2*i*p.ToRow + j
					pair := before[n*p.FromStep+i*p.FromRow+j/2*2:]
					want[at] = upper[j%2] * pair[j%2]
					want[at+p.ToRow] = lower[j%2] * pair[1-j%2]
				}
			}
		}
		Pairs(s, &p, upper, lower)
		if !bytes.Equal(bitsOf(want), bitsOf(p.To)) || !inPlace && !bytes.Equal(bitsOf(before), bitsOf(p.From)) {
			t.Fatalf("%d tiles of %dx%d, strides %d,%d %d,%d, in place %v", p.Count, p.Rows, p.Cols, p.FromRow, p.FromStep, p.ToRow, p.ToStep, inPlace)
		}
	}
}

// placeRows returns a matrix in m whose rows are stride apart. What lies between its rows is NaN.
func placeRows[T Float](rng *rand.Rand, m arena[T], rows, cols, stride int) []T {
	x := m.place(rng, (rows-1)*stride+cols)
	fillNaN(x)
	for i := range rows {
		fillNormal(rng, x[i*stride:][:cols])
	}
	return x
}

// randomSystem returns a lower triangular matrix for Solve. What is not part of it is NaN.
func randomSystem[T Float](rng *rand.Rand, m arena[T], order int) []T {
	l := m.place(rng, (order-1)*SolveOrder+order)
	fillNaN(l)
	for i := range order {
		fillNormal(rng, l[i*SolveOrder:][:i+1])
	}
	return l
}

// systemCase is a call of Solve.
type systemCase[T Float] struct {
	l, x                       []T
	order, first, stride, cols int
}

func randomSystemCase[T Float](rng *rand.Rand, matrices, sides arena[T], order, cols int) *systemCase[T] {
	const padding = 5
	c := &systemCase[T]{order: order, stride: cols + rng.IntN(padding), cols: cols}
	c.l, c.x = randomSystem(rng, matrices, order), placeRows(rng, sides, order, cols, c.stride)
	if rng.IntN(2) == 0 {
		c.first, c.stride = (order-1)*c.stride, -c.stride
	}
	return c
}

// check compares each row of the solution in got with what the rows above it give, and all other memory with what it was.
func (c *systemCase[T]) check(t *testing.T, got []T) {
	t.Helper()
	want := slices.Clone(c.x)
	for i := range c.order {
		for j := range c.cols {
			at := c.first + i*c.stride + j
			var sum longSum
			sum.add(1, float64(c.x[at]))
			for k := range i {
				sum.add(-float64(c.l[i*SolveOrder+k]), float64(got[c.first+k*c.stride+j]))
			}
			reciprocal := float64(c.l[i*SolveOrder+i])
			sum.high, sum.low, sum.size = sum.high*reciprocal, sum.low*reciprocal, sum.size*math.Abs(reciprocal)
			if err := sum.check(float64(got[at]), epsilon[T](), i); err != nil {
				t.Fatalf("order %d, %d columns, stride %d, element (%d,%d): %v", c.order, c.cols, c.stride, i, j, err)
			}
			want[at] = got[at]
		}
	}
	if i := differ(want, got); i >= 0 {
		t.Fatalf("order %d, %d columns, stride %d: element %d is %v, want %v", c.order, c.cols, c.stride, i, got[i], want[i])
	}
}

// checkProduct compares got with the triangle times what X was, and all other memory with what it was.
func (c *systemCase[T]) checkProduct(t *testing.T, got []T) {
	t.Helper()
	want := slices.Clone(c.x)
	for i := range c.order {
		for j := range c.cols {
			at := c.first + i*c.stride + j
			var sum longSum
			for k := range i + 1 {
				sum.add(float64(c.l[i*SolveOrder+k]), float64(c.x[c.first+k*c.stride+j]))
			}
			if err := sum.check(float64(got[at]), epsilon[T](), i); err != nil {
				t.Fatalf("order %d, %d columns, stride %d, element (%d,%d): %v", c.order, c.cols, c.stride, i, j, err)
			}
			want[at] = got[at]
		}
	}
	if i := differ(want, got); i >= 0 {
		t.Fatalf("order %d, %d columns, stride %d: element %d is %v, want %v", c.order, c.cols, c.stride, i, got[i], want[i])
	}
}

func TestSolve(t *testing.T) {
	forSets(t, func(t *testing.T, s Set) { testSystem(t, s, Solve[float32], (*systemCase[float32]).check) },
		func(t *testing.T, s Set) { testSystem(t, s, Solve[float64], (*systemCase[float64]).check) })
}

func TestMultiplyTriangular(t *testing.T) {
	forSets(t, func(t *testing.T, s Set) {
		testSystem(t, s, MultiplyTriangular[float32], (*systemCase[float32]).checkProduct)
	}, func(t *testing.T, s Set) {
		testSystem(t, s, MultiplyTriangular[float64], (*systemCase[float64]).checkProduct)
	})
}

// testSystem also cuts the columns in two, which must not change a bit.
func testSystem[T Float](t *testing.T, s Set, run func(s Set, order int, l, x []T, first, stride, cols int), check func(*systemCase[T], *testing.T, []T)) {
	const mostCols, rounds, large = 130, 50, 1500
	rng := rand.New(rand.NewPCG(12, uint64(s)))
	matrices, sides := newArena[T](t), newArena[T](t)
	try := func(order, cols int) {
		c := randomSystemCase(rng, matrices, sides, order, cols)
		before := *c
		before.x = slices.Clone(c.x)
		run(s, order, c.l, c.x, c.first, c.stride, cols)
		check(&before, t, c.x)
		if cut := rng.IntN(cols); cut > 0 {
			run(s, order, c.l, before.x, c.first, c.stride, cut)
			run(s, order, c.l, before.x, c.first+cut, c.stride, cols-cut)
			if i := differ(c.x, before.x); i >= 0 {
				t.Fatalf("order %d, %d columns cut at %d: element %d is %v, want %v", order, cols, cut, i, before.x[i], c.x[i])
			}
		}
	}
	for order := 1; order <= SolveOrder; order++ {
		for cols := 1; cols <= mostCols; cols++ {
			try(order, cols)
		}
	}
	for range rounds {
		try(1+rng.IntN(SolveOrder), 1+rng.IntN(large))
	}
}

func randomRotations[T Float](rng *rand.Rand, m arena[T], n int) []Rotation[T] {
	if n == 0 {
		return nil
	}
	q := unsafe.Slice((*Rotation[T])(unsafe.Pointer(&m.place(rng, 2*n)[0])), n)
	for i := range q {
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		q[i] = Rotation[T]{C: T(c), S: T(s)}
	}
	return q
}

// rotated returns what Rotate has to make of a, and the lengths of the columns of a.
func rotated[T Float](q []Rotation[T], down bool, a []T, stride, cols int) (want, lengths []float64) {
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

func TestRotate(t *testing.T) { forSets(t, testRotate[float32], testRotate[float64]) }

// testRotate also cuts the columns in two, which must not change a bit.
func testRotate[T Float](t *testing.T, s Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(13, uint64(s)))
	rotations, matrices := newArena[T](t), newArena[T](t)
	forShapes(rng, func(rows, cols int) {
		stride, down := cols+rng.IntN(padding), rng.IntN(2) == 0
		q := randomRotations(rng, rotations, rows-1)
		a := placeRows(rng, matrices, rows, cols, stride)
		before := slices.Clone(a)
		Rotate(s, q, down, a, stride, cols)
		if err := checkRotated(q, down, before, a, stride, cols); err != nil {
			t.Fatalf("%dx%d, stride %d, down %v: %v", rows, cols, stride, down, err)
		}
		if cut := rng.IntN(cols); cut > 0 {
			Rotate(s, q, down, before, stride, cut)
			Rotate(s, q, down, before[cut:], stride, cols-cut)
			if i := differ(a, before); i >= 0 {
				t.Fatalf("%dx%d cut at column %d: element %d is %v, want %v", rows, cols, cut, i, before[i], a[i])
			}
		}
	})
}

// checkRotated compares got with the definition and allows for one rounding error of a column's length for each rotation.
func checkRotated[T Float](q []Rotation[T], down bool, before, got []T, stride, cols int) error {
	want, lengths := rotated(q, down, before, stride, cols)
	for at, x := range got {
		i, j := at/stride, at%stride
		if j >= cols {
			if x == x {
				return fmt.Errorf("element %d is outside and was written", at)
			}
		} else if limit := float64(len(q)+2) * epsilon[T]() * lengths[j]; !(math.Abs(float64(x)-want[at]) <= limit) {
			return fmt.Errorf("element (%d,%d): %v, want %v within %.1g", i, j, x, want[at], limit)
		}
	}
	return nil
}

func TestPanelsOutsideOfMemoryAreRefused(t *testing.T) {
	forSets(t, testPanelsRefused[float32], testPanelsRefused[float64])
}

// testPanelsRefused makes calls that fit x just so, and then with an element less.
func testPanelsRefused[T Float](t *testing.T, s Set) {
	enough, q := make([]T, 100), make([]Rotation[T], 2)
	for name, call := range map[string]func(x []T){
		"Transpose, source":      func(x []T) { Transpose(s, 3, 4, x, 4, enough, 3) },
		"Transpose, destination": func(x []T) { Transpose(s, 4, 3, enough, 3, x, 4) },
		"Solve, matrix":          func(x []T) { Solve(s, 2, x[2:], enough, 0, 2, 2) },
		"Solve":                  func(x []T) { Solve(s, 2, enough, x, 0, 8, 4) },
		"Solve, upwards":         func(x []T) { Solve(s, 2, enough, enough, len(x)-4, -8, 4) },
		"Rotate":                 func(x []T) { Rotate(s, q, false, x, 4, 4) },
	} {
		call(make([]T, 12))
		if !panics(func() { call(make([]T, 11)) }) {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, call := range map[string]func(){
		"order 0":         func() { Solve(s, 0, enough, enough, 0, 1, 1) },
		"order 9":         func() { Solve(s, SolveOrder+1, enough, enough, 0, 1, 1) },
		"no columns":      func() { Rotate(s, q, true, enough, 1, 0) },
		"negative stride": func() { Transpose(s, 1, 1, enough, -1, enough, 1) },
		"no rows":         func() { Transpose(s, 0, 1, enough, 1, enough, 1) },
	} {
		if !panics(call) {
			t.Errorf("%s: accepted", name)
		}
	}
}

func panics(call func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	call()
	return false
}
