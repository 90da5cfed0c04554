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
	// QuadratureError bounds how far OppositeSpin lies above the exact sum because there are so many points and no more, in hartree. Rounding is
	// not in it.
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
)

// OppositeSpin returns the opposite-spin part of the MP2 correlation energy of a closed shell, given one spin, or of alpha and beta, to
// within the tolerance in hartree. With x = e_a - e_i of one and y = e_b - e_j of the other electron, and 1/(x + y) = sum_k f_k(x) f_k(y) as
// zolotarevPoints has it,
//
//	E_os = - sum_k sum_PQ X^k_PQ Y^k_PQ,   X^k_PQ = sum_ia f_k(e_a - e_i) B_iaP B_iaQ
//
// where Y is X for a closed shell. The sum with n points is off by at most rho^2 |E_os|, where rho is the largest |r_n| of all x. The first point gives an
// upper bound for |E_os|; as many points follow, with the first an odd number, as bring rho^2 times that bound below the tolerance. Of the
// options Precision, PairEnergies and Tolerance are not used, since all is computed in float64, and a Checkpoint is refused.
//
// Errors: those of Restricted, but where a denominator is not positive it is *GapError; *dense.ArgumentError for a tolerance that is not
// positive, or that no number of points meets.
//
// Cost: nocc nvir naux^2 floating-point operations for each point and spin. The integrals are read once for the first point and once for every
// 16 others, or as many as have their X in MaxBytes. The scaled opposite-spin method: Y. Jung, R. C. Lochan, A. D. Dutoi and M. Head-Gordon,
// J. Chem. Phys. 121, 9793 (2004).
func OppositeSpin(tolerance float64, opt Options, spins ...Spin) (OppositeSpinResult, error) {
	low, high, err := checkOppositeSpinSum(tolerance, opt, spins)
	if err != nil || slices.ContainsFunc(spins, Spin.empty) {
		return OppositeSpinResult{}, err
	}
	run, err := newOppositeSpinRun(opt, spins)
	if err != nil {
		return OppositeSpinResult{}, err
	}
	points := zolotarevPoints(1, low, high)
	opt.Team.Plan(run.steps())
	if err := run.add(points); err != nil {
		return OppositeSpinResult{}, err
	}
	// |E_os| is at most this, since what is missing is at most so large a part of it.
	most := run.energy.value() / (1 - run.relativeError(points))
	if certain(most) < math.Inf(1) { // else more points change nothing
		if points, err = run.enough(tolerance/boundSlack, most, low, high); err != nil {
			return OppositeSpinResult{}, err
		}
		opt.Team.Plan((len(points) - 1) * run.steps())
	}
	for rest := points[1:]; len(rest) > 0; {
		n := min(len(rest), run.together)
		if err := run.add(rest[:n]); err != nil {
			return OppositeSpinResult{}, err
		}
		rest = rest[n:]
	}
	return OppositeSpinResult{
		OppositeSpin: -run.energy.value(), Points: len(points), QuadratureError: certain(run.relativeError(points) * most),
	}, nil
}

