package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// Expm sets x to the exponential of a square matrix:
//
//	X = I + A + A^2/2! + A^3/3! + ...
//
// x has the shape of a and may be a itself, or have any other strides. The exponential of a triangular matrix is
// triangular, with zeros that are exact, that of a diagonal one diagonal. A matrix that is not diagonal and holds
// infinities or NaNs gives NaNs; an exponential that overflows has infinities and maybe NaNs.
//
// Rows and columns of matrices of large norms, and of triangles far from normal, are permuted and scaled by powers of
// two first, where that makes the norm much smaller.
//
// Errors: *dense.ArgumentError for shapes that do not fit; the team's error when the call is cancelled.
//
// The relative error is of the order of eps times the condition number of the exponential at A, which is at least |A|,
// and, for some matrices that are far from normal, of the squarings. Cost: about 6 products of n x n matrices, a system
// of equations, and log2(|A|) - 2 squarings for matrices of norm above 4; half of that for small norms. Arithmetic is
// in T.
//
// Method: scaling and squaring with Padé approximants of degrees 3 to 13, 3 to 7 in single precision, chosen by norms
// of powers of A (Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31, 2009), where norms of powers that are not at hand
// are replaced by bounds or, for large matrices, estimates. Unlike there, the spectral norm may stand for the norm of
// |A| in the bound on rounding errors, which spares matrices with elements of both signs some squarings.
func Expm[T dense.Scalar](team *sched.Team, a, x dense.View[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if x.Rows != n || x.Cols != n {
		return dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", n, n, x.Rows, x.Cols)
	}
	if n == 0 {
		return nil
	}
	e := newExponential[T](team, n)
	defer e.memory.GiveBack()
	if err := blas.CopyView(team, e.a.View(), a); err != nil {
		return err
	}
	if e.shape = shapeOf(e.a); e.shape == diagonal {
		return blas.CopyView(team, x, e.ofDiagonal().View())
	}
	if !e.a.View().AllFinite() {
		e.a.Fill(dense.FromParts[T](math.NaN(), math.NaN()))
		return blas.CopyView(team, x, e.a.View())
	}
	similar, err := balanceExponential(e)
	if err != nil {
		return err
	}
	e.plan()
	degree, err := e.choose()
	if err != nil {
		return err
	}
	e.planRest(degree)
	result, err := e.approximate(degree)
	if err == nil {
		result, err = e.square(result)
	}
	if err != nil {
		return err
	}
	return similar.back(team, result, x)
}

// ExpmWorkspace returns an upper bound of the memory in bytes that Expm allocates for an n x n matrix; math.MaxInt64 if
// no machine can hold it.
func ExpmWorkspace[T dense.Scalar](team *sched.Team, n int) int64 {
	order := float64(n)
	perThread := float64(blas.GemmWorkspace[float64](dense.Parts[T]()*n)) + float64(blas.TriangularWorkspace[T](n, n))
	own := order * (expmMatrices*order + expmVectors) * float64(dense.Bytes[T]())
	return boundedBytes(own + float64(team.Threads())*perThread)
}

// plan divides the call into phases, as far as the size of A determines its cost: the powers, and then a phase for the
// approximant and its squarings.
func (e *exponential[T]) plan() {
	largest := doubleBounds[len(doubleBounds)-1].theta
	if dense.IsSingle[T]() {
		largest = singleBounds[len(singleBounds)-1].theta
	}
	products := powerProducts + approximantProducts + expectedSquarings(e.a, largest)
	e.team = e.team.Plan(products*productSteps + quotientSteps)
}

// planRest plans the remaining work when the degree and the number of squarings are known.
func (e *exponential[T]) planRest(degree int) {
	products := e.scaling + 1
	if degree == highestDegree {
		products = e.scaling + approximantProducts
	}
	e.team = e.team.Remainder().Plan(products*productSteps + quotientSteps)
}

// Numbers of products in the powers of A and in the numerator and denominator of the highest degree, and the cost of
// their quotient.
const (
	powerProducts, approximantProducts = 3, 3
	quotientSteps                      = 3 * productSteps / 2
)

// ofDiagonal replaces the diagonal of A by its exponentials.
func (e *exponential[T]) ofDiagonal() dense.Matrix[T] {
	for i := range e.n {
		e.a.Set(i, i, dense.Convert[T](expOf(dense.Convert[complex128](e.a.At(i, i)))))
	}
	return e.a
}

// approximate returns the Padé approximant of A of the given degree, in one of the work matrices. The powers that it
// needs have been computed; for degree 13 these are the powers up to the sixth.
func (e *exponential[T]) approximate(degree int) (dense.Matrix[T], error) {
	b := PadeCoefficients(degree)
	u, v := e.work[0], e.work[1]
	if degree < highestDegree {
		// With b_1 I + b_3 A^2 + ... in v first, U = A v; then V = b_0 I + b_2 A^2 + ...
		e.combine(v, b[1:], degree/2, true)
		if err := e.multiply(e.a, v, u); err != nil {
			return v, err
		}
		e.combine(v, b, degree/2, true)
		return v, e.quotient(u, v)
	}
	// Powers above the sixth are the sixth one times lower ones.
	high, sixth := e.powers[3], len(e.powers)-1
	for parity := 1; parity >= 0; parity-- {
		e.combine(high, b[2*sixth+parity:], sixth, false)
		e.combine(v, b[parity:], sixth, true)
		if err := e.multiplyAdd(e.powers[sixth-1], high, 1, v); err != nil {
			return v, err
		}
		if parity == 0 {
			break
		}
		if err := e.multiply(e.a, v, u); err != nil {
			return v, err
		}
	}
	return v, e.quotient(u, v)
}

// quotient overwrites v by the solution X of (V - U) X = V + U, and the first power.
func (e *exponential[T]) quotient(u, v dense.Matrix[T]) error {
	team := e.team.Phase(quotientSteps)
	defer team.End()
	q := e.powers[0]
	copy(q.Data, v.Data)
	blas.Axpy(-1, dense.Vec(u.Data), dense.Vec(q.Data))
	blas.Axpy(1, dense.Vec(u.Data), dense.Vec(v.Data))
	switch e.shape {
	case upper:
		return factor.SolveTriangular(team, blas.Upper, blas.NoTrans, blas.NonUnit, q, v)
	case lower:
		return factor.SolveTriangular(team, blas.Lower, blas.NoTrans, blas.NonUnit, q, v)
	}
	pivots := make([]int, e.n)
	// The denominator is well-conditioned: no pivot is zero.
	steps := team.Plan(factoring + solving)
	phase := steps.Phase(factoring)
	if _, err := factor.LU(phase, q, pivots); err != nil {
		return err
	}
	phase.End()
	return factor.LUSolve(steps.Phase(solving), blas.NoTrans, q, pivots, v)
}

// square returns r to the power 2^scaling. For a triangular matrix the diagonal and the adjacent one are known more
// accurately; they are set anew after each squaring (Al-Mohy and Higham, code fragment 2.1).
func (e *exponential[T]) square(r dense.Matrix[T]) (dense.Matrix[T], error) {
	other := e.work[0]
	e.setDiagonals(r, e.scaling)
	for k := e.scaling - 1; k >= 0; k-- {
		if err := e.multiply(r, r, other); err != nil {
			return r, err
		}
		r, other = other, r
		e.setDiagonals(r, k)
	}
	return r, nil
}

// setDiagonals sets the two diagonals of a triangular r that are known to those of the exponential of 2^-k times the
// caller's matrix.
func (e *exponential[T]) setDiagonals(r dense.Matrix[T], k int) {
	if e.shape == full || e.scaling == 0 {
		return
	}
	scale := complex(math.Ldexp(1, -k), 0)
	for i, x := range e.origin.main {
		r.Set(i, i, dense.Convert[T](expOf(x*scale)))
		if i == 0 {
			continue
		}
		var beside T
		if b := e.origin.beside[i-1] * scale; b != 0 { // the difference may be infinite
			beside = dense.Convert[T](b * expDifference(e.origin.main[i-1]*scale, x*scale))
		}
		if e.shape == upper {
			r.Set(i-1, i, beside)
		} else {
			r.Set(i, i-1, beside)
		}
	}
}
