package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel/gemm"
)

// part is what of a product is computed: all of it, or a triangle with its diagonal.
type part uint8

const (
	full part = iota
	lower
	upper
)

func partOf(uplo Uplo) part {
	if uplo == Lower {
		return lower
	}
	return upper
}

// columns returns the columns j0 <= j < j1 that the part has in row i, when an element takes the given number of columns.
func (p part) columns(i, j0, j1, width int) (first, last int) {
	switch p {
	case lower:
		return j0, min(j1, (i+1)*width)
	case upper:
		return max(j0, i*width), j1
	}
	return j0, j1
}

// width returns the columns that an element of C takes.
func (g *gemmProblem[T]) width() int {
	if g.pairs != nil {
		return 2
	}
	return 1
}

func (g *gemmProblem[T]) columnsIn(i, j0, j1 int) (first, last int) {
	return g.part.columns(i, j0, j1, g.width())
}

// rowsIn returns the rows, full strips, that the part has between columns j0 and j1.
func (g *gemmProblem[T]) rowsIn(i0, i1, j0, j1 int) (first, last int) {
	switch g.part {
	case lower:
		return max(i0, j0/g.width()/g.size.Rows*g.size.Rows), i1
	case upper:
		return i0, min(i1, ceilDiv(j1, g.width()))
	}
	return i0, i1
}

// edge computes those tiles of a piece that the diagonal cuts, in the memory tile, from where only the elements of the part are
// stored. It returns which tiles the part has wholly. The piece begins at column j, the run at row i.
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

// cutTile computes one tile at row i and column j. It rounds an element as a full tile does.
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
