package eigen

import (
	"trnsci/core/dense"
	"trnsci/core/scratch"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// Workspaces up to 256 MB, those of real matrices of order 3000, are kept: the pages of new memory take up to half as long as the work that is done in it for
// small matrices, and a tenth for those of order 2048.
var workspaces = scratch.Pool{MostBytes: 256 << 20}

// workspace is memory of a call that is taken part by part.
type workspace struct {
	scratch.Memory
	rest []float64
}

// borrowWorkspace returns a workspace of so many words, which is to be given back.
func borrowWorkspace(words int) workspace {
	memory := workspaces.Borrow(words)
	return workspace{memory, memory.Words}
}

// wordsOf returns the words that take uses for n numbers of type T: whole lines of the cache.
func wordsOf[T dense.Scalar](n int) int {
	return ceilDiv(scratch.WordsOf[T](n), scratch.LineWords) * scratch.LineWords
}

// take returns n numbers of unknown values.
func take[T dense.Scalar](w *workspace, n int) []T {
	part := w.rest[:wordsOf[T](n)]
	w.rest = w.rest[len(part):]
	return scratch.Numbers[T](part, n)
}

// takeMatrix is take for a matrix.
func takeMatrix[T dense.Scalar](w *workspace, rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: take[T](w, rows*cols)}
}

// takeTridiagonal returns a tridiagonal matrix of unknown values.
func takeTridiagonal(w *workspace, n int) tridiag.Matrix {
	return tridiag.Matrix{D: take[float64](w, n), E: take[float64](w, n)}
}

// solveWords returns the words that solve takes from its workspace for a matrix of type W and order n, which V is the real type of; direct says
// whether the eigenvectors of the tridiagonal matrix are in memory of the caller.
func solveWords[W dense.Scalar, V dense.Float](n int, opt Options, direct bool) int {
	words := 2 * wordsOf[float64](n)
	if opt.ValuesOnly {
		return words
	}
	if !direct {
		words += wordsOf[V](n * n)
	}
	threads := opt.Team.Threads()
	back := wordsOf[V](reduce.ReflectorElements[W](n, threads)) + wordsOf[V](writeElements[W](n, opt.Subset.largestCount(n), threads))
	return words + max(wordsOf[float64](tridiag.WorkElements[V](n)), back)
}
