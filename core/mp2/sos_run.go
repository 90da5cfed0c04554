package mp2

import (
	"math"
	"math/rand/v2"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/mp2/internal/denominators"
)

// oppositeSpinRun is the state of a call of OppositeSpin.
type oppositeSpinRun struct {
	opt      Options
	spins    []*oppositeSpinFactor
	energy   compensated // sum_k sum_PQ X^k_PQ Y^k_PQ so far
	rounding float64     // a bound on the error of energy due to float32
	remote   float64     // a bound on the terms of the rows of B that no points are chosen for
	terms    []oppositeSpinTerm
	points   []float64
	singles  int
	together int // points in one pass
}

// oppositeSpinTerm is the inner product of X and Y for a point, and the norm of X of each spin.
type oppositeSpinTerm struct {
	product float64
	norms   []float64
}

// newOppositeSpinRun splits the smallest x + y evenly between x and y.
func newOppositeSpinRun(opt Options, spins []Spin) (*oppositeSpinRun, error) {
	r := &oppositeSpinRun{opt: opt, together: pointsTogether(opt, spins)}
	first, last := spins[0], spins[len(spins)-1]
	gap := func(s Spin) float64 { return slices.Min(s.Vir) - slices.Max(s.Occ) }
	least := (gap(first) + gap(last)) / 2
	for _, s := range spins {
		f, err := newOppositeSpinFactor(opt, s, excitations(s, least))
		if err != nil {
			return nil, err
		}
		r.spins = append(r.spins, f)
	}
	return r, nil
}

// pointsTogether returns how many points share a pass over the integrals.
func pointsTogether(opt Options, spins []Spin) int {
	_, _, naux := spins[0].Source.Shape()
	return int(max(1, min(pointsPerPass, opt.maxBytes()/(8*int64(len(spins))*int64(max(1, naux))*int64(max(1, naux))))))
}

// steps returns the number of chunks of a pass for one point.
func (r *oppositeSpinRun) steps() int {
	steps := 0
	for _, f := range r.spins {
		steps += f.chunks()
	}
	return steps
}

// pointSteps is the steps of progress of a chunk for a point: many, so that they can be divided.
const pointSteps = 1 << 20

// usualPoints is how many points molecules take at the default tolerance: progress expects this many until the sketch
// has told.
const usualPoints = 11

// ends returns the factors of the two electrons, the same one for a closed shell.
func (r *oppositeSpinRun) ends() (first, last *oppositeSpinFactor) {
	return r.spins[0], r.spins[len(r.spins)-1]
}

// Vectors of a sketch. Its energy is off by about a third.
const sketchVectors = 8

// sketch estimates the energy from above, and the norms of X, which it sets as those of the first point. With the
// weights (2x)^(-1/2) in X, E_os is at most the sum of X_PQ Y_PQ, since x + y >= 2 (xy)^(1/2), and that is the mean of
// (X z)(Y z) over random signs z.
func (r *oppositeSpinRun) sketch() (float64, error) {
	images := make([]dense.Matrix[float64], len(r.spins))
	for n, f := range r.spins {
		var err error
		if images[n], err = f.sketch(r.opt); err != nil {
			return 0, err
		}
		f.firstNorm = math.Sqrt(meanProduct(images[n], images[n]))
	}
	return meanProduct(images[0], images[len(images)-1]), nil
}

// meanProduct returns the mean of the inner products of columns.
func meanProduct(x, y dense.Matrix[float64]) float64 {
	sum := 0.0
	for n, v := range x.Data {
		sum += v * y.Data[n]
	}
	return sum / sketchVectors
}

// sketch returns X z for some vectors z of random signs, the same ones for all spins, with the weights (2x)^(-1/2) in
// X.
func (f *oppositeSpinFactor) sketch(opt Options) (dense.Matrix[float64], error) {
	op := f.block.op
	z := dense.New[float64](op.naux, sketchVectors)
	signs := rand.New(rand.NewPCG(1, 2)) // any seed, but always the same
	for n := range z.Data {
		z.Data[n] = float64(2*signs.IntN(2) - 1)
	}
	image := dense.New[float64](op.naux, sketchVectors)
	products := make([]float64, f.chunk*op.nvir*sketchVectors)
	err := f.each(opt, func(first, end int, b dense.Matrix[float64]) error {
		bz := dense.Matrix[float64]{
			Rows: b.Rows, Cols: sketchVectors, Stride: sketchVectors, Data: products[:b.Rows*sketchVectors],
		}
		blas.Gemm(opt.Team, blas.NoTrans, blas.NoTrans, 1, b, z, 0, bz)
		for n := range bz.Rows {
			row := bz.Row(n)
			for k := range row {
				row[k] /= math.Sqrt(2 * f.x[first+n])
			}
		}
		blas.Gemm(opt.Team, blas.Trans, blas.NoTrans, 1, b, bz, 1, image)
		opt.Team.Step(pointSteps)
		return opt.Team.Err()
	})
	return image, err
}

// enough returns the fewest points with an error of at most the tolerance, given an upper bound on the energy, or nil
// if no number of them is enough.
func (r *oppositeSpinRun) enough(tolerance, most, low, high float64) []float64 {
	for n := 1; n <= mostPoints; n++ {
		if points := denominators.ZolotarevPoints(n, low, high); r.relative(points)*most <= tolerance {
			return points
		}
	}
	return nil
}

// relative returns the largest r_n(x) r_n(y) for some points: the relative error of the sum.
func (r *oppositeSpinRun) relative(points []float64) float64 {
	first, last := r.ends()
	x, _ := denominators.LargestResidual(points, first.fitted)
	y, _ := denominators.LargestResidual(points, last.fitted)
	return x * y
}

