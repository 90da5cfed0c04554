package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/tridiag"
)

// After patientJacobiSweeps an element need only be small against the largest one.
const patientJacobiSweeps = 12

// planeRotation is a rotation of the columns p < q: it replaces p and q by c p - s u q and s p + c u q. The zero value
// means none.
type planeRotation[W dense.Wide] struct {
	p, q    int
	c, s, u W
}

// twoSided is a rotation of the rows and columns p and q.
type twoSided[W dense.Wide] struct {
	planeRotation[W]
	cosine, sine  float64
	first, second float64 // the diagonal elements after it
}

// active reports whether r is not the zero value.
func (r *planeRotation[W]) active() bool { return r.q > 0 }

// diagonalize rotates h, a full Hermitian matrix, until it is diagonal, and applies the rotations to rows, which may be
// empty: A = V diag(values) V^H with the columns of V in the rows.
//
// An element a_pq is negligible if |a_pq| <= 2^-52 sqrt(|a_pp a_qq|).
func (j *jacobiSolver[W]) diagonalize(h, rows dense.Matrix[W]) error {
	largest, floor := 0.0, tridiag.NegligibleCoupling
	rotations := make([]twoSided[W], j.n/2)      // of the pairs of a round
	active := make([]planeRotation[W], 0, j.n/2) // those that are not zero
	begin := func(sweep int) error {
		for i := range j.n {
			largest = max(largest, math.Abs(dense.Real(h.At(i, i))))
		}
		if sweep == patientJacobiSweeps {
			floor = dense.RoundoffDouble * largest
		}
		return mirrorLower(j.team, h) // otherwise rounding errors would accumulate to a matrix that is not Hermitian
	}
	fromLeft := func(first, end int) {
		for k := first; k < end; k++ {
			r := &rotations[k]
			if *r = newTwoSided(h, j.pairs[k][0], j.pairs[k][1], floor); r.active() {
				j.rotateFromLeft(h, rows, r)
			}
		}
	}
	fromRight := func(first, end int) {
		for side := range 2 { // rows that follow one another in memory
			for _, pair := range j.pairs[first:end] {
				rotateColumns(h.Row(pair[side]), active)
			}
		}
		for k := first; k < end; k++ {
			if r := &rotations[k]; r.active() {
				r.finish(h)
			}
		}
	}
	err := j.sweeps(begin, func(round int) (bool, error) {
		if err := j.share(len(j.pairs), fromLeft); err != nil {
			return true, err
		}
		active = active[:0]
		for k := range rotations {
			if r := &rotations[k]; r.active() {
				active = append(active, r.planeRotation)
			}
		}
		if len(active) == 0 {
			return false, nil
		}
		if idle := idleIndex(j.n, round); idle >= 0 {
			rotateColumns(h.Row(idle), active)
		}
		return true, j.share(len(j.pairs), fromRight)
	})
	for i := range j.values {
		j.values[i] = dense.Real(h.At(i, i))
	}
	return err
}

// newTwoSided returns the rotation that makes element (q, p) of h zero, p < q, or the zero value if that element is
// negligible.
func newTwoSided[W dense.Wide](h dense.Matrix[W], p, q int, floor float64) twoSided[W] {
	coupling, first, second := h.At(q, p), dense.Real(h.At(p, p)), dense.Real(h.At(q, q))
	size := dense.Abs(coupling)
	if size <= dense.Eps[W]()*math.Sqrt(math.Abs(first))*math.Sqrt(math.Abs(second))+floor {
		return twoSided[W]{}
	}
	r := twoSided[W]{planeRotation: planeRotation[W]{p: p, q: q, u: 1}}
	if dense.IsComplex[W]() {
		r.u = phaseOf(coupling)
	} else {
		size = dense.Real(coupling)
	}
	t := smallTangent(first, second, size)
	r.cosine, r.sine = cosineSine(t)
	r.c, r.s = dense.FromReal[W](r.cosine), dense.FromReal[W](r.sine)
	r.first, r.second = first-t*size, second+t*size
	return r
}

// rotateFromLeft applies a rotation to two rows of h and of the eigenvectors.
func (j *jacobiSolver[W]) rotateFromLeft(h, rows dense.Matrix[W], r *twoSided[W]) {
	if r.u != 1 {
		blas.Scal(dense.Conj(r.u), dense.Vec(h.Row(r.q)))
	}
	j.rotateRows(h, r.p, r.q, r.cosine, r.sine)
	if rows.Rows == 0 {
		return
	}
	if r.u != 1 {
		blas.Scal(r.u, dense.Vec(rows.Row(r.q)))
	}
	j.rotateRows(rows, r.p, r.q, r.cosine, r.sine)
}

// finish stores the elements of the rotated 2 x 2 submatrix.
func (r *twoSided[W]) finish(h dense.Matrix[W]) {
	h.Set(r.p, r.q, 0)
	h.Set(r.q, r.p, 0)
	h.Set(r.p, r.p, dense.FromReal[W](r.first))
	h.Set(r.q, r.q, dense.FromReal[W](r.second))
}

// rotateColumns applies the rotations to the elements of a row. Inlined into its caller it would have fewer registers
// and take a quarter longer.
//
//go:noinline
func rotateColumns[W dense.Wide](row []W, rotations []planeRotation[W]) {
	for k := range rotations {
		r := &rotations[k]
		x, y := row[r.p], row[r.q]*r.u
		row[r.p] = r.c*x - r.s*y
		row[r.q] = r.s*x + r.c*y
	}
}
