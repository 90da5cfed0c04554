package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

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
