package eigen

import (
	"math/cmplx"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// narrowBand is how many times the width of a band goes into the order if its reduction takes less time than that of a dense matrix. The
// quotient at which the two are equal is about 100 at order 256 and 50 at order 1024, and falls further where the dense one comes from memory.
const narrowBand = 64

// isNarrow reports whether a matrix with so many diagonals below the main one is reduced as a band.
func isNarrow(width, n int) bool { return width*narrowBand <= n }

// chase reduces a Hermitian band matrix to a tridiagonal one. Row i holds the columns i-width-1 <= j <= i: the band and one element that a
// rotation pushes out of it. As the memory of a row begins one column later than that of the row before, element (i, j) is
// data[i*stride+j+stride] as in an ordinary matrix.
type chase[W dense.Wide] struct {
	n, width, stride int
	data             []W
	// What differs for real and complex numbers.
	rotation func(x, y W) (r planeRotation[W], ok bool)
	corner   func(r planeRotation[W], first, coupling, second W) (W, W, W)
}

// chaseRows is how many numbers a chase holds for each row of the matrix.
func chaseRows(width int) int { return width + 2 }

// newChase returns a chase for a matrix of zeros.
func newChase[W dense.Wide](n, width int) *chase[W] {
	c := &chase[W]{n: n, width: width, stride: chaseRows(width) - 1, data: make([]W, n*chaseRows(width))}
	switch c := any(c).(type) {
	case *chase[float64]:
		c.rotation, c.corner = realRotation, realCorner
	case *chase[complex128]:
		c.rotation, c.corner = complexRotation, complexCorner
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
	for k := range c.n {
		if err := team.Err(); err != nil {
			return err
		}
		for i := min(k+c.width, c.n-1); i > k+1; i-- {
			c.eliminate(i, k)
		}
		d[k] = dense.Real(c.data[c.at(k, k)])
		if k+1 < c.n {
			e[k] = dense.Abs(c.data[c.at(k+1, k)])
		}
		team.Step(1)
	}
	return nil
}

// eliminate makes element (i, j) zero and restores the band behind it.
func (c *chase[W]) eliminate(i, j int) {
	for ; i < c.n; i, j = i+c.width, i-1 {
		above, here := c.at(i-1, j), c.at(i, j)
		r, ok := c.rotation(c.data[above], c.data[here])
		c.data[here] = 0
		if !ok {
			return // nothing is pushed out of the band
		}
		c.data[above] = r.length
		c.rotate(i, j+1, r)
	}
}

// rotate replaces A by G A G^H for a rotation of the rows and columns i-1 and i, in the lower triangle from the column j on.
func (c *chase[W]) rotate(i, j int, r planeRotation[W]) {
	upper := c.data[c.at(i-1, j):c.at(i-1, i-1)]
	lower := c.data[c.at(i, j):][:len(upper)]
	for k, x := range upper {
		y := lower[k]
		upper[k] = r.cConj*x + r.sConj*y
		lower[k] = r.c*y - r.s*x
	}
	first, coupling := c.at(i-1, i-1), c.at(i, i-1)
	second := coupling + 1
	c.data[first], c.data[coupling], c.data[second] = c.corner(r, c.data[first], c.data[coupling], c.data[second])
	last := c.at(min(i+c.width, c.n-1), i-1)
	for p := c.at(i+1, i-1); p <= last; p += c.stride {
		pair := c.data[p : p+2 : p+2]
		x, y := pair[0], pair[1]
		pair[0] = x*r.c + y*r.s
		pair[1] = y*r.cConj - x*r.sConj
	}
}

// planeRotation is the matrix G = (conj(c), conj(s); -s, c) that takes (x, y) to (length, 0).
type planeRotation[W dense.Wide] struct {
	c, s, cConj, sConj W
	length             W
}

// realRotation returns the rotation for x and y; ok is false if y is 0, or if both are so small that they count as that.
func realRotation(x, y float64) (r planeRotation[float64], ok bool) {
	if y == 0 {
		return r, false
	}
	whole := length(x, y)
	c, s := x/whole, y/whole
	return planeRotation[float64]{c: c, s: s, cConj: c, sConj: s, length: whole}, whole >= smallestCoupling
}

// complexRotation is realRotation for complex numbers; the length is real.
func complexRotation(x, y complex128) (r planeRotation[complex128], ok bool) {
	if y == 0 {
		return r, false
	}
	whole := length(cmplx.Abs(x), cmplx.Abs(y))
	c, s := complex(real(x)/whole, imag(x)/whole), complex(real(y)/whole, imag(y)/whole)
	r = planeRotation[complex128]{c: c, s: s, cConj: cmplx.Conj(c), sConj: cmplx.Conj(s), length: complex(whole, 0)}
	return r, whole >= smallestCoupling
}

// realCorner rotates two diagonal elements a and d and b, which couples them and is below the first one.
func realCorner(r planeRotation[float64], a, b, d float64) (first, coupling, second float64) {
	left, right := r.c*b-r.s*a, r.c*d-r.s*b // the second row of G A
	first = (r.c*a+r.s*b)*r.c + (r.c*b+r.s*d)*r.s
	return first, left*r.c + right*r.s, right*r.c - left*r.s
}

// complexCorner is realCorner for complex numbers; the diagonal is real.
func complexCorner(r planeRotation[complex128], a, b, d complex128) (first, coupling, second complex128) {
	conj := cmplx.Conj(b)
	left, right := r.c*b-r.s*a, r.c*d-r.s*conj
	first = complex(real((r.cConj*a+r.sConj*b)*r.c+(r.cConj*conj+r.sConj*d)*r.s), 0)
	return first, left*r.c + right*r.s, complex(real(right*r.cConj-left*r.sConj), 0)
}
