package qz

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
)

// reduceToHessenberg brings a pair with a triangular P to Hessenberg-triangular form: it reduces one column of S after
// the other by rotations of rows, each followed by a rotation of columns that makes P triangular again. A pair that
// already has the form is not changed.
//
// Method: LAPACK's gghrd; Golub and Van Loan, algorithm 7.7.1.
func (m *pencil[T]) reduceToHessenberg() error {
	n := m.order()
	m.team.Plan(n * n)
	left, right := make([]householder.Givens[T], n), make([]householder.Givens[T], n)
	for j := range n {
		if err := m.team.Err(); err != nil {
			return err
		}
		if count := n - j - 2; count > 0 && !isZero(m.s.ColVec(j, j+2, n)) {
			if err := m.reduceColumn(j, left[:count], right[:count]); err != nil {
				return err
			}
		}
		m.team.Reach(n*n - (n-1-j)*(n-1-j))
	}
	return nil
}

// triangularize makes P upper triangular by Hermitian reflectors I - tau v v^H from the left, with real tau. Their
// vectors are stored below the diagonal of P until Q is formed from them.
func (m *pencil[T]) triangularize() error {
	n := m.order()
	r := newReflector[T](n)
	taus := make([]float64, n)
	forming := 0
	if m.qt.Rows > 0 {
		forming = 2 * cube(n)
	}
	m.team.Plan(5*cube(n) + forming) // six steps for each multiply-add, for both matrices
	for k := range n - 1 {
		left := n - k
		m.team.Reach(5*cube(n) - (3*n+2*left)*left*left)
		if err := m.team.Err(); err != nil {
			return err
		}
		if isZero(m.p.ColVec(k, k+1, n)) {
			continue
		}
		column := m.p.ColVec(k, k, n)
		var beta T
		beta, taus[k] = r.generate(column)
		m.p.Set(k, k, beta)
		r.applyLeft(m.team, m.p.Slice(k, n, k+1, n), taus[k])
		if err := m.team.Err(); err != nil {
			return err
		}
		r.applyLeft(m.team, m.s.Slice(k, n, 0, n), taus[k])
	}
	for k := n - 2; k >= 0; k-- {
		if m.qt.Rows > 0 {
			m.team.Reach(5*cube(n) + 2*cube(n-1-k))
		}
		if err := m.team.Err(); err != nil {
			return err
		}
		if taus[k] == 0 {
			continue
		}
		if m.qt.Rows > 0 {
			r.load(m.p.ColVec(k, k, n))
			r.applyRightTransposed(m.team, m.qt.Slice(k, n, k, n), taus[k])
		}
		for i := k + 1; i < n; i++ {
			m.p.Set(i, k, 0)
		}
	}
	return nil
}

// reflector is the vector v of a Hermitian reflector I - tau v v^H, its complex conjugate, and memory for products with
// it.
type reflector[T dense.Wide] struct{ v, conj, sums []T }

func newReflector[T dense.Wide](n int) *reflector[T] {
	return &reflector[T]{make([]T, n), make([]T, n), make([]T, n)}
}

// generate makes r the reflector that maps x to beta e_1, and stores its vector from the second element on in x.
func (r *reflector[T]) generate(x dense.Vector[T]) (beta T, tau float64) {
	r.v, r.conj = r.v[:x.N], r.conj[:x.N]
	blas.Copy(x, dense.Vec(r.v))
	beta, tau = householder.GenerateHermitian(r.v)
	blas.Copy(dense.Vec(r.v), x)
	dense.ConjugateTo(r.conj, r.v)
	return beta, tau
}

// load makes r the reflector whose vector generate has stored in x.
func (r *reflector[T]) load(x dense.Vector[T]) {
	r.v, r.conj = r.v[:x.N], r.conj[:x.N]
	blas.Copy(x, dense.Vec(r.v))
	r.v[0] = 1
	dense.ConjugateTo(r.conj, r.v)
}

// applyLeft multiplies a by the reflector from the left.
func (r *reflector[T]) applyLeft(team *sched.Team, a dense.Matrix[T], tau float64) {
	householder.ApplyLeft(team, dense.FromReal[T](tau), r.v, r.conj, a, r.sums)
}

// applyRightTransposed multiplies a by the transposed reflector from the right.
func (r *reflector[T]) applyRightTransposed(team *sched.Team, a dense.Matrix[T], tau float64) {
	householder.ApplyRight(team, dense.FromReal[T](tau), r.conj, a, r.sums)
}

// reduceColumn makes column j of S zero below row j+1. Rotation i of left acts on rows j+1+i and j+2+i, rotation i of
// right on the same columns. There is one for each element to be eliminated, and they are applied from the last one to
// the first.
func (m *pencil[T]) reduceColumn(j int, left, right []householder.Givens[T]) error {
	n, top := m.order(), j+1
	for i := n - 1; i > top; i-- {
		var r T
		left[i-1-top], r = householder.ToFirst(m.s.At(i-1, j), m.s.At(i, j))
		m.s.Set(i-1, j, r)
		m.s.Set(i, j, 0)
	}
	const backward = true
	rotateRowsOf := func(of dense.Matrix[T], first int, rotations []householder.Givens[T]) {
		if of.Rows > 0 {
			applyLeft(rotations, backward, of.Slice(top, n, first, n))
		}
	}
	err := m.inParallel(n*len(left), func(part int) {
		switch part {
		case pairPart:
			m.restoreTriangle(top, left, right)
			rotateRowsOf(m.s, top, left)
		case factorsPart:
			rotateRowsOf(m.qt, 0, conjugates(left))
		}
	})
	if err != nil {
		return err
	}
	return m.inParallel(n*len(left), func(part int) {
		switch part {
		case pairPart:
			m.applyRight(right, backward, m.s.Slice(0, n, top, n))
		case factorsPart:
			rotateRowsOf(m.zt, 0, right)
		}
	})
}

// restoreRows is the number of rows of P to which restoreTriangle applies rotations of columns together.
const restoreRows = 32

// restoreTriangle applies the rotations of left to the rows of P from top on, and computes and applies those of right,
// which make P triangular again. The two sides commute, so that all rotations of rows come first. They leave an element
// below the diagonal in every row; row i, once the rotations of the columns behind it have been applied, determines the
// one that makes its element zero.
func (m *pencil[T]) restoreTriangle(top int, left, right []householder.Givens[T]) {
	const backward = true
	n := m.order()
	applyLeft(left, backward, m.p.Slice(top, n, top, n))
	for end := n; end > top+1; {
		first := max(top+1, end-restoreRows)
		m.applyRight(right[end-1-top:], backward, m.p.Slice(first, end, end-1, n))
		for i := end - 1; i >= first; i-- {
			var r T
			right[i-1-top], r = householder.ToSecond(m.p.At(i, i-1), m.p.At(i, i))
			householder.RotateColumns(right[i-1-top], m.p, i-1, first, i)
			m.p.Set(i, i-1, 0)
			m.p.Set(i, i, r)
		}
		end = first
	}
	m.applyRight(right, backward, m.p.Slice(0, top+1, top, n))
}
