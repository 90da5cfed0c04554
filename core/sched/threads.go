package sched

import (
	"runtime"
	"sync"
)

// thread is a system thread that serves the mailboxes of workers, of one pool after another. Without a mailbox it
// sleeps, and keeps the processor on which the system wakes it up: a thread that Go's scheduler chooses for a new
// goroutine may have run last on the processor of the thread that starts the goroutine, and a virtual machine then
// leaves it there for tens of milliseconds, while another processor is idle.
type thread struct {
	parker
	pool   *workerPool // what it serves next, written before it is woken up
	worker int
}

// idleThreads are the threads that sleep, at most as many as can help one call.
type idleThreads struct {
	mu   sync.Mutex
	list []*thread
}

var idle idleThreads

// take returns a sleeping thread, or one that is about to sleep; nil if there is none.
func (i *idleThreads) take() *thread {
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.list) - 1
	if last < 0 {
		return nil
	}
	t := i.list[last]
	i.list = i.list[:last]
	return t
}

// put adds a thread that is going to sleep. It reports false if there are enough.
func (i *idleThreads) put(t *thread) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.list) >= runtime.GOMAXPROCS(0)-1 {
		return false
	}
	i.list = append(i.list, t)
	return true
}

// run serves worker w of a pool, then whatever the thread is woken up for. It ends when there are enough sleeping
// threads.
func (t *thread) run(p *workerPool, w int) {
	t.bind()
	for {
		p.serve(w)
		if !idle.put(t) {
			return // a goroutine that ends takes the thread that it is bound to with it
		}
		t.park()
		p, w = t.pool, t.worker
	}
}
