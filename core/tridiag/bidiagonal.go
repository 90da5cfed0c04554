package tridiag

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// Bidiagonal is a real upper bidiagonal matrix with n = len(D) rows. D is its diagonal and E[i] is right of D[i]: E has
// n elements, and the last of them belongs to a column n+1, which the matrix of a whole problem does not have.
type Bidiagonal struct{ D, E []float64 }

// NewBidiagonal returns a zero matrix of order n.
func NewBidiagonal(n int) Bidiagonal { return Bidiagonal(New(n)) }

// rows returns rows start <= i < end of b, in the same memory.
func (b Bidiagonal) rows(start, end int) Bidiagonal {
	return Bidiagonal{D: b.D[start:end], E: b.E[start:end]}
}

// singularQR finds the singular values of a bidiagonal matrix B of n rows and n+1 columns, and the transposes of its
// singular vectors: B = U diag(D) V^T, where the last row of V^T, the null vector of B, belongs to no value.
//
// Method: the implicitly shifted QR iteration of Golub and Kahan, with the sweeps without a shift and the criterion of
// convergence of Demmel and Kahan, "Accurate singular values of bidiagonal matrices", SIAM J. Sci. Stat. Comput. 11,
// 1990, which keep the relative accuracy of tiny values. LAPACK: xBDSQR.
//
// Cost: about two sweeps for each value, with two rotations for each remaining row.
type singularQR struct {
	Bidiagonal
	ut, vt      dense.Matrix[float64]      // U^T and V^T; no rows if no vectors are wanted
	left, right []givens.Rotation[float64] // of a sweep, for the rows of ut and vt; as many as D has elements
}

const (
	// sweepsPerValue limits the sweeps; the average is below three.
	sweepsPerValue = 40
	// singularLeafOrder is the order up to which divide and conquer leaves a matrix to the iteration.
	singularLeafOrder = 24
	// rotationRate is the cost of the iteration without vectors for each row of each value; see costs.go.
	rotationRate = 300
	// A coupling is zero if the singular values change by less than this many units of roundoff each.
	couplingUnits = 4
)

// SingularValuesCost returns the expected cost of SingularValues.
func SingularValuesCost(n int) int { return rotationRate * n * n }

// iterate makes D the singular values, in no order, and multiplies the rows of ut and vt by the rotations. It reports
// SingularValuesCost to the team, if that has planned it.
func (q *singularQR) iterate(team *sched.Team) error {
	q.removeColumn()
	n, end := len(q.D), len(q.D)
	for sweeps := 0; end > 0; sweeps++ {
		start := q.blockStart(end)
		if start == end-1 {
			team.Step(SingularValuesCost(end) - SingularValuesCost(end-1))
			end--
			continue
		}
		if err := team.Err(); err != nil {
			return err
		}
		if sweeps == sweepsPerValue*n {
			return &ConvergenceError{Found: n - end, Order: n, Singular: true}
		}
		if shift := q.shift(start, end); shift == 0 {
			q.sweepUnshifted(start, end)
		} else {
			q.sweep(start, end, shift)
		}
	}
	for i, d := range q.D {
		if math.Signbit(d) {
			q.D[i] = -d
			if q.vt.Rows > 0 {
				negate(q.vt.Row(i))
			}
		}
	}
	return nil
}

func negate(x []float64) {
	for i := range x {
		x[i] = -x[i]
	}
}

// removeColumn makes the last column zero, from the last row up.
func (q *singularQR) removeColumn() {
	n := len(q.D)
	for i, bulge := n-1, q.E[n-1]; bulge != 0 && i >= 0; i-- {
		g, r := householder.ToFirst(q.D[i], bulge)
		q.D[i] = r
		if q.vt.Rows > 0 {
			upper, lower := q.vt.Row(i), q.vt.Row(n)
			for k, x := range upper {
				upper[k], lower[k] = g.Turn(x, lower[k])
			}
		}
		if i > 0 {
			q.E[i-1], bulge = g.C*q.E[i-1], -g.S*q.E[i-1]
		}
	}
	q.E[n-1] = 0
}

// turn applies the rotations of a sweep from row start on to the rows of ut and vt.
func (q *singularQR) turn(start, end int) {
	if q.vt.Rows == 0 {
		return
	}
	set := kernel.Best()
	givens.Rotate(set, q.left[start:end-1], false, q.ut.Data[start*q.ut.Stride:], q.ut.Stride, q.ut.Cols)
	givens.Rotate(set, q.right[start:end-1], false, q.vt.Data[start*q.vt.Stride:], q.vt.Stride, q.vt.Cols)
}

