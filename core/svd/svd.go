package svd

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
)

// tallRatio is the number of rows, relative to that of columns, from which on the QR factorization comes first.
const tallRatio = 1.6

// Results are the parts of A = U diag(Values) V^H that a caller wants, for an m x n matrix A and k = min(m, n).
type Results[T dense.Scalar] struct {
	// Values are the k singular values, in descending order.
	Values []float64
	// U is m x k or m x m. Its columns are the left singular vectors, and those of an orthonormal basis of the rest.
	// Without rows no vectors are computed.
	U dense.View[T]
	// Vh is k x n or n x n. Its rows are the conjugate right singular vectors. It has rows if U has some.
	Vh dense.View[T]
}

// Decompose computes the singular value decomposition of a. Residuals |A - U S V^H| and the errors of U and V from
// being unitary are a few units of roundoff, relative to |A|; so are those of the singular values.
//
// Errors: a *dense.ArgumentError for shapes that do not fit and a matrix that is not finite, which with skipFiniteCheck
// gives NaNs; a *tridiag.ConvergenceError; and the team's error. Results are then unspecified.
//
// Cost, in flops for an n x n real matrix: 8/3 n^3 for the reduction, half of them in products of matrices and vectors,
// 8/3 n^3 for the vectors of the bidiagonal matrix, less where values are close, and 4 n^3 for the reflectors.
func Decompose[T dense.Scalar](team *sched.Team, a dense.View[T], out Results[T], skipFiniteCheck bool) error {
	if err := out.check(a.Rows, a.Cols); err != nil {
		return err
	}
	if finite, err := workspace.CheckFinite(team, a, skipFiniteCheck); !finite {
		out.setNaN()
		return err
	}
	if a.Rows < a.Cols {
		// A^T = U S V^H is A = conj(V) S U^T.
		a, out.U, out.Vh = a.T(), out.Vh.T(), out.U.T()
	}
	if dense.IsSingle[T]() {
		return decompose[float32](team, a, out)
	}
	return decompose[float64](team, a, out)
}

// check returns an error unless the shapes of the results fit.
func (out *Results[T]) check(m, n int) error {
	k := min(m, n)
	if len(out.Values) != k {
		return dense.BadArgument("s", "expected %d elements, got %d", k, len(out.Values))
	}
	if out.U.Rows == 0 && out.Vh.Rows == 0 {
		return nil
	}
	if out.U.Rows != m || out.U.Cols != k && out.U.Cols != m {
		return dense.BadArgument("u", "expected shape (%d, %d) or (%d, %d), got (%d, %d)", m, k, m, m, out.U.Rows,
			out.U.Cols)
	}
	if out.Vh.Cols != n || out.Vh.Rows != k && out.Vh.Rows != n {
		return dense.BadArgument("vh", "expected shape (%d, %d) or (%d, %d), got (%d, %d)", k, n, n, n, out.Vh.Rows,
			out.Vh.Cols)
	}
	return nil
}

// setNaN is what becomes of a matrix that is not finite.
func (out *Results[T]) setNaN() {
	nan := workspace.NaN[T]()
	out.U.Fill(nan)
	out.Vh.Fill(nan)
	for i := range out.Values {
		out.Values[i] = dense.Real(nan)
	}
}

// Workspace returns the memory in bytes that Decompose takes beside its results.
func Workspace[T dense.Scalar](m, n, threads int, withVectors bool) int64 {
	if m < n {
		m, n = n, m
	}
	size := int64(m)*int64(n) + int64(bidiagonalizationElements(m, n))
	words := int64(0)
	if withVectors {
		size += 3 * int64(m) * int64(n)
		words = 2*int64(n+1)*int64(n+1) + int64(tridiag.SingularElements[float64](n, threads))
	}
	return size*int64(dense.Bytes[T]()) + words*int64(dense.Bytes[float64]())
}

// decomposition is a decomposition of a matrix with at least as many rows as columns; R is T's real type.
type decomposition[R dense.Float, T dense.Scalar] struct {
	team        *sched.Team
	out         Results[T]
	qr          dense.Matrix[T] // the vectors of the reflectors of a QR factorization, as rows, if there is one
	tau         []T
	reduced     *bidiagonalization[T]
	ut, vt      dense.Matrix[R] // singular vectors of the bidiagonal matrix, as rows
	withVectors bool
}

// decompose is Decompose for finite matrices with at least as many rows as columns.
func decompose[R dense.Float, T dense.Scalar](team *sched.Team, a dense.View[T], out Results[T]) error {
	n := a.Cols
	d := decomposition[R, T]{out: out, withVectors: out.U.Rows > 0}
	if n == 0 {
		d.emptyVectors()
		return nil
	}
	cost := d.costs(a.Rows, n)
	d.team = team.Plan(cost.factoring + cost.reducing + cost.solving + cost.applying)
	work, exponent, err := d.copyOf(a, cost)
	if err != nil {
		return err
	}
	var vt dense.Matrix[T]
	if d.withVectors {
		vt = dense.New[T](n, work.Rows)
	}
	phase := d.team.Phase(cost.reducing)
	d.reduced, err = reduce(phase, work, vt, make([]T, bidiagonalizationElements(work.Rows, n)))
	if err != nil {
		return err
	}
	phase.End()
	phase = d.team.Phase(cost.solving)
	if err := d.solve(phase); err != nil {
		return err
	}
	phase.End()
	copy(out.Values, d.reduced.b.D)
	blas.Ldexp(out.Values, -exponent)
	if d.withVectors {
		return d.backTransform()
	}
	return team.Err()
}

// costs are those of the parts of a decomposition, in multiply-adds of matrix products.
type costs struct{ factoring, reducing, solving, applying int }

