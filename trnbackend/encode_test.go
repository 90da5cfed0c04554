package trnbackend_test

import (
	"bytes"
	"math"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

func TestBytesOfNumbers(t *testing.T) {
	for _, c := range []struct {
		d    graph.DType
		x    []float64
		data []byte
	}{
		{graph.F32, []float64{1, -2}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}},
		{graph.BF16, []float64{1, -2, math.Inf(1)}, []byte{0x80, 0x3f, 0, 0xc0, 0x80, 0x7f}},
		{graph.S32, []float64{258, -1}, []byte{2, 1, 0, 0, 0xff, 0xff, 0xff, 0xff}},
		{graph.Pred, []float64{0, 1}, []byte{0, 1}},
		{graph.F64, []float64{-2}, []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}},
	} {
		if got := trnbackend.Encode(c.d, c.x); !bytes.Equal(got, c.data) {
			t.Errorf("%s: %v becomes %v, not %v", c.d, c.x, got, c.data)
		}
		for i, x := range trnbackend.Decode(c.d, c.data) {
			if x != c.x[i] {
				t.Errorf("%s: %v becomes %v, not %v", c.d, c.data, x, c.x[i])
			}
		}
	}
	if x := trnbackend.Decode(graph.Pred, []byte{255}); x[0] != 1 {
		t.Errorf("a predicate of other bits than 0 and 1 is %v", x[0])
	}
	if x := trnbackend.Decode(graph.BF16, trnbackend.Encode(graph.BF16, []float64{math.NaN()})); !math.IsNaN(x[0]) {
		t.Errorf("NaN becomes %v", x[0])
	}
}
