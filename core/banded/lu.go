package banded

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// blockSize is the number of columns of a panel, or of rows of a block, of a wide band.
const blockSize = 32

// blockFor returns the size of the blocks of a band with the given number of diagonals below the main one: a narrow
// band has no blocks that would be worth a product of matrices.
func blockFor(below int) int {
	if below < blockSize {
		return 1
	}
	return blockSize
}

// lu is the factorization A = P1 L1 P2 L2 ... U of a band matrix: each panel of `block` columns is factored as a
// rectangular matrix, with exchanges of rows within it, and its exchanges are not applied to earlier panels, so that
// all L stay within the band. U has `below` more diagonals than A.
//
// Columns are contiguous: element (i, j) is data[j*stride+top+i], so that every block is a row-major matrix of the
// transpose of A. The corners of blocks that lie outside of the band have memory of their own, which holds zeros.
type lu[T dense.Scalar] struct {
	source[T]
	block, top, stride int
	data               []T
	pivots             []int // from the first row of the panel
	reach              int   // columns right of a panel, at most, in which its rows of U have elements
}

func newLU[T dense.Scalar](s source[T]) *lu[T] {
	block := blockFor(s.below)
	top := s.below + s.above + block - 1
	return &lu[T]{source: s, block: block, top: top, stride: top + s.below + block - 1}
}

// luElements returns the number of elements that the factors of a band take.
func luElements(n, below, above int) int {
	return n * (2*below + above + 2*blockFor(below) - 1)
}

// column returns the elements i0 <= i < i1 of column j.
func (f *lu[T]) column(j, i0, i1 int) []T {
	first := j*f.stride + f.top
	return f.data[first+i0 : first+i1 : first+i1]
}

// blockAt returns the transpose of the block of the rows i0 <= i < i1 and the columns j0 <= j < j1.
func (f *lu[T]) blockAt(i0, i1, j0, j1 int) dense.Matrix[T] {
	m := dense.Matrix[T]{Rows: j1 - j0, Cols: i1 - i0, Stride: f.stride}
	if m.Rows > 0 && m.Cols > 0 {
		first := j0*f.stride + f.top + i0
		m.Data = f.data[first : first+(m.Rows-1)*m.Stride+m.Cols]
	}
	return m
}

// panel returns the ranges of a panel that begins in column j: its columns end at `end`, its rows at `rows`, and its
// rows of U reach columns below `last`.
func (f *lu[T]) panel(j int) (end, rows, last int) {
	end = min(f.n, j+f.block)
	return end, min(f.n, end+f.below), min(f.n, end+f.reach)
}

// costs counts the copy of an element to the factors as a step.
func (f *lu[T]) costs(k int) (factoring, solving int) {
	return f.n * (f.loadSteps() + f.columnSteps()), f.n * k * f.solveSteps()
}

func (f *lu[T]) loadSteps() int   { return f.below + f.above + 1 }
func (f *lu[T]) columnSteps() int { return f.below * (f.below + f.above) }
func (f *lu[T]) solveSteps() int  { return 2*f.below + f.above + 1 }

func (f *lu[T]) factor(team *sched.Team) error {
	f.data, f.pivots = make([]T, luElements(f.n, f.below, f.above)), make([]int, f.n)
	if err := f.load(team); err != nil {
		return err
	}
	f.reach = f.below + f.above
	filled, reach := 0, 0 // the columns that rows up to here have filled, and f.reach as it turns out to be
	panels := (f.n + f.block - 1) / f.block
	err := inParts(team, panels, f.block*f.columnSteps(), func(first, past int) error {
		for j := first * f.block; j < min(f.n, past*f.block); j += f.block {
			zero, err := f.factorPanel(team, j, &filled)
			if err != nil {
				return err
			}
			if zero > 0 {
				return singular(j + zero)
			}
			reach = max(reach, filled-min(f.n, j+f.block))
		}
		return nil
	})
	f.reach = reach
	return err
}

