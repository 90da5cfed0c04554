package device

import (
	"trnsci/trnbackend"
	"trnsci/trnbackend/pjrt"
)

// Options are the arguments of Open other than the name.
type Options struct {
	CacheDir   string   // folder for compiled programs; if it is empty, none are kept on disk
	PluginDirs []string // folders in which PJRT plugins are looked for: see pjrt.FindIn
}

// Open opens a device by its name: "interp" is the interpreter, "pjrt:cpu" XLA on the host's processor, "cuda" XLA on
// an NVIDIA GPU, and "pjrt:" before an absolute path any PJRT plugin. The plugins of XLA are found in folders of Python
// packages.
func Open(name string, o Options) (*Session, error) {
	kind, err := find(name)
	if err != nil {
		return nil, err
	}
	executor, err := kind.open(name, o)
	if err != nil {
		return nil, err
	}
	return NewSession(executor, o.CacheDir), nil
}

// Found returns the names of the devices whose software is installed here. Only Open can tell whether they work.
func Found(dirs []string) []string {
	var found []string
	for _, k := range kinds {
		if k.Available() {
			found = append(found, k.found(dirs)...)
		}
	}
	return found
}

func openPlugin(name string, o Options) (trnbackend.Executor, error) {
	if err := pjrt.Loadable(name); err != nil {
		return nil, err
	}
	path, err := pjrt.FindIn(o.PluginDirs, name)
	if err != nil {
		return nil, err
	}
	return pjrt.Open(pjrt.Options{Name: name, Path: path})
}

func foundPlugins(dirs []string) []string {
	var found []string
	for _, name := range []string{pjrt.CPU, pjrt.CUDA} {
		if _, err := pjrt.FindIn(dirs, name); err == nil && pjrt.Loadable(name) == nil {
			found = append(found, name)
		}
	}
	return found
}
