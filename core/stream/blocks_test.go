package stream

import (
	"context"
	"errors"
	"slices"
	"testing"

	"trnsci/core/sched"
)

func TestPlanBlocksKeepsToTheLimit(t *testing.T) {
	for _, count := range []int{1, 7, 8, 9, 45, 1000} {
		for _, unit := range []int{1, 8} {
			for _, room := range []int64{79, 80, 639, 640, 1279, 1280, 5000, 1 << 40} {
				b, least, ok := PlanBlocks(count, 80, unit, room)
				if want := int64(min(count, unit)) * 80; least != want || ok != (room >= want) {
					t.Errorf("%d slices, unit %d, %d bytes: least %d, %v", count, unit, room, least, ok)
				}
				if !ok {
					continue
				}
				if held := int64(b.Buffers*b.Width) * 80; held > room || b.Width < 1 || b.Width > count {
					t.Errorf("%+v holds %d bytes of %d", b, held, room)
				}
				if b.Width%unit != 0 && b.Width != count {
					t.Errorf("%+v: no whole units of %d", b, unit)
				}
			}
		}
	}
}

// Blocks come in order; a block is in its buffer from load to the end of its visit.
func TestEachVisitsTheWantedBlocks(t *testing.T) {
	for _, b := range []Blocks{{Count: 10, Width: 3, Buffers: 1}, {Count: 10, Width: 3, Buffers: 2},
		{Count: 3, Width: 3, Buffers: 1}} {
		held := make([][2]int, b.Buffers)
		var got []int
		load := func(_ *sched.Team, buffer, first, end int) error {
			held[buffer] = [2]int{first, end}
			return nil
		}
		visit := func(buffer, first, end int) error {
			if held[buffer] != [2]int{first, end} {
				t.Errorf("%+v: buffer %d holds %v, not %d to %d", b, buffer, held[buffer], first, end)
			}
			got = append(got, first)
			return nil
		}
		var want []int
		for first, end := range Ranges(b.Count, b.Width) {
			if first != 3 {
				want = append(want, first)
			}
			if end != min(b.Count, first+b.Width) {
				t.Errorf("range %d to %d", first, end)
			}
		}
		wanted := func(first, _ int) bool { return first != 3 }
		if err := b.Each(team(2), wanted, load, visit); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v, %v", b, got, want, err)
		}
	}
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	failed := errors.New("failed")
	for buffers := 1; buffers <= 2; buffers++ {
		b := Blocks{Count: 5, Width: 1, Buffers: buffers}
		visited := 0
		load := func(_ *sched.Team, _, first, _ int) error {
			if first == 2 {
				return failed
			}
			return nil
		}
		err := b.Each(team(2), nil, load, func(int, int, int) error { visited++; return nil })
		if err != failed || visited > 2 {
			t.Errorf("%d buffers: %v after %d blocks", buffers, err, visited)
		}
		none := func(*sched.Team, int, int, int) error { return nil }
		if err := b.Each(team(2), nil, none, func(int, int, int) error { return failed }); err != failed {
			t.Error(err)
		}
		var panicked *sched.PanicError
		bad := func(_ *sched.Team, _, first, _ int) error {
			if first == 1 {
				panic("no such slice")
			}
			return nil
		}
		if buffers == 2 {
			if err := b.Each(team(2), nil, bad, func(int, int, int) error { return nil }); !errors.As(err, &panicked) {
				t.Error(err)
			}
		}
	}
}

func TestEachOfNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	bad := func(int, int, int) error { t.Error("visited"); return nil }
	if err := (Blocks{Width: 1, Buffers: 2}).Each(sched.NewTeam(ctx, 1, nil), nil, nil, bad); err != nil {
		t.Error(err)
	}
}
