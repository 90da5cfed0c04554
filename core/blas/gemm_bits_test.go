package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
)

func TestGemmBitsDoNotDependOnThreads(t *testing.T) {
	forSets(t, testThreads[float32], testThreads[float64])
}

// testThreads uses products that are just large enough to be split among threads.
func testThreads[T dense.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(13, uint64(s)))
	work := kernel.BlockingOf[T](s).ThreadWork
	for _, mn := range [][2]int{{211, 223}, {2000, 5}, {5, 2000}, {61, 301}} {
		k := work/(mn[0]*mn[1]) + 1
		p := newProduct[T](rng, mn[0], mn[1], k)
		before := slices.Clone(p.memory)
		var one []T
		for _, threads := range []int{1, 2, 3, 16} {
			copy(p.memory, before)
			team := startedTeam(threads)
			if err := gemmReal(s, team, full, p.alpha, opOf(p.tA, p.a), opOf(p.tB, p.b), p.beta, p.c); err != nil {
				t.Fatal(err)
			}
			if one == nil {
				one = slices.Clone(p.memory)
			}
			if !slices.Equal(one, p.memory) {
				t.Fatalf("%v: 1 and %d threads give different bits", p, threads)
			}
		}
		copy(p.memory, before)
		if err := p.run(s, startedTeam(3)); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
}

func TestGemmBitsDoNotDependOnTransposes(t *testing.T) {
	forSets(t, testTransposes[float32], testTransposes[float64])
}

// testTransposes computes the same product with all four combinations of transposes, in two shapes; without transposes
// only the second is packed.
func testTransposes[T dense.Float](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(18, uint64(s)))
	for _, shape := range [][3]int{{21, 50, 30}, {77, 211, 1030}} {
		m, n, k := shape[0], shape[1], shape[2]
		a, b := random[T](rng, m, k), random[T](rng, k, n)
		aT, bT := dense.New[T](k, m), dense.New[T](n, k)
		dense.Copy(aT.View(), a.View().T())
		dense.Copy(bT.View(), b.View().T())
		var first dense.Matrix[T]
		for _, tA := range []Transpose{NoTrans, Trans} {
			for _, tB := range []Transpose{NoTrans, Trans} {
				x, y, c := a, b, dense.New[T](m, n)
				if tA == Trans {
					x = aT
				}
				if tB == Trans {
					y = bT
				}
				if err := gemmReal(s, nil, full, 3, opOf(tA, x), opOf(tB, y), 0, c); err != nil {
					t.Fatal(err)
				}
				if first.Data == nil {
					first = c
				}
				if !slices.Equal(first.Data, c.Data) {
					t.Fatalf("%v: %c%c gives other bits than NN", shape, tA, tB)
				}
			}
		}
	}
}

func TestComplexBitsDoNotDependOnThreads(t *testing.T) {
	forSets(t, testComplexThreads[float32, complex64], testComplexThreads[float64, complex128])
}

func testComplexThreads[R dense.Float, T dense.Complex](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(17, uint64(s)))
	const m, n = 67, 131
	k := kernel.BlockingOf[R](s).ThreadWork/(4*m*n) + 1
	a, b, before := random[T](rng, k, m), random[T](rng, n, k), random[T](rng, m, n)
	var one dense.Matrix[T]
	for _, threads := range []int{1, 2, 3} {
		c := before.Clone()
		team := startedTeam(threads)
		if err := gemmComplex[R](s, team, full, T(2i), opOf(ConjTrans, a), opOf(Trans, b), T(1+1i), c); err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			one = c
		}
		if !slices.Equal(one.Data, c.Data) {
			t.Fatalf("1 and %d threads give different bits", threads)
		}
	}
}

// The columns of the chunks cover C once, every chunk has a tile, and a packed block of B fits in its buffer.
func TestGridCoversC(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for range 300 {
		m, n, k := 1+rng.IntN(3000), 1+rng.IntN(3000), 1+rng.IntN(500)
		tA, tB := Transpose(rng.IntN(2)), Transpose(rng.IntN(2))
		a, b := transposedShape(tA, m, k), transposedShape(tB, k, n)
		for _, threads := range []int{2, 3, 16, 64} {
			g := newGemm(kernel.Best(), full, 1, opOf(tA, a), opOf(tB, b), 0,
				dense.Matrix[float64]{Rows: m, Cols: n, Stride: n})
			cut := g.gridFor(threads)
			if cut.across < 1 || cut.down < 1 || cut.across > g.tiles() || cut.down > g.strips() {
				t.Fatalf("%dx%dx%d, %d threads: %+v of %d by %d tiles", m, n, k, threads, cut, g.tiles(), g.strips())
			}
			end := 0
			for x := range cut.across {
				j0, j1 := g.columns(x, cut.across)
				if j0 != end || j1 <= j0 || g.packB && j1-j0 > g.size.Cols {
					t.Fatalf("%dx%dx%d, %d threads: %+v has columns %d to %d after %d", m, n, k, threads, cut, j0, j1,
						end)
				}
				end = j1
			}
			if end != n {
				t.Fatalf("%d of %d columns are covered", end, n)
			}
		}
	}
}

func transposedShape(trans Transpose, rows, cols int) dense.Matrix[float64] {
	if trans != NoTrans {
		rows, cols = cols, rows
	}
	return dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols}
}

func TestShare(t *testing.T) {
	for total := range 40 {
		for parts := 1; parts <= 12; parts++ {
			end, size := 0, total
			for x := range parts {
				first, last := share(total, parts, x)
				if first != end || last-first > size || x > 0 && size-(last-first) > 1 {
					t.Fatalf("part %d of %d units in %d parts is %d to %d", x, total, parts, first, last)
				}
				end, size = last, last-first
			}
			if end != total {
				t.Fatalf("%d of %d units are shared", end, total)
			}
		}
	}
}

// The number of chunks is a multiple of the number of threads if there are enough tiles.
func TestGridGivesThreadsEqualShares(t *testing.T) {
	for _, n := range []int{192, 256, 512, 1000, 1024, 2048} {
		for _, threads := range []int{2, 4, 16} {
			a := dense.Matrix[float64]{Rows: n, Cols: n, Stride: n}
			g := newGemm(kernel.AVX512, full, 1, opOf(NoTrans, a), opOf(NoTrans, a), 0, a)
			if cut := g.gridFor(threads); cut.chunks()%threads != 0 {
				t.Errorf("n = %d, %d threads: %+v", n, threads, cut)
			}
		}
	}
}

// A long sum needs more memory for packed strips of A, many columns more for the block of B: what one product has grown
// is not given up for the other.
func TestMemoryForPackingOnlyGrows(t *testing.T) {
	forSets(t, testMemoryForPackingOnlyGrows[float32], testMemoryForPackingOnlyGrows[float64])
}

func testMemoryForPackingOnlyGrows[T dense.Float](t *testing.T, s kernel.Set) {
	size := kernel.BlockingOf[T](s)
	var p packing[T]
	reserveBoth := func() {
		p.reserve(size, size.Inner, 1) // a long sum
		p.reserve(size, 1, size.Cols)  // many columns
	}
	reserveBoth()
	a, b, c := &p.a[0], &p.b[0], &p.c[0]
	reserveBoth()
	if &p.a[0] != a || &p.b[0] != b || &p.c[0] != c {
		t.Error("products of two shapes in turn allocate memory for packing")
	}
	if len(p.a) < packedA[T](size, size.Inner) || len(p.b) < packedB[T](size, 1, size.Cols) {
		t.Errorf("%d and %d elements are too few", len(p.a), len(p.b))
	}
}
