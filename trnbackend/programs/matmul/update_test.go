package matmul

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/programtest"
	"trnsci/trnbackend/programs/staging"
)

// tooLarge is a matrix without elements, which must not be read.
func tooLarge(rows, cols int) []dense.Matrix[float32] {
	return []dense.Matrix[float32]{{Rows: rows, Cols: cols, Stride: cols}}
}

// Operands that do not fit into the interpreter's 512 MB are refused before the host reads them: reading one of these
// would panic, packing it would take 4 TB.
func TestUpdatesBeyondTheMemoryAreNotPacked(t *testing.T) {
	const n = 1 << 20
	s := programtest.OnInterp(t)
	small := []dense.Matrix[float32]{dense.New[float32](1, 1)}
	for name, run := range map[string]func(*device.Call) error{
		"gemm": func(call *device.Call) error {
			return Gemm(call, precision.FP32, false, false, 1, tooLarge(1, n*n), tooLarge(n*n, 1), 0, small)
		},
		"syrk": func(call *device.Call) error {
			return Syrk(call, precision.FP32, staging.Lower, false, 1, tooLarge(1, n*n), 0, small)
		},
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

// With alpha = 0 the factors have no effect, even if they have NaNs, as on the host.
func TestUpdatesWithAlphaZero(t *testing.T) {
	nan := math.NaN()
	factor := []dense.Matrix[float64]{dense.FromRows([]float64{nan, math.Inf(1)}, []float64{1, nan})}
	for _, s := range programtest.OnEach(t) {
		for _, beta := range []float64{0, -2} {
			for name, run := range map[string]func(*device.Call, []dense.Matrix[float64]) error{
				"gemm": func(call *device.Call, c []dense.Matrix[float64]) error {
					return Gemm(call, precision.FP64, false, true, 0, factor, factor, beta, c)
				},
				"syrk": func(call *device.Call, c []dense.Matrix[float64]) error {
					return Syrk(call, precision.FP64, staging.Lower, false, 0, factor, beta, c)
				},
			} {
				call, err := s.Begin(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				c := []dense.Matrix[float64]{dense.FromRows([]float64{3, 5}, []float64{-4, 1})}
				err = run(call, c)
				report := call.End()
				if err != nil || c[0].At(0, 0) != 3*beta || c[0].At(1, 0) != -4*beta || c[0].At(1, 1) != beta ||
					report.Dispatches != 1 {
					t.Errorf("%s on %s, beta %g: %v, %v, %+v", name, s.Name(), beta, err, c[0].Data, report)
				}
			}
		}
	}
}

func TestGemmStopsWhileItPacks(t *testing.T) {
	const m, n, k = 700, 250, 600
	rng := rand.New(rand.NewPCG(51, 1))
	a, b, c := stack[float32](rng, 1, m, k), stack[float32](rng, 1, k, n), stack[float32](rng, 1, m, n)
	// Factors are packed and measured, C is packed and unpacked.
	programtest.CancelsAnywhere(t, 2*(m*k+k*n+m*n), func(call *device.Call) error {
		return Gemm(call, precision.FP32, false, false, 1, a, b, 1, c)
	})
}

func TestGoldenTexts(t *testing.T) {
	graphs := map[string]*graph.Graph{}
	for _, p := range precision.Device() {
		single := p == precision.FP32
		graphs["gemm_"+string(p)] = programtest.Must(PlanGemm(p, 1, 8, 8, 8, single, single, single)).Graph
		graphs["syrk_"+string(p)] = programtest.Must(PlanSyrk(p, 1, 8, 10, single, single)).Graph
	}
	programtest.Golden(t, graphs)
}
