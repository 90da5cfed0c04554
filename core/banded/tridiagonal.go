package banded

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// tridiagonal is the LU factorization of a tridiagonal matrix with partial pivoting. A step exchanges two neighbouring
// rows or not, then subtracts the upper one times a multiplier from the lower one; U has two diagonals above the main
// one.
type tridiagonal[T dense.Scalar] struct {
	source[T]
	multipliers, diagonal, above1, above2 []T
	exchanged                             []bool
}

const (
	tridiagonalFactorSteps = 16 // of a row, in multiply-adds: divisions take most of the time
	tridiagonalSolveSteps  = 8
)

func (f *tridiagonal[T]) costs(k int) (factoring, solving int) {
	return f.n * tridiagonalFactorSteps, f.n * k * tridiagonalSolveSteps
}

func (f *tridiagonal[T]) load() {
	memory := make([]T, 4*f.n)
	part := func(k int) []T { return memory[k*f.n : (k+1)*f.n] }
	f.multipliers, f.diagonal, f.above1, f.above2 = part(0), part(1), part(2), part(3)
	for i := range f.n {
		f.diagonal[i] = f.at(i, i)
		if i+1 < f.n {
			f.multipliers[i], f.above1[i] = f.at(i+1, i), f.at(i, i+1)
		}
	}
	f.exchanged = make([]bool, f.n)
}

func (f *tridiagonal[T]) factor(team *sched.Team) error {
	f.load()
	return inParts(team, f.n, tridiagonalFactorSteps, func(first, past int) error {
		for i := first; i < past; i++ {
			if i+1 < f.n {
				f.eliminate(i)
			}
			if f.diagonal[i] == 0 {
				return singular(i + 1)
			}
		}
		return nil
	})
}

// eliminate makes the element below the diagonal in column i zero.
func (f *tridiagonal[T]) eliminate(i int) {
	below, pivot := f.multipliers[i], f.diagonal[i]
	if !(size(pivot) < size(below)) { // NaNs stay where they show
		if pivot != 0 {
			f.multipliers[i] = below / pivot
			f.diagonal[i+1] -= f.multipliers[i] * f.above1[i]
		}
		return
	}
	m := pivot / below
	f.exchanged[i], f.multipliers[i], f.diagonal[i] = true, m, below
	f.above1[i], f.diagonal[i+1] = f.diagonal[i+1], f.above1[i]-m*f.diagonal[i+1]
	if i+2 < f.n {
		f.above2[i], f.above1[i+1] = f.above1[i+1], -m*f.above1[i+1]
	}
}

// size returns |re| + |im|, by which pivots are chosen.
func size[T dense.Scalar](x T) float64 { return math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x)) }

func (f *tridiagonal[T]) solve(team *sched.Team, trans bool, b dense.Matrix[T]) error {
	return overGroups(team, b, func(team *sched.Team, columns dense.Matrix[T]) error {
		forward, backward := f.reduce, f.substitute
		if trans {
			forward, backward = f.substituteTransposed, f.reduceTransposed
		}
		steps := columns.Cols * tridiagonalSolveSteps
		if err := inParts(team, f.n, steps/2, func(first, past int) error {
			for i := first; i < past; i++ {
				forward(i, columns)
			}
			return nil
		}); err != nil {
			return err
		}
		return inParts(team, f.n, steps-steps/2, func(first, past int) error {
			for i := f.n - 1 - first; i >= f.n-past; i-- {
				backward(i, columns)
			}
			return nil
		})
	})
}

// reduce applies step i of the elimination to b.
func (f *tridiagonal[T]) reduce(i int, b dense.Matrix[T]) {
	if i+1 == f.n {
		return
	}
	upper, lower, m := b.Row(i), b.Row(i+1), f.multipliers[i]
	if !f.exchanged[i] {
		for k, v := range upper {
			lower[k] -= m * v
		}
		return
	}
	for k, v := range lower {
		upper[k], lower[k] = v, upper[k]-m*v
	}
}

// reduceTransposed applies the transpose of step i to b.
func (f *tridiagonal[T]) reduceTransposed(i int, b dense.Matrix[T]) {
	if i+1 == f.n {
		return
	}
	upper, lower, m := b.Row(i), b.Row(i+1), f.multipliers[i]
	if !f.exchanged[i] {
		for k, v := range lower {
			upper[k] -= m * v
		}
		return
	}
	for k, v := range lower {
		upper[k], lower[k] = v, upper[k]-m*v
	}
}

// substitute computes row i of the solution of U X = B, given the rows below.
func (f *tridiagonal[T]) substitute(i int, b dense.Matrix[T]) {
	row := b.Row(i)
	for next, u := range [...]T{f.above1[i], f.above2[i]} {
		if i+1+next < f.n {
			for k, v := range b.Row(i + 1 + next) {
				row[k] -= u * v
			}
		}
	}
	for k := range row {
		row[k] /= f.diagonal[i]
	}
}

// substituteTransposed computes row i of the solution of U^T X = B, given the rows above.
func (f *tridiagonal[T]) substituteTransposed(i int, b dense.Matrix[T]) {
	row := b.Row(i)
	for before, above := range [...][]T{f.above1, f.above2} {
		if from := i - 1 - before; from >= 0 {
			for k, v := range b.Row(from) {
				row[k] -= above[from] * v
			}
		}
	}
	for k := range row {
		row[k] /= f.diagonal[i]
	}
}
