package blas

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

// Tuning of products. Where a product is cut does not change its bits: the sums are cut by the inner dimension
// alone, and a kernel rounds an element in the same way in every tile.
const (
	// Multiplications between two looks at the team: about 100 microseconds of AVX-512, 2 milliseconds of the Go kernels.
	gemmPause = 1 << 22
	// Rows that lie a multiple of a page apart fall into the same few places of the first cache. So do some more of them that lie a
	// quarter of that apart, which matters where a tile leaves a rest of its last line for the next one.
	pageBytes, quarterBytes = 4096, 1024
	// B is multiplied where it lies up to this size, which leaves half of the second cache to A and C.
	directBytes = 528 << 10
	// Where B is not packed, this many blocks of columns are one.
	directBlocks = 4
	// Below this many rows packing B costs more than it saves.
	fewRows = 16
	// Strips of A that are multiplied in one go take at most this: half of a first cache of 32 kB.
	firstCacheBytes = 16 << 10
	// A transposed A is multiplied where it lies up to this size.
	directABytes = 32 << 10
)

// operand is op(A) or op(B) of a product: element (i, j) is data[i*row+j*col]. A matrix that is used by rows has
// col 1, a transposed one has row 1 (row 2, with its pairs of reals, for A of a complex product).
type operand[T dense.Float] struct {
	data     []T
	row, col int
}

func operandOf[T dense.Float](f factor[T]) operand[T] {
	if f.trans {
		return operand[T]{f.Data, 1, f.Stride}
	}
	return operand[T]{f.Data, f.Stride, 1}
}

func (o operand[T]) from(i, j int) []T { return o.data[i*o.row+j*o.col:] }

// gemmProblem is one real product C = alpha A B + beta C of an m x k by a k x n matrix, neither of which is empty, or the real
// form of a complex one.
type gemmProblem[T dense.Float] struct {
	set         kernel.Set
	size        *kernel.Blocking
	m, n, k     int
	inner       int // the sums are cut into pieces of this length
	alpha, beta T
	a, b        operand[T]
	c           dense.Matrix[T]
	part        part // what of C is computed
	packA       bool
	packB       bool
	pairs       *pairs[T] // nil for a real product
}

// gemmReal computes a product with the kernels of set.
func gemmReal[T dense.Float](set kernel.Set, team *sched.Team, part part, alpha T, a, b factor[T], beta T, c dense.Matrix[T]) error {
	g := newGemm(set, part, alpha, a, b, beta, c)
	return g.compute(team)
}

func newGemm[T dense.Float](set kernel.Set, part part, alpha T, a, b factor[T], beta T, c dense.Matrix[T]) gemmProblem[T] {
	_, k := a.shape()
	g := gemmProblem[T]{
		set: set, size: kernel.BlockingOf[T](set), m: c.Rows, n: c.Cols, k: k,
		alpha: alpha, beta: beta, a: operandOf(a), b: operandOf(b), c: c, part: part,
	}
	g.inner = balanced(g.k, g.size.Inner)
	g.choosePacking()
	return g
}

// compute computes the product.
func (g *gemmProblem[T]) compute(team *sched.Team) error {
	team = team.Plan(g.work())
	if team.Threads() > 1 && g.m*g.n*g.k >= g.size.ThreadWork {
		return g.parallel(team)
	}
	if g.n <= g.size.Cols {
		return g.chunk(team, 0, g.m, 0, g.n)
	}
	across := g.blocksAcross()
	for x := range across {
		j0, j1 := g.columns(x, across)
		if err := g.chunk(team, 0, g.m, j0, j1); err != nil {
			return err
		}
	}
	return nil
}

// work returns the multiplications of the product.
func (g *gemmProblem[T]) work() int {
	if g.part != full {
		return g.m * g.n * g.k / 2
	}
	return g.m * g.n * g.k
}

