package blas

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// forSets runs a test with every set of kernels that this machine supports.
func forSets(t *testing.T, single, double func(*testing.T, kernel.Set)) {
	for _, s := range kernel.Sets() {
		t.Run(s.String()+"/float32", func(t *testing.T) { single(t, s) })
		t.Run(s.String()+"/float64", func(t *testing.T) { double(t, s) })
	}
}

// realProduct is one case of a real product.
type realProduct[T dense.Float] struct {
	tA, tB      Transpose
	m, n, k     int
	alpha, beta T
	a, b, c     dense.Matrix[T]
	memory      []T // c and the guard elements around it
}

func (p *realProduct[T]) String() string {
	return fmt.Sprintf("%c%c %dx%dx%d strides %d %d %d alpha %v beta %v", p.tA, p.tB, p.m, p.n, p.k, p.a.Stride,
		p.b.Stride, p.c.Stride, p.alpha, p.beta)
}

const guardWord = 12345.5

// tight returns a random matrix whose memory ends with its last element, with NaNs between its rows.
func tight[T dense.Float](rng *rand.Rand, rows, cols, stride int) dense.Matrix[T] {
	m := dense.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: make([]T, (rows-1)*stride+cols)}
	for i := range m.Data {
		m.Data[i] = T(math.NaN())
		if i%stride < cols {
			m.Data[i] = T(rng.NormFloat64())
		}
	}
	return m
}

func newProduct[T dense.Float](rng *rand.Rand, m, n, k int) *realProduct[T] {
	either := func() Transpose { return []Transpose{NoTrans, Trans, ConjTrans}[rng.IntN(3)] }
	p := &realProduct[T]{tA: either(), tB: either(), m: m, n: n, k: k}
	p.alpha = []T{1, -1, T(rng.NormFloat64())}[rng.IntN(3)]
	p.beta = []T{0, 1, T(rng.NormFloat64())}[rng.IntN(3)]
	padding := []int{0, 1, 3, 8}[rng.IntN(4)]
	ar, ac := opShape(p.tA, m, k)
	br, bc := opShape(p.tB, k, n)
	p.a, p.b = tight[T](rng, ar, ac, ac+padding), tight[T](rng, br, bc, bc+padding)
	stride, offset := n+padding, rng.IntN(9)
	p.memory = make([]T, offset+m*stride+9)
	for i := range p.memory {
		p.memory[i] = guardWord
	}
	p.c = dense.Matrix[T]{Rows: m, Cols: n, Stride: stride, Data: p.memory[offset : offset+(m-1)*stride+n]}
	for i := range m {
		for j := range n {
			p.c.Set(i, j, T(rng.NormFloat64()))
			if p.beta == 0 {
				p.c.Set(i, j, T(math.NaN())) // must not be read
			}
		}
	}
	return p
}

// expected returns the result in double precision, and the sums of moduli that errors are measured against.
func (p *realProduct[T]) expected() (want, size dense.Matrix[float64]) {
	want, size = dense.New[float64](p.m, p.n), dense.New[float64](p.m, p.n)
	a, b := operandOf(opOf(p.tA, p.a)), operandOf(opOf(p.tB, p.b))
	for i := range p.m {
		for q := range p.k {
			x := float64(p.alpha) * float64(a.data[i*a.row+q*a.col])
			for j := range p.n {
				y := x * float64(b.data[q*b.row+j*b.col])
				want.Data[i*p.n+j] += y
				size.Data[i*p.n+j] += math.Abs(y)
			}
		}
		for j := range p.n {
			if p.beta != 0 {
				y := float64(p.beta) * float64(p.c.At(i, j))
				want.Data[i*p.n+j] += y
				size.Data[i*p.n+j] += math.Abs(y)
			}
		}
	}
	return want, size
}

// run computes the product and checks it and the memory around it. multiply may compute a small product by other code,
// which must give the same bits.
func (p *realProduct[T]) run(s kernel.Set, team *sched.Team) error {
	want, size := p.expected()
	again := p.c.Clone()
	if err := multiply(s, team, full, p.alpha, opOf(p.tA, p.a), opOf(p.tB, p.b), p.beta, again); err != nil {
		return err
	}
	if err := gemmReal(s, team, full, p.alpha, opOf(p.tA, p.a), opOf(p.tB, p.b), p.beta, p.c); err != nil {
		return err
	}
	for i := range p.m {
		for j := range p.n {
			if p.c.At(i, j) != again.At(i, j) {
				return fmt.Errorf("C[%d,%d] = %v and %v", i, j, p.c.At(i, j), again.At(i, j))
			}
		}
	}
	return p.check(want, size)
}

