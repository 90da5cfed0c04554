package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/scratch"
)

// blockB is a block of B as the kernels take it: whole tiles, and what is left of the columns in one or two narrower ones.
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

// tilesOf returns how many tiles of how many columns come first when n columns are cut into tiles. A rest of one vector is shared with the
// last whole tile: kernels of one vector wait for their loads.
func tilesOf(size *kernel.Blocking, n int) (count, cols int) {
	whole := size.TileCols()
	full, rest := n/whole, n%whole
	if rest > 0 && rest <= size.Lanes && full > 0 && size.Vectors > 1 {
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

// load makes block, which has been split, hold rows p0 <= p < p1 and the columns from j0 on of B, packed if g says so.
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
		piece.step = piece.row * (p1 - p0)
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
				gemm.Transpose(g.set, piece.cols, p1-p0, g.b.from(p0, j0+piece.first+t*piece.cols), g.b.col, piece.data[t*piece.step:], piece.row)
			}
		}
	}
}

// packing is the memory for a block of B, a strip of A and a tile of C. It is kept between calls.
type packing[T dense.Float] struct{ b, a, c []T }

// What alignment, size classes of the allocator and the headers add to a packing.
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

// takePacking returns memory for the largest block and strip.
func takePacking[T dense.Float](size *kernel.Blocking) *packing[T] {
	p := packingsOf[T]().Get()
	if p == nil {
		p = &packing[T]{}
	}
	// Kernel sets differ in size, which matters where tests use one after the other.
	if inner := size.Inner; len(p.b) < inner*size.Cols || len(p.a) < inner*size.Rows {
		p.b, p.a, p.c = dense.NewAligned[T](inner*size.Cols), dense.NewAligned[T](inner*size.Rows), dense.NewAligned[T](size.Rows*size.TileCols())
	}
	return p
}

// GemmWorkspace returns the bytes that Gemm takes for each thread that works on a product: about half a megabyte. They
// are kept for the next call until the garbage collector wants them.
func GemmWorkspace[T dense.Float]() int64 {
	size := kernel.BlockingOf[T](kernel.Best())
	return int64(size.Inner)*int64(size.Cols+size.Rows)*int64(dense.Bytes[T]()) + packingOverhead
}

func (p *packing[T]) giveBack() { packingsOf[T]().Put(p) }

// packStrip copies rows i0 <= i < i1 and columns p0 <= p < p1 of a transposed A: element (i, p) goes to
// i-i0+(p-p0)*rows, where rows are those of a tile.
func (g *gemmProblem[T]) packStrip(dst []T, i0, i1, p0, p1 int) {
	rows, n := g.size.Rows, i1-i0
	if g.pairs == nil {
		gemm.Pack(g.set, &gemm.Panel[T]{Count: 1, Rows: p1 - p0, Cols: n, From: g.a.from(i0, p0), FromRow: g.a.col, To: dst, ToRow: rows})
		return
	}
	for p := p0; p < p1; p += 2 {
		src, re, im := g.a.from(i0, p)[:2*n], dst[(p-p0)*rows:][:n], dst[(p-p0+1)*rows:][:n]
		for i := range re {
			re[i], im[i] = src[2*i], src[2*i+1]
		}
	}
}
