package sched

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Helpers get to see every announcement, unless lead ends before.
func TestHelpersSeeAnnouncements(t *testing.T) {
	const rounds = 200
	for _, threads := range []int{2, 3, 5} {
		var laid, seen atomic.Int64
		err := NewTeam(t.Context(), threads, nil).RunWithHelpers(func(announce func()) error {
			for round := range rounds {
				laid.Add(1)
				announce()
				for seen.Load() != laid.Load() {
					if round%10 == 0 {
						time.Sleep(2 * patience) // the others give up spinning
					}
					time.Sleep(time.Microsecond)
				}
			}
			return nil
		}, func(worker int) {
			if worker < 1 || worker >= threads {
				t.Errorf("worker %d of %d threads", worker, threads)
			}
			seen.Store(laid.Load())
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestNoHelpersOfOneThread(t *testing.T) {
	for _, team := range []*Team{nil, NewTeam(t.Context(), 1, nil)} {
		ran := false
		main := func(announce func()) error { announce(); ran = true; return nil }
		err := team.RunWithHelpers(main, func(int) { t.Error("help without a helper") })
		if err != nil || !ran {
			t.Errorf("ran %v, error %v", ran, err)
		}
	}
}

func TestRunWithHelpersReturnsErrors(t *testing.T) {
	failure := errors.New("no more")
	team := NewTeam(t.Context(), 2, nil)
	if err := team.RunWithHelpers(func(func()) error { return failure }, func(int) {}); !errors.Is(err, failure) {
		t.Errorf("error of main: %v", err)
	}
	var called atomic.Bool
	err := team.RunWithHelpers(func(announce func()) error {
		for announce(); !called.Load(); {
			time.Sleep(time.Microsecond)
		}
		return nil
	}, func(int) { called.Store(true); panic("help") })
	var panicked *PanicError
	if !errors.As(err, &panicked) {
		t.Errorf("panic in help: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	err = NewTeam(ctx, 2, nil).RunWithHelpers(func(func()) error { ran = true; return nil }, func(int) {})
	if !errors.Is(err, context.Canceled) || ran {
		t.Errorf("cancelled: error %v, ran %v", err, ran)
	}
}
