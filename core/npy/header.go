package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strings"

	npyio "github.com/sbinet/npyio/npy"
)

// Kind is the element type of a file.
type Kind int

// The element types that are read.
const (
	Float32 Kind = iota
	Float64
	Complex64
	Complex128
)

// sizes are the bytes of an element of each type.
var sizes = [...]int{Float32: 4, Float64: 8, Complex64: 8, Complex128: 16}

// Size returns the bytes that one element takes.
func (k Kind) Size() int { return sizes[k] }

// IsComplex reports whether elements have a real and an imaginary part, in this order.
func (k Kind) IsComplex() bool { return k == Complex64 || k == Complex128 }

// IsSingle reports whether elements, or their parts, are of single precision.
func (k Kind) IsSingle() bool { return k == Float32 || k == Complex64 }

// Element is the set of types that elements can be read as: real ones as real, complex ones as complex numbers.
type Element interface {
	float32 | float64 | complex64 | complex128
}

// KindOf returns the kind of the elements of type T.
func KindOf[T Element]() Kind {
	switch any(*new(T)).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	}
	return Complex128
}

// The sizes that the format (NEP 1) fixes: the magic and the two version bytes, then the header's length, as a 16-bit
// number in version 1 and as a 32-bit number in versions 2 and 3.
const (
	versionOffset = 6
	lengthOffset  = 8
	lengthEndV1   = 10
	lengthEndV2   = 12
)

// The header of an array of numbers takes about a hundred bytes. Headers that are too long for version 1 describe
// structured arrays, which are not supported, and a corrupt length must not be allocated.
const maxHeader = 1<<16 - 1

// signatureHDF5 is the beginning of HDF5 files (HDF5 File Format Specification, superblock).
const signatureHDF5 = "\x89HDF\r\n\x1a\n"

// headerForm is the dictionary as NumPy writes it: these keys in this order, spaces, a newline at the end. npyio's
// parser relies on that form and panics on others.
var headerForm = regexp.MustCompile(`^\{'descr': (.+), 'fortran_order': (?:True|False), ` +
	`'shape': \((?:[0-9]+,|[0-9]+(?:, [0-9]+)+)?\), \} *\n$`)

// kinds are the element types by their descriptions without the byte order.
var kinds = map[string]Kind{"f4": Float32, "f8": Float64, "c8": Complex64, "c16": Complex128}

// header describes the array of a .npy file.
type header struct {
	shape, strides []int
	elements       int64
	dataStart      int64
	descr          string // the element type as the file describes it
	kind           Kind
	bigEndian      bool
}

// readHeader reads and checks the header of a file of the given size. Its errors have no path yet.
func readHeader(r io.ReaderAt, size int64) (header, error) {
	text, dataStart, err := readHeaderText(r, size)
	if err != nil {
		return header{}, err
	}
	form := headerForm.FindSubmatch(text)
	if form == nil {
		return header{}, formatError("the header is not the dictionary that NumPy writes")
	}
	h := header{dataStart: dataStart}
	if err := h.parseDescr(string(form[1])); err != nil {
		return header{}, err
	}
	fortran, err := h.parseShape(text)
	if err != nil {
		return header{}, err
	}
	if err := h.setStrides(fortran); err != nil {
		return header{}, err
	}
	if end := dataStart + h.elements*int64(h.kind.Size()); end > size {
		return header{}, formatError("shape %v takes %d bytes after the header's %d, but the file has %d bytes",
			h.shape, end-dataStart, dataStart, size)
	}
	return h, nil
}

// parseDescr sets the element type and the byte order.
func (h *header) parseDescr(descr string) error {
	for _, order := range []string{"'<", "'>"} {
		name, ordered := strings.CutPrefix(descr, order)
		name, closed := strings.CutSuffix(name, "'")
		if kind, known := kinds[name]; ordered && closed && known {
			h.descr, h.kind, h.bigEndian = descr, kind, order == "'>"
			return nil
		}
	}
	return &DtypeError{Dtype: descr}
}

