package qz

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// reduce brings a pair with a triangular P to Hessenberg-triangular form: column after column of S by rotations of
// rows, each followed by one of columns that makes P triangular again. A pair that already has the form is left as it
// is.
func (m *pencil[T]) reduce() error {
	n := m.order()
	m.team.Plan(n * n)
	left, right := make([]plane[T], n), make([]plane[T], n)
	for j := range n {
		if count := n - j - 2; count > 0 && !isZero(m.s.ColVec(j, j+2, n)) {
			if err := m.reduceColumn(j, left[:count], right[:count]); err != nil {
				return err
			}
		}
		m.team.Reach(n*n - (n-1-j)*(n-1-j))
	}
	return nil
}

func isZero[T dense.Scalar](x dense.Vector[T]) bool {
	for i := range x.N {
		if x.Data[i*x.Inc] != 0 {
			return false
		}
	}
	return true
}

// triangularize makes P upper triangular by reflections I - tau v v^H of the rows, tau real. Their vectors stay below
// the diagonal of P until Q is formed of them.
func (m *pencil[T]) triangularize() error {
	n := m.order()
	r := newReflector[T](n)
	taus := make([]float64, n)
	forming := 0
	if m.qt.Rows > 0 {
		forming = 2 * cube(n)
	}
	m.team.Plan(5*cube(n) + forming) // six for each multiply-add, and for both matrices
	for k := range n - 1 {
		if err := m.team.Err(); err != nil {
			return err
		}
		left := n - k
		m.team.Reach(5*cube(n) - (3*n+2*left)*left*left)
		if isZero(m.p.ColVec(k, k+1, n)) {
			continue
		}
		column := m.p.ColVec(k, k, n)
		var beta T
		beta, taus[k] = r.eliminate(column)
		m.p.Set(k, k, beta)
		r.reflectRows(m.team, m.p.Slice(k, n, k+1, n), taus[k])
		r.reflectRows(m.team, m.s.Slice(k, n, 0, n), taus[k])
	}
	for k := n - 2; k >= 0; k-- {
		if err := m.team.Err(); err != nil {
			return err
		}
		if m.qt.Rows > 0 {
			m.team.Reach(5*cube(n) + 2*cube(n-1-k))
		}
		if taus[k] == 0 {
			continue
		}
		if m.qt.Rows > 0 {
			r.reload(m.p.ColVec(k, k, n))
			r.reflectColumns(m.team, m.qt.Slice(k, n, k, n), taus[k])
		}
		for i := k + 1; i < n; i++ {
			m.p.Set(i, k, 0)
		}
	}
	return nil
}

// reflector is the vector v of a reflection I - tau v v^H, its complex conjugate, and memory for products with it.
type reflector[T dense.Wide] struct{ v, conj, sums []T }

func newReflector[T dense.Wide](n int) *reflector[T] {
	return &reflector[T]{make([]T, n), make([]T, n), make([]T, n)}
}

// eliminate makes r the reflection that takes x to a multiple of e_1, beta, and stores its vector from the second
// element on in x.
func (r *reflector[T]) eliminate(x dense.Vector[T]) (beta T, tau float64) {
	r.v = r.v[:x.N]
	blas.Copy(x, dense.Vec(r.v))
	beta, tau = householder(r.v)
	blas.Copy(dense.Vec(r.v), x)
	r.conjugate()
	return beta, tau
}

// reload makes v the vector that eliminate has stored in x.
func (r *reflector[T]) reload(x dense.Vector[T]) {
	r.v = r.v[:x.N]
	blas.Copy(x, dense.Vec(r.v))
	r.v[0] = 1
	r.conjugate()
}

func (r *reflector[T]) conjugate() {
	r.conj = r.conj[:len(r.v)]
	for i, x := range r.v {
		r.conj[i] = dense.Conj(x)
	}
}

