package schur

import (
	"math"
	"sync/atomic"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
	"trnsci/core/sched"
)

const (
	// complexStrip is the number of columns, or of rows, of which what lies off the diagonal of a complex matrix is brought up to date at a time. That of real
	// matrices is bulge.StripColumns.
	complexStrip = 16
	// With one thread so many changes are laid down before the strips get them: rows that neighbouring windows share stay in the cache.
	changesTogether = 12
	// With more threads no more than this, so that there is an end to what is laid down, and to the wait in the end.
	mostChanges = 256
)

// change is a transformation of neighbouring rows: by the runs of a chain's bulges, or those from row on by the unitary factor.
type change[W dense.Scalar, U any] struct {
	runs   []U
	row    int
	factor dense.Matrix[W]
}

// later is what an iteration on a diagonal block does to rows in columns right of the block, and to the transposed factor: nothing that the iteration reads
// again. The changes are laid down and applied to strips of columns, in the same order in each, by whatever thread gets to it. U is the type of runs, R that of
// their reflectors.
type later[W dense.Scalar, U, R any] struct {
	team      *sched.Team
	applyRuns func(runs []U, x dense.Matrix[W])
	width     int // columns of a strip
	announce  func()
	strips    []strip[W]
	columns   int // strips of the matrix, those before the strips of the factor
	active    int // the first strip of the matrix that lies right of the block
	changes   []change[W, U]
	laid      atomic.Int64 // changes that may be applied
	reflector []R
	factor    []W   // memory of factors
	panels    [][]W // memory for each worker
	job       atomic.Pointer[job]
}

// strip is some columns of a matrix. done counts the changes that it has got; it belongs to the worker that has set busy.
type strip[W dense.Scalar] struct {
	x    dense.Matrix[W]
	busy atomic.Bool
	done int
}

// occupy sets busy when no other worker has.
func (s *strip[W]) occupy() {
	sched.Await(func() bool { return s.busy.CompareAndSwap(false, true) })
}

// inactive is the number of changes that a strip has got which gets them from elsewhere.
const inactive = math.MaxInt

// newLater returns the strips of t, none of which is active, and of zt.
func newLater[W dense.Scalar, U, R any](team *sched.Team, t, zt dense.Matrix[W], width int, applyRuns func([]U, dense.Matrix[W])) *later[W, U, R] {
	d := &later[W, U, R]{team: team, applyRuns: applyRuns, width: width, panels: make([][]W, team.Threads())}
	d.columns = d.stripsOf(t.Cols)
	d.active = d.columns
	count := d.columns
	if zt.Rows > 0 {
		count += d.stripsOf(zt.Cols)
	}
	d.strips = make([]strip[W], count)
	for i := range d.strips {
		s, x, col := &d.strips[i], t, i*width
		s.done = inactive
		if i >= d.columns {
			s.done, x, col = 0, zt, (i-d.columns)*width
		}
		s.x = x.Slice(0, x.Rows, col, min(col+width, x.Cols))
	}
	d.changes = make([]change[W, U], mostChanges)
	return d
}

func (d *later[W, U, R]) stripsOf(columns int) int { return (columns + d.width - 1) / d.width }

// edge returns the first column of the strips that lie right of the block.
func (d *later[W, U, R]) edge() int { return d.active * d.width }

// release makes the strips active that lie right of column hi. They are up to date.
func (d *later[W, U, R]) release(hi int) {
	for d.active > 0 && (d.active-1)*d.width > hi {
		d.active--
		s := &d.strips[d.active]
		s.occupy()
		s.done = int(d.laid.Load())
		s.busy.Store(false)
	}
}

// add lays a change down.
func (d *later[W, U, R]) add(c change[W, U]) error {
	laid := int(d.laid.Load())
	d.changes[laid] = c
	d.laid.Store(int64(laid + 1))
	d.announce()
	if laid+1 == mostChanges || d.team.Threads() == 1 && laid+1 >= changesTogether {
		return d.drain()
	}
	return nil
}

