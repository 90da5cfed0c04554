package qz

import (
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/internal/workspace"
)

// blockedOrder returns the order from which on panels are faster than single columns: for real pairs 230 with one
// thread, a little less with two, which share the products.
func blockedOrder[T dense.Wide]() int {
	const realOrder, complexOrder = 200, 128
	if dense.IsComplex[T]() {
		return complexOrder
	}
	return realOrder
}

// reduceToHessenberg brings a pair with a triangular P to Hessenberg-triangular form: it reduces one column of S after
// the other by rotations of rows, each followed by a rotation of columns that makes P triangular again. A pair that
// already has the form is not changed.
//
// Method: LAPACK's gghrd and, for large pairs, gghd3; Golub and Van Loan, algorithm 7.7.1.
func (m *pencil[T]) reduceToHessenberg() error {
	m.team.Plan(m.order() * m.order())
	if m.order() < blockedOrder[T]() {
		return m.reduceByColumns()
	}
	return m.reduceByPanels()
}

// reduceByPanels is reduceToHessenberg for large pairs.
func (m *pencil[T]) reduceByPanels() error {
	n := m.order()
	lent := workspace.Borrow[T](&workspace.Panels, reductionElements[T](n))
	defer lent.GiveBack()
	r := newReduction(m, lent.Numbers)
	for first := 0; first < n-2; first += panelWidth {
		end := min(first+panelWidth, n-2)
		if err := r.reducePanel(first, end); err != nil {
			return err
		}
		m.team.Reach(n*n - (n-end)*(n-end))
	}
	return nil
}

// reduction is a blocked reduction to Hessenberg-triangular form. A panel of columns is reduced by rotations as it is
// column by column, but at first they are applied only to what determines the next ones: to the trailing triangle of P
// and to the next column of S. That column is S, as it was before the panel, times a vector, rotated. At the end of the
// panel all rotations are applied to the rest of the pair, to Q^T and to Z^T by matrix products.
//
// Method: LAPACK's gghd3; Kågström, Kressner, E. S. Quintana-Ortí and G. Quintana-Ortí, Blocked algorithms for the
// reduction to Hessenberg-triangular form revisited, BIT 48, 2008. There the columns of S are rotated within the panel,
// which takes three times the arithmetic of the product with a vector.
type reduction[T dense.Wide] struct {
	*pencil[T]
	first, top  int             // the panel's first column, and the first row and column that it changes
	count       int             // of its sweeps: a column that is reduced already has none
	left, right []sweep[T]      // the sweeps of rows and of columns, from row and column top on
	columns     dense.Matrix[T] // the reduced columns of S from row top on, as rows
	vector      []T             // that S is multiplied by
	rows, cols  *blocks[T]      // the products of left and of right
	buffers     []buffer[T]     // of the team's workers
}

// reductionElements returns how many numbers of memory newReduction takes for a pair of order n.
func reductionElements[T dense.Wide](n int) int {
	return panelWidth*n + blockElements[T](n, false) + blockElements[T](n, true)
}

// newReduction returns a reduction of m in memory of reductionElements numbers.
func newReduction[T dense.Wide](m *pencil[T], memory []T) *reduction[T] {
	n := m.order()
	take := func(count int) []T {
		taken := memory[:count:count]
		memory = memory[count:]
		return taken
	}
	r := &reduction[T]{pencil: m, vector: make([]T, n), buffers: make([]buffer[T], m.team.Threads())}
	r.columns = dense.Matrix[T]{Rows: panelWidth, Cols: n, Stride: n, Data: take(panelWidth * n)}
	r.rows = &blocks[T]{memory: take(blockElements[T](n, false))}
	r.cols = &blocks[T]{forColumns: true, memory: take(blockElements[T](n, true))}
	r.left, r.right = make([]sweep[T], panelWidth), make([]sweep[T], panelWidth)
	for t := range panelWidth {
		r.left[t], r.right[t] = make(sweep[T], n), make(sweep[T], n)
	}
	return r
}

