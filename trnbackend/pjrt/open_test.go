//go:build linux && cgo

package pjrt

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/trnbackend"
)

// build compiles a C file to a shared library.
func build(t *testing.T, source string, macros ...string) string {
	t.Helper()
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	path := filepath.Join(t.TempDir(), "plugin.so")
	args := append([]string{"-shared", "-fPIC", "-Wall", "-Werror", "-o", path, source}, macros...)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return path
}

// failsToOpen requires a DeviceError that has the words.
func failsToOpen(t *testing.T, o Options, words ...string) {
	t.Helper()
	e, err := Open(o)
	if err == nil {
		t.Fatalf("%s was opened: %v", o.Path, e.Caps())
	}
	if d := (*trnbackend.DeviceError)(nil); !errors.As(err, &d) || d.Device != o.Name {
		t.Errorf("%v is no DeviceError of %q", err, o.Name)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestOpenRefusesWhatIsNoPlugin(t *testing.T) {
	const advice = "pip install lammps-jax-pjrt-cpu"
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.c")
	if err := os.WriteFile(other, []byte("int answer(void) { return 42; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fake := filepath.Join("testdata", "fake.c")
	for _, c := range []struct {
		name, path string
		words      []string
	}{
		{"relative path", "plugin.so", []string{"not absolute"}},
		{"no file", filepath.Join(t.TempDir(), "missing.so"), []string{"missing.so", "no such file", advice}},
		{"text", text, []string{"text.so", advice}},
		{"another library", build(t, other), []string{"no function GetPjrtApi", advice}},
		{"no table", build(t, fake, "-DNO_TABLE"), []string{"gives no table"}},
		{"too old", build(t, fake, "-DMINOR=80"), []string{"version 0.80", "0.81", advice}},
		{"another major version", build(t, fake, "-DMAJOR=1"), []string{"version 1.104", "0.81"}},
		{"too few functions", build(t, fake, "-DSHORT_TABLE"), []string{"too short"}},
		{"does not start", build(t, fake, "-DREFUSES_TO_START"),
			[]string{"initializing the plugin", "the fake refuses"}},
		{"makes no client", build(t, fake, "-DREFUSES_CLIENTS"), []string{"making a client", "the fake refuses"}},
		{"no device", build(t, fake), []string{"making a client", "no device"}},
	} {
		t.Run(c.name, func(t *testing.T) { failsToOpen(t, Options{Name: CPU, Path: c.path}, c.words...) })
	}
}

func TestOpenRefusesOptions(t *testing.T) {
	path := build(t, filepath.Join("testdata", "fake.c"))
	failsToOpen(t, Options{Name: CPU, Path: path, Client: ClientOptions{"threads": 1}}, `"threads"`, "int, not")
	failsToOpen(t, Options{Name: CPU, Path: path, Client: ClientOptions{"cpu_device_count": "two"}},
		`"cpu_device_count"`, "string, not a int64")
}

func TestClientOptionsReachThePlugin(t *testing.T) {
	path := build(t, filepath.Join("testdata", "fake.c"), "-DECHOES_OPTIONS")
	options := ClientOptions{"memory_fraction": float32(0.5), "platform_name": "cuda", "preallocate": true,
		"rank": int64(-7), "other": false}
	failsToOpen(t, Options{Name: CPU, Path: path, Client: options},
		"memory_fraction=0.5 other=false platform_name=cuda preallocate=true rank=-7 ")
	failsToOpen(t, Options{Name: CUDA, Path: path}, "making a client: platform_name=cuda preallocate=false ",
		"jax-cuda13-plugin")
}

func TestOnePluginManyClients(t *testing.T) {
	path := pluginPath(t)
	link := filepath.Join(t.TempDir(), "link.so")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	first, err := loadPlugin(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := loadPlugin(link); err != nil || second != first {
		t.Errorf("a link to the plugin is loaded once more: %v", err)
	}
	a, b := openHost(t), openHost(t)
	x := uploadTo(t, a, 1, 2)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, x, 1, 2)
	if _, programs := a.live.counts(); programs != 0 {
		t.Errorf("%d programs", programs)
	}
}