func (f *lu[T]) load(team *sched.Team) error {
	return inParts(team, f.n, f.loadSteps(), func(first, past int) error {
		for j := first; j < past; j++ {
			i0 := max(0, j-f.above)
			for i, column := i0, f.column(j, i0, min(f.n, j+f.below+1)); i < i0+len(column); i++ {
				column[i-i0] = f.at(i, j)
			}
		}
		return nil
	})
}

// factorPanel factors the panel that begins in column j and updates the columns right of it. `filled` is the number of
// columns in which rows that have been pivots so far have elements. zero is the number in the panel, from 1, of the
// first pivot that is exactly zero.
func (f *lu[T]) factorPanel(team *sched.Team, j int, filled *int) (zero int, err error) {
	end, rows, _ := f.panel(j)
	if f.block == 1 {
		return f.eliminate(j, rows, filled), nil
	}
	pivots, panel := f.pivots[j:end], f.blockAt(j, rows, j, end)
	if zero, err = factor.LU(team, panel, pivots); err != nil || zero > 0 {
		return zero, err
	}
	for _, p := range pivots {
		*filled = max(*filled, min(f.n, j+p+f.above+1))
	}
	last := max(end, *filled)
	right := f.blockAt(j, rows, end, last)
	for c := range right.Rows {
		row := right.Row(c)
		for k, p := range pivots {
			row[k], row[p] = row[p], row[k]
		}
	}
	width := end - j
	upper := right.Slice(0, right.Rows, 0, width)
	blas.Trsm(team, blas.Right, blas.Upper, blas.NoTrans, blas.Unit, 1, panel.Slice(0, width, 0, width), upper)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, -1, upper, panel.Slice(0, width, width, panel.Cols), 1,
		right.Slice(0, right.Rows, width, right.Cols))
	return 0, team.Err()
}

// eliminate is factorPanel for a panel of one column.
func (f *lu[T]) eliminate(j, rows int, filled *int) (zero int) {
	column := f.column(j, j, rows)
	p := blas.Iamax(dense.Vec(column))
	f.pivots[j] = p
	pivot := column[p]
	if pivot == 0 {
		return 1
	}
	*filled = max(*filled, min(f.n, j+p+f.above+1))
	column[0], column[p] = pivot, column[0]
	for i := 1; i < len(column); i++ {
		column[i] /= pivot
	}
	for c := j + 1; c < *filled; c++ {
		right := f.column(c, j, rows)
		right[0], right[p] = right[p], right[0]
		if right[0] != 0 {
			subtract(right[0], column[1:], right[1:])
		}
	}
	return 0
}

func (f *lu[T]) solve(team *sched.Team, trans bool, b dense.Matrix[T]) error {
	if f.block > 1 {
		return overGroups(team, b, func(team *sched.Team, columns dense.Matrix[T]) error {
			return f.solveBlocks(team, trans, columns)
		})
	}
	return overVectors(team, b, func(team *sched.Team, x []T) error {
		if trans {
			return f.solveTransposed(team, x)
		}
		return f.solveVector(team, x)
	})
}

// twice calls forward for the columns in order and then backward in reverse order, with half of the steps each.
func (f *lu[T]) twice(team *sched.Team, k int, forward, backward func(j int)) error {
	panels, steps := (f.n+f.block-1)/f.block, f.block*k*f.solveSteps()
	if err := inParts(team, panels, steps/2, func(first, past int) error {
		for p := first; p < past; p++ {
			forward(p * f.block)
		}
		return nil
	}); err != nil {
		return err
	}
	return inParts(team, panels, steps-steps/2, func(first, past int) error {
		for p := panels - 1 - first; p >= panels-past; p-- {
			backward(p * f.block)
		}
		return nil
	})
}

