package dense

import (
	"fmt"
	"math"
	"testing"
	"unsafe"
)

func TestViewMatrixAcceptsOnlyContiguousRows(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	cases := []struct {
		name string
		v    View[float64]
		ok   bool
	}{
		{"rows", View[float64]{Rows: 2, Cols: 3, RowStride: 3, ColStride: 1, Data: data}, true},
		{"padded", View[float64]{Rows: 2, Cols: 2, RowStride: 3, ColStride: 1, Data: data}, true},
		{"transposed", View[float64]{Rows: 3, Cols: 2, RowStride: 1, ColStride: 3, Data: data}, false},
		{"reversed", View[float64]{Rows: 2, Cols: 3, Offset: 5, RowStride: -3, ColStride: -1, Data: data}, false},
		{"broadcast", View[float64]{Rows: 2, Cols: 3, RowStride: 0, ColStride: 1, Data: data}, false},
		{"one row of any stride", View[float64]{Rows: 1, Cols: 3, RowStride: -7, ColStride: 1, Data: data}, true},
		{"empty", View[float64]{Rows: 0, Cols: 3, RowStride: 1, ColStride: 9}, true},
	}
	for _, c := range cases {
		m, ok := c.v.Matrix()
		if ok != c.ok {
			t.Errorf("%s: ok = %v, want %v", c.name, ok, c.ok)
			continue
		}
		for i := range m.Rows {
			for j := range m.Cols {
				if m.At(i, j) != c.v.At(i, j) {
					t.Errorf("%s: element (%d,%d) differs", c.name, i, j)
				}
			}
		}
	}
}

func TestAllFiniteFindsEveryPosition(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for pos := range 12 {
			data := make([]float64, 12)
			row := View[float64]{Rows: 3, Cols: 4, RowStride: 4, ColStride: 1, Data: data}
			strided := View[float64]{Rows: 2, Cols: 3, Offset: 11, RowStride: -6, ColStride: -2, Data: data}
			if !row.AllFinite() || !row.T().AllFinite() || !strided.AllFinite() {
				t.Fatal("zeros are not finite")
			}
			data[pos] = bad
			if row.AllFinite() || row.T().AllFinite() {
				t.Errorf("%v at %d not found", bad, pos)
			}
			if want := pos%2 == 0; strided.AllFinite() != want {
				t.Errorf("strided view with %v at %d: finite = %v", bad, pos, !want)
			}
		}
	}
	c := View[complex64]{Rows: 1, Cols: 1, RowStride: 1, ColStride: 1,
		Data: []complex64{complex(0, float32(math.Inf(1)))}}
	if c.AllFinite() {
		t.Error("infinite imaginary part not found")
	}
}

func TestAllFiniteAcceptsTheLargestNumbers(t *testing.T) {
	v := View[float64]{Rows: 1, Cols: 3, RowStride: 3, ColStride: 1,
		Data: []float64{math.MaxFloat64, -math.MaxFloat64, 5e-324}}
	if !v.AllFinite() {
		t.Error("finite extremes called infinite")
	}
}

func TestCopyConvertsBetweenDtypesAndStrides(t *testing.T) {
	src := View[complex64]{Rows: 2, Cols: 3, Offset: 5, RowStride: -3, ColStride: -1,
		Data: []complex64{1, 2i, 3, 4, 5i, 6}}
	out := make([]complex128, 6)
	dst := View[complex128]{Rows: 2, Cols: 3, RowStride: 1, ColStride: 2, Data: out}
	Copy(dst, src)
	for i := range 2 {
		for j := range 3 {
			if dst.At(i, j) != complex128(src.At(i, j)) {
				t.Errorf("element (%d,%d): %v, want %v", i, j, dst.At(i, j), src.At(i, j))
			}
		}
	}
}

func TestScalarHelpers(t *testing.T) {
	if Conj(complex64(1+2i)) != 1-2i || Conj(2.5) != 2.5 {
		t.Error("Conj")
	}
	if Abs(complex(3e300, 4e300)) != 5e300 || Abs(float32(-2)) != 2 {
		t.Error("Abs")
	}
	if Convert[complex64](1+2i) != 1+2i || Convert[float32](2.5) != 2.5 || Convert[complex128](float32(3)) != 3 {
		t.Error("Convert")
	}
	if Eps[complex64]() != 0x1p-23 || Eps[float64]() != 0x1p-52 {
		t.Error("Eps")
	}
}

func TestMachineParameters(t *testing.T) {
	testMachineParameters[float32](t, 1, 4)
	testMachineParameters[float64](t, 1, 8)
	testMachineParameters[complex64](t, 2, 8)
	testMachineParameters[complex128](t, 2, 16)
}

