package hessenberg

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

// From this order on reflectors are applied a panel at a time.
const blockedOrder = 160

// reduction is a blocked Hessenberg reduction A = Q H Q^H. The product of a panel's reflectors is P = I - V T V^H.
// While the panel's columns are reduced (lahr2.go), only the products A v and v^H A are formed, one pass over the
// matrix for each reflector; the rest of the matrix is updated at the end, in another pass:
//
//	A <- P^H (A - Y V^H) = A - [Y V] [V^H; W],  Y = A V T,  W = T^H (V^H A - (V^H Y) V^H)
//
// Source: Quintana-Orti and van de Geijn, Improving the performance of reduction to Hessenberg form, ACM Trans. Math.
// Softw. 32, 2006, and LAPACK's gehrd, whose form of the panel this is.
type reduction[T dense.Scalar] struct {
	panel[T]
	qt                     dense.Matrix[T]
	reducing, accumulating *sched.Team     // phases of the team
	left                   dense.Matrix[T] // Y, and V right of it
	scaled                 dense.Matrix[T] // V T, or V T^H
	products               dense.Matrix[T] // of rows with scaled, those of a part below those of the part before
}

// reduceBlocked is InPlace for large matrices.
func reduceBlocked[T dense.Scalar](team *sched.Team, a, qt dense.Matrix[T]) error {
	r, lent := newReduction(team, a, qt)
	defer lent.GiveBack()
	if a.Rows < sharedOrder {
		return r.run()
	}
	return team.Rounds(sharedParts, r.runPart, func(rounds *sched.Rounds) error {
		r.rounds = rounds
		return r.run()
	})
}

// newReduction returns the reduction of a in memory of blockedElements numbers.
func newReduction[T dense.Scalar](team *sched.Team, a, qt dense.Matrix[T]) (*reduction[T], workspace.Lent[T]) {
	n, width := a.Rows, panelWidth
	parts, stride := partCount(n), workspace.PaddedStride[T](n)
	lent := workspace.Borrow[T](&workspace.Panels, blockedElements[T](n))
	memory := lent.Numbers
	take := func(rows, cols, stride int) (m dense.Matrix[T]) {
		m = dense.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: memory[:rows*stride]}
		memory = memory[rows*stride:]
		return m
	}
	reductionCost, accumulationCost := Costs[T](n, qt.Rows > 0)
	r := &reduction[T]{panel: panel[T]{team: team, a: a}, qt: qt}
	r.reducing, r.accumulating = team.Phase(reductionCost), team.Phase(accumulationCost)
	r.columns, r.yt, r.right = take(width, n, stride), take(width, n, stride), take(2*width, n, stride)
	r.sums = take(parts*width, n, stride)
	r.v = take(1, n, stride).Row(0)
	if dense.IsComplex[T]() {
		r.conj, r.iConj = take(1, n, stride).Row(0), take(1, n, stride).Row(0)
		r.imaginaryMultiples = take(parts, n, stride)
	}
	r.left, r.scaled = take(n, 2*width, 2*width), take(n, width, width)
	r.triangles = take(n, width, width)
	clear(r.triangles.Data)
	r.products = take(parts*productRows[T](), width, width)
	r.coefficients = take(1, width, width).Row(0)
	return r, lent
}

// blockedElements returns how many numbers of memory newReduction takes for a matrix of order n.
func blockedElements[T dense.Scalar](n int) int {
	const rows, columns = 4, 4 // of the panel's width: columns, yt and right; left, scaled and triangles
	parts, vectors := partCount(n), 1
	if dense.IsComplex[T]() {
		vectors += 2 + parts
	}
	return (panelWidth*(rows+parts)+vectors)*workspace.PaddedStride[T](n) + panelWidth*(columns*n+parts*productRows[T]()+1)
}

// productRows returns the number of rows of a product at a time. Their operands stay in the second-level cache.
func productRows[T dense.Scalar]() int {
	const realRows, complexRows = rowsAtOnce, 128 // complex factors are packed for each product, which must pay off
	if dense.IsComplex[T]() {
		return complexRows
	}
	return realRows
}

