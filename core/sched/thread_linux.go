package sched

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// parker lets a goroutine sleep in the system, not in Go's scheduler, until another one wakes it up: so it keeps its
// thread.
type parker struct {
	woken  atomic.Uint32
	thread atomic.Int64 // the system's number of the thread that sleeps
}

// Operations of the system call futex, for threads of one process: see futex(2).
const (
	futexPrivate = 128
	futexWait    = 0 | futexPrivate
	futexWake    = 1 | futexPrivate
)

func newParker() parker { return parker{} }

// park returns after wake has been called, which may be before.
func (p *parker) park() {
	for !p.woken.CompareAndSwap(1, 0) {
		p.thread.Store(int64(unix.Gettid()))
		// The processor that the goroutine had is free for others from here on. Errors mean: look again.
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&p.woken)), futexWait, 0, 0, 0, 0)
	}
}

// wake ends a call of park, or the next one. Left to itself, the system may wake a thread up on the caller's processor,
// and on a virtual machine often does: it takes a processor that is halted for one that is busy, and leaves both
// threads there for milliseconds. So the busy processors are forbidden to the thread while it is woken up. Afterwards
// it may run wherever the caller may; if that has changed meanwhile, this is said again.
func (p *parker) wake(busy *processorSet) {
	p.woken.Store(1)
	thread := int(p.thread.Load())
	var mine, others unix.CPUSet
	if unix.SchedGetaffinity(0, &mine) == nil {
		for i := range mine {
			others[i] = mine[i] &^ busy.CPUSet[i]
		}
	}
	if thread == 0 || others.Count() == 0 || unix.SchedSetaffinity(thread, &others) != nil {
		p.wakeAnywhere()
		return
	}
	p.wakeAnywhere()
	for {
		allowed := mine
		_ = unix.SchedSetaffinity(thread, &allowed)
		if _ = unix.SchedGetaffinity(0, &mine); mine == allowed {
			return
		}
	}
}

func (p *parker) wakeAnywhere() {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&p.woken)), futexWake, 1, 0, 0, 0)
}

// currentProcessor returns the number of the processor that the calling thread runs on.
func currentProcessor() int {
	var number uint32
	_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&number)), 0, 0)
	return int(number)
}

// processorSet is a set of processors.
type processorSet struct{ unix.CPUSet }

func (s *processorSet) has(processor int) bool { return s.IsSet(processor) }
func (s *processorSet) add(processor int)      { s.Set(processor) }
