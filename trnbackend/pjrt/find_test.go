package pjrt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/trnbackend"
)

// place writes an empty file and returns its path.
func place(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindIn(t *testing.T) {
	packages, flat, empty := t.TempDir(), t.TempDir(), t.TempDir()
	lammps := place(t, packages, "lammps_jax_pjrt_cpu", "pjrt_c_api_cpu_plugin.so")
	place(t, packages, "xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	cuda := place(t, packages, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	other := place(t, flat, "libpjrt_cpu.so")
	for _, c := range []struct {
		name   string
		dirs   []string
		device string
		want   string
	}{
		{"the best of a folder", []string{packages}, CPU, lammps},
		{"card", []string{empty, packages}, CUDA, cuda},
		{"folder without packages", []string{flat, packages}, CPU, other},
		{"the first folder", []string{empty, packages, flat}, CPU, lammps},
		{"a path", nil, "pjrt:" + other, other},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := FindIn(c.dirs, c.device); err != nil || got != c.want {
				t.Errorf("%q, %v, not %q", got, err, c.want)
			}
		})
	}
}

func TestFindInFails(t *testing.T) {
	folder := t.TempDir()
	for device, words := range map[string][]string{
		CPU:                  {"pip install lammps-jax-pjrt-cpu", "TRNSCI_PJRT_PLUGIN_DIRS"},
		CUDA:                 {"jax-cuda13-plugin", "TRNSCI_PJRT_PLUGIN_DIRS"},
		"pjrt:" + folder:     {folder, "is not a file"},
		"pjrt:plugin.so":     {`"pjrt:cpu"`, `"cuda"`, "absolute path"},
		"pjrt:/no/plugin.so": {"/no/plugin.so", `for the device "pjrt:cpu" pip install lammps-jax-pjrt-cpu`},
		"/no/plugin.so":      {"absolute path"},
	} {
		_, err := FindIn([]string{folder, filepath.Join(folder, "missing")}, device)
		if d := (*trnbackend.DeviceError)(nil); !errors.As(err, &d) || d.Device != device {
			t.Errorf("%s: %v is no DeviceError of the device", device, err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
}

func TestFindInDoesNotLookIntoTheCurrentFolder(t *testing.T) {
	t.Chdir(filepath.Dir(place(t, t.TempDir(), "libpjrt_cpu.so")))
	if path, err := FindIn([]string{""}, CPU); err == nil {
		t.Errorf("%s is found", path)
	}
}

func TestFindLooksIntoTheVariable(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	want := place(t, second, "libpjrt_cpu.so")
	t.Setenv(DirsVariable, first+":"+second)
	if got, err := Find(CPU); err != nil || got != want {
		t.Errorf("%q, %v, not %q", got, err, want)
	}
}
