package qz

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Rounding unit of the arithmetic, whatever the dtype of the matrices.
const eps = 0x1p-52

// pencil is a pair of matrices in the course of a decomposition, A = Q S Z^H and B = Q P Z^H. Q and Z are kept
// transposed, so that rotations of rows and of columns of the pair are rotations of rows for both; they have no rows if
// not wanted. A transposed Q turns with the conjugate of what turns the rows of S and P, a transposed Z with what turns
// their columns.
type pencil[T dense.Wide] struct {
	team         *sched.Team
	s, p, qt, zt dense.Matrix[T]
	// Frobenius norms of S and P, which rotations do not change.
	normS, normP float64
}

func (m *pencil[T]) order() int { return m.s.Rows }

func frobenius[T dense.Wide](a dense.Matrix[T]) float64 {
	norm := 0.0
	for i := range a.Rows {
		norm = math.Hypot(norm, blas.Nrm2(a.RowVec(i, 0, a.Cols)))
	}
	return norm
}

// left rotates rows k and k+1 of the pair, of S from column fromS on and of P from column fromP on.
func (m *pencil[T]) left(k int, g plane[T], fromS, fromP int) {
	rotatePair(g, m.s.Row(k)[fromS:], m.s.Row(k + 1)[fromS:])
	rotatePair(g, m.p.Row(k)[fromP:], m.p.Row(k + 1)[fromP:])
	if m.qt.Rows > 0 {
		rotatePair(g.conj(), m.qt.Row(k), m.qt.Row(k+1))
	}
}

// right rotates columns k and k+1 of the pair, of S in the rows before endS and of P in the rows before endP.
func (m *pencil[T]) right(k int, g plane[T], endS, endP int) {
	rotateTwoColumns(g, m.s, k, 0, endS)
	rotateTwoColumns(g, m.p, k, 0, endP)
	if m.zt.Rows > 0 {
		rotatePair(g, m.zt.Row(k), m.zt.Row(k+1))
	}
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
	m := &pencil[W]{team: opt.Team, s: dense.New[W](n, n), p: dense.New[W](n, n), qt: factorFor[W](f.Q),
		zt: factorFor[W](f.Z)}
	by, err := load(m, a, b)
	if err != nil {
		return err
	}
	if err := m.toForm(opt); err != nil {
		return err
	}
	return store(m, by, f)
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
	if err := m.reduce(); err != nil {
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

// checkFinite reports whether a pair of matrices of these names is finite: an error if it is not and opt does not allow
// that.
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
		fill(v, x)
	}
	fillValues(f.Alpha, f.Beta, x)
}

func fillValues(alpha []complex128, beta []float64, x float64) {
	for k := range alpha {
		alpha[k], beta[k] = complex(x, x), x
	}
}

func fill[T dense.Scalar](v dense.View[T], x float64) {
	for i := range v.Rows {
		for j := range v.Cols {
			v.Set(i, j, dense.FromParts[T](x, 0))
		}
	}
}

// factorFor returns an identity matrix of the order of a factor that is wanted, else a matrix without rows.
func factorFor[W dense.Wide, T dense.Scalar](factor dense.View[T]) dense.Matrix[W] {
	m := dense.New[W](factor.Rows, factor.Rows)
	m.SetIdentity()
	return m
}

// exponents are the powers of two by which the matrices of a pencil were multiplied.
type exponents struct{ s, p int }

// load copies a and b into the pair, each multiplied by the power of two that makes its largest element about 1, and
// measures it. It returns the exponents of those powers.
func load[T dense.Scalar, W dense.Wide](m *pencil[W], a, b dense.View[T]) (exponents, error) {
	if err := blas.CopyView(m.team, m.s.View(), a); err != nil {
		return exponents{}, err
	}
	if err := blas.CopyView(m.team, m.p.View(), b); err != nil {
		return exponents{}, err
	}
	by := exponents{-largestExponent(m.s), -largestExponent(m.p)}
	scale(m.s, by.s)
	scale(m.p, by.p)
	m.normS, m.normP = frobenius(m.s), frobenius(m.p)
	return by, nil
}

// store takes back the scaling and copies the pair, its eigenvalues and the factors to f.
func store[T dense.Scalar, W dense.Wide](m *pencil[W], by exponents, f Form[T]) error {
	if f.Alpha != nil {
		m.eigenvalues(f.Alpha, f.Beta)
		scaleValues(f.Alpha, f.Beta, by)
	}
	scale(m.s, -by.s)
	scale(m.p, -by.p)
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

// roundPairs gives the real eigenvalues of the form to complex pairs whose block of S became triangular when it was
// rounded.
func roundPairs[T dense.Scalar](f Form[T]) {
	for k := 0; k+1 < len(f.Alpha) && !dense.IsComplex[T](); k++ {
		if imag(f.Alpha[k]) > 0 && f.S.At(k+1, k) == 0 {
			for i := k; i < k+2; i++ {
				f.Alpha[i], f.Beta[i] = complex(dense.Real(f.S.At(i, i)), 0), dense.Real(f.P.At(i, i))
			}
		}
	}
}

// scaleValues takes the scaling of the pair back from its eigenvalues.
func scaleValues(alpha []complex128, beta []float64, by exponents) {
	for k, x := range alpha {
		alpha[k] = complex(math.Ldexp(real(x), -by.s), math.Ldexp(imag(x), -by.s))
		beta[k] = math.Ldexp(beta[k], -by.p)
	}
}

// largestExponent returns the e for which the largest part of an element of a is between 2^(e-1) and 2^e; 0 for zero.
func largestExponent[T dense.Wide](a dense.Matrix[T]) int {
	largest := 0.0
	for i := range a.Rows {
		for _, x := range dense.Reals[float64](a.Row(i)) {
			largest = max(largest, math.Abs(x))
		}
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

// scale multiplies a by 2^shift, in two steps because 2^shift itself may not be representable.
func scale[T dense.Wide](a dense.Matrix[T], shift int) {
	if shift == 0 {
		return
	}
	half, rest := math.Ldexp(1, shift/2), math.Ldexp(1, shift-shift/2)
	for i := range a.Rows {
		row := dense.Reals[float64](a.Row(i))
		for j := range row {
			row[j] = row[j] * half * rest
		}
	}
}
