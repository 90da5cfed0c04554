package blas

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
)

// GemmDirect computes C = alpha A B + beta C for real matrices on the calling goroutine, without packing and without looking at anything but
// the shapes: for a caller that cuts its products itself, so that B stays in the second cache, no leading dimension makes its rows compete for
// the same places of the first one, and a call takes well under a millisecond, as it cannot be interrupted. No side is 0. C is not read where
// beta is 0. A sum is made in the order of the inner dimension.
func GemmDirect[T dense.Float](alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	GemmDirectBefore(alpha, a, b, beta, c, nil)
}

// GemmDirectBefore is GemmDirect in front of a product that reads next, which is brought near meanwhile as far as the product is long enough.
func GemmDirectBefore[T dense.Float](alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T], next []T) {
	require(a.Rows == c.Rows && a.Cols == b.Rows && b.Cols == c.Cols && min(a.Rows, a.Cols, b.Cols) > 0,
		"GemmDirect: %dx%d times %dx%d into %dx%d", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols)
	set := kernel.Best()
	bytes := (a.Rows*a.Cols + b.Rows*b.Cols + c.Rows*c.Cols) * int(unsafe.Sizeof(alpha))
	g := gemmSmall[T]{set: set, size: kernel.BlockingOf[T](set), m: c.Rows, n: c.Cols, strideC: c.Stride, beta: beta}
	g.run = gemm.Tiles[T]{
		K: b.Rows, Alpha: alpha, Accumulate: beta != 0, CInCache: bytes <= nearBytes,
		RowA: a.Stride, ColA: 1, RowB: b.Stride, RowC: c.Stride,
	}
	if len(next) > 0 {
		g.spread(len(next))
	}
	g.compute(a.Data, b.Data, c.Data, next, nil)
}

// spread distributes the lines of what comes next, of so many elements, over the tiles of the first run.
func (g *gemmSmall[T]) spread(next int) {
	line := dense.LineBytes / int(unsafe.Sizeof(g.beta))
	tiles, _ := tilesOf(g.size, g.n)
	perStrip := next/line/max(1, g.m/g.size.Rows) + 1
	g.run.PrefetchCol, g.run.PrefetchStrip, g.run.PrefetchStep = line, perStrip*line, (perStrip/tiles+1)*line
}
