package pybind

import (
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/eig"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/core/qz"
	"trnsci/core/schur"
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

// elements returns the n elements of a contiguous array.
func elements[T dense.Scalar](object uint64, n int) []T {
	return unsafe.Slice((*T)(record.Pointer(ndarrayData(object))), n)
}

// square returns the view of a contiguous n x n array, stored by rows or by columns.
func square[T dense.Scalar](object uint64, n int, byColumns bool) dense.View[T] {
	v := dense.View[T]{Rows: n, Cols: n, RowStride: n, ColStride: 1, Data: elements[T](object, n*n)}
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
	count, err := eigen.Eigh(square[T](a, n, false), elements[R](w, n), smallVectors[T](v, n), options)
	return int64(count), err
}

func (eigensolversOf[T, R]) smallGeneralized(problem eigen.Problem, a, b, w, v uint64, n int, options eigen.Options) (
	int64, error) {
	count, err := eigen.EighGeneralized(problem, square[T](a, n, false), square[T](b, n, false), elements[R](w, n),
		smallVectors[T](v, n), options)
	return int64(count), withRemedy(err, problem)
}

// smallVectors returns the view of n eigenvectors, stored by columns, or an empty one if v is 0.
func smallVectors[T dense.Scalar](v uint64, n int) dense.View[T] {
	if v == 0 {
		return dense.View[T]{}
	}
	return square[T](v, n, true)
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

// SmallLUFactor is LUFactor for one n x n matrix, n > 0, stored by rows. The factors are stored by columns, the pivots
// in an array of int32. It returns the number of the first zero pivot, or 0.
func SmallLUFactor(dtype int64, a, out, pivots uint64, n int64, checkFinite bool) (number int64, err error) {
	defer guard(&err)
	return byDtype[dtype].smallLUFactor(a, out, pivots, int(n), checkFinite)
}

func (routinesOf[T]) smallLUFactor(a, out, pivots uint64, n int, checkFinite bool) (int64, error) {
	own := make([]int, n)
	zero, err := factor.LUView(nil, square[T](a, n, false), square[T](out, n, true), own, checkFinite)
	for i, p := range own {
		*(*int32)(record.Pointer(ndarrayData(pivots) + uint64(i)*uint64(unsafe.Sizeof(int32(0))))) = int32(p)
	}
	return int64(zero), err
}

// SmallSchur is Schur for one n x n matrix, n > 0, without a complex form of a real matrix and without order. All
// matrices are stored by rows.
func SmallSchur(dtype int64, a, t, z uint64, n int64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	return 0, byDtype[dtype].smallSchur(a, t, z, int(n), checkFinite)
}

func (routinesOf[T]) smallSchur(a, t, z uint64, n int, checkFinite bool) error {
	options := schur.Options{SkipFiniteCheck: !checkFinite}
	return schur.Decompose(square[T](a, n, false), square[T](t, n, false), square[T](z, n, false), options)
}

// SmallQZ is QZ for one pair of n x n matrices, n > 0, without eigenvalues. Q and Z are stored by columns, the others
// by rows.
func SmallQZ(dtype int64, a, b, s, p, q, z uint64, n int64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	return 0, withNames(byDtype[dtype].smallQZ(a, b, s, p, q, z, int(n), checkFinite))
}

func (routinesOf[T]) smallQZ(a, b, s, p, q, z uint64, n int, checkFinite bool) error {
	form := qz.Form[T]{
		S: square[T](s, n, false), P: square[T](p, n, false), Q: square[T](q, n, true), Z: square[T](z, n, true),
	}
	return qz.Decompose(square[T](a, n, false), square[T](b, n, false), form, qz.Options{SkipFiniteCheck: !checkFinite})
}

// SmallEig is Eig for one n x n matrix, n > 0, or unless b is 0 QZEigen for one pair, stored by rows. If homogeneous
// is set, the denominators of a pair's eigenvalues are written behind their numerators in the array w. The eigenvectors
// are written to the arrays left and right, stored by columns, unless these are 0.
func SmallEig(dtype int64, a, b, w, left, right uint64, n int64, homogeneous, checkFinite bool) (notReal int64,
	err error) {
	defer guard(&err)
	return byDtype[dtype].smallEig(eigArrays{a, b, w, left, right, int(n)}, homogeneous, checkFinite)
}

// eigArrays has the addresses of the array objects of SmallEig.
type eigArrays struct {
	a, b, w, left, right uint64
	n                    int
}

func (routinesOf[T]) smallEig(arrays eigArrays, homogeneous, checkFinite bool) (int64, error) {
	if dense.IsSingle[T]() {
		return smallEig[T, complex64](arrays, homogeneous, checkFinite)
	}
	return smallEig[T, complex128](arrays, homogeneous, checkFinite)
}

func smallEig[T dense.Scalar, C dense.Complex](arrays eigArrays, homogeneous, checkFinite bool) (int64, error) {
	n := arrays.n
	a, values := square[T](arrays.a, n, false), elements[C](arrays.w, n)
	left, right := smallVectors[C](arrays.left, n), smallVectors[C](arrays.right, n)
	if arrays.b == 0 {
		err := eig.Eig(a, values, left, right, eig.Options{SkipFiniteCheck: !checkFinite})
		return countNegative(values), err
	}
	var denominators []C
	if homogeneous {
		denominators = elements[C](arrays.w, 2*n)[n:]
	}
	b, options := square[T](arrays.b, n, false), qz.Options{SkipFiniteCheck: !checkFinite}
	return eigenOfPair(a, b, values, denominators, left, right, options)
}
