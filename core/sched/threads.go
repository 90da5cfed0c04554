package sched

import (
	"runtime"
	"slices"
	"sync"
)

// thread is a goroutine that serves the mailboxes of workers, of one pool after another, and when it has none sleeps in
// a system thread, which can be woken up on a processor of the waker's choice. A new goroutine cannot: the system
// thread that Go's scheduler chooses for it may run on the processor of the thread that starts it.
type thread struct {
	parker
	processor int         // where it fell asleep
	pool      *workerPool // what it serves next, written before it is woken up
	worker    int
}

// idleThreads are the threads that sleep, each on another processor.
type idleThreads struct {
	mu   sync.Mutex
	list []*thread
}

var idle idleThreads

// take returns a sleeping thread, or one that is about to sleep, if possible of a processor that is not among the given
// ones, whose caches it has filled; nil if there is none.
func (i *idleThreads) take(busy *processorSet) *thread {
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.list) - 1
	if last < 0 {
		return nil
	}
	best := max(0, slices.IndexFunc(i.list, func(t *thread) bool { return !busy.has(t.processor) }))
	t := i.list[best]
	i.list[best], i.list[last] = i.list[last], nil
	i.list = i.list[:last]
	return t
}

// put adds a thread that is going to sleep. It reports false if another one sleeps on its processor, or if there are
// enough.
func (i *idleThreads) put(t *thread) bool {
	t.processor = currentProcessor()
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.list) >= runtime.GOMAXPROCS(0) {
		return false
	}
	for _, other := range i.list {
		if other.processor == t.processor {
			return false
		}
	}
	i.list = append(i.list, t)
	return true
}

// startThread gives a worker of a pool a thread that has been asleep, on a processor that is not among the busy ones,
// to which it adds the thread's; or it makes one.
func startThread(p *workerPool, w int, busy *processorSet) (made bool) {
	t := idle.take(busy)
	if t == nil {
		go (&thread{parker: newParker()}).run(p, w)
		return true
	}
	t.pool, t.worker = p, w
	processor := t.processor // which the thread sets when it sleeps again
	t.wake(busy)
	busy.add(processor)
	return false
}

// run serves worker w of a pool, then whatever the thread is woken up for, and ends when it is not to sleep.
func (t *thread) run(p *workerPool, w int) {
	for {
		p.serve(w)
		if !idle.put(t) {
			return
		}
		t.park()
		p, w = t.pool, t.worker
	}
}
