package eigen

import (
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

const (
	// Eigenvectors that are transformed together. Their number depends on nothing but the shape, so that the threads
	// that share them do not change the result. In taller chunks the blocks of reflectors, which do not stay in a
	// cache, are read less often.
	chunkRows, tallChunkRows, tallestChunkRows = 32, 64, 128
	// From so many real numbers per row on chunks are taller.
	tallChunkElements, tallestChunkElements = 256, 1536

	// Components at least this large relative to the largest one may decide the phase; see the package comment.
	phaseMargin = 0.9
	// Components that the search for the first large one compares together.
	phaseGroup = 128
)

// chunkHeight returns how many eigenvectors of a matrix of type W and order n are transformed together.
func chunkHeight[W dense.Scalar](n int) int {
	switch elements := n * dense.Parts[W](); {
	case elements >= tallestChunkElements:
		return tallestChunkRows
	case elements >= tallChunkElements:
		return tallChunkRows
	}
	return chunkRows
}

// vectorWriter transforms eigenvectors of the tridiagonal matrix, of type R, to those of the caller's problem, of type
// T. W is the type of the computation, and R its real type.
type vectorWriter[R dense.Float, W, T dense.Scalar] struct {
	blocks    []householder.Block[R]           // in the order of application
	transform func(rows dense.Matrix[W]) error // applied after the reflectors; may be nil
	rows      dense.Matrix[R]                  // the eigenvectors of the tridiagonal matrix, overwritten
	v         dense.View[T]                    // the output, with one column for each of rows
}

// writeElements bounds the real numbers of scratch memory that write takes for count vectors of order n on so many
// threads.
func writeElements[W dense.Scalar](n, count, threads int) int {
	if count == 0 {
		return 0
	}
	height := min(count, chunkHeight[W](n))
	perRow := householder.ApplyElements[W](n)
	if dense.IsComplex[W]() {
		perRow += 2 * dense.Parts[W]() * n // the parts of a row, and the row itself
	}
	return min(threads, ceilDiv(count, height)) * height * perRow
}

// write fills v. Each chunk of eigenvectors goes through all steps by itself. memory has writeElements numbers.
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
func (o *vectorWriter[R, W, T]) realChunk(
	team *sched.Team, source dense.Matrix[R], rows dense.Matrix[W], out dense.View[T], scratch []R,
) error {
	if err := householder.ApplyBlocks(team, o.blocks, source, source.Cols, scratch); err != nil {
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
	to, ok := sameRows[R](out)
	if ok && to.Stride == source.Stride && unsafe.SliceData(to.Data) == unsafe.SliceData(source.Data) {
		return nil
	}
	return blas.CopyView(nil, out, rows.View())
}

// complexChunk writes the complex rows that come from the real rows of source to out.
func (o *vectorWriter[R, W, T]) complexChunk(
	team *sched.Team, source dense.Matrix[R], out dense.View[T], scratch []R,
) error {
	n, size := source.Cols, 2*source.Cols*source.Rows
	x := dense.Matrix[R]{Rows: source.Rows, Cols: 2 * n, Stride: 2 * n, Data: scratch[:size]}
	for i := range x.Rows {
		copy(x.Row(i)[:n], source.Row(i))
		clear(x.Row(i)[n:])
	}
	if err := householder.ApplyBlocks(team, o.blocks, x, n, scratch[2*size:]); err != nil {
		return err
	}
	rows, direct := sameRows[W](out)
	if !direct {
		rows = dense.Matrix[W]{Rows: x.Rows, Cols: n, Stride: n, Data: complexNumbers[W](scratch[size : 2*size])}
	}
	if err := o.complexRows(x, rows); err != nil || direct {
		return err
	}
	return blas.CopyView(nil, out, rows.View())
}

// complexRows sets rows to the caller's vectors that belong to the rows of x, which hold real parts and then imaginary
// parts.
func (o *vectorWriter[R, W, T]) complexRows(x dense.Matrix[R], rows dense.Matrix[W]) error {
	n := rows.Cols
	for i := range rows.Rows {
		re, im, row := x.Row(i)[:n], x.Row(i)[n:], rows.Row(i)
		if o.transform == nil {
			combineWithPhase(re, im, row)
		} else {
			vector.Interleave(kernel.Best(), 1, 0, re, im, dense.Reals[R](row))
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

// sameRows returns v as a row-major matrix of type W in the same memory, if it is one.
func sameRows[W, T dense.Scalar](v dense.View[T]) (rows dense.Matrix[W], ok bool) {
	if same, isSame := any(v).(dense.View[W]); isSame {
		return same.Matrix()
	}
	return rows, false
}

// complexNumbers returns the memory of pairs of real numbers as complex numbers.
func complexNumbers[W dense.Scalar, R dense.Float](x []R) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

// fixSign multiplies x by 1 or -1 so that its first large component is positive.
func fixSign[R dense.Float](x []R) {
	set := kernel.Best()
	limit := phaseMargin * vector.MaxAbs(set, x)
	first := 0
	for first+phaseGroup < len(x) && vector.MaxAbs(set, x[first:first+phaseGroup]) < limit {
		first += phaseGroup
	}
	for _, c := range x[first:] {
		if c >= limit {
			return
		}
		if -c >= limit {
			vector.Scale(set, -1, x)
			return
		}
	}
}

// fixPhase multiplies x by a number of modulus 1 so that its first large component is real and positive.
func fixPhase[W dense.Scalar](x []W) {
	largest := 0.0
	for _, c := range x {
		largest = max(largest, dense.Abs(c))
	}
	for i, c := range x {
		r := dense.Abs(c)
		if r < phaseMargin*largest {
			continue
		}
		if positive := dense.FromReal[W](r); c != positive {
			blas.Scal(dense.Conj(c)/positive, dense.Vec(x))
			x[i] = positive
		}
		return
	}
}

// combineWithPhase sets row to the vector re + i im, whose length is about 1, times the number by which fixPhase would
// multiply it.
func combineWithPhase[R dense.Float, W dense.Scalar](re, im []R, row []W) {
	set, pairs := kernel.Best(), dense.Reals[R](row)
	limit := phaseMargin * phaseMargin * vector.MaxSquares(set, re, im)
	at := 0
	for end := phaseGroup; end < len(re) && vector.MaxSquares(set, re[at:end], im[at:end]) < limit; end += phaseGroup {
		at = end
	}
	for at < len(re)-1 && re[at]*re[at]+im[at]*im[at] < limit {
		at++
	}
	r := math.Hypot(float64(re[at]), float64(im[at]))
	if r == 0 {
		vector.Interleave(set, 1, 0, re, im, pairs)
		return
	}
	vector.Interleave(set, R(float64(re[at])/r), R(-float64(im[at])/r), re, im, pairs)
	row[at] = dense.FromReal[W](r)
}

// writeValues stores the values d, multiplied by 2^exponent.
func writeValues[R dense.Float](w []R, d []float64, exponent int) {
	for i, x := range d {
		w[i] = R(math.Ldexp(x, exponent))
	}
}
