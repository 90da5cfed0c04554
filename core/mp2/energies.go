package mp2

import "trnsci/core/dense"

// Result holds correlation energies in hartree.
type Result struct {
	OppositeSpin float64
	SameSpin     float64 // AlphaAlpha + BetaBeta
	// The two parts of SameSpin; they are equal for a closed shell.
	AlphaAlpha, BetaBeta float64
	// ErrorBound bounds the sum of the errors of OppositeSpin and SameSpin, against the exact sums for the given B and
	// orbital energies: all rounding in conversions, products, denominators and sums, and underflow. It is rigorous, so
	// it does not count on errors cancelling, and infinite if an energy is not finite.
	ErrorBound   float64
	Recomputed   int           // pairs that were computed again for EnergyOptions.Tolerance
	PairEnergies *PairEnergies // nil unless EnergyOptions.PairEnergies is set
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
// for nocc energies epsOcc and nvir energies epsVir in hartree. It is exactly 0 if there are no occupied orbitals, no
// virtual orbitals or no auxiliary functions.
//
// Errors: *dense.ArgumentError for sizes that do not fit, unknown options, too little memory, infinities and NaNs;
// *DenominatorError, before the long work begins, for a vanishing D; the errors of npy.ReadRun; the team's error when
// the call is cancelled. For a checkpoint *dense.ArgumentError if it belongs to another job, is damaged before its end,
// or is in use, and it is left as it is; the operating system's error, wrapped, if it cannot be written, and it keeps
// what it had.
//
// Cost: Flops(nocc, nvir, naux). A file that does not fit MaxBytes is read about nocc/(2 w) times, with w orbitals in
// half of MaxBytes.
func Restricted(b Source, epsOcc, epsVir []float64, opt EnergyOptions) (Result, error) {
	s := Spin{Source: b, Occ: epsOcc, Vir: epsVir}
	if err := opt.check(b); err != nil {
		return Result{}, err
	}
	if err := checkEnergies(opt.Team, s); err != nil {
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
// with integrals, occupied and virtual orbital energies of either spin. Both spins have the same naux, unless one has
// no orbitals; the products are in the wider dtype of both. Errors are those of Restricted.
func Unrestricted(alpha, beta Source, epsOccA, epsOccB, epsVirA, epsVirB []float64, opt EnergyOptions) (Result, error) {
	a := Spin{Name: "alpha", Source: alpha, Occ: epsOccA, Vir: epsVirA}
	b := Spin{Name: "beta", Source: beta, Occ: epsOccB, Vir: epsVirB}
	if err := opt.check(alpha, beta); err != nil {
		return Result{}, err
	}
	if err := checkEnergies(opt.Team, a, b); err != nil {
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
