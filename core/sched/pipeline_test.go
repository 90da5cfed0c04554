package sched

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

func TestPipelineKeepsTheOrder(t *testing.T) {
	for _, team := range []*Team{nil, NewTeam(t.Context(), 3, nil)} {
		for count := range 5 {
			for _, overlap := range []bool{false, true} {
				var visited []int
				var loaded atomic.Int32
				err := team.Pipeline(count, overlap, func(_ *Team, n int) error {
					if int(loaded.Add(1)) != n+1 {
						return fmt.Errorf("%d is loaded out of turn", n)
					}
					return nil
				}, func(n int) error {
					if have := int(loaded.Load()); have < n+1 || have > n+2 || !overlap && have != n+1 {
						return fmt.Errorf("%d is visited when %d are loaded", n, have)
					}
					visited = append(visited, n)
					return nil
				})
				if err != nil || len(visited) != count || !slices.IsSorted(visited) {
					t.Errorf("%d, overlap %v: %v, %v", count, overlap, visited, err)
				}
			}
		}
	}
}

// What is loaded beside a visit leaves the workers to it.
func TestPipelineLoadsOnOneThread(t *testing.T) {
	team := NewTeam(t.Context(), 3, nil)
	err := team.Pipeline(3, true, func(with *Team, n int) error {
		if want := map[bool]int{true: 3, false: 1}[n == 0]; with.Threads() != want {
			return fmt.Errorf("%d is loaded on %d threads, want %d", n, with.Threads(), want)
		}
		return nil
	}, func(int) error { return nil })
	if err != nil {
		t.Error(err)
	}
}

func TestPipelineEndsWithTheFirstError(t *testing.T) {
	failed := errors.New("on purpose")
	for _, overlap := range []bool{false, true} {
		for bad := range 3 {
			visits := 0
			load := func(_ *Team, n int) error {
				if n == bad {
					return failed
				}
				return nil
			}
			err := NewTeam(t.Context(), 2, nil).Pipeline(4, overlap, load, func(int) error { visits++; return nil })
			if !errors.Is(err, failed) || visits != bad {
				t.Errorf("load %d fails, overlap %v: %v after %d visits", bad, overlap, err, visits)
			}
			fine := func(*Team, int) error { return nil }
			visit := func(n int) error { return load(nil, n) }
			if err := NewTeam(t.Context(), 2, nil).Pipeline(4, overlap, fine, visit); !errors.Is(err, failed) {
				t.Errorf("visit %d fails, overlap %v: %v", bad, overlap, err)
			}
		}
	}
	var panicked *PanicError
	err := NewTeam(t.Context(), 2, nil).Pipeline(2, true, func(_ *Team, n int) error {
		if n == 1 {
			panic("on purpose")
		}
		return nil
	}, func(int) error { return nil })
	if !errors.As(err, &panicked) {
		t.Errorf("panic in load: %v", err)
	}
}
