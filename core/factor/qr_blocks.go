package factor

import (
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

const (
	// Reflectors of a panel. Making those of a matrix with few columns is a large part of the work, so that panels are
	// narrow; complex ones have half as many.
	narrowQRPanel, wideQRPanel, widestQRPanel = 16, 32, 64
	wideQRColumns, widestQRColumns            = 192, 768
	// Reflectors of a panel that are applied to each other one by one.
	baseQRPanel = 8
)

// pivotStepWeight is the time of a multiply-add with pivots relative to one without: half of them are those of products
// of matrices and vectors, which wait for memory.
const pivotStepWeight = 3

// qrPanelWidth returns how many reflectors of a matrix of n columns form a panel.
func qrPanelWidth[T dense.Scalar](n int) int {
	switch {
	case n < wideQRColumns:
		return narrowQRPanel / dense.Parts[T]()
	case n < widestQRColumns:
		return wideQRPanel
	}
	return widestQRPanel
}

// qr is a QR factorization of an m x n matrix A in progress, on X = A^T: it is the LQ factorization of X. The product
// of the reflectors of a panel is P = I - V T V^H, and what is known of it is V^T, whose rows are those of X right of
// the diagonal, and S = conj(T). A row x^T of X becomes
//
//	(P^H x)^T = x^T - x^T (V^T)^H S V^T
//
// so that nothing has to be conjugated. Method: LAPACK's geqrf and orgqr.
type qr[T dense.Scalar] struct {
	team  *sched.Team
	x     dense.Matrix[T]
	width int // of a panel
	tau   []T
	s     dense.Matrix[T] // S of all panels, one below the other; zero below the diagonal
	vt    dense.Matrix[T] // V^T of a panel, with ones on its diagonal and zeros left of it
	w, ws dense.Matrix[T] // products of rows with (V^T)^H, and those times S
	inner [2]dense.Matrix[T]
	conj  []T // of the vector of a reflector, if it is complex
	sums  []T
	lent  workspace.Lent[T]
}

// newQR returns a factorization in lent memory for the transpose x of a matrix and for further rows to which its
// reflectors will be applied.
func newQR[T dense.Scalar](x dense.Matrix[T], moreRows int) *qr[T] {
	n, m := x.Rows, x.Cols
	width, k := qrPanelWidth[T](n), min(m, n)
	rows := max(n, moreRows, width)
	lent := workspace.Borrow[T](&workspace.Panels, qrElements[T](m, n, moreRows))
	memory := lent.Numbers
	take := func(rows, cols int) dense.Matrix[T] {
		taken := dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: memory[: rows*cols : rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	f := &qr[T]{x: x, width: width, lent: lent}
	f.vt, f.w, f.ws = take(width, m), take(rows, width), take(rows, width)
	f.s, f.tau = take(k, width), take(1, k).Data
	f.inner = [2]dense.Matrix[T]{take(width, width), take(width, width)}
	f.conj, f.sums = take(1, m).Data, take(1, width).Data
	clear(f.s.Data)
	return f
}

// qrElements returns how many numbers of memory newQR borrows.
func qrElements[T dense.Scalar](m, n, moreRows int) int {
	width, k := qrPanelWidth[T](n), min(m, n)
	return width*(m+2*max(n, moreRows, width)+k+2*width+1) + k + m
}

// QRWorkspace returns the memory in bytes that QRView takes beside its results, for an m x n matrix whose reflectors
// are applied to the given number of further rows, those of Q^T among them.
func QRWorkspace[T dense.Scalar](m, n, moreRows int) int64 {
	return int64(dense.Bytes[T]()) * int64(qrElements[T](m, n, moreRows))
}

// reducingSteps returns about the multiply-adds of reduce, divided by twice the width of a panel.
func (f *qr[T]) reducingSteps(withPivots bool) int {
	steps := 0
	if withPivots {
		for j := range f.tau {
			steps += f.pivotedSteps(j)
		}
		return steps
	}
	for first := 0; first < len(f.tau); first += f.width {
		steps += f.panelSteps(first, f.x.Rows-first)
	}
	return steps
}

// applyingSteps is reducingSteps for the application to rows, or for forming those of Q^T.
func (f *qr[T]) applyingSteps(rows int) int {
	steps := 0
	for first := 0; first < len(f.tau); first += f.width {
		steps += f.panelSteps(first, rows)
	}
	return steps
}

func (f *qr[T]) pivotedSteps(j int) int {
	return pivotStepWeight * (f.x.Cols - j) * (f.x.Rows - j) / f.width
}

func (f *qr[T]) panelSteps(first, rows int) int { return (f.x.Cols - first) * rows }

// reduce makes x lower triangular, with the vectors of the reflectors right of the diagonal.
func (f *qr[T]) reduce() error {
	n, m := f.x.Rows, f.x.Cols
	for first := 0; first < len(f.tau); first += f.width {
		if err := f.team.Err(); err != nil { // also here: a product follows before the next look
			return err
		}
		end := min(first+f.width, len(f.tau))
		p := f.panelAt(first, end)
		f.reducePanel(p, 0, end-first)
		f.update(f.team, p.vt, p.s, false, f.x.Slice(end, n, first, m))
		if err := f.team.Err(); err != nil {
			return err
		}
		f.team.Step(f.panelSteps(first, n-first))
	}
	return f.team.Err()
}

// qrPanel is a panel of reflectors: its rows of x, from its first column on, V^T and S.
type qrPanel[T dense.Scalar] struct {
	rows, vt, s dense.Matrix[T]
	tau         []T
}

func (f *qr[T]) panelAt(first, end int) qrPanel[T] {
	m, width := f.x.Cols, end-first
	return qrPanel[T]{
		rows: f.x.Slice(first, end, first, m), vt: f.vt.Slice(0, width, 0, m-first),
		s: f.s.Slice(first, end, 0, width), tau: f.tau[first:end],
	}
}

// reducePanel makes the reflectors of rows lo to hi-1 of a panel, to which the ones before have been applied, and
// their part of S.
func (f *qr[T]) reducePanel(p qrPanel[T], lo, hi int) {
	if hi-lo <= baseQRPanel {
		for j := lo; j < hi; j++ {
			f.reduceRow(p, lo, j)
		}
		return
	}
	cols := p.rows.Cols
	mid := lo + (hi-lo+1)/2
	f.reducePanel(p, lo, mid)
	first, s := p.vt.Slice(lo, mid, lo, cols), p.s.Slice(lo, mid, lo, mid)
	f.update(nil, first, s, false, p.rows.Slice(mid, hi, lo, cols))
	f.reducePanel(p, mid, hi)
	// The product of (I - V_1 T_1 V_1^H) and (I - V_2 T_2 V_2^H) has -T_1 (V_1^H V_2) T_2 in the corner of its T.
	w, ws := f.inner[0].Slice(0, mid-lo, 0, hi-mid), f.inner[1].Slice(0, mid-lo, 0, hi-mid)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, p.vt.Slice(lo, mid, mid, cols), p.vt.Slice(mid, hi, mid, cols), 0, w)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, w, p.s.Slice(mid, hi, mid, hi), 0, ws)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, s, ws, 0, p.s.Slice(lo, mid, mid, hi))
}

