package banded

import (
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// Cholesky writes the Cholesky factor of a Hermitian (real: symmetric) positive definite band matrix to out, which has
// the shape of band and may be band itself: L of A = L L^H, or with upper U of A = U^H U. Without upper, band and out
// hold the diagonals from the main one downwards, with it those from the uppermost one down to the main one:
//
//	A(j+k, j) = band(k, j), or with upper  A(j, j+k) = band(band.Rows-1-k, j+k)
//
// Imaginary parts of the main diagonal are taken to be zero. Elements of band that belong to no element of the matrix
// are not read, and those of out are not written.
//
// It returns a *factor.NotPositiveDefiniteError if a pivot is not positive or is NaN, and the team's error after
// cancellation; out is not written then.
//
// Cost: n b (b + 1) / 2 multiply-adds for b diagonals next to the main one. Source: Golub and Van Loan, Matrix
// Computations, 4th ed., section 4.3.5.
func Cholesky[T dense.Scalar](team *sched.Team, band, out dense.View[T], upper bool) error {
	if err := checkDiagonals(band); err != nil {
		return err
	}
	if out.Rows != band.Rows || out.Cols != band.Cols {
		return dense.BadArgument("out", "expected shape (%d, %d), got (%d, %d)", band.Rows, band.Cols, out.Rows,
			out.Cols)
	}
	from, to := hermitian[T]{band: band, upper: upper}, hermitian[T]{band: out, upper: upper}
	copying := band.Cols * (from.below() + 1)
	team = team.Plan(2*copying + band.Cols*newCholeskyCosts[T](from).rowSteps())
	f, err := from.load(team)
	if err != nil {
		return err
	}
	if err := f.factor(team); err != nil {
		return err
	}
	return to.elements(team, func(j, k int) { to.set(j, k, f.data[(j+k)*f.stride+f.left+j]) })
}

// newCholeskyCosts returns what tells the costs of a factor, without memory.
func newCholeskyCosts[T dense.Scalar](h hermitian[T]) *cholesky[T] {
	return &cholesky[T]{below: h.below()}
}

// CholeskySolve overwrites B, n x k, by the solution X of A X = B, given the factor of A that Cholesky writes.
//
// The team's error is returned after cancellation; B is then partly overwritten. A zero on the factor's diagonal, which
// does not come from Cholesky, gives infinities or NaNs.
//
// Cost: 2 n b k multiply-adds for b diagonals next to the main one.
func CholeskySolve[T dense.Scalar](team *sched.Team, band dense.View[T], upper bool, b dense.Matrix[T]) error {
	if err := checkDiagonals(band); err != nil {
		return err
	}
	if err := checkOrder(band.Cols, b); err != nil {
		return err
	}
	h := hermitian[T]{band: band, upper: upper}
	costs := newCholeskyCosts(h)
	team = team.Plan(band.Cols * (costs.below + 1 + b.Cols*costs.solveSteps()))
	f, err := h.load(team)
	if err != nil {
		return err
	}
	return f.solve(team, b)
}

// SolveHermitian overwrites B, n x k, by the solution X of A X = B for a positive definite band matrix, which is stored
// as that of Cholesky. A matrix of two diagonals is factored as L D L^H without square roots. Errors are those of
// Cholesky; B is then unspecified.
//
// Cost: that of Cholesky and of CholeskySolve.
func SolveHermitian[T dense.Scalar](team *sched.Team, band dense.View[T], upper bool, b dense.Matrix[T]) error {
	if err := checkDiagonals(band); err != nil {
		return err
	}
	if err := checkOrder(band.Cols, b); err != nil {
		return err
	}
	h := hermitian[T]{band: band, upper: upper}
	if h.below() == 1 {
		return solveDefinite(team, h, b)
	}
	costs := newCholeskyCosts(h)
	team = team.Plan(band.Cols * (costs.below + 1 + costs.rowSteps() + b.Cols*costs.solveSteps()))
	f, err := h.load(team)
	if err != nil {
		return err
	}
	if err := f.factor(team); err != nil {
		return err
	}
	return f.solve(team, b)
}

func checkDiagonals[T dense.Scalar](band dense.View[T]) error {
	if band.Rows == 0 && band.Cols > 0 {
		return dense.BadArgument("ab", "expected the main diagonal at least, got shape (0, %d)", band.Cols)
	}
	return nil
}

// solveDefinite is SolveHermitian for a tridiagonal matrix: A = L D L^H with the elements lower[i] = L(i+1, i).
func solveDefinite[T dense.Scalar](team *sched.Team, h hermitian[T], b dense.Matrix[T]) error {
	n := h.n()
	team = team.Plan(n * (tridiagonalFactorSteps + b.Cols*tridiagonalSolveSteps))
	d, lower := make([]float64, n), make([]T, n)
	d[0] = dense.Real(h.at(0, 0))
	if err := inParts(team, n, tridiagonalFactorSteps, func(first, past int) error {
		for i := first; i < past; i++ {
			if !(d[i] > 0) {
				return &factor.NotPositiveDefiniteError{Arg: "ab", Order: i + 1}
			}
			if i+1 < n {
				re, im := dense.Real(h.at(i, 1)), dense.Imag(h.at(i, 1))
				re1, im1 := re/d[i], im/d[i]
				lower[i] = dense.FromParts[T](re1, im1)
				d[i+1] = dense.Real(h.at(i+1, 0)) - re*re1 - im*im1
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return overGroups(team, b, func(team *sched.Team, b dense.Matrix[T]) error {
		steps := b.Cols * tridiagonalSolveSteps / 2
		if err := inParts(team, n, steps, func(first, past int) error {
			for i := max(1, first); i < past; i++ {
				subtract(lower[i-1], b.Row(i-1), b.Row(i))
			}
			return nil
		}); err != nil {
			return err
		}
		return inParts(team, n, steps, func(first, past int) error {
			for i := n - 1 - first; i >= n-past; i-- {
				row := b.Row(i)
				divide(row, d[i])
				if i+1 < n {
					subtract(dense.Conj(lower[i]), b.Row(i+1), row)
				}
			}
			return nil
		})
	})
}

// divide divides the elements of x by d.
func divide[T dense.Scalar](x []T, d float64) {
	for k, v := range x {
		x[k] = dense.FromParts[T](dense.Real(v)/d, dense.Imag(v)/d)
	}
}

// HermitianWorkspace returns an upper bound on the memory in bytes that Cholesky, CholeskySolve and SolveHermitian take
// for k right-hand sides and the given number of rows of band.
func HermitianWorkspace[T dense.Scalar](n, rows, k, threads int) int64 {
	elements := int64(choleskyElements(n, max(0, min(rows, n)-1)))
	return elements*int64(dense.Bytes[T]()) + 8*int64(n) + vectorsWorkspace[T](n, k, threads) + headers
}
