package programs

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"trnsci/core/dense"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
)

// pluginVariable names the PJRT plugin that tests use.
const pluginVariable = "TRNSCI_TEST_PJRT"

// onEach returns sessions on the interpreter and on the PJRT plugin for tests, if there is one, that end with the test.
func onEach(t *testing.T) []*device.Session {
	t.Helper()
	sessions := []*device.Session{onInterp(t)}
	path := os.Getenv(pluginVariable)
	if path == "" {
		t.Log("not on PJRT: " + pluginVariable + " names no plugin (make test-go does)")
		return sessions
	}
	s, err := device.Open("pjrt:"+path, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return append(sessions, s)
}

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

// With alpha = 0 the factors have no effect, whatever they hold, as on the host.
func TestUpdatesWithAlphaZero(t *testing.T) {
	nan := math.NaN()
	factor := []dense.Matrix[float64]{dense.FromRows([]float64{nan, math.Inf(1)}, []float64{1, nan})}
	for _, s := range onEach(t) {
		for _, beta := range []float64{0, -2} {
			for name, run := range map[string]func(*device.Call, []dense.Matrix[float64]) error{
				"gemm": func(call *device.Call, c []dense.Matrix[float64]) error {
					return Gemm(call, FP64, false, true, 0, factor, factor, beta, c)
				},
				"syrk": func(call *device.Call, c []dense.Matrix[float64]) error {
					return Syrk(call, FP64, Lower, false, 0, factor, beta, c)
				},
			} {
				call, err := s.Begin(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				c := []dense.Matrix[float64]{dense.FromRows([]float64{3, 5}, []float64{-4, 1})}
				err = run(call, c)
				report := call.End()
				if err != nil || c[0].At(0, 0) != 3*beta || c[0].At(1, 0) != -4*beta || c[0].At(1, 1) != beta || report.Dispatches != 1 {
					t.Errorf("%s on %s, beta %g: %v, %v, %+v", name, s.Name(), beta, err, c[0].Data, report)
				}
			}
		}
	}
}
