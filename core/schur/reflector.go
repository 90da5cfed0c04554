package schur

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Squares of vectors with norms below tinyNorm or above hugeNorm lose digits or overflow. Such vectors are multiplied by
// enlarge or by shrink first, which brings even the smallest subnormal and the largest number between those limits.
const (
	tinyNorm = 0x1p-450
	hugeNorm = 0x1p+500
	enlarge  = 0x1p+900
	shrink   = 0x1p-520
)

// safeScale returns the power of two by which numbers of this size are multiplied before squares are formed of them.
func safeScale(norm float64) float64 {
	switch {
	case norm < tinyNorm:
		return enlarge
	case norm > hugeNorm:
		return shrink
	}
	return 1
}

// tinyNormOf returns the norm below which a vector of type W is multiplied by a factor, and the factor.
func tinyNormOf[W dense.Scalar]() (least, factor float64) {
	const tinySingle, enlargeSingle = 0x1p-80, 0x1p+80
	if dense.IsSingle[W]() {
		return tinySingle, enlargeSingle
	}
	return tinyNorm, enlarge
}

// householder overwrites x by the vector v with v[0] = 1 for which P^H, P = I - tau v v^H, maps x to beta e_1. beta is real
// unless tau is 0. tau is 0, and v is meaningless, exactly when x already is a multiple of e_1.
func householder[W dense.Scalar](x []W) (beta, tau W) {
	tail := dense.Vec(x[1:])
	tailNorm := blas.Nrm2(tail)
	if tailNorm == 0 {
		return x[0], 0
	}
	norm := math.Hypot(dense.Abs(x[0]), tailNorm)
	if least, factor := tinyNormOf[W](); norm < least {
		blas.Scal(dense.FromReal[W](factor), dense.Vec(x))
		beta, tau = householder(x)
		return beta * dense.FromReal[W](1/factor), tau
	}
	beta = dense.FromReal[W](-math.Copysign(norm, dense.Real(x[0])))
	tau = (beta - x[0]) / beta
	blas.Scal(1/(x[0]-beta), tail)
	x[0] = 1
	return beta, tau
}

// reflector is I - tau v v^T with v = (1, v1, v2), in the form its application needs: t1 = tau v1, t2 = tau v2. It acts
// on two elements when v2 is 0. tau = 0 is the identity.
type reflector struct{ v1, v2, tau, t1, t2 float64 }

// newReflector returns the reflector that maps (a, b, c) to (beta, 0, 0). It is the identity only for b = c = 0: blocks
// that are coupled by tiny elements would never separate if those were left alone.
func newReflector(a, b, c float64) (p reflector, beta float64) {
	if b == 0 && c == 0 {
		return reflector{}, a
	}
	scale := safeScale(math.Sqrt(a*a + b*b + c*c))
	a, b, c = a*scale, b*scale, c*scale
	beta = -math.Copysign(math.Sqrt(a*a+b*b+c*c), a)
	p.v1, p.v2 = b/(a-beta), c/(a-beta)
	p.tau = (beta - a) / beta
	p.t1, p.t2 = p.tau*p.v1, p.tau*p.v2
	return p, beta / scale
}