// reflectRows multiplies a from the left by the reflection.
func (r *reflector[T]) reflectRows(team *sched.Team, a dense.Matrix[T], tau float64) {
	sums := dense.Vec(r.sums[:a.Cols])
	blas.Gemv(team, blas.Trans, 1, a, dense.Vec(r.conj), 0, sums)
	blas.Ger(team, -dense.FromReal[T](tau), dense.Vec(r.v), sums, a)
}

// reflectColumns multiplies a from the right by the transposed reflection.
func (r *reflector[T]) reflectColumns(team *sched.Team, a dense.Matrix[T], tau float64) {
	sums := dense.Vec(r.sums[:a.Rows])
	blas.Gemv(team, blas.NoTrans, 1, a, dense.Vec(r.conj), 0, sums)
	blas.Ger(team, -dense.FromReal[T](tau), sums, dense.Vec(r.v), a)
}

// householder overwrites x, which is no multiple of e_1, by the vector v with v[0] = 1 for which I - tau v v^H maps x
// to r e_1.
func householder[T dense.Wide](x []T) (r T, tau float64) {
	norm := blas.Nrm2(dense.Vec(x))
	if norm < tinyPair {
		blas.Scal(enlarge, dense.Vec(x))
		r, tau = householder(x)
		return r / enlarge, tau
	}
	first := dense.Abs(x[0])
	phase := T(1)
	if first > norm*nothingBeside {
		phase = phaseOf(x[0])
	} else {
		x[0] = 0
	}
	r = -phase * dense.FromReal[T](norm)
	blas.Scal(1/(x[0]-r), dense.Vec(x[1:]))
	x[0] = 1
	// Not (first + norm) / norm, which belongs to the vector before it was rounded.
	return r, 2 / dense.Real(blas.Dotc(dense.Vec(x), dense.Vec(x)))
}

// reduceColumn makes column j of S zero below row j+1. Plane i of left turns the rows, plane i of right the columns
// j+1+i and j+2+i; they are as many as there are elements to eliminate and are applied from the last one to the first.
func (m *pencil[T]) reduceColumn(j int, left, right []plane[T]) error {
	n, top := m.order(), j+1
	for i := n - 1; i > top; i-- {
		var r T
		left[i-1-top], r = toFirst(m.s.At(i-1, j), m.s.At(i, j))
		m.s.Set(i-1, j, r)
		m.s.Set(i, j, 0)
	}
	const up = true
	turnRows := func(of dense.Matrix[T], first int, planes []plane[T]) {
		if of.Rows > 0 {
			rotateRows(planes, up, of.Slice(top, n, first, n))
		}
	}
	err := m.together(n*len(left), func(part int) {
		switch part {
		case ofPair:
			m.restoreTriangle(top, left, right)
			turnRows(m.s, top, left)
		case ofFactors:
			turnRows(m.qt, 0, conjugates(left))
		}
	})
	if err != nil {
		return err
	}
	return m.together(n*len(left), func(part int) {
		switch part {
		case ofPair:
			rotateColumns(right, up, m.s.Slice(0, n, top, n))
		case ofFactors:
			turnRows(m.zt, 0, right)
		}
	})
}

// restoreTriangle applies the planes of left to the rows of P from top on and computes and applies those of right,
// which make P triangular again: a row gets the rotations of columns when those of rows are through with it, and the
// last one decides on the next.
func (m *pencil[T]) restoreTriangle(top int, left, right []plane[T]) {
	const up = true
	n := m.order()
	for i := n - 1; i > top; i-- {
		k := i - 1 - top
		rotateRows(left[k:k+1], up, m.p.Slice(i-1, i+1, i-1, n))
		lower := m.p.Row(i)[i-1:]
		rotateAlong(right[k+1:], up, lower[1:])
		right[k], lower[1] = toSecond(lower[0], lower[1])
		lower[0] = 0
	}
	rotateColumns(right, up, m.p.Slice(0, top+1, top, n))
}
