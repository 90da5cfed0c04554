package schur

import (
	"fmt"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

const (
	// Blocks are exchanged inside of windows of this many rows; the rest of the matrices is then multiplied by the product
	// of all that.
	orderWindow = 64
	// Rows of selected blocks that travel together. The fewer they are, the further a window takes them.
	orderGroup = orderWindow / 2
)

// SeparationError reports that two neighbouring diagonal blocks have eigenvalues too close to each other to be exchanged without
// errors larger than rounding. Row is the first row (0-based) of the upper one, at the time.
type SeparationError struct{ Row int }

func (e *SeparationError) Error() string {
	return fmt.Sprintf("schur: eigenvalues could not be separated for reordering: those of the blocks from row %d on are too close", e.Row)
}

// Order reorders the Schur form A = Z T Z^H of an n x n matrix, as Schur computes it, so that the eigenvalues that are selected
// come first, in the order they had, and the others after them, in the order they had. selected[i] belongs to the eigenvalue of row
// i; a complex pair of a real matrix is selected if one of its rows is. t and z are overwritten by the new T and Z; a z with
// Rows = 0 is left alone. Order returns the number of selected eigenvalues, each of a pair counted.
//
// The new form is backward stable like the old one. 1 x 1 blocks keep their value exactly, but for a change of scale of matrices of
// extreme size; those of 2 x 2 blocks change by rounding errors, which may make two real eigenvalues of a pair that nearly is one.
//
// It returns a *dense.ArgumentError for shapes that do not fit or a t that is not a Schur form, a *SeparationError when an exchange
// would lose accuracy, after which t and z are a Schur form that is ordered in part, and the team's error when the call is
// cancelled, after which they are unspecified.
//
// Cost: at most about 6 n^3 flops. Method: exchanges of neighbouring blocks (Bai and Demmel, Linear Algebra Appl. 186, 1993) in
// windows whose transformations are accumulated (Kressner, Block algorithms for reordering standard and generalized Schur forms,
// ACM TOMS 32, 2006).
func Order[T dense.Scalar](t, z dense.View[T], selected []bool, opt Options) (count int, err error) {
	if err := checkOrder(t, z, selected); err != nil {
		return 0, err
	}
	switch any(*new(T)).(type) {
	case float32:
		return reorder(t, z, selected, opt, blockSorter(swapBlocks[float32]), restandardize[float32])
	case float64:
		return reorder(t, z, selected, opt, blockSorter(swapBlocks[float64]), restandardize[float64])
	case complex64:
		return reorder(t, z, selected, opt, rotateWindow[float32, complex64], nil)
	}
	return reorder(t, z, selected, opt, rotateWindow[float64, complex128], nil)
}

func checkOrder[T dense.Scalar](t, z dense.View[T], selected []bool) error {
	if err := checkShapes(t, output[T]{"t", t}, output[T]{"z", z}); err != nil {
		return err
	}
	if len(selected) != t.Rows {
		return dense.BadArgument("selected", "expected %d flags, got %d", t.Rows, len(selected))
	}
	return CheckForm(t)
}

// CheckForm returns a *dense.ArgumentError that names t unless t, a square matrix, has the shape of a Schur form: it is triangular or, if it is real,
// quasi-triangular.
func CheckForm[T dense.Scalar](t dense.View[T]) error {
	blocks := !dense.IsComplex[T]()
	for i := range t.Rows {
		for j := range i {
			// Next to the diagonal there may be an element if there is none above it.
			if t.At(i, j) != 0 && (j < i-1 || !blocks || (j > 0 && t.At(j, j-1) != 0)) {
				return dense.BadArgument("t", "is not a Schur form: element (%d,%d) is not zero", i, j)
			}
		}
	}
	return nil
}

// swapper exchanges the diagonal blocks of orders first and second that start in row at, and reports whether that was possible.
type swapper[W dense.Scalar] func(t, zt dense.Matrix[W], at, first, second int) bool

// windowSorter moves the selected rows from first on, before end, to the top of these rows, and returns their number.
type windowSorter[W dense.Scalar] func(o *orderer[W], first, end int, team *sched.Team) (moved int, err error)

// reorder is Order in the type W. repair, if any, is what is to be done when T has been scaled back.
func reorder[W, T dense.Scalar](t, z dense.View[T], selected []bool, opt Options, sorter windowSorter[W], repair func(t, zt dense.Matrix[W])) (count int, err error) {
	team := opt.Team
	size := t.Rows * paddedStride[W](t.Rows)
	kept := borrow[W](&keptMatrices, 2*size)
	defer kept.GiveBack()
	o := orderer[W]{t: paddedIn(kept.numbers[:size], t.Rows), selected: append([]bool(nil), selected...), sorter: sorter}
	if err := blas.CopyView(team, o.t.View(), t); err != nil {
		return 0, err
	}
	if z.Rows > 0 {
		o.zt = paddedIn(kept.numbers[size:], z.Rows)
		if err := blas.CopyView(team, o.zt.View(), z.T()); err != nil {
			return 0, err
		}
		conjugate(o.zt)
	}
	count = o.completePairs()
	shift := scalingShift(o.t)
	scale(o.t, shift)
	ordered := o.run(opt)
	scale(o.t, -shift)
	if repair != nil {
		repair(o.t, o.zt)
	}
	if err := team.Err(); err != nil {
		return 0, err
	}
	if err := blas.CopyView(team, t, o.t.View()); err != nil {
		return 0, err
	}
	if z.Rows > 0 {
		conjugate(o.zt)
		if err := blas.CopyView(team, z, o.zt.View().T()); err != nil {
			return 0, err
		}
	}
	return count, ordered
}

// orderer moves selected rows of t, whole blocks of them, to the top. zt is the adjoint of the unitary factor, or has no rows.
type orderer[W dense.Scalar] struct {
	t, zt    dense.Matrix[W]
	selected []bool
	sorter   windowSorter[W]
	local    dense.Matrix[W] // the transposed transformation of a window of real matrices
	room     []W             // for its products
	waiting  journeys        // of a window of complex matrices
}

// completePairs selects both rows of blocks of which one is selected, and returns the number of rows selected.
func (o *orderer[W]) completePairs() (count int) {
	for i, end := 0, 0; i < o.t.Rows; i = end {
		end = i + blockOrder(o.t, i)
		either := o.selected[i] || o.selected[end-1]
		o.selected[i], o.selected[end-1] = either, either
		if either {
			count += end - i
		}
	}
	return count
}

// blockOrder returns the order of the diagonal block of t that starts in row i.
func blockOrder[W dense.Scalar](t dense.Matrix[W], i int) int {
	if i+1 < t.Rows && t.At(i+1, i) != 0 {
		return 2
	}
	return 1
}

// run moves one group of selected rows after the other to the top.
func (o *orderer[W]) run(opt Options) error {
	team := opt.Team.Plan(o.distance())
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
			moved, err := o.sorter(o, first, end, team)
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
func (o *orderer[W]) distance() (rows int) {
	top := 0
	for i, selected := range o.selected {
		if selected {
			rows += i - top
			top++
		}
	}
	return rows
}

// nextGroup returns where the next selected rows from top on end, and how many they are: up to orderGroup, or one more.
func (o *orderer[W]) nextGroup(top int) (end, size int) {
	for i := top; i < o.t.Rows && size < orderGroup; {
		p := blockOrder(o.t, i)
		if o.selected[i] {
			end, size = i+p, size+p
		}
		i += p
	}
	return end, size
}

// windowStart returns the first row of the window that ends before row end: no more than orderWindow rows or one block above.
func (o *orderer[W]) windowStart(top, end int) int {
	first := end - orderWindow
	if first <= top {
		return top
	}
	if o.t.At(first, first-1) != 0 {
		return first - 1
	}
	return first
}

// blockSorter returns the windowSorter for real matrices: exchanges of blocks, accumulated in a matrix by which the rest is multiplied.
func blockSorter[W dense.Float](swap swapper[W]) windowSorter[W] {
	return func(o *orderer[W], first, end int, team *sched.Team) (moved int, err error) {
		moved, refused := o.swapInWindow(first, end, team, swap)
		if refused >= 0 {
			err = &SeparationError{Row: first + refused}
		}
		return moved, err
	}
}

// swapInWindow returns the number of rows moved, and the row of the window in which an exchange was refused, or -1.
func (o *orderer[W]) swapInWindow(first, end int, team *sched.Team, swap swapper[W]) (moved, refused int) {
	n := o.t.Rows
	inside := o.t.Slice(first, end, first, end)
	if end-first == n { // there is no rest
		return sortBlocks(inside, o.zt, o.selected, swap)
	}
	if o.room == nil {
		w := min(n, orderWindow+1) // a row more, so that no block need be cut
		o.local, o.room = dense.New[W](w, w), make([]W, w*n)
	}
	local := o.local.Slice(0, end-first, 0, end-first)
	local.SetIdentity()
	moved, refused = sortBlocks(inside, local, o.selected[first:end], swap)
	o.apply(team, blas.NoTrans, local, o.t.Slice(first, end, end, n))
	if o.zt.Rows > 0 {
		o.apply(team, blas.NoTrans, local, o.zt.Slice(first, end, 0, n))
	}
	o.apply(team, blas.Trans, local, o.t.Slice(0, first, first, end))
	return moved, refused
}

// apply multiplies m by local from the left, or by its transpose from the right.
func (o *orderer[W]) apply(team *sched.Team, side blas.Transpose, local, m dense.Matrix[W]) {
	product := dense.Matrix[W]{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Cols), Data: o.room[:m.Rows*m.Cols]}
	if side == blas.NoTrans {
		blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, local, m, 0, product)
	} else {
		blas.Gemm(team, blas.NoTrans, blas.Trans, 1, m, local, 0, product)
	}
	m.CopyFrom(product)
}

