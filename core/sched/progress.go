package sched

import (
	"math/bits"
	"sync/atomic"
)

// Progress shows how far a long call has got, for readers while the call runs. The total is 0 until the call has
// planned its work and does not change afterwards; the number of steps done never falls and never exceeds it.
type Progress struct {
	// OnReport, unless it is nil, is called whenever the number of steps done has grown, by the goroutine that reports:
	// it must be quick, and safe for concurrent use. It is set before the call begins.
	OnReport func(done, total int64)

	done, total atomic.Int64
}

// Read returns the number of steps done and their total, which is 0 until the call knows it.
func (p *Progress) Read() (done, total int64) { return p.done.Load(), p.total.Load() }

// Finish reports that everything is done. A call that had nothing to plan has then done one step of one.
func (p *Progress) Finish() {
	p.total.CompareAndSwap(0, 1)
	p.reach(p.total.Load())
}

func (p *Progress) reach(done int64) {
	if raise(&p.done, done) > 0 && p.OnReport != nil {
		p.OnReport(done, p.total.Load())
	}
}

// raise makes x at least to, and returns by how much x grew.
func raise(x *atomic.Int64, to int64) int64 {
	for {
		was := x.Load()
		if to <= was {
			return 0
		}
		if x.CompareAndSwap(was, to) {
			return to - was
		}
	}
}

// progressNode holds the steps of one routine: of the whole call at the root, of a phase of another routine below.
type progressNode struct {
	root   *Progress     // of the call; nil for a phase
	parent *progressNode // of a phase
	weight int64         // of a phase, in steps of the parent

	total, done atomic.Int64 // steps of the routine; no total before it has planned them
	reported    atomic.Int64 // to the parent, in its steps
}

// plan sets the number of steps and reports whether it had not been set before.
func (s *progressNode) plan(steps int64) bool {
	if !s.total.CompareAndSwap(0, max(1, steps)) {
		return false
	}
	if s.root != nil && steps > 0 { // a call without work has nothing to report before it ends
		s.root.total.Store(steps)
	}
	return true
}

// update passes the done steps on to the parent, in its own steps.
func (s *progressNode) update(done int64) {
	total := s.total.Load()
	switch done = min(done, total); {
	case total == 0:
	case s.root != nil:
		s.root.reach(done)
	default:
		high, low := bits.Mul64(uint64(s.weight), uint64(done))
		part, _ := bits.Div64(high, low, uint64(total))
		s.report(int64(part))
	}
}

// report makes the number of the parent's steps done on behalf of s at least steps.
func (s *progressNode) report(steps int64) {
	if growth := raise(&s.reported, steps); growth > 0 {
		s.parent.update(s.parent.done.Add(growth))
	}
}
