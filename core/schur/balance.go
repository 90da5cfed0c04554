package schur

import (
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Balancing is the similarity by which Balance replaced A by B:
//
//	B = D^-1 P^T A P D,  (P^T A P)(i, j) = A(Order[i], Order[j]),  D = diag(Scale)
//
// B is upper triangular outside of the rows and columns from Lo to before Hi. All scales are powers of two, and 1 outside of that block.
type Balancing struct {
	Lo, Hi int
	Order  []int
	Scale  []float64
}

// BalanceOptions says what Balance does.
type BalanceOptions struct {
	Team *sched.Team // carries cancellation
	// Permute asks for eigenvalues that can be read off to be isolated, Scale for rows and columns of about the same norm.
	Permute, Scale bool
}

// Balance overwrites the n x n matrix a by a similar one whose rows and columns have norms that are closer to each other, so that its eigenvalues are found
// with smaller errors where the elements of a are of different sizes. Rounding errors do not occur.
//
// A row without elements beside the diagonal in the columns that are left goes to the bottom, then a column without such elements to the left, until there is
// none. The rows and columns between are scaled by powers of two, one after the other, as long as that makes the sum of the two norms smaller by 5 percent.
// It returns a *dense.ArgumentError if a is not square or not finite, and the team's error when the call is cancelled.
//
// Cost: a few n^2, n^3 if every permutation has to be looked for. Method: Parlett and Reinsch, Balancing a matrix for calculation of eigenvalues and eigenvectors,
// Numer. Math. 13, 1969, with the two-norms and the diagonal element that James, Langou and Lowery, On matrix balancing and eigenvector computation,
// arXiv 1401.5766, 2014, and LAPACK's gebal since 3.5 take.
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

// newBalancing returns the similarity that leaves a matrix of order n as it is.
func newBalancing(n int) *Balancing {
	b := &Balancing{Hi: n, Order: make([]int, n), Scale: make([]float64, n)}
	for i := range n {
		b.Order[i], b.Scale[i] = i, 1
	}
	return b
}

const (
	radix  = 2   // scales are powers of it
	enough = .95 // times the sum of two norms is what scaling has to make smaller
)

// balancer is the work on one matrix.
type balancer[T dense.Scalar] struct {
	*Balancing
	a    dense.Matrix[T]
	team *sched.Team
}

// isolate permutes rows and columns, those that are left being Lo to before Hi.
func (b *balancer[T]) isolate() error {
	for found := true; found; {
		found = false
		for i := b.Hi - 1; i >= 0 && b.Hi > 1; i-- {
			if err := poll(b.team, i); err != nil {
				return err
			}
			if isAlone(i, b.a.Row(i)[:b.Hi]) {
				b.exchange(i, b.Hi-1)
				b.Hi--
				found = true
			}
		}
	}
	for found := b.Hi > 1; found; {
		found = false
		for j := b.Lo; j < b.Hi; j++ {
			if err := poll(b.team, j); err != nil {
				return err
			}
			if b.isColumnAlone(j) {
				b.exchange(j, b.Lo)
				b.Lo++
				found = true
			}
		}
	}
	return nil
}

// isAlone reports whether a row has no elements but that on the diagonal.
func isAlone[T dense.Scalar](i int, row []T) bool {
	for j, x := range row {
		if x != 0 && j != i {
			return false
		}
	}
	return true
}

// isColumnAlone reports the same for what is left of a column.
func (b *balancer[T]) isColumnAlone(j int) bool {
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

// column returns the first count elements of a column.
func (b *balancer[T]) column(j, count int) dense.Vector[T] {
	return dense.Vector[T]{N: count, Inc: b.a.Stride, Data: b.a.Data[j:]}
}

// scale scales the rows and columns that are left.
func (b *balancer[T]) scale() error {
	for changed := true; changed; {
		changed = false
		for i := b.Lo; i < b.Hi; i++ {
			if err := poll(b.team, i); err != nil {
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

// isEven reports, by a quick look, whether row and column i have norms for which factor is 1.
func (b *balancer[T]) isEven(i int) bool {
	if dense.IsSingle[T]() {
		return even(crossSquares[float32](b.a, b.Lo, b.Hi, i))
	}
	return even(crossSquares[float64](b.a, b.Lo, b.Hi, i))
}

// even reports whether norms r and c, of which the squares are given, are so close to each other that it does not pay to scale them: with r = q c, the
// factor f pays if f c + r/f < enough (c + r), and no power of two does below the q at which 2 does. It is false where squares may have left the range of numbers.
func even(r2, c2 float64) bool {
	const (
		quotient    = (radix - enough) / (enough - 1./radix)
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

// factor returns the power of two by which column i is to be multiplied and row i divided; 1 if that does not pay, or if a scale or an element would leave
// the range in which nothing is lost.
func (b *balancer[T]) factor(i int) float64 {
	below := dense.Vector[T]{N: b.Hi - b.Lo, Inc: b.a.Stride, Data: b.a.Data[b.Lo*b.a.Stride+i:]}
	c, r := blas.Nrm2(below), blas.Nrm2(dense.Vec(b.a.Row(i)[b.Lo:b.Hi]))
	if c == 0 || r == 0 {
		return 1
	}
	column, row := b.column(i, b.Hi), b.a.Row(i)[b.Lo:]
	largestC, largestR := dense.Abs(column.Data[blas.Iamax(column)*column.Inc]), dense.Abs(row[blas.Iamax(dense.Vec(row))])
	leastScale := smallestNormal[T]() / dense.Eps[T]()
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
	if c+r >= enough*before || tooSmall || tooLarge || math.IsInf(before, 0) {
		return 1
	}
	return factor
}