// most bounds |E_os|: the sum lacks at most the relative error of it, and the terms of remote orbitals.
func (r *oppositeSpinRun) most() float64 {
	return (r.energy.value() + r.rounding + r.remote) / (1 - r.relative(r.points))
}

// error bounds the error of the sum.
func (r *oppositeSpinRun) error() float64 {
	return r.relative(r.points)*r.most() + r.rounding + r.remote
}

// leaveOut leaves the largest x out of the interval that points are chosen for, as long as all their terms together are
// below the limit, however wrong they are: orbitals that are dropped by giving them an energy of 1e30, with rows of B
// that are zero, are no reason for more points. |r_n(x) r_n(y)| is below 1 for all positive x and y, and by Cauchy and
// Schwarz the terms of one row are at most |B_ia|^2 sum_jb |B_jb|^2 / x. The sketch has measured the rows. It returns
// the smallest and the largest x that are fitted.
func (r *oppositeSpinRun) leaveOut(limit float64) (low, high float64) {
	first, last := r.ends()
	low = math.Inf(1)
	for _, f := range r.spins {
		partner := last
		if f == last {
			partner = first
		}
		r.remote += f.leaveOut(limit/float64(len(r.spins)), plainSum(partner.squares))
		low, high = min(low, slices.Min(f.fitted)), max(high, slices.Max(f.fitted))
	}
	return low, high
}

// plainSum returns the sum of some numbers, none of which is negative.
func plainSum(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// compute adds the terms of the first points, the last ones in float32 as far as the error of that is within the
// budget, which the norms determine: those that the sketch estimates first, and then those that are known.
func (r *oppositeSpinRun) compute(points []float64, budget float64) error {
	r.points = points
	double := len(points) - r.mostSingles(budget)
	if err := r.addDouble(0, double); err != nil {
		return err
	}
	for n, f := range r.spins {
		f.firstNorm = r.terms[0].norms[n]
	}
	single := max(double, len(points)-r.mostSingles(budget))
	if err := r.addDouble(double, single); err != nil {
		return err
	}
	return r.addSingle(single, len(points))
}

// addWorst adds the term of one more point, at the x with the largest error.
func (r *oppositeSpinRun) addWorst() error {
	first, last := r.ends()
	residual, point := denominators.LargestResidual(r.points, first.fitted)
	if larger, x := denominators.LargestResidual(r.points, last.fitted); larger > residual {
		point = x
	}
	r.points = append(r.points, point)
	return r.addDouble(len(r.points)-1, len(r.points))
}

// mostSingles returns how many of the last points, the first one excepted, may be computed in float32.
func (r *oppositeSpinRun) mostSingles(budget float64) int {
	// Elements of X stay far below what float32 holds.
	const mostError = 0x1p60
	count, total := 0, 0.0
	for k := len(r.points) - 1; k > 0; k-- {
		norms, errors := make([]float64, len(r.spins)), make([]float64, len(r.spins))
		for n, f := range r.spins {
			norms[n], errors[n] = f.largestNorm(r.points[:k+1]), f.errorOf(r.points[:k+1])
		}
		if total += productBound(norms, errors); !(total <= budget && slices.Max(errors) < mostError) {
			break
		}
		count++
	}
	return count
}

// productBound bounds the error of an inner product of the first and the last one of some matrices, given their norms
// and errors.
func productBound(norms, errors []float64) float64 {
	last := len(norms) - 1
	return norms[0]*errors[last] + norms[last]*errors[0] + errors[0]*errors[last]
}

// addDouble adds the terms of the points from k0 to k1.
func (r *oppositeSpinRun) addDouble(k0, k1 int) error {
	return addPoints(r, k0, k1, func(f *oppositeSpinFactor) *gram[float64] { return &f.double })
}

// addSingle is addDouble in float32.
func (r *oppositeSpinRun) addSingle(k0, k1 int) error {
	if err := addPoints(r, k0, k1, func(f *oppositeSpinFactor) *gram[float32] { return &f.single }); err != nil {
		return err
	}
	for k := k0; k < k1; k++ {
		errors := make([]float64, len(r.spins))
		for n, f := range r.spins {
			errors[n] = f.errorOf(r.points[:k+1])
		}
		r.rounding += productBound(r.terms[len(r.terms)-k1+k].norms, errors) * boundSlack
	}
	r.singles += k1 - k0
	return nil
}

// addPoints computes X of the points from k0 to k1, and adds their terms.
func addPoints[T dense.Float](r *oppositeSpinRun, k0, k1 int, gramOf func(*oppositeSpinFactor) *gram[T]) error {
	for ; k0 < k1; k0 += r.together {
		end := min(k1, k0+r.together)
		for _, f := range r.spins {
			if err := gramOf(f).sum(r.opt, f, r.points, k0, end); err != nil {
				return err
			}
		}
		first, last := r.ends()
		for k := range end - k0 {
			term := oppositeSpinTerm{norms: make([]float64, len(r.spins))}
			for n, f := range r.spins {
				x := gramOf(f).x[k]
				square, err := innerProduct(r.opt.Team, f.block.op.naux, x, x)
				if err != nil {
					return err
				}
				term.product, term.norms[n] = square, math.Sqrt(square)
			}
			if first != last {
				var err error
				x, y := gramOf(first).x[k], gramOf(last).x[k]
				if term.product, err = innerProduct(r.opt.Team, first.block.op.naux, x, y); err != nil {
					return err
				}
			}
			r.terms = append(r.terms, term)
			r.energy.add(term.product)
		}
	}
	return nil
}
