package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fileBytes returns a file of the given version whose dictionary has the three values, padded as NumPy pads.
func fileBytes(major byte, descr, fortran, shape string, data []byte) []byte {
	text := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
	file := append([]byte("\x93NUMPY"), major, 0)
	start := len(file) + 2
	if major > 1 {
		start += 2
	}
	padded := (start + len(text) + 1 + 63) / 64 * 64
	text += strings.Repeat(" ", padded-start-len(text)-1) + "\n"
	if major > 1 {
		file = binary.LittleEndian.AppendUint32(file, uint32(len(text)))
	} else {
		file = binary.LittleEndian.AppendUint16(file, uint16(len(text)))
	}
	return append(append(file, text...), data...)
}

func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, content []byte) *File {
	t.Helper()
	f, err := Open(write(t, content))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOpenReadsWhatNumPyWrites(t *testing.T) {
	// numpy.save of asfortranarray([[1.5, -2, 3.25], [4, 5, -6.5]]) with dtype '>f4', by NumPy 2.4.6.
	saved := "\x93NUMPY\x01\x00v\x00{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }" + strings.Repeat(" ",
		59) + "\n" +
		"?\xc0\x00\x00@\x80\x00\x00\xc0\x00\x00\x00@\xa0\x00\x00@P\x00\x00\xc0\xd0\x00\x00"
	f := open(t, []byte(saved))
	if !slices.Equal(f.Shape, []int{2, 3}) || !slices.Equal(f.Strides,
		[]int{1, 2}) || f.Kind != Float32 || f.Len() != 6 {
		t.Fatalf("shape %v, strides %v, kind %v, %d elements", f.Shape, f.Strides, f.Kind, f.Len())
	}
	got := make([]float64, 6)
	if err := ReadRun(f, got, 0); err != nil {
		t.Fatal(err)
	}
	if want := []float64{1.5, 4, -2, 5, 3.25, -6.5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReadRunConvertsEveryDtype(t *testing.T) {
	// 1 + 2^-40 tells float64 from float32.
	values := []float64{0, -1.5, 1 + 0x1p-40, 1e30, math.Inf(-1), 0x1p-149}
	orders := map[string]binary.AppendByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian}
	for prefix, order := range orders {
		var singles, doubles []byte
		for _, x := range values {
			singles = order.AppendUint32(singles, math.Float32bits(float32(x)))
			doubles = order.AppendUint64(doubles, math.Float64bits(x))
		}
		for version := byte(1); version <= 3; version++ {
			f4 := open(t, fileBytes(version, "'"+prefix+"f4'", "False", "(6,)", singles))
			f8 := open(t, fileBytes(version, "'"+prefix+"f8'", "False", "(6,)", doubles))
			if f4.Kind != Float32 || f8.Kind != Float64 {
				t.Fatal("wrong kind")
			}
			for start := range values {
				single, double := make([]float32, 6-start), make([]float64, 6-start)
				for _, f := range []*File{f4, f8} {
					if err := errors.Join(ReadRun(f, single, int64(start)),
						ReadRun(f, double, int64(start))); err != nil {
						t.Fatal(err)
					}
					for i, x := range values[start:] {
						if f.Kind == Float32 {
							x = float64(float32(x))
						}
						if double[i] != x || single[i] != float32(x) {
							t.Errorf("%s%v from %d: element %d is %g and %g, want %g", prefix, f.Kind, start, i,
								single[i], double[i], x)
						}
					}
				}
			}
		}
	}
}

func TestReadRunOfComplexNumbers(t *testing.T) {
	values := []complex128{1 - 2i, complex(1+0x1p-40, math.Inf(1)), complex(0, 0x1p-149), -3}
	orders := map[string]binary.AppendByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian}
	for prefix, order := range orders {
		var singles, doubles []byte
		for _, x := range values {
			for _, part := range []float64{real(x), imag(x)} {
				singles = order.AppendUint32(singles, math.Float32bits(float32(part)))
				doubles = order.AppendUint64(doubles, math.Float64bits(part))
			}
		}
		c8 := open(t, fileBytes(1, "'"+prefix+"c8'", "False", "(2, 2)", singles))
		c16 := open(t, fileBytes(1, "'"+prefix+"c16'", "True", "(2, 2)", doubles))
		if c8.Kind != Complex64 || c16.Kind != Complex128 || c16.Strides[0] != 1 || c16.Len() != 4 {
			t.Fatal("wrong header")
		}
		for start := range values {
			for _, f := range []*File{c8, c16} {
				single, double := make([]complex64, 4-start), make([]complex128, 4-start)
				if err := errors.Join(ReadRun(f, single, int64(start)), ReadRun(f, double, int64(start))); err != nil {
					t.Fatal(err)
				}
				for i, x := range values[start:] {
					if f.Kind == Complex64 {
						x = complex128(complex64(x))
					}
					if double[i] != x || single[i] != complex64(x) {
						t.Errorf("%s%v from %d: element %d is %g and %g, want %g", prefix, f.Kind, start, i, single[i],
							double[i], x)
					}
				}
			}
		}
	}
}

// Neither is an imaginary part dropped nor one made up.
func TestReadRunKeepsImaginaryParts(t *testing.T) {
	real8 := open(t, fileBytes(1, "'<f8'", "False", "(2,)", make([]byte, 16)))
	complex16 := open(t, fileBytes(1, "'<c16'", "False", "(1,)", make([]byte, 16)))
	for name, read := range map[string]func() error{
		"real as complex": func() error { return ReadRun(real8, make([]complex128, 1), 0) },
		"complex as real": func() error { return ReadRun(complex16, make([]float64, 1), 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			t.Errorf("%s: %v", name, read())
		}()
	}
}

func TestStridesFollowTheOrder(t *testing.T) {
	cases := []struct {
		fortran, shape string
		strides        []int
		elements       int64
	}{
		{"False", "(2, 3, 4)", []int{12, 4, 1}, 24},
		{"True", "(2, 3, 4)", []int{1, 2, 6}, 24},
		{"False", "(5,)", []int{1}, 5},
		{"True", "()", []int{}, 1},
		{"False", "(2, 0, 4)", []int{4, 4, 1}, 0},
	}
	for _, c := range cases {
		f := open(t, fileBytes(1, "'<f8'", c.fortran, c.shape, make([]byte, 8*c.elements)))
		if !slices.Equal(f.Strides, c.strides) || f.Len() != c.elements {
			t.Errorf("%s, Fortran order %s: strides %v and %d elements", c.shape, c.fortran, f.Strides, f.Len())
		}
	}
}

func TestOpenRefusesOtherDtypes(t *testing.T) {
	for _, descr := range []string{"'|O'", "'<U2'", "'<c32'", "'=c16'", "'c16'", "'<c16", "<c16", "'<i8'", "'<f2'",
		"'<f16'", "'|b1'", "'<f}4'", "[('a', '<f4'), ('b', '<i8')]", "'<M8[ns]'", "'<f8', 'descr': '<f8'"} {
		path := write(t, fileBytes(1, descr, "False", "(2,)", make([]byte, 64)))
		_, err := Open(path)
		var e *DtypeError
		if !errors.As(err, &e) || e.Dtype != descr || e.Path != path || !strings.Contains(e.Error(),
			"float32, float64, complex64 or complex128") {
			t.Errorf("%s: %v", descr, err)
		}
	}
}

func TestOpenReal(t *testing.T) {
	for _, descr := range []string{"'<c16'", "'>c8'", "'<i8'"} {
		path := write(t, fileBytes(1, descr, "False", "(2,)", make([]byte, 64)))
		f, err := OpenReal(path)
		var e *DtypeError
		if f != nil || !errors.As(err, &e) || e.Dtype != descr || e.Path != path || !strings.Contains(e.Error(),
			"expected float32 or float64") {
			t.Errorf("%s: %v", descr, err)
		}
	}
	path := write(t, fileBytes(1, "'<f4'", "False", "(2,)", make([]byte, 8)))
	f, err := OpenReal(path)
	if err != nil || f.Kind != Float32 {
		t.Fatal(err)
	}
	f.Close()
	if _, err := OpenReal(path + " "); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestOpenRefusesBrokenFiles(t *testing.T) {
	good := fileBytes(1, "'<f8'", "False", "(2, 3)", make([]byte, 48))
	good2 := fileBytes(2, "'<f8'", "False", "(2, 3)", make([]byte, 48))
	change := func(position int, value byte) []byte {
		c := bytes.Clone(good)
		c[position] = value
		return c
	}
	text := func(dictionary string) []byte {
		file := append([]byte("\x93NUMPY\x01\x00"), byte(len(dictionary)), 0)
		return append(append(file, dictionary...), make([]byte, 48)...)
	}
	hugeHeader := append(bytes.Clone(good2[:8]), 0xff, 0xff, 0xff, 0xff)
	longHeader := append(bytes.Clone(good2[:8]), 0, 0, 1, 0)
	cases := []struct {
		name    string
		content []byte
		reason  string
	}{
		{"empty", nil, "magic"},
		{"five bytes", good[:5], "magic"},
		{"only the magic", good[:6], "cut short"},
		{"version 2 without a length", good2[:11], "cut short"},
		{"half a header", good[:40], "ends at byte 128, but the file has 40 bytes"},
		{"wrong magic", change(0, 'x'), "magic"},
		{"a zip file", []byte("PK\x03\x04 and so on and on"), "magic"},
		{"an HDF5 file", []byte("\x89HDF\r\n\x1a\n and so on and on"), "HDF5 file: pass one of its datasets"},
		{"version 4", change(6, 4), "version 4.0"},
		{"version 1.1", change(7, 1), "version 1.1"},
		{"header of 4 GiB", hugeHeader, "cut short"},
		{"long header", append(longHeader, make([]byte, 1<<16)...), "longer"},
		{"no data", good[:128], "takes 48 bytes after the header's 128, but the file has 128 bytes"},
		{"one byte missing", good[:len(good)-1], "takes 48 bytes after the header's 128, but the file has 175 bytes"},
		{"shape beyond 64 bits", fileBytes(1, "'<f8'", "False", "(99999999999999999999,)", nil), "parse"},
		{"product beyond 64 bits", fileBytes(1, "'<f8'", "False", "(4294967296, 4294967296)", nil), "more bytes"},
		{"bytes beyond 63 bits", fileBytes(1, "'<f8'", "False", "(2305843009213693952,)", nil), "more bytes"},
		{"overflow beside a zero", fileBytes(1, "'<f8'", "False", "(4294967296, 4294967296, 0)", nil), "more bytes"},
		{"negative shape", fileBytes(1, "'<f8'", "False", "(-2, 3)", make([]byte, 48)), "dictionary"},
		{"number for a shape", fileBytes(1, "'<f8'", "False", "6", make([]byte, 48)), "dictionary"},
		{"order neither True nor False", fileBytes(1, "'<f8'", "Maybe", "(6,)", make([]byte, 48)), "dictionary"},
		{"no newline", text("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }"), "dictionary"},
		{"no braces", text("\n"), "dictionary"},
		{"keys in another order", text("{'shape': (6,), 'fortran_order': False, 'descr': '<f8', }\n"), "dictionary"},
	}
	for _, c := range cases {
		path := write(t, c.content)
		_, err := Open(path)
		var e *FormatError
		if !errors.As(err, &e) || !strings.Contains(e.Error(), path) || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestOpenTakesBytesBehindTheArray(t *testing.T) {
	open(t, fileBytes(1, "'<f8'", "False", "(2, 3)", make([]byte, 60)))
}

func TestOpenWrapsTheSystemsErrors(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	var e *FormatError
	if _, err := Open(t.TempDir()); !errors.As(err, &e) {
		t.Errorf("folder: %v", err)
	}
}

func TestReadRunNoticesAShrunkFile(t *testing.T) {
	path := write(t, fileBytes(1, "'<f8'", "False", "(1000,)", make([]byte, 8000)))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 4000); err != nil {
		t.Fatal(err)
	}
	var e *FormatError
	if err := ReadRun(f, make([]float32, 1000), 0); !errors.As(err, &e) || e.Path != path || !strings.Contains(e.Reason,
		"shrank") {
		t.Errorf("got %v", err)
	}
}

func TestReadRunAfterCloseIsTheSystemsError(t *testing.T) {
	f := open(t, fileBytes(1, "'<f8'", "False", "(2,)", make([]byte, 16)))
	f.Close()
	if err := ReadRun(f, make([]float64, 2), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestReadRunCrossesItsChunks(t *testing.T) {
	const n = 2*readBytes/8 + 3
	data := make([]byte, 0, 8*n)
	for i := range n {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(i)))
	}
	f := open(t, fileBytes(1, "'<f8'", "False", fmt.Sprintf("(%d,)", n), data))
	var wg sync.WaitGroup
	for start := range 3 {
		wg.Go(func() {
			dst := make([]float64, n-3)
			if err := ReadRun(f, dst, int64(start)); err != nil {
				t.Error(err)
			}
			for i, x := range dst {
				if x != float64(start+i) {
					t.Errorf("element %d is %g", start+i, x)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestReadRunOutsideTheArrayPanics(t *testing.T) {
	f := open(t, fileBytes(1, "'<f8'", "False", "(4,)", make([]byte, 48)))
	for _, start := range []int64{-1, 3, 5, math.MaxInt64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("read 2 elements from %d on", start)
				}
			}()
			ReadRun(f, make([]float64, 2), start)
		}()
	}
}

func TestUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	content := fileBytes(1, "'<f8'", "False", "(2,)", make([]byte, 16))
	for name, change := range map[string]func() error{
		"":         func() error { return nil },
		"replaced": func() error { return os.Rename(path, path+"2") },
		"size":     func() error { return os.Truncate(path, int64(len(content)+1)) },
		"time":     func() error { return os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)) },
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		var format *FormatError
		if err := f.Unchanged(); errors.As(err, &format) != (name == "size" || name == "time") {
			t.Errorf("%q: %v", name, err)
		}
		f.Close()
	}
}
