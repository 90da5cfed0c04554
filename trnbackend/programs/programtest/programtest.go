// Package programtest holds what the tests of device programs share: sessions, cancellation at any point, and golden
// texts of graphs.
package programtest

import (
	"os"
	"testing"

	"trnsci/trnbackend/device"
)

// OnInterp returns a session on the interpreter that ends with the test and fails it if buffers are left.
func OnInterp(t *testing.T) *device.Session {
	t.Helper()
	s, err := device.Open("interp", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m, err := s.Memory(); err != nil || m.Used != 0 {
			t.Errorf("%d bytes of device memory are in use at the end: %v", m.Used, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// pluginVariable names the PJRT plugin that tests use.
const pluginVariable = "TRNSCI_TEST_PJRT"

// OnEach returns sessions on the interpreter and on the PJRT plugin for tests, if there is one, that end with the test.
func OnEach(t *testing.T) []*device.Session {
	t.Helper()
	sessions := []*device.Session{OnInterp(t)}
	path := os.Getenv(pluginVariable)
	if path == "" {
		t.Log("not on PJRT: " + pluginVariable + " names no plugin (make test-go does)")
		return sessions
	}
	s, err := device.Open("pjrt:"+path, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return append(sessions, s)
}
