package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// parlettBlock is the order of the blocks between which products of matrices do the work.
const parlettBlock = 32

// Triangularize sets t and z to a complex Schur form A = Z T Z^H of any square matrix; T is A itself, and Z the
// identity, if A is upper triangular.
//
// Errors: as in Sqrtm, and *dense.ArgumentError for infinities and NaNs. Cost: that of schur.Decompose, in real
// arithmetic for a real matrix.
func Triangularize[T dense.Scalar, C dense.Complex](team *sched.Team, a dense.View[T], t, z dense.View[C]) error {
	if err := checkFunction(team, a, t); err != nil || a.Rows == 0 {
		return err
	}
	form, err := triangularForm(team, a)
	if err != nil {
		return err
	}
	if err := blas.CopyView(team, t, form.t.View()); err != nil {
		return err
	}
	if form.zh.Rows == 0 {
		form.zh = dense.New[complex128](a.Rows, a.Rows)
		form.zh.SetIdentity()
	}
	conjugate(form.zh)
	return blas.CopyView(team, z, form.zh.View().T())
}

// triangularForm returns the complex form of any matrix.
func triangularForm[T dense.Scalar](team *sched.Team, a dense.View[T]) (schurForm[complex128], error) {
	if dense.IsComplex[T]() {
		return schurFormOf[complex128](team, a)
	}
	form, err := schurFormOf[float64](team, a)
	if err != nil {
		return schurForm[complex128]{}, err
	}
	return complexForm(team, form)
}

// Parlett sets x to the function Z f(T) Z^H of a matrix Z T Z^H with an upper triangular T, given the values of the
// function at the eigenvalues, which are the diagonal elements of T. smallest is the smallest distance of two
// eigenvalues that are not equal, infinite if there are none.
//
// The elements above the diagonal follow from F T = T F by divisions by differences of eigenvalues: they are wrong for
// T with equal eigenvalues that are not semisimple, where the derivative of f would count, and inaccurate for
// eigenvalues that are close to each other: errors are of the order of eps |T| / smallest, or its powers. Where
// eigenvalues are equal nothing is divided, as in SciPy.
//
// Cost: 2 n^3/3 complex multiply-adds, and those of two products. Method: Parlett's recurrence (Golub and Van Loan,
// Matrix Computations, 4th ed., algorithm 9.1.1) in blocks; arithmetic is in double precision.
func Parlett[C dense.Complex](
	team *sched.Team, t, z dense.View[C], values []complex128, x dense.View[C],
) (smallest float64, err error) {
	n := t.Rows
	form := schurForm[complex128]{dense.New[complex128](n, n), dense.New[complex128](n, n)}
	dense.Copy(form.t.View(), t)
	dense.Copy(form.zh.View(), z.T())
	conjugate(form.zh)
	c := costsOf[C](n, parlettRate)
	team = team.Plan(c.function + c.back)
	phase := team.Phase(c.function)
	result, smallest, err := parlett(phase, form.t, values, false)
	if err != nil {
		return 0, err
	}
	phase.End()
	work := form.t
	form.t = result
	return smallest, transformBack(team.Phase(c.back), form, work, x)
}

// triangularSign overwrites the upper triangular t by its sign.
func triangularSign(team *sched.Team, t dense.Matrix[complex128], f function) error {
	signs, none := make([]complex128, t.Rows), false
	for i := range signs {
		signs[i] = f.sign(t.At(i, i))
		none = none || signs[i] == 0
	}
	result, _, err := parlett(team, t, signs, !none)
	if err == nil {
		t.CopyFrom(result)
	}
	return err
}

// recurrence is Parlett's recurrence for F = f(T); for a sign function without zeros, S S = I holds in addition.
type recurrence struct {
	t, f   dense.Matrix[complex128]
	isSign bool
}

// parlett returns f(T) for an upper triangular t and the values of f at its diagonal elements, and the smallest
// distance of two of these.
func parlett(
	team *sched.Team, t dense.Matrix[complex128], values []complex128, isSign bool,
) (f dense.Matrix[complex128], smallest float64, err error) {
	n := t.Rows
	p := &recurrence{t, dense.New[complex128](n, n), isSign}
	for i, v := range values {
		p.f.Set(i, i, v)
	}
	blocks := (n + parlettBlock - 1) / parlettBlock
	nearest := make([]float64, blocks)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	team = team.Plan(blocks * (blocks + 1) * (blocks + 2) / 6)
	for d := range blocks {
		// Blocks of one diagonal need those nearer to the main one only.
		if err := team.For(blocks-d, func(_, i int) error {
			distance := p.block(i*parlettBlock, min(n, (i+1)*parlettBlock), (i+d)*parlettBlock,
				min(n, (i+d+1)*parlettBlock))
			nearest[i] = min(nearest[i], distance)
			team.Step(d + 1)
			return nil
		}); err != nil {
			return p.f, 0, err
		}
	}
	smallest = math.Inf(1)
	for _, distance := range nearest {
		smallest = min(smallest, distance)
	}
	return p.f, smallest, nil
}

// block computes the rows i0 <= i < i1 and columns j0 <= j < j1 of F.
func (p *recurrence) block(i0, i1, j0, j1 int) (smallest float64) {
	rows, cols := i1-i0, j1-j0
	// Contributions of the blocks in between to F T - T F and to S S; inner adds those of the block itself.
	commutator, square := dense.New[complex128](rows, cols), dense.Matrix[complex128]{}
	if i1 < j0 {
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, p.f.Slice(i0, i1, i1, j0), p.t.Slice(i1, j0, j0, j1), 0,
			commutator)
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, p.t.Slice(i0, i1, i1, j0), p.f.Slice(i1, j0, j0, j1), 1,
			commutator)
	}
	if p.isSign {
		square = dense.New[complex128](rows, cols)
		if i1 < j0 {
			blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, p.f.Slice(i0, i1, i1, j0), p.f.Slice(i1, j0, j0, j1), 0,
				square)
		}
	}
	smallest = math.Inf(1)
	for j := j0; j < j1; j++ {
		for i := min(i1, j) - 1; i >= i0; i-- {
			difference := p.t.At(i, i) - p.t.At(j, j)
			smallest = min(smallest, dense.Abs(difference))
			if sum := p.f.At(i, i) + p.f.At(j, j); p.isSign && sum != 0 {
				p.f.Set(i, j, (0-square.At(i-i0, j-j0)-inner(p.f, p.f, i, j, i1, j0))/sum)
				continue
			}
			s := p.t.At(i, j)*(p.f.At(i, i)-p.f.At(j, j)) + commutator.At(i-i0, j-j0)
			s += inner(p.f, p.t, i, j, i1, j0) - inner(p.t, p.f, i, j, i1, j0)
			if difference != 0 {
				s /= difference
			}
			p.f.Set(i, j, s)
		}
	}
	return smallest
}

// inner returns the sum of l_ik r_kj over the k between i and j that are in the block of rows or that of columns of
// element (i, j), which end at i1 and begin at j0.
func inner(l, r dense.Matrix[complex128], i, j, i1, j0 int) (sum complex128) {
	return rowTimesColumn(l, r, i, j, i+1, min(i1, j)) + rowTimesColumn(l, r, i, j, max(j0, i1), j)
}
