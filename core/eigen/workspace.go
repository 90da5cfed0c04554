package eigen

import (
	"sync"

	"trnsci/core/dense"
)

// Workspaces up to this size, those of matrices of order 1600, are kept for later calls until the garbage collector wants them: the pages of
// new memory take up to half as long as the work that is done in it.
const keptBytes = 32 << 20

var workspaces sync.Pool

// workspaceElements returns how many numbers count eigenvectors of a matrix of type W and order n take as workspace: for solve, and then for the
// blocks of reflections and what they are applied with.
func workspaceElements[W dense.Scalar](n, count, threads int) int {
	return max(solveElements(n), blockElements[W](n, threads)+writeElements[W](n, count, threads))
}

// borrowWorkspace returns memory for that many numbers of unknown values.
func borrowWorkspace(elements int) *[]float64 {
	kept, _ := workspaces.Get().(*[]float64)
	if kept == nil || cap(*kept) < elements {
		kept = new([]float64)
		*kept = make([]float64, elements)
	}
	*kept = (*kept)[:elements]
	return kept
}

func returnWorkspace(memory *[]float64) {
	if cap(*memory)*realBytes <= keptBytes {
		workspaces.Put(memory)
	}
}
