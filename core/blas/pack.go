package blas

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/scratch"
)

// operand is op(A) or op(B) of a product: element (i, j) is data[i*row+j*col]. A matrix used by rows has col = 1, a
// transposed one has row = 1 (row = 2 for A of a complex product, with its pairs of reals).
type operand[T dense.Float] struct {
	data     []T
	row, col int
}

func operandOf[T dense.Float](f opMatrix[T]) operand[T] {
	if f.trans {
		return operand[T]{f.Data, 1, f.Stride}
	}
	return operand[T]{f.Data, f.Stride, 1}
}

func (o operand[T]) from(i, j int) []T { return o.data[i*o.row+j*o.col:] }

// gemmProblem is one real product C = alpha A B + beta C of an m x k by a k x n matrix, neither of which is empty, or
// the real form of a complex one.
type gemmProblem[T dense.Float] struct {
	set         kernel.Set
	size        *kernel.Blocking
	m, n, k     int
	inner       int // sums are split into pieces of this length
	alpha, beta T
	a, b        operand[T]
	c           dense.Matrix[T]
	part        part // the part of C that is computed
	packA       bool
	copyA       bool // rows of A are copied, strip by strip
	packB       bool
	pairs       *pairs[T] // nil for a real product
}

// pairs holds the parameters of a complex product that its real form lacks.
type pairs[T dense.Float] struct {
	conjA, conjB     bool
	alphaRe, alphaIm T
	betaIm           T
}

// blockB is a block of B in the form that the kernels take: whole tiles, and the remaining columns in one or two
// narrower ones.
type blockB[T dense.Float] struct{ pieces [3]pieceB[T] }

// pieceB is count tiles of cols columns each, of which the first begins at column first of the block. Element (p, j) of
// tile t is data[t*step+p*row+j].
type pieceB[T dense.Float] struct {
	first, count, cols int
	data               []T
	row, step          int
}

// split cuts n columns into tiles.
func (b *blockB[T]) split(size *kernel.Blocking, n int) {
	at := 0
	for next := 0; at < n; next++ {
		count, cols := tilesOf(size, n-at)
		piece := &b.pieces[next]
		piece.first, piece.count, piece.cols = at, count, cols
		at += count * cols
	}
}

// tilesOf returns the number and the width of the tiles that come first if n columns are split into tiles. A remainder
// of one vector is shared with the last whole tile if both then have two: kernels of one vector wait for their loads.
func tilesOf(size *kernel.Blocking, n int) (count, cols int) {
	whole := size.TileCols()
	full, rest := n/whole, n%whole
	if rest > 0 && rest <= size.Lanes && full > 0 && size.Vectors > 2 {
		full--
	}
	switch narrower := whole - size.Lanes; {
	case full > 0:
		return full, whole
	case n > whole:
		return n / narrower, narrower
	default:
		return 1, n
	}
}

// Tuning of packing.
const (
	// Rows that are a multiple of a page apart map to the same few sets of the L1 cache, and prefetchers follow no stride
	// of half a page. A quarter of a page already fills few sets, which matters where a tile leaves a part of its last
	// line to the next tile.
	pageBytes, halfBytes, quarterBytes = 4096, 2048, 1024
	// Below this many rows packing B costs more than it saves, and below manyRows if B could be multiplied in place but
	// for vectors that lie across two lines.
	fewRows, manyRows = 16, 64
	// A transposed A is multiplied in place up to this size, and else packed this many strips at a time, which use all
	// of the cache lines that they read.
	directABytes, packedStrips = 32 << 10, 8
	// Rows of A that compete for sets of the L1 cache, because they are a page or half of one apart, are copied if C has
	// this many columns.
	copyPageColumns, copyHalfColumns = 96, 512
)

// choosePacking decides which operands are packed. Kernels accept any A, but B only by rows.
func (g *gemmProblem[T]) choosePacking() {
	bytes := int(unsafe.Sizeof(g.alpha))
	small := g.k*g.n*bytes <= g.size.Direct && !collides[T](g.size, g.k, g.b.row)
	inPlace := g.m <= fewRows || small && (g.m < manyRows || !g.splitsLines())
	g.packB = g.b.col != 1 || !inPlace
	g.packA = g.a.col != 1 && g.n > g.size.TileCols() &&
		(g.m*g.k*bytes > directABytes || g.a.col*bytes%pageBytes == 0 && g.k > g.size.Rows)
	g.chooseCopying()
}

