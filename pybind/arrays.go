package pybind

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// dtype codes of array descriptors; the Python side has the same list.
const (
	float32Code = iota
	float64Code
	complex64Code
	complex128Code
)

// maxDims bounds the number of dimensions of a descriptor, as NumPy does.
const maxDims = 64

// itemSizes are the bytes of an element, by dtype code.
var itemSizes = [...]int64{float32Code: 4, float64Code: 8, complex64Code: 8, complex128Code: 16}

// array is a decoded descriptor: an array of Python's, with strides counted in elements.
type array struct {
	address        uint64
	dtype          int64
	shape, strides []int
}

// descriptor decodes the int64 record at address p: data address, dtype code, number of dimensions, then the shape,
// then the strides in bytes, which are multiples of the element size. p = 0 stands for an absent array. What breaks these rules is a bug of the Python side.
func descriptor(p uint64) *array {
	if p == 0 {
		return nil
	}
	head := unsafe.Slice((*int64)(pointer(p)), 3)
	ndim := int(head[2])
	if ndim < 0 || ndim > maxDims {
		panic(fmt.Sprintf("array descriptor with %d dimensions", ndim))
	}
	if head[1] < 0 || head[1] >= int64(len(itemSizes)) {
		panic(fmt.Sprintf("array descriptor with dtype code %d", head[1]))
	}
	size := itemSizes[head[1]]
	record := unsafe.Slice((*int64)(pointer(p)), 3+2*ndim)
	sizes := make([]int, 2*ndim)
	a := &array{address: uint64(record[0]), dtype: record[1], shape: sizes[:ndim:ndim], strides: sizes[ndim:]}
	for i := range ndim {
		a.shape[i], a.strides[i] = int(record[3+i]), int(record[3+ndim+i]/size)
		if a.shape[i] < 0 {
			panic(fmt.Sprintf("array descriptor with shape %d in dimension %d", a.shape[i], i))
		}
	}
	return a
}

// bytes returns the memory that the elements of a take; a may be nil. It cannot overflow: NumPy made the array.
func (a *array) bytes() int64 {
	if a == nil {
		return 0
	}
	size := itemSizes[a.dtype]
	for _, n := range a.shape {
		size *= int64(n)
	}
	return size
}

// pointer turns an address of Python's into a pointer. The detour through a pointer to p tells vet that this is foreign
// memory, which the garbage collector neither moves nor frees.
func pointer(p uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// numbers returns n integers at an address, as they are.
func numbers[T int64 | uint64](p uint64, n int) []T { return unsafe.Slice((*T)(pointer(p)), n) }

// elements returns the memory that a's strides span and the offset of a's first element in it.
func elements[T dense.Scalar](a *array) (data []T, offset int) {
	low, high := 0, 0
	for i, n := range a.shape {
		if n == 0 {
			return nil, 0
		}
		// The product fits: NumPy made the array, so its extent in bytes does.
		if reach := (n - 1) * a.strides[i]; reach < 0 {
			low += reach
		} else {
			high += reach
		}
	}
	var zero T
	size, align := uint64(unsafe.Sizeof(zero)), uint64(unsafe.Alignof(zero))
	if a.address == 0 || a.address%align != 0 {
		panic(fmt.Sprintf("array at address %#x is not aligned to %d bytes", a.address, align))
	}
	span := uint64(high - low + 1)
	if hi, _ := bits.Mul64(span, size); hi != 0 {
		panic("array descriptor spans more than the address space")
	}
	first := a.address - uint64(-low)*size
	return unsafe.Slice((*T)(pointer(first)), span), -low
}

// rows is a stack of contiguous vectors: an array whose last dimension is the vector.
type rows[T dense.Scalar] struct{ batch[T] }

func newRows[T dense.Scalar](a *array) rows[T] {
	last := len(a.shape) - 1
	empty := slices.Contains(a.shape, 0) // NumPy's strides of an empty array mean nothing
	if last < 0 || (!empty && a.shape[last] > 1 && a.strides[last] != 1) {
		panic(fmt.Sprintf("array of shape %v and strides %v is not a stack of contiguous vectors", a.shape, a.strides))
	}
	// A vector is a matrix of one row.
	matrix := *a
	matrix.shape = append(append([]int{}, a.shape[:last]...), 1, a.shape[last])
	matrix.strides = append(append([]int{}, a.strides[:last]...), a.shape[last], 1)
	return rows[T]{newBatch[T](&matrix)}
}

// at returns vector k of the stack.
func (r rows[T]) at(k int) []T {
	m, _ := r.batch.at(k).Matrix()
	return m.Row(0)
}

// vector returns a one-dimensional contiguous array's memory.
func vector[T dense.Scalar](a *array) []T {
	if len(a.shape) != 1 || (a.shape[0] > 1 && a.strides[0] != 1) {
		panic(fmt.Sprintf("array of shape %v and strides %v is not a contiguous vector", a.shape, a.strides))
	}
	data, _ := elements[T](a)
	return data
}

// batch is a stack of matrices: an array of two or more dimensions, the last two being the matrix.
type batch[T dense.Scalar] struct {
	*array
	data   []T
	offset int
}

func newBatch[T dense.Scalar](a *array) batch[T] {
	if len(a.shape) < 2 {
		panic(fmt.Sprintf("array of shape %v is not a stack of matrices", a.shape))
	}
	data, offset := elements[T](a)
	return batch[T]{array: a, data: data, offset: offset}
}

// count returns the number of matrices in the stack.
func (b batch[T]) count() int {
	n := 1
	for _, s := range b.shape[:len(b.shape)-2] {
		n *= s
	}
	return n
}

// matrix returns a two-dimensional array.
func matrix[T dense.Scalar](a *array) dense.View[T] { return newBatch[T](a).at(0) }

// order returns the number of rows of each matrix.
func (b batch[T]) order() int { return b.shape[len(b.shape)-2] }

// at returns matrix k of the stack, counted in C order over the leading dimensions.
func (b batch[T]) at(k int) dense.View[T] {
	lead := len(b.shape) - 2
	offset := b.offset
	for d := lead - 1; d >= 0; d-- {
		offset += (k % b.shape[d]) * b.strides[d]
		k /= b.shape[d]
	}
	return dense.View[T]{
		Rows: b.shape[lead], Cols: b.shape[lead+1], Offset: offset,
		RowStride: b.strides[lead], ColStride: b.strides[lead+1], Data: b.data,
	}
}

// reserveEach checks that the results and the workspace of forEach fit: that of one member with the whole team, or of as
// many members as run at once.
func reserveEach(team *sched.Team, count int, what string, results int64, workspace func(*sched.Team) int64) error {
	if count == 1 {
		return reserve(what, workspace(team), results)
	}
	atOnce := int64(min(count, team.Threads()))
	each := workspace(team.Quiet())
	if atOnce > 0 && each > math.MaxInt64/atOnce {
		return reserve(what, math.MaxInt64, results)
	}
	return reserve(what, atOnce*each, results)
}

// memberSteps is how finely the work on a member of a batch is divided.
const memberSteps = 1000

// forEach runs op for every member of a batch: one member with the whole team, several with a thread each. An error
// names its member when there is more than one.
func forEach(team *sched.Team, count int, op func(team *sched.Team, k int) error) error {
	if count == 1 {
		return op(team, 0)
	}
	team = team.Plan(count * memberSteps)
	return team.For(count, func(_, k int) error {
		member := team.Serial().Phase(memberSteps)
		if err := op(member, k); err != nil {
			return &memberError{member: k, err: err}
		}
		member.End()
		return nil
	})
}
