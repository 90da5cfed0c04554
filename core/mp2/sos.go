package mp2

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/dense"
)

// OppositeSpinResult is what OppositeSpin returns.
type OppositeSpinResult struct {
	OppositeSpin float64 // hartree
	Points       int     // terms of the sum of products that stands for the denominators
	Single       int     // those of them whose X were computed in float32
	// QuadratureError bounds, in hartree, how far OppositeSpin is from the exact sum because there are so many points and no more, and because some
	// X are of float32. Rounding in float64 is not in it.
	QuadratureError float64
}

// GapError reports that e_a + e_b - e_i - e_j is not positive for all orbitals: Smallest is the smallest of them.
type GapError struct{ Smallest float64 }

func (e *GapError) Error() string {
	return fmt.Sprintf("eps_occ: e_a + e_b - e_i - e_j has to be positive for all orbitals, the smallest is %g hartree", e.Smallest)
}

const (
	// More points than this are not worth more: they cost as much as the energies of all pairs do.
	mostPoints = 127
	// Matrices X that are summed up in one pass over the integrals.
	pointsPerPass = 16
	// Part of the tolerance that rounding in float32 may take: a tenth of a point on average. It may take more if the number of points leaves more, even
	// where the energy is so many times as large as the sketch says.
	singleShare, sketchMargin = 1.0 / 8, 2
	// Part of the tolerance that the terms of orbitals may take which are so far away that no point is spent on them.
	remoteShare = 0x1p-20
)

// OppositeSpin returns the opposite-spin part of the MP2 correlation energy of a closed shell, given one spin, or of alpha and beta, to
// within the tolerance in hartree. With x = e_a - e_i of one and y = e_b - e_j of the other electron, and 1/(x + y) = sum_k f_k(x) f_k(y) as
// zolotarevPoints has it,
//
//	E_os = - sum_k sum_PQ X^k_PQ Y^k_PQ,   X^k_PQ = sum_ia f_k(e_a - e_i) B_iaP B_iaQ
//
// where Y is X for a closed shell and that of beta for an open one. The sum with n points is off by at most rho^2 |E_os|, where rho is the largest |r_n|
// of all x. A sketch of the first X says about how large |E_os| is, and so how many points are enough; the sum itself then gives a bound for |E_os|, and
// one more point at a time follows if the sketch was too low. The last points add little: as many X as are proven to be good enough, from bounds like
// those of the energies of pairs, are computed in float32. Of the options Precision, PairEnergies and
// Tolerance are not used, and a Checkpoint is refused.
//
// Errors: those of Restricted, but where a denominator is not positive it is *GapError; *dense.ArgumentError for a tolerance that is not
// positive, or that no number of points meets.
//
// Cost: nocc nvir naux^2 floating-point operations for each point and spin. The integrals are read once for the sketch, once for every
// 16 points, or as many as have their X in MaxBytes, and once more for those in float32. The scaled opposite-spin method: Y. Jung, R. C. Lochan, A. D.
// Dutoi and M. Head-Gordon, J. Chem. Phys. 121, 9793 (2004).
func OppositeSpin(tolerance float64, opt Options, spins ...Spin) (OppositeSpinResult, error) {
	err := checkOppositeSpinSum(tolerance, opt, spins)
	if err != nil || slices.ContainsFunc(spins, Spin.empty) {
		return OppositeSpinResult{}, err
	}
	run, err := newOppositeSpinRun(opt, spins)
	if err != nil {
		return OppositeSpinResult{}, err
	}
	run.opt.Team = opt.Team.Plan((1 + usualPoints) * run.steps() * pointSteps)
	guess, err := run.sketch()
	if err != nil {
		return OppositeSpinResult{}, err
	}
	low, high := run.leaveOut(remoteShare * tolerance)
	points := zolotarevPoints(1, low, high)
	if certain(guess) < math.Inf(1) { // else more points change nothing
		if points = run.enough((1-singleShare-remoteShare)*tolerance/boundSlack, guess, low, high); points == nil {
			return OppositeSpinResult{}, tooFewPoints(tolerance, guess, spins)
		}
	}
	run.opt.Team = run.opt.Team.Remainder().Plan(len(points) * run.steps() * pointSteps)
	if err := run.compute(points, max(singleShare*tolerance, tolerance-sketchMargin*run.relative(points)*guess)); err != nil {
		return OppositeSpinResult{}, err
	}
	for !(run.error() <= tolerance) && certain(run.most()) < math.Inf(1) {
		if len(run.points) == mostPoints {
			return OppositeSpinResult{}, tooFewPoints(tolerance, run.most(), spins)
		}
		if err := run.addWorst(); err != nil {
			return OppositeSpinResult{}, err
		}
	}
	return OppositeSpinResult{OppositeSpin: -run.energy.value(), Points: len(run.points), Single: run.singles, QuadratureError: certain(run.error())}, nil
}

// tooFewPoints names the orbitals with the largest e_a - e_i.
func tooFewPoints(tolerance, most float64, spins []Spin) error {
	widest, text, low := 0.0, "", math.Inf(1)
	for _, s := range spins {
		i, a := slices.Index(s.Occ, slices.Min(s.Occ)), slices.Index(s.Vir, slices.Max(s.Vir))
		low = min(low, slices.Min(s.Vir)-slices.Max(s.Occ))
		if wide := s.Vir[a] - s.Occ[i]; wide > widest {
			widest = wide
			text = fmt.Sprintf("%g hartree for occupied orbital %d and virtual orbital %d%s, whose energies are %g and %g", wide, i, a, ofSpin(s.Name), s.Occ[i], s.Vir[a])
		}
	}
	return dense.BadArgument("tol", "%d points do not bring the error below %g hartree: e_a - e_i goes from %g to %s, and the energy may be %g hartree; "+
		"leave out orbitals that are this far away, or set their rows of B to zero", mostPoints, tolerance, low, text, -most)
}

// checkOppositeSpinSum looks at the arguments.
func checkOppositeSpinSum(tolerance float64, opt Options, spins []Spin) error {
	sources := make([]Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	if err := opt.check(sources...); err != nil {
		return err
	}
	if err := opt.refuseCheckpoint(); err != nil {
		return err
	}
	for _, s := range spins {
		if err := s.check(); err != nil {
			return err
		}
	}
	if !(tolerance > 0 && tolerance < math.Inf(1)) {
		return dense.BadArgument("tol", "expected a positive number of hartree, got %g", tolerance)
	}
	if slices.ContainsFunc(spins, Spin.empty) {
		return nil
	}
	first, last := spins[0], spins[len(spins)-1]
	least, moduli := 0.0, 0.0
	for _, s := range []Spin{first, last} {
		least += slices.Min(s.Vir) - slices.Max(s.Occ)
		moduli += math.Abs(slices.Min(s.Vir)) + math.Abs(slices.Max(s.Occ))
	}
	if least <= 0 || vanishes(least, moduli) {
		return &GapError{Smallest: least}
	}
	return nil
}

// excitations returns e_a - e_i for all i, a in this order, shifted so that the smallest is least, and the largest number where that overflows.
func excitations(s Spin, least float64) []float64 {
	lumo, homo := slices.Min(s.Vir), slices.Max(s.Occ)
	x := make([]float64, 0, len(s.Occ)*len(s.Vir))
	for _, ei := range s.Occ {
		for _, ea := range s.Vir {
			x = append(x, min((ea-lumo)+(homo-ei)+least, math.MaxFloat64))
		}
	}
	return x
}
