package schur

import (
	"trnsci/core/dense"
	"trnsci/core/scratch"
)

// Memory up to this size, that of real matrices of order 1400, is kept: pages of new memory take a tenth of the time of the work in it.
const keptBytes = 32 << 20

var keptMatrices, keptPanels, keptBlocks = scratch.Pool{MostBytes: keptBytes}, scratch.Pool{MostBytes: keptBytes}, scratch.Pool{MostBytes: keptBytes}

// kept is memory that is to be given back.
type kept[W dense.Scalar] struct {
	scratch.Memory
	numbers []W // of unknown values, from the beginning of a line of the cache on
}

// borrow returns memory of n numbers.
func borrow[W dense.Scalar](from *scratch.Pool, n int) kept[W] {
	memory := from.Borrow(scratch.WordsOf[W](n))
	return kept[W]{memory, scratch.Numbers[W](memory.Words, n)}
}
