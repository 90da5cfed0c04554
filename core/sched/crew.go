package sched

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// A worker that has no loop waits this long for the next one before its goroutine ends. To start another takes up to 70
	// microseconds, a loop handed to a waiting worker less than one.
	warmTime = 200 * time.Microsecond
	// The caller waits this long for the last worker before it lets the scheduler wake it.
	meetTime = 50 * time.Microsecond
	// For so long a wait leaves its processor to nobody else.
	aloneTime = 20 * time.Microsecond
	// Looks at a condition between two looks at the clock.
	looksPerClock = 256
)

// crew is the goroutines that help with a team's loops.
type crew struct {
	busy    atomic.Bool // a loop is running
	resting atomic.Bool // workers without a loop end
	workers []worker
}

// worker is the place where a goroutine of the crew gets its loops. It fills a line of the cache.
type worker struct {
	loop  atomic.Pointer[loop] // handed out and not yet taken
	alive atomic.Bool          // a goroutine attends
	_     [cacheLine - 16]byte
}

const cacheLine = 64

// call hands l to the workers, and starts those that have ended.
func (c *crew) call(workers []worker, l *loop) {
	for w := range workers {
		workers[w].loop.Store(l)
	}
	c.wake(workers)
}

// wake starts those of the workers that have ended.
func (c *crew) wake(workers []worker) {
	c.resting.Store(false)
	started := false
	for w := range workers {
		if workers[w].alive.CompareAndSwap(false, true) {
			go c.attend(w)
			started = true
		}
	}
	if started {
		// The goroutine that was started last waits for its starter to pause, which a loop does not do soon; it can be
		// taken by another processor at once when a newer one has its place.
		go func() {}()
		offerProcessor() // where a system thread has been woken up for one of them
	}
}

// attend runs the loops that come to worker w until none has come for a while.
//
// The system may wake up a thread on the processor of the one that wakes it, and leave it there for milliseconds while another is idle. The thread
// could leave by changing the processors that it may use for a moment; but a change that somebody else makes in that moment, to bind the threads of
// this process, would be lost.
func (c *crew) attend(w int) {
	self := &c.workers[w]
	for {
		if l := c.await(self); l != nil {
			l.work(w + 1)
			l.leave()
			continue
		}
		self.alive.Store(false)
		// A loop that came before this was seen has not started another goroutine.
		if self.loop.Load() == nil || !self.alive.CompareAndSwap(false, true) {
			return
		}
	}
}

// await returns the next loop of a worker, nil if none comes.
func (c *crew) await(self *worker) (taken *loop) {
	spinUntil(warmTime, func() bool {
		l := self.loop.Load()
		if l != nil && self.loop.CompareAndSwap(l, nil) {
			taken = l
		}
		return taken != nil || c.resting.Load()
	})
	return taken
}

// spinUntil reports whether the condition has come to hold before the time is over. It is not looked at again when it has held once.
//
// After a short while other goroutines may run, and other threads: a worker that has just woken up may be on the processor of the one that waits for it.
// Not at once, since a goroutine that C has called gives its thread up for that and gets it back late.
func spinUntil(limit time.Duration, holds func() bool) bool {
	var begin time.Time
	for looks := 1; ; looks++ {
		if holds() {
			return true
		}
		if looks%looksPerClock != 0 {
			continue
		}
		now := time.Now()
		if begin.IsZero() {
			begin = now
		}
		waited := now.Sub(begin)
		if waited >= limit {
			return false
		}
		if waited >= aloneTime {
			runtime.Gosched()
			offerProcessor()
		}
	}
}
