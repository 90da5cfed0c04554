package matfunc

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Outcome says what a function of a matrix has met.
type Outcome struct {
	Complex        bool // the result has imaginary parts, be it of a real matrix
	Singular       bool // an eigenvalue is zero, exactly or to working precision
	Missing        bool // there is no such function of the matrix, and NaNs stand in its place
	IllConditioned bool // Residual is so large that half of the digits are lost
	// of the computation of the triangular form, relative to its norm, or the relative error behind it; see each
	// function
	Residual float64
}

// join adds what another part of the matrix has met.
func (o *Outcome) join(part Outcome) {
	o.Complex = o.Complex || part.Complex
	o.Singular = o.Singular || part.Singular
	o.Missing = o.Missing || part.Missing
	o.IllConditioned = o.IllConditioned || part.IllConditioned
	o.addResidual(part.Residual)
}

// addResidual notes a residual, and that it is not a number.
func (o *Outcome) addResidual(residual float64) {
	if residual > o.Residual || residual != residual {
		o.Residual = residual
	}
}

// kind says which function of a matrix is meant.
type kind int

const (
	rootKind kind = iota
	logKind
	powerKind
	signKind
)

// function is a principal function of matrices. rounding is how far the elements of the matrix may be from what they
// stand for, relative to them: nothing for double precision, whose rounding errors are those of the arithmetic, and
// half of the machine epsilon in single precision. Signs do not become infinite near zero: for them the elements are
// what they are.
type function struct {
	kind     kind
	exponent float64 // of a power; 1/2 for the root
	rounding float64
	half     float64 // half of the digits of the dtype
	// distance by which rounding errors of the triangular form may have moved eigenvalues; zero if those are elements of
	// the matrix
	cut float64
}

func functionFor[T dense.Scalar](kind kind, exponent float64) function {
	f := function{kind: kind, exponent: exponent, half: math.Sqrt(dense.Eps[T]())}
	if dense.IsSingle[T]() && kind != signKind {
		f.rounding = dense.Eps[T]() / 2
	}
	return f
}

// of returns the function of a number that is not zero.
func (f function) of(z complex128) complex128 {
	switch f.kind {
	case rootKind:
		return principalRoot(z)
	case logKind:
		return principalLog(z)
	case signKind:
		return f.sign(z)
	}
	return principalPower(z, f.exponent)
}

// sign returns the sign of the real part, zero up to the cut.
func (f function) sign(z complex128) complex128 {
	if math.Abs(real(z)) <= f.cut {
		return 0
	}
	return complex(math.Copysign(1, real(z)), 0)
}

// admits reports whether there is a function of a matrix with a zero eigenvalue whose largest Jordan block has the
// order index. A power p of such a block is z^p and its derivatives at zero up to that of order index - 1, which are
// zero for p > index - 1 and infinite otherwise. The sign of a nilpotent matrix is zero.
func (f function) admits(index int) bool {
	return f.kind == signKind || f.kind != logKind && f.exponent > float64(index-1)
}

// branches reports whether a real matrix has a function that is not real.
func (f function) branches(has spectrum) bool { return has.negative && f.kind != signKind }

// applied sets x to f of a. It is real for a real matrix, be it one of complex numbers, without eigenvalues below zero.
func applied[T dense.Scalar, C dense.Complex](
	team *sched.Team, a dense.View[T], x dense.View[C], f function,
) (o Outcome, err error) {
	if !dense.IsComplex[T]() {
		return overParts[float64](team, a, x, f)
	}
	if isReal(a) {
		o, err = overParts[float64](team, a, x, f)
	} else {
		o, err = overParts[complex128](team, a, x, f)
	}
	o.Complex = true
	return o, err
}

// isReal reports whether no element has an imaginary part.
func isReal[T dense.Scalar](a dense.View[T]) bool {
	for i := range a.Rows {
		for j := range a.Cols {
			if dense.Imag(a.At(i, j)) != 0 {
				return false
			}
		}
	}
	return true
}

// ofPart sets x to f of m, which is overwritten.
func ofPart[W dense.Wide, C dense.Complex](
	team *sched.Team, m dense.Matrix[W], x dense.View[C], f function,
) (o Outcome, err error) {
	if math.IsInf(frobeniusNorm(m), 0) {
		return o, dense.BadArgument("a", "elements are too large: their norm overflows")
	}
	if isHermitian(m) {
		return ofHermitian(team, m, x, f)
	}
	c := costsFor(m, f)
	team = team.Plan(c.total())
	phase := team.Phase(c.form)
	form, err := reduce[W](phase, m.View())
	if err != nil {
		return o, err
	}
	phase.End()
	limit := form.limit(f)
	f.cut = limit
	o.Singular = spectrumOf(form.t).zero || limit > 0 && smallestSingularValue(form.t) <= limit
	if o.Singular && f.kind != logKind && limit == 0 {
		return ofDecoupled(team, c, form, x, f)
	}
	if o.Singular && f.kind != logKind {
		splitting := deflationRate * productCost[float64](m.Rows)
		rest := team.Remainder().Plan(splitting + c.total())
		phase := rest.Phase(splitting)
		d, err := deflate(phase, m, limit, f)
		if err != nil {
			return o, err
		}
		phase.End()
		if !f.admits(d.index) {
			o.Missing = true
			fillNaN(x)
			return o, nil
		}
		if d.zeros > 0 {
			part, err := ofDeflated(rest, c, d, x, f)
			o.join(part)
			return o, err
		}
	}
	part, err := ofForm(team, c, form, x, f)
	o.join(part)
	return o, err
}

