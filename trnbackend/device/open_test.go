package device_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/pjrt"
)

// opensNot requires a DeviceError with the words when a device is opened.
func opensNot(t *testing.T, name string, dirs []string, words ...string) {
	t.Helper()
	_, err := device.Open(name, device.Options{PluginDirs: dirs})
	if d := (*trnbackend.DeviceError)(nil); !errors.As(err, &d) || d.Device != name {
		t.Errorf("%s: %v is no DeviceError of it", name, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

// The files of a folder have the names of plugins but are none. Builds that cannot load plugins do not find them and
// give other advice.
func TestPluginsThatDoNotOpen(t *testing.T) {
	empty, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"libpjrt_cpu.so", "xla_cuda_plugin.so"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no library"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host, card := "pip install lammps-jax-pjrt-cpu", `pip install "jax-cuda13-plugin[with-cuda]"`
	found := []string{"interp", pjrt.CPU, pjrt.CUDA}
	if pjrt.Loadable(pjrt.CPU) != nil {
		host, card, found = "Linux and cgo", "Linux and cgo", found[:1]
	}
	path := "pjrt:" + filepath.Join(dir, "libpjrt_cpu.so")
	opensNot(t, pjrt.CPU, []string{empty}, host)
	opensNot(t, pjrt.CPU, []string{dir}, host)
	opensNot(t, pjrt.CUDA, []string{empty}, card)
	opensNot(t, pjrt.CUDA, []string{dir}, card)
	opensNot(t, path, nil, host)
	opensNot(t, "pjrt:/there/is/none.so", nil, host)
	if got := device.Found([]string{dir}); !slices.Equal(got, found) {
		t.Errorf("found %v, not %v", got, found)
	}
	if got := device.Found([]string{empty}); !slices.Equal(got, found[:1]) {
		t.Errorf("found %v in an empty folder", got)
	}
}
