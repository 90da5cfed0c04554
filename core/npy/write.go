package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	npyio "github.com/sbinet/npyio/npy"
)

// The header of a written file, magic and length included, is padded to a multiple of this (NumPy Enhancement Proposal
// 1).
const headerAlignment = 64

// The name of an unfinished file begins with this many bytes of the final name, which leaves room for an ending: file
// systems allow 255 bytes.
const prefixBytes = 200

// Writer writes a .npy file of float64 numbers in C order. The file gets its name when it is complete; until then it
// has another name in the same folder.
type Writer struct {
	path, partial string
	file          *os.File
	raw           []byte
	left          int64 // elements that are still to be written
	err           error // of the first write that failed
}

// Create begins the file at path for an array of the given shape. The caller always calls Close.
//
// It returns the operating system's error, wrapped, if the file cannot be created.
func Create(path string, shape []int) (*Writer, error) {
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, renamed(err, path)
	}
	folder, name := filepath.Split(path)
	begin := strings.ToValidUTF8(name[:min(len(name), prefixBytes)], "") // some file systems require it
	partial := fmt.Sprintf("%s%s.%016x.partial", folder, begin, rand.Uint64())
	file, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, renamed(err, path)
	}
	w := &Writer{path: path, partial: partial, file: file, raw: make([]byte, 0, readBytes), left: 1}
	for _, n := range shape {
		w.left *= int64(n)
	}
	w.raw = append(w.raw, startOf(shape)...)
	return w, nil
}

// startOf returns the bytes before the elements, in version 1.0 of the format.
func startOf(shape []int) []byte {
	sizes := make([]string, len(shape))
	for n, size := range shape {
		sizes[n] = fmt.Sprint(size)
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", tuple)
	before := len(npyio.Magic) + 2 + 2 // version and length
	padding := headerAlignment - (before+len(text)+1)%headerAlignment
	text += strings.Repeat(" ", padding) + "\n"
	start := append(append([]byte{}, npyio.Magic[:]...), 1, 0)
	return append(binary.LittleEndian.AppendUint16(start, uint16(len(text))), text...)
}

// Write appends elements. It panics if there are more than the shape has.
func (w *Writer) Write(elements []float64) error {
	if w.left -= int64(len(elements)); w.left < 0 {
		panic("npy: more elements than the shape has")
	}
	for _, x := range elements {
		if len(w.raw)+Float64.Size() > cap(w.raw) {
			if err := w.flush(); err != nil {
				return err
			}
		}
		w.raw = binary.LittleEndian.AppendUint64(w.raw, math.Float64bits(x))
	}
	return nil
}

func (w *Writer) flush() error {
	if w.err != nil {
		return w.err
	}
	_, err := w.file.Write(w.raw)
	w.raw, w.err = w.raw[:0], renamed(err, w.path)
	return w.err
}

// Close gives the file its name if all elements have been written, replacing a file with that name, and removes it if
// not. If it returns an error, no file is left.
func (w *Writer) Close() error {
	complete := w.left == 0 && w.err == nil
	if complete {
		complete = w.flush() == nil
	}
	if complete {
		w.err = renamed(w.file.Sync(), w.path)
	}
	if err := w.file.Close(); w.err == nil {
		w.err = renamed(err, w.path)
	}
	if complete && w.err == nil {
		w.err = renamed(os.Rename(w.partial, w.path), w.path)
	}
	if !complete || w.err != nil {
		os.Remove(w.partial)
	}
	return w.err
}

// renamed returns an error of the operating system as one about the file of the given name.
func renamed(err error, path string) error {
	var link *os.LinkError
	var other *fs.PathError
	switch {
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	case errors.As(err, &other):
		return &fs.PathError{Op: other.Op, Path: path, Err: other.Err}
	}
	return err
}
