package blas

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

const (
	// A product is small if no side is longer than this and its operands take at most these bytes together: a quarter of a second
	// cache of 1 MB.
	smallSide, smallBytes = 256, 256 << 10
	// The bytes of the operands up to which C is in the first cache, of 32 kB at least, when it is written.
	nearBytes = 48 << 10
	// Tiles beside one another while the operands of the product that comes next are brought near: one for A, one for B.
	tilesAhead = 2
)

// gemmSmall is a product of real matrices of which B is not transposed, for one thread, without packing. It does what gemmProblem does to such
// a product, by the same operations on each element, without the choices that pay for larger ones.
type gemmSmall[T dense.Float] struct {
	set     kernel.Set
	size    *kernel.Blocking
	m, n    int
	strideC int
	beta    T
	run     gemm.Tiles[T] // what all runs of tiles have in common
}

// computeSmall computes count products, the strides apart, if they are small, and reports whether it did. Pointers: an interface holds
// them as they are.
func computeSmall[T dense.Scalar](set kernel.Set, team *sched.Team, alpha T, count int, a *factor[T], strideA int, b *factor[T], strideB int, beta T, c *dense.Matrix[T], strideC int) bool {
	switch c := any(c).(type) {
	case *dense.Matrix[float32]:
		a, b := any(a).(*factor[float32]), any(b).(*factor[float32])
		var g gemmSmall[float32]
		if !g.prepare(set, any(alpha).(float32), a, b, any(beta).(float32), c) {
			return false
		}
		g.each(team, count, a.Data, strideA, b.Data, strideB, c.Data, strideC)
	case *dense.Matrix[float64]:
		a, b := any(a).(*factor[float64]), any(b).(*factor[float64])
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
func (g *gemmSmall[T]) prepare(set kernel.Set, alpha T, a, b *factor[T], beta T, c *dense.Matrix[T]) bool {
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

// compute computes the product of a and b. While it does, nextA and nextB are brought near, unless they are nil: during the first tiles, or all
// of nextA where run says how it is spread.
func (g *gemmSmall[T]) compute(a, b, c, nextA, nextB []T) {
	if g.beta != 0 && g.beta != 1 {
		for i := range g.m {
			scaleOrClear(g.beta, dense.Vec(c[i*g.strideC:][:g.n]))
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
	shared := *g // g stays where the caller has it: a single product allocates nothing
	batch(team, count, g.m*g.n*g.run.K, func(_ *sched.Team, p0, p1 int) {
		g := shared
		for p := p0; p < p1; p++ {
			var nextA, nextB []T
			if p+1 < count {
				nextA, nextB = a[(p+1)*strideA:], b[(p+1)*strideB:]
			}
			g.compute(a[p*strideA:], b[p*strideB:], c[p*strideC:], nextA, nextB)
		}
	})
}
