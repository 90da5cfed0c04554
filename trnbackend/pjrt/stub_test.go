//go:build !linux || !cgo

package pjrt

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/trnbackend"
)

func TestOpenWithoutTheCPart(t *testing.T) {
	for _, name := range []string{CPU, CUDA, "pjrt:/some/plugin.so"} {
		e, err := Open(Options{Name: name, Path: place(t, filepath.Join(t.TempDir(), "plugin.so"))})
		d := (*trnbackend.DeviceError)(nil)
		if !errors.As(err, &d) || d.Device != name {
			t.Fatalf("%v, %v is no DeviceError of %q", e, err, name)
		}
		for _, words := range []string{"Linux and cgo", "pip install .", `"interp"`} {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%q does not say %q", err, words)
			}
		}
		if strings.Contains(err.Error(), "lammps-jax-pjrt-cpu") {
			t.Errorf("%q advises a plugin, with which this build can do nothing", err)
		}
	}
}
