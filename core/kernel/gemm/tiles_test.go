package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

// randomTiles returns tiles of random shape and strides. What lies between the elements of A and B is NaN, all of C is.
func randomTiles[T kernel.Float](rng *rand.Rand, s kernel.Set, a, b, c kerneltest.Arena[T]) *Tiles[T] {
	limit := kernel.BlockingOf[T](s)
	upTo := func(n int) int { return 1 + rng.IntN(n) }
	t := &Tiles[T]{
		Count: upTo(3), Rows: upTo(limit.Rows), Cols: upTo(limit.TileCols()), K: upTo(20),
		Alpha: T(rng.NormFloat64()), Accumulate: rng.IntN(2) == 0,
	}
	t.RowA, t.ColA = t.K+rng.IntN(3), 1
	if rng.IntN(2) == 0 {
		t.RowA, t.ColA = 1, t.Rows+rng.IntN(3)
	}
	t.StepB = t.Cols + rng.IntN(3)
	t.RowB = t.Count*t.StepB + rng.IntN(3)
	if rng.IntN(2) == 0 { // one tile of B behind the other
		t.RowB = t.Cols + rng.IntN(3)
		t.StepB = t.K*t.RowB + rng.IntN(3)
	}
	t.StepC = t.Cols + rng.IntN(3)
	t.RowC = t.Count*t.StepC + rng.IntN(3)
	t.Strips = rng.IntN(4) // 0 is 1
	below := max(t.Strips, 1) - 1
	t.StepA = t.Rows*t.RowA + rng.IntN(3)
	if t.ColA > 1 {
		t.StepA = t.K*t.ColA + rng.IntN(3)
	}
	t.StripC = t.Rows*t.RowC + rng.IntN(3)
	t.A = a.Place(rng, below*t.StepA+(t.Rows-1)*t.RowA+(t.K-1)*t.ColA+1)
	t.B = b.Place(rng, (t.Count-1)*t.StepB+(t.K-1)*t.RowB+t.Cols)
	t.C = c.Place(rng, below*t.StripC+(t.Count-1)*t.StepC+(t.Rows-1)*t.RowC+t.Cols)
	if rng.IntN(2) == 0 { // into the fence and beyond
		t.Prefetch, t.PrefetchCol, t.PrefetchStep, t.PrefetchStrip = t.A[len(t.A)-1:], rng.IntN(5000), rng.IntN(5000),
			rng.IntN(5000)
	}
	t.CInCache = rng.IntN(2) == 0
	for _, x := range [][]T{t.A, t.B, t.C} {
		for i := range x {
			x[i] = T(math.NaN())
		}
	}
	for s := range below + 1 {
		for i := range t.Rows {
			for p := range t.K {
				t.A[s*t.StepA+i*t.RowA+p*t.ColA] = T(rng.NormFloat64())
			}
		}
	}
	for n := range t.Count {
		for p := range t.K {
			for j := range t.Cols {
				t.B[n*t.StepB+p*t.RowB+j] = T(rng.NormFloat64())
			}
		}
	}
	return t
}

// fillC sets the elements of C to numbers if they are going to be read.
func fillC[T kernel.Float](rng *rand.Rand, t *Tiles[T]) {
	if !t.Accumulate {
		return
	}
	for s := range max(t.Strips, 1) {
		for n := range t.Count {
			for i := range t.Rows {
				for j := range t.Cols {
					t.C[s*t.StripC+n*t.StepC+i*t.RowC+j] = T(rng.NormFloat64())
				}
			}
		}
	}
}