// chooseCopying decides whether the rows of A are copied, which takes 1 % of a product with 512 columns. Where they
// compete for the sets of the L1 cache, with each other and with the tiles of B, a product takes 3 to 8 % longer.
func (g *gemmProblem[T]) chooseCopying() {
	stride := g.a.row * int(unsafe.Sizeof(g.alpha))
	collides := stride%pageBytes == 0 && g.n >= copyPageColumns || stride%halfBytes == 0 && g.n >= copyHalfColumns
	g.copyA = g.a.col == 1 && g.set == kernel.AVX2 && collides
}

// splitsLines reports whether vectors of B lie across two cache lines, as half of them or more do in most arrays of
// NumPy, which begin 16 bytes behind a line. The L2 cache delivers such a vector in twice the time.
func (g *gemmProblem[T]) splitsLines() bool {
	bytes := int(unsafe.Sizeof(g.alpha))
	first := uintptr(unsafe.Pointer(unsafe.SliceData(g.b.data)))
	return (first|uintptr(g.b.row*bytes))%uintptr(g.size.Lanes*bytes) != 0
}

// collides reports whether the rows of B, k of them a stride apart, map to the same few sets of the L1 cache, or are
// not prefetched: all that are a multiple of a page apart; with tiles of one line, of half a page; and of a quarter
// where a tile leaves a part of its last line to the next tile.
func collides[T dense.Float](size *kernel.Blocking, k, stride int) bool {
	bytes, period := dense.Bytes[T](), pageBytes
	switch row := size.TileCols() * bytes; {
	case row == dense.LineBytes:
		period = halfBytes
	case row%dense.LineBytes != 0:
		period = quarterBytes
	}
	return stride*bytes%period == 0 && k > size.Rows
}

// load fills block, which has been split, with rows p0 <= p < p1 and the columns of B from j0 on, packed if g says so.
func (g *gemmProblem[T]) load(block *blockB[T], packed *packing[T], p0, p1, j0 int) {
	at := 0
	for s := range block.pieces {
		piece := &block.pieces[s]
		if piece.count == 0 {
			break
		}
		if !g.packB {
			piece.data, piece.row, piece.step = g.b.from(p0, j0+piece.first), g.b.row, piece.cols
			continue
		}
		piece.row = ceilDiv(piece.cols, g.size.Lanes) * g.size.Lanes
		piece.step = piece.row*(p1-p0) + line[T]()
		piece.data = packed.b[at : at+piece.count*piece.step]
		at += piece.count * piece.step
		switch {
		case g.pairs != nil:
			g.pairs.pack(g.set, piece, g.b, p0, p1, j0+piece.first)
		case g.b.col == 1:
			gemm.Pack(g.set, &gemm.Panel[T]{
				Count: piece.count, Rows: p1 - p0, Cols: piece.cols,
				From: g.b.from(p0, j0+piece.first), FromRow: g.b.row, FromStep: piece.cols,
				To: piece.data, ToRow: piece.row, ToStep: piece.step,
			})
		default: // the columns of B are rows in memory
			for t := range piece.count {
				gemm.Transpose(g.set, piece.cols, p1-p0, g.b.from(p0, j0+piece.first+t*piece.cols), g.b.col,
					piece.data[t*piece.step:], piece.row)
			}
		}
	}
}

