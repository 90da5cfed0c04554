package householder

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Generate overwrites x by the vector v with v[0] = 1 for which H^H x = beta e_1, H = I - tau v v^H. beta is real
// unless tau is 0. tau is 0, and v is meaningless, exactly when x already is a multiple of e_1. The norm is found
// without overflow or underflow, so that x may have any finite elements.
//
// Method: LAPACK's larfg.
func Generate[W dense.Scalar](x []W) (beta, tau W) {
	tail := dense.Vec(x[1:])
	tailNorm := blas.Nrm2(tail)
	if tailNorm == 0 {
		return x[0], 0
	}
	norm := math.Hypot(dense.Abs(x[0]), tailNorm)
	if least, factor := tinyNormOf[W](); norm < least {
		blas.Scal(dense.FromReal[W](factor), dense.Vec(x))
		beta, tau = Generate(x)
		return beta * dense.FromReal[W](1/factor), tau
	}
	beta = dense.FromReal[W](-math.Copysign(norm, dense.Real(x[0])))
	tau = (beta - x[0]) / beta
	blas.Scal(1/(x[0]-beta), tail)
	x[0] = 1
	return beta, tau
}

// GenerateUnscaled returns beta and tau as Generate defines them, and the factor for which v = (1, factor x[1:]), if
// the squares of the elements are safe from overflow and underflow. It leaves x alone, so that a caller can write v
// where it is needed, in any layout. ok is false if squares are not safe, and if x[1:] is zero or tiny.
//
// The sum of squares is a plain one in double precision, a few times faster than Nrm2, so that results differ from
// those of Generate by rounding errors. R is W's real type.
func GenerateUnscaled[R dense.Float, W dense.Scalar](x []W) (beta, tau W, factor complex128, ok bool) {
	least, _ := tinyNormOf[W]()
	re, im := dense.Real(x[0]), dense.Imag(x[0])
	rest := sumSquares(dense.Reals[R](x[1:]))
	sum := rest + re*re + im*im
	if !(rest > least*least) || !(sum < hugeNorm*hugeNorm) {
		return 0, 0, 1, false
	}
	b := -math.Copysign(math.Sqrt(sum), re)
	beta = dense.FromReal[W](b)
	if !dense.IsComplex[W]() {
		return beta, dense.FromReal[W]((b - re) / b), complex(1/(re-b), 0), true
	}
	return beta, dense.FromParts[W]((b-re)/b, -im/b), 1 / complex(re-b, im), true
}

// GenerateReal writes to v the vector, with v[0] = 1, of H = I - tau v v^H with H^H x = beta e_1 for a real beta, also
// where x is a multiple of e_1 already. x stays as it is. Norms of x must not overflow.
func GenerateReal[W dense.Scalar](x, v []W) (beta, tau W) {
	var factor complex128
	var ok bool
	if dense.IsSingle[W]() {
		beta, tau, factor, ok = GenerateUnscaled[float32](x)
	} else {
		beta, tau, factor, ok = GenerateUnscaled[float64](x)
	}
	copy(v, x)
	if ok {
		blas.Scal(dense.FromParts[W](real(factor), imag(factor)), dense.Vec(v[1:]))
	} else {
		beta, tau = Generate(v)
		if tau == 0 {
			clear(v[1:])
			beta, tau = realElement(x[0])
		}
	}
	v[0] = 1
	return beta, tau
}

// realElement returns the real beta, of the sign opposite to that of x, and tau with conj(1 - tau) x = beta; tau is 0
// for a real x. Digits of a subnormal modulus would be lost, so that x is scaled.
func realElement[W dense.Scalar](x W) (beta, tau W) {
	if dense.Imag(x) == 0 {
		return x, 0
	}
	_, exponent := math.Frexp(max(math.Abs(dense.Real(x)), math.Abs(dense.Imag(x))))
	y := []W{x}
	blas.Ldexp(y, -exponent)
	beta = dense.FromReal[W](-math.Copysign(dense.Abs(y[0]), dense.Real(y[0])))
	tau = (beta - y[0]) / beta
	y[0] = beta
	blas.Ldexp(y, exponent)
	return y[0], tau
}

// sumSquares returns the sum of the squares of x in double precision.
func sumSquares[R dense.Float](x []R) float64 {
	var sums [4]float64 // independent of each other, so that none waits for the one before
	for ; len(x) >= len(sums); x = x[len(sums):] {
		for q := range sums {
			sums[q] += float64(x[q]) * float64(x[q])
		}
	}
	for q, y := range x {
		sums[q] += float64(y) * float64(y)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// GenerateHermitian overwrites x, which is no multiple of e_1, by the vector v with v[0] = 1 for which H x = beta e_1,
// H = I - tau v v^H. tau is real, so that H is Hermitian, and beta = -|x| x[0]/|x[0]| is complex where x[0] is; see
// Golub and Van Loan, section 5.1.13.
//
// tau is 2/(v^H v) for v as it was rounded. Q in QZ is the product of many reflectors that are also applied to a second
// matrix, and (|x[0]| + |x|)/|x|, the value for the exact v, makes H unitary to fewer digits. So does a plain sum of
// squares: columns with structure, as of a matrix of ones, give one reflector after the other the same rounding errors.
func GenerateHermitian[T dense.Wide](x []T) (beta T, tau float64) {
	norm := blas.Nrm2(dense.Vec(x))
	if norm < tinyPair {
		blas.Scal(enlargePair, dense.Vec(x))
		beta, tau = GenerateHermitian(x)
		return beta / enlargePair, tau
	}
	first := dense.Abs(x[0])
	phase := T(1)
	if first > norm*negligibleRatio {
		phase = Phase(x[0])
	} else {
		x[0] = 0
	}
	beta = -phase * dense.FromReal[T](norm)
	blas.Scal(1/(x[0]-beta), dense.Vec(x[1:]))
	x[0] = 1
	return beta, 2 / exactSumSquares(dense.Reals[float64](x))
}

// exactSumSquares returns the sum of the squares of x as if it were formed in twice the precision and rounded, unless
// it overflows.
//
// Method: Dot2 of Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 1955 (2005), with fused multiply-adds.
func exactSumSquares(x []float64) float64 {
	sum, errors := 0.0, 0.0
	for _, v := range x {
		square := v * v
		next := sum + square
		added := next - sum
		errors += (sum - (next - added)) + (square - added) + math.FMA(v, v, -square)
		sum = next
	}
	return sum + errors
}

// GenerateFromNorm returns tau, beta and factor so that, for a vector x of the given norm in front of an element alpha,
//
//	(I - tau v v^H)^H (x, alpha) = (0, beta),  v = (factor x, 1),  beta real
//
// for callers that have the norm from the pass that made x. tau is 0 if x is 0 and alpha real, and also if |beta| <
// least: the vector is taken to be 0 then, and beta is 0. The choice is that of LAPACK's larfg (Lehoucq, see the
// package comment).
func GenerateFromNorm[W dense.Scalar](alpha W, norm, least float64) (tau W, beta float64, factor W) {
	re, im := dense.Real(alpha), dense.Imag(alpha)
	if norm == 0 && im == 0 {
		return 0, re, 0
	}
	beta = -math.Copysign(Length(Length(re, im), norm), re)
	if math.Abs(beta) < least {
		return 0, 0, 0
	}
	pivot := complex(re-beta, im)
	inverse := complex(1/(re-beta), 0)
	if im != 0 {
		inverse = 1 / pivot
	}
	return dense.FromParts[W](-real(pivot)/beta, -im/beta), beta, dense.FromParts[W](real(inverse), imag(inverse))
}
