package sched

import "runtime/debug"

// For calls body(worker, i) once for every 0 <= i < n and returns when all calls have ended. Parts are handed out in
// increasing order to at most Threads() workers, one of which is the caller's goroutine; worker < Threads() identifies
// the worker, so that it can own scratch memory. The first error ends the loop early and is returned, as is
// cancellation; a panic in body comes back as a *PanicError. Which worker gets a part is not determined: bodies whose
// result must not depend on the number of threads write to places that depend on i alone.
//
// A team runs one loop at a time: inside a body, and while a loop of another goroutine runs, For uses the caller's
// goroutine alone. It does not wait for workers that have not woken up by the time all parts are taken.
func (t *Team) For(n int, body func(worker, i int) error) error {
	if n > 1 && t.Threads() > 1 && t.workers.busy.CompareAndSwap(false, true) {
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
		if err := t.errBeforePart(); err != nil {
			return err
		}
		if err := body(0, i); err != nil {
			return err
		}
	}
	return nil
}

func (t *Team) errBeforePart() error {
	if t == nil {
		return nil
	}
	return t.call.errBeforePart()
}

// share runs a loop on all workers.
func (t *Team) share(n int, body func(worker, i int) error) error {
	defer t.workers.busy.Store(false)
	l := &loop{call: t.call, n: n, body: body}
	helpers := t.helpers(n)
	l.running.Store(int32(len(helpers)))
	l.left.Add(len(helpers))
	t.workers.hand(helpers, l)
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
