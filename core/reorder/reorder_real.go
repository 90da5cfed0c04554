package reorder

import (
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// SeparationError reports that two neighbouring diagonal blocks have eigenvalues too close to each other to be
// exchanged without errors larger than rounding. Row is the first row (0-based) of the upper one at that time.
type SeparationError struct{ Row int }

func (e *SeparationError) Error() string {
	const format = "schur: eigenvalues could not be separated for reordering: " +
		"those of the blocks from row %d on are too close"
	return fmt.Sprintf(format, e.Row)
}

// swapper exchanges the diagonal blocks of orders first and second that start in row at, and reports whether that was
// possible.
type swapper[T dense.Float] func(t, zt dense.Matrix[T], at, first, second int) bool

// blockSorter sorts windows of real matrices by exchanges of blocks, which it accumulates in an orthogonal matrix.
type blockSorter[T dense.Float] struct {
	swap swapper[T]
	qt   dense.Matrix[T] // the transposed transformation of a window
	room []T             // for products with it
}

func newBlockSorter[T dense.Float](swap swapper[T]) windowSorter[T] {
	s := blockSorter[T]{swap: swap}
	return func(o *orderer[T], first, end int, team *sched.Team) (moved int, err error) {
		moved, refused := s.sortWindow(o, first, end, team)
		if refused >= 0 {
			err = &SeparationError{Row: first + refused}
		}
		return moved, err
	}
}

// sortWindow returns the number of rows moved, and the row of the window in which an exchange was refused, or -1.
func (s *blockSorter[T]) sortWindow(o *orderer[T], first, end int, team *sched.Team) (moved, refused int) {
	n := o.t.Rows
	inside := o.t.Slice(first, end, first, end)
	if end-first == n { // the window is the whole matrix
		return s.sortBlocks(inside, o.zt, o.selected)
	}
	if s.room == nil {
		w := min(n, windowRows+1)
		s.qt, s.room = dense.New[T](w, w), make([]T, w*n)
	}
	qt := s.qt.Slice(0, end-first, 0, end-first)
	qt.SetIdentity()
	moved, refused = s.sortBlocks(inside, qt, o.selected[first:end])
	s.multiply(team, blas.NoTrans, qt, o.t.Slice(first, end, end, n))
	if o.zt.Rows > 0 {
		s.multiply(team, blas.NoTrans, qt, o.zt.Slice(first, end, 0, n))
	}
	s.multiply(team, blas.Trans, qt, o.t.Slice(0, first, first, end))
	return moved, refused
}

// multiply multiplies m by qt from the left, or by its transpose from the right.
func (s *blockSorter[T]) multiply(team *sched.Team, trans blas.Transpose, qt, m dense.Matrix[T]) {
	product := dense.Matrix[T]{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Cols), Data: s.room[:m.Rows*m.Cols]}
	if trans == blas.NoTrans {
		blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, qt, m, 0, product)
	} else {
		blas.Gemm(team, blas.NoTrans, blas.Trans, 1, m, qt, 0, product)
	}
	m.CopyFrom(product)
}

// sortBlocks moves the selected rows of t to its top, exchange by exchange, and returns their number. It stops at an
// exchange that is refused, of which it returns the row, or -1.
func (s *blockSorter[T]) sortBlocks(t, zt dense.Matrix[T], selected []bool) (top, refused int) {
	for i := 0; i < t.Rows; {
		p := quasi.BlockOrderAt(t, i)
		if !selected[i] {
			i += p
			continue
		}
		at := i
		for at > top {
			q := 1
			if at > 1 && t.At(at-1, at-2) != 0 {
				q = 2
			}
			if !s.swap(t, zt, at-q, q, p) {
				return top, at - q
			}
			at -= q
			for k := range p + q {
				selected[at+k] = k < p
			}
			if quasi.BlockOrderAt(t, at) < p {
				// The pair has become two real eigenvalues: the search finds the lower one again.
				p, i = 1, top
			}
		}
		top += p
		i = max(i+p, top)
	}
	return top, -1
}
