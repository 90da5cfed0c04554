package eigen

import (
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

const (
	// Columns that a thread rotates at a time: a few strips of the widest kernel.
	rotatedColumns = 256
	// Rotations of one call of the kernel, which cannot be interrupted: of so many columns they take 0.1 ms, with rows that come
	// from memory less than 1 ms.
	rotationsOfCall = 512
	// Sweeps with fewer elements to rotate than this are faster on one thread.
	minParallelRotations = 1 << 17
)

// rotate applies the rotations first <= i < last of a sweep to the rows of vectors, from the last to the first, in the
// columns j0 <= j < j1, outside of which the rows are zero. An element is rounded in the same way however columns are shared.
func (t *tridiagonal) rotate(team *sched.Team, first, last, j0, j1 int) error {
	if (last-first)*(j1-j0) < minParallelRotations {
		return t.rotateColumns(team, first, last, j0, j1)
	}
	panels := (j1 - j0 + rotatedColumns - 1) / rotatedColumns
	return team.For(panels, func(_, panel int) error {
		start := j0 + panel*rotatedColumns
		return t.rotateColumns(team, first, last, start, min(j1, start+rotatedColumns))
	})
}

// rotateColumns does rotate's work on one thread.
func (t *tridiagonal) rotateColumns(team *sched.Team, first, last, j0, j1 int) error {
	const down = true
	stride := t.vectors.Stride
	for end := last; end > first; end -= rotationsOfCall {
		if err := team.Err(); err != nil {
			return err
		}
		start := max(first, end-rotationsOfCall)
		kernel.Rotate(kernel.Best(), t.rotations[start:end], down, t.vectors.Data[start*stride+j0:end*stride+j1], stride, j1-j0)
	}
	return nil
}
