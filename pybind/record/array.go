package record

import (
	"fmt"
	"math/bits"
	"unsafe"

	"trnsci/core/dense"
)

// Dtype is the code of an array's dtype; the Python side has the same list.
type Dtype int

const (
	Float32 Dtype = iota
	Float64
	Complex64
	Complex128
	BFloat16 // no field takes it yet, nor Int32: their codes are those of the Python side
	Int32
	Int64
	Bool
)

// dtypes holds, by code, the size of an element, its alignment and its name.
var dtypes = [...]struct {
	size, align int
	name        string
}{
	Float32: {4, 4, "float32"}, Float64: {8, 8, "float64"}, Complex64: {8, 4, "complex64"}, Complex128: {16, 8,
		"complex128"},
	BFloat16: {2, 2, "bfloat16"}, Int32: {4, 4, "int32"}, Int64: {8, 8, "int64"}, Bool: {1, 1, "bool"},
}

func (d Dtype) String() string {
	if d < 0 || int(d) >= len(dtypes) {
		return fmt.Sprintf("dtype code %d", int(d))
	}
	return dtypes[d].name
}

// A dtypeSet is a set of dtypes, one bit for each.
type dtypeSet uint

// Sets that the tags of fields in calls.go name. A field without a tag holds computing dtypes.
const (
	computing   = 1<<Float32 | 1<<Float64 | 1<<Complex64 | 1<<Complex128
	realOnly    = 1<<Float32 | 1<<Float64
	complexOnly = 1<<Complex64 | 1<<Complex128
	onlyFloat64 = 1 << Float64
	onlyC128    = 1 << Complex128
	onlyInt64   = 1 << Int64
	onlyBool    = 1 << Bool
)

func (s dtypeSet) has(d Dtype) bool { return s>>d&1 != 0 }

// maxDims is NumPy's limit of the number of dimensions.
const maxDims = 64

// Array describes a NumPy array.
type Array struct {
	Address        uint64 // of the first element
	Dtype          Dtype
	Shape, Strides []int // strides count elements
	low, high      int   // the least and the largest offset of an element from the first one
}

// IsEmpty reports whether the array has no elements.
func (a *Array) IsEmpty() bool {
	for _, n := range a.Shape {
		if n == 0 {
			return true
		}
	}
	return false
}

// Bytes returns the memory that the elements of a take; a may be nil.
func (a *Array) Bytes() int64 {
	if a == nil {
		return 0
	}
	size := int64(dtypes[a.Dtype].size)
	for _, n := range a.Shape {
		size *= int64(n)
	}
	return size
}

// check validates an array whose strides count bytes, converts them to elements, and computes its extent.
func (a *Array) check() error {
	size, span := uint64(dtypes[a.Dtype].size), uint64(dtypes[a.Dtype].size)
	for i, n := range a.Shape {
		if n < 0 {
			return fmt.Errorf("shape %d in dimension %d", n, i)
		}
	}
	if a.IsEmpty() {
		for i := range a.Strides { // NumPy's strides of an empty array are arbitrary
			a.Strides[i] /= int(size)
		}
		return nil
	}
	total := size
	for i, n := range a.Shape {
		over, bytes := bits.Mul64(total, uint64(n))
		if over != 0 || int64(bytes) < 0 {
			return fmt.Errorf("shape %v has more elements than an array may have", a.Shape)
		}
		total = bytes
		if n > 1 && a.Strides[i]%int(size) != 0 {
			return fmt.Errorf("stride %d in dimension %d is not a multiple of %d", a.Strides[i], i, size)
		}
		step := a.Strides[i] / int(size)
		a.Strides[i] = step
		over, reach := bits.Mul64(uint64(max(step, -step)), uint64(n-1)*size)
		if span += reach; over != 0 || span < reach || int64(span) < 0 {
			return fmt.Errorf("shape %v and strides span more than the address space", a.Shape)
		}
		if step < 0 {
			a.low += (n - 1) * step
		} else {
			a.high += (n - 1) * step
		}
	}
	first := a.Address - uint64(-a.low)*size
	if align := uint64(dtypes[a.Dtype].align); a.Address == 0 || a.Address%align != 0 {
		return fmt.Errorf("the address %#x is not aligned to %d bytes", a.Address, align)
	}
	if first > a.Address || first+span < first {
		return fmt.Errorf("elements at %#x span more than the address space", a.Address)
	}
	return nil
}

// Element is the type of an element of an array.
type Element interface {
	dense.Scalar | int64 | bool
}

// Elements returns the memory that a spans and the offset of its first element in it.
func Elements[T Element](a *Array) (data []T, offset int) {
	if a.IsEmpty() {
		return nil, 0
	}
	var zero T
	if int(unsafe.Sizeof(zero)) != dtypes[a.Dtype].size {
		panic(fmt.Sprintf("array of %v read as %T", a.Dtype, zero))
	}
	first := a.Address - uint64(-a.low)*uint64(unsafe.Sizeof(zero))
	return unsafe.Slice((*T)(Pointer(first)), a.high-a.low+1), -a.low
}

// Pointer converts an address from Python to a pointer. The memory is foreign: the garbage collector neither moves nor
// frees it. Reading the pointer through a pointer to p makes vet accept that.
func Pointer(p uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
