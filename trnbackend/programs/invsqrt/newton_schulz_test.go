package invsqrt

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/programtest"
)

// invSqrt runs NewtonSchulz with a result matrix of NaNs.
func invSqrt[T dense.Float](t *testing.T, s *device.Session, p precision.Precision, a dense.Matrix[T]) (dense.Matrix[T],
	trnbackend.Report, error) {
	t.Helper()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x := dense.New[T](a.Rows, a.Cols)
	x.Fill(T(math.NaN()))
	err = NewtonSchulz(call, p, a, x)
	return x, call.End(), err
}

// spectra returns n eigenvalues from 1 down to 1/condition: evenly in the logarithm, all but one large, all but one
// small.
func spectra(n int, condition float64) map[string][]float64 {
	even, large, small := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		even[i] = math.Pow(condition, -float64(i)/float64(max(n-1, 1)))
		large[i], small[i] = 1, 1/condition
	}
	large[n-1], small[0] = 1/condition, 1
	return map[string][]float64{"even": even, "one small": large, "one large": small}
}

// rounded returns a in the type D.
func rounded[D, S dense.Float](a dense.Matrix[S]) dense.Matrix[D] {
	to := dense.New[D](a.Rows, a.Cols)
	dense.Copy(to.View(), a.View())
	return to
}

// offIdentity returns |X A X - I|_F.
func offIdentity[T dense.Float](a, x dense.Matrix[T]) float64 {
	n := a.Rows
	wide, root := rounded[float64](a), rounded[float64](x)
	ax, xax := dense.New[float64](n, n), dense.New[float64](n, n)
	xax.SetIdentity()
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, wide, root, 0, ax)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, root, ax, -1, xax)
	return numtest.FrobeniusNorm(xax)
}

func TestInvSqrtSPD(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testInvSqrt[float32](t, precision.FP32, 1, 3, 1e2, 1e4, 1e5)
		testInvSqrt[float32](t, precision.BF16x3, 1, 1e2, 1e4)
		testInvSqrt[float32](t, precision.BF16x2, 1, 10, 1e2)
	})
	t.Run("float64", func(t *testing.T) {
		testInvSqrt[float64](t, precision.FP64, 1, 3, 1e4, 1e8, 1e12)
		testInvSqrt[float64](t, precision.FP32, 1, 1e4)
	})
}

// testInvSqrt requires |X A X - I|_F within eps (n + sqrt(n) cond(A)), with the eps of products: the first term is for
// their sums, the second for an error in each element of A.
func testInvSqrt[T dense.Float](t *testing.T, p precision.Precision, conditions ...float64) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(41, 1))
	eps := p.Eps()
	for _, n := range []int{1, 2, 3, 17, 100} {
		for _, condition := range conditions {
			for name, values := range spectra(n, condition) {
				a := rounded[T](numtest.WithSpectrum[float64](rng, values))
				x, report, err := invSqrt(t, s, p, a)
				if err != nil {
					t.Fatalf("%s, n = %d, condition %g, %s: %v", p, n, condition, name, err)
				}
				limit := eps * (float64(n) + math.Sqrt(float64(n))*condition)
				if r := offIdentity(a, x); !(r <= limit) {
					t.Errorf("%s, n = %d, condition %g, %s: |X A X - I| is %.2g, the limit %.2g", p, n, condition, name,
						r, limit)
				}
				if report.Compiles+report.CacheHits != 1 || len(report.HostSteps) != 2 {
					t.Errorf("%s, n = %d: %+v", p, n, report)
				}
			}
		}
	}
}

func TestInvSqrtOfOrder256InFewDispatches(t *testing.T) {
	const n, condition, most = 256, 1e4, 5
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(42, 1))
	for name, values := range spectra(n, condition) {
		a := rounded[float32](numtest.WithSpectrum[float64](rng, values))
		x, report, err := invSqrt(t, s, precision.FP32, a)
		if err != nil {
			t.Fatal(err)
		}
		limit := precision.FP32.Eps() * condition
		if r := offIdentity(a, x); !(r <= limit) {
			t.Errorf("%s: |X A X - I| is %.2g, the limit %.2g", name, r, limit)
		}
		if report.Dispatches > most || report.Compiles+report.CacheHits != 1 {
			t.Errorf("%s: %+v", name, report)
		}
		t.Logf("%s: %d dispatches of %d steps, |X A X - I| is %.2g", name, report.Dispatches, stepsPerRun,
			offIdentity(a, x))
	}
}

// The square root of a matrix of one element is known, whatever its size; only the lower triangle counts.
func TestInvSqrtOfAnyScale(t *testing.T) {
	s := programtest.OnInterp(t)
	for _, v := range []float64{5e-324, 1e-300, 1e-40, 3, 1e39, 1.7e308} {
		x, _, err := invSqrt(t, s, precision.FP64, dense.FromRows([]float64{v}))
		if want := 1 / math.Sqrt(v); err != nil || math.Abs(x.At(0, 0)-want) > 8*dense.Eps[float64]()*want {
			t.Errorf("1 / sqrt(%g) is %g: %v", v, x.At(0, 0), err)
		}
	}
	for _, v := range []float32{0x1p-149, 1e-30, 7, 3e38} {
		x, _, err := invSqrt(t, s, precision.FP32, dense.FromRows([]float32{v, float32(math.NaN())}, []float32{0, v}))
		if want := 1 / math.Sqrt(float64(v)); err != nil ||
			math.Abs(float64(x.At(1, 1))-want) > 8*dense.Eps[float32]()*want {
			t.Errorf("1 / sqrt(%g) is %g: %v", v, x.At(1, 1), err)
		}
	}
}

