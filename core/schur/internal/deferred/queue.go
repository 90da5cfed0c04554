// Package deferred queues the row transformations that a QR iteration on a diagonal block owes to the columns right of
// the block and to Z^H. The iteration never reads those entries again, so that any worker may apply them when it has
// time.
//
// # Roles
//
// One goroutine, the main worker, runs the iteration. It queues updates (AddSequences, AddFactor), shares tasks whose
// results it needs soon (Share, Join), and drains the queue. The other workers of the team help: they do shared tasks
// first, and otherwise apply pending updates. With one thread the main worker does everything.
//
// # Strips
//
// The columns of T and Z^H are cut into strips. Each strip gets all updates in the order of the queue, whoever applies
// them, so that results do not depend on the number of threads. A strip belongs to the worker that has set its busy
// flag; applied counts the updates that it has received. A strip of T becomes active when the iteration has moved above
// it (Activate): until then the iteration updates it directly.
//
// # Memory
//
// The reflectors and factors of queued updates live in two arenas, which are reused after each Drain. An arena that is
// full causes one.
package deferred

import (
	"math"
	"sync/atomic"

	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

const (
	// Number of queued updates at which a single thread applies them all: rows that neighbouring windows share stay in the
	// cache.
	maxQueuedSerial = 12
	// Upper limit on queued updates with several threads; it bounds the memory and the final wait.
	maxQueued = 256
)

// Sequence is the reflectors of one bulge, each of which begins one row below the one before. The first begins in row
// Row.
type Sequence[R any] struct {
	Row        int
	Reflectors []R
}

// update transforms neighbouring rows: by the sequences of a chain of bulges or, if there are none, the rows from row
// on by the unitary factor.
type update[W dense.Scalar, R any] struct {
	sequences []Sequence[R]
	row       int
	factor    dense.Matrix[W]
}

// strip is some columns of a matrix.
type strip[W dense.Scalar] struct {
	x       dense.Matrix[W]
	busy    atomic.Bool // a worker is at the strip
	applied int         // updates that the strip has received; read and written by the worker that has set busy
}

// inactive is the value of strip.applied while a strip is not yet updated through the queue: it has received more
// updates than there will ever be.
const inactive = math.MaxInt

// acquire sets busy as soon as no other worker has.
func (s *strip[W]) acquire() {
	sched.Await(func() bool { return s.busy.CompareAndSwap(false, true) })
}

// Queue is the deferred updates of one matrix T and of Z^H. W is the type of their elements, R that of reflectors.
type Queue[W dense.Scalar, R any] struct {
	tasks
	apply      func(sequences []Sequence[R], x dense.Matrix[W])
	width      int // columns of a strip
	strips     []strip[W]
	columns    int            // strips of T, in front of those of Z^H
	active     int            // the first strip of T that is active
	updates    []update[W, R] // the first queued of which are valid
	queued     atomic.Int64
	reflectors []R   // arena
	factors    []W   // arena
	panels     [][]W // scratch memory of each worker
}

// New returns the queue of t, none of whose strips is active yet, and of zt, which may have no rows. Strips have the
// given width. apply applies sequences of reflectors to the rows of x from the left; it is called by all workers, with
// different x.
func New[W dense.Scalar, R any](
	team *sched.Team, t, zt dense.Matrix[W], width int, apply func(sequences []Sequence[R], x dense.Matrix[W]),
) *Queue[W, R] {
	q := &Queue[W, R]{
		tasks: tasks{team: team, wake: func() {}}, apply: apply, width: width, panels: make([][]W, team.Threads()),
	}
	ofT, ofZ := Span{0, t.Cols}, Span{0, zt.Cols}
	q.columns = ofT.Strips(width)
	q.active = q.columns
	count := q.columns
	if zt.Rows > 0 {
		count += ofZ.Strips(width)
	}
	q.strips = make([]strip[W], count)
	for i := range q.strips {
		s, x, part := &q.strips[i], t, Span{}
		if i < q.columns {
			s.applied, part = inactive, ofT.Strip(i, width)
		} else {
			x, part = zt, ofZ.Strip(i-q.columns, width)
		}
		s.x = x.Slice(0, x.Rows, part.From, part.End)
	}
	q.updates = make([]update[W, R], maxQueued)
	return q
}

// Run calls iterate as the main worker while the rest of the team helps, and drains the queue when it has returned
// without an error. It returns the error of iterate or of the team.
func (q *Queue[W, R]) Run(iterate func() error) error {
	return q.team.RunWithHelpers(func(wake func()) error {
		q.wake = wake
		if err := iterate(); err != nil {
			return err
		}
		return q.Drain()
	}, q.help)
}

// Width returns the number of columns of a strip.
func (q *Queue[W, R]) Width() int { return q.width }

// ActiveFrom returns the first column of T that is updated through the queue; it may exceed the number of columns.
func (q *Queue[W, R]) ActiveFrom() int { return q.active * q.width }

// Panel returns scratch memory of the given worker, which tasks may use.
func (q *Queue[W, R]) Panel(worker int) *[]W { return &q.panels[worker] }

// Activate makes the strips of T that lie right of column hi active. The iteration has brought them up to date.
func (q *Queue[W, R]) Activate(hi int) {
	for q.active > 0 && (q.active-1)*q.width > hi {
		q.active--
		s := &q.strips[q.active]
		s.acquire()
		s.applied = int(q.queued.Load())
		s.busy.Store(false)
	}
}

// AddSequences queues sequences of reflectors, whose memory is that of NewReflectors.
func (q *Queue[W, R]) AddSequences(sequences []Sequence[R]) error {
	return q.add(update[W, R]{sequences: sequences})
}

// AddFactor queues a multiplication of the rows from the given one on by zt, the adjoint of a unitary factor, which is
// copied.
func (q *Queue[W, R]) AddFactor(row int, zt dense.Matrix[W]) error {
	factor, err := q.keepFactor(zt)
	if err != nil {
		return err
	}
	return q.add(update[W, R]{row: row, factor: factor})
}

// add queues an update, and drains the queue if it is full.
func (q *Queue[W, R]) add(u update[W, R]) error {
	queued := int(q.queued.Load())
	q.updates[queued] = u // before it is published: workers read only updates in front of queued
	q.queued.Store(int64(queued + 1))
	q.wake()
	if queued+1 == maxQueued || q.team.Threads() == 1 && queued+1 >= maxQueuedSerial {
		return q.Drain()
	}
	return nil
}

// Drain returns when all strips have got all updates, whose memory may then be reused. It returns the team's error if
// the call is cancelled before; the queue must not be used any more then.
func (q *Queue[W, R]) Drain() error {
	q.Join() // shared tasks read the memory of the updates
	queued := int(q.queued.Load())
	for i := len(q.strips) - 1; i >= 0; i-- { // helpers begin with the first
		if err := q.team.Err(); err != nil {
			return err
		}
		q.applyPending(i, mainWorker)
	}
	for i := range q.strips {
		sched.Await(func() bool {
			q.applyPending(i, mainWorker)
			return q.hasApplied(i, queued)
		})
	}
	q.reset()
	return nil
}

// reset empties a queue whose updates all strips have got. No strip gets an update twice, and none too few, when the
// counters go back to zero:
//
// Before, Drain has seen each strip with applied >= queued while it held the strip's busy flag. As only the main
// worker, which is here, adds updates, no strip has anything to do from then on.
//
// queued = 0 is stored first, and applied = 0 for each strip afterwards. A worker that acquires a strip between the two
// stores reads queued = 0 and applied = (the old count): nothing to do. In the other order it would read applied = 0
// and queued = (the old count), and apply all updates again.
//
// applied = 0 is stored under the busy flag. A worker that acquires the flag afterwards sees both stores, because the
// flag orders them; one that acquired it before has read a queued that its strip had reached already, and changes
// nothing. The flag also orders all reads of updates and their memory before what the main worker writes there next.
func (q *Queue[W, R]) reset() {
	q.queued.Store(0)
	for i := range q.strips {
		s := &q.strips[i]
		s.acquire()
		if s.applied != inactive {
			s.applied = 0
		}
		s.busy.Store(false)
	}
	q.reflectors, q.factors = q.reflectors[:0], q.factors[:0]
}

// hasApplied reports whether strip i is known to have got the given number of updates: false if a worker is at it.
func (q *Queue[W, R]) hasApplied(i, updates int) bool {
	s := &q.strips[i]
	if !s.busy.CompareAndSwap(false, true) {
		return false
	}
	defer s.busy.Store(false)
	return s.applied >= updates
}

// help does shared tasks, and brings those strips up to date that no other worker is at. All queued updates together
// may take far longer than a cancelled call may: they are left then.
func (q *Queue[W, R]) help(worker int) {
	q.helpWithTasks(worker)
	for i := 0; i < len(q.strips) && q.team.Err() == nil; i++ {
		q.applyPending(i, worker)
	}
}

// applyPending brings strip i up to date, unless another worker is at it.
func (q *Queue[W, R]) applyPending(i, worker int) {
	s := &q.strips[i]
	if !s.busy.CompareAndSwap(false, true) {
		return
	}
	defer s.busy.Store(false)
	for queued := int(q.queued.Load()); s.applied < queued; s.applied++ {
		if worker != mainWorker {
			q.helpWithTasks(worker)
		}
		u := &q.updates[s.applied]
		if u.sequences != nil {
			q.apply(u.sequences, s.x)
		} else {
			workspace.MultiplyLeft(u.factor, s.x.Slice(u.row, u.row+u.factor.Rows, 0, s.x.Cols), &q.panels[worker])
		}
	}
}

// NewReflectors returns memory for n reflectors of the next update. It drains the queue if there is not enough left.
func (q *Queue[W, R]) NewReflectors(n int) ([]R, error) {
	const numbersPerReflector = 5 // so that the arena has about the size of the matrix
	if len(q.reflectors)+n > cap(q.reflectors) {
		if err := q.Drain(); err != nil {
			return nil, err
		}
		if n > cap(q.reflectors) {
			q.reflectors = make([]R, 0, max(n, q.matrixElements()/numbersPerReflector))
		}
	}
	begin := len(q.reflectors)
	q.reflectors = q.reflectors[:begin+n]
	return q.reflectors[begin:], nil
}

// matrixElements returns the number of elements of T, which bounds the memory of updates.
func (q *Queue[W, R]) matrixElements() int {
	n := q.strips[0].x.Rows
	return n * n
}

// keepFactor returns a copy of a unitary factor in the arena. It drains the queue if there is not enough memory left.
func (q *Queue[W, R]) keepFactor(f dense.Matrix[W]) (dense.Matrix[W], error) {
	stride := workspace.PaddedStride[W](f.Cols)
	n := f.Rows * stride
	if len(q.factors)+n > cap(q.factors) {
		if err := q.Drain(); err != nil {
			return f, err
		}
		if n > cap(q.factors) {
			q.factors = dense.NewAligned[W](max(n, q.matrixElements()))[:0]
		}
	}
	begin := len(q.factors)
	q.factors = q.factors[:begin+n]
	kept := dense.Matrix[W]{Rows: f.Rows, Cols: f.Cols, Stride: stride, Data: q.factors[begin:]}
	kept.CopyFrom(f)
	return kept, nil
}