// pack writes the two rows that stand for a row of alpha B, for rows p0 <= p < p1 of B and the tiles of piece, which
// begin at column j0.
func (q *pairs[T]) pack(set kernel.Set, piece *pieceB[T], b operand[T], p0, p1, j0 int) {
	panel := gemm.Panel[T]{
		Count: piece.count, Rows: (p1 - p0) / 2, Cols: piece.cols,
		From: b.from(p0, j0), FromRow: 2 * b.row, FromStep: piece.cols,
		To: piece.data, ToRow: piece.row, ToStep: piece.step,
	}
	if b.col != 1 {
		for t := range piece.count {
			transposePairs(set, piece.cols/2, panel.Rows, b.from(p0, j0+t*piece.cols), b.col,
				piece.data[t*piece.step:], piece.row)
		}
		panel.From, panel.FromRow, panel.FromStep = panel.To, 2*panel.ToRow, panel.ToStep
	}
	sign, signA, signB := T(1), T(1), T(1)
	if q.alphaRe == -1 && q.alphaIm == 0 {
		sign = -1
	}
	if q.conjA {
		signA = -1
	}
	if q.conjB {
		signB = -1
	}
	gemm.PackExpanded(set, &panel, [2]T{sign, sign * signB}, [2]T{-signA * sign * signB, signA * sign})
	if q.alphaIm == 0 && q.alphaRe == sign {
		return
	}
	for t := range piece.count {
		for i := range panel.Rows {
			row := piece.data[t*piece.step+2*i*piece.row:]
			scalePairs(row[:piece.cols], q.alphaRe, q.alphaIm)
			mirrorPairs(row[piece.row:][:piece.cols], row, signA)
		}
	}
}

// mirrorPairs sets lower to the row that goes below upper.
func mirrorPairs[T dense.Float](lower, upper []T, signA T) {
	for j := 0; j+1 < len(lower); j += 2 {
		lower[j], lower[j+1] = -signA*upper[j+1], signA*upper[j]
	}
}

// transposePairs transposes a matrix of pairs: pair i of row j of dst, whose rows are stride pairs apart, is pair j of
// row i of src, whose rows are srcStride pairs apart.
func transposePairs[T dense.Float](set kernel.Set, rows, cols int, src []T, srcStride int, dst []T, stride int) {
	if dense.IsSingle[T]() {
		gemm.Transpose(set, rows, cols, dense.Pairs[complex64](src), srcStride, dense.Pairs[complex64](dst), stride)
		return
	}
	gemm.Transpose(set, rows, cols, dense.Pairs[complex128](src), srcStride, dense.Pairs[complex128](dst), stride)
}

// scalePairs multiplies a row of complex numbers by one.
func scalePairs[T dense.Float](row []T, re, im T) {
	for j := 0; j+1 < len(row); j += 2 {
		row[j], row[j+1] = multiplied(row[j], row[j+1], re, im)
	}
}

// multiplied returns (a + ib) (re + i im). A real factor does not mix infinities of one part into the other.
func multiplied[T dense.Float](a, b, re, im T) (T, T) {
	if im == 0 {
		return a * re, b * re
	}
	return a*re - b*im, a*im + b*re
}

// packing is the memory for a block of B, a strip of A and a tile of C. It is kept between calls.
type packing[T dense.Float] struct{ b, a, c []T }

// Overhead of alignment, the allocator's size classes and headers for a packing.
const packingOverhead = 32 << 10

var (
	packings32 scratch.Cache[packing[float32]]
	packings64 scratch.Cache[packing[float64]]
)

func packingsOf[T dense.Float]() *scratch.Cache[packing[T]] {
	if dense.IsSingle[T]() {
		return any(&packings32).(*scratch.Cache[packing[T]])
	}
	return any(&packings64).(*scratch.Cache[packing[T]])
}

// takePacking returns memory for products of an inner dimension k with n columns.
func takePacking[T dense.Float](size *kernel.Blocking, k, n int) *packing[T] {
	p := packingsOf[T]().Get()
	if p == nil {
		p = &packing[T]{}
	}
	p.reserve(size, k, n)
	return p
}

// reserve makes p large enough for such products. Each part only grows: products of different shapes in turn would
// otherwise allocate it anew each time.
func (p *packing[T]) reserve(size *kernel.Blocking, k, n int) {
	p.a = atLeast(p.a, packedA[T](size, k))
	p.b = atLeast(p.b, packedB[T](size, k, n))
	p.c = atLeast(p.c, size.Rows*size.TileCols())
}

// atLeast returns x if it has n elements, and else new memory of that many.
func atLeast[T dense.Float](x []T, n int) []T {
	if len(x) >= n {
		return x
	}
	return dense.NewAligned[T](n)
}

// line returns the elements of a cache line. Packed tiles and strips begin a line behind a multiple of a page from each
// other, or they would compete for the same sets of the L1 cache while they are written.
func line[T dense.Float]() int { return dense.LineBytes / dense.Bytes[T]() }

