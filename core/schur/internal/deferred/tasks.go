package deferred

import (
	"sync/atomic"

	"trnsci/core/sched"
)

// mainWorker is the worker that runs the iteration. It alone shares tasks and queues updates.
const mainWorker = 0

// taskSet is tasks that any worker may take, each of them once.
type taskSet struct {
	task        func(i, worker int)
	count       int64
	taken, done atomic.Int64
}

// take does a task that has not been taken yet, and reports whether there was one.
func (s *taskSet) take(worker int) bool {
	if s.taken.Load() >= s.count {
		return false
	}
	i := s.taken.Add(1) - 1
	if i >= s.count {
		return false
	}
	defer s.done.Add(1) // also for a task that panics, since join waits for it
	s.task(int(i), worker)
	return true
}

// tasks lets the workers of a team share one set of tasks after the other with the main worker.
type tasks struct {
	team    *sched.Team
	wake    func() // makes idle workers look for work
	current atomic.Pointer[taskSet]
}

// Share lets the workers begin with the tasks 0 to count-1, which must write to different parts of the matrix. They are
// done when Join returns.
func (t *tasks) Share(count int, task func(i, worker int)) {
	t.Join()
	t.current.Store(&taskSet{task: task, count: int64(count)})
	if t.team.Threads() == 1 {
		t.Join()
		return
	}
	t.wake()
}

// ShareStrips shares the work on rows and on columns, in strips of the given width.
func (t *tasks) ShareStrips(rows, columns Span, width int, onRows, onColumns func(s Span, worker int)) {
	n := rows.Strips(width)
	t.Share(n+columns.Strips(width), func(i, worker int) {
		if i < n {
			onRows(rows.Strip(i, width), worker)
		} else {
			onColumns(columns.Strip(i-n, width), worker)
		}
	})
}

// Join does the shared tasks that are left and waits for those that other workers have taken.
func (t *tasks) Join() {
	s := t.current.Load()
	if s == nil {
		return
	}
	for s.take(mainWorker) {
	}
	sched.Await(func() bool { return s.done.Load() >= s.count })
	t.current.Store(nil)
}

// helpWithTasks does shared tasks as long as there are any: the main worker will wait for them.
func (t *tasks) helpWithTasks(worker int) {
	if s := t.current.Load(); s != nil {
		for s.take(worker) {
		}
	}
}
