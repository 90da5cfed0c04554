package sylvester

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/factor"
)

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

// mostSigma is the largest ratio of the elements of S, or its inverse, of a usable block.
const mostSigma = 16

func normalFormOf(m *order2, order int) normalForm {
	if order == 1 {
		return normalForm{mean: m[0][0], sigma: 1, usable: true}
	}
	b, c := m[0][1], m[1][0]
	if m[0][0] != m[1][1] || !(b*c < 0) {
		return normalForm{}
	}
	sigma := math.Sqrt(-b / c)
	usable := sigma <= mostSigma && 1/sigma <= mostSigma
	return normalForm{mean: m[0][0], alpha: b / sigma, sigma: sigma, usable: usable}
}

// normalForms stores the normal forms of the diagonal blocks of t, of order n, where each begins.
func normalForms[W dense.Float](forms *[leafSize]normalForm, t *[leafSize * leafSize]W, n int) {
	for i, p := 0, 0; i < n; i += p {
		p = order(t, i, n)
		block := blockOf(t, i, p, i, p)
		forms[i] = normalFormOf(&block, p)
	}
}

// solveCoupled solves for a block of X with two or four elements.
func solveCoupled[W dense.Float](l *leaf[W], i, p, j, q int) {
	c := blockOf(&l.x, i, p, j, q)
	x, ok := order2{}, false
	if a, b := &l.normalA[i], &l.normalB[j]; a.usable && b.usable && !l.stein {
		x, ok = solveNormal(a, b, &c, p, q, l.least)
	}
	if !ok {
		var perturbed bool
		a, b := blockOf(&l.a, i, p, i, p), blockOf(&l.b, j, q, j, q)
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

// solveNormal solves A X + X B = C of orders p and q, not both 1, by the normal forms of A and B. It returns false, and
// no X, where a pivot is near least, the smallest one allowed.
//
// With s = a + b, and J X and X J written out, S X S'^-1 of order 2 falls into two parts: p I + q J, which J commutes
// with, and one that it anticommutes with. Each obeys two equations of determinant s^2 + (alpha +- beta)^2.
func solveNormal(a, b *normalForm, c *order2, p, q int, least float64) (x order2, ok bool) {
	s := a.mean + b.mean
	if p == 1 || q == 1 {
		w, first, second := a.alpha, c[0][0], a.sigma*c[1][0]
		if p == 1 {
			w, second = -b.alpha, c[0][1]/b.sigma
		}
		d := s*s + w*w
		first, second = (s*first-w*second)/d, (s*second+w*first)/d
		if p == 1 {
			return order2{{first, second * b.sigma}}, d > least*least
		}
		return order2{{first}, {second / a.sigma}}, d > least*least
	}
	c00, c01, c10, c11 := c[0][0], c[0][1]/b.sigma, a.sigma*c[1][0], a.sigma*c[1][1]/b.sigma
	sum, difference := a.alpha+b.alpha, a.alpha-b.alpha
	d, e := 2*(s*s+sum*sum), 2*(s*s+difference*difference)
	f, g := c00+c11, c01-c10
	u, v := (s*f+sum*g)/d, (s*g-sum*f)/d
	f, g = c00-c11, c01+c10
	r, t := (s*f-difference*g)/e, (s*g+difference*f)/e
	return order2{{u + r, (v + t) * b.sigma}, {(t - v) / a.sigma, (u - r) * b.sigma / a.sigma}}, min(d, e) > 2*least*least
}

// solveByElimination solves A X + X B = C of orders p and q, or A X B - delta X = C, by elimination with complete
// pivoting.
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