// strips returns how many tiles C has from top to bottom, tiles how many from left to right.
func (g *gemmProblem[T]) strips() int { return ceilDiv(g.m, g.size.Rows) }
func (g *gemmProblem[T]) tiles() int  { return ceilDiv(g.n, g.size.TileCols()) }

// blocksAcross returns into how many blocks the columns are cut at least: a block of B that is packed must fit its
// memory, and a run of tiles must end soon, since assembly is not interrupted.
func (g *gemmProblem[T]) blocksAcross() int {
	if g.packB {
		return ceilDiv(g.n, g.size.Cols)
	}
	return ceilDiv(g.n, directBlocks*g.size.Cols)
}

// columns returns the columns j0 <= j < j1 of block x when there are across of them, each about equally many tiles.
func (g *gemmProblem[T]) columns(x, across int) (j0, j1 int) {
	first, last := share(g.tiles(), across, x)
	return first * g.size.TileCols(), min(g.n, last*g.size.TileCols())
}

// balanced returns the length of the pieces when length is cut into as few about equal ones as the limit allows.
func balanced(length, limit int) int {
	const multiple = 8
	if length <= limit {
		return length
	}
	pieces := ceilDiv(length, limit)
	return ceilDiv(ceilDiv(length, pieces), multiple) * multiple
}

// choosePacking decides which operands are copied into an order that suits the kernels. They take any A, but a B only by
// rows.
func (g *gemmProblem[T]) choosePacking() {
	bytes := int(unsafe.Sizeof(g.alpha))
	small := g.k*g.n*bytes <= directBytes && !collides[T](g.size, g.k, g.b.row)
	g.packB = g.b.col != 1 || !(small || g.m <= fewRows)
	g.packA = g.a.col != 1 && g.n > g.size.TileCols() &&
		(g.m*g.k*bytes > directABytes || g.a.col*bytes%pageBytes == 0 && g.k > g.size.Rows)
}

// collides reports whether the rows of B, k of them a stride apart, fall into the same few places of the first cache: all of those that
// lie a multiple of a page apart, and more where a tile leaves a rest of its last line for the next one.
func collides[T dense.Float](size *kernel.Blocking, k, stride int) bool {
	bytes, period := dense.Bytes[T](), pageBytes
	if size.TileCols()*bytes%dense.LineBytes != 0 {
		period = quarterBytes
	}
	return stride*bytes%period == 0 && k > size.Rows
}

// parallel computes C in chunks, which the threads of the team share. By value: what the threads share lives on the heap.
func (g gemmProblem[T]) parallel(team *sched.Team) error {
	grid := g.gridFor(team.Threads())
	chunks := grid.chunks()
	return team.For(chunks, func(_, chunk int) error {
		if g.part == upper { // its largest chunks, which are to come first, are the last ones
			chunk = chunks - 1 - chunk
		}
		first, last := share(g.strips(), grid.down, chunk%grid.down)
		j0, j1 := g.columns(chunk/grid.down, grid.across)
		return g.chunk(team, first*g.size.Rows, min(g.m, last*g.size.Rows), j0, j1)
	})
}

// chunk computes rows i0 <= i < i1 and columns j0 <= j < j1 of C, at most size.Cols columns if B is packed. The order of the
// loops is that of BLIS with the loop over strips of A outside of that over panels of B: a block of B stays in the second
// cache, a strip of A in the first one.
func (g *gemmProblem[T]) chunk(team *sched.Team, i0, i1, j0, j1 int) error {
	if i0, i1 = g.rowsIn(i0, i1, j0, j1); i0 >= i1 {
		return nil
	}
	var packed *packing[T]
	if g.packA || g.packB || g.part != full {
		packed = takePacking[T](g.size)
		defer packed.giveBack()
	}
	var block blockB[T]
	block.split(g.size, j1-j0)
	work := 0
	for p0 := 0; p0 < g.k; p0 += g.inner {
		p1 := min(g.k, p0+g.inner)
		g.load(&block, packed, p0, p1, j0)
		together := g.together(p1 - p0)
		for i := i0; i < i1; i += together {
			if work += together * (p1 - p0) * (j1 - j0); work >= gemmPause {
				if err := team.Err(); err != nil {
					return err
				}
				team.Step(work)
				work = 0
			}
			g.rows(packed, &block, i, min(i1, i+together), p0, p1, j0, j1)
		}
	}
	team.Step(work)
	return nil
}

