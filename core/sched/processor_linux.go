package sched

import "golang.org/x/sys/unix"

// offerProcessor lets another thread that waits for this thread's processor, of whatever process, run first. It takes
// less than a microsecond if there is none.
func offerProcessor() {
	_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}
