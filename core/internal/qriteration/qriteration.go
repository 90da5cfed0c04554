// Package qriteration holds the parameters that QR and QZ iterations share: how many sweeps they may take, and when
// shifts from outside the spectrum and relaxed deflation tests get them out of a cycle.
package qriteration

const (
	// ExceptionalDiagonal and ExceptionalProduct make the exceptional shifts: the eigenvalues of [d ps; s d], where d is a
	// diagonal element plus ExceptionalDiagonal s, p is ExceptionalProduct, and s is the size of neighbouring subdiagonal
	// elements. The numbers, customary since EISPACK's HQR, have no meaning of their own.
	ExceptionalDiagonal = 0.75
	ExceptionalProduct  = -0.4375

	exceptionalPeriod = 10

	// RelaxAfter is the number of sweeps after which a block that both kinds of exceptional shift have not split is tested
	// for backward errors of rounding size only, and no longer for the accuracy of small eigenvalues: matrices that are
	// graded over hundreds of orders of magnitude would need rotations by angles that underflow.
	RelaxAfter = 2 * exceptionalPeriod
)

// ShiftKind says where the shifts of a sweep come from.
type ShiftKind int

// Ordinary shifts are eigenvalues of the trailing block; exceptional ones are made up from the last or the first rows.
const (
	Ordinary ShiftKind = iota
	ExceptionalAtEnd
	ExceptionalAtStart
)

// KindOfShift returns the kind for sweep number stalled, counted from 1, since the last deflation. Every tenth sweep
// takes an exceptional shift, from the lower and the upper end in turn, which breaks the cycles of the plain iteration
// (a permutation matrix reproduces itself).
func KindOfShift(stalled int) ShiftKind {
	switch {
	case stalled%(2*exceptionalPeriod) == 0:
		return ExceptionalAtEnd
	case stalled%exceptionalPeriod == 0:
		return ExceptionalAtStart
	}
	return Ordinary
}

// SweepLimit returns the number of sweeps allowed for a matrix of order n: the given limit, or 30 for each eigenvalue
// if that is 0. Two or three are usual. Small matrices get the sweeps of order 10, so that a few exceptional shifts can
// be tried.
func SweepLimit(n, limit int) int {
	const sweepsPerEigenvalue, leastOrder = 30, 10
	if limit == 0 {
		return sweepsPerEigenvalue * max(n, leastOrder)
	}
	return limit
}
