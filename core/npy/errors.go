package npy

import "fmt"

// FormatError reports a file that is not a .npy file, or that is cut short or was changed while it was read.
type FormatError struct {
	Path   string
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: not a usable .npy file: %s", e.Path, e.Reason)
}

// DtypeError reports a .npy file whose elements are not floating-point numbers of a supported width. Dtype is the
// description in the file's header.
type DtypeError struct {
	Path  string
	Dtype string
	Real  bool // only real numbers were expected
}

func (e *DtypeError) Error() string {
	expected, descriptions := "float32, float64, complex64 or complex128", acceptedDtypes
	if e.Real {
		expected, descriptions = "float32 or float64", acceptedReals
	}
	return fmt.Sprintf("%s: dtype %s is not supported, expected %s (%s)", e.Path, e.Dtype, expected, descriptions)
}

// The descriptions of the supported element types in headers.
const (
	acceptedReals  = "'<f4', '>f4', '<f8' or '>f8'"
	acceptedDtypes = "'<f4', '<f8', '<c8', '<c16', or '>' in the place of '<'"
)
