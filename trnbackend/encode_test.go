package trnbackend_test

import (
	"bytes"
	"math"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

func same(x, y float64) bool {
	return x != x && y != y || x == y && math.Signbit(x) == math.Signbit(y)
}

func TestEncode(t *testing.T) {
	inf, negativeZero := math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct {
		d    graph.DType
		x    float64
		want []byte
		back float64
	}{
		{graph.F32, 1, []byte{0, 0, 0x80, 0x3f}, 1},
		{graph.F32, negativeZero, []byte{0, 0, 0, 0x80}, negativeZero},
		{graph.F32, 1<<24 + 1, []byte{0, 0, 0x80, 0x4b}, 1 << 24},
		{graph.F32, 1e300, []byte{0, 0, 0x80, 0x7f}, inf},
		{graph.F32, 0x1p-149, []byte{1, 0, 0, 0}, 0x1p-149},
		{graph.BF16, 1, []byte{0x80, 0x3f}, 1},
		{graph.BF16, -0x1.02p0, []byte{0x81, 0xbf}, -0x1.02p0},
		{graph.BF16, 0x1.01p0, []byte{0x80, 0x3f}, 1},        // a tie
		{graph.BF16, 0x1.03p0, []byte{0x82, 0x3f}, 0x1.04p0}, // a tie
		{graph.BF16, -inf, []byte{0x80, 0xff}, -inf},
		{graph.BF16, negativeZero, []byte{0, 0x80}, negativeZero},
		{graph.S32, -2, []byte{0xfe, 0xff, 0xff, 0xff}, -2},
		{graph.S32, 0x01020304, []byte{4, 3, 2, 1}, 0x01020304},
		{graph.S32, 1e10, []byte{0xff, 0xff, 0xff, 0x7f}, math.MaxInt32},
		{graph.S32, -inf, []byte{0, 0, 0, 0x80}, math.MinInt32},
		{graph.S32, -0.5, []byte{0, 0, 0, 0}, 0},
		{graph.Pred, 0, []byte{0}, 0},
		{graph.Pred, 0.5, []byte{1}, 1},
		{graph.F64, -2, []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}, -2},
		{graph.F64, math.Pi, []byte{0x18, 0x2d, 0x44, 0x54, 0xfb, 0x21, 0x09, 0x40}, math.Pi},
	} {
		data := trnbackend.Encode(c.d, []float64{0, c.x})
		if size := c.d.Bytes(); !bytes.Equal(data[size:], c.want) || len(data) != 2*size {
			t.Errorf("%v in %s is % x, want % x behind a zero", c.x, c.d, data, c.want)
			continue
		}
		if x := trnbackend.Decode(c.d, data); len(x) != 2 || x[0] != 0 || !same(x[1], c.back) {
			t.Errorf("% x in %s is %v, want %v", data, c.d, x, c.back)
		}
	}
}

func TestNoNumberStaysNoNumber(t *testing.T) {
	signaling := math.Float64frombits(0x7ff0000000000001) // its only bit is beyond those of bf16 and f32
	for _, d := range []graph.DType{graph.F32, graph.BF16, graph.F64} {
		for _, x := range []float64{math.NaN(), signaling, -signaling} {
			if y := trnbackend.Decode(d, trnbackend.Encode(d, []float64{x})); y[0] == y[0] {
				t.Errorf("NaN in %s becomes %v", d, y[0])
			}
		}
	}
}

// TestRoundTripOfAllBytes decodes what a buffer of 16 bits can hold and encodes it again.
func TestRoundTripOfAllBytes(t *testing.T) {
	for bits := range 1 << 16 {
		low, high := byte(bits), byte(bits>>8)
		for d, data := range map[graph.DType][]byte{
			graph.BF16: {low, high}, graph.F32: {0x34, 0x12, low, high}, graph.S32: {0x34, low, 0x12, high},
			graph.F64: {1, 2, 3, 4, 5, 6, low, high},
		} {
			x := trnbackend.Decode(d, data)
			if again := trnbackend.Encode(d, x); !bytes.Equal(again, data) && x[0] == x[0] {
				t.Fatalf("% x in %s is %v, which is % x", data, d, x, again)
			}
		}
	}
	for b := range 1 << 8 {
		want := 1.0
		if b == 0 {
			want = 0
		}
		if x := trnbackend.Decode(graph.Pred, []byte{byte(b)}); x[0] != want {
			t.Fatalf("predicate %d is %v", b, x[0])
		}
	}
}

func TestDecodeWantsWholeElements(t *testing.T) {
	if x := trnbackend.Decode(graph.F32, nil); len(x) != 0 {
		t.Errorf("nothing is %v", x)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	trnbackend.Decode(graph.F32, make([]byte, 6))
}
