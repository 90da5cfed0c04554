package pjrt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"trnsci/trnbackend"
)

// Names of devices.
const (
	CPU     = "pjrt:cpu"            // XLA on the host
	CUDA    = "cuda"                // XLA on an NVIDIA card
	prefix  = "pjrt:"               // before the absolute path of a plugin
	Pattern = `pjrt:(cpu|/.+)|cuda` // regular expression for all names
)

var names = regexp.MustCompile(`^(?:` + Pattern + `)$`)

// DirsVariable is the environment variable that lists folders with plugins, separated by colons.
const DirsVariable = "TRNSCI_PJRT_PLUGIN_DIRS"

// files are the paths of the plugins of Python packages, relative to a folder of packages, in the order of preference.
var files = map[string][]string{
	CPU: {
		"lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
		"fastatomstruct_xla_cpu/libpjrt_cpu.so",
		"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
	},
	CUDA: {
		"jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		"jax_plugins/xla_cuda12/xla_cuda_plugin.so",
	},
}

// advice says how to get a plugin: by the names of the plugins' own packages, which are right however trnsci was
// installed.
var advice = map[string]string{
	CPU:  `pip install lammps-jax-pjrt-cpu installs one`,
	CUDA: `pip install "jax-cuda13-plugin[with-cuda]" installs one`,
}

// withAdvice adds advice to an error of a device's plugin.
func withAdvice(device string, err error) error {
	if text, ok := advice[device]; ok {
		return fmt.Errorf("%w (%s that works)", err, text)
	}
	return fmt.Errorf("%w (for the device %q %s that works)", err, CPU, advice[CPU])
}

// errBuild is the error of builds without the C part of this package.
var errBuild = errors.New(`this build of trnsci cannot load PJRT plugins, which takes Linux and cgo: ` +
	`"pip install ." in a checkout on Linux builds one that can, and the device "interp" works without`)

// Loadable returns a trnbackend.DeviceError of the device if this build cannot load plugins.
func Loadable(device string) error {
	if canLoad {
		return nil
	}
	return &trnbackend.DeviceError{Device: device, Doing: "loading its plugin", Err: errBuild}
}

// IsName reports whether a name is that of a device of this package: "pjrt:cpu", "cuda" or "pjrt:" and an absolute
// path.
func IsName(device string) bool { return names.MatchString(device) }

// Find returns the path of a device's plugin, from the folders that TRNSCI_PJRT_PLUGIN_DIRS lists. See FindIn.
func Find(device string) (string, error) {
	return FindIn(filepath.SplitList(os.Getenv(DirsVariable)), device)
}

// FindIn returns the absolute path of a device's plugin. For "pjrt:cpu" and "cuda" it is the first file that exists
// among those of known packages, in a folder of Python packages or directly in one of the dirs; an empty dir is
// ignored. For "pjrt:/path" it is the path, if there is a file. Otherwise the error is a trnbackend.DeviceError. The
// file is not opened: see Open.
func FindIn(dirs []string, device string) (string, error) {
	if !IsName(device) {
		return "", fail(device,
			fmt.Errorf("the device is none of %q, %q and %q with an absolute path", CPU, CUDA, prefix))
	}
	known, ok := files[device]
	if !ok {
		path := strings.TrimPrefix(device, prefix)
		if !isFile(path) {
			return "", fail(device, withAdvice(device, fmt.Errorf("%s is not a file", path)))
		}
		return filepath.Clean(path), nil
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		for _, file := range known {
			for _, path := range []string{filepath.Join(dir, file), filepath.Join(dir, filepath.Base(file))} {
				if isFile(path) {
					return filepath.Abs(path)
				}
			}
		}
	}
	return "", fail(device,
		errors.New("there is none: "+advice[device]+", and "+DirsVariable+" may list folders with others"))
}

func fail(device string, err error) error {
	return &trnbackend.DeviceError{Device: device, Doing: "looking for its plugin", Err: err}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