// run reduces panel after panel and accumulates Q^H.
func (r *reduction[T]) run() error {
	n := r.a.Rows
	count := max(0, n-2) // of reflectors
	r.reducing.Plan(reductionSteps(n))
	for first := 0; first < count; first += panelWidth {
		if err := r.reducePanel(first, min(first+panelWidth, count)); err != nil {
			return err
		}
	}
	r.reducing.End()
	if r.qt.Rows == 0 {
		return r.team.Err()
	}
	return r.accumulate()
}

// reducePanel reduces the columns from first on, before end, and updates the rest of the matrix.
func (r *reduction[T]) reducePanel(first, end int) error {
	r.begin(first, end)
	n, width := r.a.Rows, end-first
	columns := r.columns.Slice(0, width, r.top, n)
	below := r.a.Slice(r.top, n, first, end)
	if err := blas.CopyView(nil, columns.View(), below.View().T()); err != nil {
		return err
	}
	multiply := r.multiply
	for k := first; k < end; k++ {
		if err := r.reduceColumn(k, multiply); err != nil {
			return err
		}
		r.reducing.Reach(stepsDone(n, n-1-k))
	}
	if err := blas.CopyView(nil, below.View(), columns.View().T()); err != nil {
		return err
	}
	if r.qt.Rows > 0 {
		for i := range width {
			copy(r.qt.Row(first + i)[r.top:], r.right.Row(i)[r.top:])
		}
	}
	if r.isIdentity() {
		return nil
	}
	return r.update()
}

// update applies the reflectors of the panel to the columns behind it, and from the right to the rows above it.
func (r *reduction[T]) update() error {
	n, width := r.a.Rows, r.end-r.first
	sums := r.sums.Slice(0, width, r.end, n)
	for p := 1; p < r.parts; p++ {
		for i := range width {
			blas.Axpy(1, dense.Vec(r.sums.Row(p*panelWidth + i)[r.end:]), dense.Vec(sums.Row(i)))
		}
	}
	vh, y := r.right.Slice(0, width, r.top, n), r.left.Slice(r.top, n, 0, width)
	if err := blas.CopyView(nil, y.View(), r.yt.Slice(0, width, r.top, n).View().T()); err != nil {
		return err
	}
	v, err := r.loadVectors(width)
	if err != nil {
		return err
	}
	square := r.products.Slice(0, width, 0, width)
	multiplyAdd(1, vh, y, 0, square)
	multiplyAdd(-1, square, r.right.Slice(0, width, r.end, n), 1, sums)
	setAdjoint(square, r.triangle())
	multiplyAdd(1, square, sums, 0, r.right.Slice(width, 2*width, r.end, n))
	multiplyAdd(1, v, r.triangle(), 0, r.scaled.Slice(r.top, n, 0, width))
	clear(r.scaled.Row(r.first)) // the first column of the panel takes part, so that rows begin with a whole cache line
	return r.inParts(partCount(n), r.updatePart)
}

// updatePart is update for a part of the rows.
func (r *reduction[T]) updatePart(p int) {
	n, width := r.a.Rows, r.end-r.first
	parts := partCount(n)
	i0, i1 := rowsOfPart(p, parts, 0, r.top)
	r.applyRight(p, r.a.Slice(i0, i1, r.first, n))
	i0, i1 = rowsOfPart(p, parts, r.top, n)
	right := r.right.Slice(0, 2*width, r.end, n)
	for i := i0; i < i1; i += productRows[T]() {
		end := min(i1, i+productRows[T]())
		multiplyAdd(-1, r.left.Slice(i, end, 0, 2*width), right, 1, r.a.Slice(i, end, r.end, n))
	}
}

