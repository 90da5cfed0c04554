package schur

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// reduce overwrites a by the Hessenberg matrix H of A = Q H Q^H and, unless it has no rows, qt by Q^H.
//
// Reflectors are made a panel of columns at a time. A panel's product is P = I - V T V^H for the vectors V and an upper triangular T; inside of the panel only
// the products A v and v^H A are formed, one pass over the matrix for each reflector, and the rest of the matrix follows in the end, in another pass:
//
//	A <- P^H (A - Y V^H) = A - [Y V] [V^H; W],  Y = A V T,  W = T^H (V^H A - (V^H Y) V^H)
//
// Source: Quintana-Orti and van de Geijn, Improving the performance of reduction to Hessenberg form, ACM Trans. Math. Softw. 32, 2006, and LAPACK's gehrd,
// whose form of the panel this is.
func reduce[W dense.Scalar](team *sched.Team, a, qt dense.Matrix[W]) error {
	c := costsOf[W](a.Rows, qt.Rows > 0)
	team = team.Plan(c.reduction + c.accumulation)
	switch n := a.Rows; {
	case n < leastPanels && dense.IsSingle[W]():
		return reduceByPasses[W, float32](team, a, qt)
	case n < leastPanels:
		return reduceByPasses[W, float64](team, a, qt)
	}
	r := newReduction(team, a, qt)
	defer r.kept.GiveBack()
	if a.Rows < leastShared {
		return r.run()
	}
	return team.Rounds(sharedParts, r.part, func(rounds *sched.Rounds) error {
		r.rounds = rounds
		return r.run()
	})
}

// Cuts of the work. They depend on nothing but the order and the type, so that threads do not change the result.
const (
	// From this order on a pass over the matrix is cut into parts, which threads share.
	leastShared = 160
	// From this order on reflectors are applied a panel at a time.
	leastPanels = 160
	sharedParts = 4
	// Rows of a product at a time, the operands of which then stay in the second cache.
	rowsAtOnce = 32
	// Complex factors are rearranged for each product, so that more rows are to follow.
	complexRowsAtOnce = 128
)

// panelWidth is how many reflectors are applied together.
const panelWidth = 16

// reduction is the work on one matrix. Vectors are rows where they are made; columns are numbered as those of the matrix, so that what is left of the first
// one of a panel's work is unused.
type reduction[W dense.Scalar] struct {
	kept                   kept[W]
	team                   *sched.Team
	reducing, accumulating *sched.Team   // phases of the team
	rounds                 *sched.Rounds // nil: the parts are done one after the other
	pass                   func(p int)   // the current work on a part
	a, qt                  dense.Matrix[W]
	width                  int
	factors                dense.Matrix[W] // T of all panels, one below the other

	// Of the current panel, whose vectors change the rows from lead on:
	lead, first, end int
	columns          dense.Matrix[W] // the columns that are eliminated
	yt               dense.Matrix[W] // Y^T
	right            dense.Matrix[W] // V^H, and W below it
	left             dense.Matrix[W] // Y, and V right of it
	scaled           dense.Matrix[W] // V T, or V T^H
	sums             dense.Matrix[W] // V^H A, a part's below that of the one before
	crossed          dense.Matrix[W] // sums of the imaginary parts for those of a complex vector, a row for each part
	rests            dense.Matrix[W] // products with scaled, a part's below that of the one before
	parts            int             // of its passes over the matrix

	// Of the current reflector, which is that of column k:
	k            int
	begin        int // first column of the passes, at most that of v and the first one of a line of the cache
	v            []W // its vector, with zeros before it
	conj, turned []W // if it is complex, conj(v) and i conj(v)
	y            []W // A v
	coefficients []W
}

// newReduction takes about reductionElements numbers of memory.
func newReduction[W dense.Scalar](team *sched.Team, a, qt dense.Matrix[W]) *reduction[W] {
	n, width := a.Rows, panelWidth
	parts, stride := partsOf(n), paddedStride[W](n)
	kept := borrow[W](&keptPanels, reductionElements[W](n))
	memory := kept.numbers
	take := func(rows, cols, stride int) (m dense.Matrix[W]) {
		m = dense.Matrix[W]{Rows: rows, Cols: cols, Stride: stride, Data: memory[:rows*stride]}
		memory = memory[rows*stride:]
		return m
	}
	c := costsOf[W](n, qt.Rows > 0)
	r := &reduction[W]{kept: kept, team: team, a: a, qt: qt, width: width}
	r.reducing, r.accumulating = team.Phase(c.reduction), team.Phase(c.accumulation)
	r.columns, r.yt, r.right = take(width, n, stride), take(width, n, stride), take(2*width, n, stride)
	r.sums = take(parts*width, n, stride)
	r.v = take(1, n, stride).Row(0)
	if dense.IsComplex[W]() {
		r.conj, r.turned = take(1, n, stride).Row(0), take(1, n, stride).Row(0)
		r.crossed = take(parts, n, stride)
	}
	r.left, r.scaled = take(n, 2*width, 2*width), take(n, width, width)
	r.factors = take(n, width, width)
	clear(r.factors.Data)
	r.rests = take(parts*rowsOf[W](), width, width)
	r.coefficients = take(1, width, width).Row(0)
	return r
}

