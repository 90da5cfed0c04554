package sylvester

import (
	"math"
	"slices"
	"sync/atomic"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// gridSize is the order of the blocks that are distributed to threads.
const gridSize = 64

// Form selects the triangular equation: op(A) X + X op(B) = C, or op(A) X - X op(B) = C with Minus. op is the adjoint
// if marked so.
type Form struct{ AdjointA, AdjointB, Minus bool }

// Outcome qualifies the solution of an equation.
type Outcome struct {
	// The solution is 2^Shift X: Shift is 0 unless that would overflow.
	Shift int
	// Perturbed says that the equation is singular to working precision: A and B have been changed by about eps to
	// solve it.
	Perturbed bool
}

// Triangular overwrites the m x n matrix c by the solution X of the equation with upper triangular a, m x m, and b, n x
// n. Real coefficients may be quasi-triangular, with 2 x 2 blocks on the diagonal; elements below those are not read.
//
// The team's error is returned after cancellation; c is then partly overwritten.
//
// Cost: m n (m + n) / 2 multiply-adds. The residual is of the order of eps (|A| + |B|) |X|.
func Triangular[W dense.Scalar](team *sched.Team, form Form, a, b, c dense.Matrix[W]) (Outcome, error) {
	if c.Rows == 0 || c.Cols == 0 {
		return Outcome{}, nil
	}
	e := &equation[W]{Form: form, sign: 1, x: c}
	if form.Minus {
		e.sign = -1
	}
	e.balance(a, b)
	err := e.solve(team)
	return Outcome{Shift: e.settle(), Perturbed: e.perturbed.Load()}, err
}

// equation is a triangular equation whose coefficients have elements of moderate size. x holds C where it is not yet
// solved for.
type equation[W dense.Scalar] struct {
	Form
	stein     bool    // op(A) X op(B) - delta X = C instead
	delta     float64 // 1, but for scaling
	sign      W
	a, b, x   dense.Matrix[W]
	least     float64 // smaller pivots are replaced by this
	shift     int     // the solution is 2^shift x
	perturbed atomic.Bool
}

// solve substitutes in blocks. The blocks of one antidiagonal are independent of each other.
func (e *equation[W]) solve(team *sched.Team) error {
	rows, cols := cuts(e.a, gridSize), cuts(e.b, gridSize)
	r, q := len(rows)-1, len(cols)-1
	const blockSteps = 4 // of the solution of a block, in units of a product with another block
	team = team.Plan(r * q * (r + q - 2 + 2*blockSteps) / 2)
	leaves := make([]leaf[W], team.Threads())
	shifts := make([]int, min(r, q))
	for d := range r + q - 1 {
		first := max(0, d-q+1)
		count := min(d, r-1) - first + 1
		block := func(n int) region {
			i, j := first+n, d-first-n
			if !e.AdjointA {
				i = r - 1 - i
			}
			if e.AdjointB {
				j = q - 1 - j
			}
			return region{rows[i], rows[i+1], cols[j], cols[j+1]}
		}
		err := team.For(count, func(worker, n int) error {
			at := block(n)
			e.subtractRows(at, at.outer(e.AdjointA, e.x.Rows, at.i0, at.i1))
			e.subtractCols(at, at.outer(!e.AdjointB, e.x.Cols, at.j0, at.j1))
			shifts[n] = e.substitute(&leaves[worker], at)
			team.Step(d + blockSteps)
			return nil
		})
		if err != nil {
			return err
		}
		e.reconcile(shifts[:count], block)
	}
	return team.Err()
}

// reconcile brings all of x to one scale after the blocks of an antidiagonal have been scaled individually.
func (e *equation[W]) reconcile(shifts []int, block func(n int) region) {
	common := slices.Max(shifts)
	if common == 0 {
		return
	}
	e.shift += common
	first, end := e.x.Rows, 0
	for n, s := range shifts {
		r := block(n)
		scale(e.part(r), s-common)
		e.scaleBeside(r, -common)
		first, end = min(first, r.i0), max(end, r.i1)
	}
	scale(e.x.Slice(0, first, 0, e.x.Cols), -common)
	scale(e.x.Slice(end, e.x.Rows, 0, e.x.Cols), -common)
}

// scaleBeside multiplies the rows of the region r, but not the region itself, by 2^shift.
func (e *equation[W]) scaleBeside(r region, shift int) {
	scale(e.x.Slice(r.i0, r.i1, 0, r.j0), shift)
	scale(e.x.Slice(r.i0, r.i1, r.j1, e.x.Cols), shift)
}

// region is the rows i0 <= i < i1 and the columns j0 <= j < j1 of X.
type region struct{ i0, i1, j0, j1 int }

func (e *equation[W]) part(r region) dense.Matrix[W] { return e.x.Slice(r.i0, r.i1, r.j0, r.j1) }

// outer returns the range of the rows or columns before lo or, if before is false, from hi to n.
func (region) outer(before bool, n, lo, hi int) [2]int {
	if before {
		return [2]int{0, lo}
	}
	return [2]int{hi, n}
}

// subtractRows subtracts op(A) X from the region r, for the rows k of X, which are solved.
func (e *equation[W]) subtractRows(r region, k [2]int) {
	if k[0] == k[1] {
		return
	}
	solved := e.x.Slice(k[0], k[1], r.j0, r.j1)
	if e.AdjointA {
		blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, -1, e.a.Slice(k[0], k[1], r.i0, r.i1), solved, 1, e.part(r))
		return
	}
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -1, e.a.Slice(r.i0, r.i1, k[0], k[1]), solved, 1, e.part(r))
}

