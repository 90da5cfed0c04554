package device

import (
	"fmt"
	"strings"

	"trnsci/trnbackend"
	"trnsci/trnbackend/interp"
	"trnsci/trnbackend/pjrt"
)

// Known lists the names that Open takes, as users write them.
var Known = []string{interp.Name, pjrt.CPU, "pjrt:/path/plugin.so", pjrt.CUDA}

// Options are what Open needs to know beside the name.
type Options struct {
	CacheDir   string   // where compiled programs are kept; nowhere if it is empty
	PluginDirs []string // where PJRT plugins are looked for: see pjrt.FindIn
}

// UnknownError says that there is no device of a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("device: %q is not one of %s", e.Name, strings.Join(Known, ", "))
}

// Open opens a device by its name: "interp" is the interpreter, "pjrt:cpu" XLA on the host's processor, "cuda" XLA on an NVIDIA GPU, and
// "pjrt:" before a path any PJRT plugin. The plugins of XLA are found where Python packages are.
func Open(name string, o Options) (*Session, error) {
	executor, err := open(name, o.PluginDirs)
	if err != nil {
		return nil, err
	}
	return NewSession(executor, o.CacheDir), nil
}

func open(name string, dirs []string) (trnbackend.Executor, error) {
	switch {
	case name == interp.Name:
		return interp.New(), nil
	case pjrt.IsName(name):
		if err := pjrt.Loadable(name); err != nil {
			return nil, err
		}
		path, err := pjrt.FindIn(dirs, name)
		if err != nil {
			return nil, err
		}
		return pjrt.Open(pjrt.Options{Name: name, Path: path})
	}
	return nil, &UnknownError{name}
}

// Found returns the names of the devices whose software is here. Whether they open shows Open.
func Found(dirs []string) []string {
	found := []string{interp.Name}
	for _, name := range []string{pjrt.CPU, pjrt.CUDA} {
		if _, err := pjrt.FindIn(dirs, name); err == nil && pjrt.Loadable(name) == nil {
			found = append(found, name)
		}
	}
	return found
}
