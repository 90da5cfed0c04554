package sched

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
)

// watched returns a team of some threads and its progress.
func watched(threads int) (*Team, *Progress) {
	p := &Progress{}
	return NewTeam(context.Background(), threads, p), p
}

func expect(t *testing.T, p *Progress, done, total int64) {
	t.Helper()
	if d, all := p.Read(); d != done || all != total {
		t.Errorf("%d of %d, want %d of %d", d, all, done, total)
	}
}

func TestProgressCounts(t *testing.T) {
	team, p := watched(2)
	expect(t, p, 0, 0)
	team = team.Plan(10)
	if err := team.For(10, func(_, _ int) error { team.Step(1); return nil }); err != nil {
		t.Fatal(err)
	}
	expect(t, p, 10, 10)
}

func TestStepsBeforeAPlanCountForNothing(t *testing.T) {
	team, p := watched(1)
	team.Step(3)
	expect(t, p, 0, 0)
}

func TestProgressStopsAtItsTotal(t *testing.T) {
	team, p := watched(1)
	team = team.Plan(10)
	team.Step(7)
	team.Step(7)
	expect(t, p, 10, 10)
	team.Reach(3)
	expect(t, p, 10, 10)
}

func TestReachNeverFalls(t *testing.T) {
	team, p := watched(1)
	team = team.Plan(10)
	for _, c := range []struct{ reach, done int64 }{{4, 4}, {2, 4}, {9, 9}, {30, 10}} {
		team.Reach(int(c.reach))
		expect(t, p, c.done, 10)
	}
}

// A called routine plans no steps of its own unless it gets a phase.
func TestASecondPlanIsSilent(t *testing.T) {
	for _, threads := range []int{1, 3} {
		team, p := watched(threads)
		team = team.Plan(10)
		inner := team.Plan(1000)
		inner.Step(500)
		inner.Phase(300).End()
		expect(t, p, 0, 10)
		if inner.Threads() != threads || inner.Serial().Plan(5) == nil {
			t.Errorf("%d threads, want %d", inner.Threads(), threads)
		}
		serial := team.Serial()
		serial.Step(4)
		expect(t, p, 4, 10)
	}
}

func TestPhasesMapTheirSteps(t *testing.T) {
	team, p := watched(1)
	team = team.Plan(100)
	first := team.Phase(40)
	routine := first.Plan(8)
	routine.Step(2)
	expect(t, p, 10, 100)
	inner := routine.Phase(4).Plan(1 << 60)
	inner.Step(1 << 59)
	expect(t, p, 20, 100)
	inner.End()
	expect(t, p, 30, 100)
	first.End()
	expect(t, p, 40, 100)
	routine.Step(8) // too late
	expect(t, p, 40, 100)
	team.Phase(50).End() // of a routine that reports nothing
	expect(t, p, 90, 100)
	team.Step(10)
	expect(t, p, 100, 100)
}

func TestTheRemainderIsAllThatIsLeft(t *testing.T) {
	team, p := watched(1)
	team = team.Plan(100)
	team.Phase(100).Plan(4).Step(1) // an attempt that is given up
	rest := team.Remainder().Plan(3)
	rest.Step(1)
	expect(t, p, 50, 100)
	rest.Step(2)
	expect(t, p, 100, 100)
}

func TestPhasesThatRunTogether(t *testing.T) {
	const phases, steps = 50, 97
	team, p := watched(4)
	team = team.Plan(phases * 10)
	var last atomic.Int64
	err := team.For(phases, func(_, _ int) error {
		phase := team.Serial().Phase(10)
		member := phase.Plan(steps)
		for range steps {
			member.Step(1)
			done, total := p.Read()
			last.Store(max(last.Load(), done))
			if done > total || total != phases*10 {
				t.Errorf("%d of %d", done, total)
			}
		}
		phase.End()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, p, phases*10, phases*10)
}

func TestProgressOfLargeNumbers(t *testing.T) {
	team, p := watched(1)
	team = team.Plan(math.MaxInt64)
	phase := team.Phase(math.MaxInt64).Plan(math.MaxInt64)
	phase.Step(math.MaxInt64 / 2)
	expect(t, p, math.MaxInt64/2, math.MaxInt64)
}

func TestFinish(t *testing.T) {
	_, p := watched(1)
	p.Finish()
	expect(t, p, 1, 1)
	team, p := watched(1)
	team.Plan(7).Step(3)
	p.Finish()
	expect(t, p, 7, 7)
}

func TestNoProgressOfNoTeam(t *testing.T) {
	for _, team := range []*Team{nil, NewTeam(context.Background(), 1, nil)} {
		team := team.Plan(3)
		team.Step(1)
		team.Reach(2)
		phase := team.Phase(2).Plan(1)
		phase.Step(1)
		phase.End()
		team.Remainder().End()
	}
}

func TestStepsTakeNoMemory(t *testing.T) {
	team, _ := watched(1)
	phase := team.Plan(1 << 40).Phase(1 << 30).Plan(1 << 40)
	if got := testing.AllocsPerRun(100, func() { phase.Step(1); phase.Reach(5); phase.Plan(3) }); got != 0 {
		t.Errorf("%g allocations", got)
	}
}

// OnReport sees every number of steps done once, in phases and in Finish, too.
func TestOnReport(t *testing.T) {
	var seen []int64
	p := &Progress{}
	p.OnReport = func(done, total int64) {
		if d, all := p.Read(); d != done || all != total || total != 20 {
			t.Errorf("reported %d of %d, read %d of %d", done, total, d, all)
		}
		seen = append(seen, done)
	}
	team := NewTeam(context.Background(), 1, p).Plan(20)
	team.Step(3)
	phase := team.Phase(6).Plan(2)
	phase.Step(1)
	phase.End()
	team.Reach(9) // nothing new
	p.Finish()
	if want := []int64{3, 6, 9, 20}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
}
