// Package mp2 computes second-order Møller-Plesset correlation energies from density-fitted three-index integrals:
//
//	K_ab = (ia|jb) = sum_P B[i,a,P] B[j,b,P],   D = e_i + e_j - e_a - e_b
//
// with occupied orbitals i, j, virtual orbitals a, b and auxiliary functions P.
//
// Each pair i >= j of occupied orbitals takes one matrix product K = B_i B_j^T and one pass over K. No array of four
// indices is stored: apart from the integrals, memory is one K for each thread. Formulas: F. Weigend and M. Häser,
// Theor. Chem. Acc. 97, 331 (1997); spin components: S. Grimme, J. Chem. Phys. 118, 9095 (2003).
//
// Results are bitwise the same for every number of threads and every memory limit. Integrals of the same dtype, layout
// and array order give the same bits from memory and from a file, if the array in memory begins at a multiple of 16
// bytes or the products are in float64. Another layout may change the last bits.
package mp2

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/core/sched"
	"trnsci/core/stream"
)

// Precision names the dtype of the products. Sums over pairs and the energies are always float64.
type Precision = precision.Precision

// The precisions.
const (
	PrecisionInput = precision.Input // products in the dtype of B, the wider one of two
	PrecisionFP64  = precision.FP64  // products in float64; float32 integrals are converted block by block
	PrecisionMixed = precision.Mixed // products in float32; float64 integrals are rounded block by block
)

// Options holds what every call may use. The zero value is one thread and the default memory limit.
type Options struct {
	Team            *sched.Team // threads, cancellation, progress in pairs; nil is one thread
	SkipFiniteCheck bool        // do not refuse infinities and NaNs in B: results are then not finite
	// MaxBytes limits the memory for blocks of integrals: those read from a file, and those of integrals in memory that
	// have to be packed (strides that no product accepts, another dtype than the products'). 0 is
	// stream.DefaultMaxBytes.
	MaxBytes int64
}

// EnergyOptions holds what a call of Restricted, Unrestricted or Generalized may use and what it returns. The zero
// value computes products in the dtype of B.
type EnergyOptions struct {
	Options
	Precision    Precision
	PairEnergies bool // fill Result.PairEnergies
	// Tolerance, if it is not 0, is the largest ErrorBound, in hartree, of products in float32 of float64 integrals. If
	// the bound would be larger, the pairs with the largest bounds are computed again in float64: as few as bring it
	// below the tolerance, all of them if that is not enough.
	Tolerance float64
	// Checkpoint, if it is not empty, is the path of a file that keeps the contributions of finished pairs until the
	// call succeeds. A call for the same job computes only the remaining pairs and returns the same bits. The job is
	// the sizes, dtypes, orders and energies, Precision, Tolerance, SkipFiniteCheck and the kernels, but not threads or
	// memory. The checksum of each orbital's integrals is compared when they are read again; those that no remaining
	// pair needs are not read. Writing takes less than 1 % of the time.
	//
	// The file is removed at the end: a finished one would answer for any B with these sizes and energies without
	// reading it.
	Checkpoint string
}

func (o Options) maxBytes() int64 {
	if o.MaxBytes == 0 {
		return stream.DefaultMaxBytes
	}
	return o.MaxBytes
}

// check checks the options and the integrals of one or two spins, which have to be real.
func (o Options) check(sources ...Source) error {
	if err := o.checkAny(sources...); err != nil {
		return err
	}
	_, err := CommonNaux(sources...)
	return err
}

// checkAny is check for integrals that may be complex and may have different shapes.
func (o Options) checkAny(sources ...Source) error {
	if o.MaxBytes < 0 {
		return dense.BadArgument("max_memory", "expected a number of bytes, or 0 for the default, got %d", o.MaxBytes)
	}
	if len(sources) < 1 || len(sources) > 2 {
		return dense.BadArgument("B", "expected the integrals of one or of two spins, got %d", len(sources))
	}
	for _, src := range sources {
		if src == nil {
			return dense.BadArgument("B", "expected integrals, got none")
		}
		if err := src.check(); err != nil {
			return err
		}
	}
	return nil
}

// check checks the options and the integrals of one or two spins, which have to be real.
func (o EnergyOptions) check(sources ...Source) error {
	if err := o.checkAny(sources...); err != nil {
		return err
	}
	_, err := CommonNaux(sources...)
	return err
}