// overwrites reports whether C is not to be read.
func (g *gemmProblem[T]) overwrites() bool {
	return g.beta == 0 && (g.pairs == nil || g.pairs.betaIm == 0)
}

// scaleC multiplies a part of C by beta, unless beta is 0 or 1.
func (g *gemmProblem[T]) scaleC(i0, i1, j0, j1 int) {
	if g.overwrites() || g.beta == 1 && (g.pairs == nil || g.pairs.betaIm == 0) {
		return
	}
	for i := i0; i < i1; i++ {
		first, last := g.columnsIn(i, j0, j1)
		if first >= last {
			continue
		}
		row := g.c.Data[i*g.c.Stride+first : i*g.c.Stride+last]
		if g.pairs != nil {
			scalePairs(row, g.beta, g.pairs.betaIm)
			continue
		}
		for j := range row {
			row[j] *= g.beta
		}
	}
}

// together returns the rows that are multiplied by a block of B in one go: the strips of A that the first cache holds, or one.
func (g *gemmProblem[T]) together(inner int) int {
	if g.packA || g.part != full {
		return g.size.Rows
	}
	strip := g.size.Rows * inner * int(unsafe.Sizeof(g.alpha))
	return max(1, firstCacheBytes/strip) * g.size.Rows
}

// rows multiplies rows i0 <= i < i1 of A, some whole strips and perhaps a lower one, by a block of B.
func (g *gemmProblem[T]) rows(packed *packing[T], block *blockB[T], i0, i1, p0, p1, j0, j1 int) {
	if p0 == 0 {
		g.scaleC(i0, i1, j0, j1)
	}
	if whole := (i1 - i0) / g.size.Rows; whole > 0 {
		g.run(packed, block, whole, i0, i0+whole*g.size.Rows, p0, p1, j0, j1)
		i0 += whole * g.size.Rows
	}
	if i0 < i1 {
		g.run(packed, block, 1, i0, i1, p0, p1, j0, j1)
	}
}

// run is rows for a number of strips of equal height.
func (g *gemmProblem[T]) run(packed *packing[T], block *blockB[T], strips, i0, i1, p0, p1, j0, j1 int) {
	rows := (i1 - i0) / strips
	run := gemm.Tiles[T]{Strips: strips, Rows: rows, K: p1 - p0, Alpha: g.alpha, RowC: g.c.Stride, StripC: rows * g.c.Stride}
	run.Accumulate = p0 > 0 || !g.overwrites()
	run.A, run.RowA, run.ColA, run.StepA = g.a.from(i0, p0), g.a.row, g.a.col, rows*g.a.row
	if next := i0 + rows; next < g.m {
		run.Prefetch, run.PrefetchCol, run.PrefetchStep, run.PrefetchStrip = g.a.from(next, p0), g.a.col, g.a.row, run.StepA
	}
	if g.packA {
		run.A, run.RowA, run.ColA = packed.a, 1, g.size.Rows
		g.packStrip(packed.a, i0, i1, p0, p1)
	}
	for s := range block.pieces {
		piece := &block.pieces[s]
		if piece.count == 0 {
			break
		}
		run.Cols, run.RowB, run.StepB, run.StepC = piece.cols, piece.row, piece.step, piece.cols
		first, last := 0, piece.count
		if g.part != full {
			first, last = g.edge(&run, packed.c, piece, i0, j0+piece.first)
		}
		if run.Count = last - first; run.Count > 0 {
			run.B, run.C = piece.data[first*piece.step:], g.c.Data[i0*g.c.Stride+j0+piece.first+first*piece.cols:]
			gemm.MultiplyTiles(g.set, &run)
		}
	}
}