// subtractCols subtracts X op(B), with its sign, from the region r, for the columns k of X, which are solved.
func (e *equation[W]) subtractCols(r region, k [2]int) {
	if k[0] == k[1] {
		return
	}
	solved := e.x.Slice(r.i0, r.i1, k[0], k[1])
	if e.AdjointB {
		blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, -e.sign, solved, e.b.Slice(r.j0, r.j1, k[0], k[1]), 1, e.part(r))
		return
	}
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, -e.sign, solved, e.b.Slice(k[0], k[1], r.j0, r.j1), 1, e.part(r))
}

// substitute solves for the region r by recursive halving. It returns the k for which it has scaled that region by
// 2^-k.
func (e *equation[W]) substitute(l *leaf[W], r region) int {
	m, n := r.i1-r.i0, r.j1-r.j0
	if max(m, n) <= leafSize {
		return l.run(e, r)
	}
	first, second := r, r
	byRows := m >= n
	if byRows {
		h := cutNear(e.a, r.i0+m/2)
		first.i0, second.i1 = h, h
		if e.AdjointA {
			first, second = second, first
		}
	} else {
		h := cutNear(e.b, r.j0+n/2)
		first.j1, second.j0 = h, h
		if e.AdjointB {
			first, second = second, first
		}
	}
	k := e.substitute(l, first)
	scale(e.part(second), -k)
	if byRows {
		e.subtractRows(second, [2]int{first.i0, first.i1})
	} else {
		e.subtractCols(second, [2]int{first.j0, first.j1})
	}
	more := e.substitute(l, second)
	scale(e.part(first), -more)
	return k + more
}

// run solves e for the region r, of which it returns the k for which it has scaled that region by 2^-k.
func (l *leaf[W]) run(e *equation[W], r region) int {
	l.load(e, r)
	switch l := any(l).(type) {
	case *leaf[float32]:
		runReal(l)
	case *leaf[float64]:
		runReal(l)
	case *leaf[complex64]:
		substitute(l, solveComplex[complex64])
	case *leaf[complex128]:
		substitute(l, solveComplex[complex128])
	}
	l.store(e, r)
	if l.perturbed {
		e.perturbed.Store(true)
	}
	return l.shift
}

func runReal[W dense.Float](l *leaf[W]) {
	normalForms(&l.normalA, &l.a, l.m)
	normalForms(&l.normalB, &l.b, l.n)
	substitute(l, solveReal[W])
}

// load copies the part of e that belongs to r. An adjoint of an upper triangular matrix becomes an upper triangular one
// when its rows and columns are taken in reverse order.
func (l *leaf[W]) load(e *equation[W], r region) {
	l.m, l.n, l.stein, l.delta = r.i1-r.i0, r.j1-r.j0, e.stein, e.delta
	l.least, l.shift, l.perturbed = e.least, 0, false
	loadTriangle(&l.a, e.a.Slice(r.i0, r.i1, r.i0, r.i1), e.AdjointA)
	loadTriangle(&l.b, e.b.Slice(r.j0, r.j1, r.j0, r.j1), e.AdjointB)
	if e.sign != 1 {
		for i := range l.b {
			l.b[i] *= e.sign
		}
	}
	for i := range l.m {
		from := e.x.Row(l.rowOf(e, r, i))[r.j0:r.j1]
		to := l.x[i*leafSize : i*leafSize+l.n]
		copy(to, from)
		if e.AdjointB {
			reverse(to)
		}
	}
}