// checkOppositeSpinSum looks at the arguments and returns the smallest and largest of x and y, after the shift that newOppositeSpinRun makes.
func checkOppositeSpinSum(tolerance float64, opt Options, spins []Spin) (low, high float64, err error) {
	sources := make([]Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	if err := opt.check(sources...); err != nil {
		return 0, 0, err
	}
	if err := opt.refuseCheckpoint(); err != nil {
		return 0, 0, err
	}
	for _, s := range spins {
		if err := s.check(); err != nil {
			return 0, 0, err
		}
	}
	if !(tolerance > 0 && tolerance < math.Inf(1)) {
		return 0, 0, dense.BadArgument("tol", "expected a positive number of hartree, got %g", tolerance)
	}
	if slices.ContainsFunc(spins, Spin.empty) {
		return 0, 0, nil
	}
	first, last := spins[0], spins[len(spins)-1]
	least, moduli := 0.0, 0.0
	for _, s := range []Spin{first, last} {
		least += slices.Min(s.Vir) - slices.Max(s.Occ)
		moduli += math.Abs(slices.Min(s.Vir)) + math.Abs(slices.Max(s.Occ))
		high = max(high, slices.Max(s.Vir)-slices.Min(s.Vir)+slices.Max(s.Occ)-slices.Min(s.Occ))
	}
	if least <= 0 || vanishes(least, moduli) {
		return 0, 0, &GapError{Smallest: least}
	}
	return least / 2, least/2 + high, nil
}

// oppositeSpinRun is the state of a call of OppositeSpin.
type oppositeSpinRun struct {
	opt      Options
	spins    []oppositeSpinFactor
	energy   compensated // sum_k sum_PQ X^k_PQ Y^k_PQ so far
	together int         // points in one pass
}

// oppositeSpinFactor is what X of one spin is made of. It is made of chunks of orbitals whose width depends on the shape alone, so that
// the memory limit does not change a bit.
type oppositeSpinFactor struct {
	block       *block[float64]
	width       int // of a block
	chunk       int
	places      *separable  // at x for i, a in this order
	left, right []float64   // the integrals of a chunk, and these times f
	x           [][]float64 // some X, of which the lower triangles count
}

// Rows (i, a) of a chunk at least, where there are so many: enough for products at full speed.
const chunkRows = 2048

// chunkOf returns how many orbitals are a chunk.
func chunkOf(nocc, nvir int) int { return min(nocc, (chunkRows+nvir-1)/max(1, nvir)) }

// newOppositeSpinRun splits the smallest x + y evenly: x may grow by what y becomes less.
func newOppositeSpinRun(opt Options, spins []Spin) (*oppositeSpinRun, error) {
	r := &oppositeSpinRun{opt: opt, together: pointsTogether(opt, spins)}
	first, last := spins[0], spins[len(spins)-1]
	gap := func(s Spin) float64 { return slices.Min(s.Vir) - slices.Max(s.Occ) }
	least := (gap(first) + gap(last)) / 2
	for _, s := range spins {
		op := operandOf[float64](s.Source)
		f := oppositeSpinFactor{chunk: chunkOf(op.nocc, op.nvir), width: chunkOf(op.nocc, op.nvir)}
		if size := op.packedElements(); size > 0 {
			f.width = min(f.chunk, int(opt.maxBytes()/(8*int64(size))))
			if f.width == 0 {
				return nil, dense.BadArgument("max_memory", "%d bytes do not hold the integrals of one occupied orbital, the least that works is %d bytes",
					opt.maxBytes(), 8*size)
			}
		}
		f.block, _ = newBlock(op, s.Name, f.width, make([]float64, op.blockElements(f.width)))
		f.places = newSeparable(excitations(s, least))
		f.left, f.right = make([]float64, f.chunk*op.nvir*op.naux), make([]float64, f.chunk*op.nvir*op.naux)
		r.spins = append(r.spins, f)
	}
	return r, nil
}

// excitations returns e_a - e_i for all i, a in this order, shifted so that the smallest is least.
func excitations(s Spin, least float64) []float64 {
	lumo, homo := slices.Min(s.Vir), slices.Max(s.Occ)
	x := make([]float64, 0, len(s.Occ)*len(s.Vir))
	for _, ei := range s.Occ {
		for _, ea := range s.Vir {
			x = append(x, (ea-lumo)+(homo-ei)+least)
		}
	}
	return x
}

// pointsTogether returns how many points share a pass over the integrals.
func pointsTogether(opt Options, spins []Spin) int {
	_, _, naux := spins[0].Source.Shape()
	return int(max(1, min(pointsPerPass, opt.maxBytes()/(8*int64(len(spins))*int64(max(1, naux))*int64(max(1, naux))))))
}

// steps returns what a point counts in the progress: chunks.
func (r *oppositeSpinRun) steps() int {
	steps := 0
	for _, f := range r.spins {
		steps += (f.block.op.nocc + f.chunk - 1) / f.chunk
	}
	return steps
}

// relativeError returns the largest r_n(x) r_n(y) for some points.
func (r *oppositeSpinRun) relativeError(points []float64) float64 {
	return largestResidual(points, r.spins[0].places.x) * largestResidual(points, r.spins[len(r.spins)-1].places.x)
}

// enough returns as few points, with the one in the middle first, as have an error of at most the tolerance, given that the energy is at most so large.
func (r *oppositeSpinRun) enough(tolerance, most, low, high float64) ([]float64, error) {
	for n := 1; n <= mostPoints; n += 2 {
		points := zolotarevPoints(n, low, high)
		if r.relativeError(points)*most <= tolerance {
			return points, nil
		}
	}
	return nil, dense.BadArgument("tol", "%d points do not bring the error below %g hartree: e_a - e_i goes from %g to %g hartree and the energy may be %g",
		mostPoints, tolerance, low, high, -most)
}

// add adds the terms of some more points to the energy.
func (r *oppositeSpinRun) add(points []float64) error {
	for n := range r.spins {
		if err := r.spins[n].fill(r.opt, points); err != nil {
			return err
		}
	}
	first, last := r.spins[0], r.spins[len(r.spins)-1]
	for k := range points {
		term, err := innerProduct(r.opt.Team, first.block.op.naux, first.x[k], last.x[k])
		if err != nil {
			return err
		}
		r.energy.add(term)
	}
	return nil
}