// checkTiles compares got with the definition of Tiles, given C before the call.
func checkTiles[T kernel.Float](t *Tiles[T], before []T) error {
	eps := math.Pow(2, -52)
	if unsafe.Sizeof(T(0)) == 4 {
		eps = math.Pow(2, -23)
	}
	inside := make([]bool, len(t.C))
	for s := range max(t.Strips, 1) {
		for n := range t.Count {
			for i := range t.Rows {
				for j := range t.Cols {
					at := s*t.StripC + n*t.StepC + i*t.RowC + j
					inside[at] = true
					sum, size := 0.0, 0.0
					for p := range t.K {
						x := float64(t.A[s*t.StepA+i*t.RowA+p*t.ColA]) * float64(t.B[n*t.StepB+p*t.RowB+j])
						sum, size = sum+x, size+math.Abs(x)
					}
					want, size := float64(t.Alpha)*sum, math.Abs(float64(t.Alpha))*size
					if t.Accumulate {
						want, size = want+float64(before[at]), size+math.Abs(float64(before[at]))
					}
					if limit := float64(t.K+2) * eps * size; !(math.Abs(float64(t.C[at])-want) <= limit) {
						return fmt.Errorf("strip %d, tile %d (%d,%d): %v, want %v within %.1g", s, n, i, j, t.C[at],
							want, limit)
					}
				}
			}
		}
	}
	for at := range inside {
		if !inside[at] && t.C[at] == t.C[at] {
			return fmt.Errorf("element %d of C is outside of the tiles and was written", at)
		}
	}
	return nil
}

func TestGemm(t *testing.T) { kerneltest.ForSets(t, testGemm[float32], testGemm[float64]) }

func testGemm[T kernel.Float](t *testing.T, s kernel.Set) {
	const rounds = 3000
	rng := rand.New(rand.NewPCG(1, uint64(s)))
	a, b, c := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	for range rounds {
		run := randomTiles(rng, s, a, b, c)
		fillC(rng, run)
		before := append([]T(nil), run.C...)
		MultiplyTiles(s, run)
		if err := checkTiles(run, before); err != nil {
			t.Fatalf("%d tiles %dx%dx%d: %v", run.Count, run.Rows, run.Cols, run.K, err)
		}
	}
}

func TestProductsHaveTheBitsOfSeparateRuns(t *testing.T) {
	kerneltest.ForSets(t, testProducts[float32], testProducts[float64])
}

func testProducts[T kernel.Float](t *testing.T, s kernel.Set) {
	const rounds = 1000
	rng := rand.New(rand.NewPCG(3, uint64(s)))
	a, b, c := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	for range rounds {
		run := randomTiles(rng, s, a, b, c)
		run.Products = rng.IntN(5)
		further := max(run.Products, 1) - 1
		lengthA, lengthB, lengthC := len(run.A), len(run.B), len(run.C)
		run.ProductA, run.ProductB = rng.IntN(lengthA+3), rng.IntN(2)*(lengthB+rng.IntN(3)) // B may be shared
		run.ProductC = lengthC + rng.IntN(3)
		run.A, run.B = a.Place(rng, further*run.ProductA+lengthA), b.Place(rng, further*run.ProductB+lengthB)
		run.C = c.Place(rng, further*run.ProductC+lengthC)
		for _, x := range [][]T{run.A, run.B, run.C} {
			kerneltest.FillNormal(rng, x)
		}
		want := append([]T(nil), run.C...)
		for q := range further + 1 {
			alone := *run
			alone.Products, alone.Prefetch = 1, nil
			alone.A, alone.B, alone.C = run.A[q*run.ProductA:], run.B[q*run.ProductB:], want[q*run.ProductC:]
			MultiplyTiles(s, &alone)
		}
		MultiplyTiles(s, run)
		if !slices.Equal(run.C, want) {
			t.Fatalf("%d products of %d strips of %d tiles %dx%dx%d differ from separate runs", run.Products, run.Strips,
				run.Count, run.Rows, run.Cols, run.K)
		}
	}
}

func TestEveryShapeOfTile(t *testing.T) {
	kerneltest.ForSets(t, testShapes[float32], testShapes[float64])
}