// rowOf returns the row of X that is row i of the leaf.
func (l *leaf[W]) rowOf(e *equation[W], r region, i int) int {
	if e.AdjointA {
		return r.i1 - 1 - i
	}
	return r.i0 + i
}

func (l *leaf[W]) store(e *equation[W], r region) {
	for i := range l.m {
		from := l.x[i*leafSize : i*leafSize+l.n]
		if e.AdjointB {
			reverse(from)
		}
		copy(e.x.Row(l.rowOf(e, r, i))[r.j0:r.j1], from)
	}
}

func loadTriangle[W dense.Scalar](to *[leafSize * leafSize]W, t dense.Matrix[W], adjoint bool) {
	n := t.Rows
	for i := range n {
		for j, x := range t.Row(i) {
			if adjoint {
				to[(n-1-j)*leafSize+n-1-i] = dense.Conj(x)
			} else {
				to[i*leafSize+j] = x
			}
		}
	}
}

func reverse[W dense.Scalar](x []W) {
	for i, j := 0, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
}

// cuts divides the rows of the quasi-triangular t into parts of about the given size: part p is rows cut[p] to
// cut[p+1].
func cuts[W dense.Scalar](t dense.Matrix[W], size int) []int {
	at := []int{0}
	for next := size; next < t.Rows; next += size {
		if h := cutNear(t, next); h < t.Rows {
			at = append(at, h)
		}
	}
	return append(at, t.Rows)
}

// cutNear returns i, or i-1 where row i is the second one of a 2 x 2 block.
func cutNear[W dense.Scalar](t dense.Matrix[W], i int) int {
	if t.At(i, i-1) != 0 {
		return i - 1
	}
	return i
}

// balance stores a and b in e, scaled by one power of two if need be, and scales x.
func (e *equation[W]) balance(a, b dense.Matrix[W]) {
	moderate := limitsOf[W]().moderate
	ea, eb := exponent(a), exponent(b)
	common := max(ea, eb)
	e.a, e.b = a, b
	if common < -moderate || common > moderate {
		e.a, e.b = scaled(a, -common), scaled(b, -common)
		e.shift -= common
		common = 0
	}
	e.least = math.Ldexp(dense.Eps[W](), common)
	e.balanceRight()
}

// balanceRight scales the right side by a power of two if need be.
func (e *equation[W]) balanceRight() {
	moderate := limitsOf[W]().moderate
	if ex := exponent(e.x); ex < -moderate || ex > moderate {
		scale(e.x, -ex)
		e.shift += ex
	}
}

// settle scales x by 2^shift unless that overflows, and returns the remaining shift.
func (e *equation[W]) settle() int {
	if e.shift > 0 && exponent(e.x)+e.shift > dense.MaxExponent[W]() {
		return e.shift
	}
	scale(e.x, e.shift)
	return 0
}

// exponent returns the smallest e for which no real or imaginary part of an element of m exceeds 2^e, or 0 for a zero
// matrix.
func exponent[W dense.Scalar](m dense.Matrix[W]) int {
	largest := 0.0
	for i := range m.Rows {
		if dense.IsSingle[W]() {
			largest = max(largest, float64(largestOf(dense.Reals[float32](m.Row(i)))))
		} else {
			largest = max(largest, largestOf(dense.Reals[float64](m.Row(i))))
		}
	}
	_, e := math.Frexp(largest)
	return e
}

func largestOf[R dense.Float](x []R) R {
	at := blas.Iamax(dense.Vec(x))
	if at < 0 {
		return 0
	}
	return max(x[at], -x[at])
}

func scaled[W dense.Scalar](m dense.Matrix[W], shift int) dense.Matrix[W] {
	s := m.Clone()
	scale(s, shift)
	return s
}

// scale multiplies m by 2^shift.
func scale[W dense.Scalar](m dense.Matrix[W], shift int) {
	for i := range m.Rows {
		blas.Ldexp(m.Row(i), shift)
	}
}
