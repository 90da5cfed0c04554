package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/gemm"
	"trnsci/core/sched"
)

// Triangular products and solves halve the triangle recursively: the off-diagonal block is a matrix product. The
// recursion ends at blocks of this order (half of it for complex ones), which are processed in strips of
// gemm.TriangleOrder rows.
const triangularBase = 64

// Trsm solves op(A) X = alpha B (side Left) or X op(A) = alpha B (side Right) for X, which overwrites B. A is
// triangular; only the triangle uplo is read, and not its diagonal if diag is Unit. A zero on the diagonal gives
// infinities and NaNs. If the team is cancelled, B is unfinished.
func Trsm[T dense.Scalar](
	team *sched.Team, side Side, uplo Uplo, tA Transpose, diag Diag, alpha T, a, b dense.Matrix[T],
) {
	t := newTriangular("Trsm", side, uplo, tA, diag, a, b)
	finish(t.overwrite(kernel.Best(), team, true, side, alpha, b))
}

// Trmm computes B = alpha op(A) B (side Left) or B = alpha B op(A) (side Right) for a triangular A of which only the
// triangle uplo is read, and not its diagonal if diag is Unit. If the team is cancelled, B is unfinished.
func Trmm[T dense.Scalar](
	team *sched.Team, side Side, uplo Uplo, tA Transpose, diag Diag, alpha T, a, b dense.Matrix[T],
) {
	t := newTriangular("Trmm", side, uplo, tA, diag, a, b)
	finish(t.overwrite(kernel.Best(), team, false, side, alpha, b))
}

// TriangularWorkspace returns the bytes that Trsm and Trmm with a triangle of order n and a matrix of at most length
// other rows or columns take for each thread, side Right being the larger. They are kept for the next call until the
// garbage collector frees them.
func TriangularWorkspace[T dense.Scalar](n, length int) int64 {
	columns, _ := panelColumns[T](kernel.Best())
	columns = min(columns, length)
	base := 2 * triangularBase * (columns + triangularBase)
	return (int64(columns)*int64(n)+int64(base))*int64(dense.Bytes[T]()) + packingOverhead
}

// triangular is op(A) for a triangular A.
type triangular[T dense.Scalar] struct {
	opMatrix[T]
	lower, unit bool
}

func newTriangular[T dense.Scalar](
	name string, side Side, uplo Uplo, tA Transpose, diag Diag, a, b dense.Matrix[T],
) triangular[T] {
	order := b.Rows
	if side == Right {
		order = b.Cols
	}
	requireIn(name, a.Rows == order && a.Cols == order, "A is %dx%d, B is %dx%d", a.Rows, a.Cols, b.Rows, b.Cols)
	op := opOf(tA, a)
	return triangular[T]{op, op.isLower(uplo), diag == Unit}
}

// element returns element (i, j) of the triangle.
func (t triangular[T]) element(i, j int) T {
	if t.unit && i == j {
		return 1
	}
	return t.at(i, j)
}

// diagonal returns the triangle of rows and columns i0 <= i < i1.
func (t triangular[T]) diagonal(i0, i1 int) triangular[T] {
	t.opMatrix = t.slice(i0, i1, i0, i1)
	return t
}

// panelColumns returns the number of columns of a panel, as many as fit the L2 cache with a block of rows, and the
// multiple of columns that suits the tiles.
func panelColumns[T dense.Scalar](set kernel.Set) (most, multiple int) {
	size := realBlocking[T](set)
	if dense.IsComplex[T]() {
		return size.L2Cols / 2, size.TileCols() / 2
	}
	return size.L2Cols, size.TileCols()
}

// overwrite replaces B by alpha op(A) B, or by the solution of op(A) X = alpha B, panel by panel: columns of B for side
// Left; for side Right rows, which are transposed into columns and back. Panels are independent, and an element's bits
// do not depend on its panel.
func (t triangular[T]) overwrite(
	set kernel.Set, team *sched.Team, solve bool, side Side, alpha T, b dense.Matrix[T],
) error {
	if b.Rows == 0 || b.Cols == 0 {
		return nil
	}
	if alpha == 0 { // neither A nor B is read, as in the reference BLAS
		b.Clear()
		return nil
	}
	length := b.Cols
	team = team.Plan(t.Rows * b.Rows * b.Cols)
	if side == Right {
		length = b.Rows
		t.opMatrix, t.lower = t.transposed(), !t.lower
	}
	most, multiple := panelColumns[T](set)
	if t.multipliesRows(solve, side) {
		most = length // the blocks of the triangle are packed for each panel
	}
	tiles, panels := ceilDiv(length, multiple), ceilDiv(length, most)
	if n := t.Rows; team.WorthSharing(n*n/2*length, realBlocking[T](set).ThreadWork) {
		panels = min(tiles, ceilDiv(panels, team.Threads())*team.Threads())
	}
	if panels == 1 {
		return t.panel(set, team, solve, side, alpha, b)
	}
	return team.For(panels, func(_, p int) error {
		first, last := share(tiles, panels, p)
		x0, x1 := first*multiple, min(length, last*multiple)
		if side == Right {
			return t.panel(set, team, solve, side, alpha, b.Slice(x0, x1, 0, b.Cols))
		}
		return t.panel(set, team, solve, side, alpha, b.Slice(0, b.Rows, x0, x1))
	})
}

