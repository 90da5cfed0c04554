package staging

import (
	"context"
	"errors"
	"testing"

	"trnsci/trnbackend/graph"
)

func TestBucket(t *testing.T) {
	for n := 1; n < 5000; n++ {
		b := Bucket(n)
		if b < n || b > 8 && float64(b) >= 1.25*float64(n)+1 || Bucket(b) != b {
			t.Fatalf("Bucket(%d) is %d", n, b)
		}
	}
}

func TestPiecesOfEncodings(t *testing.T) {
	const n = 2*PieceElements + 17
	c := &CancelCheck{ctx: context.Background()}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i % 251)
	}
	for _, d := range []graph.DType{graph.F32, graph.F64, graph.BF16} {
		data, err := c.Encode(d, x)
		if err != nil || len(data) != n*d.Bytes() {
			t.Fatalf("%s: %d bytes, %v", d, len(data), err)
		}
		back, err := c.Decode(d, data)
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

// After a cancellation at most PieceElements elements pass before Step returns the cause.
func TestStepReturnsTheCause(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &CancelCheck{ctx: ctx}
	const row = 100
	for range 2 * PieceElements / row {
		if err := c.Step(row); err != nil {
			t.Fatal(err)
		}
	}
	cancel(stopped)
	for n := 0; ; n += row {
		if err := c.Step(row); err != nil {
			if !errors.Is(err, stopped) {
				t.Error(err)
			}
			return
		}
		if n > PieceElements {
			t.Fatalf("%d elements after the cancellation", n)
		}
	}
}
