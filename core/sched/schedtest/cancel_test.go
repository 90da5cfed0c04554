package schedtest

import (
	"context"
	"errors"
	"testing"

	"trnsci/core/sched"
)

const steps = 100

// obedient looks at its context in each part, as For does.
func obedient(team *sched.Team) error {
	team = team.Plan(steps)
	return team.For(steps, func(_, _ int) error { team.Step(1); return nil })
}

func TestAnObedientCallPasses(t *testing.T) {
	Cancel(t, Limits{}, obedient)
	Cancel(t, Limits{}, func(team *sched.Team) error { // one that is serial
		team = team.Plan(steps)
		for range steps {
			if err := team.Err(); err != nil {
				return err
			}
			team.Step(1)
		}
		return nil
	})
}

// Calls that do not obey are found by one of the checks.
func TestWhatACallDoesAfterTheCancellation(t *testing.T) {
	for _, c := range []struct {
		name string
		call func(team *sched.Team) error
		gap  bool
	}{
		{"looks at its end only", func(team *sched.Team) error {
			team = team.Plan(steps)
			for range steps {
				team.Step(1)
			}
			return team.Err()
		}, true},
		{"looks at its beginning only", func(team *sched.Team) error {
			err := team.Err()
			team = team.Plan(steps)
			for range steps {
				team.Step(1)
			}
			return err
		}, true},
		{"goes on to loops that do nothing", func(team *sched.Team) error {
			phases := team.Plan(2 * steps)
			_ = obedient(phases.Phase(steps))
			for range steps {
				_ = phases.For(1, func(_, _ int) error { phases.Step(1); return nil })
			}
			return team.Err()
		}, false},
		{"hides the cancellation", func(team *sched.Team) error { _ = obedient(team); return nil }, false},
		{"reports another error", func(team *sched.Team) error {
			if obedient(team) != nil {
				return errors.New("something else")
			}
			return nil
		}, false},
		{"goes on to report progress", func(team *sched.Team) error {
			team = team.Plan(steps)
			for range steps {
				_ = team.Err()
				team.Step(1)
			}
			return team.Err()
		}, false},
	} {
		limits := Limits{}.orUsual(1)
		never := func(_, _ int64) bool { return false }
		if full := observe(t.Context(), 1, never, c.call); full.err != nil || (full.gap > limits.Gap) != c.gap {
			t.Errorf("a call that %s: error %v, gap %g", c.name, full.err, full.gap)
		}
		first := observe(t.Context(), 1, func(_, _ int64) bool { return true }, c.call)
		if err := first.check(limits); err == nil {
			t.Errorf("a call that %s passes", c.name)
		}
	}
}

func TestObservationsOfThreads(t *testing.T) {
	for _, threads := range []int{1, 2, 3} {
		o := observe(t.Context(), threads, func(done, total int64) bool { return done >= total/2 }, obedient)
		if !errors.Is(o.err, context.Canceled) || o.check(Limits{}.orUsual(threads)) != nil || o.parts == 0 {
			t.Errorf("%d threads: error %v, %d reports and %d parts afterwards", threads, o.err, o.after, o.parts)
		}
	}
}