func (o EnergyOptions) checkAny(sources ...Source) error {
	switch o.Precision {
	case PrecisionInput, PrecisionFP64, PrecisionMixed:
	default:
		return dense.BadArgument("precision", "expected '', 'fp64' or 'mixed', got '%s'", string(o.Precision))
	}
	if !(o.Tolerance >= 0) {
		return dense.BadArgument("etol", "expected a number of hartree that is not negative, got %g", o.Tolerance)
	}
	return o.Options.checkAny(sources...)
}

// single reports whether the products are in float32.
func (o EnergyOptions) single(sources ...Source) bool {
	for _, src := range sources {
		if o.Precision == PrecisionInput && !IsSingle(src) {
			return false
		}
	}
	return o.Precision != PrecisionFP64
}

// CommonNaux returns the number of auxiliary functions of one or two sources; only their sizes and dtypes are read. A
// source without orbitals goes with any other.
//
// Errors: *ComplexError; *dense.ArgumentError if the numbers differ.
func CommonNaux(sources ...Source) (int, error) {
	naux, from := 0, -1
	for n, src := range sources {
		if isComplex(src) {
			return 0, &ComplexError{}
		}
		o, v, p := src.Shape()
		switch {
		case o == 0 || v == 0:
		case from < 0:
			naux, from = p, n
		case p != naux:
			oa, va, _ := sources[from].Shape()
			return 0, dense.BadArgument("B",
				"the spins have different numbers of auxiliary functions: shapes (%d, %d, %d) and (%d, %d, %d)",
				oa, va, naux, o, v, p)
		}
	}
	return naux, nil
}

// Spin is the integrals and the orbital energies, in hartree, of one spin.
type Spin struct {
	Name     string // "alpha" or "beta" in messages; empty for a closed shell
	Source   Source
	Occ, Vir []float64
}

func (s Spin) empty() bool {
	nocc, nvir, naux := s.Source.Shape()
	return nocc == 0 || nvir == 0 || naux == 0
}

