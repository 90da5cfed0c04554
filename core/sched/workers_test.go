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
			team.StopWorkers() // the next loop starts a worker again
			time.Sleep(2 * warmTime)
		}
	}
}

func TestNoWorkerOutlivesTheTeam(t *testing.T) {
	before := runtime.NumGoroutine()
	rested, idle := NewTeam(context.Background(), 4, nil), NewTeam(context.Background(), 4, nil)
	for range 20 {
		for _, team := range []*Team{rested, idle} {
			if err := team.For(4, func(_, _ int) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	rested.StopWorkers()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
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
		team := NewTeam(context.Background(), 2, nil)
		_ = team.For(2, both())
		team.StopWorkers()
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

// allAlive reports whether every worker of a team has a goroutine.
func allAlive(team *Team) bool {
	for w := range team.workers.workers {
		if !team.workers.workers[w].alive.Load() {
			return false
		}
	}
	return true
}

// Started workers take the first loop without a goroutine being started, and end if none arrives.
func TestStartWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
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
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
	(*Team)(nil).StartWorkers()
	NewTeam(context.Background(), 1, nil).StartWorkers()
}
