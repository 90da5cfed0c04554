package sched

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// both returns a body of two items that each wait for the other: it ends only on two goroutines.
func both() func(worker, i int) error {
	var here atomic.Int32
	return func(_, _ int) error {
		here.Add(1)
		for here.Load() < 2 {
			runtime.Gosched()
		}
		return nil
	}
}

func TestWorkersServeManyLoops(t *testing.T) {
	team := NewTeam(context.Background(), 2, nil)
	for round := range 50 {
		if err := team.For(2, both()); err != nil {
			t.Fatal(err)
		}
		if round%10 == 0 {
			team.ReleaseWorkers() // the next loop starts a worker again
			time.Sleep(2 * warmTime)
		}
	}
}

// sleepers returns the number of sleeping threads.
func sleepers() int {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	return len(idle.list)
}

// awake returns the number of goroutines but for those of sleeping threads.
func awake() int { return runtime.NumGoroutine() - sleepers() }

// asleep waits until no more goroutines are awake than before, and reports whether that happens soon.
func asleep(before int) bool {
	for range 1000 {
		if awake() <= before {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func TestNoMoreWorkersThanProcessorsOutliveTheTeam(t *testing.T) {
	before := awake()
	rested, idle := NewTeam(context.Background(), 4, nil), NewTeam(context.Background(), 4, nil)
	for range 20 {
		for _, team := range []*Team{rested, idle} {
			if err := team.For(4, func(_, _ int) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	rested.ReleaseWorkers()
	if !asleep(before) {
		t.Errorf("%d goroutines are awake, %d before", awake(), before)
	}
	if n := sleepers(); n > runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads sleep for %d processors", n, runtime.GOMAXPROCS(0))
	}
}

func TestALoopInsideOfABodyRunsOnItsWorkerAlone(t *testing.T) {
	team := NewTeam(context.Background(), 3, nil)
	err := team.For(6, func(_, _ int) error {
		seen := 0 // without a lock: the race detector sees a second goroutine
		return team.For(10, func(worker, i int) error {
			if worker != 0 || i != seen {
				t.Errorf("worker %d, item %d", worker, i)
			}
			seen++
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneTeamInManyGoroutines(t *testing.T) {
	team := NewTeam(context.Background(), 3, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 300 {
				var sum atomic.Int64
				if err := team.For(n, func(_, i int) error { sum.Add(int64(i)); return nil }); err != nil {
					t.Error(err)
				}
				if want := int64(n) * int64(n-1) / 2; sum.Load() != want {
					t.Errorf("%d items: sum %d, want %d", n, sum.Load(), want)
				}
			}
		}()
	}
	wg.Wait()
}

// BenchmarkHandOff times a loop of two items without work: the cost of a parallel region.
func BenchmarkHandOff(b *testing.B) {
	team := NewTeam(context.Background(), 2, nil)
	b.ReportAllocs()
	for b.Loop() {
		_ = team.For(2, func(_, _ int) error { return nil })
	}
}

// BenchmarkMeeting times a loop whose two items wait for each other: to hand work over and to be told of its end.
func BenchmarkMeeting(b *testing.B) {
	team := NewTeam(context.Background(), 2, nil)
	for b.Loop() {
		_ = team.For(2, both())
	}
}

// BenchmarkColdMeeting is BenchmarkMeeting of a team whose worker has to be started.
func BenchmarkColdMeeting(b *testing.B) {
	for b.Loop() {
		team := coldTeam(2)
		_ = team.For(2, both())
		team.ReleaseWorkers()
	}
}

// BenchmarkSerial times a loop of one thread.
func BenchmarkSerial(b *testing.B) {
	var team *Team
	b.ReportAllocs()
	for b.Loop() {
		_ = team.For(2, func(_, _ int) error { return nil })
	}
}

// allAlive reports whether every worker of a team has a thread.
func allAlive(team *Team) bool {
	for w := range team.workers.workers {
		if !team.workers.workers[w].alive.Load() {
			return false
		}
	}
	return true
}

// Started workers take the first loop without another thread being started, and sleep if none arrives.
func TestStartWorkers(t *testing.T) {
	before := awake()
	team := NewTeam(context.Background(), 3, nil)
	team.StartWorkers()
	for tries := 1; !allAlive(team); tries++ { // they have ended if the system kept this thread waiting
		if tries == 100 {
			t.Fatal("started workers are not alive")
		}
		team.StartWorkers()
	}
	if err := team.For(2, both()); err != nil {
		t.Fatal(err)
	}
	team.StartWorkers()
	if !asleep(before) {
		t.Fatalf("%d goroutines are awake, %d before", awake(), before)
	}
	(*Team)(nil).StartWorkers()
	NewTeam(context.Background(), 1, nil).StartWorkers()
}

// coldTeam returns a team whose workers have to be started.
func coldTeam(threads int) *Team {
	resting.Store(nil)
	return NewTeam(context.Background(), threads, nil)
}

func TestTheNextTeamTakesReleasedWorkers(t *testing.T) {
	first := coldTeam(3)
	if err := first.For(2, both()); err != nil {
		t.Fatal(err)
	}
	first.ReleaseWorkers()
	first.ReleaseWorkers()
	second, third := NewTeam(context.Background(), 2, nil), NewTeam(context.Background(), 2, nil)
	if second.workers != first.workers || third.workers == first.workers {
		t.Error("not just the next team has taken the workers")
	}
	second.ReleaseWorkers()
	larger := NewTeam(context.Background(), 5, nil)
	if len(larger.helpers(5)) != 4 || len(second.helpers(5)) != 1 {
		t.Errorf("teams of 5 and 2 threads have %d and %d helpers", len(larger.helpers(5)), len(second.helpers(5)))
	}
	for _, team := range []*Team{first, second, third, larger} { // all can still be used
		if err := team.For(2, both()); err != nil {
			t.Fatal(err)
		}
	}
}

// Threads that have slept serve the next teams, and take loops of other sizes.
func TestSleepingThreadsAreWokenUp(t *testing.T) {
	for range 3 {
		for _, threads := range []int{2, 3, 2} {
			team := coldTeam(threads)
			if err := team.For(2, both()); err != nil {
				t.Fatal(err)
			}
			team.ReleaseWorkers()
			time.Sleep(3 * warmTime)
		}
	}
}

func TestTeamsInTurnsInManyGoroutines(t *testing.T) {
	before := awake()
	var wg sync.WaitGroup
	for threads := 2; threads <= 5; threads++ {
		wg.Go(func() {
			for n := range 300 {
				team := NewTeam(context.Background(), threads, nil)
				var sum atomic.Int64
				if err := team.For(n, func(_, i int) error { sum.Add(int64(i)); return nil }); err != nil {
					t.Error(err)
				}
				team.ReleaseWorkers()
				if want := int64(n) * int64(n-1) / 2; sum.Load() != want {
					t.Errorf("%d items: sum %d, want %d", n, sum.Load(), want)
				}
			}
		})
	}
	wg.Wait()
	if !asleep(before) {
		t.Fatalf("%d goroutines are awake, %d before", awake(), before)
	}
}

func TestWorkThatIsWorthSharing(t *testing.T) {
	const least = 100
	for _, alone := range []*Team{nil, NewTeam(context.Background(), 1, nil)} {
		if alone.WorthSharing(least*coldFactor, least) {
			t.Error("one thread has nobody to share with")
		}
	}
	team := coldTeam(2)
	for _, c := range []struct {
		work int
		want bool
	}{{least - 1, false}, {least, false}, {coldFactor*least - 1, false}, {coldFactor * least, true}} {
		if got := team.WorthSharing(c.work, least); got != c.want {
			t.Errorf("work of %d, workers have to be started: %v", c.work, got)
		}
	}
	worth := func(work int) bool { // the workers may have ended if the system kept this thread waiting
		for range 100 {
			team.StartWorkers()
			if team.WorthSharing(work, least) {
				return true
			}
		}
		return false
	}
	if !worth(least) || worth(least-1) {
		t.Error("waiting workers share work from the least one on")
	}
}

// The last of a row of short calls is shared, so that it starts workers for the ones that follow.
func TestManyCallsInARowAreShared(t *testing.T) {
	for range 100 { // the row is broken where the system keeps this thread waiting
		team := coldTeam(2)
		burst.loops.Store(0)
		for call := 1; call < burstLoops; call++ {
			if team.WorthSharing(1, 1) {
				t.Fatalf("call %d is shared", call)
			}
		}
		if team.WorthSharing(1, 1) {
			return
		}
	}
	t.Error("no call is shared")
}
