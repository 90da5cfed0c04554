package banded

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// cholesky is a Hermitian band matrix, of which the lower triangle is stored, and then its factor L.
//
// Rows are contiguous: element (i, j) is data[i*stride+left+j]. The corners of blocks that lie outside of the triangle
// have memory of their own, which holds zeros.
type cholesky[T dense.Scalar] struct {
	n, below, block, left, stride int
	data                          []T
}

func newCholesky[T dense.Scalar](n, below int) *cholesky[T] {
	block := blockFor(below)
	left := below + block - 1
	return &cholesky[T]{
		n: n, below: below, block: block, left: left, stride: left + block - 1,
		data: make([]T, choleskyElements(n, below)),
	}
}

// choleskyElements returns the number of elements of a cholesky.
func choleskyElements(n, below int) int { return n * (below + 2*blockFor(below) - 1) }

// row returns the elements j0 <= j < j1 of row i.
func (f *cholesky[T]) row(i, j0, j1 int) []T {
	first := i*f.stride + f.left
	return f.data[first+j0 : first+j1 : first+j1]
}

// blockAt returns the block of the rows i0 <= i < i1 and the columns j0 <= j < j1.
func (f *cholesky[T]) blockAt(i0, i1, j0, j1 int) dense.Matrix[T] {
	m := dense.Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: f.stride}
	if m.Rows > 0 && m.Cols > 0 {
		first := i0*f.stride + f.left + j0
		m.Data = f.data[first : first+(m.Rows-1)*m.Stride+m.Cols]
	}
	return m
}

// hermitian reads and writes one triangle of a Hermitian or triangular band matrix as the lower one.
type hermitian[T dense.Scalar] struct {
	band  dense.View[T]
	upper bool
}

func (h hermitian[T]) n() int     { return h.band.Cols }
func (h hermitian[T]) below() int { return max(0, min(h.band.Rows, h.band.Cols)-1) }

// place returns where element (j+k, j) of the lower triangle is stored.
func (h hermitian[T]) place(j, k int) (row, column int) {
	if h.upper {
		return h.band.Rows - 1 - k, j + k
	}
	return k, j
}

func (h hermitian[T]) at(j, k int) T {
	x := h.band.At(h.place(j, k))
	if h.upper {
		return dense.Conj(x)
	}
	return x
}

func (h hermitian[T]) set(j, k int, x T) {
	if h.upper {
		x = dense.Conj(x)
	}
	row, column := h.place(j, k)
	h.band.Set(row, column, x)
}

// elements calls body for every element (j+k, j) of the lower triangle; the steps are as many.
func (h hermitian[T]) elements(team *sched.Team, body func(j, k int)) error {
	return inParts(team, h.n(), h.below()+1, func(first, past int) error {
		for j := first; j < past; j++ {
			for k := range min(h.below(), h.n()-1-j) + 1 {
				body(j, k)
			}
		}
		return nil
	})
}

// load returns a copy of the matrix, or of the factor.
func (h hermitian[T]) load(team *sched.Team) (*cholesky[T], error) {
	f := newCholesky[T](h.n(), h.below())
	return f, h.elements(team, func(j, k int) { f.data[(j+k)*f.stride+f.left+j] = h.at(j, k) })
}

// rowSteps returns the steps of a row of the factorization.
func (f *cholesky[T]) rowSteps() int { return f.below*(f.below+1)/2 + 1 }

// factor overwrites the matrix by its factor.
func (f *cholesky[T]) factor(team *sched.Team) error {
	blocks := (f.n + f.block - 1) / f.block
	return inParts(team, blocks, f.block*f.rowSteps(), func(first, past int) error {
		for j := first * f.block; j < min(f.n, past*f.block); j += f.block {
			order, err := f.factorBlock(team, j)
			if err != nil {
				return err
			}
			if order > 0 {
				return &factor.NotPositiveDefiniteError{Arg: "ab", Order: j + order}
			}
		}
		return nil
	})
}

// factorBlock factors the block on the diagonal that begins in row j, and updates the blocks below it. order is that of
// the first leading minor of the block that is not positive.
func (f *cholesky[T]) factorBlock(team *sched.Team, j int) (order int, err error) {
	if f.block == 1 {
		return f.factorRow(j), nil
	}
	end := min(f.n, j+f.block)
	rows := min(f.n, end+f.below)
	diagonal, below := f.blockAt(j, end, j, end), f.blockAt(end, rows, j, end)
	if err := factor.Cholesky(team, diagonal); err != nil {
		if minor, ok := err.(*factor.NotPositiveDefiniteError); ok {
			return minor.Order, nil
		}
		return 0, err
	}
	if below.Rows > 0 {
		blas.Trsm(team, blas.Right, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, diagonal, below)
		blas.Herk(team, blas.Lower, blas.NoTrans, -1, below, 1, f.blockAt(end, rows, end, rows))
	}
	return 0, team.Err()
}

