package batch

import "fmt"

// Width is the most matrices of a Problem: the doubles in a vector of AVX-512.
const Width = 8

// PairWidth is the width of a narrow problem, for a single matrix: square roots and divisions of the shortest vectors
// take the least time.
const PairWidth = 2

// Problem is a batch of Hermitian (real: symmetric) eigenproblems of the same order, one in each lane of a vector:
// number k of all matrices is stored in the elements k*Width to k*Width+Width-1 of a slice. The field Width is the
// constant Width or PairWidth. Divisions and square roots, which wait for one another within a matrix, take as long for
// all lanes as for one.
//
// Lanes do not mix, and every set does the same operations in the same order: the bits of a lane depend only on its own
// input, except for the signs of zeros in Vectors before FixPhases. All numbers are finite with moduli up to 2^200.
// Off-diagonal numbers below 2^-480 count as zero.
//
// The real part of element (i, j) of A is number (i*Order+j)*Parts; with two parts the imaginary part is the next one.
// Only the lower triangle is read, without the imaginary parts of the diagonal. Row i of Vectors has Cols numbers from
// number i*Cols on. D, E and Tau have Order numbers, Work and Phases Order*Parts.
type Problem struct {
	Width                      int
	Order, Parts, Cols         int
	A, D, E, Tau, Work, Phases []float64
	Vectors                    []float64
	// the square of couplings that are negligible where the iteration stands still
	Floor [Width]float64
	Idle  [Width]bool // lanes without a matrix, whose numbers mean nothing
}

// Elements returns the float64 numbers that the slices of NewProblem take together.
func Elements(width, order, parts int, vectors bool) int {
	const plain = 3 // D, E and Tau
	places := order * (order*parts + plain + 2*parts)
	if vectors {
		places += order * order * parts
	}
	return places * width
}

// NewProblem returns a problem in the given memory, with Vectors or without.
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

// check panics unless the slices are long enough.
func (p *Problem) check(matrix bool) {
	if p.Width != Width && p.Width != PairWidth {
		panic(fmt.Sprintf("batch: width %d", p.Width))
	}
	places := func(x []float64) int { return len(x) / p.Width }
	n, row := p.Order, p.Order*p.Parts
	ok := n >= 1 && (p.Parts == 1 || p.Parts == 2) && p.Cols >= 0 && min(places(p.D),
		places(p.E)) >= n && places(p.Vectors) >= n*p.Cols
	if matrix {
		ok = ok && places(p.A) >= n*row && places(p.Tau) >= n && min(places(p.Work), places(p.Phases)) >= row
	}
	if !ok {
		panic(fmt.Sprintf("batch: problems of order %d with %d parts and %d columns do not fit lengths %d, %d, %d, "+
			"%d, %d, %d, %d",
			n, p.Parts, p.Cols, len(p.A), len(p.D), len(p.E), len(p.Tau), len(p.Work), len(p.Phases), len(p.Vectors)))
	}
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
		panic(fmt.Sprintf("batch: problems of order %d and %d parts with %d columns of vectors", p.Order, p.Parts,
			p.Cols))
	}
}

// Constants of the kernels.
const (
	unitRoundoff = 0x1p-53
	// Sums of squares below this count as zero. In larger ones underflow has lost nothing that matters.
	smallest = 0x1p-960
	// Sweeps for one eigenvalue before Floor applies. 1.7 are the average, more than five are rare. In matrices with
	// elements of very different size the shift can be lost in the rounding errors of large elements.
	patience = 10
	// Elements at least this large relative to the largest one may decide the phase.
	phaseSlack = 0.9
)
