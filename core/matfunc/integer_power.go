package matfunc

import (
	"fmt"
	"math"
	"math/bits"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/hessenberg"
	"trnsci/core/sched"
)

// IntegerPower sets x to A^k, by squarings, for a square matrix; A^0 is the identity, and negative powers are those of
// the inverse, which LU factors give. x may be a itself. Arithmetic is in T.
//
// Errors: *dense.ArgumentError for shapes that do not fit, and for a negative k *factor.SingularError if a pivot is
// exactly zero and *SingularError if the matrix is singular to working precision; the team's error. Cost: up to 2
// log2(|k|) products, and LU factors in double precision for a negative k.
func IntegerPower[T dense.Scalar](team *sched.Team, a dense.View[T], k int64, x dense.View[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	base := dense.New[T](n, n)
	if err := blas.CopyView(team, base.View(), a); err != nil {
		return err
	}
	powers := (1 + expectedProducts(max(1, math.Abs(float64(k))))) * productSteps
	if k < 0 {
		team = team.Plan(factoring + checking + solving + powers)
	} else {
		team = team.Plan(powers)
	}
	if k < 0 && n > 0 {
		pivots, inverse := make([]int, n), dense.New[T](n, n)
		inverse.SetIdentity()
		phase := team.Phase(factoring)
		zero, err := factor.LU(phase, base, pivots)
		if err != nil {
			return err
		}
		if zero > 0 {
			return &factor.SingularError{Arg: "A", Pivot: zero, Factors: "LU"}
		}
		phase.End()
		phase = team.Phase(checking)
		if err := checkInvertible(phase, a); err != nil {
			return err
		}
		phase.End()
		phase = team.Phase(solving)
		if err := factor.LUSolve(phase, blas.NoTrans, base, pivots, inverse); err != nil {
			return err
		}
		phase.End()
		base = inverse
	}
	power, err := integerPower(team.Phase(powers), base, uint64(max(k, -k)))
	if err != nil {
		return err
	}
	return blas.CopyView(team, x, power.View())
}

// IntegerPowerWorkspace returns an upper bound of the memory in bytes that IntegerPower allocates for an n x n matrix;
// math.MaxInt64 if no machine can hold it.
func IntegerPowerWorkspace[T dense.Scalar](team *sched.Team, n int) int64 {
	const (
		matrices = 4 // the base, its inverse, the power and a product
		vectors  = 2
	)
	order := float64(n)
	perThread := float64(blas.GemmWorkspace[float64](dense.Parts[T]()*n)) + float64(blas.TriangularWorkspace[T](n, n))
	return boundedBytes(order*(matrices*order+vectors)*float64(dense.Bytes[T]()) + float64(team.Threads())*perThread)
}

// integerPower returns a^k and overwrites a.
func integerPower[T dense.Scalar](team *sched.Team, a dense.Matrix[T], k uint64) (dense.Matrix[T], error) {
	n := a.Rows
	team = team.Plan((bits.Len64(k) + bits.OnesCount64(k)) * productSteps)
	result, work := dense.New[T](n, n), dense.New[T](n, n)
	result.SetIdentity()
	for first := true; k > 0; k >>= 1 {
		if k&1 == 1 && first {
			result.CopyFrom(a)
			first = false
		} else if k&1 == 1 {
			phase := team.Phase(productSteps)
			if err := multiplyAdd(phase, result, a, 0, work); err != nil {
				return result, err
			}
			phase.End()
			result, work = work, result
		}
		if k > 1 {
			phase := team.Phase(productSteps)
			if err := multiplyAdd(phase, a, a, 0, work); err != nil {
				return result, err
			}
			phase.End()
			a, work = work, a
		}
	}
	return result, nil
}

// SingularError reports that a matrix, or a connected component of it, is singular to working precision.
type SingularError struct {
	Arg   string
	Ratio float64 // approximately the smallest singular value divided by the Frobenius norm
}

func (e *SingularError) Error() string {
	const format = "%s: the matrix is singular to working precision: its smallest singular value is about %.1e of its norm"
	return fmt.Sprintf(format, e.Arg, e.Ratio)
}

// checkInvertible returns a *SingularError if a is singular to within rounding errors, those of its elements in single
// precision and those of its factors in double precision, as in Power. Connected components and eigenvalues that are
// elements of a are checked separately. An infinity or a NaN is no error here.
func checkInvertible[T dense.Scalar](team *sched.Team, a dense.View[T]) error {
	if dense.IsComplex[T]() {
		return checkInvertibleIn[complex128](team, a)
	}
	return checkInvertibleIn[float64](team, a)
}

func checkInvertibleIn[W dense.Wide, T dense.Scalar](team *sched.Team, a dense.View[T]) error {
	m := dense.New[W](a.Rows, a.Rows)
	if err := blas.CopyView(team, m.View(), a); err != nil || !a.AllFinite() {
		return err
	}
	f, parts := functionFor[T](powerKind, -1), connectedComponents(m)
	team = team.Plan(stepsOfComponents(parts))
	for _, rows := range parts {
		part := m
		if len(rows) < m.Rows {
			part = submatrix(m, rows)
		}
		balanced, err := hessenberg.Balance(part, hessenberg.BalanceOptions{Team: team, Permute: true})
		if err != nil {
			return err
		}
		for i := range part.Rows {
			if (i < balanced.Lo || i >= balanced.Hi) && part.At(i, i) == 0 {
				return &SingularError{Arg: "A"}
			}
		}
		if balanced.Hi-balanced.Lo < 2 {
			continue
		}
		core := part.Slice(balanced.Lo, balanced.Hi, balanced.Lo, balanced.Hi)
		limit, norm := roundingLimit(core)+f.rounding*frobeniusNorm(core), frobeniusNorm(core)
		phase := team.Phase(componentSteps(rows))
		smallest, err := smallestOfFactors(phase, core)
		if err != nil {
			return err
		}
		phase.End()
		if smallest <= limit {
			return &SingularError{Arg: "A", Ratio: smallest / norm}
		}
	}
	return nil
}

// smallestOfFactors estimates the smallest singular value of m, which its factors overwrite; zero if a pivot is zero.
func smallestOfFactors[W dense.Wide](team *sched.Team, m dense.Matrix[W]) (float64, error) {
	n, pivots := m.Rows, make([]int, m.Rows)
	own, norm := m.Clone(), frobeniusNorm(m)
	for i := range n {
		blas.Scal(dense.FromReal[W](1/norm), dense.Vec(own.Row(i)))
	}
	if zero, err := factor.LU(team, own, pivots); err != nil || zero > 0 {
		return 0, err
	}
	return norm * inverseIteration(n, func(adjoint bool, x []W) {
		if adjoint { // A = L U P has U^H L^H y = P x behind it
			for k, p := range pivots {
				x[k], x[p] = x[p], x[k]
			}
			blas.Trsv(nil, blas.Upper, blas.ConjTrans, blas.Unit, own, dense.Vec(x))
			blas.Trsv(nil, blas.Lower, blas.ConjTrans, blas.NonUnit, own, dense.Vec(x))
			return
		}
		blas.Trsv(nil, blas.Lower, blas.NoTrans, blas.NonUnit, own, dense.Vec(x))
		blas.Trsv(nil, blas.Upper, blas.NoTrans, blas.Unit, own, dense.Vec(x))
		for k := n - 1; k >= 0; k-- {
			x[k], x[pivots[k]] = x[pivots[k]], x[k]
		}
	}), nil
}