// readHeaderText returns the header dictionary, checked against the size of the file, and the offset of the data.
func readHeaderText(r io.ReaderAt, size int64) (text []byte, dataStart int64, err error) {
	start := make([]byte, min(size, lengthEndV2))
	if err := readFull(r, start, 0); err != nil {
		return nil, 0, err
	}
	if bytes.HasPrefix(start, []byte(signatureHDF5)) {
		return nil, 0, formatError("it is an HDF5 file: pass one of its datasets, not its path")
	}
	if !bytes.HasPrefix(start, npyio.Magic[:]) {
		return nil, 0, formatError("it does not begin with the magic string of the format")
	}
	if len(start) < lengthEndV1 {
		return nil, 0, formatError("the header is cut short: the file has %d bytes", size)
	}
	var length, lengthEnd int64
	switch version := [2]byte(start[versionOffset:lengthOffset]); version {
	case [2]byte{1, 0}:
		length, lengthEnd = int64(binary.LittleEndian.Uint16(start[lengthOffset:])), lengthEndV1
	case [2]byte{2, 0}, [2]byte{3, 0}:
		if len(start) < lengthEndV2 {
			return nil, 0, formatError("the header is cut short: the file has %d bytes", size)
		}
		length, lengthEnd = int64(binary.LittleEndian.Uint32(start[lengthOffset:])), lengthEndV2
	default:
		return nil, 0, formatError("format version %d.%d is not known, expected 1.0, 2.0 or 3.0", version[0],
			version[1])
	}
	dataStart = lengthEnd + length
	if dataStart > size {
		return nil, 0, formatError("the header is cut short: it ends at byte %d, but the file has %d bytes", dataStart,
			size)
	}
	if length > maxHeader {
		return nil, 0, formatError("a header of %d bytes is longer than the %d that an array of numbers can need",
			length, maxHeader)
	}
	text = make([]byte, length)
	return text, dataStart, readFull(r, text, lengthEnd)
}

// parseShape parses the dictionary, whose form has been checked, with npyio. It is passed with the beginning of a
// version 1 file, since npyio does not know version 3 and the text is the same in all versions.
func (h *header) parseShape(text []byte) (fortran bool, err error) {
	file := append([]byte(nil), npyio.Magic[:]...)
	file = append(file, 1, 0)
	file = binary.LittleEndian.AppendUint16(file, uint16(len(text)))
	parsed, err := npyio.NewReader(bytes.NewReader(append(file, text...)))
	if err != nil {
		return false, formatError("the header cannot be parsed: %v", err)
	}
	h.shape = parsed.Header.Descr.Shape
	return parsed.Header.Descr.Fortran, nil
}

// setStrides computes the number of elements and the strides. Empty axes count as 1 in the strides, as in NumPy, so
// that a shape that overflows without its zero is refused, too.
func (h *header) setStrides(fortran bool) error {
	h.strides = make([]int, len(h.shape))
	stride, empty := uint64(1), false
	for n := range h.shape {
		axis := n
		if !fortran {
			axis = len(h.shape) - 1 - n
		}
		h.strides[axis] = int(stride)
		high, low := bits.Mul64(stride, uint64(max(1, h.shape[axis])))
		if high != 0 || low > math.MaxInt64/uint64(Complex128.Size()) {
			return formatError("shape %v takes more bytes than a file can have", h.shape)
		}
		stride, empty = low, empty || h.shape[axis] == 0
	}
	if !empty {
		h.elements = int64(stride)
	}
	return nil
}

// readFull fills p from offset on. A file that ends too early was cut short while it was read.
func readFull(r io.ReaderAt, p []byte, offset int64) error {
	n, err := r.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return formatError("it shrank while it was read: it ends at byte %d, expected bytes up to %d", offset+int64(n),
			offset+int64(len(p)))
	}
	return fmt.Errorf("npy: %w", err)
}

func formatError(format string, values ...any) *FormatError {
	return &FormatError{Reason: fmt.Sprintf(format, values...)}
}
