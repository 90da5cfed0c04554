package matfunc

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/sylvester"
)

// deflation is a singular matrix A in the form V B V^H: the first rows and columns of B, as many as zeros says, are a
// nilpotent matrix N, which is strictly upper triangular in blocks, those after it are C, which is not singular, and S
// is between them. vh is V^H. The largest Jordan block for a zero eigenvalue has the order index.
type deflation[W dense.Wide] struct {
	b, vh dense.Matrix[W]
	zeros int
	index int
}

// deflate finds the deflation of a, whose singular values up to limit count as zero, until the index is more than f
// admits.
//
// Zero is semisimple if no vector of the null space is orthogonal to that of A^H. The null space of a matrix that
// differs from A by the limit is at an angle of about the limit divided by the smallest singular value that is not
// zero, and so are vectors that count as orthogonal. Otherwise the null space of C follows, and so on.
//
// Cost: some 8 n^3 multiply-adds for each step. Method: the staircase algorithm of Kublanovskaya (USSR Comput. Math.
// Math. Phys. 6, 1966) for one eigenvalue.
func deflate[W dense.Wide](team *sched.Team, a dense.Matrix[W], limit float64, f function) (d deflation[W], err error) {
	n, norm := a.Rows, frobeniusNorm(a)
	team = team.Plan(deflationParts)
	d.b, d.vh = a.Clone(), dense.New[W](n, n)
	d.vh.SetIdentity()
	for d.index = 1; ; d.index++ {
		c := d.b.Slice(d.zeros, n, d.zeros, n)
		right, err := pivotedLQ(team, c.Clone(), limit)
		if err != nil {
			return d, err
		}
		team.Step(1)
		count := c.Rows - right.rank
		if count == 0 {
			// Singular values of a matrix that is so to the limit may be above it in this reduction, but no others come
			// after it.
			count = 1
			right.rank--
		}
		smallest := norm
		if right.rank > 0 {
			smallest = right.sizes[right.rank-1]
		}
		semisimple := false
		if d.index == 1 {
			if semisimple, err = isSemisimple(team, c, right, limit, smallest); err != nil {
				return d, err
			}
		}
		team.Step(1)
		d.turn(team, right)
		team.Step(1)
		d.zeros += count
		if err := team.Err(); err != nil || semisimple || d.zeros == n {
			return d, err
		}
		if d.index > 1 {
			rest := d.b.Slice(d.zeros, n, d.zeros, n)
			if left, err := pivotedLQ(team, rest.Clone(), limit); err != nil || left.rank == rest.Rows {
				return d, err
			}
		} else if !f.admits(2) {
			d.index = 2
			return d, nil
		}
		limit = min(limit*norm/smallest, f.half*norm)
	}
}

// deflationParts are those of the first step, which take about the same time: the null space, that of the adjoint, and
// B and V. Few matrices have another step.
const deflationParts = 3

// isSemisimple reports whether the null spaces of c and of its adjoint have no directions that are orthogonal to the
// other one.
func isSemisimple[W dense.Wide](
	team *sched.Team, c dense.Matrix[W], right lqFactors[W], limit, smallest float64,
) (bool, error) {
	const angles = 10 // the perturbation of the two null spaces, in units of limit / smallest
	if right.rank == 0 {
		return true, nil
	}
	n := c.Rows
	adjoint := dense.New[W](n, n)
	dense.Copy(adjoint.View(), c.View().T())
	conjugate(adjoint)
	left, err := pivotedLQ(team, adjoint, limit)
	if err != nil {
		return false, err
	}
	between := dense.New[W](n-right.rank, n-right.rank)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, left.u.Slice(0, n, right.rank, n),
		right.u.Slice(0, n, right.rank, n), 0, between)
	angle, err := pivotedLQ(team, between, angles*limit/smallest)
	return angle.rank == between.Rows, err
}

