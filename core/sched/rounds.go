package sched

import (
	"math"
	"runtime/debug"
	"sync/atomic"
)

// Rounds is a sequence of short loops over the same few parts, with serial work in between. The workers keep spinning
// between two rounds: a round costs two messages from one processor to another.
type Rounds struct {
	team    *Team
	part    func(p int)
	shares  int
	round   atomic.Int64   // number of the current round, from 1 on; roundsOver at the end
	done    atomic.Int64   // parts of the current round
	claimed []atomic.Int64 // for each part the last round in which a worker has begun it
	failure atomic.Pointer[PanicError]
}

const roundsOver = math.MaxInt64

// Rounds calls main, which calls Do for each round. part(p) is the work on one part of a round, 0 <= p < parts. In each
// round it is called once for every part, concurrently by all workers that arrive in time, or for all parts by main's
// goroutine if none does. A part stays with one worker in all rounds where possible, so that its data stay in that
// cache.
//
// The error of main ends the rounds and is returned, as is a panic in part, as a *PanicError. If the context is
// cancelled at the start, main is not called; main itself checks the context between rounds.
func (t *Team) Rounds(parts int, part func(p int), main func(r *Rounds) error) error {
	r := &Rounds{
		team: t, part: part, shares: max(1, min(t.Threads(), parts)), claimed: make([]atomic.Int64, parts),
	}
	return t.For(r.shares, func(_, share int) error {
		if share > 0 {
			return r.help(share)
		}
		defer r.round.Store(roundsOver)
		return main(r)
	})
}

// Do executes a round and returns when all its parts are done. All writes before it are visible to the parts, and their
// writes are visible to the caller afterwards.
func (r *Rounds) Do() error {
	_ = r.team.errBeforePart() // counts a round after the end of the context; main decides where to stop
	r.done.Store(0)
	round := r.round.Add(1)
	r.doShare(0, round)
	for p := len(r.claimed) - 1; p >= 0; p-- { // parts that the others have not begun
		r.try(p, round)
	}
	Await(func() bool { return r.done.Load() == int64(len(r.claimed)) || r.failure.Load() != nil })
	if failure := r.failure.Load(); failure != nil {
		return failure
	}
	return nil
}

// help does the parts of a share in all rounds.
func (r *Rounds) help(share int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			failure := &PanicError{Value: v, Stack: debug.Stack()}
			r.failure.Store(failure)
			err = failure
		}
	}()
	for last := int64(0); ; {
		var round int64
		Await(func() bool { round = r.round.Load(); return round != last })
		if round == roundsOver {
			return nil
		}
		r.doShare(share, round)
		last = round
	}
}

// doShare does the parts of a share, in increasing and decreasing order in turn.
func (r *Rounds) doShare(share int, round int64) {
	count := (len(r.claimed) - share + r.shares - 1) / r.shares
	for k := range count {
		if round%2 == 0 {
			k = count - 1 - k
		}
		r.try(share+k*r.shares, round)
	}
}

// try does a part unless another worker has begun it. Success of the exchange also proves that the round is still the
// current one.
func (r *Rounds) try(p int, round int64) {
	if r.claimed[p].CompareAndSwap(round-1, round) {
		r.part(p)
		r.done.Add(1)
	}
}
