package formtest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"trnsci/core/sched"
)

// CancelAtEachLook checks how call, which reports no progress, obeys the cancellation of its team's context on one
// thread. A first run counts how often call looks at the context, which must be at least fewest times. The others are
// cancelled at the first look, at one half way and at the last one: each must return context.Canceled and not look
// again.
func CancelAtEachLook(t *testing.T, fewest int, call func(team *sched.Team) error) {
	t.Helper()
	all, err := looks(t.Context(), 0, call)
	if err != nil {
		t.Fatalf("without cancellation: %v", err)
	}
	if all < fewest {
		t.Fatalf("%d looks at the context, want at least %d", all, fewest)
	}
	for _, at := range []int{1, (all + 1) / 2, all} {
		if n, err := looks(t.Context(), at, call); !errors.Is(err, context.Canceled) || n > at {
			t.Errorf("cancelled at look %d of %d: error %v after %d looks", at, all, err, n)
		}
	}
}

// looks returns how often call looks at its context, which is cancelled at look number at unless at is 0, and call's
// error.
func looks(ctx context.Context, at int, call func(team *sched.Team) error) (count int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	counter := &lookCounter{Context: ctx, cancel: cancel, at: at}
	err = call(sched.NewTeam(counter, 1, nil))
	return counter.count, err
}

// lookCounter is a context that cancels itself at its look number at.
type lookCounter struct {
	context.Context
	cancel    context.CancelFunc
	mu        sync.Mutex
	count, at int
}

// Err is the context's.
func (c *lookCounter) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if c.count == c.at {
		c.cancel()
	}
	return c.Context.Err()
}