// keep stores the rotations of row i of a sweep.
func (q *singularQR) keep(i int, left, right householder.Givens[float64]) {
	if q.vt.Rows > 0 {
		q.left[i], q.right[i] = givens.Rotation[float64](left), givens.Rotation[float64](right)
	}
}

// blockStart returns the first row of the unreduced block that ends in front of row end. The least singular value of
// rows from the top of a block to row i is at least mu/sqrt(i), and E[i] is negligible against mu.
func (q *singularQR) blockStart(end int) (start int) {
	const relative = couplingUnits * dense.RoundoffDouble
	mu := math.Abs(q.D[0])
	for i := range end - 1 {
		e := math.Abs(q.E[i])
		if e <= relative*mu || e < NegligibleCoupling {
			q.E[i], start = 0, i+1
			mu = math.Abs(q.D[i+1])
			continue
		}
		mu = math.Abs(q.D[i+1]) * (mu / (mu + e))
	}
	return start
}

// shift returns the smaller singular value of the last two rows of a block, or 0 where a shift would spoil the relative
// accuracy of smaller values.
func (q *singularQR) shift(start, end int) float64 {
	const negligible = dense.RoundoffDouble
	least, most, mu := math.Inf(1), 0.0, math.Inf(1)
	for i := start; i < end; i++ {
		d := math.Abs(q.D[i])
		if i == start {
			mu = d
		} else {
			mu = d * (mu / (mu + math.Abs(q.E[i-1])))
		}
		least, most = min(least, mu), max(most, d)
		if i+1 < end {
			most = max(most, math.Abs(q.E[i]))
		}
	}
	if float64(end-start)*least <= negligible*most || q.D[start] == 0 {
		return 0
	}
	shift := leastOfTwo(q.D[end-2], q.E[end-2], q.D[end-1])
	if ratio := shift / q.D[start]; ratio*ratio < negligible {
		return 0
	}
	return shift
}

// leastOfTwo returns the smaller singular value of (f, g; 0, h). Method: LAPACK's las2.
func leastOfTwo(f, g, h float64) float64 {
	f, g, h = math.Abs(f), math.Abs(g), math.Abs(h)
	low, high := min(f, h), max(f, h)
	if low == 0 {
		return 0
	}
	sum, difference := 1+low/high, (high-low)/high
	if g < high {
		ratio := g / high
		return low * (2 / (math.Sqrt(sum*sum+ratio*ratio) + math.Sqrt(difference*difference+ratio*ratio)))
	}
	ratio := high / g
	if ratio == 0 {
		return low * high / g
	}
	x, y := sum*ratio, difference*ratio
	return 2 * (low * (1 / (math.Sqrt(1+x*x) + math.Sqrt(1+y*y)))) * ratio
}

// sweep is a sweep from the top to the bottom of a block with a shift.
func (q *singularQR) sweep(start, end int, shift float64) {
	d, e := q.D, q.E
	f := (math.Abs(d[start]) - shift) * (math.Copysign(1, d[start]) + shift/d[start])
	g := e[start]
	for i := start; i < end-1; i++ {
		right, r := householder.ToFirst(f, g)
		if i > start {
			e[i-1] = r
		}
		f, e[i] = right.Turn(d[i], e[i])
		g, d[i+1] = right.S*d[i+1], right.C*d[i+1]
		left, r := householder.ToFirst(f, g)
		d[i] = r
		f, d[i+1] = left.Turn(e[i], d[i+1])
		if i+2 < end {
			g, e[i+1] = left.S*e[i+1], left.C*e[i+1]
		}
		q.keep(i, left, right)
	}
	e[end-2] = f
	q.turn(start, end)
}

// sweepUnshifted is a sweep without a shift, in which nothing is subtracted.
func (q *singularQR) sweepUnshifted(start, end int) {
	d, e := q.D, q.E
	right, left := householder.Identity[float64](), householder.Identity[float64]()
	for i := start; i < end-1; i++ {
		var r float64
		right, r = householder.ToFirst(d[i]*right.C, e[i])
		if i > start {
			e[i-1] = left.S * r
		}
		left, d[i] = householder.ToFirst(left.C*r, d[i+1]*right.S)
		q.keep(i, left, right)
	}
	last := d[end-1] * right.C
	d[end-1], e[end-2] = last*left.C, last*left.S
	q.turn(start, end)
}

// singularLeaf has the memory of a leaf.
type singularLeaf struct {
	ut, vt      []float64
	left, right [singularLeafOrder]givens.Rotation[float64]
}

func (l *singularLeaf) take(a *scratch.Arena) {
	l.ut = scratch.Take[float64](a, singularLeafOrder*singularLeafOrder)
	l.vt = scratch.Take[float64](a, (singularLeafOrder+1)*(singularLeafOrder+1))
}
