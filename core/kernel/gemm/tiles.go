package gemm

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
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
// With Products above 1 all of this is done for that many matrix products: A, B, C and Prefetch of product q begin
// q*ProductA, q*ProductB, q*ProductC and q*ProductA elements further.
//
// Count, K, Rows and Cols are at least 1; Rows and Cols are at most those of the set's Blocking.
type Tiles[T kernel.Float] struct {
	Count, Rows, Cols, K int
	Strips, Products     int // 0 means 1
	Alpha                T
	Accumulate           bool

	A                   []T
	RowA, ColA, StepA   int
	B                   []T
	RowB, StepB         int
	C                   []T
	RowC, StepC, StripC int

	ProductA, ProductB, ProductC int

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
		for q := range max(t.Products, 1) {
			for n := range max(t.Strips, 1) {
				t.stripGo(t.A[q*t.ProductA+n*t.StepA:], t.B[q*t.ProductB:], t.C[q*t.ProductC+n*t.StripC:])
			}
		}
		return
	}
	tilesAssembly(s, t)
}

// check keeps a wrong call from touching memory outside of the operands.
func (t *Tiles[T]) check(s kernel.Set) {
	limit := kernel.BlockingOf[T](s)
	last, rows, cols, inner := t.Count-1, t.Rows-1, t.Cols-1, t.K-1
	below, further := max(t.Strips, 1)-1, max(t.Products, 1)-1
	if last|rows|cols|inner|t.Strips|t.RowA|t.ColA|t.StepA|t.RowB|t.StepB|t.RowC|t.StepC|t.StripC < 0 ||
		t.Products|t.ProductA|t.ProductB|t.ProductC < 0 || t.Rows > limit.Rows || t.Cols > limit.TileCols() ||
		further*t.ProductA+below*t.StepA+rows*t.RowA+inner*t.ColA >= len(t.A) ||
		further*t.ProductB+last*t.StepB+inner*t.RowB+cols >= len(t.B) ||
		further*t.ProductC+below*t.StripC+last*t.StepC+rows*t.RowC+cols >= len(t.C) {
		t.refuse(s)
	}
}

func (t *Tiles[T]) refuse(s kernel.Set) {
	panic(fmt.Sprintf("gemm: %s cannot compute %dx%dx%d tiles of %dx%dx%d: strides %d,%d,%d %d,%d %d,%d,%d, of "+
		"products %d,%d,%d, lengths %d %d %d",
		s, t.Products, t.Strips, t.Count, t.Rows, t.Cols, t.K, t.RowA, t.ColA, t.StepA, t.RowB, t.StepB, t.RowC, t.StepC,
		t.StripC, t.ProductA, t.ProductB, t.ProductC, len(t.A), len(t.B), len(t.C)))
}

// stripGo computes a strip of tiles of at most 4 rows and 4 columns, two rows at a time: 8 sums, 2 elements of A and 4
// of B fit the 16 registers that the compiler has on amd64.
func (t *Tiles[T]) stripGo(a, right, strip []T) {
	for n := range t.Count {
		b, c := right[n*t.StepB:], strip[n*t.StepC:]
		i := 0
		if t.Cols == 4 {
			for ; i+2 <= t.Rows; i += 2 {
				t.twoRows(a[i*t.RowA:], b, c[i*t.RowC:])
			}
		}
		for ; i < t.Rows; i++ {
			t.oneRow(a[i*t.RowA:], b, c[i*t.RowC:])
		}
	}
}

// twoRows computes two rows of four columns.
func (t *Tiles[T]) twoRows(a, b, c []T) {
	var s00, s01, s02, s03, s10, s11, s12, s13 T
	below := a[t.RowA:]
	pa, pb := 0, 0
	for range t.K {
		x, y, row := a[pa], below[pa], b[pb:pb+4:pb+4]
		s00 += x * row[0]
		s10 += y * row[0]
		s01 += x * row[1]
		s11 += y * row[1]
		s02 += x * row[2]
		s12 += y * row[2]
		s03 += x * row[3]
		s13 += y * row[3]
		pa += t.ColA
		pb += t.RowB
	}
	t.store(c[:4], [4]T{s00, s01, s02, s03})
	t.store(c[t.RowC:t.RowC+4], [4]T{s10, s11, s12, s13})
}

// oneRow computes a row of at most four columns.
func (t *Tiles[T]) oneRow(a, b, c []T) {
	var sums [4]T
	for j := range t.Cols {
		var s T
		pa, pb := 0, j
		for range t.K {
			s += a[pa] * b[pb]
			pa += t.ColA
			pb += t.RowB
		}
		sums[j] = s
	}
	t.store(c[:t.Cols], sums)
}

// store updates a row of C, which has at most four elements.
func (t *Tiles[T]) store(c []T, sums [4]T) {
	for j := range c {
		if t.Accumulate {
			c[j] += t.Alpha * sums[j]
		} else {
			c[j] = t.Alpha * sums[j]
		}
	}
}

// tilesAssembly hands tiles to the assembly, which reads memory through these pointers during the call: it cannot be
// preempted, so that neither stacks move nor the garbage collector meets an address that only the assembly knows.
func tilesAssembly[T kernel.Float](s kernel.Set, t *Tiles[T]) {
	size := int(unsafe.Sizeof(t.Alpha))
	lanes := vec.Bytes(s) / size
	vectors := (t.Cols*size + vec.Bytes(s) - 1) >> vec.Shift(s)
	last := t.Cols - (vectors-1)*lanes
	args := tilesArgs{
		a: unsafe.Pointer(&t.A[0]), b: unsafe.Pointer(&t.B[0]), c: unsafe.Pointer(&t.C[0]),
		mask: 1<<last - 1, tiles: t.Count, count: t.Count, k: t.K,
		strips: max(t.Strips, 1), left: max(t.Strips, 1), products: max(t.Products, 1),
		productA: t.ProductA * size, productB: t.ProductB * size, productC: t.ProductC * size,
		rowA: t.RowA * size, colA: t.ColA * size, stepA: t.StepA * size,
		rowB: t.RowB * size, stepB: t.StepB * size,
		rowC: t.RowC * size, stepC: t.StepC * size, stripC: t.StripC * size,
		rows: t.Rows, vectors: vectors,
	}
	if len(t.Prefetch) > 0 {
		args.prefetch, args.prefetchCol, args.prefetchStep, args.prefetchStrip = unsafe.Pointer(&t.Prefetch[0]),
			t.PrefetchCol*size, t.PrefetchStep*size, t.PrefetchStrip*size
		if len(t.PrefetchTile1) > 0 {
			args.prefetchStep = int(uintptr(unsafe.Pointer(&t.PrefetchTile1[0])) - uintptr(args.prefetch))
		}
	} else {
		args.prefetch = args.a
	}
	if last < lanes {
		args.partial = 1
	}
	if t.Accumulate {
		args.accumulate = 1
	}
	if t.CInCache {
		args.cInCache = 1
	}
	*(*T)(unsafe.Pointer(&args.alpha)) = t.Alpha
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(last * size)
	}
	tilesKernel(s, vec.FloatType[T](), &args)
}
