package sched

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestForVisitsEveryItemOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 1000} {
			seen := make([]atomic.Int32, n)
			err := NewTeam(context.Background(), threads, nil).For(n, func(worker, i int) error {
				if worker < 0 || worker >= threads {
					t.Errorf("worker %d of %d", worker, threads)
				}
				seen[i].Add(1)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Fatalf("threads %d: item %d visited %d times", threads, i, seen[i].Load())
				}
			}
		}
	}
}

func TestNilTeamIsSerial(t *testing.T) {
	var team *Team
	order := []int{}
	if err := team.For(4, func(_, i int) error { order = append(order, i); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(order) != 4 || order[0] != 0 || order[3] != 3 || team.Err() != nil || team.Threads() != 1 {
		t.Errorf("order %v", order)
	}
	team.Plan(1)
	team.Step(1)
}

func TestForStopsAtTheFirstError(t *testing.T) {
	boom := errors.New("boom")
	var calls atomic.Int32
	err := NewTeam(context.Background(), 2, nil).For(1_000_000, func(_, i int) error {
		calls.Add(1)
		if i == 10 {
			return boom
		}
		return nil
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	if calls.Load() == 1_000_000 {
		t.Error("the loop went on after the error")
	}
}

func TestForTurnsPanicsIntoErrors(t *testing.T) {
	for _, threads := range []int{1, 3} {
		err := NewTeam(context.Background(), threads, nil).For(50, func(_, i int) error {
			if i == 20 {
				panic("broken invariant")
			}
			return nil
		})
		var p *PanicError
		if !errors.As(err, &p) || p.Value != "broken invariant" || len(p.Stack) == 0 {
			t.Errorf("threads %d: %v", threads, err)
		}
	}
}

func TestForObeysCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int32
	err := NewTeam(ctx, 2, nil).For(1_000_000, func(_, i int) error {
		if i == 5 {
			cancel()
		}
		calls.Add(1)
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if calls.Load() == 1_000_000 {
		t.Error("the loop went on after cancellation")
	}
}

// Parts that are due after the cancellation are counted and not executed; parts that ran before are not counted.
func TestPartsAfterCancel(t *testing.T) {
	for _, threads := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		team := NewTeam(ctx, threads, nil)
		if err := team.For(10, func(_, _ int) error { return nil }); err != nil || team.PartsAfterCancel() != 0 {
			t.Errorf("%d threads: error %v, %d parts before the cancellation", threads, err, team.PartsAfterCancel())
		}
		cancel()
		for range 4 {
			_ = team.Serial().For(5, func(_, _ int) error { t.Error("a part was executed"); return nil })
			_ = team.SerialWithoutProgress().For(5, func(_, _ int) error { t.Error("a part was executed"); return nil })
		}
		if team.PartsAfterCancel() != 8 || team.Err() == nil || team.PartsAfterCancel() != 8 {
			t.Errorf("%d threads: %d parts of 8 loops on one thread", threads, team.PartsAfterCancel())
		}
		_ = team.For(100, func(_, _ int) error { t.Error("a part was executed"); return nil })
		if parts := team.PartsAfterCancel() - 8; parts < 1 || parts > int64(threads) {
			t.Errorf("%d threads: %d parts of one loop", threads, parts)
		}
	}
	if (*Team)(nil).PartsAfterCancel() != 0 {
		t.Error("a nil team has parts")
	}
}