// multipliedRowsOrder is the order from which on a product with a real triangle from the right takes less time by rows,
// which are long enough then for products with its blocks.
const multipliedRowsOrder = 512

// multipliesRows reports whether rows are multiplied by the triangle without being transposed.
func (t triangular[T]) multipliesRows(solve bool, side Side) bool {
	return !dense.IsComplex[T]() && !solve && side == Right && t.Rows >= multipliedRowsOrder
}

// panel is overwrite for one panel. t is op(A) for side Left, its transpose for side Right.
func (t triangular[T]) panel(
	set kernel.Set, team *sched.Team, solve bool, side Side, alpha T, b dense.Matrix[T],
) error {
	w := triangularWork[T]{set: set, team: team.Serial()}
	x := b
	if t.multipliesRows(solve, side) || side == Right && dense.IsComplex[T]() && t.hasRealDiagonal() {
		scaleRows(alpha, x)
		return w.overwriteRows(solve, t, x)
	}
	if side == Right {
		memory := borrow[T](b.Rows * b.Cols)
		defer memory.GiveBack()
		x = memory.matrix(b.Cols, b.Rows)
		transpose(set, x, b)
	}
	scaleRows(alpha, x)
	var err error
	if solve {
		err = w.solve(t, x)
	} else {
		err = w.multiply(t, x)
	}
	if side == Right {
		transpose(set, b, x)
	}
	return err
}

// scaleRows multiplies the rows of x by alpha.
func scaleRows[T dense.Scalar](alpha T, x dense.Matrix[T]) {
	if alpha == 1 {
		return
	}
	for i := range x.Rows {
		Scal(alpha, dense.Vec(x.Row(i)))
	}
}

// triangularWork is the recursion over a panel.
type triangularWork[T dense.Scalar] struct {
	set  kernel.Set
	team *sched.Team
}

// half returns the row at which a triangle of order n is split, 0 for a base block.
func half[T dense.Scalar](n int) int {
	base := triangularBase
	if dense.IsComplex[T]() {
		base /= 2
	}
	if n <= base {
		return 0
	}
	return ceilDiv(n/2, gemm.TriangleOrder) * gemm.TriangleOrder
}

// span is begin <= i < end.
type span struct{ begin, end int }

// cut returns the triangles before and behind row h, the block between them, and their ranges, in the order in which
// the unknowns are found.
func (t triangular[T]) cut(h int) (head, tail triangular[T], off opMatrix[T], first, second span) {
	n := t.Rows
	head, tail, first, second = t.diagonal(0, h), t.diagonal(h, n), span{0, h}, span{h, n}
	if !t.lower {
		return tail, head, t.slice(0, h, h, n), second, first
	}
	return head, tail, t.slice(h, n, 0, h), first, second
}

// step reports a product of the block between triangles of orders h and r with the given number of columns. A triangle
// of order n counts n^2 = h^2 + 2 h r + r^2 steps for each column. Its error is that of the cancelled team.
func (w *triangularWork[T]) step(h, r, columns int) error {
	w.team.Step(2 * h * r * columns)
	return w.team.Err()
}

// solve overwrites x by the solution y of t y = x.
func (w *triangularWork[T]) solve(t triangular[T], x dense.Matrix[T]) error {
	h := half[T](t.Rows)
	if h == 0 {
		solveBase(w.set, t, x)
		w.team.Step(t.Rows * t.Rows * x.Cols)
		return w.team.Err()
	}
	head, tail, off, i, j := t.cut(h)
	first, second := x.Slice(i.begin, i.end, 0, x.Cols), x.Slice(j.begin, j.end, 0, x.Cols)
	if err := w.solve(head, first); err != nil {
		return err
	}
	if err := multiply(w.set, w.team, full, -1, off, plain(first), 1, second); err != nil {
		return err
	}
	if err := w.step(h, t.Rows-h, x.Cols); err != nil {
		return err
	}
	return w.solve(tail, second)
}

// multiply overwrites x by t x.
func (w *triangularWork[T]) multiply(t triangular[T], x dense.Matrix[T]) error {
	h := half[T](t.Rows)
	if h == 0 {
		multiplyBase(w.set, t, x)
		w.team.Step(t.Rows * t.Rows * x.Cols)
		return w.team.Err()
	}
	head, tail, off, i, j := t.cut(h)
	first, second := x.Slice(i.begin, i.end, 0, x.Cols), x.Slice(j.begin, j.end, 0, x.Cols)
	if err := w.multiply(tail, second); err != nil {
		return err
	}
	if err := multiply(w.set, w.team, full, 1, off, plain(first), 1, second); err != nil {
		return err
	}
	if err := w.step(h, t.Rows-h, x.Cols); err != nil {
		return err
	}
	return w.multiply(head, first)
}
