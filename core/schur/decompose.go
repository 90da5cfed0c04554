package schur

import (
	"errors"
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

const (
	eps = 0x1p-52
	// Smallest normal number.
	safeMin = 0x1p-1022

	// Smaller matrices are scaled up so that their largest element is about 2^400. The elements and the sums of their
	// squares are then far from overflow, and an element has to be 2^1370 times smaller than the largest before its
	// rounding errors are absolute instead of relative. Scaling up is exact.
	workExponent = 400
	// Elements of an orthogonal similar matrix, and the sums on the way to it, are at most n times as large as those of
	// A, up to a factor that this many bits cover. Only matrices above that limit are scaled down.
	headroomBits = 8
	maxExponent  = 1023
)

// output is a result matrix and the name that errors call it by.
type output struct {
	name string
	dense.View[float64]
}

// decompose brings a to Hessenberg form, lets iterate (if any) continue from there, and stores the final matrix in form
// and the accumulated orthogonal factor in factor.
func decompose(a dense.View[float64], form, factor output, opt Options, iterate iteration) error {
	if err := checkShapes(a, form, factor); err != nil {
		return err
	}
	if a.Rows == 0 {
		return nil
	}
	if err := blas.CheckFinite(opt.Team, a, "a"); err != nil {
		var notFinite *dense.ArgumentError
		if !opt.SkipFiniteCheck || !errors.As(err, &notFinite) {
			return err
		}
		fill(form.View, math.NaN())
		fill(factor.View, math.NaN())
		return nil
	}
	opt.Team.Plan(a.Rows) // a step for each column to reduce
	if iterate != nil {
		opt.Team.Plan(a.Rows) // and for each eigenvalue
	}
	work, factorT := formMatrix(a, form.View, opt), factorMatrix(factor.View)
	if err := blas.CopyView(opt.Team, work.View(), a); err != nil {
		return err
	}
	shift := scalingShift(work)
	scale(work, shift)
	if err := reduce(opt.Team, work, factorT); err != nil {
		return err
	}
	if iterate != nil {
		if err := iterate(work, factorT, opt); err != nil {
			return err
		}
	}
	scale(work, -shift)
	if !work.View().AllFinite() {
		return dense.BadArgument("a", "elements are too large: %s overflows", form.name)
	}
	if iterate != nil {
		restandardize(work, factorT)
	}
	if err := blas.CopyView(opt.Team, form.View, work.View()); err != nil || factor.Rows == 0 {
		return err
	}
	return blas.CopyView(opt.Team, factor.View, factorT.View().T())
}

// iteration continues from the Hessenberg matrix h and the transposed factor qt, both of which it overwrites.
type iteration func(h, qt dense.Matrix[float64], opt Options) error

func checkShapes(a dense.View[float64], form, factor output) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if form.Rows != n || form.Cols != n {
		return dense.BadArgument(form.name, "expected shape (%d, %d), got (%d, %d)", n, n, form.Rows, form.Cols)
	}
	if factor.Rows != 0 && (factor.Rows != n || factor.Cols != n) {
		return dense.BadArgument(factor.name, "expected shape (%d, %d) or no rows, got (%d, %d)", n, n, factor.Rows, factor.Cols)
	}
	return nil
}

// formMatrix returns a row-major matrix to work in: the output's memory or a's where that is possible.
func formMatrix(a, form dense.View[float64], opt Options) dense.Matrix[float64] {
	if m, ok := form.Matrix(); ok {
		return m
	}
	if m, ok := a.Matrix(); ok && opt.Overwrite {
		return m
	}
	return dense.New[float64](a.Rows, a.Cols)
}

// factorMatrix returns a row-major matrix for the transposed orthogonal factor, or one without rows if it is not wanted.
func factorMatrix(factor dense.View[float64]) dense.Matrix[float64] {
	if factor.Rows == 0 {
		return dense.Matrix[float64]{}
	}
	if m, ok := factor.T().Matrix(); ok {
		return m
	}
	return dense.New[float64](factor.Cols, factor.Rows)
}

func fill(v dense.View[float64], x float64) {
	for i := range v.Rows {
		for j := range v.Cols {
			v.Set(i, j, x)
		}
	}
}

// scalingShift returns the k for which 2^k a is safe to work with.
func scalingShift(a dense.Matrix[float64]) int {
	largest := 0.0
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 {
		return 0
	}
	_, exponent := math.Frexp(largest)
	limit := maxExponent - headroomBits - bits.Len(uint(a.Rows))
	return min(max(exponent, workExponent), limit) - exponent
}

// scale multiplies a by 2^shift, in two steps because 2^shift itself may not be representable.
func scale(a dense.Matrix[float64], shift int) {
	if shift == 0 {
		return
	}
	half := math.Ldexp(1, shift/2)
	rest := math.Ldexp(1, shift-shift/2)
	for i := range a.Rows {
		row := a.Row(i)
		for j := range row {
			row[j] = row[j] * half * rest
		}
	}
}

// pollEvery is the number of row operations between two looks at the team: a few milliseconds of work at order 10^4, much
// less below.
const pollEvery = 32

// poll returns the team's error at every pollEvery-th step.
func poll(team *sched.Team, step int) error {
	if step%pollEvery != 0 {
		return nil
	}
	return team.Err()
}
