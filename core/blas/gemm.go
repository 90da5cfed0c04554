package blas

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

// Tuning of products. The partition of C does not change the bits of the result: sums are split along the inner
// dimension alone, and a kernel rounds an element in the same way in every tile.
const (
	// Multiplications between two checks of the team: about 100 microseconds of AVX-512, 2 milliseconds of the Go
	// kernels.
	gemmPause = 1 << 22
	// If B is not packed, this many blocks of columns are treated as one.
	directBlocks = 4
	// Strips of A that are multiplied together take at most this: half of an L1 cache of 32 kB.
	firstCacheBytes = 16 << 10
)

// gemmReal computes a product with the kernels of set.
func gemmReal[T dense.Float](
	set kernel.Set, team *sched.Team, part part, alpha T, a, b opMatrix[T], beta T, c dense.Matrix[T],
) error {
	g := newGemm(set, part, alpha, a, b, beta, c)
	return g.compute(team)
}

func newGemm[T dense.Float](
	set kernel.Set, part part, alpha T, a, b opMatrix[T], beta T, c dense.Matrix[T],
) gemmProblem[T] {
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
	if team.WorthSharing(g.m*g.n*g.k, g.size.ThreadWork) {
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

// work returns the number of multiplications of the product.
func (g *gemmProblem[T]) work() int {
	if g.part != full {
		return g.m * g.n * g.k / 2
	}
	return g.m * g.n * g.k
}

// strips returns the number of tiles of C from top to bottom, tiles the number from left to right.
func (g *gemmProblem[T]) strips() int { return ceilDiv(g.m, g.size.Rows) }
func (g *gemmProblem[T]) tiles() int  { return ceilDiv(g.n, g.size.TileCols()) }

// blocksAcross returns the smallest number of blocks of columns: a packed block of B must fit its buffer, and a run of
// tiles must end soon, since nothing interrupts assembly.
func (g *gemmProblem[T]) blocksAcross() int {
	if g.packB {
		return ceilDiv(g.n, g.size.Cols)
	}
	return ceilDiv(g.n, directBlocks*g.size.Cols)
}

// columns returns the columns j0 <= j < j1 of block x out of across blocks of about equally many tiles.
func (g *gemmProblem[T]) columns(x, across int) (j0, j1 int) {
	first, last := share(g.tiles(), across, x)
	return first * g.size.TileCols(), min(g.n, last*g.size.TileCols())
}

// parallel computes C in chunks, which the threads of the team share. The receiver is a value, since data shared by
// threads escape to the heap.
func (g gemmProblem[T]) parallel(team *sched.Team) error {
	grid := g.gridFor(team.Threads())
	chunks := grid.chunks()
	return team.For(chunks, func(_, chunk int) error {
		if g.part == upper { // its largest chunks, which should start first, are the last ones
			chunk = chunks - 1 - chunk
		}
		first, last := share(g.strips(), grid.down, chunk%grid.down)
		j0, j1 := g.columns(chunk/grid.down, grid.across)
		return g.chunk(team, first*g.size.Rows, min(g.m, last*g.size.Rows), j0, j1)
	})
}

// chunk computes rows i0 <= i < i1 and columns j0 <= j < j1 of C, at most size.Cols columns if B is packed. The order
// of the loops is that of BLIS, with the loop over strips of A outside the loop over panels of B: a block of B stays in
// the L2 cache, a strip of A in the L1 cache.
func (g *gemmProblem[T]) chunk(team *sched.Team, i0, i1, j0, j1 int) error {
	if i0, i1 = g.rowsIn(i0, i1, j0, j1); i0 >= i1 {
		return nil
	}
	var packed *packing[T]
	if g.packA || g.copyA || g.packB || g.part != full {
		packed = takePacking[T](g.size, g.inner, g.n)
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

// overwrites reports whether C must not be read.
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

// together returns the number of rows that are multiplied by a block of B together: packed strips of A, or those that
// fit the L1 cache, at least one.
func (g *gemmProblem[T]) together(inner int) int {
	switch {
	case g.copyA || g.part != full:
		return g.size.Rows
	case g.packA:
		return packedStrips * g.size.Rows
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
	run := gemm.Tiles[T]{Strips: strips, Rows: rows, K: p1 - p0, Alpha: g.alpha, RowC: g.c.Stride,
		StripC: rows * g.c.Stride}
	run.Accumulate = p0 > 0 || !g.overwrites()
	run.A, run.RowA, run.ColA, run.StepA = g.a.from(i0, p0), g.a.row, g.a.col, rows*g.a.row
	if next := i0 + rows; next < g.m { // each strip prefetches the one below
		run.Prefetch, run.PrefetchStrip = g.a.from(next, p0), run.StepA
		run.PrefetchCol, run.PrefetchStep = g.a.col, g.a.row
	}
	switch {
	case g.packA:
		g.packStrips(&run, packed.a, i0, i1, p0, p1)
	case g.copyA:
		run.A, run.RowA = packed.a, g.copyRows(packed.a, i0, i1, p0, p1)
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

// width returns the number of columns that an element of C takes.
func (g *gemmProblem[T]) width() int {
	if g.pairs != nil {
		return 2
	}
	return 1
}

func (g *gemmProblem[T]) columnsIn(i, j0, j1 int) (first, last int) {
	return g.part.columns(i, j0, j1, g.width())
}

// rowsIn returns the rows of the part, in full strips, between columns j0 and j1.
func (g *gemmProblem[T]) rowsIn(i0, i1, j0, j1 int) (first, last int) {
	switch g.part {
	case lower:
		return max(i0, j0/g.width()/g.size.Rows*g.size.Rows), i1
	case upper:
		return i0, min(i1, ceilDiv(j1, g.width()))
	}
	return i0, i1
}

// edge computes the tiles of a piece that the diagonal crosses, in the buffer tile, and stores only the elements of the
// part. It returns the range of tiles that belong to the part entirely. The piece begins at column j, the run at row i.
func (g *gemmProblem[T]) edge(run *gemm.Tiles[T], tile []T, piece *pieceB[T], i, j int) (first, last int) {
	width, rows := g.width(), run.Rows
	tilesTo := func(column int) int { return min(max(column-j, 0)/piece.cols, piece.count) }
	tilesFrom := func(column int) int { return min(ceilDiv(max(column-j, 0), piece.cols), piece.count) }
	cut, end := 0, 0
	if g.part == lower {
		last = tilesTo((i + 1) * width)
		cut, end = last, tilesFrom((i+rows)*width)
	} else {
		first, last = tilesFrom((i+rows-1)*width), piece.count
		cut, end = tilesTo(i*width), first
	}
	for ; cut < end; cut++ {
		g.cutTile(*run, tile, piece.data[cut*piece.step:], i, j+cut*piece.cols)
	}
	return first, last
}

// cutTile computes one tile at row i and column j. It rounds each element as a full tile does.
func (g *gemmProblem[T]) cutTile(run gemm.Tiles[T], tile, b []T, i, j int) {
	run.Count, run.B, run.C, run.RowC = 1, b, tile, run.Cols
	c := dense.Matrix[T]{Rows: run.Rows, Cols: run.Cols, Stride: run.Cols, Data: tile}
	if run.Accumulate {
		g.eachRow(c, i, j, func(inTile, inC []T) { copy(inTile, inC) })
	}
	gemm.MultiplyTiles(g.set, &run)
	g.eachRow(c, i, j, func(inTile, inC []T) { copy(inC, inTile) })
}

// eachRow visits the elements of the part in the tile at row i and column j of C, row by row.
func (g *gemmProblem[T]) eachRow(tile dense.Matrix[T], i, j int, visit func(inTile, inC []T)) {
	for r := range tile.Rows {
		first, last := g.columnsIn(i+r, j, j+tile.Cols)
		if first < last {
			at := (i + r) * g.c.Stride
			visit(tile.Row(r)[first-j:last-j], g.c.Data[at+first:at+last])
		}
	}
}

// Tuning of the distribution over threads. Times change little around these values.
const (
	// Chunks for each thread: more than one, so that a thread that arrives late does less; the chunks of a triangle
	// differ in size.
	wholeChunks, partChunks = 2, 8
	// Smallest number of multiplications of a chunk if each thread has one.
	chunkWork = 1 << 21
	// Costs of reading an element of an operand where it is, once for each panel of tiles, and of packing it, in
	// multiplications. Chunks of few columns read A too often: products of order 128 to 192 on two threads take 4 to 30 %
	// less time with these numbers than with four chunks and a quarter of the cost of reading.
	fetchCost, packCost = 24, 16
)

// grid cuts C into chunks: across blocks of columns, each of them into down blocks of strips.
type grid struct{ across, down int }

func (g grid) chunks() int { return g.across * g.down }

// gridFor returns the grid with the least cost among those that give every thread some chunks.
func (g *gemmProblem[T]) gridFor(threads int) grid {
	most := wholeChunks
	if g.part != full {
		most = partChunks
	}
	strips, tiles := g.strips(), g.tiles()
	wanted := threads * min(max(g.m*g.n*g.k/threads/chunkWork, 1), most)
	var best grid
	least := 0
	across := g.blocksAcross()
	for last := min(tiles, max(wanted, across+threads)); across <= last; across++ {
		down := min(ceilDiv(wanted, across), strips)
		for down < strips && across*down%threads != 0 { // a thread would be idle at the end
			down++
		}
		next := grid{across, down}
		if cost := g.cost(next, threads); best == (grid{}) || cost < least {
			best, least = next, cost
		}
	}
	return best
}

// cost returns what the chunks of the busiest thread cost, in multiplications per inner dimension.
func (g *gemmProblem[T]) cost(cut grid, threads int) int {
	rows, cols := ceilDiv(g.m, cut.down), ceilDiv(g.n, cut.across)
	costA, costB := fetchCost, fetchCost
	if g.packA {
		costA = packCost
	}
	if g.packB {
		costB = packCost
	}
	return ceilDiv(cut.chunks(), threads) * (rows*cols + rows*costA + cols*costB)
}
