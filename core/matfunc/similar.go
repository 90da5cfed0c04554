package matfunc

import (
	"errors"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/schur"
)

// schurForm is a matrix in the form A = Z T Z^H with an upper triangular T, which for a float64 may be
// quasi-triangular. zh is Z^H; it has no rows if Z is the identity.
type schurForm[W dense.Wide] struct{ t, zh dense.Matrix[W] }

// checkFunction returns the error for arguments of a function of matrices that do not fit.
func checkFunction[T, C dense.Scalar](team *sched.Team, a dense.View[T], x dense.View[C]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if x.Rows != n || x.Cols != n {
		return dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", n, n, x.Rows, x.Cols)
	}
	return blas.CheckFinite(team, a, "A")
}

// schurFormOf brings a to triangular form in double precision.
func schurFormOf[W dense.Wide, T dense.Scalar](team *sched.Team, a dense.View[T]) (s schurForm[W], err error) {
	n := a.Rows
	s.t = dense.New[W](n, n)
	if err := blas.CopyView(team, s.t.View(), a); err != nil {
		return s, err
	}
	if shape := shapeOf(s.t); shape == upper || shape == diagonal {
		return s, nil
	}
	s.zh = dense.New[W](n, n)
	z := s.zh.View().T()
	err = schur.Decompose(s.t.View(), s.t.View(), z, schur.Options{Team: team, Overwrite: true})
	conjugate(s.zh)
	return s, err
}

// transformBack sets x to Z F Z^H, where F is in s.t; that and work, a matrix of the same order, are overwritten.
func transformBack[W dense.Wide, C dense.Scalar](
	team *sched.Team, s schurForm[W], work dense.Matrix[W], x dense.View[C],
) error {
	if s.zh.Rows > 0 {
		const half = 1 << 20
		steps := team.Plan(2 * half)
		first, second := steps.Phase(half), steps.Phase(half)
		blas.Gemm(first, blas.ConjTrans, blas.NoTrans, 1, s.zh, s.t, 0, work)
		first.End()
		blas.Gemm(second, blas.NoTrans, blas.NoTrans, 1, work, s.zh, 0, s.t)
		second.End()
		if err := team.Err(); err != nil {
			return err
		}
	}
	return blas.CopyView(team, x, s.t.View())
}

// complexForm returns the complex form of a real one.
func complexForm(team *sched.Team, s schurForm[float64]) (c schurForm[complex128], err error) {
	n := s.t.Rows
	c.t = dense.New[complex128](n, n)
	dense.Copy(c.t.View(), s.t.View())
	if s.zh.Rows > 0 {
		c.zh = dense.New[complex128](n, n)
		dense.Copy(c.zh.View(), s.zh.View())
	}
	err = schur.ToComplex(team, c.t.View(), c.zh.View().T())
	conjugate(c.zh)
	return c, err
}

// isNotFinite reports whether err says that a matrix holds infinities or NaNs.
func isNotFinite(err error) bool {
	var argument *dense.ArgumentError
	return errors.As(err, &argument) && *argument == *dense.NotFinite(argument.Arg)
}

// SchurWorkspace returns an upper bound of the memory in bytes that Sqrtm, Logm, Power, Signm and a Schur-Parlett
// function allocate for an n x n matrix; math.MaxInt64 if no machine can hold it.
func SchurWorkspace(team *sched.Team, n int) int64 {
	const (
		matrices = 18 // complex ones: forms and factors, real and complex, roots, approximants, products
		vectors  = 64
	)
	order := float64(n)
	perThread := float64(blas.GemmWorkspace[float64](2*n)) + float64(blas.TriangularWorkspace[complex128](n, n))
	total := order * (matrices*order + vectors) * float64(dense.Bytes[complex128]())
	total += float64(team.Threads())*perThread + float64(schur.Workspace[complex128](n))
	return boundedBytes(total)
}
