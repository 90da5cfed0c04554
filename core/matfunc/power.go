package matfunc

import (
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// powerBounds are the norms up to which the diagonal Padé approximants of (1 - x)^p, 0 < |p| < 1, are exact to double
// precision (Higham and Lin, SIAM J. Matrix Anal. Appl. 32, 2011, table 3.1).
var powerBounds = [highestRootDegree + 1]float64{0, 1.51e-5, 2.24e-3, 1.88e-2, 6.04e-2, 1.24e-1, 2.00e-1, 2.79e-1}

// Power sets x to the principal power A^p of a square matrix, exp(p log(A)), for a p that is no integer. It is real for
// a real matrix without eigenvalues below zero. x has the shape of a.
//
// A matrix with the eigenvalue zero, exactly or to working precision, in Jordan blocks of order m at most has such a
// power if m < p + 1. Otherwise NaNs stand for it: Outcome tells. The Residual is the largest of the square roots on
// the way.
//
// Errors: as in Logm, and *dense.ArgumentError for a p that is not finite or an integer. Cost and precision: about
// those of Logm. Method: for p > 0 A^p = A^k A^q with an integer k and |q| < 1 of the sign that suits the condition
// number; A^q by square roots, Padé approximants as continued fractions, and squarings (Higham and Lin, SIAM J. Matrix
// Anal. Appl. 32, 2011, and 34, 2013); for p < 0 the inverses of the triangular A^k and A^q.
func Power[T dense.Scalar, C dense.Complex](
	team *sched.Team, a dense.View[T], p float64, x dense.View[C],
) (o Outcome, err error) {
	if math.IsInf(p, 0) || p == math.Floor(p) || p != p {
		return o, dense.BadArgument("t", "expected a number that is no integer, got %g", p)
	}
	if err := checkFunction(team, a, x); err != nil || a.Rows == 0 {
		return o, err
	}
	return applied(team, a, x, functionFor[T](powerKind, p))
}

// triangularPower overwrites the upper triangular t by its power p. A real t has positive diagonal elements.
//
// A negative power is that of the inverse to an integer, times the inverse of a positive one, which triangles give with
// small errors of each element. In a product of negative and positive powers the largest elements would cancel where t
// is ill-conditioned.
func triangularPower[W dense.Wide](
	team *sched.Team, t dense.Matrix[W], p float64, scales grading,
) (lost losses, err error) {
	whole, rest := splitExponent(t, math.Abs(p))
	products, inverses := 0, 0
	if whole != 0 {
		products = 1 + usualProducts(whole)
	}
	if p < 0 {
		inverses = 2
	}
	team = team.Plan(powerSteps + (products+inverses)*productSteps)
	phase := team.Phase(powerSteps)
	fraction, lost, err := fractionalPower(phase, t, rest, scales)
	phase.End()
	if err != nil {
		return lost, err
	}
	if p < 0 {
		invertTriangle(team, fraction)
		invertTriangle(team, t)
		team.Step(inverses * productSteps)
	}
	if err := team.Err(); err != nil || whole == 0 {
		t.CopyFrom(fraction)
		return lost, err
	}
	product := dense.New[W](t.Rows, t.Rows)
	phase = team.Phase((products - 1) * productSteps)
	multiple, err := integerPower(phase, t, uint64(whole))
	if err != nil {
		return lost, err
	}
	phase.End()
	left, right := multiple, fraction
	if largestTerms(right, left) < largestTerms(left, right) {
		left, right = right, left
	}
	err = multiplyAdd(team.Phase(productSteps), left, right, 0, product)
	t.CopyFrom(product)
	return lost, err
}

// largestTerms returns the infinity norm of |L| |R|: what cancels in the product of two upper triangles. Powers of one
// matrix commute, and the terms may be much larger in one order than in the other.
func largestTerms[W dense.Wide](left, right dense.Matrix[W]) float64 {
	sums, most := make([]float64, left.Rows), 0.0
	for i := range right.Rows {
		for _, v := range right.Row(i)[i:] {
			sums[i] += dense.Abs(v)
		}
	}
	for i := range left.Rows {
		total := 0.0
		for j, v := range left.Row(i)[i:] {
			total += dense.Abs(v) * sums[i+j]
		}
		most = max(most, total)
	}
	return most
}

// invertTriangle overwrites the upper triangular t by its inverse; its team reports nothing.
func invertTriangle[W dense.Wide](team *sched.Team, t dense.Matrix[W]) {
	inverse := dense.New[W](t.Rows, t.Rows)
	inverse.SetIdentity()
	blas.Trsm(team, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, 1, t, inverse)
	t.CopyFrom(inverse)
}

// Shares of a fractional power and of each product of matrices in what a power takes.
const powerSteps, productSteps = 20 << 20, 1 << 20

// usualProducts returns how many products a power of a matrix to an integer takes, if half of the bits of that are
// ones.
func usualProducts(exponent float64) int {
	return int(math.Ceil(1.5 * math.Log2(exponent)))
}

// splitExponent returns an integer and a number between -1 and 1 whose sum is p > 0: the two with which the error is
// least, by the condition number of t (Higham and Lin, 2011, section 6).
func splitExponent[W dense.Wide](t dense.Matrix[W], p float64) (whole, rest float64) {
	n := t.Rows
	norm := estimateNorm(n, func(transposed bool, x, y []W) {
		copy(y, x)
		blas.Trmv(nil, blas.Upper, transposition(transposed), blas.NonUnit, t, dense.Vec(y))
	})
	inverse := estimateNorm(n, func(transposed bool, x, y []W) {
		copy(y, x)
		blas.Trsv(nil, blas.Upper, transposition(transposed), blas.NonUnit, t, dense.Vec(y))
	})
	condition, low, high := norm*inverse, math.Floor(p), math.Ceil(p)
	if (p-low)*math.Pow(condition, 1-(p-low)) <= (high-p)*condition {
		return low, p - low
	}
	return high, p - high
}

func transposition(transposed bool) blas.Transpose {
	if transposed {
		return blas.Trans
	}
	return blas.NoTrans
}

// fractionalPower returns the power p, -1 < p < 1, of the upper triangular t, and the accuracy that its square roots
// lost.
func fractionalPower[W dense.Wide](
	team *sched.Team, t dense.Matrix[W], p float64, scales grading,
) (result dense.Matrix[W], lost losses, err error) {
	n := t.Rows
	t, shift := lifted(t)
	values := diagonalsOf(t, upper)
	roots, systems := usualRoots(values.main, &powerBounds), 2*highestRootDegree-1
	team = team.Plan((2*roots + systems) * rootSteps(n)) // and squarings
	near, err := takeRoots(team, t, &powerBounds, scales)
	if err != nil {
		return t, lost, err
	}
	team.Reach(roots * rootSteps(n))
	// The continued fraction of (1 - x)^p at x = -R, from its end.
	y, next, work := near.r.Clone(), dense.New[W](n, n), dense.New[W](n, n)
	scaleTriangle(y, -continuedFraction(2*near.degree, p))
	for j := 2*near.degree - 1; j >= 1; j-- {
		next.CopyFrom(near.r)
		phase := team.Phase(systems * rootSteps(n) / (2*near.degree - 1))
		solveShifted(phase, y, 1, next, work)
		phase.End()
		if err := team.Err(); err != nil {
			return t, lost, err
		}
		scaleTriangle(next, -continuedFraction(j, p))
		y, next = next, y
	}
	for i := range n {
		y.Set(i, i, y.At(i, i)+1)
	}
	for k := near.roots; ; k-- {
		setPowers(y, values, p*math.Ldexp(1, -k))
		if k == 0 {
			scaleTriangle(y, math.Exp2(-p*float64(shift)))
			return y, near.losses, nil
		}
		phase := team.Phase(roots * rootSteps(n) / near.roots)
		if err := multiplyAdd(phase, y, y, 0, work); err != nil {
			return t, lost, err
		}
		phase.End()
		y, work = work, y
	}
}

// scaleTriangle multiplies the upper triangular y by a number.
func scaleTriangle[W dense.Wide](y dense.Matrix[W], factor float64) {
	for i := range y.Rows {
		blas.Scal(dense.FromReal[W](factor), y.RowVec(i, i, y.Rows))
	}
}

// continuedFraction returns coefficient j >= 1 of the continued fraction 1 + c_1 x / (1 + c_2 x / (1 + ...)) of (1 -
// x)^p (Higham and Lin, 2011, section 4).
func continuedFraction(j int, p float64) float64 {
	half := float64(j / 2)
	switch {
	case j == 1:
		return -p
	case j%2 == 0:
		return (p - half) / (2 * (2*half - 1))
	}
	return (-p - half) / (2 * (2*half + 1))
}

// setPowers sets the diagonal of y and the elements above it to those of the power p of a matrix with the given ones.
func setPowers[W dense.Wide](y dense.Matrix[W], values diagonals, p float64) {
	for i, z := range values.main {
		y.Set(i, i, dense.Convert[W](principalPower(z, p)))
		if i > 0 {
			y.Set(i-1, i, dense.Convert[W](values.beside[i-1]*powerDifference(values.main[i-1], z, p)))
		}
	}
}

// IntegerPower sets x to A^k, by squarings, for a square matrix; A^0 is the identity, and negative powers are those of
// the inverse, which LU factors give. x may be a itself. Arithmetic is in T.
//
// Errors: *dense.ArgumentError for shapes that do not fit, and for a negative k *factor.SingularError if a pivot is
// exactly zero and *SingularError if the matrix is singular to working precision; the team's error. Cost: up to 2
// log2(|k|) products, and LU factors in double precision for a negative k.
func IntegerPower[T dense.Scalar](team *sched.Team, a dense.View[T], k int64, x dense.View[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	base := dense.New[T](n, n)
	if err := blas.CopyView(team, base.View(), a); err != nil {
		return err
	}
	powers := (1 + usualProducts(max(1, math.Abs(float64(k))))) * productSteps
	if k < 0 {
		team = team.Plan(factoring + checking + solving + powers)
	} else {
		team = team.Plan(powers)
	}
	if k < 0 && n > 0 {
		pivots, inverse := make([]int, n), dense.New[T](n, n)
		inverse.SetIdentity()
		phase := team.Phase(factoring)
		zero, err := factor.LU(phase, base, pivots)
		if err != nil {
			return err
		}
		if zero > 0 {
			return &factor.SingularError{Arg: "A", Pivot: zero, Factored: true}
		}
		phase.End()
		phase = team.Phase(checking)
		if err := checkInvertible(phase, a); err != nil {
			return err
		}
		phase.End()
		phase = team.Phase(solving)
		if err := factor.LUSolve(phase, base, pivots, inverse); err != nil {
			return err
		}
		phase.End()
		base = inverse
	}
	power, err := integerPower(team.Phase(powers), base, uint64(max(k, -k)))
	if err != nil {
		return err
	}
	return blas.CopyView(team, x, power.View())
}

// Costs of an inverse in terms of a product of matrices: factorization, the check in double precision whether the
// inverse exists, and the solution with the factors.
const factoring, checking, solving = 2 * productSteps / 3, productSteps, 4 * productSteps / 3

// IntegerPowerWorkspace returns an upper bound of the memory in bytes that IntegerPower allocates for an n x n matrix;
// math.MaxInt64 for what no machine can hold.
func IntegerPowerWorkspace[T dense.Scalar](team *sched.Team, n int) int64 {
	const (
		matrices = 4 // the base, its inverse, the power and a product
		vectors  = 2
	)
	order := float64(n)
	perThread := float64(blas.GemmWorkspace[float64]()) + float64(blas.TriangularWorkspace[T](n))
	return boundedBytes(order*(matrices*order+vectors)*float64(dense.Bytes[T]()) + float64(team.Threads())*perThread)
}

// integerPower returns a^k and overwrites a.
func integerPower[T dense.Scalar](team *sched.Team, a dense.Matrix[T], k uint64) (dense.Matrix[T], error) {
	n := a.Rows
	team = team.Plan((bits.Len64(k) + bits.OnesCount64(k)) * productSteps)
	result, work := dense.New[T](n, n), dense.New[T](n, n)
	result.SetIdentity()
	for first := true; k > 0; k >>= 1 {
		if k&1 == 1 && first {
			result.CopyFrom(a)
			first = false
		} else if k&1 == 1 {
			phase := team.Phase(productSteps)
			if err := multiplyAdd(phase, result, a, 0, work); err != nil {
				return result, err
			}
			phase.End()
			result, work = work, result
		}
		if k > 1 {
			phase := team.Phase(productSteps)
			if err := multiplyAdd(phase, a, a, 0, work); err != nil {
				return result, err
			}
			phase.End()
			a, work = work, a
		}
	}
	return result, nil
}
