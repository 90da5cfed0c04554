// Package schedtest checks in tests how functions use their sched.Team. Only tests import it.
package schedtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"trnsci/core/sched"
)

// Limits bound what a call may still do after its context has been cancelled, and how rarely it may look at the
// context. A zero stands for the usual limit. A test that needs a wider one says why.
type Limits struct {
	// Parts is the number of loop parts that may be due after the cancellation: usually the number of threads + 1.
	Parts int64
	// Reports is the number of progress reports after the cancellation: usually the number of threads + 1, since each
	// thread may complete the part that it is in.
	Reports int64
	// Gap is the largest share of the progress that may pass between two looks at the context: usually 1/4.
	Gap float64
}

func (l Limits) orUsual(threads int) Limits {
	const usualGap = 0.25
	usual := Limits{Parts: int64(threads) + 1, Reports: int64(threads) + 1, Gap: usualGap}
	if l.Parts != 0 {
		usual.Parts = l.Parts
	}
	if l.Reports != 0 {
		usual.Reports = l.Reports
	}
	if l.Gap != 0 {
		usual.Gap = l.Gap
	}
	return usual
}

const (
	mostThreads = 3
	// A call that ignored its context would exceed the usual limits even if it were cancelled half way.
	fewestReports = 2*(mostThreads+1) + 2
)

// Cancel checks that call obeys the cancellation of its team's context. It runs call several times, so call makes its
// input anew each time or leaves it unchanged:
//
//   - on one thread to the end, to find the progress that it makes between two looks at the context. A call that looks
//     only before or after its work has a gap of 1;
//   - on one, two and three threads, cancelled from within its first progress report, and from within the first one at
//     half of its progress. It must return context.Canceled and stay within the limits.
//
// No time is measured, hence the result does not depend on the speed of the machine. A function without an error, such
// as those of package blas, is followed by return team.Err().
func Cancel(t *testing.T, limits Limits, call func(team *sched.Team) error) {
	t.Helper()
	full := observe(t.Context(), 1, func(int64, int64) bool { return false }, call)
	if full.err != nil {
		t.Fatalf("without cancellation: %v", full.err)
	}
	if full.reports < fewestReports {
		t.Fatalf("%d progress reports in all: the call is too short to be cancelled on its way", full.reports)
	}
	if limit := limits.orUsual(1).Gap; full.gap > limit {
		t.Errorf("%.3f of the progress passes between two looks at the context, the limit is %.3f", full.gap, limit)
	}
	for threads := 1; threads <= mostThreads; threads++ {
		for where, at := range map[string]func(done, total int64) bool{
			"first report": func(_, _ int64) bool { return true },
			"half way":     func(done, total int64) bool { return done >= total/2 },
		} {
			if err := observe(t.Context(), threads, at, call).check(limits.orUsual(threads)); err != nil {
				t.Errorf("%d threads, cancelled in the %s: %v", threads, where, err)
			}
		}
	}
}

// check compares a cancelled call with the limits.
func (o *observation) check(limits Limits) error {
	switch {
	case !errors.Is(o.err, context.Canceled):
		return fmt.Errorf("error %v", o.err)
	case o.after > limits.Reports:
		return fmt.Errorf("%d progress reports afterwards, the limit is %d", o.after, limits.Reports)
	case o.parts > limits.Parts:
		return fmt.Errorf("%d loop parts were due afterwards, the limit is %d", o.parts, limits.Parts)
	}
	return nil
}
