package eigen

import (
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// Eigenvectors that are transformed together. Their number depends on nothing but the shape, so that the threads that share them do not change
// the result. With more of them the blocks of reflections, which do not stay in a cache, are read less often.
const (
	chunkRows, tallChunkRows, tallestChunkRows = 32, 64, 128
	// From so many elements of a row on, imaginary parts counted, chunks are taller.
	tallChunkElements, tallestChunkElements = 256, 1536
)

// chunkHeight returns how many eigenvectors of a matrix of type W and order n are transformed together.
func chunkHeight[W dense.Scalar](n int) int {
	switch elements := n * planes[W](); {
	case elements >= tallestChunkElements:
		return tallestChunkRows
	case elements >= tallChunkElements:
		return tallChunkRows
	}
	return chunkRows
}

// vectorWriter turns eigenvectors of the tridiagonal matrix, of type R, into those of the caller's problem, of type T. W is the type of what is
// computed, R is its real type.
type vectorWriter[R dense.Float, W, T dense.Scalar] struct {
	blocks    []reflectionBlock[R]             // applied from the first to the last
	transform func(rows dense.Matrix[W]) error // applied after the reflections; may be nil
	rows      dense.Matrix[R]                  // the eigenvectors of the tridiagonal matrix, overwritten
	v         dense.View[T]                    // the output, with one column for each of rows
}

// writeElements bounds the real numbers that write takes as scratch memory for count vectors of order n on so many threads.
func writeElements[W dense.Scalar](n, count, threads int) int {
	if count == 0 {
		return 0
	}
	height := min(count, chunkHeight[W](n))
	perRow := applyElements[W](n)
	if dense.IsComplex[W]() {
		perRow += 2 * planes[W]() * n // the planes of a row, and the row itself
	}
	return min(threads, ceilDiv(count, height)) * height * perRow
}

// write fills v. Each chunk of eigenvectors goes through all steps on its own. memory has writeElements numbers.
func (o *vectorWriter[R, W, T]) write(team *sched.Team, memory []R) error {
	count := o.rows.Rows
	if count == 0 {
		return nil
	}
	team = team.Plan(count)
	height := chunkHeight[W](o.rows.Cols)
	chunks := ceilDiv(count, height)
	perWorker := writeElements[W](o.rows.Cols, count, 1)
	if chunks == 1 {
		return o.writeChunk(team, 0, count, memory)
	}
	return team.For(chunks, func(worker, chunk int) error {
		first := chunk * height
		return o.writeChunk(team, first, min(count, first+height), memory[worker*perWorker:(worker+1)*perWorker])
	})
}

// writeChunk fills the columns first <= j < end of v.
func (o *vectorWriter[R, W, T]) writeChunk(team *sched.Team, first, end int, scratch []R) error {
	n := o.rows.Cols
	source, out := o.rows.Slice(first, end, 0, n), o.v.T().SliceRows(first, end)
	var err error
	if real, ok := any(source).(dense.Matrix[W]); ok {
		err = o.realChunk(team, source, real, out, scratch)
	} else {
		err = o.complexChunk(team, source, out, scratch)
	}
	if err == nil {
		team.Step(end - first)
	}
	return err
}

// realChunk writes real rows to out; source and rows are the same matrix.
func (o *vectorWriter[R, W, T]) realChunk(team *sched.Team, source dense.Matrix[R], rows dense.Matrix[W], out dense.View[T], scratch []R) error {
	if err := applyBlocks(team, o.blocks, source, source.Cols, scratch); err != nil {
		return err
	}
	if o.transform != nil {
		if err := o.transform(rows); err != nil {
			return err
		}
	}
	for i := range source.Rows {
		fixSign(source.Row(i))
	}
	if own, ok := ownRows[R](out); ok && own.Stride == source.Stride && unsafe.SliceData(own.Data) == unsafe.SliceData(source.Data) {
		return nil
	}
	return blas.CopyView(nil, out, rows.View())
}

// complexChunk writes the complex rows that come from the real rows of source to out.
func (o *vectorWriter[R, W, T]) complexChunk(team *sched.Team, source dense.Matrix[R], out dense.View[T], scratch []R) error {
	n, size := source.Cols, 2*source.Cols*source.Rows
	x := dense.Matrix[R]{Rows: source.Rows, Cols: 2 * n, Stride: 2 * n, Data: scratch[:size]}
	for i := range x.Rows {
		copy(x.Row(i)[:n], source.Row(i))
		clear(x.Row(i)[n:])
	}
	if err := applyBlocks(team, o.blocks, x, n, scratch[2*size:]); err != nil {
		return err
	}
	rows, direct := ownRows[W](out)
	if !direct {
		rows = dense.Matrix[W]{Rows: x.Rows, Cols: n, Stride: n, Data: complexes[W](scratch[size : 2*size])}
	}
	if err := o.complexRows(x, rows); err != nil || direct {
		return err
	}
	return blas.CopyView(nil, out, rows.View())
}

// complexRows sets rows to the caller's vectors that belong to the rows of x, real parts with imaginary parts behind them.
func (o *vectorWriter[R, W, T]) complexRows(x dense.Matrix[R], rows dense.Matrix[W]) error {
	n := rows.Cols
	for i := range rows.Rows {
		re, im, row := x.Row(i)[:n], x.Row(i)[n:], rows.Row(i)
		if o.transform == nil {
			combineWithPhase(re, im, row)
		} else {
			kernel.Interleave(kernel.Best(), 1, 0, re, im, dense.Reals[R](row))
		}
	}
	if o.transform == nil {
		return nil
	}
	if err := o.transform(rows); err != nil {
		return err
	}
	for i := range rows.Rows {
		fixPhase(rows.Row(i))
	}
	return nil
}

// ownRows returns v as a row-major matrix of type W of the same memory, where it is one.
func ownRows[W, T dense.Scalar](v dense.View[T]) (rows dense.Matrix[W], ok bool) {
	if same, isSame := any(v).(dense.View[W]); isSame {
		return same.Matrix()
	}
	return rows, false
}

// complexes returns the memory of pairs of real numbers as complex numbers.
func complexes[W dense.Scalar, R dense.Float](x []R) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}
