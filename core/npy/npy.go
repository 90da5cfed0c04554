// Package npy reads parts of .npy files of real and complex arrays, and writes such files part by part, so that an
// array larger than memory can be processed block by block.
//
// The format is NumPy Enhancement Proposal 1 (https://numpy.org/neps/nep-0001-npy-format.html), versions 1.0 to 3.0.
// Elements are float32, float64, complex64 or complex128 of either byte order (only float64 is written); arrays are in
// C or in Fortran order.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"
	"unsafe"
)

// Bytes that are read at a time: enough to make the system call cheap, little compared with the caller's memory.
const readBytes = 1 << 20

// File is an open .npy file. Its methods and ReadRun are safe for concurrent use; Close is not.
type File struct {
	// Shape is the array's shape: empty for a single number.
	Shape []int
	// Strides holds, for each axis, the distance in elements between neighbours in the file: descending for C order,
	// ascending for Fortran order.
	Strides []int
	// Kind is the element type in the file.
	Kind Kind

	path   string
	header header
	source io.ReaderAt
	close  func() error
	// The state of the file when it was opened, and a function that returns its present state.
	opened os.FileInfo
	stat   func() (os.FileInfo, error)

	mu  sync.Mutex // guards raw
	raw []byte
}

// Open opens the file at path and checks its header against its size.
//
// It returns a *FormatError for a file that is not a .npy file or is cut short, a *DtypeError for elements of another
// type than the Kinds, and the operating system's error, wrapped, if the file cannot be opened or read.
func Open(path string) (*File, error) {
	// Opening a pipe would wait for its writer, so the path is checked first.
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, &FormatError{Path: path, Reason: "it is not a regular file"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if info, err = file.Stat(); err != nil {
		file.Close()
		return nil, fmt.Errorf("npy: %w", err)
	}
	f, err := newFile(path, file, info.Size(), file.Close)
	if err != nil {
		file.Close()
		return nil, err
	}
	f.opened, f.stat = info, file.Stat
	return f, nil
}

// OpenReal is Open for real numbers only: complex ones give a *DtypeError, too.
func OpenReal(path string) (*File, error) {
	f, err := Open(path)
	var other *DtypeError
	switch {
	case errors.As(err, &other):
		other.Real = true
		return nil, err
	case err != nil:
		return nil, err
	case f.Kind.IsComplex():
		f.Close()
		return nil, &DtypeError{Path: path, Dtype: f.header.descr, Real: true}
	}
	return f, nil
}

// Unchanged returns a *FormatError if the size of the file or the time of its last change has changed since it was
// opened: elements read since then may belong to two arrays. A file that was replaced with another one of the same name
// is not changed. The system's clock for files may be a few milliseconds coarse, and changes through a memory map may
// show late.
func (f *File) Unchanged() error {
	now, err := f.stat()
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	if now.Size() != f.opened.Size() || !now.ModTime().Equal(f.opened.ModTime()) {
		return withPath(formatError("it was changed while it was read: "+
			"it had %d bytes and was last changed at %s, now it has %d bytes, changed at %s",
			f.opened.Size(), f.opened.ModTime().Format(time.RFC3339Nano),
			now.Size(), now.ModTime().Format(time.RFC3339Nano)), f.path)
	}
	return nil
}

func newFile(path string, source io.ReaderAt, size int64, closeSource func() error) (*File, error) {
	h, err := readHeader(source, size)
	if err != nil {
		return nil, withPath(err, path)
	}
	return &File{Shape: h.shape, Strides: h.strides, Kind: h.kind, path: path, header: h, source: source,
		close: closeSource}, nil
}

// Len returns the number of elements.
func (f *File) Len() int64 { return f.header.elements }

// Close closes the file.
func (f *File) Close() error { return f.close() }

// ReadRun fills dst with the elements start, start+1, ... in the order of the file, converted to T: if T has single
// precision, numbers and parts of double precision are rounded to nearest. It panics if the run leaves the file's
// array, or if only one of T and the file's elements is complex.
//
// It returns a *FormatError when the file has become shorter since it was opened, and the operating system's error,
// wrapped, when a read fails; dst is then partly filled.
func ReadRun[T Element](f *File, dst []T, start int64) error {
	if start < 0 || start > f.Len() || int64(len(dst)) > f.Len()-start {
		panic(fmt.Sprintf("npy: a run of %d elements from %d on in an array of %d", len(dst), start, f.Len()))
	}
	if KindOf[T]().IsComplex() != f.Kind.IsComplex() {
		panic("npy: complex numbers as real ones, or real ones as complex")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	size := f.Kind.Size()
	if need := min(len(dst)*size, readBytes); len(f.raw) < need {
		f.raw = make([]byte, need)
	}
	for len(dst) > 0 {
		n := min(len(dst), readBytes/size)
		raw := f.raw[:n*size]
		if err := readFull(f.source, raw, f.header.dataStart+start*int64(size)); err != nil {
			return withPath(err, f.path)
		}
		decode(dst[:n], raw, f.header)
		dst, start = dst[n:], start+int64(n)
	}
	return nil
}

// decode converts raw, which holds as many elements as dst.
func decode[T Element](dst []T, raw []byte, h header) {
	switch d := any(dst).(type) {
	case []float32:
		decodeReals(d, raw, h)
	case []float64:
		decodeReals(d, raw, h)
	case []complex64:
		decodeReals(components[float32](d), raw, h)
	case []complex128:
		decodeReals(components[float64](d), raw, h)
	}
}

// components returns the memory of complex numbers as alternating real and imaginary parts.
func components[R float32 | float64, C complex64 | complex128](x []C) []R {
	return unsafe.Slice((*R)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}

// decodeReals converts raw, which holds as many real numbers or parts as dst. The byte order is decided outside the
// loops.
func decodeReals[R float32 | float64](dst []R, raw []byte, h header) {
	single := h.kind.IsSingle()
	switch {
	case single && h.bigEndian:
		for i := range dst {
			dst[i] = R(math.Float32frombits(binary.BigEndian.Uint32(raw[4*i:])))
		}
	case single:
		for i := range dst {
			dst[i] = R(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
	case h.bigEndian:
		for i := range dst {
			dst[i] = R(math.Float64frombits(binary.BigEndian.Uint64(raw[8*i:])))
		}
	default:
		for i := range dst {
			dst[i] = R(math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	}
}

func withPath(err error, path string) error {
	var format *FormatError
	var dtype *DtypeError
	switch {
	case errors.As(err, &format):
		format.Path = path
	case errors.As(err, &dtype):
		dtype.Path = path
	}
	return err
}
