package sched

import "golang.org/x/sys/unix"

// offerProcessor lets another thread that waits for this one's processor run first, be it of another process. It takes under a microsecond if there is none.
func offerProcessor() {
	_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}
