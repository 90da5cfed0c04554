//go:build unix

package pybind

import "syscall"

// canMap reports whether the system would map size more bytes, within limits such as RLIMIT_AS.
func canMap(size int64) bool {
	probe, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(probe) == nil
}
