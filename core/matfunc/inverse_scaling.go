package matfunc

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// nearIdentity is T^(1/2^roots) - I for an upper triangular T, near enough to zero for the Padé approximant of the
// degree.
type nearIdentity[W dense.Wide] struct {
	r      dense.Matrix[W]
	roots  int
	degree int
	losses
}

// highestRootDegree is the largest degree of an approximant that is worth it: from there on another square root costs
// less.
const highestRootDegree = 7

// takeRoots takes as many square roots of the upper triangular t as it takes for the approximants whose errors are
// bounded where norms are at most theta[m]; theta[0] is not used. No diagonal element of t is zero, and a real t has
// none below zero. scales are those by which t has been graded.
//
// Method: Al-Mohy and Higham, SIAM J. Sci. Comput. 34, 2012, algorithm 4.1, lines 3 to 34, which is also part of Higham
// and Lin, SIAM J. Matrix Anal. Appl. 34, 2013, algorithm 3.1. The diagonal and the elements above it are computed from
// those of t, without the cancellation in the difference to I.
func takeRoots[W dense.Wide](
	team *sched.Team, t dense.Matrix[W], theta *[highestRootDegree + 1]float64, scales grading,
) (near nearIdentity[W], err error) {
	n := t.Rows
	s := &rootTaking[W]{team: team, n: n, r: t.Clone(), other: dense.New[W](n, n), scales: scales}
	values := diagonalsOf(t, upper)
	for range rootsOfDiagonal(values.main, theta[highestRootDegree]) {
		if err := s.next(); err != nil {
			return near, err
		}
	}
	degree, err := s.chooseDegree(theta)
	if err != nil {
		return near, err
	}
	for i := range n {
		s.r.Set(i, i, dense.Convert[W](rootMinusOne(values.main[i], s.roots)))
		if i > 0 {
			p := math.Ldexp(1, -s.roots)
			s.r.Set(i-1, i, dense.Convert[W](values.beside[i-1]*powerDifference(values.main[i-1], values.main[i], p)))
		}
	}
	return nearIdentity[W]{s.r, s.roots, degree, s.losses}, nil
}

// rootsOfDiagonal returns how many square roots bring all values within the distance of 1.
func rootsOfDiagonal(values []complex128, distance float64) int {
	most := 0
	for _, z := range values {
		roots := 0
		for ; cmplx.Abs(z-1) > distance; roots++ {
			z = principalRoot(z)
		}
		most = max(most, roots)
	}
	return most
}

// usualRoots returns how many square roots takeRoots is expected to take of a matrix with these eigenvalues. A system
// of equations takes about as long as one of them.
func usualRoots(values []complex128, theta *[highestRootDegree + 1]float64) int {
	return rootsOfDiagonal(values, theta[highestRootDegree]) + 2
}

// rootTaking is T^(1/2^roots) in r, and memory of the same size.
type rootTaking[W dense.Wide] struct {
	team     *sched.Team
	n, roots int
	r, other dense.Matrix[W]
	scales   grading
	losses
}

// next takes another square root.
func (s *rootTaking[W]) next() error {
	s.other.Fill(0)
	phase := s.team.Phase(rootSteps(s.n))
	_, err := triangularRoot(phase.Plan(rootSteps(s.n)), s.r, s.other)
	phase.End()
	noteRoot(&s.losses, s.other, s.r, s.scales)
	s.r, s.other = s.other, s.r
	s.roots++
	return err
}

// distance returns an estimate of the p-th root of the norm of (R - I)^p.
func (s *rootTaking[W]) distance(p int) float64 {
	norm := estimateNorm(s.n, func(transposed bool, x, y []W) {
		trans := transposition(transposed)
		copy(y, x)
		before := make([]W, s.n)
		for range p {
			copy(before, y)
			blas.Trmv(nil, blas.Upper, trans, blas.NonUnit, s.r, dense.Vec(y))
			blas.Axpy(-1, dense.Vec(before), dense.Vec(y))
		}
	})
	return root(norm, p)
}

// chooseDegree takes more roots while that costs less than the higher degree that it saves, and returns the degree.
func (s *rootTaking[W]) chooseDegree(theta *[highestRootDegree + 1]float64) (degree int, err error) {
	smallest := func(from int, size float64) int {
		for m := from; m <= highestRootDegree; m++ {
			if size <= theta[m] {
				return m
			}
		}
		return highestRootDegree + 1
	}
	second, third := s.distance(2), s.distance(3)
	if m := smallest(1, max(second, third)); m <= 2 {
		return m, nil
	}
	for extra := 0; ; {
		fourth := s.distance(4)
		size := max(third, fourth)
		if size != size { // something has overflowed: no root helps
			return highestRootDegree, nil
		}
		if m := smallest(3, size); m < highestRootDegree {
			return m, nil
		} else if m == highestRootDegree && size/2 <= theta[5] && extra < 2 {
			extra++
		} else {
			if m := smallest(highestRootDegree-1, min(size, max(fourth, s.distance(5)))); m <= highestRootDegree {
				return m, nil
			}
		}
		if err := s.next(); err != nil {
			return 0, err
		}
		third = s.distance(3)
	}
}

