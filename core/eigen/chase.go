package eigen

import (
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// narrowBand is how many times the width of a band goes into the order if its reduction takes less time than that of a dense matrix. The
// quotient at which the two are equal is about 85 at order 256 and 40 at order 1024, and falls further where the dense one comes from memory.
const narrowBand = 64

// isNarrow reports whether a matrix with so many diagonals below the main one is reduced as a band.
func isNarrow(width, n int) bool { return width*narrowBand <= n }

// chase reduces a Hermitian band matrix to a tridiagonal one. Row i holds the columns i-width-1 <= j <= i: the band and one element that a
// rotation pushes out of it. As the memory of a row begins one column later than that of the row before, element (i, j) is
// data[i*stride+j+stride] as in an ordinary matrix.
type chase[W dense.Wide] struct {
	n, width, stride int
	data             []W
	// step makes element (i, j), left of the diagonal, zero by a rotation of the rows and columns i-1 and i, and reports whether that has
	// pushed element (i+width, i-1) out of the band.
	step func(c *chase[W], i, j int) (pushed bool)
}

// chaseRows is how many numbers a chase holds for each row of the matrix.
func chaseRows(width int) int { return width + 2 }

// newChase returns a chase for a matrix of zeros.
func newChase[W dense.Wide](n, width int) *chase[W] {
	c := &chase[W]{n: n, width: width, stride: chaseRows(width) - 1, data: make([]W, n*chaseRows(width))}
	switch c := any(c).(type) {
	case *chase[float64]:
		c.step = realStep
	case *chase[complex128]:
		c.step = complexStep
	}
	return c
}

// at returns the place of element (i, j).
func (c *chase[W]) at(i, j int) int { return (i+1)*c.stride + j }

// tridiagonalize stores the diagonal of the tridiagonal matrix in d, and in e[i] the modulus of what couples i and i+1.
//
// For each column rotations of neighbouring rows and columns eliminate one element after another, from the last to the second below the diagonal.
// A rotation pushes one element out of the band, width rows further down; that is eliminated at once, and so on to the end of the matrix.
//
// Cost: 3 width n^2 multiply-adds. Method: Schwarz, "Tridiagonalization of a symmetric band matrix", Numer. Math. 12, 1968.
func (c *chase[W]) tridiagonalize(team *sched.Team, d, e []float64) error {
	team = team.Plan(c.n * c.n)
	for k := range c.n {
		if err := team.Err(); err != nil {
			return err
		}
		for last := min(k+c.width, c.n-1); last > k+1; last-- {
			for i, j := last, k; i < c.n && c.step(c, i, j); {
				i, j = i+c.width, i-1
			}
		}
		d[k] = dense.Real(c.data[c.at(k, k)])
		if k+1 < c.n {
			e[k] = dense.Abs(c.data[c.at(k+1, k)])
		}
		left := c.n - 1 - k
		team.Reach(c.n*c.n - left*left)
	}
	return nil
}

// rows returns the elements of the rows i-1 and i from the column j on, both to the end of what belongs to the lower triangle.
func (c *chase[W]) rows(i, j int) (upper, lower []W) {
	return c.data[c.at(i-1, j) : c.at(i-1, i-1)+1], c.data[c.at(i, j) : c.at(i, i)+1]
}

// below returns the elements of the columns i-1 and i below row i: pairs that are stride apart, none behind the last row.
func (c *chase[W]) below(i int) []W {
	rows := min(c.width, c.n-1-i)
	if rows <= 0 {
		return nil
	}
	first := c.at(i+1, i-1)
	return c.data[first : first+(rows-1)*c.stride+2]
}

// realStep is step for real numbers. The rotation is the matrix G = (c, s; -s, c) that takes the two elements (x, y) to (r, 0); A becomes G A G^T.
func realStep(q *chase[float64], i, j int) (pushed bool) {
	upper, lower := q.rows(i, j)
	last := len(upper) - 1
	lower = lower[:last+2]
	x, y := upper[0], lower[0]
	lower[0] = 0
	r := length(x, y)
	if y == 0 || r < smallestCoupling {
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

// complexStep is step for complex numbers, with G = (conj(c), conj(s); -s, c), so that r is real; A becomes G A G^H.
func complexStep(q *chase[complex128], i, j int) (pushed bool) {
	upper, lower := q.rows(i, j)
	last := len(upper) - 1
	lower = lower[:last+2]
	x, y := upper[0], lower[0]
	lower[0] = 0
	r := length(cmplx.Abs(x), cmplx.Abs(y))
	if y == 0 || r < smallestCoupling {
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