// sourcesOf returns the integrals of some spins.
func sourcesOf(spins []Spin) []Source {
	sources := make([]Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	return sources
}

// check compares the numbers of orbital energies with the shape of B, and refuses infinities and NaNs in them.
func (s Spin) check() error {
	nocc, nvir, naux := s.Source.Shape()
	for _, eps := range []struct {
		arg    string
		values []float64
		want   int
	}{{"eps_occ", s.Occ, nocc}, {"eps_vir", s.Vir, nvir}} {
		if len(eps.values) != eps.want {
			return dense.BadArgument(eps.arg, "has shape (%d,)%s, but B has shape (nocc, nvir, naux) = (%d, %d, %d)",
				len(eps.values), ofSpin(s.Name), nocc, nvir, naux)
		}
		for _, x := range eps.values {
			if !dense.IsFinite(x) {
				return dense.BadArgument(eps.arg, "contains infinities or NaNs%s", ofSpin(s.Name))
			}
		}
	}
	return nil
}

// ofSpin returns what follows the name of something that belongs to a spin.
func ofSpin(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// Check returns the error that Restricted, given one spin, or Unrestricted, given alpha and beta, returns before its
// long work: for sizes that do not fit, infinities and NaNs in the energies, and a vanishing denominator. It is for
// programs that compute the energies by other means.
func Check(team *sched.Team, spins ...Spin) error {
	if err := (Options{}).check(sourcesOf(spins)...); err != nil {
		return err
	}
	return checkEnergies(team, spins...)
}

// checkEnergies checks the orbital energies of one or two spins and looks for vanishing denominators.
func checkEnergies(team *sched.Team, spins ...Spin) error {
	closedShell := len(spins) == 1
	for _, s := range spins {
		if err := s.check(); err != nil {
			return err
		}
		if err := checkSameSpin(team, s, closedShell); err != nil {
			return err
		}
	}
	if closedShell {
		return nil
	}
	return checkOppositeSpin(team, spins[0], spins[1])
}

// DenominatorError reports that e_i + e_j - e_a - e_b is zero to working precision, so that second-order perturbation
// theory gives no energy. I and A count the orbitals of SpinI, J and B those of SpinJ; the spins are "alpha" or "beta"
// in an unrestricted call, "k-points ki, ka" and "k-points kj, kb" for k-points, else empty.
type DenominatorError struct {
	I, J, A, B   int
	SpinI, SpinJ string
}

func (e *DenominatorError) Error() string {
	return fmt.Sprintf("eps_occ: the denominator e_i + e_j - e_a - e_b vanishes for the occupied orbitals "+
		"i = %d%s, j = %d%s and the virtual orbitals a = %d%s, b = %d%s",
		e.I, ofSpin(e.SpinI), e.J, ofSpin(e.SpinJ), e.A, ofSpin(e.SpinI), e.B, ofSpin(e.SpinJ))
}

// denominator is the one expression for D = e_i + e_j - e_a - e_b, given e_i - e_a and e_j - e_b. It cannot vanish
// when both differences are negative. The kernels compute the same.
func denominator(first, second float64) float64 { return first + second }

// checkSameSpin looks for a vanishing denominator among the pairs i >= j and a <= b whose terms are divided by it:
// without i = j and a = b unless diagonal is set.
func checkSameSpin(team *sched.Team, s Spin, diagonal bool) error {
	if s.empty() || hasGap(s, s) {
		return nil
	}
	skip := 1
	if diagonal {
		skip = 0
	}
	return findVanishing(team, s, s, func(i int) int { return i + 1 - skip }, func(a int) int { return a + skip })
}

// checkOppositeSpin looks for a vanishing denominator among all pairs.
func checkOppositeSpin(team *sched.Team, alpha, beta Spin) error {
	if alpha.empty() || beta.empty() || hasGap(alpha, beta) {
		return nil
	}
	return findVanishing(team, alpha, beta, func(int) int { return len(beta.Occ) }, func(int) int { return 0 })
}

// hasGap reports whether the highest occupied orbitals are so far below the lowest virtual ones that no denominator can
// vanish: rounding is monotone, so none is closer to zero than that of these orbitals. With the lowest virtual energy m
// of a spin, |e_i| + |e_a| <= (e_a - e_i) + 2 |m|, so no other denominator is less certain either, however large its
// energies are.
func hasGap(left, right Spin) bool {
	leftLowest, rightLowest := slices.Min(left.Vir), slices.Min(right.Vir)
	first, second := slices.Max(left.Occ)-leftLowest, slices.Max(right.Occ)-rightLowest
	const twiceBoth = 4 // 2 |m|, and twice that for the |D| in the sum of the moduli
	return first < 0 && second < 0 &&
		!vanishes(denominator(first, second), twiceBoth*(math.Abs(leftLowest)+math.Abs(rightLowest)))
}

// roundingOfD bounds the error of a denominator relative to the sum of the moduli of its four energies: each of them is
// rounded once, and D is the result of three more rounded operations.
const roundingOfD = 4 * dense.RoundoffDouble

// vanishes reports whether a denominator is zero to working precision: d is no larger than its own rounding error,
// given the sum of the moduli of its energies, or its reciprocal overflows. A d that overflows does not vanish.
func vanishes(d, moduli float64) bool {
	return math.Abs(d) <= roundingOfD*math.Min(moduli, math.MaxFloat64) || math.IsInf(1/d, 0)
}

// findVanishing looks at the pairs j < ends(i), b >= begins(a) and reports the first one in the order of i, j, a, b,
// whatever the number of threads. Cost: nocc^2 nvir^2 additions.
func findVanishing(team *sched.Team, left, right Spin, ends, begins func(int) int) error {
	found := make([]*DenominatorError, len(left.Occ))
	err := team.For(len(left.Occ), func(_, i int) error {
		for j := range ends(i) {
			for a, ea := range left.Vir {
				if err := team.Err(); err != nil {
					return err
				}
				ei, ej := left.Occ[i], right.Occ[j]
				for b := begins(a); b < len(right.Vir); b++ {
					eb := right.Vir[b]
					if vanishes(denominator(ei-ea, ej-eb), math.Abs(ei)+math.Abs(ej)+math.Abs(ea)+math.Abs(eb)) {
						found[i] = &DenominatorError{I: i, J: j, A: a, B: b, SpinI: left.Name, SpinJ: right.Name}
						return nil
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range found {
		if e != nil {
			return e
		}
	}
	return nil
}
