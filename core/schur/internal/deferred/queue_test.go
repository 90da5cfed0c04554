package deferred

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// affine is the reflector of the tests: it replaces the elements x of its row by scale x + shift. Such maps do not
// commute, so that a wrong order shows, and with small integers they are exact modulo 2^64.
type affine struct{ scale, shift float64 }

const modulus = 1 << 20

// applyAffine applies sequences, whose reflectors act on one row each.
func applyAffine(sequences []Sequence[affine], x dense.Matrix[float64]) {
	for _, s := range sequences {
		for k, a := range s.Reflectors {
			row := x.Row(s.Row + k)
			for j, y := range row {
				row[j] = float64(int64(a.scale*y+a.shift) % modulus)
			}
		}
	}
}

// newTestQueue returns a queue of a random T and Z^H of order n, and copies of both.
func newTestQueue(
	team *sched.Team, n, width int,
) (q *Queue[float64, affine], t, zt, wantT, wantZ dense.Matrix[float64]) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	integers := func() dense.Matrix[float64] {
		m := dense.New[float64](n, n)
		for i := range m.Data {
			m.Data[i] = float64(rng.IntN(modulus))
		}
		return m
	}
	t, zt = integers(), integers()
	return New[float64, affine](team, t, zt, width, applyAffine), t, zt, t.Clone(), zt.Clone()
}

// iterate queues many updates, activating strips on the way, and does the same to wantT, whose strips it updates
// directly until they are active, and wantZ.
func iterate(q *Queue[float64, affine], t, wantT, wantZ dense.Matrix[float64], updates int) error {
	rng := rand.New(rand.NewPCG(2, 3))
	n := t.Rows
	for k := range updates {
		if k%7 == 6 {
			q.Activate(n - 1 - k*n/updates)
		}
		count := 1 + rng.IntN(3)
		sequences := make([]Sequence[affine], count)
		for i := range sequences {
			reflectors, err := q.NewReflectors(1 + rng.IntN(n/2))
			if err != nil {
				return err
			}
			for r := range reflectors {
				reflectors[r] = affine{scale: float64(1 + rng.IntN(9)), shift: float64(rng.IntN(100))}
			}
			sequences[i] = Sequence[affine]{Row: rng.IntN(n/2 + 1), Reflectors: reflectors}
			// NewReflectors may have drained the queue, which reuses the memory: as in a sweep, a sequence is complete before
			// the next.
			if err := q.AddSequences(sequences[i : i+1 : i+1]); err != nil {
				return err
			}
			edge := min(q.ActiveFrom(), n)
			applyAffine(sequences[i:i+1], t.Slice(0, n, 0, edge)) // what the iteration does at once
			applyAffine(sequences[i:i+1], wantT)
			applyAffine(sequences[i:i+1], wantZ)
		}
	}
	return nil
}

// All strips get all updates once and in order, for any number of threads, with arenas and counters reused many times.
func TestUpdatesReachAllStripsInOrderForAnyThreads(t *testing.T) {
	const updates = 400 // far more than maxQueued
	for _, n := range []int{20, 67} {
		for threads := 1; threads <= 4; threads++ {
			team := sched.NewTeam(context.Background(), threads, nil)
			q, form, zt, wantT, wantZ := newTestQueue(team, n, 8)
			if err := q.Run(func() error { return iterate(q, form, wantT, wantZ, updates) }); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(form.Data, wantT.Data) || !slices.Equal(zt.Data, wantZ.Data) {
				t.Errorf("n = %d, %d threads: other results than direct updates", n, threads)
			}
			if q.queued.Load() != 0 || len(q.reflectors) != 0 || len(q.factors) != 0 {
				t.Errorf("n = %d, %d threads: the drained queue is not empty", n, threads)
			}
		}
	}
}

