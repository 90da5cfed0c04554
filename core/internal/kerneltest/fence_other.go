//go:build !unix

package kerneltest

import "testing"

// fenced returns plain memory: this system has no simple way to forbid access to what surrounds it.
func fenced(t *testing.T, pages int) []byte {
	const page = 4096
	return make([]byte, pages*page)
}
