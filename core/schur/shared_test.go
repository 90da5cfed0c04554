package schur

import (
	"context"
	"sync/atomic"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
	"trnsci/core/sched"
)

func TestStripsOfASpan(t *testing.T) {
	const width = 8
	for from := range 20 {
		for end := range 40 {
			s, next := span{from, end}, from
			for i := range s.strips(width) {
				part := s.strip(i, width)
				if part.from != next || part.end <= part.from || (part.end-1)/width != part.from/width {
					t.Fatalf("%v: strip %d is %v, expected one within %d from %d on", s, i, part, width, next)
				}
				next = part.end
			}
			if next != max(from, end) {
				t.Fatalf("%v: the strips end with %d", s, next)
			}
		}
	}
}

// Each task is done once, and before join returns, however the workers come.
func TestSharedTasksAreDoneOnce(t *testing.T) {
	const rounds, tasks = 200, 13
	for threads := 1; threads <= 4; threads++ {
		team := sched.NewTeam(context.Background(), threads, nil)
		d := &later[float64, struct{}, struct{}]{team: team}
		err := team.RunWithHelpers(func(announce func()) error {
			d.announce = announce
			for round := range rounds {
				var done [tasks]atomic.Int64
				d.share(tasks, func(i, worker int) {
					if worker < 0 || worker >= threads {
						t.Errorf("worker %d of %d", worker, threads)
					}
					done[i].Add(1)
				})
				d.join()
				for i := range done {
					if n := done[i].Load(); n != 1 {
						t.Fatalf("%d threads, round %d: task %d was done %d times", threads, round, i, n)
					}
				}
			}
			return nil
		}, d.help)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestHelpersOfCancelledCallsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	applied, n := 0, 200
	d := newLater[float64, run[float64], bulge.Householder3[float64]](
		sched.NewTeam(ctx, 2, nil), dense.New[float64](n, n), dense.New[float64](n, n), bulge.StripColumns(kernel.Best()),
		func([]run[float64], dense.Matrix[float64]) { applied++ },
	)
	d.announce = func() {}
	if err := d.add(change[float64, run[float64]]{runs: []run[float64]{}}); err != nil {
		t.Fatal(err)
	}
	cancel()
	d.help(1)
	if applied > 0 {
		t.Errorf("%d changes were applied after the cancellation", applied)
	}
	d.team = nil
	d.help(1)
	if applied == 0 {
		t.Error("no changes were applied without one")
	}
}
