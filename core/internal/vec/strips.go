package vec

import (
	"unsafe"

	"trnsci/core/kernel"
)

// NewStripArgs returns the arguments of a kernel for rows of cols elements, the first of which is at a; count is the
// kernel's own.
func NewStripArgs[T kernel.Float](s kernel.Set, a []T, stride, cols, count int) StripArgs {
	size := int(unsafe.Sizeof(a[0]))
	whole := cols * size &^ (vectorBytes[s] - 1) // bytes in whole vectors
	rest := cols - whole/size
	return StripArgs{
		A: unsafe.Pointer(&a[0]), Stride: stride * size, Count: count, Steps: whole >> vectorShift[s],
		Mask: 1<<rest - 1, Lanes: Mask(rest * size),
	}
}