// loadVectors writes V into left, from a column on, and returns it.
func (r *reduction[T]) loadVectors(column int) (v dense.Matrix[T], err error) {
	n, width := r.a.Rows, r.end-r.first
	v = r.left.Slice(r.top, n, column, column+width)
	err = blas.CopyView(nil, v.View(), r.right.Slice(0, width, r.top, n).View().T())
	workspace.Conjugate(v)
	return v, err
}

// applyRight multiplies m by I - scaled V^H from the right, some rows at a time.
func (r *reduction[T]) applyRight(p int, m dense.Matrix[T]) {
	n, width, step := r.a.Rows, r.end-r.first, productRows[T]()
	vh, scaled := r.right.Slice(0, width, r.first, n), r.scaled.Slice(r.first, n, 0, width)
	for i := 0; i < m.Rows; i += step {
		rows := m.Slice(i, min(m.Rows, i+step), 0, m.Cols)
		product := r.products.Slice(p*step, p*step+rows.Rows, 0, width)
		multiplyAdd(1, rows, scaled, 0, product)
		multiplyAdd(-1, product, vh, 1, rows)
	}
}

// accumulate overwrites qt, whose row k holds the adjoint of the vector of reflector k right of the diagonal, by the
// product Q^H = ... P_1^H P_0^H of the panels. It begins with the identity and the last panel, so that only those
// trailing rows and columns take part that already differ from the identity.
func (r *reduction[T]) accumulate() error {
	n, count := r.qt.Rows, r.qt.Rows-2
	r.accumulating.Plan(n * n * n)
	setUnitRows := func(first, end int) {
		for i := first; i < end; i++ {
			clear(r.qt.Row(i))
			r.qt.Set(i, i, 1)
		}
	}
	below := n
	if count > 0 {
		for first := (count - 1) / panelWidth * panelWidth; first >= 0; first -= panelWidth {
			r.begin(first, min(first+panelWidth, count))
			width := r.end - first
			for i := range width {
				row := r.right.Row(i)
				clear(row[first : r.top+i])
				copy(row[r.top+i:], r.qt.Row(first + i)[r.top+i:])
			}
			clear(r.scaled.Row(first))
			setUnitRows(r.top, below)
			below = r.top
			if r.isIdentity() {
				continue
			}
			v, err := r.loadVectors(0)
			if err != nil {
				return err
			}
			square := r.products.Slice(0, width, 0, width)
			setAdjoint(square, r.triangle())
			multiplyAdd(1, v, square, 0, r.scaled.Slice(r.top, n, 0, width))
			if err := r.inParts(r.parts, r.accumulatePart); err != nil {
				return err
			}
			r.accumulating.Reach((n - first) * (n - first) * (n - first))
		}
	}
	setUnitRows(0, below)
	r.accumulating.End()
	return r.team.Err()
}

// accumulatePart applies the panel to a part of the rows of qt.
func (r *reduction[T]) accumulatePart(p int) {
	n := r.a.Rows
	i0, i1 := rowsOfPart(p, r.parts, r.top, n)
	r.applyRight(p, r.qt.Slice(i0, i1, r.first, n))
}

// setAdjoint sets to to the adjoint of f.
func setAdjoint[T dense.Scalar](to, f dense.Matrix[T]) {
	for i := range to.Rows {
		for j := range to.Cols {
			to.Set(i, j, dense.Conj(f.At(j, i)))
		}
	}
}

// multiplyAdd computes C = alpha A B + beta C on the calling goroutine, without a look at cancellation.
func multiplyAdd[T dense.Scalar](alpha T, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) {
	switch alpha := any(alpha).(type) {
	case float32:
		blas.GemmDirect(alpha, any(a).(dense.Matrix[float32]), any(b).(dense.Matrix[float32]),
			any(beta).(float32), any(c).(dense.Matrix[float32]))
	case float64:
		blas.GemmDirect(alpha, any(a).(dense.Matrix[float64]), any(b).(dense.Matrix[float64]),
			any(beta).(float64), any(c).(dense.Matrix[float64]))
	default:
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, any(alpha).(T), a, b, beta, c)
	}
}
