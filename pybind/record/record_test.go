package record

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// decodings decode a record as each of the calls.
var decodings = map[string]func(words []int64) error{
	"Eigh":     decoding[Eigh],
	"BLAS":     decoding[BLAS],
	"Schur":    decoding[Schur],
	"QZ":       decoding[QZ],
	"MP2":      decoding[MP2],
	"KMP2":     decoding[KMP2],
	"DFJK":     decoding[DFJK],
	"Device":   decoding[DeviceOpen],
	"Product":  decoding[DeviceProduct],
	"Function": decoding[MatrixFunction],
}

func decoding[T any, P call[T]](words []int64) error {
	c, err := Decode[T, P](words)
	if (c == nil) == (err == nil) {
		panic("neither a call nor an error, or both")
	}
	return err
}

// text returns the words of a string.
func text(s string) []int64 {
	bytes := append([]byte(s), make([]byte, 7)...)
	words := []int64{int64(len(s))}
	for k := 0; k < len(s); k += 8 {
		words = append(words, int64(binary.NativeEndian.Uint64(bytes[k:])))
	}
	return words
}

// whole puts the length in front of the parts of a record.
func whole(parts ...[]int64) []int64 {
	words := append([]int64{0}, slices.Concat(parts...)...)
	words[0] = int64(len(words))
	return words
}

func array(dtype Dtype, address int64, sizes ...int64) []int64 {
	return append([]int64{int64(dtype), address, int64(len(sizes) / 2)}, sizes...)
}

// schurRecord is the record of a small Schur form with the given word for the order. Its memory is never read.
func schurRecord(word string) []int64 {
	form := array(Float64, 4096, 2, 3, 3, 72, 24, 8)
	none := []int64{absent}
	return whole([]int64{5, 1, 0}, form, form, form, none, none, array(Int64, 512, 2, 8), text(word))
}

func TestSchurRecord(t *testing.T) {
	c, err := Decode[Schur](schurRecord("längst"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Threads != 5 || !c.CheckFinite || c.Overwrite || c.Sort != "längst" {
		t.Errorf("%+v", c)
	}
	if c.ComplexT != nil || !slices.Equal(c.A.Shape, []int{2, 3, 3}) || !slices.Equal(c.A.Strides, []int{9, 3, 1}) {
		t.Errorf("%+v", c.A)
	}
	if c.T.Bytes() != 2*9*8 || c.ComplexT.Bytes() != 0 || c.Counts.Dtype != Int64 {
		t.Errorf("%+v, %+v", c.T, c.Counts)
	}
}

func TestNumbersOfARecord(t *testing.T) {
	a := array(Complex128, 64, 0, 0, 1, 1)
	words := whole([]int64{1, 2, 3, 4, 5, 6, 1, 0, 1},
		[]int64{int64(math.Float64bits(1.5)), int64(math.Float64bits(-2)), int64(math.Float64bits(math.Inf(1))), 0}, a, a, a)
	c, err := Decode[BLAS](words)
	if err != nil {
		t.Fatal(err)
	}
	if c.TransA != 2 || c.Diag != 6 || !c.Conjugate || c.Solve || !c.CheckFinite || c.Alpha != 1.5-2i ||
		!math.IsInf(real(c.Beta), 1) {
		t.Errorf("%+v", c)
	}
}

// TestArraysThatCannotBe has descriptions that no array can have, with a part of the error message.
func TestArraysThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		words []int64
		want  string
	}{
		{array(BFloat16, 64, 2, 2), "dtype code"},
		{[]int64{17, 64, 1, 2, 8}, "dtype code 17"},
		{[]int64{-7, 64, 1, 2, 8}, "dtype code -7"},
		{[]int64{int64(Float64), 64, 65}, "65 dimensions"},
		{[]int64{int64(Float64), 64, -1}, "-1 dimensions"},
		{array(Float64, 64, -2, 8), "shape -2"},
		{array(Float64, 64, 2, 4), "not a multiple"},
		{array(Float64, 60, 2, 8), "not aligned"},
		{array(Float64, 0, 2, 8), "not aligned"},
		{array(Float64, 64, 2, -128), "address space"},
		{array(Float64, -64, 2, 1024), "address space"},
		{array(Float64, 64, 1<<40, 1<<40, 0, 0), "more elements"},
		{array(Float64, 64, 1<<20, 1<<45), "address space"},
		{array(Float64, 64, 2, math.MinInt64), "address space"},
		{[]int64{absent}, "no array"},
	} {
		rest := []int64{int64(Float64), 64, 1, 0, 8, int64(Int64), 64, 1, 0, 8}
		err := decoding[Schur](whole([]int64{1, 0, 0}, c.words, rest))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.words, err, c.want)
		}
	}
}

