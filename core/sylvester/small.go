package sylvester

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/factor"
)

// power returns 2^k.
func power(k int) float64 { return math.Ldexp(1, k) }

// excess returns 0, or the k for which the quotient of these sizes is scaled by 2^-k.
func excess[W dense.Scalar](numerator, denominator float64) int {
	if numerator <= limitsOf[W]().large*denominator {
		return 0
	}
	_, n := math.Frexp(numerator)
	_, d := math.Frexp(denominator)
	return n - d
}

// solveComplex is the solution of a single equation.
func solveComplex[W dense.Complex](l *leaf[W], i, _, j, _ int) {
	at := i*leafSize + j
	pivot := complex128(l.a[i*leafSize+i]) + complex128(l.b[j*leafSize+j])
	if l.stein {
		pivot = complex128(l.a[i*leafSize+i])*complex128(l.b[j*leafSize+j]) - complex(l.delta, 0)
	}
	size := math.Abs(real(pivot)) + math.Abs(imag(pivot))
	if size < l.least {
		pivot, size, l.perturbed = complex(l.least, 0), l.least, true
	}
	right := complex128(l.x[at])
	if k := excess[W](math.Abs(real(right))+math.Abs(imag(right)), size); k > 0 {
		l.rescale(k)
		right *= complex(power(-k), 0)
	}
	l.x[at] = W(right / pivot)
}

// solveReal is the solution of one, two or four equations, in double precision.
func solveReal[W dense.Float](l *leaf[W], i, p, j, q int) {
	if p+q > 2 {
		solveCoupled(l, i, p, j, q)
		return
	}
	at := i*leafSize + j
	pivot := float64(l.a[i*leafSize+i]) + float64(l.b[j*leafSize+j])
	if l.stein {
		pivot = float64(l.a[i*leafSize+i])*float64(l.b[j*leafSize+j]) - l.delta
	}
	if math.Abs(pivot) < l.least {
		pivot, l.perturbed = l.least, true
	}
	right := float64(l.x[at])
	if k := excess[W](math.Abs(right), math.Abs(pivot)); k > 0 {
		l.rescale(k)
		right *= power(-k)
	}
	l.x[at] = W(right / pivot)
}

// order2 is a matrix of order at most 2; what lies outside of its order is zero.
type order2 [2][2]float64

// blockOf returns the part of m with p rows and q columns that starts at row i and column j.
func blockOf[W dense.Float](m *[leafSize * leafSize]W, i, p, j, q int) (s order2) {
	for r := range p {
		for c := range q {
			s[r][c] = float64(m[(i+r)*leafSize+j+c])
		}
	}
	return s
}

func (s *order2) largest() float64 {
	return max(math.Abs(s[0][0]), math.Abs(s[0][1]), math.Abs(s[1][0]), math.Abs(s[1][1]))
}

// solveCoupled solves for a block of X with two or four elements.
func solveCoupled[W dense.Float](l *leaf[W], i, p, j, q int) {
	a, b, c := blockOf(&l.a, i, p, i, p), blockOf(&l.b, j, q, j, q), blockOf(&l.x, i, p, j, q)
	x, ok := order2{}, false
	if !l.stein {
		x, ok = solveByInverse(&a, &b, &c, p, q)
		ok = ok && x.largest()*l.least < c.largest()
	}
	if !ok {
		var perturbed bool
		x, perturbed = solveByElimination(&a, &b, &c, p, q, l.stein, l.delta, l.least)
		l.perturbed = l.perturbed || perturbed
	}
	if k := excess[W](x.largest(), 1); k > 0 {
		l.rescale(k)
		for r := range x {
			x[r][0] *= power(-k)
			x[r][1] *= power(-k)
		}
	}
	for r := range p {
		for s := range q {
			l.x[(i+r)*leafSize+j+s] = W(x[r][s])
		}
	}
}

// solveByElimination solves A X + X B = C of orders p and q, or A X B - delta X = C, by elimination with complete pivoting.
func solveByElimination(a, b, c *order2, p, q int, stein bool, delta, least float64) (x order2, perturbed bool) {
	var m factor.SmallSystem
	for r := range p {
		for s := range q {
			row := &m[r*q+s]
			row[p*q] = c[r][s]
			for k := range p {
				for n := range q {
					if stein {
						row[k*q+n] = a[r][k] * b[n][s]
						continue
					}
					if n == s {
						row[k*q+n] += a[r][k]
					}
					if k == r {
						row[k*q+n] += b[n][s]
					}
				}
			}
			if stein {
				row[r*q+s] -= delta
			}
		}
	}
	values, perturbed := m.Solve(p*q, least)
	for r := range p {
		for s := range q {
			x[r][s] = values[r*q+s]
		}
	}
	return x, perturbed
}

// solveByInverse solves A X + X B = C of orders p and q by an explicit inverse, and reports whether the residual is of the size
// of rounding errors.
//
// With the means of the diagonals taken out, A = s I + L and B = t I + R, squares of L and R are multiples of I, lambda and rho
// (they are the L and R times X that commute), so that
//
//	(s + t + L + R)^(-1) = (u + L - R) (v - 2 u L) / (v^2 - 4 u^2 lambda),  u = s + t,  v = u^2 + lambda - rho
func solveByInverse(a, b, c *order2, p, q int) (x order2, ok bool) {
	u := 0.0
	l, lambda := traceless(a, p, &u)
	r, rho := traceless(b, q, &u)
	v := u*u + lambda - rho
	y := combine(&l, &r, c, v, -2*u, 0)
	x = combine(&l, &r, &y, u, 1, -1)
	f := 1 / (v*v - 4*u*u*lambda)
	for i := range x {
		x[i][0] *= f
		x[i][1] *= f
	}
	left := combine(&l, &r, &x, u, 1, 1)
	worst := 0.0
	for i := range x {
		worst = max(worst, math.Abs(c[i][0]-left[i][0]), math.Abs(c[i][1]-left[i][1]))
	}
	const tolerance = 16 * 0x1p-52
	return x, worst <= tolerance*(math.Abs(u)+l.largest()+r.largest())*x.largest()
}

// traceless returns m, of that order, without its mean diagonal element, which it adds to mean, and the number that is its square.
func traceless(m *order2, order int, mean *float64) (rest order2, square float64) {
	if order == 1 {
		*mean += m[0][0]
		return order2{}, 0
	}
	half := (m[0][0] + m[1][1]) / 2
	*mean += half
	d := (m[0][0] - m[1][1]) / 2
	rest = order2{{d, m[0][1]}, {m[1][0], -d}}
	return rest, d*d + m[0][1]*m[1][0]
}

// combine returns f X + g L X + h X R.
func combine(l, r, x *order2, f, g, h float64) (y order2) {
	for i := range y {
		for j := range y[i] {
			y[i][j] = f*x[i][j] + g*(l[i][0]*x[0][j]+l[i][1]*x[1][j]) + h*(x[i][0]*r[0][j]+x[i][1]*r[1][j])
		}
	}
	return y
}
