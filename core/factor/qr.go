package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

// QRResults are the parts of A = Q R that a caller wants, for an m x n matrix A and k = min(m, n). Matrices without
// columns or rows are not wanted, as is a nil Tau. The columns of matrices are contiguous: all work is done on
// transposes, so that vectors of reflectors are rows and none is copied to be applied.
type QRResults[T dense.Scalar] struct {
	// Q is m x k or m x m.
	Q dense.View[T]
	// R is k x n or m x n, with zeros below the diagonal.
	R dense.View[T]
	// Raw is m x n: R, and below its diagonal the vectors of the reflectors H_i = I - tau_i v_i v_i^H without their
	// leading elements, which are 1. Q = H_0 H_1 ... H_(k-1).
	Raw dense.View[T]
	// Tau has the k factors of the reflectors.
	Tau []T
	// Pivots makes column i of Q R column Pivots[i] of A: see QRView. It has n elements or is nil.
	Pivots []int64
	// Rows has m columns: it is overwritten by Rows Q, or with Transposed by Rows Q^T, for Q of m columns. With Conjugate
	// conj(Q) takes the place of Q.
	Rows                  dense.Matrix[T]
	Transposed, Conjugate bool
}

// QRView computes A = Q R with a unitary Q and an upper triangular R, whose diagonal is real but of any sign: LAPACK's
// geqrf and orgqr. With out.Pivots columns are interchanged, so that the moduli on the diagonal of R do not increase
// (geqp3). Without Q and Raw, R is m x n. a may be the same view as out.Raw.
//
// A matrix that is not finite is a *dense.ArgumentError, or with skipFiniteCheck gives NaNs. A matrix so large that R
// overflows is such an error in any case. Other errors are those of out's shapes and the
// team's; results are then unspecified.
//
// Cost: for m >= n, 2 m n^2 - 2/3 n^3 flops, as many again for a Q of n columns, and 4 m n for each row of out.Rows;
// about four times as many for complex matrices. Method: panels of columns, whose reflectors are made by recursive
// halving and applied in compact WY form by products of matrices (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000);
// with pivots half of the work is products of matrices and vectors (Quintana-Orti, Sun and Bischof, SIAM J. Sci.
// Comput. 19, 1998).
func QRView[T dense.Scalar](team *sched.Team, a dense.View[T], out QRResults[T], skipFiniteCheck bool) error {
	return decomposeQR(team, a, false, out, skipFiniteCheck)
}

// RQView computes A = R Q for an m x n matrix A and k = min(m, n): Q is k x n with orthonormal rows, or n x n, and R is
// m x k or m x n, zero where its last column and row meet the diagonal from below. The rows of both are contiguous. A q
// without rows is not computed; r is then m x n. Reflectors are those of LAPACK's gerqf.
//
// Errors and cost are those of QRView. Method: J A^H J, for the exchange matrix J, has the QR factorization (J Q^H J)
// (J R^H J).
func RQView[T dense.Scalar](team *sched.Team, a, q, r dense.View[T], skipFiniteCheck bool) error {
	flipped := a
	if a.Rows > 0 && a.Cols > 0 {
		flipped.Offset += (a.Rows-1)*a.RowStride + (a.Cols-1)*a.ColStride
		flipped.RowStride, flipped.ColStride = -a.RowStride, -a.ColStride
	}
	if err := decomposeQR(team, flipped.T(), true, QRResults[T]{Q: q.T(), R: r.T()}, skipFiniteCheck); err != nil {
		return err
	}
	for _, result := range []dense.View[T]{q, r} {
		if m, ok := result.Matrix(); ok {
			exchangeConjugates(m)
		}
	}
	return team.Err()
}

// exchangeConjugates replaces M by J conj(M) J.
func exchangeConjugates[T dense.Scalar](m dense.Matrix[T]) {
	for i, last := 0, m.Rows-1; i <= last; i, last = i+1, last-1 {
		top, bottom := m.Row(i), m.Row(last)
		for j := range top {
			from := len(top) - 1 - j
			if i == last && j > from {
				break
			}
			top[j], bottom[from] = dense.Conj(bottom[from]), dense.Conj(top[j])
		}
	}
}