// check compares C with the result of expected and checks that the memory around it is unchanged.
func (p *realProduct[T]) check(want, size dense.Matrix[float64]) error {
	for i := range p.m {
		for j := range p.n {
			limit := float64(p.k+3) * dense.Eps[T]() * size.At(i, j)
			if got := float64(p.c.At(i, j)); !(math.Abs(got-want.At(i, j)) <= limit) {
				return fmt.Errorf("C[%d,%d] = %v, want %v within %.1g", i, j, got, want.At(i, j), limit)
			}
		}
	}
	guards := 0
	for _, x := range p.memory {
		if x == guardWord {
			guards++
		}
	}
	if guards != len(p.memory)-p.m*p.n {
		return errors.New("memory around C was written")
	}
	return nil
}

func TestGemmReal(t *testing.T) { forSets(t, testGemmReal[float32], testGemmReal[float64]) }

// testGemmReal checks random shapes: most have a few tiles, some are longer than a block in one direction.
func testGemmReal[T dense.Float](t *testing.T, s kernel.Set) {
	const few, many = 70, 700
	rng := rand.New(rand.NewPCG(11, uint64(s)))
	team := startedTeam(2)
	for round := range rounds(1200) {
		shape := [3]int{1 + rng.IntN(few), 1 + rng.IntN(few), 1 + rng.IntN(few)}
		if round%8 == 0 {
			shape[rng.IntN(3)] = 1 + rng.IntN(many)
		}
		p := newProduct[T](rng, shape[0], shape[1], shape[2])
		if err := p.run(s, team); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
}

func TestGemmDirect(t *testing.T) {
	t.Run("float32", testGemmDirect[float32])
	t.Run("float64", testGemmDirect[float64])
}

func testGemmDirect[T dense.Float](t *testing.T) {
	const most = 150
	rng := rand.New(rand.NewPCG(12, 13))
	for range rounds(3000) {
		p := newProduct[T](rng, 1+rng.IntN(most), 1+rng.IntN(most), 1+rng.IntN(most))
		if p.tA != NoTrans || p.tB != NoTrans {
			continue // a ninth of the cases remain
		}
		want, size := p.expected()
		if next := make([]T, rng.IntN(most*most)); rng.IntN(2) == 0 {
			GemmDirect(p.alpha, p.a, p.b, p.beta, p.c)
		} else {
			GemmDirectBefore(p.alpha, p.a, p.b, p.beta, p.c, next[:rng.IntN(len(next)+1)])
		}
		if err := p.check(want, size); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
}

func TestGemmComplex(t *testing.T) {
	forSets(t, testGemmComplex[float32, complex64], testGemmComplex[float64, complex128])
}

// testGemmComplex checks random shapes, alpha, beta and conjugates, and the memory around C, for one and three threads.
func testGemmComplex[R dense.Float, T dense.Complex](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(15, uint64(s)))
	either := func() Transpose { return []Transpose{NoTrans, Trans, ConjTrans}[rng.IntN(3)] }
	factor := func() T { return []T{0, 1, number[T](rng), dense.FromReal[T](-0.5)}[rng.IntN(4)] }
	team := startedTeam(3)
	for round := range rounds(500) {
		m, n, k := 1+rng.IntN(40), 1+rng.IntN(40), 1+rng.IntN(40)
		if round%40 == 0 {
			m, n, k = 1+rng.IntN(150), 1+rng.IntN(200), 1+rng.IntN(300)
		}
		tA, tB, alpha, beta := either(), either(), factor(), factor()
		ar, ac := opShape(tA, m, k)
		br, bc := opShape(tB, k, n)
		a, b, before := random[T](rng, ar, ac), random[T](rng, br, bc), random[T](rng, m, n)
		c := before.Clone()
		whole := dense.New[T](m+2, n+2)
		whole.Fill(guardWord)
		inner := whole.Slice(1, m+1, 1, n+1)
		if beta != 0 {
			inner.CopyFrom(before)
		} else {
			inner.Fill(dense.FromReal[T](math.NaN()))
			c.Fill(0)
		}
		if alpha == 0 {
			alpha = 2
		}
		if err := gemmComplex[R](s, team, full, alpha, opOf(tA, a), opOf(tB, b), beta, inner); err != nil {
			t.Fatal(err)
		}
		want := product(tA, tB, a, b, m, n, k)
		for i := range m + 2 {
			for j := range n + 2 {
				got := whole.At(i, j)
				if i == 0 || j == 0 || i > m || j > n {
					if got != guardWord {
						t.Fatalf("memory around C was written at %d,%d", i, j)
					}
					continue
				}
				exact := dense.Convert[complex128](alpha)*want.At(i-1,
					j-1) + dense.Convert[complex128](beta)*dense.Convert[complex128](c.At(i-1, j-1))
				if !closeTo(got, exact, k) {
					t.Fatalf("%c%c %dx%dx%d alpha %v beta %v: C[%d,%d] = %v, want %v", tA, tB, m, n, k, alpha, beta,
						i-1, j-1, got, exact)
				}
			}
		}
	}
}

// rounds returns how many random cases to try: fewer under -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

func TestGemmEveryWayOfPacking(t *testing.T) { forSets(t, testPacking[float32], testPacking[float64]) }

// testPacking checks random transposes on shapes around the sizes of tiles and blocks and the limits of packing.
func testPacking[T dense.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(12, uint64(s)))
	size := kernel.BlockingOf[T](s)
	const page = 1024 // rows of this length are a multiple of 4096 bytes in both dtypes
	shapes := [][3]int{
		{size.Rows, size.TileCols(), size.Inner}, {size.Rows + 1, size.TileCols() + 1, size.Inner + 1},
		{fewRows + 1, size.Cols + size.Lanes, 2*size.Inner + 5}, {fewRows, size.Cols + 1, 9}, {33, page, 40}, {page, 33,
			40}, {33, 65, page},
		{1, 300, 300}, {300, 1, 300}, {300, 300, 1}, {2, 2, 1500},
	}
	for _, shape := range shapes {
		for range 1 + rounds(5) {
			p := newProduct[T](rng, shape[0], shape[1], shape[2])
			if err := p.run(s, nil); err != nil {
				t.Fatalf("%v: %v", p, err)
			}
		}
	}
}