func TestRecordsThatAreCutOrTooLong(t *testing.T) {
	words := schurRecord("lhp")
	for n := range words {
		cut := slices.Clone(words[:n])
		if n > 0 {
			cut[0] = int64(n)
		}
		if decoding[Schur](cut) == nil {
			t.Errorf("%d of %d words are accepted", n, len(words))
		}
	}
	longer := append(slices.Clone(words), 0)
	if decoding[Schur](longer) == nil {
		t.Error("a wrong length is accepted")
	}
	longer[0]++
	if decoding[Schur](longer) == nil {
		t.Error("a word too many is accepted")
	}
	words[2] = 2
	if decoding[Schur](words) == nil {
		t.Error("2 is accepted as a boolean")
	}
}

func TestElements(t *testing.T) {
	data := []float64{0, 1, 2, 3, 4, 5}
	address := int64(uintptr(unsafe.Pointer(&data[4])))
	words := whole([]int64{1}, array(Float64, address, 2, 2, -24, 8), array(Complex128, 64, 0, 16))
	c, err := Decode[SchurEigenvalues](words)
	if err != nil {
		t.Fatal(err)
	}
	found, offset := Elements[float64](c.T)
	if !slices.Equal(found, data[1:]) || offset != 3 {
		t.Errorf("%v at %d", found, offset)
	}
	defer func() {
		if recover() == nil {
			t.Error("float64 elements are read as float32")
		}
	}()
	Elements[float32](c.T)
}

// FuzzDecode decodes any bytes as each of the calls. The result must be a call or an error.
func FuzzDecode(f *testing.F) {
	spins := slices.Concat(array(Float64, 64, 1, 2, 3, 48, 24, 8), array(Float64, 64, 1, 8), array(Float64, 64, 2, 8))
	none := []int64{absent, absent, absent}
	for _, words := range [][]int64{
		schurRecord("lhp"), schurRecord(""),
		whole([]int64{4, 0, 1, 1 << 20, 0, 0}, spins, none, none, none[:2], text("/tmp/b.npy"), text(""), text("iaP"),
			text("mixed"), text("")),
		whole([]int64{4, 0, 1, 1 << 20}, array(Float64, 64, 1, 8), array(Float64, 64, 1, 8), array(Int64, 64, 1, 8),
			array(Float64, 64, 3, 8),
			[]int64{1}, array(Complex128, 64, 1, 2, 3, 96, 48, 16)),
		whole(text("interp"), text("/home/me/.cache"), text("a:b")),
	} {
		bytes := make([]byte, 8*len(words))
		for k, w := range words {
			binary.NativeEndian.PutUint64(bytes[8*k:], uint64(w))
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		words := make([]int64, len(bytes)/8)
		for k := range words {
			words[k] = int64(binary.NativeEndian.Uint64(bytes[8*k:]))
		}
		for _, decode := range decodings {
			decode(words)
			if len(words) > 0 { // most random lengths are wrong: a correct one lets the fuzzer reach the fields
				words[0] = int64(len(words))
				decode(words)
			}
		}
	})
}
