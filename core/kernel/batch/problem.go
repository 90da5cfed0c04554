package batch

import (
	"fmt"

	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
)

// Width is how many matrices a Problem has at most: the doubles in a vector of AVX-512.
const Width = 8

// PairWidth is the number of lanes of narrow problems, for a matrix alone: square roots and divisions of short vectors take the least time.
const PairWidth = 2

// Problem is Width Hermitian (real: symmetric) eigenproblems of the same order, one in each lane of vectors: the numbers at place k of all
// matrices are the elements k*Width to k*Width+Width-1 of a slice. Width is Width or PairWidth. So the divisions and square roots of all
// matrices, one of which waits for the other, take as long as those of one.
//
// Width do not mix, and every set does the same operations in the same order: the bits of a lane depend on nothing but its own input,
// apart from the signs of zeros in Vectors before FixPhases. All numbers are finite and have moduli up to 2^200. Beside
// the diagonal, numbers below 2^-480 count as zero.
//
// Places: element (i, j) of A has its real part at (i*Order+j)*Parts, and its imaginary part behind it if there are two parts. Only the lower
// triangle matters, and no imaginary parts on the diagonal. Row i of Vectors has Cols numbers from place i*Cols on. D, E and Tau have Order
// places, Work and Phases Order*Parts.
type Problem struct {
	Width                      int
	Order, Parts, Cols         int
	A, D, E, Tau, Work, Phases []float64
	Vectors                    []float64
	Floor                      [Width]float64 // the square of couplings that are negligible where the iteration stands still
	Idle                       [Width]bool    // lanes without a matrix, whose numbers mean nothing
}

// Elements returns how many numbers the slices of NewProblem have together.
func Elements(width, order, parts int, vectors bool) int {
	const plain = 3 // D, E and Tau
	places := order * (order*parts + plain + 2*parts)
	if vectors {
		places += order * order * parts
	}
	return places * width
}

// NewProblem returns a problem in the given memory: with Vectors for FormQ, or without.
func NewProblem(width, order, parts int, vectors bool, memory []float64) *Problem {
	take := func(places int) []float64 {
		size := places * width
		part := memory[:size:size]
		memory = memory[size:]
		return part
	}
	p := &Problem{Width: width, Order: order, Parts: parts, A: take(order * order * parts)}
	p.D, p.E, p.Tau, p.Work, p.Phases = take(order), take(order), take(order), take(order*parts), take(order*parts)
	if vectors {
		p.Cols = order * parts
		p.Vectors = take(order * p.Cols)
	}
	return p
}

// check panics unless the slices are as long as what uses them needs.
func (p *Problem) check(matrix bool) {
	if p.Width != Width && p.Width != PairWidth {
		panic(fmt.Sprintf("batch: %d lanes", p.Width))
	}
	places := func(x []float64) int { return len(x) / p.Width }
	n, row := p.Order, p.Order*p.Parts
	ok := n >= 1 && (p.Parts == 1 || p.Parts == 2) && p.Cols >= 0 && min(places(p.D), places(p.E)) >= n && places(p.Vectors) >= n*p.Cols
	if matrix {
		ok = ok && places(p.A) >= n*row && places(p.Tau) >= n && min(places(p.Work), places(p.Phases)) >= row
	}
	if !ok {
		panic(fmt.Sprintf("batch: lanes of order %d, %d parts, %d columns do not fit lengths %d, %d, %d, %d, %d, %d, %d",
			n, p.Parts, p.Cols, len(p.A), len(p.D), len(p.E), len(p.Tau), len(p.Work), len(p.Phases), len(p.Vectors)))
	}
}

// Reduce brings the matrices to tridiagonal form: P_1 ... P_{n-1} A P_{n-1} ... P_1, where n is the order and P_k = I - tau v v^H takes all but the
// last of the first k elements out of row k and column k. It leaves the diagonal in D, the couplings of i and i+1 in E, where E of the last row
// is undefined, and the factor tau of P_k in Tau k-1 and v in row k of A, in front of the diagonal. The couplings of complex matrices are made real by
// a diagonal matrix of Phases, which has modulus 1.
//
// Method: Golub and Van Loan, Matrix Computations, 4th ed., section 8.3.1, from the last row on. Cost: 2/3 n^3 multiply-adds, complex ones four times
// as much.
func (p *Problem) Reduce(s kernel.Set) {
	p.check(true)
	if s != kernel.Go {
		p.assembly(s, reduction)
		return
	}
	p.eachLane((*Problem).reduceReal, (*Problem).reduceComplex)
}

