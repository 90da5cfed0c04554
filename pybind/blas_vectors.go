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

// Level 2 functions take the vectors x and y as operands B and C.

// Gemv computes y = alpha op(A) x + beta y.
func Gemv(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB|needC)
	return runBLAS(jobID, c, func(team *sched.Team) { byDtype[c.A.Dtype].gemv(team, c) })
}

func (routinesOf[T]) gemv(team *sched.Team, c *record.BLAS) {
	blas.Gemv(team, blas.Transpose(c.TransA), scalar[T](c.Alpha), newBatch[T](c.A).rowMajor(0), strided[T](c.B),
		scalar[T](c.Beta), strided[T](c.C))
}

// Symv computes y = alpha A x + beta y for a symmetric A, or a Hermitian one.
func Symv(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB|needC)
	return runBLAS(jobID, c, func(team *sched.Team) { byDtype[c.A.Dtype].symv(team, c) })
}

func (routinesOf[T]) symv(team *sched.Team, c *record.BLAS) {
	of := blas.Symv[T]
	if c.Conjugate {
		of = blas.Hemv[T]
	}
	of(team, blas.Uplo(c.Uplo), scalar[T](c.Alpha), newBatch[T](c.A).rowMajor(0), strided[T](c.B), scalar[T](c.Beta),
		strided[T](c.C))
}

// TriangularVector overwrites x by op(A) x for a triangular A, or with Solve by the solution y of op(A) y = x.
func TriangularVector(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB)
	return runBLAS(jobID, c, func(team *sched.Team) { byDtype[c.A.Dtype].triangularVector(team, c) })
}

func (routinesOf[T]) triangularVector(team *sched.Team, c *record.BLAS) {
	of := blas.Trmv[T]
	if c.Solve {
		of = blas.Trsv[T]
	}
	of(team, blas.Uplo(c.Uplo), blas.Transpose(c.TransA), blas.Diag(c.Diag), newBatch[T](c.A).rowMajor(0), strided[T](c.B))
}

// Ger computes A = alpha x y^T + A, or alpha x y^H + A with Conjugate.
func Ger(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB|needC)
	return runBLAS(jobID, c, func(team *sched.Team) { byDtype[c.A.Dtype].ger(team, c) })
}

func (routinesOf[T]) ger(team *sched.Team, c *record.BLAS) {
	of := blas.Ger[T]
	if c.Conjugate {
		of = blas.Gerc[T]
	}
	of(team, scalar[T](c.Alpha), strided[T](c.B), strided[T](c.C), newBatch[T](c.A).rowMajor(0))
}

// Syr computes A = alpha x x^T + A for a symmetric A, or alpha x x^H + A for a Hermitian one and a real alpha. Only the
// triangle uplo of A is read; all of A is written.
func Syr(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) { return 0, byDtype[c.A.Dtype].syr(team, c) })
}

func (routinesOf[T]) syr(team *sched.Team, c *record.BLAS) error {
	a, x := newBatch[T](c.A).rowMajor(0), strided[T](c.B)
	if c.Conjugate {
		blas.Her(team, blas.Uplo(c.Uplo), real(c.Alpha), x, a)
	} else {
		blas.Syr(team, blas.Uplo(c.Uplo), scalar[T](c.Alpha), x, a)
	}
	return mirror(team, blas.Uplo(c.Uplo), c.Conjugate, a)
}

// Syr2 computes A = alpha (x y^T + y x^T) + A for a symmetric A, or alpha x y^H + conj(alpha) y x^H + A for a Hermitian
// one. Only the triangle uplo of A is read; all of A is written.
func Syr2(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := blasAt(address, needA|needB|needC)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) { return 0, byDtype[c.A.Dtype].syr2(team, c) })
}

func (routinesOf[T]) syr2(team *sched.Team, c *record.BLAS) error {
	of := blas.Syr2[T]
	if c.Conjugate {
		of = blas.Her2[T]
	}
	a := newBatch[T](c.A).rowMajor(0)
	of(team, blas.Uplo(c.Uplo), scalar[T](c.Alpha), strided[T](c.B), strided[T](c.C), a)
	return mirror(team, blas.Uplo(c.Uplo), c.Conjugate, a)
}
