package matfunc

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// exponential is the state of one call of Expm. A is 2^-scaling times the caller's matrix; powers[k] is its power 2k +
// 2. Besides the powers, work[0] and [1] are free.
type exponential[T dense.Scalar] struct {
	team    *sched.Team
	memory  memory[T]
	n       int
	a       dense.Matrix[T]
	powers  [4]dense.Matrix[T] // the last one serves as work, too
	block   []T                // the memory of the powers, one behind the other
	work    [2]dense.Matrix[T]
	shape   shape
	scaling int
	norm    float64   // of A
	origin  diagonals // of the caller's matrix, if it is triangular

	// Of A before it is scaled for the degree that is chosen.
	moduli   moduliPowers[T]
	spectral float64 // estimate of the spectral norm; 0 if there is none yet
}

func newExponential[T dense.Scalar](team *sched.Team, n int) *exponential[T] {
	e := &exponential[T]{team: team, n: n, memory: borrow[T](expmMatrices * n * n)}
	e.a = e.memory.matrix(n, n)
	e.block = e.memory.rest[:len(e.powers)*n*n]
	for k := range e.powers {
		e.powers[k] = e.memory.matrix(n, n)
	}
	e.work[0], e.work[1] = e.memory.matrix(n, n), e.memory.matrix(n, n)
	return e
}

// multiply sets c to the product of a and b.
func (e *exponential[T]) multiply(a, b, c dense.Matrix[T]) error {
	return e.multiplyAdd(a, b, 0, c)
}

// multiplyAdd sets c to the product of a and b plus beta c.
func (e *exponential[T]) multiplyAdd(a, b dense.Matrix[T], beta T, c dense.Matrix[T]) error {
	phase := e.team.Phase(productSteps)
	err := multiplyAdd(phase, a, b, beta, c)
	phase.End()
	return err
}

const (
	expmMatrices = 7
	expmVectors  = 12 // pivots, and those of norm estimates
)

// moduliPowers holds norms of powers of |A|: the infinity norm of |A|^k is that of |A|^k times a vector of ones. After
// some products with vectors the elements of the next ones are known up to powers of the largest and the smallest ratio
// of two successive elements (Collatz and Wielandt), which often determines the number of halvings.
type moduliPowers[T dense.Scalar] struct {
	logs        []float64 // log2 of the norm of |A|^k
	x, y        []T       // the last product, of norm 1, and memory
	least, most float64   // log2 of the ratios
}

// Memory up to this size, enough for the exponential of a real matrix of order 700, is kept: touching new pages takes
// as long as some of the products computed in them.
const mostKeptBytes = 32 << 20

var workspaces = scratch.Pool{MostBytes: mostKeptBytes}

// memory is the scratch memory of a call, taken part by part.
type memory[T dense.Scalar] struct {
	scratch.Memory
	rest []T
}

// borrow returns memory for n elements of unknown values. The caller gives it back.
func borrow[T dense.Scalar](n int) memory[T] {
	lent := workspaces.Borrow(scratch.WordsOf[T](n))
	return memory[T]{lent, scratch.Numbers[T](lent.Words, n)}
}

// matrix takes a matrix.
func (m *memory[T]) matrix(rows, cols int) dense.Matrix[T] {
	part := m.rest[: rows*cols : rows*cols]
	m.rest = m.rest[rows*cols:]
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: part}
}

// padeBound is the norm theta up to which the diagonal Padé approximant of a degree has a backward error of at most
// unit roundoff.
type padeBound struct {
	degree int
	theta  float64
}

// highestDegree is the largest degree; its approximant is computed from powers up to the sixth.
const highestDegree = 13

// The bounds of Higham, SIAM J. Matrix Anal. Appl. 26, 2005, table 2.3, that for degree 13 lowered as Al-Mohy and
// Higham propose (2009, section 3), and of Higham, Functions of Matrices, table 10.4, for single precision.
var (
	doubleBounds = []padeBound{
		{3, 1.495585217958292e-2}, {5, 2.539398330063230e-1}, {7, 9.504178996162932e-1}, {9,
			2.097847961257068}, {highestDegree, 4.25},
	}
	singleBounds = []padeBound{{3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}}
)

// PadeCoefficients returns b_0 = 1 to b_m of the numerator of the approximant of degree m; that of the denominator has
// alternating signs.
func PadeCoefficients(m int) []float64 {
	b := make([]float64, m+1)
	b[0] = 1
	for j := 1; j <= m; j++ {
		b[j] = b[j-1] * float64(m-j+1) / float64((2*m-j+1)*j) // b_j = (2m - j)! m! / ((2m)! (m - j)! j!)
	}
	return b
}

// errorConstant returns the modulus of the first coefficient of the backward error series of degree m: 1 /
// (binomial(2m, m) (2m+1)!).
func errorConstant(m int) float64 {
	c := 1.0
	for j := 1; j <= m; j++ {
		c *= float64(j) / float64(m+j)
	}
	for j := 2; j <= 2*m+1; j++ {
		c /= float64(j)
	}
	return c
}

// largestNorm is the norm up to which no power up to the tenth overflows.
func largestNorm[T dense.Scalar]() float64 {
	if dense.IsSingle[T]() {
		return 0x1p12
	}
	return 0x1p100
}
