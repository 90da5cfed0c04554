package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// Level 1 functions take x and y as operands A and B and write a result to C.

// Axpy computes y = alpha x + y.
func Axpy(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB)
	return runBLAS(jobID, c, func(*sched.Team) { byDtype[c.B.Dtype].axpy(c.Alpha, c.A, c.B) })
}

func (routinesOf[T]) axpy(alpha complex128, x, y *record.Array) {
	blas.Axpy(scalar[T](alpha), strided[T](x), strided[T](y))
}

// Scal computes x = alpha x.
func Scal(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA)
	return runBLAS(jobID, c, func(*sched.Team) { byDtype[c.A.Dtype].scal(c.Alpha, c.A) })
}

func (routinesOf[T]) scal(alpha complex128, x *record.Array) {
	blas.Scal(scalar[T](alpha), strided[T](x))
}

// Dot writes x^T y, or x^H y with Conjugate, into the one element of the result.
func Dot(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB|needC)
	return runBLAS(jobID, c, func(*sched.Team) { byDtype[c.A.Dtype].dot(c.A, c.B, c.C, c.Conjugate) })
}

func (routinesOf[T]) dot(x, y, out *record.Array, conjugate bool) {
	of := blas.Dotu[T]
	if conjugate {
		of = blas.Dotc[T]
	}
	vector[T](out)[0] = of(strided[T](x), strided[T](y))
}

// Nrm2 writes the Euclidean norm of x into the one element of the result, which has x's dtype.
func Nrm2(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needC)
	return runBLAS(jobID, c, func(*sched.Team) { byDtype[c.A.Dtype].nrm2(c.A, c.C) })
}

func (routinesOf[T]) nrm2(x, out *record.Array) {
	vector[T](out)[0] = dense.FromReal[T](blas.Nrm2(strided[T](x)))
}

// Asum is Nrm2 for the sum of |re x_i| + |im x_i|.
func Asum(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needC)
	return runBLAS(jobID, c, func(*sched.Team) { byDtype[c.A.Dtype].asum(c.A, c.C) })
}

func (routinesOf[T]) asum(x, out *record.Array) {
	vector[T](out)[0] = dense.FromReal[T](blas.Asum(strided[T](x)))
}

// Iamax returns the index of the first element of x with the largest |re x_i| + |im x_i|, -1 for an empty x.
func Iamax(jobID int64, address uint64) (index int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA)
	return run(jobID, c.Team, func(*sched.Team) (int64, error) { return int64(byDtype[c.A.Dtype].iamax(c.A)), nil })
}

func (routinesOf[T]) iamax(x *record.Array) int { return blas.Iamax(strided[T](x)) }
