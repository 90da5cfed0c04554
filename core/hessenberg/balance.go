package hessenberg

import (
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// Balancing is the similarity by which Balance replaced A by B:
//
//	B = D^-1 P^T A P D,  (P^T A P)(i, j) = A(Order[i], Order[j]),  D = diag(Scale)
//
// B is upper triangular outside of the rows and columns from Lo to before Hi. All scales are powers of two, and 1
// outside of that block.
type Balancing struct {
	Lo, Hi int
	Order  []int
	Scale  []float64
}

// BalanceOptions says what Balance does.
type BalanceOptions struct {
	Team *sched.Team // carries cancellation
	// Permute asks for a permutation that isolates eigenvalues, Scale for rows and columns of about the same norm.
	Permute, Scale bool
}

// Balance overwrites the n x n matrix a by a similar one whose rows and columns have norms that are closer to each
// other, so that its eigenvalues are found with smaller errors if the elements of a differ in size. It makes no
// rounding errors.
//
// A row whose only element in the remaining columns is the diagonal one is moved to the bottom, then a column of that
// kind to the left, until there is none. The remaining rows and columns are scaled by powers of two, one after the
// other, as long as that reduces the sum of the two norms by 5 percent. It returns a *dense.ArgumentError if a is not
// square or not finite, and the team's error when the call is cancelled.
//
// Cost: a few n^2, n^3 if every permutation has to be searched for. Method: Parlett and Reinsch, Balancing a matrix for
// calculation of eigenvalues and eigenvectors, Numer. Math. 13, 1969, with two-norms that include the diagonal element,
// as in James, Langou and Lowery, On matrix balancing and eigenvector computation, arXiv 1401.5766, 2014, and in
// LAPACK's gebal since 3.5.
func Balance[T dense.Scalar](a dense.Matrix[T], opt BalanceOptions) (*Balancing, error) {
	if a.Cols != a.Rows {
		return nil, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if err := blas.CheckFinite(opt.Team, a.View(), "a"); err != nil {
		return nil, err
	}
	return balance(a, opt)
}

// balance is Balance for a matrix that is square and finite.
func balance[T dense.Scalar](a dense.Matrix[T], opt BalanceOptions) (*Balancing, error) {
	b := newBalancing(a.Rows)
	balancer := balancer[T]{Balancing: b, a: a, team: opt.Team}
	if opt.Permute {
		if err := balancer.isolate(); err != nil {
			return nil, err
		}
	}
	if opt.Scale {
		if err := balancer.scale(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// newBalancing returns the similarity that leaves a matrix of order n unchanged.
func newBalancing(n int) *Balancing {
	b := &Balancing{Hi: n, Order: make([]int, n), Scale: make([]float64, n)}
	for i := range n {
		b.Order[i], b.Scale[i] = i, 1
	}
	return b
}

// Isolate moves eigenvalues of a that can be read off to both ends of the diagonal, as Balance with Permute does, by a
// permutation P: P^T A P overwrites a. The rest of a decomposition leaves them unchanged, without a rounding error. It
// returns the order of P for RestoreOrder. The order is nil if there are no such eigenvalues, which one pass over a
// matrix without zeros shows, or if a already is a Schur form. The error is the team's.
func Isolate[T dense.Scalar](team *sched.Team, a dense.Matrix[T]) (order []int, err error) {
	b := balancer[T]{Balancing: &Balancing{Hi: a.Rows}, a: a, team: team}
	if !b.canIsolate() || quasi.HasForm(a) {
		return nil, nil
	}
	b.Balancing = newBalancing(a.Rows)
	return b.Order, b.isolate()
}

// RestoreOrder moves the columns of the adjoint of the unitary factor to where they are in A: column k to column
// order[k]. A nil order changes nothing.
func RestoreOrder[T dense.Scalar](factorT dense.Matrix[T], order []int) {
	if order == nil {
		return
	}
	from := make([]T, len(order))
	for i := range factorT.Rows {
		row := factorT.Row(i)
		copy(from, row)
		for k, x := range from {
			row[order[k]] = x
		}
	}
}

// balancer is the work on one matrix.
type balancer[T dense.Scalar] struct {
	*Balancing
	a    dense.Matrix[T]
	team *sched.Team
}

// canIsolate reports whether a row or a column has no element but that on the diagonal.
func (b *balancer[T]) canIsolate() bool {
	for i := range b.a.Rows {
		if isRowIsolated(i, b.a.Row(i)) || b.isColumnIsolated(i) {
			return true
		}
	}
	return false
}

// isolate permutes rows and columns; the remaining ones are Lo to before Hi.
func (b *balancer[T]) isolate() error {
	for found := true; found; {
		found = false
		for i := b.Hi - 1; i >= 0 && b.Hi > 1; i-- {
			if err := workspace.Poll(b.team, i); err != nil {
				return err
			}
			if isRowIsolated(i, b.a.Row(i)[:b.Hi]) {
				b.exchange(i, b.Hi-1)
				b.Hi--
				found = true
			}
		}
	}
	for found := b.Hi > 1; found; {
		found = false
		for j := b.Lo; j < b.Hi; j++ {
			if err := workspace.Poll(b.team, j); err != nil {
				return err
			}
			if b.isColumnIsolated(j) {
				b.exchange(j, b.Lo)
				b.Lo++
				found = true
			}
		}
	}
	return nil
}

// isRowIsolated reports whether row i has no element but that on the diagonal.
func isRowIsolated[T dense.Scalar](i int, row []T) bool {
	for j, x := range row {
		if x != 0 && j != i {
			return false
		}
	}
	return true
}

// isColumnIsolated reports the same for the remaining rows of column j.
func (b *balancer[T]) isColumnIsolated(j int) bool {
	for i := b.Lo; i < b.Hi; i++ {
		if i != j && b.a.At(i, j) != 0 {
			return false
		}
	}
	return true
}

// exchange exchanges two rows, and the same two columns.
func (b *balancer[T]) exchange(i, j int) {
	if i == j {
		return
	}
	b.Order[i], b.Order[j] = b.Order[j], b.Order[i]
	blas.Swap(b.column(i, b.Hi), b.column(j, b.Hi))
	blas.Swap(dense.Vec(b.a.Row(i)[b.Lo:]), dense.Vec(b.a.Row(j)[b.Lo:]))
}

// column returns the first count elements of column j.
func (b *balancer[T]) column(j, count int) dense.Vector[T] {
	return dense.Vector[T]{N: count, Inc: b.a.Stride, Data: b.a.Data[j:]}
}

const (
	radix       = 2   // scales are powers of it
	improvement = .95 // a scaling must reduce the sum of two norms to at most this part of it
)

// scale scales the remaining rows and columns.
func (b *balancer[T]) scale() error {
	for changed := true; changed; {
		changed = false
		for i := b.Lo; i < b.Hi; i++ {
			if err := workspace.Poll(b.team, i); err != nil {
				return err
			}
			if b.isEven(i) {
				continue
			}
			factor := b.factor(i)
			if factor == 1 {
				continue
			}
			b.Scale[i] *= factor
			blas.Scal(dense.FromReal[T](1/factor), dense.Vec(b.a.Row(i)[b.Lo:]))
			blas.Scal(dense.FromReal[T](factor), b.column(i, b.Hi))
			changed = true
		}
	}
	return nil
}

// isEven is a quick test whether row and column i have norms for which factor is 1.
func (b *balancer[T]) isEven(i int) bool {
	if dense.IsSingle[T]() {
		return even(crossSquares[float32](b.a, b.Lo, b.Hi, i))
	}
	return even(crossSquares[float64](b.a, b.Lo, b.Hi, i))
}

// even reports whether two norms r and c, given by their squares, are so close to each other that scaling does not pay:
// with r = q c, the factor f pays if f c + r/f < improvement (c + r), and no power of two does below the q at which 2
// does. It is false where the squares may have overflowed or underflowed.
func even(r2, c2 float64) bool {
	const (
		quotient    = (radix - improvement) / (improvement - 1./radix)
		least, most = 0x1p-900, 0x1p+900
	)
	return least <= min(c2, r2) && max(c2, r2) <= most && max(c2, r2) <= quotient*quotient*min(c2, r2)
}

// crossSquares returns the sums of the squares of row and column i of a, both from lo on before hi. R is T's real type.
func crossSquares[R dense.Float, T dense.Scalar](a dense.Matrix[T], lo, hi, i int) (r2, c2 float64) {
	words := int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(*new(R)))
	for _, x := range dense.Reals[R](a.Row(i)[lo:hi]) {
		r2 += float64(x) * float64(x)
	}
	data, at := dense.Reals[R](a.Data), (lo*a.Stride+i)*words
	for range hi - lo {
		for _, x := range data[at : at+words] {
			c2 += float64(x) * float64(x)
		}
		at += a.Stride * words
	}
	return r2, c2
}

// factor returns the power of two by which column i is to be multiplied and row i divided; 1 if that does not pay, or
// if a scale or an element would leave the range in which scaling is exact.
func (b *balancer[T]) factor(i int) float64 {
	below := dense.Vector[T]{N: b.Hi - b.Lo, Inc: b.a.Stride, Data: b.a.Data[b.Lo*b.a.Stride+i:]}
	c, r := blas.Nrm2(below), blas.Nrm2(dense.Vec(b.a.Row(i)[b.Lo:b.Hi]))
	if c == 0 || r == 0 {
		return 1
	}
	column, row := b.column(i, b.Hi), b.a.Row(i)[b.Lo:]
	largestC, largestR := dense.Abs(column.Data[blas.Iamax(column)*column.Inc]), dense.Abs(row[blas.Iamax(dense.Vec(row))])
	leastScale := dense.SmallestNormal[T]() / dense.Eps[T]()
	least := leastScale * radix
	most := 1 / least
	factor, before := 1.0, c+r
	for g := r / radix; c < g && max(factor, c, largestC) < most && min(r, g, largestR) > least; g /= radix {
		factor, c, largestC, r, largestR = factor*radix, c*radix, largestC*radix, r/radix, largestR/radix
	}
	for g := c / radix; g >= r && max(r, largestR) < most && min(factor, c, g, largestC) > least; g /= radix {
		factor, c, largestC, r, largestR = factor/radix, c/radix, largestC/radix, r*radix, largestR*radix
	}
	scale := b.Scale[i]
	tooSmall := factor < 1 && scale < 1 && factor*scale <= leastScale
	tooLarge := factor > 1 && scale > 1 && scale >= 1/leastScale/factor
	if c+r >= improvement*before || tooSmall || tooLarge || math.IsInf(before, 0) {
		return 1
	}
	return factor
}