// Helpers that apply updates while the queue is drained and filled again, over and over, see each update once. The
// updates are counted in the matrix.
func TestDrainingDoesNotRepeatUpdatesForAnyThreads(t *testing.T) {
	const n, rounds = 24, 2000
	for threads := 2; threads <= 4; threads++ {
		team := sched.NewTeam(context.Background(), threads, nil)
		count := func(_ []Sequence[affine], x dense.Matrix[float64]) {
			for i := range x.Rows {
				for j := range x.Row(i) {
					x.Row(i)[j]++
				}
			}
		}
		zt := dense.New[float64](n, n)
		q := New[float64, affine](team, dense.New[float64](n, n), zt, 4, count)
		added := 0
		err := q.Run(func() error {
			for round := range rounds {
				for range 1 + round%5 {
					added++
					if err := q.AddSequences([]Sequence[affine]{}); err != nil {
						return err
					}
				}
				if err := q.Drain(); err != nil {
					return err
				}
				for _, x := range zt.Data {
					if x != float64(added) {
						return fmt.Errorf("round %d: a strip got %v of %d updates", round, x, added)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

// A worker that comes to a strip whose counter has been reset, while that of another strip has not, does nothing. The
// test holds the last strip, so that the reset waits there.
func TestWorkersDuringAReset(t *testing.T) {
	const n, width = 24, 4
	applied := 0
	zt := dense.New[float64](n, n)
	count := func([]Sequence[affine], dense.Matrix[float64]) { applied++ }
	q := New[float64, affine](nil, dense.New[float64](n, n), zt, width, count)
	if err := q.AddSequences([]Sequence[affine]{}); err != nil {
		t.Fatal(err)
	}
	for i := range q.strips {
		q.applyPending(i, mainWorker)
	}
	ofZ := n / width
	if applied != ofZ {
		t.Fatalf("%d strips got the update, want %d", applied, ofZ)
	}
	last := &q.strips[len(q.strips)-1]
	last.acquire()
	done := make(chan struct{})
	go func() {
		q.reset()
		close(done)
	}()
	first := &q.strips[q.columns]
	sched.Await(func() bool {
		first.acquire()
		defer first.busy.Store(false)
		return first.applied == 0
	})
	q.applyPending(q.columns, 1)
	if applied != ofZ {
		t.Error("a strip got an update twice")
	}
	last.busy.Store(false)
	<-done
	if last.applied != 0 || q.queued.Load() != 0 {
		t.Errorf("after the reset: %d updates applied, %d queued", last.applied, q.queued.Load())
	}
}

// Factors are copied, in the order of the other updates, and their memory is reused.
func TestFactorsForAnyThreads(t *testing.T) {
	const n, size, updates = 30, 11, 60
	for threads := 1; threads <= 3; threads++ {
		team := sched.NewTeam(context.Background(), threads, nil)
		rng := rand.New(rand.NewPCG(4, 5))
		zt := numtest.Random[float64](rng, n, n)
		want := zt.Clone()
		q := New[float64, affine](team, dense.New[float64](n, n), zt, 8, applyAffine)
		err := q.Run(func() error {
			for range updates {
				factor, row := numtest.Orthogonal(rng, size), rng.IntN(n-size)
				if err := q.AddFactor(row, factor); err != nil {
					return err
				}
				rows, product := want.Slice(row, row+size, 0, n), dense.New[float64](size, n)
				blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, factor, rows, 0, product)
				rows.CopyFrom(product)
				factor.Fill(1e300) // it was copied
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range zt.Data {
			if d := x - want.Data[i]; !(d*d < 1e-20) {
				t.Fatalf("%d threads: element %d is off by %v", threads, i, d)
			}
		}
	}
}

// Memory that NewReflectors and AddFactor return is that of earlier updates again, and not allocated anew, once these
// are drained.
func TestMemoryIsReused(t *testing.T) {
	const n = 16
	q := New[float64, affine](nil, dense.New[float64](n, n), dense.New[float64](n, n), 8, applyAffine)
	first, err := q.NewReflectors(10)
	if err != nil {
		t.Fatal(err)
	}
	size := cap(q.reflectors)
	if size < 10 || size < n*n/5 {
		t.Errorf("an arena of %d reflectors", size)
	}
	for range 100 {
		next, err := q.NewReflectors(10)
		if err != nil {
			t.Fatal(err)
		}
		if cap(q.reflectors) != size {
			t.Fatal("the arena was replaced")
		}
		if len(q.reflectors) == len(next) && &next[0] != &first[0] {
			t.Error("a drained arena does not begin at its beginning")
		}
	}
	large, err := q.NewReflectors(size + 1)
	if err != nil || len(large) != size+1 {
		t.Errorf("%d reflectors, %v", len(large), err)
	}
}

// Strips become active from the right, and get only the updates that are added afterwards.
func TestActivation(t *testing.T) {
	const n, width = 32, 8
	form := dense.New[float64](n, n)
	q := New[float64, affine](nil, form, dense.Matrix[float64]{}, width, applyAffine)
	add := func(shift float64) {
		if err := q.AddSequences([]Sequence[affine]{{Row: 0, Reflectors: []affine{{1, shift}}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ hi, from int }{{31, 32}, {24, 32}, {23, 24}, {16, 24}, {15, 16}, {0, 8}, {-1, 0}} {
		q.Activate(c.hi)
		if got := q.ActiveFrom(); got != c.from {
			t.Errorf("right of column %d: active from %d on, want %d", c.hi, got, c.from)
		}
		add(1)
	}
	if err := q.Drain(); err != nil {
		t.Fatal(err)
	}
	for j, want := range map[int]float64{0: 1, 7: 1, 8: 2, 15: 2, 16: 3, 23: 3, 24: 5, 31: 5} {
		if got := form.At(0, j); got != want {
			t.Errorf("column %d has received %v updates, want %v", j, got, want)
		}
	}
}

// Helpers of a cancelled call leave the queued updates, and Drain returns the team's error.
func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	applied, n := 0, 200
	team := sched.NewTeam(ctx, 2, nil)
	q := New[float64, affine](team, dense.New[float64](n, n), dense.New[float64](n, n), 32,
		func([]Sequence[affine], dense.Matrix[float64]) { applied++ })
	if err := q.AddSequences([]Sequence[affine]{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	q.help(1)
	if applied > 0 {
		t.Errorf("%d updates were applied by a helper after the cancellation", applied)
	}
	if err := q.Drain(); !errors.Is(err, context.Canceled) {
		t.Errorf("drain: got %v", err)
	}
	if applied > 0 {
		t.Errorf("%d updates were applied by drain after the cancellation", applied)
	}
	q.team = nil
	q.help(1)
	if applied == 0 {
		t.Error("no updates were applied without a cancellation")
	}
}

// A cancellation while helpers apply updates stops them after the strip they are at: one call of apply for each worker.
func TestCancellationStopsWorkersAtTheNextStrip(t *testing.T) {
	const threads, n, width = 3, 640, 8
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	team := sched.NewTeam(ctx, threads, nil)
	var cancelled atomic.Bool
	var after atomic.Int64
	q := New[float64, affine](team, dense.New[float64](n, n), dense.New[float64](n, n), width,
		func([]Sequence[affine], dense.Matrix[float64]) {
			if cancelled.Load() {
				after.Add(1)
				return
			}
			cancel()
			cancelled.Store(true)
		})
	err := q.Run(func() error {
		if err := q.AddSequences([]Sequence[affine]{}); err != nil {
			return err
		}
		return q.Drain()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := after.Load(); n > threads {
		t.Errorf("%d updates were begun after the cancellation", n)
	}
}