// reducePanel reduces the columns of S from first on, before end.
func (r *reduction[T]) reducePanel(first, end int) error {
	r.first, r.top, r.count = first, first+1, 0
	rotations := r.order() - 1 - r.top
	for t := range panelWidth {
		r.left[t], r.right[t] = r.left[t][:rotations], r.right[t][:rotations]
	}
	for j := first; j < end; j++ {
		if err := r.team.Err(); err != nil {
			return err
		}
		r.reduceColumn(j)
	}
	if r.count == 0 {
		return nil
	}
	return r.update(end)
}

// reduceColumn forms column j of S in the rows from top on, reduces it, and makes P triangular again in these rows.
func (r *reduction[T]) reduceColumn(j int) {
	n, t := r.order(), j-r.first
	x := r.columns.Row(t)[:n-r.top]
	if r.count == 0 {
		blas.Copy(r.s.ColVec(j, r.top, n), dense.Vec(x))
	} else {
		r.formColumn(j, x)
	}
	if isZero(dense.Vec(x[t+1:])) {
		return
	}
	left, right := r.left[r.count], r.right[r.count]
	for i := range t { // the sweeps of the columns before end with these rows
		left[i], right[i] = householder.Identity[T](), householder.Identity[T]()
	}
	eliminate(x[t:], left[t:])
	r.restoreTriangle(r.top, j+1, left[t:], right[t:])
	r.count++
}

// formColumn sets x to column j of S, from row top on, with all rotations of the panel so far.
func (r *reduction[T]) formColumn(j int, x []T) {
	n := r.order()
	z := r.vector[:n-r.top]
	clear(z)
	z[j-r.top] = 1
	combineColumns(r.right[:r.count], z)
	blas.Gemv(r.team, blas.NoTrans, 1, r.s.Slice(r.top, n, r.top, n), dense.Vec(z), 0, dense.Vec(x))
	rotateElements(r.left[:r.count], x)
}

// update applies the rotations of the panel to what they have not been applied to: to the panel's columns of S only
// above row top. end is the column behind the panel.
func (r *reduction[T]) update(end int) error {
	n := r.order()
	trailing := n - r.top
	err := r.inParts(r.count*r.count*trailing,
		r.rows.accumulate(r.top, r.left[:r.count]), r.cols.accumulate(r.top, r.right[:r.count]))
	if err != nil {
		return err
	}
	err = r.inParts(r.count*trailing*(n+r.top+r.zt.Rows+r.qt.Rows),
		r.cols.toColumns(r.s), r.cols.toColumns(r.p.Slice(0, r.top, 0, n)),
		r.cols.toRows(r.zt, false), r.rows.toRows(r.qt, true))
	if err != nil {
		return err
	}
	err = r.inParts(r.count*trailing*(n-end), r.rows.toRows(r.s.Slice(0, n, end, n), false))
	if err != nil {
		return err
	}
	panel := r.columns.Slice(0, end-r.first, 0, trailing)
	return blas.CopyView(nil, r.s.Slice(r.top, n, r.first, end).View(), panel.View().T())
}

// sharedPanelWork is the least product of the order of a panel's blocks, of their number and of the columns or rows
// that they are applied to, that is worth a second thread: ten microseconds of work.
const sharedPanelWork = 1 << 17

// inParts executes all parts, and shares them among the threads of the team if the work is worth that.
func (r *reduction[T]) inParts(work int, lists ...[]part[T]) error {
	parts := slices.Concat(lists...)
	if r.team.WorthSharing(work, sharedPanelWork) {
		return r.team.For(len(parts), func(worker, i int) error {
			parts[i](&r.buffers[worker])
			return nil
		})
	}
	for _, execute := range parts {
		if err := r.team.Err(); err != nil {
			return err
		}
		execute(&r.buffers[0])
	}
	return r.team.Err()
}
