package banded

import (
	"errors"

	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// SolveSystem is factor.SolveSystem for matrices that may be band matrices stored as dense ones. With the structure
// Tridiagonal or Banded only the diagonals of A are read and factored; with Banded they are those from the lowest to
// the uppermost one with an element that is not zero. With Unknown a tridiagonal matrix of order above 3 that is not
// triangular is solved as one, as in SciPy. Everything else, wide bands among it, is left to factor.SolveSystem.
//
// Cost: that of Solve, and of five solutions for the estimate of the condition.
func SolveSystem[T dense.Scalar](team *sched.Team, a dense.View[T], b dense.Matrix[T], opt factor.SystemOptions) (
	rcond float64, err error) {
	if a.Cols != a.Rows {
		return 0, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if err := checkOrder(a.Rows, b); err != nil {
		return 0, err
	}
	below, above, isBand, err := diagonalsOf(team, a, opt.Structure)
	if err != nil {
		return 0, err
	}
	if !isBand || luElements(a.Rows, below, above) > a.Rows*a.Rows {
		return factor.SolveSystem(team, a, b, opt)
	}
	s := source[T]{n: a.Rows, below: below, above: above, at: a.At}
	rcond, err = s.solveSystem(team, b, opt.Transposed)
	var zero *factor.SingularError
	if errors.As(err, &zero) {
		zero.Arg = "a"
	}
	return rcond, err
}

// SystemWorkspace returns an upper bound on the memory in bytes that SolveSystem takes for k right-hand sides.
func SystemWorkspace[T dense.Scalar](n, k, threads int) int64 {
	return factor.SystemWorkspace[T](n) + SolveWorkspace[T](n, 1, 1, k, threads)
}

// solveSystem overwrites B by the solution of A X = B or A^T X = B.
func (s source[T]) solveSystem(team *sched.Team, b dense.Matrix[T], transposed bool) (rcond float64, err error) {
	const estimates = 5
	f := s.factors()
	factoring, solving := f.costs(b.Cols)
	_, estimating := f.costs(estimates)
	team = team.Plan(factoring + estimating + solving)
	if err := f.factor(team); err != nil {
		return 0, err
	}
	phase := team.Phase(estimating).Plan(estimating)
	rcond, err = factor.ReciprocalCondition(s.n, s.norm(), func(adjoint bool, x dense.Matrix[T]) error {
		return f.solve(phase, adjoint, x)
	})
	if err != nil {
		return 0, err
	}
	phase.End()
	return rcond, f.solve(team, transposed, b)
}

// norm returns |A|_1; it is NaN if an element is.
func (s source[T]) norm() (norm float64) {
	for j := range s.n {
		sum := 0.0
		for i := max(0, j-s.above); i < min(s.n, j+s.below+1); i++ {
			sum += dense.Abs(s.at(i, j))
		}
		norm = max(norm, sum)
	}
	return norm
}

// diagonalsOf returns the numbers of diagonals below and above the main one that a matrix of the structure has. isBand
// is false if that is not to be used.
func diagonalsOf[T dense.Scalar](team *sched.Team, a dense.View[T], of factor.Structure) (
	below, above int, isBand bool, err error) {
	const leastDetected = 4 // SciPy's
	n := a.Rows
	switch {
	case n == 0:
		return 0, 0, false, nil
	case of == factor.Tridiagonal:
		return min(1, n-1), min(1, n-1), true, nil
	case of == factor.Banded:
		below, above, err = bandwidth(team, a, n)
		return below, above, true, err
	case of == factor.Unknown && n >= leastDetected:
		below, above, err = bandwidth(team, a, 1)
		return below, above, below == 1 && above == 1, err
	}
	return 0, 0, false, nil
}

// bandwidth returns the numbers of diagonals below and above the main one, up to the farthest one with an element that
// is not zero. It ends early, with some numbers above `most`, as soon as one of them is.
func bandwidth[T dense.Scalar](team *sched.Team, a dense.View[T], most int) (below, above int, err error) {
	n := a.Rows
	lower, upper := &below, &above
	if a.ByColumns() {
		a, lower, upper = a.T(), upper, lower
	}
	err = inParts(team.SerialWithoutProgress(), n, n, func(first, past int) error {
		for i := first; i < past && max(below, above) <= most; i++ {
			for j := 0; j < i-*lower; j++ {
				if a.At(i, j) != 0 {
					*lower = i - j
				}
			}
			for j := n - 1; j > i+*upper; j-- {
				if a.At(i, j) != 0 {
					*upper = j - i
				}
			}
		}
		return nil
	})
	return below, above, err
}