// rootMinusOne returns z^(1/2^k) - 1 without cancellation: (z - 1) divided by the product of 1 + z^(1/2^j) for j = 1 to
// k, which begins with a root of z if z is in the left half plane (Al-Mohy, Numer. Algorithms 59, 2012, algorithm 2).
func rootMinusOne(z complex128, k int) complex128 {
	if k == 0 {
		return z - 1
	}
	if real(z) <= 0 {
		z = principalRoot(z)
		k--
	}
	difference, product := z-1, complex(1, 0)
	for range k {
		z = principalRoot(z)
		product *= 1 + z
	}
	return difference / product
}

// lifted returns t, or 2^shift t if all elements are so small that their reciprocals may overflow.
func lifted[W dense.Wide](t dense.Matrix[W]) (multiple dense.Matrix[W], shift int) {
	const least = -1000 // a power of two whose reciprocal is far from overflow
	if norm := infinityNorm(t); norm == 0 || norm >= math.Ldexp(1, least) {
		return t, 0
	}
	multiple = t.Clone()
	scaleTriangle(multiple, math.Ldexp(1, -least))
	return multiple, -least
}

// principalLog returns the logarithm with an imaginary part above -pi and up to pi.
func principalLog(z complex128) complex128 {
	const bits = 64
	if imag(z) == 0 {
		z = complex(real(z), 0)
	}
	// math.Log returns that of the smallest normal number for smaller ones on amd64
	if cmplx.Abs(z) < dense.SmallestNormalDouble {
		return cmplx.Log(z*(1<<bits)) - bits*math.Ln2
	}
	return cmplx.Log(z)
}

// unwinding returns the integer k for which the logarithm of exp(z) is z - 2 pi i k (Higham, Functions of Matrices,
// section 11.1).
func unwinding(z complex128) float64 { return math.Ceil((imag(z) - math.Pi) / (2 * math.Pi)) }

// logDifference returns the logarithm of y minus that of x, with the digits that are lost in the difference of the two
// where x and y are near each other (Higham, Functions of Matrices, equation (11.28)).
func logDifference(x, y complex128) complex128 {
	plain := principalLog(y) - principalLog(x)
	if cmplx.Abs(y-x) > cmplx.Abs(x+y)/2 {
		return plain
	}
	return 2*atanh((y-x)/(y+x)) + complex(0, 2*math.Pi*unwinding(plain))
}

// atanh returns the inverse hyperbolic tangent of a z with |z| < 1, to full relative precision for small ones, too,
// which cmplx.Atanh has not: the real part is log(|1 + z| / |1 - z|), where the quotient of the squares is 1 + 4 re z /
// |1 - z|^2.
func atanh(z complex128) complex128 {
	x, y := real(z), imag(z)
	return complex(math.Log1p(4*x/((1-x)*(1-x)+y*y))/4, math.Atan2(2*y, (1-x)*(1+x)-y*y)/2)
}

// powerDifference returns the divided difference (y^p - x^p) / (y - x) of principal powers, p x^(p-1) for x = y (Higham
// and Lin, SIAM J. Matrix Anal. Appl. 32, 2011, equations (5.5) and (5.6)).
func powerDifference(x, y complex128, p float64) complex128 {
	exponent := complex(p, 0)
	switch {
	case x == y:
		return exponent * cmplx.Exp((exponent-1)*principalLog(x))
	case cmplx.Abs(y-x) > cmplx.Abs(x+y)/2:
		return (principalPower(y, p) - principalPower(x, p)) / (y - x)
	}
	middle := cmplx.Exp(exponent / 2 * (principalLog(x) + principalLog(y)))
	return middle * 2 * cmplx.Sinh(exponent/2*logDifference(x, y)) / (y - x)
}

// principalPower returns z^p for a z that is not zero, real for a positive z.
func principalPower(z complex128, p float64) complex128 {
	if imag(z) == 0 && real(z) > 0 {
		return complex(math.Pow(real(z), p), 0)
	}
	return cmplx.Exp(complex(p, 0) * principalLog(z))
}

// solveShifted overwrites b by the solution of (I + alpha R) X = B for the upper triangular r; work is memory of the
// same size.
func solveShifted[W dense.Wide](team *sched.Team, r dense.Matrix[W], alpha float64, b, work dense.Matrix[W]) {
	for i := range r.Rows {
		row := work.Row(i)
		clear(row[:i])
		for j, v := range r.Row(i)[i:] {
			row[i+j] = v * dense.FromReal[W](alpha)
		}
		row[i] += 1
	}
	blas.Trsm(team, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, 1, work, b)
}
