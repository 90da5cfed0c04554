package sched

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// All writes before a round are visible to each part, and each part is called once in each round.
func TestRoundsDoEveryPart(t *testing.T) {
	const rounds = 300
	ctx := t.Context()
	for _, team := range []*Team{nil, NewTeam(ctx, 1, nil), NewTeam(ctx, 2, nil), NewTeam(ctx, 7, nil)} {
		for _, parts := range []int{1, 2, 5} {
			value, counts := 0, make([]int, parts)
			err := team.Rounds(parts, func(p int) { counts[p] += value }, func(r *Rounds) error {
				for round := range rounds {
					value = round
					if err := r.Do(); err != nil {
						return err
					}
				}
				return nil
			})
			for p, count := range counts {
				if count != rounds*(rounds-1)/2 {
					t.Errorf("%d threads, part %d of %d: %d", team.Threads(), p, parts, count)
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// Two parts that wait for each other end only on two goroutines.
func TestRoundsUseBothThreads(t *testing.T) {
	var here atomic.Int64
	round := int64(0)
	err := NewTeam(t.Context(), 2, nil).Rounds(2, func(int) {
		here.Add(1)
		for here.Load() < 2*round {
			time.Sleep(time.Microsecond)
		}
	}, func(r *Rounds) error {
		for round = 1; round < 50; round++ {
			if round%10 == 0 {
				time.Sleep(2 * patience) // the other one gives up spinning
			}
			if err := r.Do(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Inside of another loop there is one goroutine, and it does all.
func TestRoundsInsideOfALoop(t *testing.T) {
	team, sum := NewTeam(t.Context(), 3, nil), 0
	err := team.For(2, func(_, i int) error {
		if i > 0 {
			return nil
		}
		return team.Rounds(4, func(p int) { sum += p }, func(r *Rounds) error { return r.Do() })
	})
	if err != nil || sum != 6 {
		t.Errorf("sum %d, error %v", sum, err)
	}
}

func TestRoundsEndWithAnError(t *testing.T) {
	failed := errors.New("on purpose")
	for _, threads := range []int{1, 2, 4} {
		team := NewTeam(t.Context(), threads, nil)
		err := team.Rounds(4, func(int) {}, func(r *Rounds) error { return errors.Join(r.Do(), failed) })
		if !errors.Is(err, failed) {
			t.Errorf("%d threads: error of lead: %v", threads, err)
		}
		for bad := range 4 {
			var panicked *PanicError
			err := team.Rounds(4, func(p int) {
				if p == bad {
					panic(fmt.Sprint("on purpose in ", p))
				}
			}, func(r *Rounds) error { return r.Do() })
			if !errors.As(err, &panicked) || panicked.Value != fmt.Sprint("on purpose in ", bad) {
				t.Errorf("%d threads: panic in part %d: %v", threads, bad, err)
			}
		}
		if !errors.As(team.Rounds(2, func(int) {}, func(*Rounds) error { panic("in lead") }), new(*PanicError)) {
			t.Errorf("%d threads: panic in lead is lost", threads)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := NewTeam(ctx, 2, nil).Rounds(2, func(int) {}, func(r *Rounds) error { return r.Do() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// BenchmarkRounds times a round of two parts without work.
func BenchmarkRounds(b *testing.B) {
	err := NewTeam(b.Context(), 2, nil).Rounds(2, func(int) {}, func(r *Rounds) error {
		for b.Loop() {
			if err := r.Do(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// A condition that does something when it comes to hold is not looked at again, after however long a wait.
func TestAwaitEndsWithTheFirstSuccess(t *testing.T) {
	for _, wait := range []time.Duration{0, spinTime / 2, 2 * spinTime, 2 * meetTime, 2 * patience} {
		begin, successes := time.Now(), 0
		Await(func() bool {
			if time.Since(begin) < wait {
				return false
			}
			successes++
			return true
		})
		if successes != 1 {
			t.Errorf("after %v the condition was looked at %d times when it held", wait, successes)
		}
	}
}

func TestRoundsAfterCancelAreCounted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	team := NewTeam(ctx, 1, nil)
	err := team.Rounds(1, func(int) {}, func(r *Rounds) error {
		for round := range 5 {
			if round == 2 {
				cancel()
			}
			if err := r.Do(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || team.PartsAfterCancel() != 3 {
		t.Errorf("error %v, %d of 3 rounds after the cancellation", err, team.PartsAfterCancel())
	}
}
