package programs

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// countdown is a context that is cancelled when it has been looked at so many times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// after runs op in a call whose context is looked at looks times before it is cancelled, and returns how many looks there were, and op's error.
func after(t *testing.T, s *device.Session, looks int64, op func(call *device.Call) error) (looked int64, err error) {
	t.Helper()
	ctx := &countdown{Context: context.Background()}
	ctx.left.Store(looks)
	call, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = op(call)
	call.End()
	return looks - ctx.left.Load(), err
}

// cancelsAnywhere runs op with a context that is cancelled at one of its looks after the other, or at some of many, and requires that the first one to say so is the last
// one but for a few, that nothing is left on the device, and that there are at least so many looks for the elements that the host works on.
func cancelsAnywhere(t *testing.T, s *device.Session, elements int64, op func(call *device.Call) error) {
	t.Helper()
	const forever = 1 << 40
	var looks int64
	for range 2 { // the first one compiles, which looks too
		var err error
		if looks, err = after(t, s, forever, op); err != nil {
			t.Fatal(err)
		}
	}
	if looks < elements/pieceElements {
		t.Errorf("%d looks at the context for %d elements", looks, elements)
	}
	t.Logf("%d looks", looks)
	const tries = 32
	for k := int64(0); k < looks; k += 1 + looks/tries {
		const more = 5 // looks that find the same again on the way out
		n, err := after(t, s, k, op)
		if !errors.Is(err, context.Canceled) || n > k+more {
			t.Errorf("cancelled at look %d of %d: %v, %d looks", k, looks, err, n)
		}
		if m, err := s.Memory(); err != nil || m.Used != 0 {
			t.Fatalf("cancelled at look %d: %d bytes are left: %v", k, m.Used, err)
		}
	}
}

func TestGemmStopsWhileItPacks(t *testing.T) {
	const m, n, k = 700, 250, 600
	rng := rand.New(rand.NewPCG(51, 1))
	a, b, c := stack[float32](rng, 1, m, k), stack[float32](rng, 1, k, n), stack[float32](rng, 1, m, n)
	cancelsAnywhere(t, onInterp(t), 2*(m*k+k*n+m*n), func(call *device.Call) error { // packed and measured, read and written
		return Gemm(call, FP32, false, false, 1, a, b, 1, c)
	})
}

func TestInvSqrtStopsWhileItPacks(t *testing.T) {
	const n = 300
	a := numtest.RandomSPD[float64](rand.New(rand.NewPCG(52, 1)), n)
	x := dense.New[float64](n, n)
	cancelsAnywhere(t, onInterp(t), 6*n*n, func(call *device.Call) error { return InvSqrtSPD(call, FP64, a, x) })
}

func TestMP2StopsWhileItPacks(t *testing.T) {
	const nocc, nvir, naux = 3, 200, 400
	spin := randomSpin[float32](rand.New(rand.NewPCG(53, 1)), "", nocc, nvir, naux)
	cancelsAnywhere(t, onInterp(t), nocc*nvir*naux, func(call *device.Call) error {
		_, err := MP2(call, FP32, spin)
		return err
	})
}

func TestPiecesOfEncodings(t *testing.T) {
	const n = 2*pieceElements + 17
	p := &pace{ctx: context.Background()}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i % 251)
	}
	for _, d := range []graph.DType{graph.F32, graph.F64, graph.BF16} {
		data, err := p.encode(d, x)
		if err != nil || len(data) != n*d.Bytes() {
			t.Fatalf("%s: %d bytes, %v", d, len(data), err)
		}
		back, err := p.decode(d, data)
		if err != nil || len(back) != n {
			t.Fatalf("%s: %d elements, %v", d, len(back), err)
		}
		for i := range x {
			if back[i] != x[i] {
				t.Fatalf("%s: element %d is %g, not %g", d, i, back[i], x[i])
			}
		}
	}
}