// turn rotates the last rows and columns of B so that the null space found in them comes first.
func (d *deflation[W]) turn(team *sched.Team, found lqFactors[W]) {
	n, m, rank := d.b.Rows, found.u.Rows, found.rank
	u, work := dense.New[W](m, m), dense.New[W](n, m)
	u.Slice(0, m, 0, m-rank).CopyFrom(found.u.Slice(0, m, rank, m))
	u.Slice(0, m, m-rank, m).CopyFrom(found.u.Slice(0, m, 0, rank))
	columns, rows := d.b.Slice(0, n, d.zeros, n), d.b.Slice(d.zeros, n, d.zeros, n)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, columns, u, 0, work)
	columns.CopyFrom(work)
	square := work.Slice(0, m, 0, m)
	blas.Gemm(team, blas.ConjTrans, blas.NoTrans, 1, u, rows, 0, square)
	rows.CopyFrom(square)
	rows.Slice(0, m, 0, m-rank).Clear()
	turned, old := dense.New[W](m, n), d.vh.Slice(d.zeros, n, 0, n)
	blas.Gemm(team, blas.ConjTrans, blas.NoTrans, 1, u, old, 0, turned)
	old.CopyFrom(turned)
}

// ofDeflated sets x to f of the matrix whose deflation is given, where f of the nilpotent part is zero. It uses the
// phases of the costs.
func ofDeflated[W dense.Wide, C dense.Complex](
	team *sched.Team, c costs, d deflation[W], x dense.View[C], f function,
) (o Outcome, err error) {
	n, k := d.b.Rows, d.zeros
	phase := team.Phase(c.form)
	form, err := schurFormOf[W](phase, d.b.Slice(k, n, k, n).View())
	if err != nil {
		return o, err
	}
	phase.End()
	if form.zh.Rows > 0 { // [N S; 0 C] becomes [N S Z; 0 T]
		above := dense.New[W](k, n-k)
		blas.Gemm(team, blas.NoTrans, blas.ConjTrans, 1, d.b.Slice(0, k, k, n), form.zh, 0, above)
		d.b.Slice(0, k, k, n).CopyFrom(above)
		below := dense.New[W](n-k, n)
		blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, form.zh, d.vh.Slice(k, n, 0, n), 0, below)
		d.vh.Slice(k, n, 0, n).CopyFrom(below)
	}
	has := spectrumNear(form.t, f.cut)
	d.b.Slice(k, n, k, n).CopyFrom(form.t)
	if real, ok := any(d).(deflation[float64]); ok && f.needsComplex(has) {
		// Rotations of C's rows and columns alone: elements of N that are zero stay zero.
		form, err := complexForm(team, schurForm[float64]{real.b, real.vh})
		if err != nil {
			return o, err
		}
		has = spectrumNear(form.t.Slice(k, n, k, n), f.cut)
		o, err = ofBlocks(team, c, deflation[complex128]{form.t, form.zh, k, d.index}, x, f)
		o.Complex = f.branches(has)
		if err == nil && !o.Complex {
			dropImaginary(x)
		}
		return o, err
	}
	o, err = ofBlocks(team, c, d, x, f)
	o.Complex = dense.IsComplex[W]()
	return o, err
}

// ofBlocks sets x to f of a deflation whose C is triangular, T: with F = f(T), it is V [0 G; 0 F] V^H with the G for
// which G T - N G = S F. For a root, and for N = 0 only, that is G F = S.
func ofBlocks[W dense.Wide, C dense.Complex](
	team *sched.Team, c costs, d deflation[W], x dense.View[C], f function,
) (o Outcome, err error) {
	n, k := d.b.Rows, d.zeros
	nilpotent, s, t := d.b.Slice(0, k, 0, k).Clone(), d.b.Slice(0, k, k, n), d.b.Slice(k, n, k, n).Clone()
	value := t.Clone()
	phase := team.Phase(c.function)
	if o, err = ofTriangular(phase, value, f); err != nil {
		return o, err
	}
	phase.End()
	if f.kind == rootKind {
		solved, err := sylvester.Triangular(team, sylvester.Form{}, dense.New[W](k, k), value, s)
		if err != nil {
			return o, err
		}
		scaleBack(s, solved.Shift)
	} else {
		term, work := dense.New[W](k, n-k), dense.New[W](k, n-k)
		blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, s, value, 0, term)
		s.Clear()
		for range d.index {
			blas.Trsm(team, blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, 1, t, term)
			for i := range k {
				blas.Axpy(1, dense.Vec(term.Row(i)), dense.Vec(s.Row(i)))
			}
			blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, nilpotent, term, 0, work)
			term, work = work, term
		}
	}
	d.b.Slice(0, k, 0, k).Clear()
	d.b.Slice(k, n, k, n).CopyFrom(value)
	return o, transformBack(team.Phase(c.back), schurForm[W]{d.b, d.vh}, dense.New[W](n, n), x)
}
