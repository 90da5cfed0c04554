// Package mp2 computes second-order Møller-Plesset correlation energies from density-fitted three-index integrals:
//
//	K_ab = (ia|jb) = sum_P B[i,a,P] B[j,b,P],   D = e_i + e_j - e_a - e_b
//
// with occupied orbitals i, j, virtual orbitals a, b and auxiliary functions P.
//
// Each pair i >= j of occupied orbitals takes one matrix product K = B_i B_j^T and one pass over K. No array of four
// indices is made: beside the integrals, memory is one K for each thread. Formulas: F. Weigend and M. Häser, Theor.
// Chem. Acc. 97, 331 (1997); spin components: S. Grimme, J. Chem. Phys. 118, 9095 (2003).
//
// Results are bitwise the same for every number of threads and every memory limit. Integrals of the same dtype, layout
// and array order give the same bits from memory and from a file, if the array in memory begins at a multiple of 16
// bytes or the products are in float64. Another layout may change the last bits.
package mp2

import (
	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/core/sched"
)

// Precision names the dtype of the products. Sums over pairs and the energies are float64 always.
type Precision = precision.Precision

// The precisions.
const (
	PrecisionInput = precision.Input // products in the dtype of B, the wider one of two
	PrecisionFP64  = precision.FP64  // products in float64; float32 integrals are converted block by block
	PrecisionMixed = precision.Mixed // products in float32; float64 integrals are rounded block by block
)

// Options holds what a call may use and what it returns. The zero value is one thread, products in the dtype of B,
// and the default memory limit.
type Options struct {
	Team            *sched.Team // threads, cancellation, progress in pairs; nil is one thread
	Precision       Precision
	PairEnergies    bool // fill Result.PairEnergies
	SkipFiniteCheck bool // do not refuse infinities and NaNs in B: the energies are then not finite
	// MaxBytes limits the memory for blocks of integrals: those read from a file, and those of integrals in memory
	// that have to be packed (strides that no product accepts, another dtype than the products'). 0 is DefaultMaxBytes.
	MaxBytes int64
	// Tolerance, where it is not 0, is what ErrorBound may be with products in float32 of float64 integrals, in hartree. If it would be
	// more, the pairs with the largest bounds are computed again in float64: as few as bring the bound below it, all if that is not enough.
	Tolerance float64
	// Checkpoint, where it is not empty, is the path of a file that keeps what finished pairs add until the call succeeds. A call for the same job
	// computes the pairs that it lacks and returns the same bits. The job is the sizes, dtypes, orders and energies, Precision, Tolerance,
	// SkipFiniteCheck and the kernels; neither threads nor memory. Of the integrals, each orbital's checksum is compared when it is read
	// again; those that no remaining pair needs are not read. Less than 1 % of the time goes into writing.
	//
	// The file is removed in the end: a finished one would answer for any B with these sizes and energies, without reading it.
	Checkpoint string
}

// Result holds correlation energies in hartree.
type Result struct {
	OppositeSpin float64
	SameSpin     float64 // AlphaAlpha + BetaBeta
	// The two parts of SameSpin; they are equal for a closed shell.
	AlphaAlpha, BetaBeta float64
	// ErrorBound is a bound on the sum of the errors of OppositeSpin and SameSpin, against the exact sums for the given
	// B and orbital energies: all rounding in conversions, products, denominators and sums, underflow included. It is
	// rigorous, so it does not count on errors cancelling, and infinite where an energy is not finite.
	ErrorBound   float64
	Recomputed   int           // pairs that were computed again for Options.Tolerance
	PairEnergies *PairEnergies // nil unless Options.PairEnergies is set
}

// Total returns the correlation energy OppositeSpin + SameSpin.
func (r Result) Total() float64 { return r.OppositeSpin + r.SameSpin }

// PairEnergies holds the terms of sums over all ordered pairs of occupied orbitals. Up to rounding the elements of a
// matrix sum to the energy of the same name.
type PairEnergies struct {
	// Closed shell: nocc x nocc, symmetric, sum_ab K_ab^2 / D. Open shell: alpha by beta.
	OppositeSpin dense.Matrix[float64]
	// nocc x nocc of their spin, symmetric, 1/2 sum_ab K_ab (K_ab - K_ba) / D; they are equal for a closed shell.
	AlphaAlpha, BetaBeta dense.Matrix[float64]
}

