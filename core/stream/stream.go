// Package stream reads arrays that need not fit in memory, block by block along one axis.
//
// An Array is a sequence of slices along its block axis: orbitals i of B[i,a,P], rows P of L[P,mu nu], or the slices
// T[i,...] of any tensor. It lies in memory with arbitrary strides (Memory), in a .npy file (File), or is handed out by
// a function (Function). NewReader packs ranges of slices, converted to the dtype of the computation; Blocks cuts the
// block axis into ranges and reads one block while the one before it is worked on.
//
// Errors. A reader returns the errors of its array as they are: *npy.FormatError for a file that is cut short or
// changed while it is open, the operating system's errors, wrapped, and whatever a function returns. Broken invariants,
// such as complex numbers read as real ones, panic.
//
// Cancellation. Readers ask the team between pieces of at most a few megabytes and return its error; memory that was
// being filled is then unfinished. A function is given the team and has to ask it itself. A walk over blocks ends with
// the first error, and nothing is being read any more when it returns.
//
// Concurrency. Arrays may be shared by calls. A Reader belongs to one walk: it reads one range at a time.
package stream

import (
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// DefaultMaxBytes is the memory for blocks where a caller's limit is 0.
const DefaultMaxBytes = 256 << 20

// Array is a Memory, a *File or a *Function.
type Array interface {
	// Slices returns the number of slices along the block axis, and the elements of each.
	Slices() (count, size int)
	// Kind returns the type of the elements.
	Kind() npy.Kind
}

// Reader packs slices of an array into memory.
type Reader[T dense.Scalar] interface {
	// Read sets dst to the slices first <= i < end, one after the other.
	Read(team *sched.Team, first, end int, dst []T) error
	// BytesRead returns the bytes that Read takes from the array, with those that are read and dropped.
	BytesRead(first, end int) int64
	// Workspace returns an upper bound on the bytes that the reader allocates.
	Workspace() int64
}

// convert sets dst to the elements of src from at on, stride elements apart, rounded to T. Complex numbers are copied:
// T and S differ for real numbers only.
func convert[T, S dense.Scalar](dst []T, src []S, at, stride int) {
	if same, ok := any(src).([]T); ok {
		for n := range dst {
			dst[n] = same[at]
			at += stride
		}
		return
	}
	switch d := any(dst).(type) {
	case []float32:
		convertReals(d, any(src).([]float64), at, stride)
	case []float64:
		convertReals(d, any(src).([]float32), at, stride)
	default:
		panic("stream: complex numbers in another precision")
	}
}

func convertReals[T, S dense.Float](dst []T, src []S, at, stride int) {
	for n := range dst {
		dst[n] = T(src[at])
		at += stride
	}
}
