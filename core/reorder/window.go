package reorder

import (
	"trnsci/core/dense"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

const (
	// Rows of a window inside of which blocks are exchanged. The rest of the matrices is then transformed by the whole
	// window.
	windowRows = 64
	// Rows of selected blocks that are moved up together. The fewer they are, the further a window takes them.
	groupRows = windowRows / 2
)

// windowSorter moves the selected rows from first on, before end, to the top of these rows, transforms the rest of the
// matrices, and returns the number of selected rows.
type windowSorter[T dense.Scalar] func(o *orderer[T], first, end int, team *sched.Team) (moved int, err error)

// orderer moves selected rows of t, whole blocks of them, to the top. zt is the adjoint of the unitary factor, or has
// no rows.
type orderer[T dense.Scalar] struct {
	t, zt    dense.Matrix[T]
	selected []bool
	sort     windowSorter[T]
}

// completePairs selects both rows of blocks of which one is selected, and returns the number of rows selected.
func (o *orderer[T]) completePairs() (count int) {
	for i, end := 0, 0; i < o.t.Rows; i = end {
		end = i + quasi.BlockOrderAt(o.t, i)
		either := o.selected[i] || o.selected[end-1]
		o.selected[i], o.selected[end-1] = either, either
		if either {
			count += end - i
		}
	}
	return count
}

// run moves one group of selected rows after the other to the top, window by window.
func (o *orderer[T]) run(team *sched.Team) error {
	team = team.Plan(o.distance())
	for top := 0; ; {
		end, size := o.nextGroup(top)
		if size == 0 {
			return nil
		}
		for end > top+size {
			if err := team.Err(); err != nil {
				return err
			}
			first := o.windowStart(top, end)
			moved, err := o.sort(o, first, end, team)
			if err != nil {
				return err
			}
			team.Step((end - first - moved) * size)
			end = first + moved
		}
		top += size
	}
}

// distance returns by how many rows all selected ones together move up.
func (o *orderer[T]) distance() (rows int) {
	top := 0
	for i, selected := range o.selected {
		if selected {
			rows += i - top
			top++
		}
	}
	return rows
}

// nextGroup returns the end of the next selected rows from top on, and their number: up to groupRows, or one more.
func (o *orderer[T]) nextGroup(top int) (end, size int) {
	for i := top; i < o.t.Rows && size < groupRows; {
		p := quasi.BlockOrderAt(o.t, i)
		if o.selected[i] {
			end, size = i+p, size+p
		}
		i += p
	}
	return end, size
}

// windowStart returns the first row of the window that ends before row end. The window has up to windowRows rows, or
// one more so that no block is cut, and does not extend above top.
func (o *orderer[T]) windowStart(top, end int) int {
	first := end - windowRows
	if first <= top {
		return top
	}
	if o.t.At(first, first-1) != 0 {
		return first - 1
	}
	return first
}
