package sylvester

import (
	"trnsci/core/dense"
)

// leafSize is the largest order of a block that is solved element by element.
const leafSize = 16

// leaf is a small equation A X + X B = C, or A X B - delta X = C, with upper quasi-triangular A, m x m, and B, n x n.
// Rows of the arrays are leafSize apart.
type leaf[W dense.Scalar] struct {
	m, n  int
	stein bool
	delta float64
	a, b  [leafSize * leafSize]W
	x     [leafSize * leafSize]W // C, then X
	v     [leafSize * leafSize]W // X B of Stein's equation
	// Of real matrices, for each row in which a diagonal block begins.
	normalA, normalB [leafSize]normalForm

	least     float64
	shift     int // x has been scaled by 2^-shift
	perturbed bool
}

// run solves e for the region r, of which it returns the k for which it has scaled that region by 2^-k.
func (l *leaf[W]) run(e *equation[W], r region) int {
	l.load(e, r)
	switch l := any(l).(type) {
	case *leaf[float32]:
		runReal(l)
	case *leaf[float64]:
		runReal(l)
	case *leaf[complex64]:
		substitute(l, solveComplex[complex64])
	case *leaf[complex128]:
		substitute(l, solveComplex[complex128])
	}
	l.store(e, r)
	if l.perturbed {
		e.perturbed.Store(true)
	}
	return l.shift
}

func runReal[W dense.Float](l *leaf[W]) {
	normalForms(&l.normalA, &l.a, l.m)
	normalForms(&l.normalB, &l.b, l.n)
	substitute(l, solveReal[W])
}

// load copies the part of e that belongs to r. An adjoint of an upper triangular matrix becomes an upper triangular one
// when its rows and columns are taken in reverse order.
func (l *leaf[W]) load(e *equation[W], r region) {
	l.m, l.n, l.stein, l.delta = r.i1-r.i0, r.j1-r.j0, e.stein, e.delta
	l.least, l.shift, l.perturbed = e.least, 0, false
	loadTriangle(&l.a, e.a.Slice(r.i0, r.i1, r.i0, r.i1), e.AdjointA)
	loadTriangle(&l.b, e.b.Slice(r.j0, r.j1, r.j0, r.j1), e.AdjointB)
	if e.sign != 1 {
		for i := range l.b {
			l.b[i] *= e.sign
		}
	}
	for i := range l.m {
		from := e.x.Row(l.rowOf(e, r, i))[r.j0:r.j1]
		to := l.x[i*leafSize : i*leafSize+l.n]
		copy(to, from)
		if e.AdjointB {
			reverse(to)
		}
	}
}

// rowOf returns the row of X that is row i of the leaf.
func (l *leaf[W]) rowOf(e *equation[W], r region, i int) int {
	if e.AdjointA {
		return r.i1 - 1 - i
	}
	return r.i0 + i
}

func (l *leaf[W]) store(e *equation[W], r region) {
	for i := range l.m {
		from := l.x[i*leafSize : i*leafSize+l.n]
		if e.AdjointB {
			reverse(from)
		}
		copy(e.x.Row(l.rowOf(e, r, i))[r.j0:r.j1], from)
	}
}

func loadTriangle[W dense.Scalar](to *[leafSize * leafSize]W, t dense.Matrix[W], adjoint bool) {
	n := t.Rows
	for i := range n {
		for j, x := range t.Row(i) {
			if adjoint {
				to[(n-1-j)*leafSize+n-1-i] = dense.Conj(x)
			} else {
				to[i*leafSize+j] = x
			}
		}
	}
}

func reverse[W dense.Scalar](x []W) {
	for i, j := 0, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
}

// order returns the order of the diagonal block of t, of order n, that starts in row i.
func order[W dense.Scalar](t *[leafSize * leafSize]W, i, n int) int {
	if i+1 < n && t[(i+1)*leafSize+i] != 0 {
		return 2
	}
	return 1
}

// substitute solves the equation: rows from the last to the first and in each the columns from the first to the last,
// or blocks of two of them. solve does that for the p x q block of X at row i and column j when only its own
// coefficients are left.
func substitute[W dense.Scalar](l *leaf[W], solve func(l *leaf[W], i, p, j, q int)) {
	for end := l.m; end > 0; {
		i, p := end-1, 1
		if i > 0 && l.a[i*leafSize+i-1] != 0 {
			i, p = i-1, 2
		}
		for r := i; r < end; r++ {
			l.subtractSolved(r, end)
		}
		for j, q := 0, 1; j < l.n; j += q {
			q = order(&l.b, j, l.n)
			solve(l, i, p, j, q)
			l.eliminate(i, p, j, q)
		}
		if l.stein {
			l.multiply(i, end)
		}
		end = i
	}
}

// subtractSolved subtracts what the rows of X from end on contribute to row r.
func (l *leaf[W]) subtractSolved(r, end int) {
	solved := &l.x
	if l.stein {
		solved = &l.v
	}
	to, k := l.x[r*leafSize:r*leafSize+l.n], end
	for ; k+1 < l.m; k += 2 {
		at := k * leafSize
		subtractTwo(l.a[r*leafSize+k], l.a[r*leafSize+k+1], solved[at:at+l.n], solved[at+leafSize:at+leafSize+l.n], to)
	}
	if k < l.m {
		subtract(l.a[r*leafSize+k], solved[k*leafSize:k*leafSize+l.n], to)
	}
}

// eliminate subtracts what the block of X at row i and column j contributes to the columns behind it.
func (l *leaf[W]) eliminate(i, p, j, q int) {
	next := j + q
	first := l.b[j*leafSize+next : j*leafSize+l.n]
	for r := i; r < i+p; r++ {
		to := l.x[r*leafSize+next : r*leafSize+l.n]
		f := l.factor(r, i, p, j)
		if q == 1 {
			subtract(f, first, to)
			continue
		}
		second := l.b[(j+1)*leafSize+next : (j+1)*leafSize+l.n]
		subtractTwo(f, l.factor(r, i, p, j+1), first, second, to)
	}
}

// factor returns element (r, k) of X, or of A X for Stein's equation, where the block of row r of A is that of rows i
// to i+p.
func (l *leaf[W]) factor(r, i, p, k int) W {
	if !l.stein {
		return l.x[r*leafSize+k]
	}
	f := l.a[r*leafSize+i] * l.x[i*leafSize+k]
	if p == 2 {
		f += l.a[r*leafSize+i+1] * l.x[(i+1)*leafSize+k]
	}
	return f
}

// multiply forms the rows i to end of X B.
func (l *leaf[W]) multiply(i, end int) {
	for r := i; r < end; r++ {
		v := l.v[r*leafSize : r*leafSize+l.n]
		clear(v)
		for k := range l.n {
			from := max(0, k-1)
			subtract(-l.x[r*leafSize+k], l.b[k*leafSize+from:k*leafSize+l.n], v[from:])
		}
	}
}

// subtract subtracts f x from y, which is at least as long.
func subtract[W dense.Scalar](f W, x, y []W) {
	y = y[:len(x)]
	for j, v := range x {
		y[j] -= f * v
	}
}

// subtractTwo subtracts f x + g y from z. All have one length.
func subtractTwo[W dense.Scalar](f, g W, x, y, z []W) {
	x, y = x[:len(z)], y[:len(z)]
	for j := range z {
		z[j] -= f*x[j] + g*y[j]
	}
}

// rescale multiplies the solution by 2^-k.
func (l *leaf[W]) rescale(k int) {
	step := dense.FromReal[W](power(-k))
	for i := range l.x {
		l.x[i] *= step
		l.v[i] *= step
	}
	l.shift += k
}
