package eigen

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

// Workspaces up to this size, those of matrices of order 1600, are kept for later calls until the garbage collector wants them: the pages of
// new memory take up to half as long as the work that is done in it.
const keptBytes = 32 << 20

var workspaces sync.Pool

// workspaceElements returns how many numbers the eigenvectors of a matrix of type W and order n take as workspace: for solve, and then
// for the blocks of reflections.
func workspaceElements[W dense.Wide](n int) int {
	return max(solveElements[float64](n), blockElements(n)*int(unsafe.Sizeof(W(0)))/realBytes)
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

// wide returns the memory of x as numbers of type W.
func wide[W dense.Wide](x []float64) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*realBytes/int(unsafe.Sizeof(W(0))))
}
