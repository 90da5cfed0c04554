package sylvester

import (
	"math"

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

// order2 is a matrix of order at most 2; what lies outside of its order is zero.
type order2 [2][2]float64

// normalForm describes a diagonal block of order 1 or 2 of a Schur form: with S = diag(1, sigma), S [a b; c a] S^-1 is
// a I + alpha J, J = [0 1; -1 0].
type normalForm struct {
	mean, alpha, sigma float64
	// Whether the block has that form, with a sigma so near to 1 that rounding errors stay small.
	usable bool
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

// power returns 2^k.
func power(k int) float64 { return math.Ldexp(1, k) }

// limits are powers of two that keep numbers of a real type, and sums of their products, from overflow.
type limits struct {
	// Coefficients with a largest element outside of 2^-moderate to 2^moderate are scaled, and right sides too.
	moderate int
	// Elements of X above this are scaled down.
	large float64
}

func limitsOf[W dense.Scalar]() limits {
	if dense.IsSingle[W]() {
		return limits{moderate: 20, large: 0x1p60}
	}
	return limits{moderate: 100, large: 0x1p400}
}
