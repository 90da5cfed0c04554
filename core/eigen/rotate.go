package eigen

import "trnsci/core/sched"

const (
	// Columns that are rotated at a time: three pieces of rows of this length fit the first-level cache many times over.
	rotatedColumns = 256
	// Sweeps with fewer elements to rotate than this, 0.1 ms of work, are faster on one thread.
	minParallelRotations = 1 << 17
)

// rotate applies the rotations first <= i < last of a sweep to the rows of vectors, from the last to the first, in the
// columns j0 <= j < j1, outside of which the rows are zero.
func (t *tridiagonal) rotate(team *sched.Team, first, last, j0, j1 int) error {
	if (last-first)*(j1-j0) < minParallelRotations {
		t.rotateColumns(first, last, j0, j1)
		return nil
	}
	panels := (j1 - j0 + rotatedColumns - 1) / rotatedColumns
	return team.For(panels, func(_, panel int) error {
		start := j0 + panel*rotatedColumns
		t.rotateColumns(first, last, start, min(j1, start+rotatedColumns))
		return nil
	})
}

// rotateColumns does rotate's work two rotations at a time, which loads and stores each row half as often.
func (t *tridiagonal) rotateColumns(first, last, j0, j1 int) {
	i := last - 1
	for ; i > first; i -= 2 {
		rotateThree(t.row(i+1, j0, j1), t.row(i, j0, j1), t.row(i-1, j0, j1), t.rotations[i], t.rotations[i-1])
	}
	if i == first {
		rotateTwo(t.row(i+1, j0, j1), t.row(i, j0, j1), t.rotations[i])
	}
}

func (t *tridiagonal) row(i, j0, j1 int) []float64 {
	start := i * t.vectors.Stride
	return t.vectors.Data[start+j0 : start+j1]
}

// rotateTwo replaces (x, y) by (c x + s y, c y - s x).
func rotateTwo(x, y []float64, q rotation) {
	y = y[:len(x)]
	for j, a := range x {
		b := y[j]
		x[j] = q.c*a + q.s*b
		y[j] = q.c*b - q.s*a
	}
}

// rotateThree does rotateTwo(x, y, q) and then rotateTwo(y, z, p).
func rotateThree(x, y, z []float64, q, p rotation) {
	y, z = y[:len(x)], z[:len(x)]
	for j, a := range x {
		b := y[j]
		x[j] = q.c*a + q.s*b
		b = q.c*b - q.s*a
		a = z[j]
		y[j] = p.c*b + p.s*a
		z[j] = p.c*a - p.s*b
	}
}
