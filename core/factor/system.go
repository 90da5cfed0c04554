package factor

import (
	"errors"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/ldl"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// Structure is what is known of the matrix of a system of equations.
type Structure int

const (
	Unknown          Structure = iota // to be found out
	General                           // solved by an LU factorization
	Diagonal                          // other elements are not used
	Tridiagonal                       // other elements are not used
	UpperTriangular                   // elements below the diagonal are not used
	LowerTriangular                   // elements above the diagonal are not used
	PositiveDefinite                  // Hermitian; one triangle is used
	Symmetric                         // also if it is complex; one triangle is used
	Hermitian                         // one triangle is used
	Banded                            // General here; package banded solves with the diagonals alone, as with Tridiagonal
)

// SystemOptions describes a system of equations.
type SystemOptions struct {
	Structure  Structure
	Lower      bool // the triangle of a PositiveDefinite, Symmetric or Hermitian matrix that is used
	Transposed bool // the matrix is that of A^T
}

// SolveSystem overwrites B, n x k, by the solution X of A X = B, or A^T X = B, and returns an estimate of the
// reciprocal condition number 1 / (|A|_1 |A^-1|_1). With Structure Unknown, triangular matrices are solved by
// substitution, and Hermitian ones with a positive diagonal by a Cholesky factorization, if there is one. Symmetric and
// Hermitian ones that are said to be so are solved with the factors L D L^T or L D L^H, all others by an LU
// factorization with partial pivoting by rows.
//
// It returns a *SingularError if a pivot is exactly zero, a *NotPositiveDefiniteError if the structure is
// PositiveDefinite and A is not, and the team's error after cancellation; B is then unspecified.
//
// Cost: n^3/3 multiply-adds for the LU factorization, half of it for L D L^T, n^2 k for the solution. Source: Golub and
// Van Loan, Matrix Computations, 4th ed., sections 3.4 and 3.5.
func SolveSystem[T dense.Scalar](team *sched.Team, a dense.View[T], b dense.Matrix[T], opt SystemOptions) (
	rcond float64, err error) {
	n := a.Rows
	if a.Cols != n {
		return 0, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if b.Rows != n {
		return 0, dense.BadArgument("b", "expected %d rows, got shape (%d, %d)", n, b.Rows, b.Cols)
	}
	return withFactors(team, a, opt, 6*n*n*b.Cols, func(team *sched.Team, s *system[T]) error {
		return s.solve(team, b)
	})
}

// InverseTransposed overwrites X by the transpose of the inverse of A, which is stored by columns then, or with
// Transposed by the inverse itself. Otherwise it is SolveSystem.
//
// Cost: n^3 multiply-adds with the LU factorization, of which the inverse of L, which is triangular, takes n^3/6.
func InverseTransposed[T dense.Scalar](team *sched.Team, a dense.View[T], x dense.Matrix[T], opt SystemOptions) (
	rcond float64, err error) {
	n := a.Rows
	if a.Cols != n {
		return 0, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if x.Rows != n || x.Cols != n {
		return 0, dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", n, n, x.Rows, x.Cols)
	}
	opt.Transposed = !opt.Transposed
	return withFactors(team, a, opt, 4*n*n*n, func(team *sched.Team, s *system[T]) error {
		x.SetIdentity()
		if s.pivots != nil && s.opt.Transposed {
			return luInverse(team, s.m, s.pivots, x)
		}
		return s.solve(team, x)
	})
}

// withFactors factors A, estimates its condition and calls solve, which takes the given steps.
func withFactors[T dense.Scalar](team *sched.Team, a dense.View[T], opt SystemOptions, solving int,
	solve func(team *sched.Team, s *system[T]) error) (rcond float64, err error) {
	n := a.Rows
	if n == 0 {
		return 1, nil
	}
	memory := workspaces.Borrow(scratch.WordsOf[T](n * n))
	defer memory.GiveBack()
	s := &system[T]{source: a, m: borrowed[T](memory, n), opt: opt}
	copying, factoring, estimating := copySteps*n*n, luCost(n, n), estimateSteps*n*n
	team = team.Plan(copying + factoring + estimating + solving)
	if err := s.load(team); err != nil {
		return 0, err
	}
	team.Step(copying)
	phase := team.Phase(factoring)
	if err := s.factor(phase); err != nil {
		return 0, err
	}
	phase.End()
	if rcond, err = s.condition(team); err != nil {
		return 0, err
	}
	team.Step(estimating)
	phase = team.Phase(solving)
	defer phase.End()
	return rcond, solve(phase, s)
}

// SystemWorkspace returns an upper bound on the memory in bytes that SolveSystem, InverseTransposed and Determinant
// take for a matrix of order n.
func SystemWorkspace[T dense.Scalar](n int) int64 {
	const headers = 1 << 12 // structs, and the allocator's rounding up
	return int64(n)*int64(n+2)*int64(dense.Bytes[T]()) + ldl.Workspace[T](n) + headers
}

// estimateSteps is the number of steps for each element of a matrix whose condition is estimated: five solutions, six
// steps for each multiply-add, which take four times as long as those of a product.
const estimateSteps = 5 * 6 * 4

// system is a matrix that is factored.
type system[T dense.Scalar] struct {
	source   dense.View[T]
	opt      SystemOptions
	m        dense.Matrix[T] // A^T, then its factors; with PositiveDefinite and Hermitian A and its factors
	pivots   []int           // of LU
	ldl      *ldl.Factors[T]
	norm     float64 // |A|_1
	detected bool
}

// load copies A^T to m, settles the structure and makes m that of the structure.
func (s *system[T]) load(team *sched.Team) error {
	if err := blas.CopyView(team, s.m.View(), s.source.T()); err != nil {
		return err
	}
	if s.detected = s.opt.Structure == Unknown; s.detected {
		s.opt.Structure, s.opt.Lower = s.detect(), true
	}
	switch s.opt.Structure {
	case Diagonal:
		s.keepBand(0, 0)
		s.opt.Structure = LowerTriangular
	case Tridiagonal:
		s.keepBand(1, 1)
	case UpperTriangular:
		s.keepBand(0, s.m.Rows)
	case LowerTriangular:
		s.keepBand(s.m.Rows, 0)
	case PositiveDefinite, Symmetric, Hermitian:
		s.mirror()
	}
	for i := range s.m.Rows {
		s.norm = max(s.norm, rowNorm(s.m.Row(i))) // NaN if one is
	}
	return team.Err()
}

// rowNorm returns the sum of the moduli of the elements.
func rowNorm[T dense.Scalar](row []T) float64 {
	if dense.IsComplex[T]() {
		return sumOfModuli(row)
	}
	return blas.Asum(dense.Vec(row))
}

// detect returns the structure of A, given A^T in m.
func (s *system[T]) detect() Structure {
	n := s.m.Rows
	upper, lower, hermitian := true, true, true
	for i := range n {
		row := s.m.Row(i)
		lower = lower && allZero(row[:i]) // A's upper triangle is m's lower one
		upper = upper && allZero(row[i+1:])
		hermitian = hermitian && dense.Imag(row[i]) == 0 && dense.Real(row[i]) > 0
		for j := 0; j < i && hermitian; j++ {
			hermitian = row[j] == dense.Conj(s.m.At(j, i))
		}
		if !upper && !lower && !hermitian {
			return General
		}
	}
	switch {
	case upper:
		return UpperTriangular
	case lower:
		return LowerTriangular
	}
	return PositiveDefinite
}

func allZero[T dense.Scalar](x []T) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// keepBand clears A, given A^T in m, outside of the given numbers of subdiagonals and superdiagonals.
func (s *system[T]) keepBand(below, above int) {
	n := s.m.Rows
	for i := range n {
		row := s.m.Row(i)
		clear(row[:max(0, i-above)])
		clear(row[min(n, i+1+below):])
	}
}

// mirror makes the triangle of A that is not used the mirror image of the other one, given A^T in m.
func (s *system[T]) mirror() {
	conjugate := s.opt.Structure != Symmetric
	for i := range s.m.Rows {
		if conjugate {
			s.m.Set(i, i, dense.FromReal[T](dense.Real(s.m.At(i, i))))
		}
		for j := range i {
			// Element (i, j) of m is (j, i) of A: j < i is A's upper triangle.
			from, to := s.m.At(i, j), &s.m.Data[j*s.m.Stride+i]
			if s.opt.Lower {
				from, to = *to, &s.m.Data[i*s.m.Stride+j]
			}
			if conjugate {
				from = dense.Conj(from)
			}
			*to = from
		}
	}
}

// factor overwrites m by its factors.
func (s *system[T]) factor(team *sched.Team) error {
	switch s.opt.Structure {
	case UpperTriangular, LowerTriangular:
		for i := range s.m.Rows {
			if s.m.At(i, i) == 0 {
				return &SingularError{Arg: "a", Pivot: i + 1}
			}
		}
		return nil
	case PositiveDefinite:
		conjugateRows(s.m) // A instead of A^T
		var minor *NotPositiveDefiniteError
		err := Cholesky(team, s.m)
		if !s.detected || !errors.As(err, &minor) {
			return err
		}
		s.opt.Structure = General
		if err := blas.CopyView(team, s.m.View(), s.source.T()); err != nil {
			return err
		}
	case Symmetric, Hermitian:
		return s.factorSymmetric(team)
	}
	s.pivots = make([]int, s.m.Rows)
	zero, err := LU(team, s.m, s.pivots)
	if err == nil && zero > 0 {
		return &SingularError{Arg: "a", Pivot: zero, Factors: "LU"}
	}
	return err
}

func (s *system[T]) factorSymmetric(team *sched.Team) (err error) {
	hermitian, name := s.opt.Structure == Hermitian, "LDL^T"
	if hermitian {
		conjugateRows(s.m) // A instead of A^T
		name = "LDL^H"
	}
	s.ldl, err = ldl.Factor(team, s.m, hermitian)
	if err == nil && s.ldl.Zero > 0 {
		return &SingularError{Arg: "a", Pivot: s.ldl.Zero, Factors: name}
	}
	return err
}

func conjugateRows[T dense.Scalar](a dense.Matrix[T]) {
	if dense.IsComplex[T]() {
		for i := range a.Rows {
			dense.Conjugate(a.Row(i))
		}
	}
}

// solve overwrites B by the solution of A X = B or A^T X = B, given the factors in m.
func (s *system[T]) solve(team *sched.Team, b dense.Matrix[T]) error {
	trans := blas.Trans // m has the factors of A^T
	if s.opt.Transposed {
		trans = blas.NoTrans
	}
	switch s.opt.Structure {
	case UpperTriangular:
		return SolveTriangular(team, blas.Lower, trans, blas.NonUnit, s.m, b)
	case LowerTriangular:
		return SolveTriangular(team, blas.Upper, trans, blas.NonUnit, s.m, b)
	case Symmetric:
		return s.ldl.Solve(team, b)
	case PositiveDefinite, Hermitian:
		if s.opt.Transposed {
			conjugateRows(b)
			defer conjugateRows(b)
		}
		if s.ldl != nil {
			return s.ldl.Solve(team, b)
		}
		return CholeskySolve(team, blas.Lower, s.m, b)
	}
	return LUSolve(team, trans, s.m, s.pivots, b)
}

// condition estimates 1 / (|A|_1 |A^-1|_1), given the factors in m; it is 0 for a matrix that is not finite.
func (s *system[T]) condition(team *sched.Team) (rcond float64, err error) {
	return ReciprocalCondition(s.m.Rows, s.norm, func(adjoint bool, x dense.Matrix[T]) error {
		own := *s
		own.opt.Transposed = adjoint
		return own.solve(team.SerialWithoutProgress(), x)
	})
}
