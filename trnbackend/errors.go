package trnbackend

import (
	"errors"
	"fmt"
)

// ErrFreed is the error of a call with a buffer that was freed or donated, or on an executor that was closed.
var ErrFreed = errors.New("the buffer, program or device has been freed")

// UnsupportedError reports what an executor cannot do.
type UnsupportedError struct {
	Device string // its name
	What   string // what was asked for, and the choices there are
}

func (e *UnsupportedError) Error() string { return fmt.Sprintf("device %s: %s", e.Device, e.What) }

// DeviceError is a failure of a device, of its driver or of its compiler.
type DeviceError struct {
	Device string
	Doing  string // what was being done
	Err    error
}

func (e *DeviceError) Error() string {
	return fmt.Sprintf("device %s: %s: %v", e.Device, e.Doing, e.Err)
}

// Unwrap returns the cause.
func (e *DeviceError) Unwrap() error { return e.Err }
