package blas

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

const (
	// A product is small if no side is longer than this and its operands take at most this many bytes together: a
	// quarter of an L2 cache of 1 MB.
	smallSide, smallBytes = 256, 256 << 10
	// Up to this many bytes of operands, C is in the L1 cache of at least 32 kB when it is written.
	nearBytes = 48 << 10
	// Adjacent tiles during which the operands of the next product are prefetched: one for A, one for B.
	tilesAhead = 2
	// Products of a stack that need several runs of tiles are computed in groups that take at most this many bytes: an L1
	// cache of 32 kB.
	groupBytes = 32 << 10
)

// gemmSmall is a product of real matrices of which B is not transposed, for one thread, without packing. It computes
// what gemmProblem computes, by the same operations on each element, without the decisions that pay for larger
// products.
type gemmSmall[T dense.Float] struct {
	set     kernel.Set
	size    *kernel.Blocking
	m, n    int
	strideC int
	beta    T
	group   int           // products of a stack that are computed together
	run     gemm.Tiles[T] // common to all runs of tiles
}

// computeSmall computes count products, the strides apart, if they are small, and reports whether it did. It takes
// pointers, which convert to an interface without an allocation.
func computeSmall[T dense.Scalar](
	set kernel.Set, team *sched.Team, alpha T, count int, a *opMatrix[T], strideA int, b *opMatrix[T], strideB int,
	beta T, c *dense.Matrix[T], strideC int,
) bool {
	switch c := any(c).(type) {
	case *dense.Matrix[float32]:
		a, b := any(a).(*opMatrix[float32]), any(b).(*opMatrix[float32])
		var g gemmSmall[float32]
		if !g.prepare(set, any(alpha).(float32), a, b, any(beta).(float32), c) {
			return false
		}
		g.each(team, count, a.Data, strideA, b.Data, strideB, c.Data, strideC)
	case *dense.Matrix[float64]:
		a, b := any(a).(*opMatrix[float64]), any(b).(*opMatrix[float64])
		var g gemmSmall[float64]
		if !g.prepare(set, any(alpha).(float64), a, b, any(beta).(float64), c) {
			return false
		}
		g.each(team, count, a.Data, strideA, b.Data, strideB, c.Data, strideC)
	default:
		return false
	}
	return true
}

// prepare makes g a product, and reports whether it is small, not empty, and B not transposed.
func (g *gemmSmall[T]) prepare(set kernel.Set, alpha T, a, b *opMatrix[T], beta T, c *dense.Matrix[T]) bool {
	m, n, k := c.Rows, c.Cols, b.Rows
	if max(m, n, k) > smallSide || min(m, n, k) == 0 || alpha == 0 || b.trans {
		return false
	}
	size := kernel.BlockingOf[T](set)
	bytes := (m*k + k*n + m*n) * int(unsafe.Sizeof(alpha))
	if bytes > smallBytes || k > size.Inner || m*n*k >= size.ThreadWork || collides[T](size, k, b.Stride) {
		return false
	}
	g.set, g.size, g.m, g.n, g.strideC, g.beta = set, size, m, n, c.Stride, beta
	g.run.K, g.run.Alpha, g.run.Accumulate, g.run.CInCache = k, alpha, beta != 0, bytes <= nearBytes
	g.run.RowA, g.run.ColA, g.run.RowB, g.run.RowC = a.Stride, 1, b.Stride, c.Stride
	if a.trans {
		g.run.RowA, g.run.ColA = 1, a.Stride
	}
	return true
}

