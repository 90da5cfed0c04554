package schur

import (
	"sync/atomic"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// lead is the worker that does the iteration.
const lead = 0

// job is tasks that any worker may take, each of them once.
type job struct {
	task        func(i, worker int)
	count       int64
	taken, done atomic.Int64
}

// take does a task that is left. It reports whether there was one.
func (j *job) take(worker int) bool {
	if j.taken.Load() >= j.count {
		return false
	}
	i := j.taken.Add(1) - 1
	if i >= j.count {
		return false
	}
	defer j.done.Add(1) // also of a task that panics: the lead waits for it
	j.task(int(i), worker)
	return true
}

// share lets the workers begin with the tasks 0 to count-1, which work on different parts of the matrix. They are done when join returns.
func (d *later[W, U, R]) share(count int, task func(i, worker int)) {
	d.join()
	d.job.Store(&job{task: task, count: int64(count)})
	if d.team.Threads() == 1 {
		d.join()
		return
	}
	d.announce()
}

// shareStrips shares what is to be done to rows and to columns, in strips of the given width.
func (d *later[W, U, R]) shareStrips(rows, columns span, width int, toRows, toColumns func(s span, worker int)) {
	n := rows.strips(width)
	d.share(n+columns.strips(width), func(i, worker int) {
		if i < n {
			toRows(rows.strip(i, width), worker)
		} else {
			toColumns(columns.strip(i-n, width), worker)
		}
	})
}

// solved is the form of the diagonal block from a row on, and the adjoint of the unitary factor that leads to it.
type solved[W dense.Scalar] struct {
	row      int
	form, zt dense.Matrix[W]
}

// putBack replaces a block of t by its form, and applies the factor to the given rows above it and columns to the right.
func (d *later[W, U, R]) putBack(t dense.Matrix[W], block solved[W], above, right span) {
	lo, hi := block.row, block.row+block.form.Rows
	storeWindow(t.Slice(lo, hi, lo, hi), block.form)
	d.shareStrips(above, right, productStrip, func(rows span, worker int) {
		multiplyColumns(nil, t.Slice(rows.from, rows.end, lo, hi), block.zt, &d.panels[worker])
	}, func(columns span, worker int) {
		multiplyRows(nil, block.zt, t.Slice(lo, hi, columns.from, columns.end), &d.panels[worker])
	})
	d.join()
}

// join does what is left of the tasks that are shared and waits for the others.
func (d *later[W, U, R]) join() {
	j := d.job.Load()
	if j == nil {
		return
	}
	for j.take(lead) {
	}
	sched.Await(func() bool { return j.done.Load() >= j.count })
	d.job.Store(nil)
}

// attend does tasks that are shared, as long as there are any: the lead will wait for them.
func (d *later[W, U, R]) attend(worker int) {
	if j := d.job.Load(); j != nil {
		for j.take(worker) {
		}
	}
}

// span is rows, or columns, from the first to the one before end.
type span struct{ from, end int }

// strips returns how many strips of the given width the span touches. They begin at multiples of the width, so that they begin with a line of the cache.
func (s span) strips(width int) int {
	if s.from >= s.end {
		return 0
	}
	return (s.end+width-1)/width - s.from/width
}

// strip returns the part of the span that lies in its i-th strip.
func (s span) strip(i, width int) span {
	first := (s.from/width + i) * width
	return span{max(s.from, first), min(s.end, first+width)}
}
