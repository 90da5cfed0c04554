package sched

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// How long a worker without a loop waits for the next one, of the same call or of another, before its thread goes to
	// sleep. To wake a thread up on another processor takes up to 70 microseconds, to hand a loop to a waiting worker
	// less than one.
	warmTime = time.Millisecond
	// A loop that pays with waiting workers takes 30 microseconds. This many times as much pays with workers that have
	// to be woken up.
	coldFactor = 8
	// After so many loops in a row that would have paid with waiting workers, workers are woken up for one: it takes
	// about as long as without them, but finds those that follow with waiting workers. The loops are in a row if one
	// begins less than burstTime after the other.
	burstLoops = 8
	burstTime  = 2 * warmTime
	// How long the caller spins for the last worker of a loop before it lets the scheduler wake it.
	meetTime = 50 * time.Microsecond
	// How long a waiting goroutine spins before it yields its thread.
	spinTime = 20 * time.Microsecond
	// A thread that comes back from offering its processor after less than this had it to itself.
	aloneTime = 10 * time.Microsecond
	// How often a new worker gives way to other threads.
	offers = 2
	// Checks of a condition between two readings of the clock.
	checksPerClock = 256

	cacheLine = 64
)

// workerPool is the set of workers that help with a team's loops.
type workerPool struct {
	busy     atomic.Bool // a loop is running
	stopping atomic.Bool // workers without a loop lose their threads
	workers  []worker
}

// worker is the mailbox through which a thread receives its loops. It fills a cache line.
type worker struct {
	loop  atomic.Pointer[loop] // handed out and not yet taken
	alive atomic.Bool          // a thread serves the mailbox
	_     [cacheLine - 16]byte
}

// resting is the pool of a call that has ended, whose workers may still be waiting.
var resting atomic.Pointer[workerPool]

// takePool returns a pool of at least the given number of workers: the resting one if there is one.
func takePool(workers int) *workerPool {
	if p := resting.Swap(nil); p != nil {
		if len(p.workers) >= workers {
			return p
		}
		p.stopping.Store(true)
	}
	return &workerPool{workers: make([]worker, workers)}
}

// rest lets the next call have the pool.
func (p *workerPool) rest() {
	if other := resting.Swap(p); other != nil && other != p {
		other.stopping.Store(true)
	}
}

// waiting reports whether there is a worker with a thread. The first one tells: every loop and every start has it.
func (p *workerPool) waiting() bool {
	return p.workers[0].alive.Load() && !p.stopping.Load()
}

// A loopBurst is a row of loops, one soon after the other, that are too short to start workers for.
type loopBurst struct {
	loops atomic.Int32
	last  atomic.Int64 // when the last one began, in nanoseconds of clock
}

var (
	burst loopBurst
	clock = time.Now()
)

// goesOn counts a loop, and reports whether it is the last of burstLoops in a row.
func (b *loopBurst) goesOn() bool {
	now := int64(time.Since(clock))
	if now-b.last.Swap(now) > int64(burstTime) {
		b.loops.Store(0)
	}
	if b.loops.Add(1) < burstLoops {
		return false
	}
	b.loops.Store(0)
	return true
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

// hand gives l to the workers, and starts those without a thread.
func (p *workerPool) hand(workers []worker, l *loop) {
	for w := range workers {
		workers[w].loop.Store(l)
	}
	p.start(workers)
}

// start gives a thread to those workers that have none.
func (p *workerPool) start(workers []worker) {
	p.stopping.Store(false)
	var busy processorSet
	found, made := false, false
	for w := range workers {
		if !workers[w].alive.CompareAndSwap(false, true) {
			continue
		}
		if !found {
			busy.add(currentProcessor())
			found = true
		}
		made = startThread(p, w, &busy) || made
	}
	if made {
		// The goroutine that was made last is queued to run next on this processor, and other processors do not steal it
		// there for a while. A newer goroutine takes that place and pushes it into the queue that they steal from at once.
		// Where threads have been woken up, it would take the place that Go's scheduler has for one of them.
		go func() {}()
	}
}

// serve runs the loops of worker w until none has arrived for a while.
func (p *workerPool) serve(w int) {
	self := &p.workers[w]
	giveWay()
	for {
		if l := p.receive(self); l != nil {
			l.work(w + 1)
			l.leave()
			continue
		}
		self.alive.Store(false)
		// Whoever stored a loop before that line found the worker alive and gave it no other thread.
		if self.loop.Load() == nil || !self.alive.CompareAndSwap(false, true) {
			return
		}
	}
}

// giveWay lets threads run that wait for the processor of a worker that has just woken up, above all the one that has
// woken it: a part that the worker took there would wait for that thread's next pause, and that thread for the part.
func giveWay() {
	for range offers {
		begin := time.Now()
		offerProcessor()
		if time.Since(begin) < aloneTime {
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