// factorRow computes row i of the factor, given those above.
func (f *cholesky[T]) factorRow(i int) (order int) {
	i0 := max(0, i-f.below)
	row := f.row(i, i0, i+1)
	for j := i0; j < i; j++ {
		above := f.row(j, i0, j+1)
		last := j - i0
		row[last] = (row[last] - conjugateDot(above[:last], row[:last])) / above[last]
	}
	last := i - i0
	pivot := dense.Real(row[last]) - dense.Real(conjugateDot(row[:last], row[:last]))
	if !(pivot > 0) {
		return 1
	}
	row[last] = dense.FromReal[T](math.Sqrt(pivot))
	return 0
}

// conjugateDot returns the sum of conj(x_k) y_k.
func conjugateDot[T dense.Scalar](x, y []T) (sum T) {
	if !dense.IsComplex[T]() {
		return dot(x, y)
	}
	if len(x) >= kernelLength {
		return blas.Dotc(dense.Vec(x), dense.Vec(y))
	}
	for k, v := range x {
		sum += dense.Conj(v) * y[k]
	}
	return sum
}

// solveSteps returns the steps of a solution for each row and right-hand side.
func (f *cholesky[T]) solveSteps() int { return 2 * (f.below + 1) }

// solve overwrites B by the solution X of L L^H X = B.
func (f *cholesky[T]) solve(team *sched.Team, b dense.Matrix[T]) error {
	if f.block == 1 {
		return overVectors(team, b, f.solveVector)
	}
	return overGroups(team, b, func(team *sched.Team, b dense.Matrix[T]) error {
		blocks, steps := (f.n+f.block-1)/f.block, f.block*b.Cols*f.solveSteps()/2
		if err := inParts(team, blocks, steps, func(first, past int) error {
			for p := first; p < past; p++ {
				diagonal, below, x, rest := f.blocks(p*f.block, b)
				solveTriangle(team, blas.Lower, blas.NoTrans, blas.NonUnit, diagonal, x)
				subtractProduct(team, blas.NoTrans, below, x, rest)
			}
			return nil
		}); err != nil {
			return err
		}
		return inParts(team, blocks, steps, func(first, past int) error {
			for p := blocks - 1 - first; p >= blocks-past; p-- {
				diagonal, below, x, rest := f.blocks(p*f.block, b)
				subtractProduct(team, blas.ConjTrans, below, rest, x)
				solveTriangle(team, blas.Lower, blas.ConjTrans, blas.NonUnit, diagonal, x)
			}
			return nil
		})
	})
}

// blocks returns the block of the factor on the diagonal that begins in row j, the one below it, and the rows of b of
// both.
func (f *cholesky[T]) blocks(j int, b dense.Matrix[T]) (diagonal, below, x, rest dense.Matrix[T]) {
	end := min(f.n, j+f.block)
	rows := min(f.n, end+f.below)
	return f.blockAt(j, end, j, end), f.blockAt(end, rows, j, end), b.Slice(j, end, 0, b.Cols),
		b.Slice(end, rows, 0, b.Cols)
}

// solveVector is solve for one right-hand side and blocks of one row.
func (f *cholesky[T]) solveVector(team *sched.Team, x []T) error {
	if err := inParts(team, f.n, f.solveSteps()/2, func(first, past int) error {
		for i := first; i < past; i++ {
			i0 := max(0, i-f.below)
			row := f.row(i, i0, i+1)
			x[i] = (x[i] - dot(row[:i-i0], x[i0:i])) / row[i-i0]
		}
		return nil
	}); err != nil {
		return err
	}
	dense.Conjugate(x) // L^H x = y means L^T conj(x) = conj(y), and rows of L^T have no elements to be conjugated
	defer dense.Conjugate(x)
	return inParts(team, f.n, f.solveSteps()/2, func(first, past int) error {
		for i := f.n - 1 - first; i >= f.n-past; i-- {
			i0 := max(0, i-f.below)
			row := f.row(i, i0, i+1)
			x[i] /= row[i-i0]
			subtract(x[i], row[:i-i0], x[i0:i])
		}
		return nil
	})
}
