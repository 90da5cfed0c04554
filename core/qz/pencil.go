package qz

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
)

// pencil is a pair of matrices during a decomposition, A = Q S Z^H and B = Q P Z^H. Q and Z are stored transposed, so
// that rotations of rows and of columns of the pair are rotations of rows for both; they have no rows if they are not
// wanted. Q^T gets the complex conjugates of the rotations of the rows of S and P, Z^T the rotations of their columns.
type pencil[T dense.Wide] struct {
	team         *sched.Team
	s, p, qt, zt dense.Matrix[T]
	valuesOnly   bool // nothing is wanted but eigenvalues: sweeps leave out what is outside of their block
	// Frobenius norms of S and P, which unitary transformations preserve.
	normS, normP float64
	strips       [updateParts][]T // memory of applyRight
	column       []T              // memory of reduceColumn
}

func (m *pencil[T]) order() int { return m.s.Rows }

// rotateRows applies g to rows k and k+1 of the pair: from column fromS of S and from column fromP of P on.
func (m *pencil[T]) rotateRows(k int, g householder.Givens[T], fromS, fromP int) {
	householder.RotateRows(g, m.s.Row(k)[fromS:], m.s.Row(k + 1)[fromS:])
	householder.RotateRows(g, m.p.Row(k)[fromP:], m.p.Row(k + 1)[fromP:])
	if m.qt.Rows > 0 {
		householder.RotateRows(g.Conj(), m.qt.Row(k), m.qt.Row(k+1))
	}
}

// rotateColumns applies g to columns k and k+1 of the pair: in the rows of S before endS and in those of P before endP.
func (m *pencil[T]) rotateColumns(k int, g householder.Givens[T], endS, endP int) {
	householder.RotateColumns(g, m.s, k, 0, endS)
	householder.RotateColumns(g, m.p, k, 0, endP)
	if m.zt.Rows > 0 {
		householder.RotateRows(g, m.zt.Row(k), m.zt.Row(k+1))
	}
}

// multiplyColumn multiplies column k of S, whose last nonzero row is last, of P and of Z by a number of modulus 1.
func (m *pencil[T]) multiplyColumn(k, last int, factor T) {
	for i := range last + 1 {
		m.s.Set(i, k, m.s.At(i, k)*factor)
	}
	for i := range k + 1 {
		m.p.Set(i, k, m.p.At(i, k)*factor)
	}
	if m.zt.Rows > 0 {
		row := m.zt.Row(k)
		for j := range row {
			row[j] *= factor
		}
	}
}

// makePositive makes P[k,k], where row k is a diagonal block by itself, real and nonnegative.
func (m *pencil[T]) makePositive(k int) {
	x := m.p.At(k, k)
	size := dense.FromReal[T](dense.Abs(x))
	if x != size {
		m.multiplyColumn(k, k, dense.Conj(householder.Phase(x)))
	}
	m.p.Set(k, k, size)
}

// inBlock reports whether row k belongs to a 2 x 2 diagonal block.
func (m *pencil[T]) inBlock(k int) bool { return m.startsBlock(k) || (k > 0 && m.startsBlock(k-1)) }

// startsBlock reports whether row k is the first row of a 2 x 2 diagonal block.
func (m *pencil[T]) startsBlock(k int) bool { return k+1 < m.order() && m.s.At(k+1, k) != 0 }

// quotient returns S P^-1 for the 2 x 2 diagonal blocks of rows k and k+1; that of P is nonsingular.
func (m *pencil[T]) quotient(k int) (q [2][2]T) {
	p00, p01, p11 := m.p.At(k, k), m.p.At(k, k+1), m.p.At(k+1, k+1)
	for i := range q {
		q[i][0] = m.s.At(k+i, k) / p00
		q[i][1] = (m.s.At(k+i, k+1) - q[i][0]*p01) / p11
	}
	return q
}

// updateParts is the number of independent parts of an update of the pair and the factors. There are only two, so that
// each stays in the cache of one processor: with S, P, Q and Z as parts, two threads are slower than one.
const updateParts = 2

// share executes both parts of an update: one for S and one for P, each with the columns from first on and before end,
// together all, of Q^T and Z^T. They are shared if the team finds the work enough, of which least is worth a second
// thread.
func (m *pencil[T]) share(work, least int, update func(part int, a dense.Matrix[T], first, end int)) error {
	n := m.order()
	if !m.team.WorthSharing(work, least) {
		update(0, m.s, 0, n)
		update(1, m.p, n, n)
		return m.team.Err()
	}
	middle := n / 2 &^ (dense.LineBytes/dense.Bytes[T]() - 1) // at the border of a cache line
	return m.team.For(updateParts, func(_, part int) error {
		if part == 0 {
			update(part, m.s, 0, middle)
		} else {
			update(part, m.p, middle, n)
		}
		return nil
	})
}

// frobenius returns the Frobenius norm of a.
func frobenius[T dense.Wide](a dense.Matrix[T]) float64 {
	if len(a.Data) == a.Rows*a.Stride { // between the rows is nothing but zeros
		return blas.Nrm2(dense.Vec(a.Data))
	}
	norm := 0.0
	for i := range a.Rows {
		norm = math.Hypot(norm, blas.Nrm2(a.RowVec(i, 0, a.Cols)))
	}
	return norm
}

// isZero reports whether all elements of x are zero.
func isZero[T dense.Scalar](x dense.Vector[T]) bool {
	for i := range x.N {
		if x.Data[i*x.Inc] != 0 {
			return false
		}
	}
	return true
}

// widen converts x to complex128.
func widen[T dense.Wide](x T) complex128 { return complex(dense.Real(x), dense.Imag(x)) }

func cube(n int) int { return n * n * n }