// The result may replace the matrix, and blocks of wider matrices are read and written with their strides.
func TestInvSqrtInPlaceOfABlock(t *testing.T) {
	s := programtest.OnInterp(t)
	whole := dense.New[float64](6, 7)
	whole.Fill(-8)
	block := whole.Slice(1, 5, 2, 6)
	block.SetIdentity()
	block.Set(0, 0, 4)
	block.Set(2, 2, 16)
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	err = NewtonSchulz(call, precision.FP64, block, block)
	call.End()
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Rows {
		for j, got := range whole.Row(i) {
			want := -8.0
			if 1 <= i && i < 5 && 2 <= j && j < 6 {
				want = map[bool]float64{true: 1, false: 0}[i-1 == j-2]
				if i == 1 || i == 3 {
					want /= float64(2 * max(1, i-1)) // the roots of 4 and of 16
				}
			}
			if math.Abs(got-want) > 4*dense.Eps[float64]() {
				t.Errorf("element (%d, %d) is %g, not %g", i, j, got, want)
			}
		}
	}
}

func TestInvSqrtGivesUp(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(43, 1))
	with := func(value float64) dense.Matrix[float32] {
		values := slices.Repeat([]float64{1}, 20)
		values[7] = value
		return rounded[float32](numtest.WithSpectrum[float64](rng, values))
	}
	hollow := with(1)
	for i := range hollow.Rows {
		hollow.Set(i, 4, 0)
		hollow.Set(4, i, 0)
	}
	for name, a := range map[string]dense.Matrix[float32]{
		"indefinite": with(-0.5), "slightly indefinite": with(-1e-4), "negative": dense.FromRows([]float32{-3}),
		"zero row": hollow, "zero": dense.New[float32](3, 3),
		"off the diagonal": dense.FromRows([]float32{0, 1}, []float32{1, 0}),
	} {
		x, report, err := invSqrt(t, s, precision.FP32, a)
		var failed *ConvergenceError
		if !errors.As(err, &failed) || failed.Residual < 1 || failed.Precision != precision.FP32 ||
			report.Dispatches == 0 {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
		if x.At(0, 0) == x.At(0, 0) {
			t.Errorf("%s: the result was written", name)
		}
	}
}

func TestInvSqrtRefuses(t *testing.T) {
	s := programtest.OnInterp(t)
	var argument *dense.ArgumentError
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, report, err := invSqrt(t, s, precision.FP64, dense.FromRows([]float64{1, 0}, []float64{bad, 1}))
		if !errors.As(err, &argument) || argument.Arg != "a" || report.Dispatches != 0 {
			t.Errorf("%g: %v, %+v", bad, err, report)
		}
	}
	if _, _, err := invSqrt(t, s, precision.FP64, dense.New[float64](2, 3)); !errors.As(err, &argument) ||
		argument.Arg != "a" {
		t.Errorf("2 x 3: %v", err)
	}
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer call.End()
	if err := NewtonSchulz(call, precision.FP64, dense.New[float64](2, 2), dense.New[float64](2, 1)); !errors.As(err,
		&argument) || argument.Arg != "x" {
		t.Errorf("x of 2 x 1: %v", err)
	}
	if err := NewtonSchulz(call, precision.FP64, dense.Matrix[float64]{}, dense.Matrix[float64]{}); err != nil {
		t.Errorf("an empty matrix: %v", err)
	}
	var unsupported *trnbackend.UnsupportedError
	if _, _, err := invSqrt(t, s, precision.BF16, dense.FromRows([]float64{1})); !errors.As(err, &unsupported) ||
		unsupported.Device != "interp" {
		t.Errorf("plain bf16: %v", err)
	}
}

func TestInvSqrtStopsWhenCanceled(t *testing.T) {
	s := programtest.OnInterp(t)
	ctx, cancel := context.WithCancel(context.Background())
	call, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer call.End()
	cancel()
	if err := NewtonSchulz(call, precision.FP64, dense.FromRows([]float64{1}),
		dense.New[float64](1, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestInvSqrtPlan(t *testing.T) {
	caps := programtest.OnInterp(t).Caps()
	plan, err := NewPlan(caps, precision.FP32, 250)
	if err != nil {
		t.Fatal(err)
	}
	const matrix = 256 * 256 * 4
	text := plan.String()
	if plan.N != 256 || plan.BytesIn != 2*matrix+4 || plan.BytesOut != matrix+int64(plan.MaxRuns*plan.Steps*4) ||
		!strings.Contains(text, "order 256") {
		t.Errorf("%+v, %s", plan, text)
	}
	// Twelve products in four steps, of 2 n^3 operations each, and little else.
	if flops := float64(plan.Graph.Cost().Flops); flops < 12*2*256*256*256 || flops > 1.05*12*2*256*256*256 {
		t.Errorf("%g flops", flops)
	}
	for _, result := range plan.Graph.Donation() {
		if result < 0 {
			t.Errorf("a part of the state is not donated: %v", plan.Graph.Donation())
		}
	}
}

func TestInvSqrtStopsWhileItPacks(t *testing.T) {
	const n = 300
	a := numtest.RandomSPD[float64](rand.New(rand.NewPCG(52, 1)), n)
	x := dense.New[float64](n, n)
	programtest.CancelsAnywhere(t, 6*n*n, func(call *device.Call) error {
		return NewtonSchulz(call, precision.FP64, a, x)
	})
}

func TestGoldenTexts(t *testing.T) {
	graphs := map[string]*graph.Graph{}
	for _, p := range []precision.Precision{precision.FP32, precision.BF16x2} {
		graphs["newton_schulz_"+string(p)] = programtest.Must((&Plan{Precision: p, N: 8, Steps: 1}).build())
	}
	programtest.Golden(t, graphs)
}