// ofForm sets x to f of the matrix whose triangular form is given, and overwrites that: the phases that are left of the
// costs.
func ofForm[W dense.Wide, C dense.Complex](
	team *sched.Team, c costs, form similar[W], x dense.View[C], f function,
) (o Outcome, err error) {
	has := spectrumNear(form.t, f.cut)
	if real, ok := any(form).(similar[float64]); ok && f.needsComplex(has) {
		form, err := complexForm(team, real)
		if err != nil {
			return o, err
		}
		has = spectrumNear(form.t, f.cut)
		if o, err = ofForm(team, c, form, x, f); err != nil || f.branches(has) {
			return o, err
		}
		o.Complex = false
		dropImaginary(x)
		return o, nil
	}
	o.Complex = dense.IsComplex[W]()
	phase := team.Phase(c.function)
	part, err := ofTriangle(phase, form.t, f)
	o.join(part)
	if err != nil {
		return o, err
	}
	phase.End()
	return o, back(team.Phase(c.back), form, dense.New[W](form.t.Rows, form.t.Rows), x)
}

// needsComplex reports whether a real form does not do. Only roots are computed from quasi-triangular ones.
func (f function) needsComplex(has spectrum) bool {
	return has.negative || f.kind == signKind || f.kind != rootKind && (has.pairs || has.zero)
}

// ofTriangle overwrites the upper triangular or, for a real root, quasi-triangular t by f of it. It is computed for the
// similar matrix that grading makes of t.
func ofTriangle[W dense.Wide](team *sched.Team, t dense.Matrix[W], f function) (o Outcome, err error) {
	if f.kind == signKind {
		return o, triangularSign(team, any(t).(dense.Matrix[complex128]), f)
	}
	takeToCut(t, f.cut)
	scales := gradingOf(t)
	regrade(t, scales, 1)
	var lost losses
	switch f.kind {
	case rootKind:
		lost, err = triangleToRoot(team, t, scales)
	case logKind:
		lost, err = triangularLog(team, t, scales)
	default:
		lost, err = triangularPower(team, t, f.exponent, scales)
	}
	regrade(t, scales, -1)
	o.Residual = lost.residual
	o.IllConditioned = f.kind != logKind && !(lost.residual <= f.half)
	if f.cut > 0 { // the form has errors that growth makes larger
		rounding := float64(t.Rows)*dense.Eps[W]() + f.rounding
		o.IllConditioned = o.IllConditioned || !(rounding*lost.growth <= f.half)
	}
	return o, err
}

// losses are what square roots on the way say about digits: residual is the largest |R R - S| / |S| of a root R of S,
// and growth is |R|^2 / |S| of the first one, by which rounding errors of a dense matrix are multiplied at least
// (Higham, Linear Algebra Appl. 88-89, 1987).
type losses struct{ residual, growth float64 }

// noteRoot adds the root r of s; both have been graded by the scales.
func noteRoot[W dense.Wide](l *losses, r, s dense.Matrix[W], scales grading) {
	if residual := rootResidual(r, s); !(residual <= l.residual) {
		l.residual = residual
	}
	if l.growth == 0 {
		l.growth = math.Pow(gradedNorm(r, scales), 2) / gradedNorm(s, scales)
	}
}

// gradedNorm returns the Frobenius norm of the matrix of which scales made t.
func gradedNorm[W dense.Wide](t dense.Matrix[W], scales grading) float64 {
	if scales == nil {
		return frobeniusNorm(t)
	}
	t = t.Clone()
	regrade(t, scales, -1)
	return frobeniusNorm(t)
}

// takeToCut makes diagonal elements of a complex t that are on the negative real axis but for rounding errors lie on
// it, so that these do not choose a branch.
func takeToCut[W dense.Wide](t dense.Matrix[W], cut float64) {
	for i := range t.Rows {
		if z := dense.Convert[complex128](t.At(i, i)); real(z) < 0 && math.Abs(imag(z)) <= cut {
			t.Set(i, i, dense.FromReal[W](real(z)))
		}
	}
}

// spectrumNear is spectrumOf where eigenvalues that are on the negative real axis but for rounding errors count as
// negative, too: pairs of a real t among them, those of blocks that schur.ToComplex takes for triangular ones included.
func spectrumNear[W dense.Wide](t dense.Matrix[W], cut float64) spectrum {
	has := spectrumOf(t)
	for i := 0; i < t.Rows && cut > 0; i++ {
		z := dense.Convert[complex128](t.At(i, i))
		distance, small := math.Abs(imag(z)), false
		if i+1 < t.Rows && t.At(i+1, i) != 0 {
			below := dense.Abs(t.At(i+1, i))
			distance, small = math.Sqrt(below)*math.Sqrt(dense.Abs(t.At(i,
				i+1))), below <= 2*dense.Eps[W]()*dense.Abs(t.At(i, i))
			i++
		}
		has.negative = has.negative || real(z) < 0 && (distance <= cut || small)
	}
	return has
}
