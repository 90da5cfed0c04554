package schur

import (
	"context"
	"sync/atomic"
	"testing"

	"trnsci/core/sched"
)

func TestStripsOfASpan(t *testing.T) {
	const width = 8
	for from := range 20 {
		for end := range 40 {
			s, next := span{from, end}, from
			for i := range s.strips(width) {
				part := s.strip(i, width)
				if part.from != next || part.end <= part.from || (part.end-1)/width != part.from/width {
					t.Fatalf("%v: strip %d is %v, expected one within %d from %d on", s, i, part, width, next)
				}
				next = part.end
			}
			if next != max(from, end) {
				t.Fatalf("%v: the strips end with %d", s, next)
			}
		}
	}
}

// Each task is done once, and before join returns, however the workers come.
func TestSharedTasksAreDoneOnce(t *testing.T) {
	const rounds, tasks = 200, 13
	for threads := 1; threads <= 4; threads++ {
		d := &later[float64, struct{}, struct{}]{threads: threads}
		team := sched.NewTeam(context.Background(), threads, nil)
		err := team.Beside(func(announce func()) error {
			d.announce = announce
			for round := range rounds {
				var done [tasks]atomic.Int64
				d.share(tasks, func(i, worker int) {
					if worker < 0 || worker >= threads {
						t.Errorf("worker %d of %d", worker, threads)
					}
					done[i].Add(1)
				})
				d.join()
				for i := range done {
					if n := done[i].Load(); n != 1 {
						t.Fatalf("%d threads, round %d: task %d was done %d times", threads, round, i, n)
					}
				}
			}
			return nil
		}, d.help)
		if err != nil {
			t.Fatal(err)
		}
	}
}