// Restricted returns the MP2 correlation energy of a closed shell,
//
//	E_os = sum_ijab K_ab^2 / D,   E_ss = sum_ijab K_ab (K_ab - K_ba) / D
//
// for nocc energies epsOcc and nvir energies epsVir in hartree. It is exactly 0 where there are no occupied orbitals,
// no virtual orbitals or no auxiliary functions.
//
// Errors: *dense.ArgumentError for sizes that do not fit, unknown options, too little memory, infinities and NaNs;
// *DenominatorError, before the long work begins, for a vanishing D; the errors of npy.ReadRun; the team's error when
// the call is cancelled. For a checkpoint *dense.ArgumentError where it is that of another job, damaged before its end, or in use, and
// it is left as it is; the operating system's error, wrapped, where it cannot be written, and it keeps what it had.
//
// Cost: Flops(nocc, nvir, naux). A file that does not fit MaxBytes is read about nocc/(2 w) times, with w orbitals in
// half of MaxBytes.
func Restricted(b Source, epsOcc, epsVir []float64, opt Options) (Result, error) {
	s := Spin{Source: b, Occ: epsOcc, Vir: epsVir}
	if err := check(opt, s); err != nil {
		return Result{}, err
	}
	c, recomputed, err := compute(opt, s)
	if err != nil {
		return Result{}, err
	}
	sum := total(c.same[0])
	r := Result{
		OppositeSpin: sum.opposite, SameSpin: sum.same, AlphaAlpha: sum.same / 2, BetaBeta: sum.same / 2,
		ErrorBound: certain(sum.bound), Recomputed: recomputed,
	}
	if opt.PairEnergies {
		half := symmetric(c.same[0], len(epsOcc), func(c contribution) float64 { return c.same / 2 })
		r.PairEnergies = &PairEnergies{
			OppositeSpin: symmetric(c.same[0], len(epsOcc), func(c contribution) float64 { return c.opposite }),
			AlphaAlpha:   half,
			BetaBeta:     half,
		}
	}
	return r, nil
}

// Unrestricted returns the MP2 correlation energy of an open shell,
//
//	E_ss = sum over alpha and beta of 1/2 sum_ijab K_ab (K_ab - K_ba) / D
//	E_os = sum over alpha i, a and beta j, b of K_ab^2 / D
//
// with integrals, occupied and virtual orbital energies of either spin. Both spins have the same naux, unless one has no orbitals; the
// products are in the wider dtype of both. Errors are those of Restricted.
func Unrestricted(alpha, beta Source, epsOccA, epsOccB, epsVirA, epsVirB []float64, opt Options) (Result, error) {
	a := Spin{Name: "alpha", Source: alpha, Occ: epsOccA, Vir: epsVirA}
	b := Spin{Name: "beta", Source: beta, Occ: epsOccB, Vir: epsVirB}
	if err := check(opt, a, b); err != nil {
		return Result{}, err
	}
	c, recomputed, err := compute(opt, a, b)
	if err != nil {
		return Result{}, err
	}
	aa, bb, ab := total(c.same[0]), total(c.same[1]), total(c.opposite)
	r := Result{
		OppositeSpin: ab.opposite, SameSpin: aa.same + bb.same, AlphaAlpha: aa.same, BetaBeta: bb.same,
		ErrorBound: certain(aa.bound + bb.bound + ab.bound), Recomputed: recomputed,
	}
	if opt.PairEnergies {
		same := func(c contribution) float64 { return c.same }
		r.PairEnergies = &PairEnergies{
			OppositeSpin: dense.New[float64](len(epsOccA), len(epsOccB)),
			AlphaAlpha:   symmetric(c.same[0], len(epsOccA), same),
			BetaBeta:     symmetric(c.same[1], len(epsOccB), same),
		}
		for n, c := range c.opposite {
			r.PairEnergies.OppositeSpin.Data[n] = c.opposite
		}
	}
	return r, nil
}
