package device

import (
	"fmt"
	"strings"

	"trnsci/trnbackend"
	"trnsci/trnbackend/interp"
)

// Known lists the names that Open takes, as users write them.
var Known = []string{"interp"}

// Options are what Open needs to know beside the name.
type Options struct {
	CacheDir string // where compiled programs are kept; nowhere if it is empty
}

// UnknownError says that there is no device of a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("device: %q is not one of %s", e.Name, strings.Join(Known, ", "))
}

// Open opens a device by its name: "interp" is the interpreter.
func Open(name string, o Options) (*Session, error) {
	executor, err := open(name)
	if err != nil {
		return nil, err
	}
	return NewSession(executor, o.CacheDir), nil
}

func open(name string) (trnbackend.Executor, error) {
	if name == interp.Name {
		return interp.New(), nil
	}
	return nil, &UnknownError{name}
}