// reductionElements returns how many numbers the reduction of a matrix of order n keeps besides the matrices.
func reductionElements[W dense.Scalar](n int) int {
	if n < leastPanels {
		return passesElements[W](n)
	}
	const rows, columns = 4, 4 // of the panel's width: columns, yt and right; left, scaled and factors
	width, parts, vectors := panelWidth, partsOf(n), 1
	if dense.IsComplex[W]() {
		vectors += 2 + parts
	}
	return (width*(rows+parts)+vectors)*paddedStride[W](n) + width*(columns*n+parts*rowsOf[W]()+1)
}

func partsOf(n int) int {
	if n < leastShared {
		return 1
	}
	return sharedParts
}

func rowsOf[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return complexRowsAtOnce
	}
	return rowsAtOnce
}

// run does all the work.
func (r *reduction[W]) run() error {
	n := r.a.Rows
	count := max(0, n-2) // of reflectors
	r.reducing.Plan(reductionSteps(n))
	for first := 0; first < count; first += r.width {
		if err := r.panel(first, min(first+r.width, count)); err != nil {
			return err
		}
	}
	r.reducing.End()
	if r.qt.Rows == 0 {
		return r.team.Err()
	}
	return r.accumulate()
}

// part does a part of the current pass.
func (r *reduction[W]) part(p int) { r.pass(p) }

// share does all parts of a pass.
func (r *reduction[W]) share(parts int, pass func(p int)) error {
	if err := r.team.Err(); err != nil {
		return err
	}
	if parts == 1 {
		pass(0)
		return nil
	}
	r.pass = pass
	return r.rounds.Do()
}

// rowsOfPart returns the rows of one of the parts of those from begin on, before end.
func rowsOfPart(p, parts, begin, end int) (i0, i1 int) {
	const group = 8 // rows that the kernels take together
	each := (end - begin + parts*group - 1) / (parts * group) * group
	return min(end, begin+p*each), min(end, begin+(p+1)*each)
}

// set says which panel is the current one.
func (r *reduction[W]) set(first, end int) {
	r.first, r.end, r.lead = first, end, first+1
	r.parts = partsOf(r.a.Rows - r.lead)
}

// panel reduces the columns from first on, before end.
func (r *reduction[W]) panel(first, end int) error {
	r.set(first, end)
	n, width := r.a.Rows, end-first
	columns := r.columns.Slice(0, width, r.lead, n)
	panel := r.a.Slice(r.lead, n, first, end)
	if err := blas.CopyView(nil, columns.View(), panel.View().T()); err != nil {
		return err
	}
	multiply := r.multiply
	for k := first; k < end; k++ {
		if err := r.eliminate(k, multiply); err != nil {
			return err
		}
		r.reducing.Reach(reduced(n, n-1-k))
	}
	if err := blas.CopyView(nil, panel.View(), columns.View().T()); err != nil {
		return err
	}
	if r.qt.Rows > 0 {
		for i := range width {
			copy(r.qt.Row(first + i)[r.lead:], r.right.Row(i)[r.lead:])
		}
	}
	if r.isIdentity() {
		return nil
	}
	return r.update()
}

// isIdentity reports whether all reflectors of the panel are the identity.
func (r *reduction[W]) isIdentity() bool {
	for k := r.first; k < r.end; k++ {
		if r.factors.At(k, k-r.first) != 0 {
			return false
		}
	}
	return true
}

// factor returns T of the current panel.
func (r *reduction[W]) factor() dense.Matrix[W] {
	return r.factors.Slice(r.first, r.end, 0, r.end-r.first)
}

// update applies the reflectors of the panel to the columns behind it, and from the right to the rows above it.
func (r *reduction[W]) update() error {
	n, width := r.a.Rows, r.end-r.first
	sums := r.sums.Slice(0, width, r.end, n)
	for p := 1; p < r.parts; p++ {
		for i := range width {
			blas.Axpy(1, dense.Vec(r.sums.Row(p*r.width + i)[r.end:]), dense.Vec(sums.Row(i)))
		}
	}
	vh, y := r.right.Slice(0, width, r.lead, n), r.left.Slice(r.lead, n, 0, width)
	if err := blas.CopyView(nil, y.View(), r.yt.Slice(0, width, r.lead, n).View().T()); err != nil {
		return err
	}
	v, err := r.vectors(width)
	if err != nil {
		return err
	}
	square := r.rests.Slice(0, width, 0, width)
	multiplied(1, vh, y, 0, square)
	multiplied(-1, square, r.right.Slice(0, width, r.end, n), 1, sums)
	setAdjoint(square, r.factor())
	multiplied(1, square, sums, 0, r.right.Slice(width, 2*width, r.end, n))
	multiplied(1, v, r.factor(), 0, r.scaled.Slice(r.lead, n, 0, width))
	clear(r.scaled.Row(r.first)) // the first column of the panel takes part to begin with a whole line of the cache
	return r.share(partsOf(n), r.change)
}

