package pybind

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/pybind/record"
)

// The functions of this file are for matrices so small that describing their arrays takes longer than the computation.
// They take the addresses of array objects, not of elements, and use no record, no team and no job. Python has checked
// that each array is C- or F-contiguous, aligned and of the given dtype, and keeps it alive during the call.

// objectHead is the size of the header of every Python object: a reference count and a type.
const objectHead = 2 * unsafe.Sizeof(uintptr(0))

// ndarrayData returns the address of the elements of the NumPy array object at an address. It is the first field of
// PyArrayObject_fields, whose layout is part of NumPy's binary interface.
func ndarrayData(object uint64) uint64 {
	return *(*uint64)(record.Pointer(object + uint64(objectHead)))
}

// ReadsArrays returns 1 if the elements of the array object at an address are at the given address, otherwise 0. Python
// calls it once to test that this interpreter and this NumPy use the layout that this file relies on.
func ReadsArrays(object, elements uint64) (yes int64, err error) {
	defer guard(&err)
	if ndarrayData(object) == elements {
		return 1, nil
	}
	return 0, nil
}

// square returns the view of a contiguous n x n array, stored by rows or by columns.
func square[T dense.Scalar](object uint64, n int, byColumns bool) dense.View[T] {
	v := dense.View[T]{Rows: n, Cols: n, RowStride: n, ColStride: 1,
		Data: unsafe.Slice((*T)(record.Pointer(ndarrayData(object))), n*n)}
	if byColumns {
		return v.T()
	}
	return v
}

// SmallEigh is Eigh for one n x n matrix, n > 0, stored by rows. The eigenvectors are written to the array v, stored by
// columns, unless v is 0.
func SmallEigh(dtype int64, a, w, v uint64, n int64, lower, checkFinite bool) (count int64, err error) {
	defer guard(&err)
	return eigensolversByDtype[dtype].small(a, w, v, int(n), smallOptions(v, lower, checkFinite))
}

// SmallEighGeneralized is SmallEigh for the generalized problem of the given type with the n x n matrix b, stored by
// rows.
func SmallEighGeneralized(dtype, problem int64, a, b, w, v uint64, n int64, lower, checkFinite bool) (count int64,
	err error) {
	defer guard(&err)
	options := smallOptions(v, lower, checkFinite)
	return eigensolversByDtype[dtype].smallGeneralized(eigen.Problem(problem), a, b, w, v, int(n), options)
}

func smallOptions(v uint64, lower, checkFinite bool) eigen.Options {
	return eigen.Options{Upper: !lower, ValuesOnly: v == 0, SkipFiniteCheck: !checkFinite}
}

func (eigensolversOf[T, R]) small(a, w, v uint64, n int, options eigen.Options) (int64, error) {
	values, vectors := smallResults[T, R](w, v, n)
	count, err := eigen.Eigh(square[T](a, n, false), values, vectors, options)
	return int64(count), err
}

func (eigensolversOf[T, R]) smallGeneralized(problem eigen.Problem, a, b, w, v uint64, n int, options eigen.Options) (
	int64, error) {
	values, vectors := smallResults[T, R](w, v, n)
	count, err := eigen.EighGeneralized(problem, square[T](a, n, false), square[T](b, n, false), values, vectors, options)
	return int64(count), withRemedy(err, problem)
}

// smallResults returns the eigenvalues and, unless v is 0, the eigenvectors of an n x n problem.
func smallResults[T dense.Scalar, R dense.Float](w, v uint64, n int) (values []R, vectors dense.View[T]) {
	values = unsafe.Slice((*R)(record.Pointer(ndarrayData(w))), n)
	if v != 0 {
		vectors = square[T](v, n, true)
	}
	return values, vectors
}

// SmallCholesky is Cholesky for one n x n matrix, n > 0, stored by rows. The lower factor is stored by rows, the upper
// one by columns.
func SmallCholesky(dtype int64, a, out uint64, n int64, lower, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	return 0, byDtype[dtype].smallCholesky(a, out, int(n), lower, checkFinite)
}

func (routinesOf[T]) smallCholesky(a, out uint64, n int, lower, checkFinite bool) error {
	// As in Cholesky, the transpose of U is the lower factor of the transpose of A; U is stored by columns.
	return factor.CholeskyView(nil, square[T](a, n, !lower), square[T](out, n, false), checkFinite)
}
