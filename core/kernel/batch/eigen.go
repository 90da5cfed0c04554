package batch

import (
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
)

// Reduce brings the matrices to tridiagonal form P_1 ... P_{n-1} A P_{n-1} ... P_1, where n is the order and P_k = I -
// tau v v^H eliminates all but the last of the first k elements of row k and column k. It leaves the diagonal in D and
// the off-diagonal elements in E, E_i between i and i+1; E_{n-1} is undefined. tau of P_k goes to Tau_{k-1}, v to row k
// of A in front of the diagonal. A diagonal matrix of Phases, of modulus 1, makes the off-diagonal elements of complex
// matrices real.
//
// Method: Golub and Van Loan, Matrix Computations, 4th ed., section 8.3.1, from the last row on. Cost: 2/3 n^3
// multiply-adds, complex ones four times as much.
func (p *Problem) Reduce(s kernel.Set) {
	p.check(true)
	if s != kernel.Go {
		p.assembly(s, reduction)
		return
	}
	p.eachLane((*Problem).reduceReal, (*Problem).reduceComplex)
}

// FormQ sets row i of Vectors to column i of P_{n-1} ... P_1 diag(Phases), with the reflectors and phases of Reduce.
// For real matrices the diagonal has the signs that make off-diagonal elements positive. This matrix takes eigenvectors
// of the tridiagonal matrices with positive off-diagonal elements to those of the matrices. Cost: 2/3 n^3
// multiply-adds.
func (p *Problem) FormQ(s kernel.Set) {
	p.checkVectors()
	if s != kernel.Go {
		p.assembly(s, formation)
		return
	}
	p.eachLane((*Problem).formQReal, (*Problem).formQComplex)
}

// FixPhases multiplies each row of Vectors by a number of modulus 1, so that the first element whose modulus is at
// least nine tenths of the largest one becomes real and positive. Zeros become positive: their signs come from other
// lanes.
func (p *Problem) FixPhases(s kernel.Set) {
	p.checkVectors()
	if s != kernel.Go {
		p.assembly(s, phaseFixing)
		return
	}
	p.eachLane((*Problem).fixPhasesReal, (*Problem).fixPhasesComplex)
}

// Diagonalize computes the eigenvalues of the tridiagonal matrices with the diagonal D and the off-diagonal elements E,
// whose signs do not matter: they count as positive. D becomes the eigenvalues, in no particular order; E is
// overwritten. Vectors, as columns, are multiplied by the eigenvectors, so that row i belongs to D_i; the bits of D are
// the same without Vectors. It returns the number of leading eigenvalues that each lane has found, Order in a lane that
// has converged, after all lanes have converged or after the given number of sweeps. Idle lanes count as converged,
// whatever found says.
//
// Method: the implicit QL iteration with Wilkinson's shift (Dubrulle, Martin and Wilkinson, Numer. Math. 12, 1968) on
// the squares of the off-diagonal elements, in the variant of Pal, Walker and Kahan (Parlett, The Symmetric Eigenvalue
// Problem, section 8.15): nothing waits for the square roots of a rotation, and without Vectors there are none. A sweep
// goes from the last row of any lane to the first; in other rows a lane rotates by the angle 0. Off-diagonal elements
// are negligible relative to the geometric mean of their neighbours; after patience sweeps for one eigenvalue, those
// whose square is at most Floor are, too. The length of a rotation is corrected to 1.
func (p *Problem) Diagonalize(s kernel.Set, sweeps int) (found [Width]int) {
	p.check(false)
	for i, x := range p.E[:(p.Order-1)*p.Width] {
		p.E[i] = x * x
	}
	if s != kernel.Go {
		return diagonalizeAssembly(s, p, sweeps)
	}
	for lane, idle := range p.Idle[:p.Width] {
		if !idle {
			found[lane] = p.diagonalizeLane(lane, sweeps, func(first int,
				rotations []givens.Rotation[float64]) {
				p.rotateLane(lane, first, rotations)
			})
		}
	}
	return found
}
