package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"

	"trnsci/core/dense"
)

// Rot applies a plane rotation: (x_i, y_i) becomes (c x_i + s y_i, c y_i - conj(s) x_i).
func Rot[T dense.Scalar](x, y dense.Vector[T], c float64, s T) {
	require(x.N == y.N, "Rot: lengths %d and %d", x.N, y.N)
	cosine, conj := dense.FromReal[T](c), dense.Conj(s)
	i, j := x.First(), y.First()
	for range x.N {
		p, q := x.Data[i], y.Data[j]
		x.Data[i], y.Data[j] = cosine*p+s*q, cosine*q-conj*p
		i, j = i+x.Inc, j+y.Inc
	}
}

// Rotg returns the rotation (c, s) that takes (a, b) to (r, 0), r = +-sqrt(a^2 + b^2) with the sign of the larger of a
// and b, and the number z from which c and s can be found again: s if |a| > |b|, else 1/c, or 1 if c is 0.
//
// Intermediate results neither overflow nor underflow: Anderson, Safe scaling in the level 1 BLAS, ACM TOMS 44, 2017.
func Rotg[F dense.Float](a, b F) (c, s, r, z F) {
	if b == 0 {
		return 1, 0, a, 0
	}
	if a == 0 {
		return 0, 1, b, 1
	}
	x, y := float64(a), float64(b)
	least, most := dense.SmallestNormal[F](), dense.LargestPower[F]()
	scale := min(most, max(least, math.Abs(x), math.Abs(y)))
	sign := y
	if math.Abs(x) > math.Abs(y) {
		sign = x
	}
	r = F(math.Copysign(scale*math.Sqrt((x/scale)*(x/scale)+(y/scale)*(y/scale)), sign))
	c, s = a/r, b/r
	switch {
	case math.Abs(x) > math.Abs(y):
		z = s
	case c != 0:
		z = 1 / c
	default:
		z = 1
	}
	return c, s, r, z
}

// RotmParams is a modified rotation, a 2 x 2 matrix by columns; Flag tells which elements are stored, as in gonum's
// DrotmParams.
type RotmParams[F dense.Float] struct {
	Flag gblas.Flag
	H    [4]F
}

// matrix returns h11, h21, h12, h22.
func (p *RotmParams[F]) matrix() (h11, h21, h12, h22 F) {
	switch p.Flag {
	case gblas.Identity:
		return 1, 0, 0, 1
	case gblas.OffDiagonal:
		return 1, p.H[1], p.H[2], 1
	case gblas.Diagonal:
		return p.H[0], -1, 1, p.H[3]
	}
	return p.H[0], p.H[1], p.H[2], p.H[3]
}

// Rotm applies a modified rotation H: (x_i, y_i) becomes (h11 x_i + h12 y_i, h21 x_i + h22 y_i).
func Rotm[F dense.Float](x, y dense.Vector[F], p RotmParams[F]) {
	require(x.N == y.N, "Rotm: lengths %d and %d", x.N, y.N)
	if p.Flag == gblas.Identity {
		return
	}
	h11, h21, h12, h22 := p.matrix()
	i, j := x.First(), y.First()
	for range x.N {
		u, v := x.Data[i], y.Data[j]
		// Each product is rounded by itself, also on processors where Go would fuse it with the sum: then the H of
		// Rotmg yields the exact zero.
		x.Data[i], y.Data[j] = F(h11*u)+F(h12*v), F(h21*u)+F(h22*v)
		i, j = i+x.Inc, j+y.Inc
	}
}

// rotmScale is the factor by which Rotmg scales; a weight is kept between its square and one over that.
const rotmScale = 4096

// Rotmg returns the modified rotation H that makes the second component of H (sqrt(d1) x, sqrt(d2) y)^T zero, and the
// new weights and first component. A negative d1, or weights for which there is no such H, give zeros with Flag
// Rescaling.
//
// Source: Lawson, Hanson, Kincaid and Krogh, ACM TOMS 5, 1979, with the corrections of Hopkins, ACM TOMS 23, 1997.
func Rotmg[F dense.Float](d1, d2, x, y F) (p RotmParams[F], rd1, rd2, rx F) {
	none := RotmParams[F]{Flag: gblas.Rescaling}
	if d1 < 0 {
		return none, 0, 0, 0
	}
	p2 := d2 * y
	if p2 == 0 {
		return RotmParams[F]{Flag: gblas.Identity}, d1, d2, x
	}
	p1 := d1 * x
	q1, q2 := float64(p1*x), float64(p2*y)
	var u F
	switch {
	case (d1 == 0 || x == 0) && d2 > 0: // the components change places
		p = RotmParams[F]{Flag: gblas.Diagonal, H: [4]F{0, -1, 1, 0}}
		d1, d2, x = d2, d1, y
	case math.Abs(q1) > math.Abs(q2):
		p = RotmParams[F]{Flag: gblas.OffDiagonal, H: [4]F{1, -y / x, p2 / p1, 1}}
		if u = 1 - p.H[2]*p.H[1]; !(u > 0) { // possible by rounding errors only
			return none, 0, 0, 0
		}
		d1, d2, x = d1/u, d2/u, x*u
	case q2 < 0:
		return none, 0, 0, 0
	default:
		p = RotmParams[F]{Flag: gblas.Diagonal, H: [4]F{p1 / p2, -1, 1, x / y}}
		u = 1 + p.H[0]*p.H[3]
		d1, d2, x = d2/u, d1/u, y*u
	}
	p.rescale(&d1, 0, &x)
	p.rescale(&d2, 1, nil)
	p.dropImplied()
	return p, d1, d2, x
}

// rescale brings the weight d of row i of H, and the row with it, into range. An infinity stays.
func (p *RotmParams[F]) rescale(d *F, row int, x *F) {
	const square = rotmScale * rotmScale
	for *d != 0 && *d-*d == 0 {
		size := math.Abs(float64(*d))
		factor := F(rotmScale)
		switch {
		case size <= 1./square:
			*d *= square
			factor = 1. / rotmScale
		case size >= square:
			*d /= square
		default:
			return
		}
		p.Flag = gblas.Rescaling
		p.H[row] *= factor
		p.H[row+2] *= factor
		if x != nil {
			*x *= factor
		}
	}
}

// dropImplied clears the elements of H that Flag implies.
func (p *RotmParams[F]) dropImplied() {
	switch p.Flag {
	case gblas.OffDiagonal:
		p.H[0], p.H[3] = 0, 0
	case gblas.Diagonal:
		p.H[1], p.H[2] = 0, 0
	}
}
