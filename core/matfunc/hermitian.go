package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
)

// isHermitian reports whether m is exactly equal to its adjoint.
func isHermitian[W dense.Wide](m dense.Matrix[W]) bool {
	for i := range m.Rows {
		for j, v := range m.Row(i)[:i+1] {
			if v != dense.Conj(m.At(j, i)) {
				return false
			}
		}
	}
	return true
}

// eigenpairs returns the eigenvalues of a Hermitian matrix, with those that are zero to working precision set to zero,
// and the eigenvectors as the rows of the adjoint of the matrix of eigenvectors.
func eigenpairs[W dense.Wide](
	team *sched.Team, m dense.Matrix[W], rounding float64,
) (w []float64, vh dense.Matrix[W], err error) {
	n := m.Rows
	w, vh = make([]float64, n), dense.New[W](n, n)
	limit := roundingLimit(m) + rounding*frobeniusNorm(m)
	if _, err = eigen.Eigh(m.View(), w, vh.View().T(), eigen.Options{Team: team, Overwrite: true}); err != nil {
		return nil, vh, err
	}
	conjugate(vh)
	for i, v := range w {
		if math.Abs(v) <= limit {
			w[i] = 0
		}
	}
	return w, vh, nil
}

// ofHermitian sets x to f of a Hermitian m, which is overwritten: V f(w) V^H. Its eigenvalues w are real, hence their
// branch is certain.
func ofHermitian[W dense.Wide, C dense.Complex](
	team *sched.Team, m dense.Matrix[W], x dense.View[C], f function,
) (o Outcome, err error) {
	solving, product := eigen.Cost[W](m.Rows), productCost[W](m.Rows)
	team = team.Plan(solving + product)
	phase := team.Phase(solving)
	w, vh, err := eigenpairs(phase, m, f.rounding)
	if err != nil {
		return o, err
	}
	phase.End()
	real, imaginary := make([]float64, len(w)), make([]float64, len(w))
	for i, v := range w {
		value, part := f.ofNumber(complex(v, 0))
		o.join(part)
		real[i], imaginary[i] = realAndImaginary(value)
	}
	if o.Missing {
		fillNaN(x)
		return o, nil
	}
	count := 1 // of products of matrices
	if o.Complex {
		count = 2
	}
	team = team.Remainder().Plan(count * productSteps)
	phase = team.Phase(productSteps)
	result, err := withValues(phase, vh, real, m)
	if err != nil {
		return o, err
	}
	phase.End()
	if err := blas.CopyView(team, x, result.View()); err != nil || !o.Complex {
		return o, err
	}
	if result, err = withValues(team.Phase(productSteps), vh, imaginary, m); err != nil {
		return o, err
	}
	for i := range result.Rows {
		for j, v := range result.Row(i) {
			x.Set(i, j, x.At(i, j)+dense.Convert[C](dense.Convert[complex128](v)*1i))
		}
	}
	return o, nil
}

func realAndImaginary(z complex128) (re, im float64) { return real(z), imag(z) }

// withValues returns V diag(values) V^H in m. It is exactly Hermitian.
func withValues[W dense.Wide](
	team *sched.Team, vh dense.Matrix[W], values []float64, m dense.Matrix[W],
) (dense.Matrix[W], error) {
	n := vh.Rows
	scaled := vh.Clone()
	for i, v := range values {
		blas.Scal(dense.FromReal[W](v), dense.Vec(scaled.Row(i)))
	}
	blas.Gemm(team, blas.ConjTrans, blas.NoTrans, 1, vh, scaled, 0, m)
	for i := range n {
		m.Set(i, i, dense.FromReal[W](dense.Real(m.At(i, i))))
		for j := range i {
			m.Set(j, i, dense.Conj(m.At(i, j)))
		}
	}
	return m, team.Err()
}
