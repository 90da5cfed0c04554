package sched

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// How long a worker without a loop waits for the next one before its goroutine ends. To start a goroutine on
	// another processor takes up to 70 microseconds, to hand a loop to a waiting worker less than one.
	warmTime = 200 * time.Microsecond
	// How long the caller spins for the last worker of a loop before it lets the scheduler wake it.
	meetTime = 50 * time.Microsecond
	// How long a waiting goroutine spins before it yields its thread.
	spinTime = 20 * time.Microsecond
	// Checks of a condition between two readings of the clock.
	checksPerClock = 256

	cacheLine = 64
)

// workerPool is the set of goroutines that help with a team's loops.
type workerPool struct {
	busy     atomic.Bool // a loop is running
	stopping atomic.Bool // workers without a loop end
	workers  []worker
}

// worker is the mailbox through which one goroutine of the pool receives its loops. It fills a cache line.
type worker struct {
	loop  atomic.Pointer[loop] // handed out and not yet taken
	alive atomic.Bool          // a goroutine serves the mailbox
	_     [cacheLine - 16]byte
}

// loop is one call of For.
type loop struct {
	call    *call
	n       int
	body    func(worker, i int) error
	next    atomic.Int64
	failed  atomic.Bool
	once    sync.Once
	first   error
	running atomic.Int32 // workers that were asked and have not left
	left    sync.WaitGroup
}

// hand gives l to the workers, and starts those whose goroutines have ended.
func (p *workerPool) hand(workers []worker, l *loop) {
	for w := range workers {
		workers[w].loop.Store(l)
	}
	p.start(workers)
}

// start starts the goroutines of those workers that have none.
func (p *workerPool) start(workers []worker) {
	p.stopping.Store(false)
	started := false
	for w := range workers {
		if workers[w].alive.CompareAndSwap(false, true) {
			go p.serve(w)
			started = true
		}
	}
	if started {
		// The goroutine that was started last is queued to run next on this processor, and other processors do not
		// steal it there for a while. A newer goroutine takes that place and pushes it into the queue that they steal
		// from at once.
		go func() {}()
		offerProcessor() // in case the system put the woken thread of one of them on this processor
	}
}

// serve runs the loops of worker w until none has arrived for a while.
//
// The system may wake a thread on the processor of the thread that wakes it, and leave it there for milliseconds while
// another processor is idle. The thread could move by narrowing its CPU affinity for a moment, but a change of the
// affinity by someone else in that moment, to bind the threads of this process, would be lost.
func (p *workerPool) serve(w int) {
	self := &p.workers[w]
	for {
		if l := p.receive(self); l != nil {
			l.work(w + 1)
			l.leave()
			continue
		}
		self.alive.Store(false)
		// Whoever stored a loop before that line found the worker alive and did not start another goroutine.
		if self.loop.Load() == nil || !self.alive.CompareAndSwap(false, true) {
			return
		}
	}
}

// receive returns the next loop of a worker, nil if none arrives.
func (p *workerPool) receive(self *worker) (taken *loop) {
	spinUntil(warmTime, func() bool {
		l := self.loop.Load()
		if l != nil && self.loop.CompareAndSwap(l, nil) {
			taken = l
		}
		return taken != nil || p.stopping.Load()
	})
	return taken
}

// work executes parts of the loop until none is left.
func (l *loop) work(worker int) {
	defer func() {
		if v := recover(); v != nil {
			l.fail(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	for !l.failed.Load() {
		i := int(l.next.Add(1)) - 1
		if i >= l.n {
			return
		}
		if err := l.call.errBeforePart(); err != nil {
			l.fail(err)
			return
		}
		if err := l.body(worker, i); err != nil {
			l.fail(err)
			return
		}
	}
}

func (l *loop) fail(err error) {
	l.once.Do(func() { l.first = err })
	l.failed.Store(true)
}

// leave reports that a worker is done with the loop.
func (l *loop) leave() {
	l.left.Done()
	l.running.Add(-1)
}

// Await returns when the condition holds, which another worker is about to make true. It checks the condition until
// then, but yields its processor between checks, and finally sleeps between them, when that takes long.
func Await(holds func() bool) {
	if spinUntil(meetTime, holds) {
		return
	}
	for begin := time.Now(); !holds(); {
		if time.Since(begin) < patience {
			offerProcessor()
			runtime.Gosched()
		} else {
			time.Sleep(awaitPause)
		}
	}
}

// A wait that lasts longer than patience sleeps between its checks. The serial work between two rounds takes less; a
// sleep, however short, takes a millisecond on an idle machine, in which the worker would miss several rounds.
const (
	patience   = time.Millisecond
	awaitPause = 20 * time.Microsecond
)

// spinUntil reports whether the condition holds before the time is over. It does not check again after the first
// success.
//
// After a short while it lets other goroutines and other threads run: a worker that has just woken up may be on the
// processor of the one that waits for it. It does not do so at once, because a goroutine called from C gives up its
// thread for that and gets it back late.
func spinUntil(limit time.Duration, holds func() bool) bool {
	var begin time.Time
	for checks := 1; ; checks++ {
		if holds() {
			return true
		}
		if checks%checksPerClock != 0 {
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
		if waited >= spinTime {
			runtime.Gosched()
			offerProcessor()
		}
	}
}
