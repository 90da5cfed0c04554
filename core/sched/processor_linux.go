package sched

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// offerProcessor lets another thread that waits for this one's processor run first, be it of another process. It takes under a microsecond if there is none.
func offerProcessor() {
	_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

// currentProcessor returns the number of the processor that this runs on, -1 if the system does not tell.
func currentProcessor() int {
	var number uint32
	if _, _, err := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&number)), 0, 0); err != 0 {
		return -1
	}
	return int(number)
}

// leaveProcessor moves the thread to another processor if it runs on the given one and may use others. Which these are stays as it was.
func leaveProcessor(busy int) {
	if busy < 0 || currentProcessor() != busy {
		return
	}
	runtime.LockOSThread() // what is changed and changed back is this thread's
	defer runtime.UnlockOSThread()
	var all, others unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return
	}
	others = all
	others.Clear(busy)
	if others.Count() > 0 && unix.SchedSetaffinity(0, &others) == nil {
		_ = unix.SchedSetaffinity(0, &all)
	}
}
