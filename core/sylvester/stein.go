package sylvester

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// TriangularStein overwrites the m x n matrix c by the solution X of A X B^H - X = C with upper (quasi-)triangular a, m
// x m, and b, n x n, under the conditions of Triangular. Perturbed is about 1 being a product of an eigenvalue of A and
// the conjugate of one of B.
//
// Cost: m n (m + n) multiply-adds. Source: Jonsson and Kagstrom, Recursive blocked algorithms for solving triangular
// systems, part II, ACM TOMS 28, 2002, for the equation; block columns instead of recursion.
func TriangularStein[W dense.Scalar](team *sched.Team, a, b, c dense.Matrix[W]) (Outcome, error) {
	if c.Rows == 0 || c.Cols == 0 {
		return Outcome{}, nil
	}
	e := &equation[W]{Form: Form{AdjointB: true}, sign: 1, x: c, stein: true, delta: 1}
	ea, eb := e.balanceProduct(a, b)
	e.balanceRight()
	e.least = dense.Eps[W]() * max(math.Ldexp(1, ea+eb), e.delta)
	err := e.solveStein(team)
	return Outcome{Shift: e.settle(), Perturbed: e.perturbed.Load()}, err
}

// balanceProduct stores a and b in e, scaled down where they are large, and delta scaled as their product. It returns
// exponents that bound their elements.
func (e *equation[W]) balanceProduct(a, b dense.Matrix[W]) (ea, eb int) {
	moderate := limitsOf[W]().moderate
	ea, eb = exponent(a), exponent(b)
	down := 0
	if ea > moderate {
		a, down, ea = scaled(a, -ea), ea, 0
	}
	if eb > moderate {
		b, down, eb = scaled(b, -eb), down+eb, 0
	}
	e.a, e.b, e.delta = a, b, math.Ldexp(1, -down)
	e.shift -= down
	return ea, eb
}

// solveStein solves for block columns from the last to the first. In each, sums is the part of X B^H that is known: of
// the columns behind, and of the rows below those that are being solved for.
func (e *equation[W]) solveStein(team *sched.Team) error {
	// Room for the second row of a 2 x 2 block that would be cut.
	rows, cols := cuts(e.a, leafSize-1), cuts(e.b, leafSize-1)
	m, n := e.x.Rows, e.x.Cols
	work := dense.New[W](m, leafSize)
	var l leaf[W]
	// In multiply-adds: for a column those of the columns behind it, and of the rows of A below each element.
	team = team.Plan(m*n*n/2 + m*m*n/2)
	for j := len(cols) - 2; j >= 0; j-- {
		j0, j1 := cols[j], cols[j+1]
		sums := work.Slice(0, m, 0, j1-j0)
		blas.Gemm(team, blas.NoTrans, blas.ConjTrans, 1, e.x.Slice(0, m, j1, n), e.b.Slice(j0, j1, j1, n), 0, sums)
		if err := team.Err(); err != nil {
			return err
		}
		team.Step(m*(j1-j0)*(n-j1) + m*m*(j1-j0)/2)
		for i := len(rows) - 2; i >= 0; i-- {
			i0, i1 := rows[i], rows[i+1]
			at := region{i0, i1, j0, j1}
			blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, e.a.Slice(i0, i1, i0, m), sums.Slice(i0, m, 0, j1-j0), 1, e.part(at))
			if k := l.run(e, at); k > 0 {
				e.shift += k
				e.scaleAround(at, -k)
				scale(sums, -k)
			}
			blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, e.part(at), e.b.Slice(j0, j1, j0, j1), 1,
				sums.Slice(i0, i1, 0, j1-j0))
		}
	}
	return nil
}

// scaleAround multiplies all of x but the region r by 2^shift.
func (e *equation[W]) scaleAround(r region, shift int) {
	scale(e.x.Slice(0, r.i0, 0, e.x.Cols), shift)
	e.scaleBeside(r, shift)
	scale(e.x.Slice(r.i1, e.x.Rows, 0, e.x.Cols), shift)
}