// FormQ sets row i of Vectors to column i of P_{n-1} ... P_1 diag(Phases) of the reflections and phases that Reduce left, or of the signs that make
// real couplings positive: what makes eigenvectors of the tridiagonal matrices with positive couplings those of the matrices. Cost: 2/3 n^3 multiply-adds.
func (p *Problem) FormQ(s kernel.Set) {
	p.checkVectors()
	if s != kernel.Go {
		p.assembly(s, formation)
		return
	}
	p.eachLane((*Problem).formReal, (*Problem).formComplex)
}

// FixPhases multiplies each row of Vectors by a number of modulus 1 that makes the first of its elements that have nine tenths of the largest modulus
// real and positive. Zeros become positive: their signs come from neighbours.
func (p *Problem) FixPhases(s kernel.Set) {
	p.checkVectors()
	if s != kernel.Go {
		p.assembly(s, phaseFixing)
		return
	}
	p.eachLane((*Problem).directReal, (*Problem).directComplex)
}

// eachLane calls one of two functions for the lanes that are not idle.
func (p *Problem) eachLane(ofReal, ofComplex func(p *Problem, lane int)) {
	for lane, idle := range p.Idle[:p.Width] {
		switch {
		case idle:
		case p.Parts == 1:
			ofReal(p, lane)
		default:
			ofComplex(p, lane)
		}
	}
}

func (p *Problem) checkVectors() {
	p.check(true)
	if p.Cols != p.Order*p.Parts {
		panic(fmt.Sprintf("batch: lanes of order %d and %d parts with %d columns of vectors", p.Order, p.Parts, p.Cols))
	}
}

// Diagonalize diagonalizes the tridiagonal matrices with the diagonal D and the couplings E of i and i+1, whose signs do not matter: they are taken to be
// positive. D becomes the eigenvalues, in no particular order, and E is spoilt. It multiplies Vectors, as columns, by the eigenvectors, so that
// row i belongs to D i; the bits of D are the same without Vectors. It returns how many leading eigenvalues each lane has found when
// every lane was ready, or after the given number of sweeps: Order in a lane that is ready. An idle lane is ready, whatever found says.
//
// Method: the implicit QL iteration with Wilkinson's shift (Dubrulle, Martin and Wilkinson, Numer. Math. 12, 1968), on the squares of the couplings, in
// the variant of Pal, Walker and Kahan (Parlett, The Symmetric Eigenvalue Problem, section 8.15): the square roots that give a
// rotation are not waited for, and not taken without Vectors. A sweep goes from the last row that some lane works on to the first one; in
// other rows a lane has the rotation by 0. Couplings are negligible that are small against the geometric mean of their neighbours, after
// patience sweeps for one eigenvalue those whose square is at most Floor. A rotation's length is corrected to 1.
func (p *Problem) Diagonalize(s kernel.Set, sweeps int) (found [Width]int) {
	p.check(false)
	for i, x := range p.E[:(p.Order-1)*p.Width] {
		p.E[i] = x * x
	}
	if s != kernel.Go {
		return iterateLanesAssembly(s, p, sweeps)
	}
	for lane, idle := range p.Idle[:p.Width] {
		if !idle {
			found[lane] = p.iterateLane(lane, sweeps, func(first int, rotations []givens.Rotation[float64]) { p.rotateLane(lane, first, rotations) })
		}
	}
	return found
}

// What the kernels compare with.
const (
	unitRoundoff = 0x1p-53
	// Sums of squares below this are zero. Larger ones have lost nothing of what counts to underflow.
	smallest = 0x1p-960
	// An eigenvalue takes 1.7 sweeps on average and seldom more than five. In matrices whose elements are of very different size it can stand still,
	// as the shift is lost in the rounding errors of large elements.
	patience = 10
	// Elements at least this large relative to the largest one may decide the phase.
	phaseSlack = 0.9
)
