package sylvester

import (
	"errors"
	"fmt"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// Options of a call. The zero value runs on one thread.
type Options struct {
	Team *sched.Team // threads, cancellation, progress
}

// OverflowError reports that the solution of an equation holds numbers beyond the range of its type.
type OverflowError struct {
	// The largest element is about 2^Exponent.
	Exponent int
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("the solution overflows: its largest element is about 2^%d", e.Exponent)
}

// Sylvester sets x, m x n, to the solution of
//
//	A X + X B = C
//
// for a, m x m, and b, n x n. The views may have any strides; x may be the same view as c and does not overlap a or b.
//
// The solution is unique unless A and -B have an eigenvalue in common. If they nearly do, perturbed is true: x then
// solves an equation whose coefficients differ by about eps, as in LAPACK.
//
// It returns a *dense.ArgumentError for shapes that do not fit and for infinities and NaNs (the right side is called q
// there), a *schur.ConvergenceError, an *OverflowError, or the team's error when the call is cancelled. After an error
// x is unspecified.
//
// The residual is of the order of eps (|A| + |B|) |X|. Cost: 25 (m^3 + n^3) + 5 m n (m + n) flops in real arithmetic.
// Method: Bartels and Stewart, Comm. ACM 15, 1972.
func Sylvester[T dense.Scalar](a, b, c, x dense.View[T], opt Options) (perturbed bool, err error) {
	if err := checkEquation(opt.Team, a, &b, c, x); err != nil || x.Rows == 0 || x.Cols == 0 {
		return false, err
	}
	first, second := schur.Cost[T](a.Rows, true), schur.Cost[T](b.Rows, true)
	opt.Team = opt.Team.Plan(first + second + schurBasesCost[T](a.Rows, b.Rows, solutionRate))
	left, err := factorize("a", a, opt, first)
	if err != nil {
		return false, err
	}
	right, err := factorize("b", b, opt, second)
	if err != nil {
		return false, err
	}
	return inSchurBases(left, right, c, x, opt, solutionRate, func(team *sched.Team, y dense.Matrix[T]) (Outcome, error) {
		return Triangular(team, Form{}, left.t, right.t, y)
	})
}

// Lyapunov sets x, n x n, to the solution of the continuous equation
//
//	A X + X A^H = Q
//
// under the conditions and with the errors of Sylvester. It is unique unless two eigenvalues of A, or one taken twice,
// are each other's negative conjugates. A Hermitian Q gives an exactly Hermitian X.
//
// Cost: 25 n^3 + 10 n^3 flops.
func Lyapunov[T dense.Scalar](a, q, x dense.View[T], opt Options) (perturbed bool, err error) {
	return congruent(a, q, x, opt, solutionRate, func(team *sched.Team, t, y dense.Matrix[T]) (Outcome, error) {
		return Triangular(team, Form{AdjointB: true}, t, t, y)
	})
}

// DiscreteLyapunov sets x, n x n, to the solution of
//
//	A X A^H - X + Q = 0
//
// under the conditions and with the errors of Sylvester. It is unique unless an eigenvalue of A times the conjugate of
// one is 1. A Hermitian Q gives an exactly Hermitian X.
//
// Cost: 25 n^3 + 12 n^3 flops. Method: Kitagawa, Int. J. Control 25, 1977: the Schur form of A makes the equation
// triangular without a detour by the continuous one, which takes inverses of A + I.
func DiscreteLyapunov[T dense.Scalar](a, q, x dense.View[T], opt Options) (perturbed bool, err error) {
	return congruent(a, q, x, opt, steinRate, func(team *sched.Team, t, y dense.Matrix[T]) (Outcome, error) {
		for i := range y.Rows {
			blas.Scal(-1, y.RowVec(i, 0, y.Cols))
		}
		return TriangularStein(team, t, t, y)
	})
}

// congruent solves an equation with one coefficient. solve does so for a triangular coefficient.
func congruent[T dense.Scalar](
	a, q, x dense.View[T], opt Options, rate float64,
	solve func(team *sched.Team, t, y dense.Matrix[T]) (Outcome, error),
) (perturbed bool, err error) {
	if err := checkEquation(opt.Team, a, nil, q, x); err != nil || x.Rows == 0 {
		return false, err
	}
	hermitian := isHermitian(q)
	factoring := schur.Cost[T](a.Rows, true)
	opt.Team = opt.Team.Plan(factoring + schurBasesCost[T](a.Rows, a.Rows, rate))
	f, err := factorize("a", a, opt, factoring)
	if err != nil {
		return false, err
	}
	perturbed, err = inSchurBases(f, f, q, x, opt, rate, func(team *sched.Team, y dense.Matrix[T]) (Outcome, error) {
		return solve(team, f.t, y)
	})
	if err == nil && hermitian {
		symmetrize(x)
	}
	return perturbed, err
}

// checkEquation checks the shapes and elements of an equation; without b, A stands for it.
func checkEquation[T dense.Scalar](team *sched.Team, a dense.View[T], b *dense.View[T], c, x dense.View[T]) error {
	m, n := a.Rows, a.Rows
	if b != nil {
		n = b.Rows
	}
	switch {
	case a.Cols != m:
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	case b != nil && b.Cols != n:
		return dense.BadArgument("b", "expected a square matrix, got shape (%d, %d)", b.Rows, b.Cols)
	case c.Rows != m || c.Cols != n:
		return dense.BadArgument("q", "expected shape (%d, %d), got (%d, %d)", m, n, c.Rows, c.Cols)
	case x.Rows != m || x.Cols != n:
		return dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", m, n, x.Rows, x.Cols)
	}
	if err := blas.CheckFinite(team, a, "a"); err != nil {
		return err
	}
	if b != nil {
		if err := blas.CheckFinite(team, *b, "b"); err != nil {
			return err
		}
	}
	return blas.CheckFinite(team, c, "q")
}

// schurForm is A = Z T Z^H.
type schurForm[T dense.Scalar] struct{ t, z dense.Matrix[T] }

func factorize[T dense.Scalar](name string, a dense.View[T], opt Options, cost int) (schurForm[T], error) {
	f := schurForm[T]{dense.New[T](a.Rows, a.Rows), dense.New[T](a.Rows, a.Rows)}
	phase := opt.Team.Phase(cost)
	err := schur.Decompose(a, f.t.View(), f.z.View(), schur.Options{Team: phase})
	phase.End()
	var argument *dense.ArgumentError
	if errors.As(err, &argument) {
		argument.Arg = name // Schur knows it as a
	}
	return f, err
}

// inSchurBases transforms the right-hand side c to the bases of the Schur forms, calls solve there, and transforms the
// solution back to x.
func inSchurBases[T dense.Scalar](
	left, right schurForm[T], c, x dense.View[T], opt Options, rate float64,
	solve func(team *sched.Team, y dense.Matrix[T]) (Outcome, error),
) (perturbed bool, err error) {
	m, n := x.Rows, x.Cols
	cost := schurBasesCost[T](m, n, rate)
	team := opt.Team.Phase(cost).Plan(cost)
	y, product := dense.New[T](m, n), dense.New[T](m, n)
	if err := blas.CopyView(team, y.View(), c); err != nil {
		return false, err
	}
	// Sums of huge elements could overflow where the solution does not.
	down := exponent(y)
	if moderate := limitsOf[T]().moderate; -moderate <= down && down <= moderate {
		down = 0
	}
	scale(y, -down)
	byLeft, byRight, solving := transformCosts[T](m, n, rate)
	multiply := func(cost int, tA, tB blas.Transpose, a, b, c dense.Matrix[T]) {
		phase := team.Phase(cost)
		blas.Gemm(phase, tA, tB, 1, a, b, 0, c)
		phase.End()
	}
	multiply(byLeft, blas.ConjTrans, blas.NoTrans, left.z, y, product)
	multiply(byRight, blas.NoTrans, blas.NoTrans, product, right.z, y)
	phase := team.Phase(solving)
	outcome, err := solve(phase, y)
	phase.End()
	if err != nil {
		return false, err
	}
	shift := outcome.Shift + down
	// A large solution is transformed as one of moderate size.
	if size := exponent(y); size > limitsOf[T]().moderate {
		scale(y, -size)
		shift += size
	}
	multiply(byLeft, blas.NoTrans, blas.NoTrans, left.z, y, product)
	multiply(byRight, blas.NoTrans, blas.ConjTrans, product, right.z, y)
	if size := exponent(y) + shift; shift > 0 && size > dense.MaxExponent[T]()+1 {
		return false, &OverflowError{Exponent: size}
	}
	scale(y, shift)
	if err := team.Err(); err != nil {
		return false, err
	}
	return outcome.Perturbed, blas.CopyView(team, x, y.View())
}

// isHermitian reports whether q is its own adjoint to the last bit.
func isHermitian[T dense.Scalar](q dense.View[T]) bool {
	for i := range q.Rows {
		for j := range i + 1 {
			if q.At(i, j) != dense.Conj(q.At(j, i)) {
				return false
			}
		}
	}
	return true
}

// symmetrize replaces x by the mean of itself and its adjoint.
func symmetrize[T dense.Scalar](x dense.View[T]) {
	for i := range x.Rows {
		for j := range i + 1 {
			mean := x.At(i, j)/2 + dense.Conj(x.At(j, i))/2
			x.Set(i, j, mean)
			x.Set(j, i, dense.Conj(mean))
		}
	}
}

// Workspace returns an upper bound on the memory in bytes that Sylvester allocates for an m x n solution of an equation
// in T; for the Lyapunov equations m and n are their order.
func Workspace[T dense.Scalar](team *sched.Team, m, n int) int64 {
	const headers = 1 << 14 // structs, and the allocator's rounding up
	element := int64(unsafe.Sizeof(*new(T)))
	// Schur forms, what is scaled of them, and Y
	squares := 3*int64(m)*int64(m) + 3*int64(n)*int64(n) + 2*int64(m)*int64(n)
	leaves := int64(team.Threads()) * int64(unsafe.Sizeof(leaf[T]{}))
	return element*(squares+leafSize*int64(m)) + schur.Workspace[T](max(m, n)) + leaves + headers
}

// solutionRate and steinRate are the times of a multiply-add of a triangular Sylvester or Stein equation, relative to
// one of a product of matrices. They were measured with one thread at order 600 by benchmarks/progress.py, and
// determine reported progress only.
const solutionRate, steinRate = 9.0, 17.0

// transformCosts returns the expected costs of a product with the unitary factor of either side and of the triangular
// equation, in multiply-adds of products of real matrices.
func transformCosts[T dense.Scalar](m, n int, rate float64) (byLeft, byRight, solving int) {
	each := 1
	if dense.IsComplex[T]() {
		each = 4
	}
	byLeft, byRight = each*m*m*n, each*m*n*n
	return byLeft, byRight, int(rate * float64(byLeft+byRight) / 2)
}

// schurBasesCost returns the expected cost of inSchurBases.
func schurBasesCost[T dense.Scalar](m, n int, rate float64) int {
	byLeft, byRight, solving := transformCosts[T](m, n, rate)
	return 2*byLeft + 2*byRight + solving
}