func (d *decomposition[R, T]) costs(m, n int) (c costs) {
	if isTall(m, n) {
		c.factoring = m * n * n
		c.applying = 2 * d.out.U.Cols * m * n
		m = n
	}
	c.reducing = reduceSteps(m, n)
	c.solving = tridiag.SingularValuesCost(n)
	if d.withVectors {
		c.solving = tridiag.SingularPairsCost(n) / (dense.Parts[T]() * dense.Parts[T]())
		c.applying += 2*d.out.Vh.Rows*n*n + 2*d.out.U.Cols*m*n
	}
	return c
}

func isTall(m, n int) bool { return float64(m) >= tallRatio*float64(n) && n > 1 }

// emptyVectors sets U to the identity for a matrix without columns.
func (d *decomposition[R, T]) emptyVectors() {
	d.out.U.Fill(0)
	for i := range min(d.out.U.Rows, d.out.U.Cols) {
		d.out.U.Set(i, i, 1)
	}
}

// copyOf returns the matrix that is to be reduced: 2^exponent A, or R of its QR factorization, whose reflectors d
// keeps.
func (d *decomposition[R, T]) copyOf(a dense.View[T], cost costs) (dense.Matrix[T], int, error) {
	m, n := a.Rows, a.Cols
	if !isTall(m, n) {
		work := dense.New[T](m, n)
		err := blas.CopyView(d.team, work.View(), a)
		exponent := workspace.ScalingExponent(work)
		workspace.Scale(work, exponent)
		return work, exponent, err
	}
	d.qr, d.tau = dense.New[T](n, m), make([]T, n)
	raw, work := d.qr.View().T(), dense.New[T](n, n)
	if err := blas.CopyView(d.team, raw, a); err != nil {
		return work, 0, err
	}
	exponent := workspace.ScalingExponent(d.qr)
	workspace.Scale(d.qr, exponent)
	phase := d.team.Phase(cost.factoring)
	if err := factor.QRView(phase, raw, factor.QRResults[T]{Raw: raw, Tau: d.tau}, true); err != nil {
		return work, 0, err
	}
	phase.End()
	for i := range n {
		for j := i; j < n; j++ {
			work.Set(i, j, raw.At(i, j))
		}
	}
	return work, exponent, nil
}

// solve decomposes the bidiagonal matrix.
func (d *decomposition[R, T]) solve(team *sched.Team) error {
	b := d.reduced.b
	if !d.withVectors {
		return tridiag.SingularValues(team, b)
	}
	n := len(b.D)
	d.ut, d.vt = dense.New[R](n, n), dense.New[R](n+1, n+1)
	memory := make([]float64, tridiag.SingularElements[R](n, team.Threads()))
	return tridiag.SingularPairs(team, b, d.ut, d.vt, memory)
}

// backTransform computes the singular vectors of A from those of the bidiagonal matrix.
func (d *decomposition[R, T]) backTransform() error {
	n, reduced := len(d.out.Values), d.reduced
	rows := rowsOf(d.out.Vh, d.out.Vh.Rows)
	copyReals(rows, d.vt.Slice(0, n, 0, n))
	if n > 1 { // row i of the reduced matrix has a vector from column i+1 on
		x := reduced.a.Slice(0, n-1, 1, n)
		if err := d.apply(x, reduced.tauP[:n-1], rows.Slice(0, n, 1, n), true); err != nil {
			return err
		}
	}
	if err := storeRows(d.team, d.out.Vh, rows); err != nil {
		return err
	}
	rows = rowsOf(d.out.U.T(), d.out.U.Cols)
	copyReals(rows, d.ut)
	for i := n; i < rows.Rows; i++ {
		rows.Set(i, i, 1)
	}
	if err := d.apply(reduced.vt, reduced.tauQ, rows.Slice(0, rows.Rows, 0, reduced.vt.Cols), false); err != nil {
		return err
	}
	if d.qr.Rows > 0 {
		if err := d.apply(d.qr, d.tau, rows, false); err != nil {
			return err
		}
	}
	return storeRows(d.team, d.out.U.T(), rows)
}

// apply multiplies rows by Q^T, for the product Q of reflectors whose vectors are rows of x, or with conjugate by Q^H.
func (d *decomposition[R, T]) apply(x dense.Matrix[T], tau []T, rows dense.Matrix[T], conjugate bool) error {
	phase := d.team.Phase(2 * rows.Rows * x.Rows * x.Cols)
	q, err := factor.NewReflectors(d.team, x, tau, rows.Rows)
	if err != nil {
		return err
	}
	defer q.GiveBack()
	if err := q.Apply(phase.Plan(q.ApplySteps(rows.Rows)), rows, true, conjugate); err != nil {
		return err
	}
	phase.End()
	return nil
}

// rowsOf returns the memory of a result, if its rows are contiguous, or of a matrix like it. Its elements are zero.
func rowsOf[T dense.Scalar](result dense.View[T], count int) dense.Matrix[T] {
	m, ok := result.Matrix()
	if !ok || m.Rows != count {
		return dense.New[T](count, result.Cols)
	}
	m.Clear()
	return m
}

// storeRows copies rows to the result, unless they are in its memory.
func storeRows[T dense.Scalar](team *sched.Team, result dense.View[T], rows dense.Matrix[T]) error {
	if m, ok := result.Matrix(); ok && len(m.Data) > 0 && &m.Data[0] == &rows.Data[0] {
		return nil
	}
	return blas.CopyView(team, result, rows.View())
}

// copyReals copies a real matrix to the first elements of the first rows of another one.
func copyReals[T dense.Scalar, R dense.Float](to dense.Matrix[T], from dense.Matrix[R]) {
	dense.Copy(to.Slice(0, from.Rows, 0, from.Cols).View(), from.View())
}