// solveVector solves for one right-hand side with panels of one column.
func (f *lu[T]) solveVector(team *sched.Team, x []T) error {
	return f.twice(team, 1, func(j int) {
		_, rows, _ := f.panel(j)
		p := j + f.pivots[j]
		x[j], x[p] = x[p], x[j]
		if v := x[j]; v != 0 {
			subtract(v, f.column(j, j+1, rows), x[j+1:rows])
		}
	}, func(j int) {
		i0 := max(0, j-f.reach)
		column := f.column(j, i0, j+1)
		x[j] /= column[j-i0]
		subtract(x[j], column[:j-i0], x[i0:j])
	})
}

// solveTransposed is solveVector for the transpose of A.
func (f *lu[T]) solveTransposed(team *sched.Team, x []T) error {
	return f.twice(team, 1, func(j int) {
		i0 := max(0, j-f.reach)
		column := f.column(j, i0, j+1)
		x[j] = (x[j] - dot(column[:j-i0], x[i0:j])) / column[j-i0]
	}, func(j int) {
		_, rows, _ := f.panel(j)
		x[j] -= dot(f.column(j, j+1, rows), x[j+1:rows])
		p := j + f.pivots[j]
		x[j], x[p] = x[p], x[j]
	})
}

// solveBlocks solves for a group of right-hand sides with panels of several columns.
func (f *lu[T]) solveBlocks(team *sched.Team, trans bool, b dense.Matrix[T]) error {
	lower := func(j int, trans blas.Transpose) {
		end, rows, _ := f.panel(j)
		panel, width := f.blockAt(j, rows, j, end), end-j
		diagonal, below := panel.Slice(0, width, 0, width), panel.Slice(0, width, width, panel.Cols)
		first, rest := b.Slice(j, end, 0, b.Cols), b.Slice(end, rows, 0, b.Cols)
		if trans == blas.NoTrans { // blocks are stored as their transposes
			exchange(b, j, f.pivots[j:end])
			solveTriangle(team, blas.Upper, blas.Trans, blas.Unit, diagonal, first)
			subtractProduct(team, blas.Trans, below, first, rest)
			return
		}
		subtractProduct(team, blas.NoTrans, below, rest, first)
		solveTriangle(team, blas.Upper, blas.NoTrans, blas.Unit, diagonal, first)
		exchangeBack(b, j, f.pivots[j:end])
	}
	upper := func(j int, trans blas.Transpose) {
		end, _, last := f.panel(j)
		diagonal, right := f.blockAt(j, end, j, end), f.blockAt(j, end, end, last)
		first, rest := b.Slice(j, end, 0, b.Cols), b.Slice(end, last, 0, b.Cols)
		if trans == blas.NoTrans {
			subtractProduct(team, blas.Trans, right, rest, first)
			solveTriangle(team, blas.Lower, blas.Trans, blas.NonUnit, diagonal, first)
			return
		}
		solveTriangle(team, blas.Lower, blas.NoTrans, blas.NonUnit, diagonal, first)
		subtractProduct(team, blas.NoTrans, right, first, rest)
	}
	if trans {
		return f.twice(team, b.Cols, func(j int) { upper(j, blas.Trans) }, func(j int) { lower(j, blas.Trans) })
	}
	return f.twice(team, b.Cols, func(j int) { lower(j, blas.NoTrans) }, func(j int) { upper(j, blas.NoTrans) })
}

// exchange exchanges the rows j+k and j+pivots[k] of b for k = 0, 1, ... in turn.
func exchange[T dense.Scalar](b dense.Matrix[T], j int, pivots []int) {
	for k, p := range pivots {
		exchangeRows(b, j+k, j+p)
	}
}

// exchangeBack undoes exchange.
func exchangeBack[T dense.Scalar](b dense.Matrix[T], j int, pivots []int) {
	for k := len(pivots) - 1; k >= 0; k-- {
		exchangeRows(b, j+k, j+pivots[k])
	}
}

func exchangeRows[T dense.Scalar](b dense.Matrix[T], i, j int) {
	if i != j {
		blas.Swap(b.RowVec(i, 0, b.Cols), b.RowVec(j, 0, b.Cols))
	}
}
