package stream

import (
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// Function is an array that a function hands out in ranges of slices: Load sets dst to the slices first <= i < end, one
// after the other, Size elements each. It is called for one range at a time, from any goroutine, and may be asked for a
// slice again. It has to look at the team if it takes long.
type Function[T dense.Scalar] struct {
	Count, Size int
	Load        func(team *sched.Team, first, end int, dst []T) error
}

// Slices returns Count and Size.
func (f *Function[T]) Slices() (count, size int) { return f.Count, f.Size }

// Kind returns the kind of T.
func (f *Function[T]) Kind() npy.Kind { return npy.KindOf[T]() }

// functionReader calls the function, for one slice at a time if its elements have to be converted.
type functionReader[T, S dense.Scalar] struct {
	*Function[S]
	stage []S
}

func (r *functionReader[T, S]) Read(team *sched.Team, first, end int, dst []T) error {
	if same, ok := any(dst).([]S); ok {
		return r.Load(team, first, end, same)
	}
	if r.stage == nil {
		r.stage = make([]S, r.Size)
	}
	for i := first; i < end; i++ {
		if err := r.Load(team, i, i+1, r.stage); err != nil {
			return err
		}
		convert(dst[(i-first)*r.Size:(i-first+1)*r.Size], r.stage, 0, 1)
	}
	return nil
}

func (r *functionReader[T, S]) BytesRead(first, end int) int64 {
	return int64(end-first) * int64(r.Size) * int64(r.Kind().Size())
}

func (r *functionReader[T, S]) Workspace() int64 {
	if npy.KindOf[T]() == r.Kind() {
		return 0
	}
	return int64(r.Size) * int64(r.Kind().Size())
}