func testMachineParameters[T Scalar](t *testing.T, parts, bytes int) {
	if Parts[T]() != parts || Bytes[T]() != bytes {
		t.Errorf("%T: %d parts, %d bytes", *new(T), Parts[T](), Bytes[T]())
	}
	round := func(x float64) float64 { return Real(FromReal[T](x)) }
	smallest, subnormal, top := SmallestNormal[T](), SmallestSubnormal[T](), MaxExponent[T]()
	// Numbers just above the smallest normal one have all digits, those below lose the last.
	if x := smallest * (1 + Eps[T]()); round(x) != x {
		t.Errorf("%T: %g is not a number of the type", *new(T), x)
	}
	if round(subnormal) != subnormal || round(subnormal/2) != 0 || round(smallest) != smallest {
		t.Errorf("%T: smallest numbers %g and %g", *new(T), smallest, subnormal)
	}
	if subnormal != smallest*Eps[T]() {
		t.Errorf("%T: subnormal %g, normal %g", *new(T), subnormal, smallest)
	}
	power := FromReal[T](math.Ldexp(1, top))
	if LargestPower[T]() != math.Ldexp(1, top) || !IsFinite(power) || IsFinite(power*FromReal[T](2)) {
		t.Errorf("%T: largest exponent %d", *new(T), top)
	}
}

func TestConjugateVectors(t *testing.T) {
	src := []complex128{1 + 2i, -3i, complex(0, math.Copysign(0, -1))}
	dst := make([]complex128, len(src))
	ConjugateTo(dst, src)
	if dst[0] != 1-2i || dst[1] != 3i || math.Signbit(imag(dst[2])) {
		t.Errorf("ConjugateTo: %v", dst)
	}
	Conjugate(dst)
	if dst[0] != src[0] || dst[1] != src[1] || !math.Signbit(imag(dst[2])) {
		t.Errorf("Conjugate: %v", dst)
	}
	single := []complex64{1 + 1i}
	if Conjugate(single); single[0] != 1-1i {
		t.Errorf("Conjugate: %v", single)
	}
	real := []float64{1, -2}
	if Conjugate(real); real[0] != 1 || real[1] != -2 {
		t.Errorf("Conjugate of real numbers: %v", real)
	}
	if ConjugateTo(real[1:], real[:1]); real[1] != 1 {
		t.Errorf("ConjugateTo of real numbers: %v", real)
	}
}

func TestAlignedMemory(t *testing.T) {
	testAlignedMemory[float32](t, 16)
	testAlignedMemory[float64](t, 8)
	testAlignedMemory[complex64](t, 8)
	testAlignedMemory[complex128](t, 4)
}

func testAlignedMemory[T Scalar](t *testing.T, perLine int) {
	for n := range 70 {
		x := NewAligned[T](n)
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(x))); at%LineBytes != 0 || len(x) != n || cap(x) != n {
			t.Fatalf("%T: %d elements of %d at %#x", *new(T), len(x), n, at)
		}
		whole := WholeLines[T](n)
		if whole%perLine != 0 || whole < n || whole >= n+perLine {
			t.Errorf("%T: %d elements in whole lines of %d", *new(T), n, whole)
		}
	}
	x := NewAligned[T](2 * perLine)
	for first := range perLine {
		if got, want := ToLine(x[first:]), (perLine-first)%perLine; got != want {
			t.Errorf("%T: a line begins %d elements after element %d, not %d", *new(T), want, first, got)
		}
	}
}

func TestFillView(t *testing.T) {
	data := make([]float64, 8)
	View[float64]{Rows: 2, Cols: 2, Offset: 7, RowStride: -4, ColStride: -2, Data: data}.Fill(3)
	for i, x := range data {
		if want := float64(i%2) * 3; x != want {
			t.Errorf("element %d: %g", i, x)
		}
	}
}

func TestSliceOfNothingHoldsNothing(t *testing.T) {
	m := New[float64](3, 3)
	if s := m.Slice(3, 3, 0, 3); s.Rows != 0 || len(s.Data) != 0 {
		t.Errorf("empty slice holds %d elements", len(s.Data))
	}
	if s := m.Slice(1, 3, 1, 3); s.At(1, 1) != m.At(2, 2) || len(s.Data) != 5 {
		t.Error("corner slice")
	}
}

func TestFormat(t *testing.T) {
	// The stride is larger than the number of columns.
	wide := FromRows([]complex64{1, 2i, 9}, []complex64{3, 4, 9}).Slice(0, 2, 0, 2)
	for _, c := range []struct{ got, want string }{
		{fmt.Sprint(wide), "[(1+0i) (0+2i)]\n[(3+0i) (4+0i)]"},
		{wide.String(), "[(1+0i) (0+2i)]\n[(3+0i) (4+0i)]"},
		{fmt.Sprintf("%.1f", New[float32](1, 2)), "[0.0 0.0]"},
		{fmt.Sprintf("%6.1f", FromRows([]float64{1, 20})), "[   1.0   20.0]"},
		{fmt.Sprint(New[float64](2, 0)), "[]\n[]"},
		{fmt.Sprint(New[float64](0, 2)), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
}
