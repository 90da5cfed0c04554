package sched

import (
	"runtime"
	"sync"
)

// thread is a goroutine that serves the mailboxes of workers, of one pool after another, and when it has none sleeps in
// a system thread. The system wakes that up on the processor on which it fell asleep, if that is idle. A thread that
// Go's scheduler chooses for a new goroutine may have run last on the processor of the thread that starts the
// goroutine, and a virtual machine then leaves both there for tens of milliseconds while another processor is idle: it
// takes a processor that is halted for one that is busy.
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

// take returns a sleeping thread, or one that is about to sleep, of a processor that is not among the given ones; nil
// if there is none.
func (i *idleThreads) take(busy *processorSet) *thread {
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, t := range i.list {
		if !busy.has(t.processor) {
			last := len(i.list) - 1
			i.list[n], i.list[last] = i.list[last], nil
			i.list = i.list[:last]
			return t
		}
	}
	return nil
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

// startThread gives a worker of a pool a thread of a processor that is not among the busy ones, to which it adds it; a
// new thread if none sleeps there.
func startThread(p *workerPool, w int, busy *processorSet) {
	t := idle.take(busy)
	if t == nil {
		go (&thread{parker: newParker()}).run(p, w)
		return
	}
	busy.add(t.processor)
	t.pool, t.worker = p, w
	t.wake()
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