// reduceRow applies the reflectors of rows lo to j-1 of a panel to row j, makes its reflector, and extends the part of
// S that begins at lo.
func (f *qr[T]) reduceRow(p qrPanel[T], lo, j int) {
	cols, s := p.rows.Cols, p.s.Slice(lo, p.s.Rows, lo, p.s.Cols)
	x, v, before := p.rows.Row(j), p.vt.Row(j), p.vt.Slice(lo, j, lo, cols)
	sums := f.sums[:j-lo]
	if j > lo {
		blas.Gemv(nil, blas.NoTrans, 1, before, dense.Vec(f.conjugated(x[lo:])), 0, dense.Vec(sums))
		multiplyByTriangle(s, sums)
		blas.Gemv(nil, blas.Trans, 1, before, dense.Vec(sums), 1, dense.Vec(x[lo:]))
	}
	beta, tau := f.makeReflector(x[j:], v[j:])
	clear(v[:j])
	x[j] = beta
	p.tau[j] = tau
	if j > lo {
		blas.Gemv(nil, blas.NoTrans, 1, p.vt.Slice(lo, j, j, cols), dense.Vec(f.conjugated(v[j:])), 0, dense.Vec(sums))
	}
	householder.ExtendTriangle(s, dense.Conj(tau), sums)
}

// multiplyByTriangle replaces x by the negative of the vector whose conjugate is x, times the leading part of the upper
// triangular s.
func multiplyByTriangle[T dense.Scalar](s dense.Matrix[T], x []T) {
	dense.Conjugate(x)
	for q := len(x) - 1; q >= 0; q-- {
		var sum T
		for p, y := range x[:q+1] {
			sum += y * s.Data[p*s.Stride+q]
		}
		x[q] = -sum
	}
}

// makeReflector makes the reflector H with H^H x = beta e_1 for real beta. It writes its vector to v, and to x but for
// the first element.
func (f *qr[T]) makeReflector(x, v []T) (beta, tau T) {
	beta, tau = householder.GenerateReal(x, v)
	copy(x[1:], v[1:])
	return beta, tau
}

// conjugated returns conj(u), which is u if T is real.
func (f *qr[T]) conjugated(u []T) []T {
	if !dense.IsComplex[T]() {
		return u
	}
	dense.ConjugateTo(f.conj[:len(u)], u)
	return f.conj[:len(u)]
}

// update replaces rows by rows (I - (V^T)^H S V^T), or with adjoint by rows (I - (V^T)^H S^H V^T). Callers look at the
// team's error, after which rows are unfinished.
func (f *qr[T]) update(team *sched.Team, vt, s dense.Matrix[T], adjoint bool, rows dense.Matrix[T]) {
	w, ws := f.w.Slice(0, rows.Rows, 0, vt.Rows), f.ws.Slice(0, rows.Rows, 0, vt.Rows)
	blas.Gemm(team, blas.NoTrans, blas.ConjTrans, 1, rows, vt, 0, w)
	if team.Err() != nil {
		return
	}
	blas.Gemm(team, blas.NoTrans, transposeIf(adjoint), 1, w, s, 0, ws)
	if team.Err() != nil {
		return
	}
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, -1, ws, vt, 1, rows)
}

func transposeIf(adjoint bool) blas.Transpose {
	if adjoint {
		return blas.ConjTrans
	}
	return blas.NoTrans
}

// scalingExponentQR returns the k for which 2^k x is safe to work with. It is 0 unless elements are so large that norms
// of columns overflow or so small that rounding errors of the largest ones may be subnormal.
func scalingExponentQR[T dense.Scalar](x dense.Matrix[T]) int {
	exponent := workspace.Exponent(x)
	limit := dense.MaxExponent[T]() - workspace.HeadroomBits - bits.Len(uint(max(x.Rows, x.Cols)))
	if exponent < -workspace.WorkExponent[T]() {
		return -exponent
	}
	return min(exponent, limit) - exponent
}