// packedA returns the elements of the strips of A that are packed together, which a strip with copied rows fits, too.
func packedA[T dense.Float](size *kernel.Blocking, k int) int {
	return packedStrips * size.Rows * (min(size.Inner, k) + line[T]())
}

// packedB returns the elements of the largest block of B, all of its tiles being of one vector.
func packedB[T dense.Float](size *kernel.Blocking, k, n int) int {
	columns := min(size.Cols, ceilDiv(n, size.TileCols())*size.TileCols())
	return min(size.Inner, k)*columns + columns/size.Lanes*line[T]()
}

// GemmWorkspace returns the bytes that Gemm uses for each thread of a product none of whose dimensions is above n, a
// complex number counting twice: half a megabyte to a megabyte for large ones. They are kept for the next call until
// the garbage collector frees them.
func GemmWorkspace[T dense.Float](n int) int64 {
	size := kernel.BlockingOf[T](kernel.Best())
	n = min(n, size.Inner+size.Cols) // more makes no difference
	return int64(packedA[T](size, n)+packedB[T](size, n, n))*int64(dense.Bytes[T]()) + packingOverhead
}

func (p *packing[T]) giveBack() { packingsOf[T]().Put(p) }

// copyRows copies rows i0 <= i < i1 and columns p0 <= p < p1 of A, and returns the distance of their copies.
func (g *gemmProblem[T]) copyRows(dst []T, i0, i1, p0, p1 int) (row int) {
	row = p1 - p0 + line[T]()
	for i := i0; i < i1; i++ {
		copy(dst[(i-i0)*row:][:p1-p0], g.a.from(i, p0))
	}
	return row
}

// packStrips copies rows i0 <= i < i1, some strips of equal height, and columns p0 <= p < p1 of a transposed A to the
// run's A: by columns, which are rows in memory, or for pairs by rows. Together the strips exceed the L1 cache: each
// prefetches the next one, without which a product takes 5 to 10 % longer.
func (g *gemmProblem[T]) packStrips(run *gemm.Tiles[T], dst []T, i0, i1, p0, p1 int) {
	if g.pairs != nil {
		run.RowA, run.ColA = p1-p0+line[T](), 1
		run.StepA = run.Rows * run.RowA
		transposePairs(g.set, (p1-p0)/2, i1-i0, g.a.from(i0, p0), g.a.col, dst, run.RowA/2)
	} else {
		run.RowA, run.ColA = 1, g.size.Rows
		run.StepA = g.size.Rows*(p1-p0) + line[T]()
		gemm.Pack(g.set, &gemm.Panel[T]{
			Count: run.Strips, Rows: p1 - p0, Cols: run.Rows, From: g.a.from(i0, p0), FromRow: g.a.col,
			FromStep: run.Rows, To: dst, ToRow: g.size.Rows, ToStep: run.StepA,
		})
	}
	run.A, run.Prefetch, run.PrefetchStrip = dst, dst[run.StepA:], run.StepA
	run.PrefetchCol, run.PrefetchStep = run.ColA, run.RowA
}

// workspace is memory for the vectors of level 2 and small blocks of level 3.
type workspace[T dense.Scalar] struct {
	scratch.Memory
	rest []T
}

// Only the limit of all pools bounds what is kept: the largest workspace is a copy of the right-hand sides of a system.
var workspaces = scratch.Pool{MostBytes: scratch.DefaultLimit}

// borrow returns memory for n elements.
func borrow[T dense.Scalar](n int) workspace[T] {
	memory := workspaces.Borrow(scratch.WordsOf[T](n))
	return workspace[T]{memory, scratch.Numbers[T](memory.Words, n)}
}

// take returns n elements of unknown values.
func (w *workspace[T]) take(n int) []T {
	part := w.rest[:n:n]
	w.rest = w.rest[n:]
	return part
}

// zeros is take(n) with zeros.
func (w *workspace[T]) zeros(n int) []T {
	part := w.take(n)
	clear(part)
	return part
}

// matrix takes a matrix of unknown values.
func (w *workspace[T]) matrix(rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: w.take(rows * cols)}
}

// realBlocking returns the blocking of T's real type.
func realBlocking[T dense.Scalar](set kernel.Set) *kernel.Blocking {
	if dense.IsSingle[T]() {
		return kernel.BlockingOf[float32](set)
	}
	return kernel.BlockingOf[float64](set)
}
