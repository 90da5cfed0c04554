package ldl

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

const (
	// Rows of a panel, for matrices of less than wideOrder and from there on. The rows of a panel are computed by products
	// of matrices and vectors, and panels that are narrow leave less to these.
	narrowPanel, widePanel, wideOrder = 32, 64, 1024
	// Steps of progress for each row of a panel and element that is left: six for each multiply-add, of which a row takes
	// 3/4 of a panel, and those of products of matrices and vectors take several times as long as others.
	panelSteps = 256
)

// Factor factors a symmetric or, if hermitian is set, a Hermitian matrix. Only the upper triangle of a is read and
// overwritten; the imaginary parts of the diagonal of a Hermitian matrix are taken to be zero. Infinities and NaNs
// propagate. A singular matrix has factors, too. The team's error is returned after cancellation; a is then partly
// overwritten.
//
// Cost: n^3/6 multiply-adds. Method: diagonal pivoting (Bunch and Kaufman, Math. Comp. 31, 1977), with the pivots of
// LAPACK's sytrf and hetrf for the lower triangle, in panels of rows after which a product of matrices updates what is
// left (Golub and Van Loan, Matrix Computations, 4th ed., section 4.4). P is applied to all of U.
func Factor[T dense.Scalar](team *sched.Team, a dense.Matrix[T], hermitian bool) (*Factors[T], error) {
	if a.Cols != a.Rows {
		return nil, dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	return factorFrom(team, a, hermitian, false)
}

// factorFrom is Factor; with lastOfEqual the last one of several largest elements of a row becomes the pivot, in place
// of the first one.
func factorFrom[T dense.Scalar](team *sched.Team, a dense.Matrix[T], hermitian, lastOfEqual bool) (*Factors[T], error) {
	n := a.Rows
	f := &Factors[T]{U: a, Above: make([]T, n), Pivots: make([]int, n), Hermitian: hermitian}
	width := panelWidth(n)
	memory := panels.Borrow(scratch.WordsOf[T](width * n))
	defer memory.GiveBack()
	products := scratch.Numbers[T](memory.Words, width*n)
	team = team.Plan(n*n*n + panelSteps*n*n)
	for first := 0; first < n; {
		left := n - first
		p := &panel[T]{
			Factors: f, team: team, first: first, lastOfEqual: lastOfEqual,
			s: a.Slice(first, n, first, n),
			w: dense.Matrix[T]{Rows: width, Cols: left, Stride: left, Data: products[:width*left]},
		}
		rows, err := p.eliminate()
		if err != nil {
			return nil, err
		}
		if err := exchangeAbove(team, a.Slice(0, first, 0, n), first, f.Pivots[first:first+rows]); err != nil {
			return nil, err
		}
		rest := left - rows
		team.Step(panelSteps * (left*left - rest*rest))
		update := team.Phase(left*left*left - rest*rest*rest)
		blas.Gemmt(update, blas.Upper, blas.Trans, blas.NoTrans, -1, p.w.Slice(0, rows, rows, left),
			p.s.Slice(0, rows, rows, left), 1, p.s.Slice(rows, left, rows, left))
		update.End()
		if err := team.Err(); err != nil {
			return nil, err
		}
		first += rows
	}
	return f, nil
}

var panels = scratch.Pool{MostBytes: scratch.DefaultLimit}

func panelWidth(n int) int {
	if n < wideOrder {
		return narrowPanel
	}
	return widePanel
}

// Workspace returns an upper bound on the memory in bytes that Factor takes for a matrix of order n.
func Workspace[T dense.Scalar](n int) int64 {
	const headers = 1 << 10 // structs, and the allocator's rounding up
	return int64(n)*(int64(panelWidth(n)+1)*int64(dense.Bytes[T]())+8) + headers
}

// exchangeRows is the number of rows in which a thread exchanges columns.
const exchangeRows = 64

// exchangeAbove exchanges the columns first + k and pivots[k] of a for k = 0, 1, ... in turn.
func exchangeAbove[T dense.Scalar](team *sched.Team, a dense.Matrix[T], first int, pivots []int) error {
	return team.For((a.Rows+exchangeRows-1)/exchangeRows, func(_, part int) error {
		for i := part * exchangeRows; i < min(a.Rows, (part+1)*exchangeRows); i++ {
			row := a.Row(i)
			for k, p := range pivots {
				row[first+k], row[p] = row[p], row[first+k]
			}
		}
		return nil
	})
}
