package schur

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// reduce overwrites a by the Hessenberg matrix H of A = Q H Q^H and, unless it has no rows, qt by Q^H.
//
// Reflectors are made a panel of columns at a time. A panel's product is P = I - V T V^H for the vectors V and an upper triangular T; inside of the panel only
// the products A v are formed, one pass over the matrix for each reflector, and the rest of the matrix follows in the end:
//
//	A <- P^H (A - Y V^H),  Y = A V T
//
// Source: Quintana-Orti and van de Geijn, Improving the performance of reduction to Hessenberg form, ACM Trans. Math. Softw. 32, 2006, and LAPACK's gehrd,
// whose form of the panel this is.
func reduce[W dense.Scalar](team *sched.Team, a, qt dense.Matrix[W]) error {
	n := a.Rows
	count := max(0, n-2) // of reflectors
	r := newReduction(team, a, qt)
	for first := 0; first < count; first += r.width {
		if err := r.panel(first, min(first+r.width, count)); err != nil {
			return err
		}
	}
	team.Step(n - count) // the last columns need no work
	if qt.Rows == 0 {
		return team.Err()
	}
	return r.accumulate()
}

// panelWidth returns how many reflectors are applied together for a matrix of order n.
func panelWidth(n int) int {
	const narrow, wide, leastWide = 8, 16, 192
	if n < leastWide {
		return narrow
	}
	return wide
}

// reduction is the work on one matrix. Vectors are rows here: vh holds V^H, yt holds Y^T.
type reduction[W dense.Scalar] struct {
	team   *sched.Team
	a, qt  dense.Matrix[W]
	width  int
	vh, yt dense.Matrix[W] // of the current panel; with qt, the vectors are kept there until it is accumulated
	// Triangular factors of all panels, one below the other.
	factors dense.Matrix[W]
	column  []W // that is being eliminated, then the vector of its reflector
	sums    []W // inner products with the vectors of a panel
	product dense.Matrix[W]
}

func newReduction[W dense.Scalar](team *sched.Team, a, qt dense.Matrix[W]) *reduction[W] {
	n, width := a.Rows, panelWidth(a.Rows)
	r := &reduction[W]{team: team, a: a, qt: qt, width: width, column: make([]W, n), sums: make([]W, 2*width)}
	stride := paddedStride[W](n)
	matrix := func(rows int) dense.Matrix[W] {
		return dense.Matrix[W]{Rows: rows, Cols: n, Stride: stride, Data: newAligned[W](rows * stride)}
	}
	r.vh, r.yt, r.product = matrix(width), matrix(width), matrix(2*width)
	r.factors = dense.New[W](n, width)
	return r
}

// panel reduces the columns from first on, before end.
func (r *reduction[W]) panel(first, end int) error {
	for k := first; k < end; k++ {
		if err := r.team.Err(); err != nil {
			return err
		}
		r.eliminate(first, k)
		r.team.Step(1)
	}
	vh := r.vh.Slice(0, end-first, 0, r.vh.Cols)
	if r.qt.Rows > 0 {
		for i := range vh.Rows {
			copy(r.qt.Row(first + i)[first+1:], vh.Row(i)[first+1:])
		}
	}
	r.update(first, end)
	return r.team.Err()
}

// eliminate makes the reflector of column k of the panel that begins with column first.
func (r *reduction[W]) eliminate(first, k int) {
	n, j, lead := r.a.Rows, k-first, first+1 // row lead and those below change
	x, factor := r.column, r.factors.Slice(first, min(first+r.width, n), 0, r.width)
	for i := lead; i < n; i++ {
		x[i] = r.a.Data[i*r.a.Stride+k]
	}
	vh, yt := r.vh.Slice(0, j, lead, n), r.yt.Slice(0, j, lead, n)
	coefficients, sums := r.sums[:j], dense.Vec(r.sums[r.width:r.width+j])
	current := dense.Vec(x[lead:])
	if j > 0 {
		for q := range coefficients {
			coefficients[q] = r.vh.Data[q*r.vh.Stride+k]
		}
		blas.Gemv(nil, blas.Trans, -1, yt, dense.Vec(coefficients), 1, current)
		blas.Gemv(nil, blas.NoTrans, 1, vh, current, 0, sums)
		multiplyAdjoint(factor, sums.Data)
		blas.Gemv(nil, blas.ConjTrans, -1, vh, sums, 1, current)
	}
	for i := lead; i <= k; i++ {
		r.a.Data[i*r.a.Stride+k] = x[i]
	}
	v := x[k+1:]
	beta, tau := householder(v)
	r.a.Set(k+1, k, beta)
	for i := k + 2; i < n; i++ {
		r.a.Data[i*r.a.Stride+k] = 0
	}
	row := r.vh.Row(j)
	clear(row[lead : k+1])
	if tau == 0 {
		clear(v)
	}
	conjugateTo(row[k+1:], v)
	y := dense.Vec(r.yt.Row(j)[lead:])
	blas.Gemv(r.team, blas.NoTrans, tau, r.a.Slice(lead, n, k+1, n), dense.Vec(v), 0, y)
	factor.Set(j, j, tau)
	if j > 0 {
		blas.Gemv(nil, blas.NoTrans, 1, r.vh.Slice(0, j, k+1, n), dense.Vec(v), 0, sums)
		blas.Gemv(nil, blas.Trans, -tau, yt, sums, 1, y)
		extendFactor(factor, tau, sums.Data)
	}
}

