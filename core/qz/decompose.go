package qz

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

// Decompose computes the generalized Schur form of the n x n matrices a and b. The inputs are not changed and must not
// overlap the results.
//
// Complex: S and P are upper triangular, and P has a real nonnegative diagonal. Real: P is upper triangular with a
// nonnegative diagonal, S is upper quasi-triangular. A 2 x 2 diagonal block of S belongs to a pair of complex
// eigenvalues, and the corresponding block of P is diagonal with positive elements, the larger one first. Elements that
// must be zero are exactly zero. The order of the eigenvalues is that in which the iteration finds them; Beta is 0 for
// an infinite one. For blocks of order 1, Alpha and Beta are the diagonal elements of S and P. For a complex pair both
// betas are the square root of the determinant of the block of P, and the alpha with positive imaginary part comes
// first.
//
// It returns a *dense.ArgumentError for shapes that do not match, for infinities or NaNs, and for matrices so large
// that S or P overflows; a *ConvergenceError when the iteration does not converge; and the team's error when the call
// is cancelled. After an error the results are unspecified.
//
// Cost: about 50 n^3 flops for real matrices, 66 n^3 with Q and Z. Method: reduction to Hessenberg-triangular form and
// the implicit QZ iteration, with double shifts for real and single shifts for complex matrices, of Moler and Stewart
// (SIAM J. Numer. Anal. 10, 1973); Golub and Van Loan, Matrix Computations, 4th ed., section 7.7. Double shifts take
// one reflector for each side and step, of Watkins and Elsner (SIAM J. Matrix Anal. Appl. 15, 1994).
func Decompose[T dense.Scalar](a, b dense.View[T], f Form[T], opt Options) error {
	if dense.IsComplex[T]() {
		return decompose[T, complex128](a, b, f, opt)
	}
	return decompose[T, float64](a, b, f, opt)
}

// decompose is Decompose in the arithmetic of W.
func decompose[T dense.Scalar, W dense.Wide](a, b dense.View[T], f Form[T], opt Options) error {
	if err := checkShapes(a, b, f); err != nil {
		return err
	}
	n := a.Rows
	if finite, err := checkFinite([2]string{"a", "b"}, a, b, opt); err != nil || !finite {
		if err == nil {
			f.fill(math.NaN())
		}
		return err
	}
	m := newPencil[W](opt.Team, n, f.Q, f.Z)
	powers, err := load(m, a, b)
	if err != nil {
		return err
	}
	if err := m.toForm(opt); err != nil {
		return err
	}
	return store(m, powers, f)
}

// toForm brings the pair to generalized Schur form.
func (m *pencil[T]) toForm(opt Options) error {
	c := costsOf(m)
	team := opt.Team.Plan(c.form())
	defer func() { m.team = opt.Team }()
	m.team = team.Phase(c.triangle)
	if err := m.triangularize(); err != nil {
		return err
	}
	m.team.End()
	m.team = team.Phase(c.reduction)
	if err := m.reduceToHessenberg(); err != nil {
		return err
	}
	m.team.End()
	m.team = team.Phase(c.iteration)
	err := m.iterate(opt.MaxIterations)
	m.team.End()
	return err
}

