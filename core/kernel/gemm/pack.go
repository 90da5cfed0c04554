package gemm

import (
	"fmt"
	"math/bits"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Panel is Count tiles of Rows x Cols elements side by side, in two places: element (i, j) of tile t is at
// From[t*FromStep+i*FromRow+j] and at To[t*ToStep+i*ToRow+j]. Cols is at most the columns of a tile of the set's
// Blocking, or its rows. From and To do not overlap.
type Panel[T kernel.Float] struct {
	Count, Rows, Cols int
	From              []T
	FromRow, FromStep int
	To                []T
	ToRow, ToStep     int
}

// check panics unless From and To hold the tiles, with rowsTo rows in To for each row in From.
func (p *Panel[T]) check(s kernel.Set, rowsTo int) {
	last, rows, cols := p.Count-1, p.Rows-1, p.Cols-1
	if last|rows|cols|p.FromRow|p.FromStep|p.ToRow|p.ToStep < 0 || last*p.FromStep+rows*p.FromRow+cols >= len(p.From) ||
		last*p.ToStep+(rowsTo*p.Rows-1)*p.ToRow+cols >= len(p.To) || p.Cols > kernel.BlockingOf[T](s).TileCols() ||
		p.Cols%rowsTo != 0 {
		panic(fmt.Sprintf("gemm: copy of %d tiles of %dx%d, strides %d,%d %d,%d, lengths %d, %d",
			p.Count, p.Rows, p.Cols, p.FromRow, p.FromStep, p.ToRow, p.ToStep, len(p.From), len(p.To)))
	}
}

// Pack copies the tiles, row by row.
func Pack[T kernel.Float](s kernel.Set, p *Panel[T]) {
	p.check(s, 1)
	if s != kernel.Go {
		packAssembly(s, p)
		return
	}
	for i := range p.Rows {
		for t := range p.Count {
			copy(p.To[t*p.ToStep+i*p.ToRow:][:p.Cols], p.From[t*p.FromStep+i*p.FromRow:])
		}
	}
}

// expandedRows is the number of rows that PackExpanded makes of one.
const expandedRows = 2

// PackExpanded packs tiles of complex numbers, pairs (x, y) of real ones, in the 1e format of the 1m method. Cols is
// even; row i of From becomes rows 2i and 2i+1 of To,
//
//	upper[0] x, upper[1] y
//	lower[0] y, lower[1] x
//
// where the factors are 1 or -1. From may be in place of the upper rows of To.
func PackExpanded[T kernel.Float](s kernel.Set, p *Panel[T], upper, lower [2]T) {
	p.check(s, expandedRows)
	if s != kernel.Go {
		packExpandedAssembly(s, p, upper, lower)
		return
	}
	for i := range p.Rows {
		for t := range p.Count {
			from := p.From[t*p.FromStep+i*p.FromRow:][:p.Cols]
			at := t*p.ToStep + expandedRows*i*p.ToRow
			above, below := p.To[at:][:p.Cols], p.To[at+p.ToRow:][:p.Cols]
			for j := 0; j < p.Cols; j += 2 {
				x, y := from[j], from[j+1]
				above[j], above[j+1] = upper[0]*x, upper[1]*y
				below[j], below[j+1] = lower[0]*y, lower[1]*x
			}
		}
	}
}

// Endings of rows of tiles: the last vector is whole, is one to three quarters, or is masked.
const (
	quarters     = 4
	maskedEnding = quarters
	endingKinds  = maskedEnding + 1
)

// newPackArgs returns the arguments of packing in words of four bytes.
func newPackArgs[T kernel.Float](s kernel.Set, p *Panel[T]) packArgs {
	const wordBytes = 4
	size := int(unsafe.Sizeof(p.From[0]))
	words, lanes := p.Cols*size/wordBytes, vec.Bytes(s)/wordBytes
	vectors := (p.Cols*size + vec.Bytes(s) - 1) >> vec.Shift(s)
	last := words - (vectors-1)*lanes
	args := packArgs{
		src: unsafe.Pointer(&p.From[0]), dst: unsafe.Pointer(&p.To[0]), mask: 1<<last - 1,
		kind: endingKinds*vectors + maskedEnding, rows: p.Rows, count: p.Count,
		srcRow: p.FromRow * size, srcStep: p.FromStep * size, dstRow: p.ToRow * size, dstStep: p.ToStep * size,
	}
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(last * wordBytes)
		if quarter := lanes / quarters; last%quarter == 0 {
			args.kind += last/quarter%quarters - maskedEnding // 0: whole
		}
	}
	return args
}

func packAssembly[T kernel.Float](s kernel.Set, p *Panel[T]) {
	args := newPackArgs(s, p)
	packKernel(s, &args)
}

func packExpandedAssembly[T kernel.Float](s kernel.Set, p *Panel[T], upper, lower [2]T) {
	args := newPackArgs(s, p)
	upperSigns, lowerSigns := vec.SignBits(upper), vec.SignBits(lower)
	args.lowerRow, args.dstRow = args.dstRow, expandedRows*args.dstRow
	args.upperSigns, args.lowerSigns = unsafe.Pointer(&upperSigns), unsafe.Pointer(&lowerSigns)
	double := unsafe.Sizeof(p.From[0]) == 8
	if s == kernel.AVX512 && double {
		args.mask = 1<<((bits.Len64(args.mask)+1)/2) - 1 // elements are two words
	}
	packExpandedKernel(s, vec.FloatType[T](), &args)
}