// compute computes the product of a and b, and those behind it if run has several. Meanwhile it prefetches nextA and
// nextB, the operands of the product after that, unless they are nil: during the first tiles, or all of nextA if run
// spreads it over the tiles.
func (g *gemmSmall[T]) compute(a, b, c, nextA, nextB []T) {
	if g.beta != 0 && g.beta != 1 {
		for p := range max(g.run.Products, 1) {
			for i := range g.m {
				scaleOrClear(g.beta, dense.Vec(c[p*g.run.ProductC+i*g.strideC:][:g.n]))
			}
		}
	}
	run := &g.run
	run.Prefetch, run.PrefetchTile1 = nextA, nextB
	for j := 0; j < g.n; j += run.Count * run.Cols {
		run.Count, run.Cols = tilesOf(g.size, g.n-j)
		if run.Prefetch != nil && run.PrefetchStep == 0 {
			run.Count = min(run.Count, tilesAhead)
		}
		run.B, run.StepB, run.StepC = b[j:], run.Cols, run.Cols
		for i := 0; i < g.m; i += run.Strips * run.Rows {
			run.Strips, run.Rows = max(1, (g.m-i)/g.size.Rows), min(g.size.Rows, g.m-i)
			run.StepA, run.StripC = run.Rows*run.RowA, run.Rows*run.RowC
			run.A, run.C = a[i*run.RowA:], c[i*g.strideC+j:]
			gemm.MultiplyTiles(g.set, run)
		}
		run.Prefetch, run.PrefetchTile1 = nil, nil
	}
}

// each computes count products, the strides apart.
func (g *gemmSmall[T]) each(team *sched.Team, count int, a []T, strideA int, b []T, strideB int, c []T, strideC int) {
	if count == 1 {
		g.compute(a, b, c, nil, nil)
		return
	}
	line := dense.LineBytes / int(unsafe.Sizeof(g.beta))
	g.run.PrefetchCol, g.run.PrefetchStrip, g.run.CInCache = line, line*g.run.K, false
	g.run.ProductA, g.run.ProductB, g.run.ProductC = strideA, strideB, strideC
	g.group = count
	if !g.isOneRun() {
		bytes := (g.m*g.run.K + g.run.K*g.n + g.m*g.n) * int(unsafe.Sizeof(g.beta))
		g.group = max(1, groupBytes/bytes)
	}
	shared := *g // a copy, so that g does not escape: a single product allocates nothing
	batch(team, count, g.m*g.n*g.run.K, func(_ *sched.Team, p0, p1 int) {
		g := shared
		for p := p0; p < p1; p += g.run.Products {
			g.run.Products = min(g.group, p1-p)
			var nextA, nextB []T
			if p+1 < count {
				nextA, nextB = a[(p+1)*strideA:], b[(p+1)*strideB:]
			}
			g.compute(a[p*strideA:], b[p*strideB:], c[p*strideC:], nextA, nextB)
		}
	})
}

// isOneRun reports whether one run of tiles is a whole product.
func (g *gemmSmall[T]) isOneRun() bool {
	count, cols := tilesOf(g.size, g.n)
	return count*cols == g.n && count <= tilesAhead && (g.m <= g.size.Rows || g.m%g.size.Rows == 0)
}

// GemmDirect computes C = alpha A B + beta C for real matrices on the calling goroutine, without packing. It is meant
// for callers that partition their products themselves: B stays in the L2 cache, no leading dimension makes rows
// compete for the same sets of the L1 cache, and a call takes well under a millisecond, since it cannot be interrupted.
// No dimension is 0. C is not read if beta is 0. Sums are formed in the order of the inner dimension.
func GemmDirect[T dense.Float](alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	GemmDirectBefore(alpha, a, b, beta, c, nil)
}

// GemmDirectBefore is GemmDirect followed by a product that reads next, which it prefetches as far as its own length
// allows.
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

// spread distributes the prefetches of the given number of elements over the tiles of the first run.
func (g *gemmSmall[T]) spread(next int) {
	line := dense.LineBytes / int(unsafe.Sizeof(g.beta))
	tiles, _ := tilesOf(g.size, g.n)
	perStrip := next/line/max(1, g.m/g.size.Rows) + 1
	g.run.PrefetchCol, g.run.PrefetchStrip, g.run.PrefetchStep = line, perStrip*line, (perStrip/tiles+1)*line
}
