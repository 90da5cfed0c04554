package eigen

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

const (
	// Workspaces up to this size, those of real matrices of order 3000, are kept for later calls until the garbage collector wants them: the pages
	// of new memory take up to half as long as the work that is done in it for small matrices, and a tenth for those of order 2048.
	keptBytes = 256 << 20
	// Numbers in a line of the cache, where everything that is taken begins.
	lineWords = 8
)

var workspaces sync.Pool

// workspace is memory of a call that is taken part by part.
type workspace struct {
	whole *[]float64
	rest  []float64
}

// borrowWorkspace returns a workspace of so many words, which is to be given back.
func borrowWorkspace(words int) workspace {
	whole, _ := workspaces.Get().(*[]float64)
	words += lineWords
	if whole == nil || len(*whole) < words {
		whole = new([]float64)
		*whole = make([]float64, words)
	}
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(*whole)))/realBytes) % lineWords
	return workspace{whole: whole, rest: (*whole)[skip:]}
}

func (w *workspace) giveBack() {
	if len(*w.whole)*realBytes <= keptBytes {
		workspaces.Put(w.whole)
	}
}

// wordsOf returns the words that take uses for n numbers of type T.
func wordsOf[T dense.Scalar](n int) int {
	var x T
	return ceilDiv(n*int(unsafe.Sizeof(x)), lineWords*realBytes) * lineWords
}

// take returns n numbers of unknown values.
func take[T dense.Scalar](w *workspace, n int) []T {
	part := w.rest[:wordsOf[T](n)]
	w.rest = w.rest[len(part):]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), n)
}

// takeMatrix is take for a matrix.
func takeMatrix[T dense.Scalar](w *workspace, rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: take[T](w, rows*cols)}
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
	back := wordsOf[V](blockElements[W](n, threads)) + wordsOf[V](writeElements[W](n, opt.Subset.largestCount(n), threads))
	return words + max(wordsOf[float64](solveElements[V](n)), back)
}