// testShapes checks every shape of tile, and that each element has the bits that a tile of it alone gives.
func testShapes[T kernel.Float](t *testing.T, s kernel.Set) {
	const k = 9
	rng := rand.New(rand.NewPCG(2, uint64(s)))
	limit := kernel.BlockingOf[T](s)
	a, b := make([]T, k*limit.Rows), make([]T, k*limit.TileCols())
	for _, x := range [][]T{a, b} {
		for i := range x {
			x[i] = T(rng.NormFloat64())
		}
	}
	for _, accumulate := range []bool{false, true} {
		for rows := 1; rows <= limit.Rows; rows++ {
			for cols := 1; cols <= limit.TileCols(); cols++ {
				c := make([]T, rows*cols)
				for i := range c {
					c[i] = T(i)
				}
				before := append([]T(nil), c...)
				run := &Tiles[T]{Count: 1, Rows: rows, Cols: cols, K: k, Alpha: 0.7, Accumulate: accumulate,
					A: a, RowA: k, ColA: 1, B: b, RowB: limit.TileCols(), C: c, RowC: cols}
				MultiplyTiles(s, run)
				if err := checkTiles(run, before); err != nil {
					t.Fatalf("%dx%d: %v", rows, cols, err)
				}
				for i := range rows {
					for j := range cols {
						alone := *run
						alone.Rows, alone.Cols, alone.A, alone.B, alone.C = 1, 1, a[i*k:], b[j:], before[i*cols+j:]
						MultiplyTiles(s, &alone)
						if alone.C[0] != c[i*cols+j] {
							t.Fatalf("%dx%d: element (%d,%d) is %v, alone %v", rows, cols, i, j, c[i*cols+j],
								alone.C[0])
						}
					}
				}
			}
		}
	}
}

func TestInfinitiesAndNaNsPropagate(t *testing.T) {
	kerneltest.ForSets(t, testPropagate[float32], testPropagate[float64])
}

func testPropagate[T kernel.Float](t *testing.T, s kernel.Set) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	for _, x := range []T{inf, nan} {
		c := []T{1, 1, 1, 1}
		MultiplyTiles(s, &Tiles[T]{Count: 1, Rows: 2, Cols: 2, K: 2, Alpha: 1, Accumulate: true,
			A: []T{0, 1, 1, 1}, RowA: 2, ColA: 1, B: []T{x, 1, 2, 3}, RowB: 2, C: c, RowC: 2})
		// 0 x is NaN for both; the column without x stays finite.
		if c[0] == c[0] || c[1] != 4 || c[3] != 5 || (x == inf && c[2] != inf) || (x != x && c[2] == c[2]) {
			t.Errorf("%v: %v", x, c)
		}
	}
}

func TestTilesOutsideOfMemoryAreRefused(t *testing.T) {
	kerneltest.ForSets(t, testRefused[float32], testRefused[float64])
}

func testRefused[T kernel.Float](t *testing.T, s kernel.Set) {
	fits := func() *Tiles[T] {
		return &Tiles[T]{Count: 2, Rows: 2, Cols: 3, K: 4, Alpha: 1, A: make([]T, 8), RowA: 4, ColA: 1,
			B: make([]T, 24), RowB: 6, StepB: 3, C: make([]T, 12), RowC: 6, StepC: 3}
	}
	MultiplyTiles(s, fits())
	for name, spoil := range map[string]func(*Tiles[T]){
		"short A":    func(r *Tiles[T]) { r.A = r.A[:7] },
		"short B":    func(r *Tiles[T]) { r.B = r.B[:23] },
		"short C":    func(r *Tiles[T]) { r.C = r.C[:11] },
		"no rows":    func(r *Tiles[T]) { r.Rows = 0 },
		"no columns": func(r *Tiles[T]) { r.Cols = 0 },
		"no sum":     func(r *Tiles[T]) { r.K = 0 },
		"no tiles":   func(r *Tiles[T]) { r.Count = 0 },
		"many rows":  func(r *Tiles[T]) { r.Rows, r.RowA, r.RowC = 9, 0, 0 },
		"many columns": func(r *Tiles[T]) {
			r.Cols, r.RowB, r.RowC, r.Count = 49, 0, 0, 1
			r.B, r.C = make([]T, 99), make([]T, 99)
		},
		"negative stride":   func(r *Tiles[T]) { r.RowA = -1 },
		"products beyond A": func(r *Tiles[T]) { r.Products, r.ProductA = 2, 1 },
		"products beyond B": func(r *Tiles[T]) { r.Products, r.ProductB = 2, 1 },
		"products beyond C": func(r *Tiles[T]) { r.Products, r.ProductC = 2, 1 },
		"strips beyond A":   func(r *Tiles[T]) { r.Strips, r.StepA = 2, 1 },
		"strips beyond C":   func(r *Tiles[T]) { r.Strips, r.StripC = 2, 1 },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			run := fits()
			spoil(run)
			MultiplyTiles(s, run)
		}()
	}
}
