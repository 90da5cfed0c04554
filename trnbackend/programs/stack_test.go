package programs

import (
	"context"
	"errors"
	"testing"

	"trnsci/core/dense"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
)

// tooLarge is a matrix whose elements are never looked at: there are none.
func tooLarge(rows, cols int) []dense.Matrix[float32] {
	return []dense.Matrix[float32]{{Rows: rows, Cols: cols, Stride: cols}}
}

// What the interpreter's 512 MB do not hold is refused before the host reads it: reading one of these operands would be a panic, packing it would take
// 4 TB.
func TestUpdatesBeyondTheMemoryAreNotPacked(t *testing.T) {
	const n = 1 << 20
	s := onInterp(t)
	small := []dense.Matrix[float32]{dense.New[float32](1, 1)}
	for name, run := range map[string]func(*device.Call) error{
		"gemm": func(call *device.Call) error {
			return Gemm(call, FP32, false, false, 1, tooLarge(1, n*n), tooLarge(n*n, 1), 0, small)
		},
		"syrk": func(call *device.Call) error { return Syrk(call, FP32, Lower, false, 1, tooLarge(1, n*n), 0, small) },
	} {
		call, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		err = run(call)
		report := call.End()
		var failed *trnbackend.DeviceError
		if !errors.As(err, &failed) || report.BytesIn != 0 || report.Compiles+report.CacheHits != 0 {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
	}
}
