// Package workspace holds what decompositions of square matrices do around their algorithms: they check their outputs,
// work on a padded copy of the input that is scaled by a power of two, and store the results.
//
// Padded matrices have rows that begin at whole cache lines, an odd number of lines apart. Elements of a column then
// map to all sets of a cache, not to the same few, and vector code may run over the padding between rows, which is
// zero.
package workspace

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// PaddedStride returns the stride of a padded matrix of order n, an odd number of cache lines.
func PaddedStride[T dense.Scalar](n int) int {
	perLine := dense.LineBytes / dense.Bytes[T]()
	return (dense.WholeLines[T](n)/perLine | 1) * perLine
}

// NewPadded returns a padded n x n matrix of zeros.
func NewPadded[T dense.Scalar](n int) dense.Matrix[T] {
	return PaddedIn(dense.NewAligned[T](n*PaddedStride[T](n)), n)
}

// PaddedIn returns a padded matrix in memory of n PaddedStride(n) elements that begins with a cache line. Its elements
// are what they were before; the padding is set to zero.
func PaddedIn[T dense.Scalar](memory []T, n int) dense.Matrix[T] {
	m := dense.Matrix[T]{Rows: n, Cols: n, Stride: PaddedStride[T](n), Data: memory}
	for i := range n {
		clear(m.Data[i*m.Stride+n : (i+1)*m.Stride])
	}
	return m
}

// IsPadded reports whether m, unless it has no rows, has the stride and the memory of a padded matrix.
func IsPadded[T dense.Scalar](m dense.Matrix[T]) bool {
	return m.Rows == 0 || m.Stride == PaddedStride[T](m.Rows) && len(m.Data) == m.Rows*m.Stride
}

// Within returns a matrix of padded rows in *memory, which is replaced by a larger slice if it is too small. The values
// of the elements and of the padding are unspecified.
func Within[T dense.Scalar](memory *[]T, rows, cols int) dense.Matrix[T] {
	stride := PaddedStride[T](cols)
	if n := rows * stride; cap(*memory) < n {
		*memory = dense.NewAligned[T](n)
	}
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: (*memory)[:rows*stride]}
}

// MaxKeptBytes is the size up to which pools keep memory: that of real matrices of order 1400. Touching new pages would
// take a tenth of the time of a decomposition.
const MaxKeptBytes = 32 << 20

// Matrices lends the memory of BorrowPair, Panels that of panels of reflectors, which has other sizes.
var Matrices, Panels = scratch.Pool{MostBytes: MaxKeptBytes}, scratch.Pool{MostBytes: MaxKeptBytes}

// Lent is memory that is to be given back.
type Lent[T dense.Scalar] struct {
	scratch.Memory
	Numbers []T // of unspecified values, from a cache line on
}

// Borrow returns memory of n numbers.
func Borrow[T dense.Scalar](from *scratch.Pool, n int) Lent[T] {
	memory := from.Borrow(scratch.WordsOf[T](n))
	return Lent[T]{memory, scratch.Numbers[T](memory.Words, n)}
}

// BorrowPair lends two padded matrices of order n of unspecified elements. Without withSecond the second has no rows.
func BorrowPair[T dense.Scalar](n int, withSecond bool) (first, second dense.Matrix[T], lent Lent[T]) {
	size := n * PaddedStride[T](n)
	lent = Borrow[T](&Matrices, 2*size)
	first = PaddedIn(lent.Numbers[:size], n)
	if withSecond {
		second = PaddedIn(lent.Numbers[size:], n)
	}
	return first, second, lent
}

// Poll returns the team's error, which it looks at in every pollEvery-th step.
func Poll(team *sched.Team, step int) error {
	// Row operations between two looks: a few milliseconds of work at order 10^4, much less below.
	const pollEvery = 32
	if step%pollEvery != 0 {
		return nil
	}
	return team.Err()
}
