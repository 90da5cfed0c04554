//go:build unix

package kerneltest

import (
	"syscall"
	"testing"
)

// fenced returns memory with an unreadable page on either side: an access outside of it ends the test.
func fenced(t *testing.T, pages int) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	whole, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(whole) })
	for _, fence := range [][]byte{whole[:page], whole[(pages+1)*page:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return whole[page : (pages+1)*page : (pages+1)*page]
}
