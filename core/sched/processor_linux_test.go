package sched

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLeaveProcessor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	left := 0
	const tries = 100
	for range tries {
		busy := currentProcessor()
		if !before.IsSet(busy) {
			t.Fatalf("runs on processor %d, which is none of its own", busy)
		}
		leaveProcessor(busy)
		if currentProcessor() != busy {
			left++
		}
	}
	// The system may move the thread back at any time, but does so rarely.
	if before.Count() > 1 && left < tries/2 {
		t.Errorf("left the processor %d times of %d", left, tries)
	}
	here := currentProcessor()
	leaveProcessor(-1)
	leaveProcessor(here + 1)
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("the processors that may be used have changed from %v to %v, %v", before, after, err)
	}
}

func TestLeaveTheOnlyProcessor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.SchedSetaffinity(0, &before); err != nil {
			t.Error(err)
		}
	}()
	here := currentProcessor()
	one.Set(here)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	leaveProcessor(here)
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != one {
		t.Errorf("the processors that may be used have changed from %v to %v, %v", one, after, err)
	}
}
