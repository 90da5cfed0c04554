package blas

import (
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// Every element is in one chunk, the threads have about equal shares, and a block of B that is packed fits its memory.
func TestGridCoversC(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for range 300 {
		m, n, k := 1+rng.IntN(3000), 1+rng.IntN(3000), 1+rng.IntN(500)
		tA, tB := Transpose(rng.IntN(2)), Transpose(rng.IntN(2))
		a, b := transposedShape(tA, m, k), transposedShape(tB, k, n)
		for _, threads := range []int{2, 3, 16, 64} {
			g := newGemm(kernel.Best(), full, 1, opOf(tA, a), opOf(tB, b), 0, dense.Matrix[float64]{Rows: m, Cols: n, Stride: n})
			cut := g.gridFor(threads)
			if cut.across < 1 || cut.down < 1 || cut.across > g.tiles() || cut.down > g.strips() {
				t.Fatalf("%dx%dx%d, %d threads: %+v of %d by %d tiles", m, n, k, threads, cut, g.tiles(), g.strips())
			}
			end := 0
			for x := range cut.across {
				j0, j1 := g.columns(x, cut.across)
				if j0 != end || j1 <= j0 || g.packB && j1-j0 > g.size.Cols {
					t.Fatalf("%dx%dx%d, %d threads: %+v has columns %d to %d behind %d", m, n, k, threads, cut, j0, j1, end)
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

// A chunk for every thread: the number of chunks is a multiple of theirs where there are enough tiles.
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
