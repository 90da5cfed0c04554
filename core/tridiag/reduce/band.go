package reduce

import (
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
)

// Band is a Hermitian band matrix on its way to tridiagonal form. Row i holds the columns i-Width-1 <= j <= i: the
// lower half of the band, and one element for the bulge that a rotation makes. The memory of a row begins one column
// later than that of the row before, so that element (i, j) is data[i*stride+j+stride] as in an ordinary matrix.
type Band[W dense.Wide] struct {
	n, width, stride int
	data             []W
	// eliminate makes element (i, j), left of the diagonal, zero by a rotation of the rows and columns i-1 and i. It
	// reports whether this made a bulge at (i+width, i-1).
	eliminate func(b *Band[W], i, j int) (bulge bool)
}

// BandElements returns how many numbers a Band holds for each row of the matrix.
func BandElements(width int) int { return width + 2 }

// NewBand returns a zero matrix of order n with the given number of diagonals below the main one.
func NewBand[W dense.Wide](n, width int) *Band[W] {
	b := &Band[W]{n: n, width: width, stride: BandElements(width) - 1, data: make([]W, n*BandElements(width))}
	switch b := any(b).(type) {
	case *Band[float64]:
		b.eliminate = eliminateReal
	case *Band[complex128]:
		b.eliminate = eliminateComplex
	}
	return b
}

// at returns the place of element (i, j).
func (b *Band[W]) at(i, j int) int { return (i+1)*b.stride + j }

// Set sets element (i, j), i >= j, in the lower half of the band.
func (b *Band[W]) Set(i, j int, x W) { b.data[b.at(i, j)] = x }

// Tridiagonalize overwrites b and stores the tridiagonal matrix in t, with the moduli of its couplings.
//
// In each column, rotations of neighbouring rows and columns eliminate one element after another, from the last one to
// the second one below the diagonal. Each rotation makes a bulge outside of the band, width rows further down, which is
// chased off the end of the matrix at once.
//
// It returns the team's error after cancellation.
//
// Cost: 3 width n^2 multiply-adds. Method: Schwarz, "Tridiagonalization of a symmetric band matrix", Numer. Math. 12,
// 1968.
func (b *Band[W]) Tridiagonalize(team *sched.Team, t tridiag.Matrix) error {
	team = team.Plan(b.n * b.n)
	for k := range b.n {
		if err := team.Err(); err != nil {
			return err
		}
		for last := min(k+b.width, b.n-1); last > k+1; last-- {
			for i, j := last, k; i < b.n && b.eliminate(b, i, j); {
				i, j = i+b.width, i-1
			}
		}
		t.D[k] = dense.Real(b.data[b.at(k, k)])
		if k+1 < b.n {
			t.E[k] = dense.Abs(b.data[b.at(k+1, k)])
		}
		left := b.n - 1 - k
		team.Reach(b.n*b.n - left*left)
	}
	return nil
}

// rows returns the elements of the rows i-1 and i from column j to their diagonal elements.
func (b *Band[W]) rows(i, j int) (upper, lower []W) {
	return b.data[b.at(i-1, j) : b.at(i-1, i-1)+1], b.data[b.at(i, j) : b.at(i, i)+1]
}

// below returns the elements of the columns i-1 and i below row i, as pairs that are stride apart.
func (b *Band[W]) below(i int) []W {
	rows := min(b.width, b.n-1-i)
	if rows <= 0 {
		return nil
	}
	first := b.at(i+1, i-1)
	return b.data[first : first+(rows-1)*b.stride+2]
}

// eliminateReal is eliminate for real numbers. The rotation G = (c, s; -s, c) takes the two elements (x, y) to (r, 0),
// and A becomes G A G^T.
func eliminateReal(q *Band[float64], i, j int) (bulge bool) {
	upper, lower := q.rows(i, j)
	last := len(upper) - 1
	lower = lower[:last+2]
	x, y := upper[0], lower[0]
	lower[0] = 0
	r := householder.Length(x, y)
	if y == 0 || r < tridiag.NegligibleCoupling {
		return false
	}
	c, s := x/r, y/r
	upper[0] = r
	for k := 1; k < last; k++ {
		x, y := upper[k], lower[k]
		upper[k] = c*x + s*y
		lower[k] = c*y - s*x
	}
	a, b, d := upper[last], lower[last], lower[last+1]
	left, right := c*b-s*a, c*d-s*b // the second row of G times the diagonal block
	upper[last] = (c*a+s*b)*c + (c*b+s*d)*s
	lower[last], lower[last+1] = left*c+right*s, right*c-left*s
	pairs := q.below(i)
	for k := 0; k+1 < len(pairs); k += q.stride {
		x, y := pairs[k], pairs[k+1]
		pairs[k] = x*c + y*s
		pairs[k+1] = y*c - x*s
	}
	return true
}

// eliminateComplex is eliminate for complex numbers, with G = (conj(c), conj(s); -s, c), so that r is real. A becomes
// G A G^H.
func eliminateComplex(q *Band[complex128], i, j int) (bulge bool) {
	upper, lower := q.rows(i, j)
	last := len(upper) - 1
	lower = lower[:last+2]
	x, y := upper[0], lower[0]
	lower[0] = 0
	r := householder.Length(cmplx.Abs(x), cmplx.Abs(y))
	if y == 0 || r < tridiag.NegligibleCoupling {
		return false
	}
	c, s := complex(real(x)/r, imag(x)/r), complex(real(y)/r, imag(y)/r)
	cConj, sConj := cmplx.Conj(c), cmplx.Conj(s)
	upper[0] = complex(r, 0)
	for k := 1; k < last; k++ {
		x, y := upper[k], lower[k]
		upper[k] = cConj*x + sConj*y
		lower[k] = c*y - s*x
	}
	a, b, d := upper[last], lower[last], lower[last+1]
	bConj := cmplx.Conj(b)
	left, right := c*b-s*a, c*d-s*bConj
	upper[last] = complex(real((cConj*a+sConj*b)*c+(cConj*bConj+sConj*d)*s), 0)
	lower[last], lower[last+1] = left*c+right*s, complex(real(right*cConj-left*sConj), 0)
	pairs := q.below(i)
	for k := 0; k+1 < len(pairs); k += q.stride {
		x, y := pairs[k], pairs[k+1]
		pairs[k] = x*c + y*s
		pairs[k+1] = y*cConj - x*sConj
	}
	return true
}