// multiplyAdjoint replaces x by F^H x for the upper triangular F.
func multiplyAdjoint[W dense.Scalar](f dense.Matrix[W], x []W) {
	for q := len(x) - 1; q >= 0; q-- {
		var sum W
		for p := 0; p <= q; p++ {
			sum += dense.Conj(f.At(p, q)) * x[p]
		}
		x[q] = sum
	}
}

// extendFactor sets the elements above the diagonal of the next column of F to -tau F x.
func extendFactor[W dense.Scalar](f dense.Matrix[W], tau W, x []W) {
	for p := range x {
		var sum W
		for q := p; q < len(x); q++ {
			sum += f.At(p, q) * x[q]
		}
		f.Set(p, len(x), -tau*sum)
	}
}

// update applies the reflectors of the panel to the columns behind it, and from the right to the rows above it.
func (r *reduction[W]) update(first, end int) {
	n, width, lead := r.a.Rows, end-first, first+1
	vh := r.vh.Slice(0, width, lead, n)
	factor := r.factors.Slice(first, end, 0, width)
	rows := r.rows(lead, width)
	top := r.a.Slice(0, lead, lead, n)
	blas.Gemm(r.team, blas.NoTrans, blas.ConjTrans, 1, top, vh, 0, rows[0])
	blas.Gemm(r.team, blas.NoTrans, blas.NoTrans, 1, rows[0], factor, 0, rows[1])
	blas.Gemm(r.team, blas.NoTrans, blas.NoTrans, -1, rows[1], vh, 1, top)
	behind := r.a.Slice(lead, n, end, n)
	blas.Gemm(r.team, blas.Trans, blas.NoTrans, -1, r.yt.Slice(0, width, lead, n), r.vh.Slice(0, width, end, n), 1, behind)
	sums, product := r.product.Slice(0, width, 0, n-end), r.product.Slice(r.width, r.width+width, 0, n-end)
	blas.Gemm(r.team, blas.NoTrans, blas.NoTrans, 1, vh, behind, 0, sums)
	blas.Gemm(r.team, blas.ConjTrans, blas.NoTrans, 1, factor, sums, 0, product)
	blas.Gemm(r.team, blas.ConjTrans, blas.NoTrans, -1, vh, product, 1, behind)
}

// rows returns two matrices of count rows, at most the order, and as many columns as a panel, in the memory of products.
func (r *reduction[W]) rows(count, width int) (m [2]dense.Matrix[W]) {
	half := len(r.product.Data) / 2
	for i := range m {
		m[i] = dense.Matrix[W]{Rows: count, Cols: width, Stride: r.width, Data: r.product.Data[i*half:][:half]}
	}
	return m
}

// accumulate overwrites qt, whose row k holds the adjoint of the vector of reflector k right of the diagonal, by the product Q^H = ... P_1^H P_0^H of the
// panels. Starting from the identity and the last panel, only the trailing rows and columns that already differ from the identity take part.
func (r *reduction[W]) accumulate() error {
	n, count := r.qt.Rows, r.qt.Rows-2
	unit := func(first, end int) {
		for i := first; i < end; i++ {
			clear(r.qt.Row(i))
			r.qt.Set(i, i, 1)
		}
	}
	if count < 1 {
		unit(0, n)
		return nil
	}
	last := (count - 1) / r.width * r.width
	below := n
	for first := last; first >= 0; first -= r.width {
		if err := r.team.Err(); err != nil {
			return err
		}
		end, lead := min(first+r.width, count), first+1
		width := end - first
		vh := r.vh.Slice(0, width, lead, n)
		for i := range width {
			row := vh.Row(i)
			clear(row[:i])
			copy(row[i:], r.qt.Row(first + i)[lead+i:])
		}
		unit(lead, below)
		below = lead
		rows := r.rows(n-lead, width)
		trailing, factor := r.qt.Slice(lead, n, lead, n), r.factors.Slice(first, end, 0, width)
		blas.Gemm(r.team, blas.NoTrans, blas.ConjTrans, 1, trailing, vh, 0, rows[0])
		blas.Gemm(r.team, blas.NoTrans, blas.ConjTrans, 1, rows[0], factor, 0, rows[1])
		blas.Gemm(r.team, blas.NoTrans, blas.NoTrans, -1, rows[1], vh, 1, trailing)
	}
	unit(0, below)
	return r.team.Err()
}

// conjugateTo sets to to the complex conjugate of from.
func conjugateTo[W dense.Scalar](to, from []W) {
	if !dense.IsComplex[W]() {
		copy(to, from)
		return
	}
	for i, x := range from {
		to[i] = dense.Conj(x)
	}
}
