package df

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/stream"
)

// wordBytes are the bytes of a float64.
const wordBytes = 8

// Source holds packed integrals L: Packed in memory, a PackedFile, or PackedFunction. Elements are float64, or float32
// that are converted.
type Source interface {
	// Shape returns the numbers of auxiliary functions and of elements in a row.
	Shape() (naux, pairs int)

	// check returns a *dense.ArgumentError for a negative size.
	check() error
	// inPlace returns L if it can be used where it lies.
	inPlace() (m dense.Matrix[float64], ok bool)
	// array returns L as an array whose slices are rows.
	array() stream.Array
}

// Packed is L in memory, naux x pairs. Contiguous rows of float64 are used in place; others are copied in blocks.
type Packed[T dense.Float] struct{ dense.View[T] }

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (p Packed[T]) Shape() (naux, pairs int) { return p.Rows, p.Cols }

func (p Packed[T]) check() error { return stream.CheckShape("L", p.Rows, p.Cols) }

func (p Packed[T]) inPlace() (dense.Matrix[float64], bool) {
	v, ok := any(p.View).(dense.View[float64])
	if !ok {
		return dense.Matrix[float64]{}, false
	}
	return v.Matrix()
}

func (p Packed[T]) array() stream.Array {
	return stream.Memory[T]{
		Shape: []int{p.Rows, p.Cols}, Strides: []int{p.RowStride, p.ColStride}, Offset: p.Offset, Data: p.Data,
	}
}

// PackedFile is L in a .npy file, which is read in blocks of rows. Calls may share one. The errors of reading are those
// of stream.File.
type PackedFile struct{ file *npy.File }

// OpenPacked opens a .npy file of float32 or float64 numbers of either byte order with an array of two dimensions in C
// order. The caller closes it.
//
// It returns a *dense.ArgumentError for another shape or order, and the errors of npy.OpenReal.
func OpenPacked(path string) (*PackedFile, error) {
	file, err := npy.OpenReal(path)
	if err != nil {
		return nil, err
	}
	if len(file.Shape) != 2 {
		file.Close()
		return nil, dense.BadArgument("L",
			"expected an array of shape (naux, nao*(nao+1)/2), the file's has %d dimensions",
			len(file.Shape))
	}
	// An array with one row or one column is the same in either order.
	if byColumns := min(file.Shape[0], file.Shape[1]) > 1 && file.Strides[1] != 1; byColumns {
		file.Close()
		return nil, dense.BadArgument("L",
			"the file's array is in Fortran order, in which a row is not one stretch; save it in C order")
	}
	return &PackedFile{file}, nil
}

// Close closes the file.
func (p *PackedFile) Close() error { return p.file.Close() }

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (p *PackedFile) Shape() (naux, pairs int) { return p.file.Shape[0], p.file.Shape[1] }

func (p *PackedFile) check() error                           { return nil } // OpenPacked did it
func (p *PackedFile) inPlace() (dense.Matrix[float64], bool) { return dense.Matrix[float64]{}, false }
func (p *PackedFile) array() stream.Array {
	return stream.NewFile(p.file, p.file.Shape[0], p.file.Shape[1])
}

// PackedFunction is L as a function hands it out in ranges of rows, see stream.Function. Each row is asked for once.
type PackedFunction struct {
	Naux, Pairs int
	Load        func(team *sched.Team, first, end int, dst []float64) error
}

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (p PackedFunction) Shape() (naux, pairs int) { return p.Naux, p.Pairs }

func (p PackedFunction) check() error { return stream.CheckShape("L", p.Naux, p.Pairs) }
func (p PackedFunction) inPlace() (dense.Matrix[float64], bool) {
	return dense.Matrix[float64]{}, false
}
func (p PackedFunction) array() stream.Array {
	return &stream.Function[float64]{Count: p.Naux, Size: p.Pairs, Load: p.Load}
}

// PackedSize returns nao(nao+1)/2, the elements of a packed row.
func PackedSize(nao int) int { return nao * (nao + 1) / 2 }

// Options holds what a call may use. The zero value is one thread and the default memory limit.
type Options struct {
	Team *sched.Team // threads, cancellation, progress in rows of L; nil is one thread
	// do not refuse infinities and NaNs in L: results that depend on them are then not finite
	SkipFiniteCheck bool
	// MaxBytes limits the memory for blocks of L: those that are read, and copies of rows that no product accepts. 0 is
	// stream.DefaultMaxBytes.
	MaxBytes int64
}

// planBlocks chooses blocks of whole units of rows. Without buffers L is used in place.
//
// It returns a *dense.ArgumentError for a limit below 0, and for one that holds no block, with the least that works.
func (o Options) planBlocks(l Source, unit int) (stream.Blocks, error) {
	maxBytes := o.MaxBytes
	if maxBytes < 0 {
		return stream.Blocks{}, dense.BadArgument("max_memory",
			"expected a number of bytes, or 0 for the default, got %d", maxBytes)
	}
	if maxBytes == 0 {
		maxBytes = stream.DefaultMaxBytes
	}
	naux, pairs := l.Shape()
	if _, inPlace := l.inPlace(); inPlace || naux == 0 || pairs == 0 {
		return stream.Blocks{}, nil
	}
	b, least, ok := stream.PlanBlocks(naux, int64(pairs)*wordBytes, unit, maxBytes)
	if !ok {
		return b, dense.BadArgument("max_memory", "%d bytes hold no block of L: %d rows of %d elements need %d bytes",
			maxBytes, min(unit, naux), pairs, least)
	}
	return b, nil
}

// takeBuffers takes the memory of blocks of L.
func takeBuffers(a *scratch.Arena, b stream.Blocks, pairs int) []dense.Matrix[float64] {
	buffers := make([]dense.Matrix[float64], b.Buffers)
	for n := range buffers {
		buffers[n] = scratch.TakeMatrix[float64](a, b.Width, pairs)
	}
	return buffers
}

// eachBlock calls visit for every block of L with the number of its first row, in order: once with all of L if it is
// used in place.
func eachBlock(
	team *sched.Team, l Source, b stream.Blocks, buffers []dense.Matrix[float64],
	visit func(rows dense.Matrix[float64], first int) error,
) error {
	if b.Buffers == 0 {
		rows, _ := l.inPlace()
		return visit(rows, 0)
	}
	_, pairs := l.Shape()
	reader := stream.NewReader[float64](l.array())
	load := func(team *sched.Team, buffer, first, end int) error {
		return reader.Read(team, first, end, buffers[buffer].Data[:(end-first)*pairs])
	}
	return b.Each(team, nil, load, func(buffer, first, end int) error {
		return visit(buffers[buffer].Slice(0, end-first, 0, pairs), first)
	})
}

// checkFinite returns a *dense.ArgumentError that names the first row of L with an infinity or a NaN, if one of these
// rows has one; first is the number of the first of them. It returns the team's error when the call is cancelled.
func checkFinite(team *sched.Team, rows dense.Matrix[float64], first int) error {
	if blas.CheckFinite(team, rows.View(), "L") == nil {
		return nil
	}
	return firstNonFinite(team, rows, first)
}

// firstNonFinite is checkFinite for rows that probably hold an infinity or a NaN.
func firstNonFinite(team *sched.Team, rows dense.Matrix[float64], first int) error {
	if err := team.Err(); err != nil {
		return err
	}
	for p := range rows.Rows {
		if !rows.Slice(p, p+1, 0, rows.Cols).View().AllFinite() {
			return dense.BadArgument("L", "contains infinities or NaNs, the first in row %d", first+p)
		}
	}
	return nil
}
