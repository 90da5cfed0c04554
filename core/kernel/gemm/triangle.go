package gemm

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// TriangleOrder is the largest order of a triangle in Trsm and Trmm.
const TriangleOrder = 8

// Trsm replaces X by the solution of L Y = X for a lower triangular L of the given order, at most TriangleOrder.
// Element (i, j) of L with j < i is l[i*TriangleOrder+j]; l[i*TriangleOrder+i] is the reciprocal of the diagonal
// element. Row i of X has cols elements at x[first+i*stride]; stride may be negative.
func Trsm[T kernel.Float](s kernel.Set, order int, l []T, x []T, first, stride, cols int) {
	checkSystem(order, l, x, first, stride, cols)
	if s != kernel.Go {
		args := newTriangleArgs(s, order, l, x, first, stride, cols)
		trsmKernel(s, vec.FloatType[T](), &args)
		return
	}
	for i := range order {
		row := x[first+i*stride:][:cols]
		for j := range i {
			vec.Axpy(-l[i*TriangleOrder+j], x[first+j*stride:][:cols], row)
		}
		vec.Scale(l[i*TriangleOrder+i], row)
	}
}

// Trmm replaces X by L X for a lower triangular L of the given order, at most TriangleOrder. Element (i, j) of L with j
// <= i is l[i*TriangleOrder+j]. For X see Trsm.
func Trmm[T kernel.Float](s kernel.Set, order int, l []T, x []T, first, stride, cols int) {
	checkSystem(order, l, x, first, stride, cols)
	if s != kernel.Go {
		args := newTriangleArgs(s, order, l, x, first, stride, cols)
		trmmKernel(s, vec.FloatType[T](), &args)
		return
	}
	for i := order - 1; i >= 0; i-- {
		row := x[first+i*stride:][:cols]
		vec.Scale(l[i*TriangleOrder+i], row)
		for j := i - 1; j >= 0; j-- {
			vec.Axpy(l[i*TriangleOrder+j], x[first+j*stride:][:cols], row)
		}
	}
}

func checkSystem[T kernel.Float](order int, l []T, x []T, first, stride, cols int) {
	last := first + (order-1)*stride
	if order < 1 || order > TriangleOrder || cols < 1 || len(l) < (order-1)*TriangleOrder+order || min(first,
		last) < 0 || max(first, last)+cols > len(x) {
		panic(fmt.Sprintf("gemm: triangle of order %d, %d columns at %d, stride %d, lengths %d, %d", order, cols, first,
			stride, len(l), len(x)))
	}
}

// newTriangleArgs returns the arguments of a kernel for the triangle l and the rows of x.
func newTriangleArgs[T kernel.Float](s kernel.Set, order int, l, x []T, first, stride, cols int) vec.StripArgs {
	args := vec.NewStripArgs(s, x[first:], stride, cols, order)
	args.Factors = unsafe.Pointer(&l[0])
	return args
}
