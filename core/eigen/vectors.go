package eigen

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Eigenvectors that are transformed together. Their number depends on nothing but the shape, so that the threads that
// share them do not change the result; a few hundred kilobytes at n = 1000, the size of a second-level cache.
const chunkRows = 32

// vectorWriter turns eigenvectors of the tridiagonal matrix into those of the caller's problem.
type vectorWriter[W dense.Wide, T dense.Scalar] struct {
	blocks    []reflectionBlock[W]             // applied from the first to the last
	transform func(rows dense.Matrix[W]) error // applied after the reflections; may be nil
	rows      dense.Matrix[float64]            // the eigenvectors of the tridiagonal matrix, overwritten
	v         dense.View[T]                    // the output, with one column for each of rows
}

// write fills v. Each chunk of eigenvectors goes through all steps on its own.
func (o *vectorWriter[W, T]) write(team *sched.Team) error {
	n, count := o.rows.Cols, o.rows.Rows
	chunks, height := ceilDiv(count, chunkRows), min(count, chunkRows)
	perWorker := height * (n + min(n, blockReflections))
	memory := make([]W, min(team.Threads(), chunks)*perWorker)
	if chunks == 1 {
		return o.writeChunk(team, 0, memory)
	}
	return team.For(chunks, func(worker, chunk int) error {
		return o.writeChunk(team, chunk*chunkRows, memory[worker*perWorker:(worker+1)*perWorker])
	})
}

// writeChunk fills the columns of v from first on, at most chunkRows of them.
func (o *vectorWriter[W, T]) writeChunk(team *sched.Team, first int, scratch []W) error {
	end := min(o.rows.Rows, first+chunkRows)
	own := (end - first) * o.rows.Cols
	rows, direct := o.wideRows(first, end, scratch[:own])
	if err := o.reflect(team, rows, scratch[own:]); err != nil {
		return err
	}
	if o.transform != nil {
		if err := o.transform(rows); err != nil {
			return err
		}
	}
	for i := range rows.Rows {
		fixPhase(rows.Row(i))
	}
	if !direct {
		dense.Copy(o.outputRows(first, end), rows.View())
	}
	team.Step(rows.Rows)
	return nil
}

// outputRows returns the columns first <= j < end of v as rows.
func (o *vectorWriter[W, T]) outputRows(first, end int) dense.View[T] {
	out := o.v.T()
	out.Offset += first * out.RowStride
	out.Rows = end - first
	return out
}

// wideRows returns the rows first <= i < end in the type W, in v's own memory (direct) where possible, else where they
// are if W is real, else in scratch.
func (o *vectorWriter[W, T]) wideRows(first, end int, scratch []W) (rows dense.Matrix[W], direct bool) {
	source := o.rows.Slice(first, end, 0, o.rows.Cols)
	out, sameType := any(o.outputRows(first, end)).(dense.View[W])
	rows, contiguous := out.Matrix()
	direct = sameType && contiguous
	if !direct {
		if inPlace, ok := any(source).(dense.Matrix[W]); ok {
			return inPlace, false
		}
		rows = dense.Matrix[W]{Rows: source.Rows, Cols: source.Cols, Stride: source.Cols, Data: scratch[:source.Rows*source.Cols]}
	}
	dense.Copy(rows.View(), source.View())
	return rows, direct
}

// reflect replaces each row x^T by (Q x)^T.
func (o *vectorWriter[W, T]) reflect(team *sched.Team, rows dense.Matrix[W], scratch []W) error {
	for b := range o.blocks {
		if err := team.Err(); err != nil {
			return err
		}
		o.blocks[b].apply(rows, scratch)
	}
	return nil
}

// Components at least this large relative to the largest one may decide the phase; see the package comment.
const phaseSlack = 0.9

// fixPhase multiplies x by a number of modulus 1 so that its first large component is real and positive.
func fixPhase[W dense.Wide](x []W) {
	largest := 0.0
	for _, c := range x {
		largest = max(largest, dense.Abs(c))
	}
	for i, c := range x {
		r := dense.Abs(c)
		if r < phaseSlack*largest {
			continue
		}
		if positive := dense.FromReal[W](r); c != positive {
			blas.Scal(dense.Conj(c)/positive, dense.Vec(x))
			x[i] = positive
		}
		return
	}
}
