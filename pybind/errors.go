package pybind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"

	"trnsci/core/banded"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/core/matfunc"
	"trnsci/core/matfunc/frechet"
	"trnsci/core/mp2"
	"trnsci/core/npy"
	"trnsci/core/qrupdate"
	"trnsci/core/qz"
	"trnsci/core/reorder"
	"trnsci/core/sched"
	"trnsci/core/schur"
	"trnsci/core/sylvester"
	"trnsci/core/tridiag"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/invsqrt"
)

// kindMark surrounds the kind of an error at the start of its text. It cannot occur in a Python identifier or path.
const kindMark = "\x1f"

// memoryError reports that a call needs more memory than is available.
type memoryError struct{ reason string }

func (e *memoryError) Error() string { return e.reason }

// memberError says which member of a batch an error belongs to.
type memberError struct {
	member int
	err    error
}

func (e *memberError) Error() string { return fmt.Sprintf("%v (batch member %d)", e.err, e.member) }
func (e *memberError) Unwrap() error { return e.err }

// guard is deferred by every exported function. It turns a panic into an error and marks errors with their kind.
func guard(err *error) {
	if v := recover(); v != nil {
		*err = &sched.PanicError{Value: v, Stack: debug.Stack()}
	}
	if *err != nil {
		*err = encode(*err)
	}
}

// encode returns an error whose text is kindMark, kind, kindMark, message. If the error is about a leading minor, a
// blank and the order of the minor follow the kind. The message is valid UTF-8 without NUL, as the interpreter demands.
func encode(err error) error {
	message := strings.ReplaceAll(strings.ToValidUTF8(describe(err), "?"), "\x00", "?")
	head := kind(err)
	var minor *factor.NotPositiveDefiniteError
	if errors.As(err, &minor) {
		head += fmt.Sprintf(" %d", minor.Order)
	}
	return errors.New(kindMark + head + kindMark + message)
}

func describe(err error) string {
	var p *sched.PanicError
	if errors.As(err, &p) {
		return fmt.Sprintf("%v\n%s", p.Value, p.Stack)
	}
	return err.Error()
}

// withNames replaces one-letter argument names in an error by the capital letters that Python's functions have from
// SciPy.
func withNames(err error) error {
	var e *dense.ArgumentError
	if errors.As(err, &e) && len(e.Arg) == 1 {
		return &dense.ArgumentError{Arg: strings.ToUpper(e.Arg), Reason: e.Reason}
	}
	return err
}

func kind(err error) string {
	var (
		argument *dense.ArgumentError
		minor    *factor.NotPositiveDefiniteError
		pivot    *factor.SingularError
		leading  *banded.MinorError
		depends  *qrupdate.DependentError
		negative *matfunc.IndefiniteError
		overflow *sylvester.OverflowError
		swap     *reorder.SeparationError
		memory   *memoryError
		ql       *eigen.ConvergenceError
		qr       *schur.ConvergenceError
		sweeps   *tridiag.ConvergenceError
		qzSweeps *qz.ConvergenceError
		tooClose *qz.OrderError
		newton   *invsqrt.ConvergenceError
		lanczos  *frechet.ConvergenceError
		zero     *mp2.DenominatorError
		singular *matfunc.SingularError
		moved    orderError
		gap      *mp2.GapError
		imag     *mp2.ComplexError
		format   *npy.FormatError
		dtype    *npy.DtypeError
		path     *fs.PathError
		unknown  *device.UnknownError
		lacking  *trnbackend.UnsupportedError
		broken   *trnbackend.DeviceError
	)
	switch {
	case errors.As(err, &argument), errors.As(err, &zero), errors.As(err, &format), errors.As(err, &unknown):
		return "value"
	case errors.As(err, &dtype):
		return "type"
	case errors.As(err, &path):
		return "os"
	case errors.As(err, &minor), errors.As(err, &pivot), errors.As(err, &depends), errors.As(err, &negative),
		errors.As(err, &overflow),
		errors.As(err, &swap),
		errors.As(err, &tooClose), errors.As(err, &singular), errors.As(err, &moved), errors.As(err, &leading):
		return "linalg"
	case errors.As(err, &ql), errors.As(err, &qr), errors.As(err, &sweeps), errors.As(err, &qzSweeps),
		errors.As(err, &newton), errors.As(err, &lanczos):
		return "convergence"
	case errors.As(err, &lacking), errors.As(err, &gap), errors.As(err, &imag):
		return "unsupported"
	case errors.As(err, &broken), errors.Is(err, trnbackend.ErrFreed):
		return "device"
	case errors.As(err, &memory):
		return "memory"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "internal"
}

// orderError reports that a selection no longer holds for the eigenvalues that come first.
type orderError struct{}

func (orderError) Error() string {
	return "sort: rounding errors of the reordering make leading eigenvalues fail the condition"
}
