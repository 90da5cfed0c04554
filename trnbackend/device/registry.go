package device

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trnsci/trnbackend"
	"trnsci/trnbackend/interp"
	"trnsci/trnbackend/pjrt"
)

// Kind is a family of devices with one way of opening them. The list of kinds is the registry of devices: messages, the
// names that Open takes and those that Python checks all come from it.
type Kind struct {
	Names      []string // as messages list them; a placeholder stands for what has no fixed name
	Pattern    string   // regular expression for whole names, in the syntax that Go and Python share
	HostMemory []string // the names of devices whose memory is the host's

	// open opens a device of this kind and found returns the names of those whose software is installed. Both are nil
	// for names that are reserved for later versions.
	open  func(name string, o Options) (trnbackend.Executor, error)
	found func(dirs []string) []string
}

// Available reports whether this version can open devices of the kind.
func (k *Kind) Available() bool { return k.open != nil }

// kinds is the registry, in the order in which messages list names.
var kinds = []Kind{
	{
		Names: []string{interp.Name}, Pattern: interp.Name, HostMemory: []string{interp.Name},
		open:  func(string, Options) (trnbackend.Executor, error) { return interp.New(), nil },
		found: func([]string) []string { return []string{interp.Name} },
	},
	{Names: []string{"sim:trn1", "sim:trn2"}, Pattern: `sim:trn[12]`},
	{
		Names: []string{pjrt.CPU, "pjrt:/path/plugin.so",
			pjrt.CUDA}, Pattern: pjrt.Pattern, HostMemory: []string{pjrt.CPU},
		open: openPlugin, found: foundPlugins,
	},
	{Names: []string{"neuron", "neuron:<number>"}, Pattern: `neuron(:[0-9]+)?`},
}

// Kinds returns the registry.
func Kinds() []Kind { return slices.Clone(kinds) }

// Pattern returns a regular expression for the whole names of all devices, or of those that this version can open.
func Pattern(available bool) string {
	var patterns []string
	for _, k := range kinds {
		if k.Available() || !available {
			patterns = append(patterns, k.Pattern)
		}
	}
	return strings.Join(patterns, "|")
}

// availableNames returns the names that this version can open, as messages list them.
func availableNames() string {
	var names []string
	for _, k := range kinds {
		if k.Available() {
			names = append(names, k.Names...)
		}
	}
	return strings.Join(names, ", ")
}

// find returns the kind that a name belongs to.
func find(name string) (*Kind, error) {
	for i := range kinds {
		k := &kinds[i]
		if !regexp.MustCompile(`^(?:` + k.Pattern + `)$`).MatchString(name) {
			continue
		}
		if !k.Available() {
			return nil, &trnbackend.UnsupportedError{
				Device: name, What: "it is not available in this version; " + availableNames() + " are",
			}
		}
		return k, nil
	}
	return nil, &UnknownError{name}
}

// UnknownError reports a name that no device has.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("device: %q is not one of %s", e.Name, availableNames())
}

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
