package sched

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// parker lets a thread sleep in the system, not in Go's scheduler, until another one wakes it up.
type parker struct{ woken atomic.Uint32 }

// Operations of the system call futex, for threads of one process: see futex(2).
const (
	futexPrivate = 128
	futexWait    = 0 | futexPrivate
	futexWake    = 1 | futexPrivate
)

// bind binds the calling goroutine to its thread.
func (p *parker) bind() { runtime.LockOSThread() }

// park returns after wake has been called, which may be before.
func (p *parker) park() {
	for !p.woken.CompareAndSwap(1, 0) {
		// The processor that the goroutine had is free for others from here on. Errors mean: look again.
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&p.woken)), futexWait, 0, 0, 0, 0)
	}
}

// wake ends a call of park, or the next one.
func (p *parker) wake() {
	p.woken.Store(1)
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&p.woken)), futexWake, 1, 0, 0, 0)
}