// vectors writes V into left, from a column on, and returns it.
func (r *reduction[W]) vectors(column int) (v dense.Matrix[W], err error) {
	n, width := r.a.Rows, r.end-r.first
	v = r.left.Slice(r.lead, n, column, column+width)
	err = blas.CopyView(nil, v.View(), r.right.Slice(0, width, r.lead, n).View().T())
	conjugate(v)
	return v, err
}

// setAdjoint sets to to the adjoint of the upper triangular f.
func setAdjoint[W dense.Scalar](to, f dense.Matrix[W]) {
	for i := range to.Rows {
		for j := range to.Cols {
			to.Set(i, j, dense.Conj(f.At(j, i)))
		}
	}
}

// change does the update of a part of the rows.
func (r *reduction[W]) change(p int) {
	n, width := r.a.Rows, r.end-r.first
	parts := partsOf(n)
	i0, i1 := rowsOfPart(p, parts, 0, r.lead)
	r.applyRight(p, r.a.Slice(i0, i1, r.first, n))
	i0, i1 = rowsOfPart(p, parts, r.lead, n)
	right := r.right.Slice(0, 2*width, r.end, n)
	for i := i0; i < i1; i += rowsOf[W]() {
		end := min(i1, i+rowsOf[W]())
		multiplied(-1, r.left.Slice(i, end, 0, 2*width), right, 1, r.a.Slice(i, end, r.end, n))
	}
}

// applyRight multiplies m by the panel's I - scaled V^H from the right, some rows at a time.
func (r *reduction[W]) applyRight(p int, m dense.Matrix[W]) {
	n, width, step := r.a.Rows, r.end-r.first, rowsOf[W]()
	vh, scaled := r.right.Slice(0, width, r.first, n), r.scaled.Slice(r.first, n, 0, width)
	for i := 0; i < m.Rows; i += step {
		rows := m.Slice(i, min(m.Rows, i+step), 0, m.Cols)
		rest := r.rests.Slice(p*step, p*step+rows.Rows, 0, width)
		multiplied(1, rows, scaled, 0, rest)
		multiplied(-1, rest, vh, 1, rows)
	}
}

// accumulate overwrites qt, whose row k holds the adjoint of the vector of reflector k right of the diagonal, by the product Q^H = ... P_1^H P_0^H of the
// panels. Starting from the identity and the last panel, only the trailing rows and columns that already differ from the identity take part.
func (r *reduction[W]) accumulate() error {
	n, count := r.qt.Rows, r.qt.Rows-2
	r.accumulating.Plan(n * n * n)
	unit := func(first, end int) {
		for i := first; i < end; i++ {
			clear(r.qt.Row(i))
			r.qt.Set(i, i, 1)
		}
	}
	below := n
	if count > 0 {
		for first := (count - 1) / r.width * r.width; first >= 0; first -= r.width {
			r.set(first, min(first+r.width, count))
			width := r.end - first
			for i := range width {
				row := r.right.Row(i)
				clear(row[first : r.lead+i])
				copy(row[r.lead+i:], r.qt.Row(first + i)[r.lead+i:])
			}
			clear(r.scaled.Row(first))
			unit(r.lead, below)
			below = r.lead
			if r.isIdentity() {
				continue
			}
			v, err := r.vectors(0)
			if err != nil {
				return err
			}
			square := r.rests.Slice(0, width, 0, width)
			setAdjoint(square, r.factor())
			multiplied(1, v, square, 0, r.scaled.Slice(r.lead, n, 0, width))
			if err := r.share(r.parts, r.turn); err != nil {
				return err
			}
			r.accumulating.Reach((n - first) * (n - first) * (n - first))
		}
	}
	unit(0, below)
	r.accumulating.End()
	return r.team.Err()
}

// turn applies the panel to a part of the rows of qt.
func (r *reduction[W]) turn(p int) {
	n := r.a.Rows
	i0, i1 := rowsOfPart(p, r.parts, r.lead, n)
	r.applyRight(p, r.qt.Slice(i0, i1, r.first, n))
}

// multiplied computes C = alpha A B + beta C on the calling goroutine, without a look at cancellation.
func multiplied[W dense.Scalar](alpha W, a, b dense.Matrix[W], beta W, c dense.Matrix[W]) {
	switch alpha := any(alpha).(type) {
	case float32:
		blas.GemmDirect(alpha, any(a).(dense.Matrix[float32]), any(b).(dense.Matrix[float32]), any(beta).(float32), any(c).(dense.Matrix[float32]))
	case float64:
		blas.GemmDirect(alpha, any(a).(dense.Matrix[float64]), any(b).(dense.Matrix[float64]), any(beta).(float64), any(c).(dense.Matrix[float64]))
	default:
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, any(alpha).(W), a, b, beta, c)
	}
}
