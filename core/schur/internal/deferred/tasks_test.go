package deferred

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

func TestStripsOfASpan(t *testing.T) {
	const width = 8
	for from := range 20 {
		for end := range 40 {
			s, next := Span{from, end}, from
			for i := range s.Strips(width) {
				part := s.Strip(i, width)
				if part.From != next || part.End <= part.From || (part.End-1)/width != part.From/width {
					t.Fatalf("%v: strip %d is %v, expected one within %d from %d on", s, i, part, width, next)
				}
				next = part.End
			}
			if next != max(from, end) {
				t.Fatalf("%v: the strips end with %d", s, next)
			}
		}
	}
}

// Each task is done once, and before Join returns, however the workers come.
func TestSharedTasksAreDoneOnceForAnyThreads(t *testing.T) {
	const rounds, count = 200, 13
	for threads := 1; threads <= 4; threads++ {
		team := sched.NewTeam(context.Background(), threads, nil)
		q := New[float64, affine](team, dense.New[float64](8, 8), dense.Matrix[float64]{}, 8, applyAffine)
		err := q.Run(func() error {
			for round := range rounds {
				var done [count]atomic.Int64
				q.Share(count, func(i, worker int) {
					if worker < 0 || worker >= threads {
						t.Errorf("worker %d of %d", worker, threads)
					}
					done[i].Add(1)
				})
				q.Join()
				for i := range done {
					if n := done[i].Load(); n != 1 {
						return fmt.Errorf("round %d: task %d was done %d times", round, i, n)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

func TestSharedStripsCoverRowsAndColumns(t *testing.T) {
	const width = 8
	team := sched.NewTeam(context.Background(), 3, nil)
	q := New[float64, affine](team, dense.New[float64](8, 8), dense.Matrix[float64]{}, width, applyAffine)
	rows, columns := Span{3, 29}, Span{16, 41}
	var ofRows, ofColumns [50]atomic.Int64
	count := func(into *[50]atomic.Int64) func(s Span, worker int) {
		return func(s Span, _ int) {
			for i := s.From; i < s.End; i++ {
				into[i].Add(1)
			}
		}
	}
	if err := q.Run(func() error {
		q.ShareStrips(rows, columns, width, count(&ofRows), count(&ofColumns))
		q.Join()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range ofRows {
		inRows, inColumns := int64(0), int64(0)
		if i >= rows.From && i < rows.End {
			inRows = 1
		}
		if i >= columns.From && i < columns.End {
			inColumns = 1
		}
		if ofRows[i].Load() != inRows || ofColumns[i].Load() != inColumns {
			t.Errorf("%d: row done %d times, column %d times", i, ofRows[i].Load(), ofColumns[i].Load())
		}
	}
}

// A panic in a task of a helper ends the call with an error instead of blocking it for ever.
func TestPanicsOfTasksEndTheCall(t *testing.T) {
	team := sched.NewTeam(context.Background(), 2, nil)
	q := New[float64, affine](team, dense.New[float64](8, 8), dense.Matrix[float64]{}, 8, applyAffine)
	err := q.Run(func() error {
		q.Share(8, func(i, _ int) {
			if i == 3 {
				panic("task")
			}
		})
		q.Join()
		return nil
	})
	var panicked *sched.PanicError
	if !errors.As(err, &panicked) {
		t.Errorf("got %v", err)
	}
}
