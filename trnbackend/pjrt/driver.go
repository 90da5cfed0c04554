package pjrt

import (
	"errors"
	"unsafe"

	"trnsci/trnbackend"
)

// handle is a pointer from a plugin, to a program or a buffer. It is never dereferenced here.
type handle = unsafe.Pointer

// driver is a client of a plugin, as the executor sees it. Its methods may be called from many goroutines and check
// nothing. Errors of the plugin are pluginErrors.
type driver interface {
	describe() (description, error)

	compile(code, options []byte) (handle, error) // a serialized HloModuleProto and a CompileOptionsProto
	deserialize(data []byte) (handle, error)      // what serialize gave
	serialize(program handle) ([]byte, error)
	outputs(program handle) (int, error) // buffers that execute gives
	freeProgram(program handle) error

	// execute queues a run. Inputs are donated as the program says, except those whose indices are in kept; a donated
	// one must still be freed. out gets the results.
	execute(program handle, in, out []handle, kept []int64) error

	upload(kind int, dims []int64, data []byte) (handle, error)
	download(buffer handle, rank int, data []byte) error
	freeBuffer(buffer handle) error

	memory() (trnbackend.Memory, error)
	close() error
}

// description is what a plugin reports about itself: "cpu", "", "cpu", "0.115".
type description struct {
	platform, version, device, api string
}

// pluginError is an error of a plugin; code is 0 if it is not from one of its functions.
type pluginError struct {
	message string
	code    int
}

func (e *pluginError) Error() string { return e.message }

// unimplemented is the code of functions that a plugin does not have (absl::StatusCode).
const unimplemented = 12

// isUnimplemented reports whether a plugin does not have the function.
func isUnimplemented(err error) bool {
	var e *pluginError
	return errors.As(err, &e) && e.code == unimplemented
}
