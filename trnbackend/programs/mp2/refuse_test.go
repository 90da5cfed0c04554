package mp2

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/interp"
	"trnsci/trnbackend/programs/programtest"
)

func TestMP2Refuses(t *testing.T) {
	s := programtest.OnInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(48, 1)), "", 2, 3, 4)
	refuse := func(what string, ctx context.Context, spins []mp2.Spin, fits func(error) bool) {
		t.Helper()
		call, err := s.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer call.End()
		if _, err := Energy(call, precision.FP32, spins...); !fits(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	argument := func(arg string) func(error) bool {
		return func(err error) bool {
			var e *dense.ArgumentError
			return errors.As(err, &e) && e.Arg == arg
		}
	}
	refuse("no spin", context.Background(), nil, argument("B"))
	short := spin
	short.Vir = spin.Occ
	refuse("short energies", context.Background(), []mp2.Spin{short}, argument("eps_vir"))
	bad := randomSpin[float64](rand.New(rand.NewPCG(49, 1)), "", 2, 3, 4)
	bad.Source.(mp2.Integrals[float64]).Data[5] = 1e60 // an infinity in single precision
	refuse("integrals beyond f32", context.Background(), []mp2.Spin{bad}, argument("B"))
	// infinite in single precision, and with infinite sums of four
	for _, energy := range []float64{1e39, -1e39, 1e38} {
		high := spin
		high.Vir = []float64{1, energy, 2}
		refuse("virtual energies beyond f32", context.Background(), []mp2.Spin{high}, argument("eps_vir"))
		low := spin
		low.Occ = []float64{energy, -1}
		refuse("occupied energies beyond f32", context.Background(), []mp2.Spin{spin, low}, argument("eps_occ"))
	}
	vanishing := spin
	vanishing.Vir = []float64{spin.Occ[0], 1, 2}
	refuse("vanishing denominator", context.Background(), []mp2.Spin{vanishing}, func(err error) bool {
		var e *mp2.DenominatorError
		return errors.As(err, &e)
	})
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stopped)
	refuse("cancelled", ctx, []mp2.Spin{spin}, func(err error) bool { return errors.Is(err, stopped) })
	refuse("nothing wrong", context.Background(), []mp2.Spin{spin}, func(err error) bool { return err == nil })
}

func TestMP2StopsBetweenRuns(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	const most = 6 // uploads, of more than 20
	executor := &limitedInterp{Executor: interp.New(), memory: 110_000, dispatch: 1000}
	executor.uploaded = func(n int) {
		if n == most {
			cancel(stopped)
		}
	}
	s := device.NewSession(executor, "")
	defer s.Close()
	call, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Energy(call, precision.FP32, randomSpin[float64](rand.New(rand.NewPCG(51, 1)), "", 23, 20, 60))
	report := call.End()
	if m, failed := s.Memory(); !errors.Is(err, stopped) || executor.uploads > most+2 || report.Dispatches == 0 ||
		m.Used != 0 || failed != nil {
		t.Errorf("%v after %d uploads, %d bytes are in use: %+v", err, executor.uploads, m.Used, report)
	}
}

func TestMP2StopsWhileItPacks(t *testing.T) {
	const nocc, nvir, naux = 3, 200, 400
	spin := randomSpin[float32](rand.New(rand.NewPCG(53, 1)), "", nocc, nvir, naux)
	programtest.CancelsAnywhere(t, nocc*nvir*naux, func(call *device.Call) error {
		_, err := Energy(call, precision.FP32, spin)
		return err
	})
}