// sortBlocks moves the selected rows of t to its top, exchange by exchange, and returns their number. It stops at an exchange that is
// refused, of which it returns the row, or -1.
func sortBlocks[W dense.Scalar](t, zt dense.Matrix[W], selected []bool, swap swapper[W]) (top, refused int) {
	for i := 0; i < t.Rows; {
		p := blockOrder(t, i)
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
			if !swap(t, zt, at-q, q, p) {
				return top, at - q
			}
			at -= q
			for k := range p + q {
				selected[at+k] = k < p
			}
			if blockOrder(t, at) < p {
				// Two real eigenvalues: the lower one is found anew.
				p, i = 1, top
			}
		}
		top += p
		i = max(i+p, top)
	}
	return top, -1
}

// OrderWorkspace returns an upper bound on the memory in bytes that Order or ToComplex allocates for matrices of order n: two
// matrices, and room for the rows of a window.
func OrderWorkspace[T dense.Scalar](n int) int64 {
	const headers = 1 << 14 // structs, the alignment of the matrices and the allocator's rounding up
	word := int64(unsafe.Sizeof(*new(T)))
	window := int64(min(n, orderWindow+1))
	return word*(2*int64(n)*int64(paddedStride[T](n))+window*(window+int64(n))) + int64(n) + headers
}
