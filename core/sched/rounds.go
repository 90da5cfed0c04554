package sched

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Rounds is a sequence of short loops over the same few parts, with work for one goroutine between them. Between two rounds the workers stay and
// wait: a round costs two messages from one processor to another.
type Rounds struct {
	part    func(p int)
	shares  int
	round   atomic.Int64   // the current one, from 1 on; roundsOver in the end
	done    atomic.Int64   // parts of the current round
	claimed []atomic.Int64 // for each part the last round that a worker has begun
	failure atomic.Pointer[PanicError]
}

const (
	roundsOver = math.MaxInt64
	// A worker that waits for longer than meetTime offers its processor to others between its looks, and one that waits for longer than patience pauses.
	// The work of one goroutine between two rounds takes less; a pause, however short, takes a millisecond where nothing else is to do, which would be
	// some rounds without the worker.
	patience   = time.Millisecond
	roundPause = 20 * time.Microsecond
)

// Rounds calls lead, which calls Do for each round. part(p) is the work on a part of a round, 0 <= p < parts. It is called for all parts of a round
// at once by as many workers as come, and for all by lead's if no other comes. The error of lead ends it and is returned; so is a panic in part as a
// *PanicError, and cancellation that is there at the start. Parts have workers of their own in all rounds, where possible, so that what
// they work on stays in the caches.
func (t *Team) Rounds(parts int, part func(p int), lead func(r *Rounds) error) error {
	r := &Rounds{part: part, shares: max(1, min(t.Threads(), parts)), claimed: make([]atomic.Int64, parts)}
	return t.For(r.shares, func(_, share int) error {
		if share > 0 {
			return r.help(share)
		}
		defer r.round.Store(roundsOver)
		return lead(r)
	})
}

// Do does a round and returns when all its parts are done. What was written before is seen by the parts, and what these wrote after it.
func (r *Rounds) Do() error {
	r.done.Store(0)
	round := r.round.Add(1)
	r.own(0, round)
	for p := len(r.claimed) - 1; p >= 0; p-- { // what the others have not begun
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
		r.own(share, round)
		last = round
	}
}

// own does the parts of a share, forwards and backwards in turn.
func (r *Rounds) own(share int, round int64) {
	count := (len(r.claimed) - share + r.shares - 1) / r.shares
	for k := range count {
		if round%2 == 0 {
			k = count - 1 - k
		}
		r.try(share+k*r.shares, round)
	}
}

// try does a part unless another worker has begun it. Only then it is certain that the round is still the current one.
func (r *Rounds) try(p int, round int64) {
	if r.claimed[p].CompareAndSwap(round-1, round) {
		r.part(p)
		r.done.Add(1)
	}
}

// Await returns when the condition, which another worker is to make true soon, holds. It looks at it until then, but offers its processor and then
// pauses between its looks when that takes long.
func Await(holds func() bool) {
	if spinUntil(meetTime, holds) {
		return
	}
	for begin := time.Now(); !holds(); {
		if time.Since(begin) < patience {
			offerProcessor()
			runtime.Gosched()
		} else {
			time.Sleep(roundPause)
		}
	}
}
