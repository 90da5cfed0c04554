package sched

import (
	"math/bits"
	"sync/atomic"
)

// Progress is how far a long call got, as readers see it while the call runs. The total is 0 until the call has planned its work, and
// is the same from then on; what is done never falls and never exceeds it.
type Progress struct{ done, total atomic.Int64 }

// Read returns the work done and the work there is; the latter is 0 until the call knows it.
func (p *Progress) Read() (done, total int64) { return p.done.Load(), p.total.Load() }

// Finish says that all is done. A call that had nothing to plan has then done one step of one.
func (p *Progress) Finish() {
	p.total.CompareAndSwap(0, 1)
	raise(&p.done, p.total.Load())
}

// raise makes x at least to, and returns by how much that was more than before.
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

// portion is a routine's portion of the progress of a call: the whole of it, or a phase of another routine.
type portion struct {
	progress *Progress // of the call; nil for a phase
	parent   *portion  // of a phase
	weight   int64     // of a phase, in the parent's steps

	total, done atomic.Int64 // steps of the routine; no total before it has planned them
	reported    atomic.Int64 // to the parent, in its steps
}

// plan sets the number of steps and reports whether it had not been set before.
func (s *portion) plan(steps int64) bool {
	if !s.total.CompareAndSwap(0, max(1, steps)) {
		return false
	}
	if s.progress != nil && steps > 0 { // a call without work has nothing to report before it ends
		s.progress.total.Store(steps)
	}
	return true
}

// update passes on what the done steps come to in steps of the parent.
func (s *portion) update(done int64) {
	total := s.total.Load()
	switch done = min(done, total); {
	case total == 0:
	case s.progress != nil:
		raise(&s.progress.done, done)
	default:
		high, low := bits.Mul64(uint64(s.weight), uint64(done))
		part, _ := bits.Div64(high, low, uint64(total))
		s.report(int64(part))
	}
}

// report makes the steps of the parent that are done on behalf of s at least as many as these.
func (s *portion) report(steps int64) {
	if news := raise(&s.reported, steps); news > 0 {
		s.parent.update(s.parent.done.Add(news))
	}
}

// Plan says how many steps the caller is going to take, and returns the team for them: t itself, whose steps Step, Reach and the phases of
// Phase then count. A routine plans once, before its first step, and weighs its steps by what they cost, so that they take about the same time each.
//
// If the steps of t have been planned, by a routine that calls the present one for a part of its work, that counts them, and the team
// that Plan returns reports nothing.
func (t *Team) Plan(steps int) *Team {
	if t == nil || t.portion == nil || t.portion.plan(int64(steps)) {
		return t
	}
	return t.silent
}

// Step reports that so many planned steps more are done.
func (t *Team) Step(steps int) {
	if t != nil && t.portion != nil {
		t.portion.update(t.portion.done.Add(int64(steps)))
	}
}

// Reach reports that so many of the planned steps are done in all, or more: for iterations that know what is left, and not what they have done.
func (t *Team) Reach(steps int) {
	if t != nil && t.portion != nil {
		raise(&t.portion.done, int64(steps))
		t.portion.update(t.portion.done.Load())
	}
}

// Phase returns a team for a part of the work that t has planned, so many of its steps. A routine that gets it plans in units of its own, and its steps are
// mapped to those of t. End completes the phase.
func (t *Team) Phase(steps int) *Team {
	if t == nil || t.portion == nil {
		return t
	}
	return t.reporting(&portion{parent: t.portion, weight: int64(max(0, steps))})
}

// Remainder is Phase for all that t has planned and that is not done.
func (t *Team) Remainder() *Team {
	if t == nil || t.portion == nil {
		return t
	}
	return t.Phase(int(t.portion.total.Load() - t.portion.done.Load()))
}

// reporting returns a team like t that reports to a portion.
func (t *Team) reporting(p *portion) *Team {
	silent := &Team{threads: t.threads, ctx: t.ctx, crew: t.crew}
	return &Team{threads: t.threads, ctx: t.ctx, crew: t.crew, portion: p, silent: silent}
}

// End reports that the phase is done, whatever its routine has reported.
func (t *Team) End() {
	if t != nil && t.portion != nil && t.portion.parent != nil {
		t.portion.report(t.portion.weight)
	}
}
