package pjrt

import (
	"os"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/compliance"
)

// pluginVariable names the plugin that tests use.
const pluginVariable = "TRNSCI_TEST_PJRT"

// pluginPath returns the path of the plugin for tests, or skips.
func pluginPath(t testing.TB) string {
	t.Helper()
	path := os.Getenv(pluginVariable)
	if path == "" {
		t.Skip("no plugin: " + pluginVariable + " does not name one (make test-go does)")
	}
	return path
}

// openHost opens the plugin for tests.
func openHost(t testing.TB) *Executor {
	t.Helper()
	e, err := Open(Options{Name: CPU, Path: pluginPath(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return e
}

func TestCompliance(t *testing.T) {
	if raceDetector {
		t.Skip("takes minutes under the race detector")
	}
	path := pluginPath(t)
	compliance.Run(t, func() (trnbackend.Executor, error) { return Open(Options{Name: CPU, Path: path}) })
}