func TestGemmPropagatesInfinitiesAndNaNs(t *testing.T) {
	forSets(t, testNotFinite[float32], testNotFinite[float64])
}

// testNotFinite puts an infinity or a NaN into B: that column of C must become NaN although A is zero.
func testNotFinite[T dense.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(14, uint64(s)))
	const m, n, k = 19, 53, 31
	for _, x := range []T{T(math.NaN()), T(math.Inf(-1))} {
		for _, trans := range []Transpose{NoTrans, Trans} {
			p, q := rng.IntN(k), rng.IntN(n)
			b := tight[T](rng, k, n, n)
			if trans == Trans {
				b = tight[T](rng, n, k, k)
				b.Set(q, p, x)
			} else {
				b.Set(p, q, x)
			}
			c := dense.New[T](m, n)
			if err := gemmReal(s, nil, full, 1, plain(dense.New[T](m, k)), opOf(trans, b), 1, c); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				for j := range n {
					if got := c.At(i, j); (j == q) != (got != got) {
						t.Fatalf("%v in column %d: C[%d,%d] = %v", x, q, i, j, got)
					}
				}
			}
		}
	}
}

func TestGemmAlphaZeroReadsNothing(t *testing.T) {
	a := dense.New[float64](3, 3)
	a.Fill(math.NaN())
	for _, beta := range []float64{0, 2} {
		c := dense.New[float64](3, 3)
		c.Fill(1)
		Gemm(nil, NoTrans, NoTrans, 0, a, a, beta, c)
		if want := beta; c.At(1, 2) != want {
			t.Errorf("beta %v: %v", beta, c.At(1, 2))
		}
	}
}

// Products of all kernel sets stop when they are cancelled, and leave no goroutines behind but sleeping workers.
func TestGemmObeysCancellation(t *testing.T) {
	const m, n, k = 500, 700, 300
	a, b, c := dense.New[float64](m, k), dense.New[float64](k, n), dense.New[float64](m, n)
	goroutines := schedtest.Goroutines()
	for _, s := range kernel.Sets() {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
				return gemmReal(s, team, full, 1, plain(a), opOf(NoTrans, b), 0, c)
			})
		})
	}
	for wait := time.Millisecond; schedtest.Goroutines() > goroutines && wait < time.Second; wait *= 2 {
		time.Sleep(wait)
	}
	if left := schedtest.Goroutines(); left > goroutines {
		t.Errorf("%d goroutines are left, %d before the calls", left, goroutines)
	}
}

// At any time, the garbage collector may check for pointers that lie in no allocation, and move stacks.
func TestGemmBesideTheGarbageCollector(t *testing.T) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	forSets(t, testBesideCollector[float32], testBesideCollector[float64])
	close(stop)
	<-stopped
}

func testBesideCollector[T dense.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(16, uint64(s)))
	for range rounds(150) {
		p := newProduct[T](rng, 1+rng.IntN(32), 1+rng.IntN(64), 1+rng.IntN(32))
		done := make(chan error)
		go func() { done <- p.run(s, nil) }() // on a small stack
		if err := <-done; err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
}

func TestSmallGemmAllocatesNothing(t *testing.T) {
	a, c := dense.New[float64](20, 20), dense.New[float64](20, 20)
	if n := testing.AllocsPerRun(20, func() { Gemm(nil, NoTrans, NoTrans, 1, a, a, 0, c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
