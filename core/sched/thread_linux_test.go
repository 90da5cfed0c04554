package sched

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// affinities returns the processors on which each thread of the process may run.
func affinities(t *testing.T) map[int]unix.CPUSet {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	of := map[int]unix.CPUSet{}
	for _, entry := range entries {
		thread, err := strconv.Atoi(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		var set unix.CPUSet
		if unix.SchedGetaffinity(thread, &set) == nil { // it has not ended
			of[thread] = set
		}
	}
	return of
}

// wakeWorkers runs loops whose workers have been asleep.
func wakeWorkers(t *testing.T, team *Team) {
	t.Helper()
	for range 20 {
		time.Sleep(2 * warmTime)
		if err := team.For(2, both()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestThreadsThatAreWokenUpMayRunWhereTheCallerMay(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	team := NewTeam(context.Background(), 2, nil)
	defer team.ReleaseWorkers()
	wakeWorkers(t, team)
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		t.Fatal(err)
	}
	for thread, set := range affinities(t) {
		if set != mine {
			t.Errorf("thread %d may run on %d processors, the caller on %d", thread, set.Count(), mine.Count())
		}
	}
	if mine.Count() < 2 {
		t.Skip("there is one processor only")
	}
	// Only the threads that it wakes up are bound by a caller that may use a part of the processors.
	part, last := mine, 0
	for processor := range len(mine) * strconv.IntSize {
		if mine.IsSet(processor) {
			last = processor
		}
	}
	part.Clear(last)
	if err := unix.SchedSetaffinity(0, &part); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = unix.SchedSetaffinity(0, &mine)
		wakeWorkers(t, team)
	}()
	if part.Count() > 1 {
		wakeWorkers(t, team)
	}
	for thread, set := range affinities(t) {
		if set != mine && set != part {
			t.Errorf("thread %d may run on %d processors, the caller on %d", thread, set.Count(), part.Count())
		}
	}
}
