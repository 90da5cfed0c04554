package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

type level1Routines interface {
	axpy(alpha complex128, x, y *array)
	scal(alpha complex128, x *array)
	dot(x, y, out *array, conjugate bool)
	norm(x, out *array, sum bool)
	iamax(x *array) int
}

// Axpy computes y = alpha x + y.
func Axpy(jobID, threads int64, x, y uint64, alphaRe, alphaIm float64) (zero int64, err error) {
	defer guard(&err)
	from, to := descriptor(x), descriptor(y)
	return runBLAS(jobID, threads, func(*sched.Team) { byDtype[to.dtype].axpy(complex(alphaRe, alphaIm), from, to) })
}

func (routinesOf[T]) axpy(alpha complex128, x, y *array) {
	blas.Axpy(scalar[T](alpha), strided[T](x), strided[T](y))
}

// Scal computes x = alpha x.
func Scal(jobID, threads int64, x uint64, alphaRe, alphaIm float64) (zero int64, err error) {
	defer guard(&err)
	vector := descriptor(x)
	return runBLAS(jobID, threads, func(*sched.Team) { byDtype[vector.dtype].scal(complex(alphaRe, alphaIm), vector) })
}

func (routinesOf[T]) scal(alpha complex128, x *array) { blas.Scal(scalar[T](alpha), strided[T](x)) }

// Dot writes x^T y, or x^H y with conjugate, into the one element of out.
func Dot(jobID, threads int64, x, y, out uint64, conjugate bool) (zero int64, err error) {
	defer guard(&err)
	left, right, result := descriptor(x), descriptor(y), descriptor(out)
	return runBLAS(jobID, threads, func(*sched.Team) { byDtype[left.dtype].dot(left, right, result, conjugate) })
}

func (routinesOf[T]) dot(x, y, out *array, conjugate bool) {
	of := blas.Dotu[T]
	if conjugate {
		of = blas.Dotc[T]
	}
	vector[T](out)[0] = of(strided[T](x), strided[T](y))
}

// Norm writes the Euclidean norm of x, or with sum the sum of |re x_i| + |im x_i|, into the one element of out, which has x's
// dtype.
func Norm(jobID, threads int64, x, out uint64, sum bool) (zero int64, err error) {
	defer guard(&err)
	of, result := descriptor(x), descriptor(out)
	return runBLAS(jobID, threads, func(*sched.Team) { byDtype[of.dtype].norm(of, result, sum) })
}

func (routinesOf[T]) norm(x, out *array, sum bool) {
	of := blas.Nrm2[T]
	if sum {
		of = blas.Asum[T]
	}
	vector[T](out)[0] = dense.FromReal[T](of(strided[T](x)))
}

// Iamax returns the index of the first element with the largest |re x_i| + |im x_i|, -1 for an empty x.
func Iamax(jobID, threads int64, x uint64) (index int64, err error) {
	defer guard(&err)
	of := descriptor(x)
	return run(jobID, threads, func(*sched.Team) (int64, error) { return int64(byDtype[of.dtype].iamax(of)), nil })
}

func (routinesOf[T]) iamax(x *array) int { return blas.Iamax(strided[T](x)) }