// decomposeQR is QRView for A or, if conjugate is set, for conj(A).
func decomposeQR[T dense.Scalar](
	team *sched.Team, a dense.View[T], conjugate bool, out QRResults[T], skipFiniteCheck bool,
) error {
	x, err := out.workMatrix(a.Rows, a.Cols)
	if err != nil {
		return err
	}
	if finite, err := workspace.CheckFinite(team, a, skipFiniteCheck); !finite {
		out.setNaN()
		return err
	}
	if !sameMemory(a, x.View().T()) {
		if err := blas.CopyView(team, x.View(), a.T()); err != nil {
			return err
		}
	}
	if conjugate {
		workspace.Conjugate(x)
	}
	qt, _ := out.Q.T().Matrix()
	f := newQR(x, max(qt.Rows, out.Rows.Rows))
	defer f.lent.GiveBack()
	reducing, forming := f.reducingSteps(out.Pivots != nil), f.applyingSteps(qt.Rows)
	applying := f.applyingSteps(out.Rows.Rows)
	f.team = team.Plan(reducing + forming + applying)
	exponent := scalingExponentQR(x)
	workspace.Scale(x, exponent)
	if out.Pivots != nil {
		err = f.reduceWithPivots(out.Pivots)
	} else {
		err = f.reduce()
	}
	if err != nil {
		return err
	}
	f.scaleTriangle(-exponent)
	if exponent < 0 && blas.CheckFinite(nil, x.View(), "a") != nil {
		return dense.BadArgument("a", "elements are too large: those of R overflow")
	}
	if err := f.apply(out.Rows, out.Transposed, out.Conjugate); err != nil {
		return err
	}
	copy(out.Tau, f.tau)
	rt, _ := out.R.T().Matrix()
	if qt.Rows == 0 {
		f.writeTriangle(rt)
		return team.Err()
	}
	vectors := qt.Slice(0, len(f.tau), 0, qt.Cols)
	if !sameMemory(vectors.View(), x.Slice(0, len(f.tau), 0, x.Cols).View()) {
		vectors.CopyFrom(x.Slice(0, len(f.tau), 0, x.Cols))
	}
	f.writeTriangle(rt)
	f.x = vectors
	return f.form(qt)
}

// workMatrix returns the memory of a result in which A^T is reduced.
func (out *QRResults[T]) workMatrix(m, n int) (x dense.Matrix[T], err error) {
	k := min(m, n)
	for _, result := range []struct {
		name string
		dense.View[T]
		rows, cols int // of the other shape that it may have
	}{{"q", out.Q, m, k}, {"r", out.R, k, n}, {"raw", out.Raw, m, n}} {
		if result.Rows == 0 || result.Cols == 0 {
			continue
		}
		most := [2]int{m, n}
		if result.name == "q" {
			most[1] = m
		}
		if shape := [2]int{result.Rows, result.Cols}; shape != most && shape != [2]int{result.rows, result.cols} {
			return x, dense.BadArgument(result.name, "shape (%d, %d) does not fit a matrix of shape (%d, %d)",
				result.Rows, result.Cols, m, n)
		}
		if _, ok := result.T().Matrix(); !ok {
			return x, dense.BadArgument(result.name, "expected contiguous columns")
		}
	}
	from, name := out.R, "r"
	switch {
	case out.Raw.Cols > 0:
		from, name = out.Raw, "raw"
	case m >= n && out.Q.Cols > 0:
		from, name = out.Q, "q"
	}
	if k == 0 {
		return dense.Matrix[T]{Rows: n, Cols: m, Stride: m}, nil
	}
	if from.Rows != m || from.Cols < n {
		return x, dense.BadArgument(name, "expected %d rows, got %d", m, from.Rows)
	}
	x, _ = from.T().Matrix()
	return x.Slice(0, n, 0, m), nil
}

// setNaN is what becomes of a matrix that is not finite.
func (out *QRResults[T]) setNaN() {
	nan := workspace.NaN[T]()
	for _, result := range []dense.View[T]{out.Q, out.R, out.Raw, out.Rows.View()} {
		result.Fill(nan)
	}
	for i := range out.Tau {
		out.Tau[i] = nan
	}
	for i := range out.Pivots {
		out.Pivots[i] = int64(i)
	}
}
