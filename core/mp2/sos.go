package mp2

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/mp2/internal/denominators"
)

// OppositeSpinResult is what OppositeSpin returns.
type OppositeSpinResult struct {
	OppositeSpin float64 // hartree
	Points       int     // terms of the sum of products that approximates the denominators
	Single       int     // those of them whose X were computed in float32
	// QuadratureError bounds, in hartree, the error of OppositeSpin due to the number of points and to X in float32.
	// Rounding in float64 is not included.
	QuadratureError float64
}

// GapError reports that e_a + e_b - e_i - e_j is not positive for all orbitals: Smallest is the smallest of them.
type GapError struct{ Smallest float64 }

func (e *GapError) Error() string {
	return fmt.Sprintf("eps_occ: e_a + e_b - e_i - e_j has to be positive for all orbitals, the smallest is %g hartree",
		e.Smallest)
}

const (
	// The most points: more would cost as much as the energies of all pairs.
	mostPoints = 127
	// The most matrices X that are summed in one pass over the integrals.
	pointsPerPass = 16
	// The share of the tolerance for rounding in float32, which costs a tenth of a point on average. It is larger if
	// the points leave more of the tolerance, even if the energy is sketchMargin times as large as the sketch says.
	singleShare, sketchMargin = 1.0 / 8, 2
	// The share of the tolerance for the terms of remote orbitals, that no points are chosen for.
	remoteShare = 0x1p-20
)

// OppositeSpin returns the opposite-spin part of the MP2 correlation energy of a closed shell, given one spin, or of
// alpha and beta, to within the tolerance in hartree. With x = e_a - e_i of one and y = e_b - e_j of the other
// electron, and 1/(x + y) = sum_k f_k(x) f_k(y) by Cholesky decomposition (core/mp2/internal/denominators),
//
//	E_os = - sum_k sum_PQ X^k_PQ Y^k_PQ,   X^k_PQ = sum_ia f_k(e_a - e_i) B_iaP B_iaQ
//
// with Y = X for a closed shell and that of beta for an open one. The sum with n points is off by at most rho^2 |E_os|,
// with rho the largest |r_n| over all x. A sketch of the first X estimates |E_os|, and so how many points are enough;
// the sum itself then gives a bound for |E_os|, and more points follow one at a time if the sketch was too low. The
// last points contribute little: as many X as are proven to be accurate enough, by bounds like those of pair energies,
// are computed in float32.
//
// Errors: those of Restricted without a checkpoint, but *GapError if a denominator is not positive;
// *dense.ArgumentError for a tolerance that is not positive, or that no number of points meets.
//
// Cost: nocc nvir naux^2 floating-point operations for each point and spin. The integrals are read once for the sketch,
// once for every 16 points, or as many as have their X in MaxBytes, and once more for those in float32. The scaled
// opposite-spin method: Y. Jung, R. C. Lochan, A. D. Dutoi and M. Head-Gordon, J. Chem. Phys. 121, 9793 (2004).
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
	points := denominators.ZolotarevPoints(1, low, high)
	if certain(guess) < math.Inf(1) { // else more points change nothing
		points = run.enough((1-singleShare-remoteShare)*tolerance/boundSlack, guess, low, high)
		if points == nil {
			return OppositeSpinResult{}, tooFewPoints(tolerance, guess, spins)
		}
	}
	run.opt.Team = run.opt.Team.Remainder().Plan(len(points) * run.steps() * pointSteps)
	budget := max(singleShare*tolerance, tolerance-sketchMargin*run.relative(points)*guess)
	if err := run.compute(points, budget); err != nil {
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
	return OppositeSpinResult{
		OppositeSpin: -run.energy.value(), Points: len(run.points), Single: run.singles,
		QuadratureError: certain(run.error()),
	}, nil
}

// tooFewPoints names the orbitals with the largest e_a - e_i.
func tooFewPoints(tolerance, most float64, spins []Spin) error {
	widest, text, low := 0.0, "", math.Inf(1)
	for _, s := range spins {
		i, a := slices.Index(s.Occ, slices.Min(s.Occ)), slices.Index(s.Vir, slices.Max(s.Vir))
		low = min(low, slices.Min(s.Vir)-slices.Max(s.Occ))
		if wide := s.Vir[a] - s.Occ[i]; wide > widest {
			widest = wide
			text = fmt.Sprintf("%g hartree for occupied orbital %d and virtual orbital %d%s, whose energies are %g and %g",
				wide, i, a, ofSpin(s.Name), s.Occ[i], s.Vir[a])
		}
	}
	return dense.BadArgument("tol", "%d points do not bring the error below %g hartree: e_a - e_i goes from %g to %s, "+
		"and the energy may be %g hartree; leave out orbitals that are this far away, or set their rows of B to zero",
		mostPoints, tolerance, low, text, -most)
}

// checkOppositeSpinSum checks the arguments.
func checkOppositeSpinSum(tolerance float64, opt Options, spins []Spin) error {
	if err := opt.check(sourcesOf(spins)...); err != nil {
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

// OppositeSpinWorkspace returns an upper bound on the bytes that OppositeSpin allocates.
func OppositeSpinWorkspace(opt Options, spins ...Spin) (int64, error) {
	sources := sourcesOf(spins)
	if err := opt.check(sources...); err != nil {
		return 0, err
	}
	products := blas.GemmWorkspace[float64](math.MaxInt) + blas.GemmWorkspace[float32](math.MaxInt)
	bytes := int64(fixedBytes) + int64(opt.Team.Threads())*products
	for _, src := range sources {
		nocc, nvir, naux := src.Shape()
		rows, functions := int64(chunkOrbitals(nocc, nvir))*int64(nvir), int64(naux)
		// blocks, as read, gathered, transposed, in float32
		bytes += rows * (functions*(8+8+8+4) + 8*sketchVectors)
		bytes += rows * min(functions, mostStripRows) * (8 + 4) * int64(opt.Team.Threads()) // left
		bytes += 8 * 5 * int64(nocc) * int64(nvir)
		bytes += (8 + 4) * int64(pointsTogether(opt, spins)) * functions * functions
		bytes += 8 * functions * (2*mostPoints + 2*sketchVectors)
		if op := newOperand[float64](src, ""); op.reader != nil {
			bytes += op.reader.Workspace()
		}
	}
	return bytes, nil
}
