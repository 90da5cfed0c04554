package gemm

import (
	"fmt"

	"trnsci/core/kernel"
)

// Tiles is a run of Count tiles of a matrix product, side by side: for t = 0, ..., Count-1
//
//	C_t = Alpha A B_t        if Accumulate is false; C_t is not read
//	C_t = Alpha A B_t + C_t  if it is true
//
// A has Rows rows and K columns, element (i, p) at A[i*RowA+p*ColA], with any strides: it is read in place, transposed
// or not. B_t has K rows and Cols columns, element (p, j) at B[t*StepB+p*RowB+j]. C_t has Rows rows and Cols columns,
// element (i, j) at C[t*StepC+i*RowC+j]. Strides count elements and are not negative. Nothing outside of these elements
// is read or written; C overlaps neither A nor B.
//
// With Strips above 1 the same is done for that many strips of rows, one below the other: A and C of strip s begin
// s*StepA and s*StripC elements further.
//
// Count, K, Rows and Cols are at least 1; Rows and Cols are at most those of the set's Blocking.
type Tiles[T kernel.Float] struct {
	Count, Rows, Cols, K int
	Strips               int // 0 means 1
	Alpha                T
	Accumulate           bool

	A                   []T
	RowA, ColA, StepA   int
	B                   []T
	RowB, StepB         int
	C                   []T
	RowC, StepC, StripC int

	// While tile t of strip s is computed, the elements Prefetch[s*PrefetchStrip+t*PrefetchStep+p*PrefetchCol] with p <
	// K may be brought into the cache: data that is needed after the run. Indices outside of Prefetch do no harm.
	// Prefetch may be nil.
	Prefetch                                 []T
	PrefetchCol, PrefetchStep, PrefetchStrip int
	PrefetchTile1                            []T // prefetched for tile 1 of a strip in place of Prefetch, unless nil

	CInCache bool // C is in the first caches: it need not be prefetched while a tile is computed
}

// MultiplyTiles computes the tiles with the micro-kernels of s, which is one of Sets(). Sums over K are made in the
// order of K, with fused multiply-adds where the set has them. It panics if an element of the tiles is outside of A, B
// or C.
func MultiplyTiles[T kernel.Float](s kernel.Set, t *Tiles[T]) {
	t.check(s)
	if s == kernel.Go {
		for n := range max(t.Strips, 1) {
			t.stripGo(t.A[n*t.StepA:], t.C[n*t.StripC:])
		}
		return
	}
	tilesAssembly(s, t)
}

// check keeps a wrong call from touching memory outside of the operands.
func (t *Tiles[T]) check(s kernel.Set) {
	limit := kernel.BlockingOf[T](s)
	last, rows, cols, inner, below := t.Count-1, t.Rows-1, t.Cols-1, t.K-1, max(t.Strips, 1)-1
	if last|rows|cols|inner|t.Strips|t.RowA|t.ColA|t.StepA|t.RowB|t.StepB|t.RowC|t.StepC|t.StripC < 0 || t.Rows > limit.Rows || t.Cols > limit.TileCols() ||
		below*t.StepA+rows*t.RowA+inner*t.ColA >= len(t.A) || last*t.StepB+inner*t.RowB+cols >= len(t.B) ||
		below*t.StripC+last*t.StepC+rows*t.RowC+cols >= len(t.C) {
		t.refuse(s)
	}
}

func (t *Tiles[T]) refuse(s kernel.Set) {
	panic(fmt.Sprintf("gemm: %s cannot compute %dx%d tiles of %dx%dx%d: strides %d,%d,%d %d,%d %d,%d,%d, lengths %d %d %d",
		s, t.Strips, t.Count, t.Rows, t.Cols, t.K, t.RowA, t.ColA, t.StepA, t.RowB, t.StepB, t.RowC, t.StepC, t.StripC, len(t.A), len(t.B), len(t.C)))
}