func checkShapes[T dense.Scalar](a, b dense.View[T], f Form[T]) error {
	if a.Rows != a.Cols {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if b.Rows != a.Rows || b.Cols != a.Rows {
		return dense.BadArgument("b", "expected the shape of a, (%d, %d), got (%d, %d)", a.Rows, a.Rows, b.Rows, b.Cols)
	}
	return f.check(a.Rows)
}

// check returns an error unless f has room for the form of matrices of order n.
func (f Form[T]) check(n int) error {
	for _, c := range []struct {
		name string
		dense.View[T]
		optional bool
	}{{"s", f.S, false}, {"p", f.P, false}, {"q", f.Q, true}, {"z", f.Z, true}} {
		if c.optional && c.Rows == 0 {
			continue
		}
		if c.Rows != n || c.Cols != n {
			return dense.BadArgument(c.name, "expected shape (%d, %d), got (%d, %d)", n, n, c.Rows, c.Cols)
		}
	}
	if f.Alpha == nil && f.Beta == nil {
		return nil
	}
	return checkValues(f.Alpha, f.Beta, n)
}

func checkValues(alpha []complex128, beta []float64, n int) error {
	if len(alpha) != n {
		return dense.BadArgument("alpha", "expected %d elements, got %d", n, len(alpha))
	}
	if len(beta) != n {
		return dense.BadArgument("beta", "expected %d elements, got %d", n, len(beta))
	}
	return nil
}

// checkFinite reports whether the two matrices, called by these names in errors, are finite. It returns an error if
// they are not and opt does not allow that.
func checkFinite[T dense.Scalar](names [2]string, a, b dense.View[T], opt Options) (bool, error) {
	err := blas.CheckFinite(opt.Team, a, names[0])
	if err == nil {
		err = blas.CheckFinite(opt.Team, b, names[1])
	}
	var notFinite *dense.ArgumentError
	if opt.SkipFiniteCheck && errors.As(err, &notFinite) {
		return false, nil
	}
	return err == nil, err
}

// fill sets all results to x.
func (f Form[T]) fill(x float64) {
	for _, v := range []dense.View[T]{f.S, f.P, f.Q, f.Z} {
		v.Fill(dense.FromReal[T](x))
	}
	fillValues(f.Alpha, f.Beta, x)
}

func fillValues(alpha []complex128, beta []float64, x float64) {
	for k := range alpha {
		alpha[k], beta[k] = complex(x, x), x
	}
}

// newPencil returns a pair of zeros of order n, with factors for q and z.
func newPencil[W dense.Wide, T dense.Scalar](team *sched.Team, n int, q, z dense.View[T]) *pencil[W] {
	return &pencil[W]{
		team: team, s: workspace.NewPadded[W](n), p: workspace.NewPadded[W](n), qt: factorFor[W](q), zt: factorFor[W](z),
	}
}

// factorFor returns an identity matrix of the order of factor: one without rows if the factor is not wanted.
func factorFor[W dense.Wide, T dense.Scalar](factor dense.View[T]) dense.Matrix[W] {
	m := workspace.NewPadded[W](factor.Rows)
	m.SetIdentity()
	return m
}

// exponents are the powers of two by which the matrices of a pencil were multiplied.
type exponents struct{ s, p int }

// load copies a and b into the pair, each multiplied by the power of two that makes its largest element about 1, and
// computes the norms. It returns the exponents of the powers.
func load[T dense.Scalar, W dense.Wide](m *pencil[W], a, b dense.View[T]) (powers exponents, err error) {
	if powers.s, m.normS, err = loadOne(m.team, m.s, a); err != nil {
		return powers, err
	}
	powers.p, m.normP, err = loadOne(m.team, m.p, b)
	return powers, err
}

// loadOne is load for one matrix.
func loadOne[T dense.Scalar, W dense.Wide](
	team *sched.Team, to dense.Matrix[W], from dense.View[T],
) (power int, norm float64, err error) {
	if err := blas.CopyView(team, to.View(), from); err != nil {
		return 0, 0, err
	}
	power = -workspace.Exponent(to)
	workspace.Scale(to, power)
	return power, frobenius(to), nil
}

// store undoes the scaling and copies the pair, its eigenvalues and the factors to f.
func store[T dense.Scalar, W dense.Wide](m *pencil[W], powers exponents, f Form[T]) error {
	if f.Alpha != nil {
		m.eigenvalues(f.Alpha, f.Beta)
		scaleValues(f.Alpha, f.Beta, powers)
	}
	workspace.Scale(m.s, -powers.s)
	workspace.Scale(m.p, -powers.p)
	for _, c := range []struct {
		arg  string
		from dense.Matrix[W]
		to   dense.View[T]
	}{{"a", m.s, f.S}, {"b", m.p, f.P}} {
		if err := blas.CopyView(m.team, c.to, c.from.View()); err != nil {
			return err
		}
		if !c.to.AllFinite() {
			return dense.BadArgument(c.arg, "elements are too large: those of its form overflow")
		}
	}
	roundPairs(f)
	keepPairsRegular(f)
	for _, c := range []struct {
		from dense.Matrix[W]
		to   dense.View[T]
	}{{m.qt, f.Q}, {m.zt, f.Z}} {
		if err := blas.CopyView(m.team, c.to, c.from.View().T()); err != nil {
			return err
		}
	}
	return nil
}

// roundPairs replaces complex pairs whose block of S became triangular when it was rounded to T by the real eigenvalues
// of that block.
func roundPairs[T dense.Scalar](f Form[T]) {
	for k := 0; k+1 < len(f.Alpha) && !dense.IsComplex[T](); k++ {
		if imag(f.Alpha[k]) > 0 && f.S.At(k+1, k) == 0 {
			for i := k; i < k+2; i++ {
				f.Alpha[i], f.Beta[i] = complex(dense.Real(f.S.At(i, i)), 0), dense.Real(f.P.At(i, i))
			}
		}
	}
}

// keepPairsRegular makes diagonal elements of P beside a complex pair, which were rounded to zero, the smallest
// positive number: an error no larger than that of rounding, and the block remains one of finite eigenvalues.
func keepPairsRegular[T dense.Scalar](f Form[T]) {
	for k := 0; k+1 < f.S.Rows && !dense.IsComplex[T](); k++ {
		if f.S.At(k+1, k) == 0 {
			continue
		}
		for i := k; i < k+2; i++ {
			if f.P.At(i, i) == 0 {
				f.P.Set(i, i, dense.FromReal[T](dense.SmallestSubnormal[T]()))
			}
		}
	}
}

// scaleValues undoes the scaling of the pair for its eigenvalues.
func scaleValues(alpha []complex128, beta []float64, powers exponents) {
	for k, x := range alpha {
		alpha[k] = complex(math.Ldexp(real(x), -powers.s), math.Ldexp(imag(x), -powers.s))
		beta[k] = math.Ldexp(beta[k], -powers.p)
	}
}

// Costs of the phases with both factors, in multiply-adds divided by the cube of the order, measured with one thread at
// orders of 200 to 400 by benchmarks/progress.py. Only the reported progress depends on them.
const (
	triangleRate  = 0.7
	reductionRate = 4.5
	iterationRate = 12.0
	vectorsRate   = 2.0
	// Share of each factor in the reduction and in the iteration.
	factorShare = 0.25
)

// costs are the expected costs of the phases of a decomposition.
type costs struct{ triangle, reduction, iteration, vectors int }

// costsOf returns the costs of a pair.
func costsOf[T dense.Wide](m *pencil[T]) costs {
	whole := float64(m.order()) * float64(m.order()) * float64(m.order())
	share := 1 - 2*factorShare
	for _, factor := range []dense.Matrix[T]{m.qt, m.zt} {
		if factor.Rows > 0 {
			share += factorShare
		}
	}
	return costs{
		triangle:  int(triangleRate * share * whole),
		reduction: int(reductionRate * share * whole),
		iteration: int(iterationRate * share * whole),
		vectors:   int(vectorsRate * whole),
	}
}

// form returns the cost of the generalized Schur form.
func (c costs) form() int { return c.triangle + c.reduction + c.iteration }