// drain returns when all strips have got all changes. The memory of these can be used again.
func (d *later[W, U, R]) drain() error {
	d.join() // it reads the memory of the changes
	laid := int(d.laid.Load())
	for i := len(d.strips) - 1; i >= 0; i-- { // the others begin with the first
		if err := d.team.Err(); err != nil {
			return err
		}
		d.catchUp(i, lead)
	}
	for i := range d.strips {
		sched.Await(func() bool {
			d.catchUp(i, lead)
			return d.has(i, laid)
		})
	}
	d.laid.Store(0) // first: a strip that was begun again would get its changes twice
	for i := range d.strips {
		s := &d.strips[i]
		s.occupy()
		if s.done != inactive {
			s.done = 0
		}
		s.busy.Store(false)
	}
	d.reflector, d.factor = d.reflector[:0], d.factor[:0]
	return nil
}

// has reports whether strip i has got that many changes.
func (d *later[W, U, R]) has(i, changes int) bool {
	s := &d.strips[i]
	if !s.busy.CompareAndSwap(false, true) {
		return false
	}
	defer s.busy.Store(false)
	return s.done >= changes
}

// help does shared tasks, and brings the strips up to date that no other worker is at. What is laid down may take far longer than a call that is cancelled
// may: it is left then.
func (d *later[W, U, R]) help(worker int) {
	d.attend(worker)
	for i := 0; i < len(d.strips) && d.team.Err() == nil; i++ {
		d.catchUp(i, worker)
	}
}

// catchUp brings strip i up to date, unless another worker is at it.
func (d *later[W, U, R]) catchUp(i, worker int) bool {
	s := &d.strips[i]
	if !s.busy.CompareAndSwap(false, true) {
		return false
	}
	defer s.busy.Store(false)
	for laid := int(d.laid.Load()); s.done < laid; s.done++ {
		if worker != lead {
			d.attend(worker)
		}
		c := &d.changes[s.done]
		if c.runs != nil {
			d.applyRuns(c.runs, s.x)
		} else {
			multiplyRows(nil, c.factor, s.x.Slice(c.row, c.row+c.factor.Rows, 0, s.x.Cols), &d.panels[worker])
		}
	}
	return true
}

// reflectors returns memory for n reflectors of a change.
func (d *later[W, U, R]) reflectors(n int) ([]R, error) {
	if len(d.reflector)+n > cap(d.reflector) {
		if err := d.drain(); err != nil {
			return nil, err
		}
		if n > cap(d.reflector) {
			d.reflector = make([]R, 0, max(n, d.size()/numbersOfReflector))
		}
	}
	begin := len(d.reflector)
	d.reflector = d.reflector[:begin+n]
	return d.reflector[begin:], nil
}

// numbersOfReflector is how many numbers a reflector is.
const numbersOfReflector = 5

// size returns the elements of the matrix, which bound the memory of changes.
func (d *later[W, U, R]) size() int {
	n := d.strips[0].x.Rows
	return n * n
}

// addFactor lays down what the adjoint zt of a unitary factor does to the rows from the given one on. It is copied.
func (d *later[W, U, R]) addFactor(row int, zt dense.Matrix[W]) error {
	factor, err := d.keep(zt)
	if err != nil {
		return err
	}
	return d.add(change[W, U]{row: row, factor: factor})
}

// keep returns a copy of an orthogonal factor in the memory of changes.
func (d *later[W, U, R]) keep(q dense.Matrix[W]) (dense.Matrix[W], error) {
	stride := paddedStride[W](q.Cols)
	n := q.Rows * stride
	if len(d.factor)+n > cap(d.factor) {
		if err := d.drain(); err != nil {
			return q, err
		}
		if n > cap(d.factor) {
			d.factor = newAligned[W](max(n, d.size()))[:0]
		}
	}
	begin := len(d.factor)
	d.factor = d.factor[:begin+n]
	kept := dense.Matrix[W]{Rows: q.Rows, Cols: q.Cols, Stride: stride, Data: d.factor[begin:]}
	kept.CopyFrom(q)
	return kept, nil
}

// applyRuns applies runs to the rows of x, of which row 0 is row first of the whole.
func applyRuns[W dense.Float](set kernel.Set, runs []run[W], x dense.Matrix[W], first int) {
	for i := range runs {
		r := &runs[i]
		bulge.ReflectRows(set, r.reflectors, x.Data[(r.row-first)*x.Stride:], x.Stride, x.Cols)
	}
}
