package matfunc

import (
	"fmt"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/hessenberg"
	"trnsci/core/sched"
)

// SingularError reports that a matrix, or a part of it that is coupled to nothing else, is singular to working
// precision.
type SingularError struct {
	Arg   string
	Ratio float64 // about that of the smallest singular value and the Frobenius norm
}

func (e *SingularError) Error() string {
	const format = "%s: the matrix is singular to working precision: its smallest singular value is about %.1e of its norm"
	return fmt.Sprintf(format, e.Arg, e.Ratio)
}

// checkInvertible returns a *SingularError if a is singular but for rounding errors, of its elements in single
// precision and of factors in double precision, as in Power. Parts that are coupled to no others and eigenvalues that
// are elements of a are looked at by themselves. An infinity or a NaN is no error here.
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
	f, parts := functionFor[T](powerKind, -1), coupled(m)
	team = team.Plan(stepsOf(parts))
	for _, rows := range parts {
		part := m
		if len(rows) < m.Rows {
			part = sub(m, rows)
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
		phase := team.Phase(partSteps(rows))
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
	return norm * smallestByInverses(n, func(adjoint bool, x []W) {
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

// smallestByInverses returns an estimate, usually to some percent and never too small by more than rounding errors, of
// the smallest singular value of a matrix A, by inverse iteration with A^H A: solve overwrites x by the solution of A y
// = x or A^H y = x. It is zero if that overflows.
func smallestByInverses[W dense.Wide](n int, solve func(adjoint bool, x []W)) float64 {
	const steps = 4 // the smaller the value is, the fewer it takes
	x, smallest := scattered[W](n), math.Inf(1)
	for step := range 2 * steps {
		if !normalize(x) {
			return 0
		}
		solve(step%2 == 0, x)
		length := blas.Nrm2(dense.Vec(x))
		if length != length {
			return 0
		}
		smallest = min(smallest, 1/length)
	}
	return smallest
}
