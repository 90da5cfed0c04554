package sched

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// loop is one call of For.
type loop struct {
	team    *Team
	n       int
	body    func(worker, i int) error
	next    atomic.Int64
	failed  atomic.Bool
	once    sync.Once
	first   error
	running atomic.Int32 // workers that have been asked and have not left
	left    sync.WaitGroup
}

// For calls body(worker, i) once for every 0 <= i < n and returns when all calls have ended. Items are handed out in
// increasing order to at most Threads() workers, the caller's goroutine being one of them; worker < Threads() names the
// worker so that it can own scratch memory. The first error ends the loop early and is returned; so is cancellation,
// and a panic in body comes back as a *PanicError. Which worker gets an item is not fixed, so bodies whose result must
// not depend on the thread count write to places that depend on i alone.
//
// A team runs one loop at a time: inside of a body, and beside a loop of another goroutine, For uses the caller's
// goroutine alone. A worker that has not woken up when the items are used up is not waited for.
func (t *Team) For(n int, body func(worker, i int) error) error {
	if n > 1 && t.Threads() > 1 && t.crew.busy.CompareAndSwap(false, true) {
		return t.share(n, body)
	}
	return t.alone(n, body)
}

// alone runs a loop on the caller's goroutine.
func (t *Team) alone(n int, body func(worker, i int) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	for i := range n {
		if err := t.Err(); err != nil {
			return err
		}
		if err := body(0, i); err != nil {
			return err
		}
	}
	return nil
}

// share runs a loop on the whole crew.
func (t *Team) share(n int, body func(worker, i int) error) error {
	defer t.crew.busy.Store(false)
	l := &loop{team: t, n: n, body: body}
	helpers := t.crew.workers[:min(t.Threads(), n)-1]
	l.running.Store(int32(len(helpers)))
	l.left.Add(len(helpers))
	t.crew.call(helpers, l)
	l.work(0)
	for w := range helpers {
		if helpers[w].loop.CompareAndSwap(l, nil) {
			l.leave()
		}
	}
	spinUntil(meetTime, func() bool { return l.running.Load() == 0 })
	l.left.Wait()
	return l.first
}

// work does items until there are none left.
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
		if err := l.team.Err(); err != nil {
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
