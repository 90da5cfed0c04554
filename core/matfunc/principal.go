package matfunc

import (
	"math"

	"trnsci/core/dense"
)

// Outcome describes the result of a function of a matrix.
type Outcome struct {
	Complex        bool // the result has imaginary parts, although the matrix may be real
	Singular       bool // an eigenvalue is zero, exactly or to working precision
	Missing        bool // the function of the matrix does not exist; the result is filled with NaNs
	IllConditioned bool // Residual is so large that half of the digits are lost
	// Residual is that of the triangular factor, relative to its norm, or the relative error that explains it; each
	// function defines it.
	Residual float64
}

// join merges the outcome of another component of the matrix into o.
func (o *Outcome) join(part Outcome) {
	o.Complex = o.Complex || part.Complex
	o.Singular = o.Singular || part.Singular
	o.Missing = o.Missing || part.Missing
	o.IllConditioned = o.IllConditioned || part.IllConditioned
	o.addResidual(part.Residual)
}

// addResidual keeps the largest residual; a NaN is kept, too.
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

// function is a principal function of matrices. rounding is the relative error that the elements of the matrix may
// already have: zero in double precision, whose rounding errors are those of the arithmetic, and half of the machine
// epsilon in single precision. The sign function does not grow near zero: for it the elements are taken to be exact.
type function struct {
	kind     kind
	exponent float64 // of a power; 1/2 for the root
	rounding float64
	half     float64 // half of the digits of the dtype: the square root of its epsilon
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
		return principalSqrt(z)
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

// needsComplex reports whether a real form is not sufficient. Only roots are computed from quasi-triangular ones.
func (f function) needsComplex(has spectrum) bool {
	return has.negative || f.kind == signKind || f.kind != rootKind && (has.pairs || has.zero)
}

// rootExponent is the power that a square root is.
const rootExponent = 0.5

// smallestEigenvalue stands for eigenvalues that are exactly zero, which have no logarithm.
const smallestEigenvalue = 1e-20

// ofNumber returns f of a matrix of order 1.
func (f function) ofNumber(z complex128) (value complex128, o Outcome) {
	if z != 0 {
		o.Complex = imag(z) != 0 || f.branches(spectrum{negative: real(z) < 0})
		return f.of(z), o
	}
	o.Singular = true
	switch {
	case f.kind == logKind:
		return principalLog(smallestEigenvalue), o
	case f.admits(1):
		return 0, o
	}
	o.Missing = true
	return complex(math.NaN(), 0), o
}
