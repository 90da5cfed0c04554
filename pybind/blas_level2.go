package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/sched"
)

type level2Routines interface {
	gemv(team *sched.Team, c *blasCall)
	symv(team *sched.Team, c *blasCall)
	triangularVector(team *sched.Team, c *blasCall, solve bool)
	ger(team *sched.Team, c *blasCall)
	syr(team *sched.Team, c *blasCall) error
	syr2(team *sched.Team, c *blasCall) error
}

// In calls of level 2 the vectors x and y are the operands b and c of the call.

// Gemv computes y = alpha op(A) x + beta y.
func Gemv(jobID, threads int64, a, x, y uint64, trans int64, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	c := &blasCall{
		a: descriptor(a), b: descriptor(x), c: descriptor(y), transA: blas.Transpose(trans),
		alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runBLAS(jobID, threads, func(team *sched.Team) { byDtype[c.a.dtype].gemv(team, c) })
}

func (routinesOf[T]) gemv(team *sched.Team, c *blasCall) {
	blas.Gemv(team, c.transA, scalar[T](c.alpha), newBatch[T](c.a).rowMajor(0), strided[T](c.b), scalar[T](c.beta), strided[T](c.c))
}

// Symv computes y = alpha A x + beta y for a symmetric A, or a Hermitian one.
func Symv(jobID, threads int64, a, x, y uint64, uplo int64, hermitian bool, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	c := &blasCall{
		a: descriptor(a), b: descriptor(x), c: descriptor(y), uplo: blas.Uplo(uplo), hermitian: hermitian,
		alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runBLAS(jobID, threads, func(team *sched.Team) { byDtype[c.a.dtype].symv(team, c) })
}

func (routinesOf[T]) symv(team *sched.Team, c *blasCall) {
	of := blas.Symv[T]
	if c.hermitian {
		of = blas.Hemv[T]
	}
	of(team, c.uplo, scalar[T](c.alpha), newBatch[T](c.a).rowMajor(0), strided[T](c.b), scalar[T](c.beta), strided[T](c.c))
}

// TriangularVector computes x = op(A) x for a triangular A, or with solve the solution of op(A) x = x.
func TriangularVector(jobID, threads int64, a, x uint64, uplo, trans, diag int64, solve bool) (zero int64, err error) {
	defer guard(&err)
	c := &blasCall{
		a: descriptor(a), b: descriptor(x), uplo: blas.Uplo(uplo), transA: blas.Transpose(trans), diag: blas.Diag(diag),
	}
	return runBLAS(jobID, threads, func(team *sched.Team) { byDtype[c.a.dtype].triangularVector(team, c, solve) })
}

func (routinesOf[T]) triangularVector(team *sched.Team, c *blasCall, solve bool) {
	of := blas.Trmv[T]
	if solve {
		of = blas.Trsv[T]
	}
	of(team, c.uplo, c.transA, c.diag, newBatch[T](c.a).rowMajor(0), strided[T](c.b))
}

// Ger computes A = alpha x y^T + A, or alpha x y^H + A with conjugate.
func Ger(jobID, threads int64, x, y, a uint64, conjugate bool, alphaRe, alphaIm float64) (zero int64, err error) {
	defer guard(&err)
	c := &blasCall{
		a: descriptor(a), b: descriptor(x), c: descriptor(y), hermitian: conjugate, alpha: complex(alphaRe, alphaIm),
	}
	return runBLAS(jobID, threads, func(team *sched.Team) { byDtype[c.a.dtype].ger(team, c) })
}

func (routinesOf[T]) ger(team *sched.Team, c *blasCall) {
	of := blas.Ger[T]
	if c.hermitian {
		of = blas.Gerc[T]
	}
	of(team, scalar[T](c.alpha), strided[T](c.b), strided[T](c.c), newBatch[T](c.a).rowMajor(0))
}

// Syr computes A = alpha x x^T + A for a symmetric A, or alpha x x^H + A for a Hermitian one and a real alpha. Only the
// triangle uplo of A is read; all of A is written.
func Syr(jobID, threads int64, x, a uint64, uplo int64, hermitian bool, alphaRe, alphaIm float64) (zero int64, err error) {
	defer guard(&err)
	c := &blasCall{
		a: descriptor(a), b: descriptor(x), uplo: blas.Uplo(uplo), hermitian: hermitian, alpha: complex(alphaRe, alphaIm),
	}
	return run(jobID, threads, func(team *sched.Team) (int64, error) { return 0, byDtype[c.a.dtype].syr(team, c) })
}

func (routinesOf[T]) syr(team *sched.Team, c *blasCall) error {
	a, x := newBatch[T](c.a).rowMajor(0), strided[T](c.b)
	if c.hermitian {
		blas.Her(team, c.uplo, real(c.alpha), x, a)
	} else {
		blas.Syr(team, c.uplo, scalar[T](c.alpha), x, a)
	}
	return mirror(team, c.uplo, c.hermitian, a)
}

// Syr2 computes A = alpha (x y^T + y x^T) + A for a symmetric A, or alpha x y^H + conj(alpha) y x^H + A for a Hermitian one. Only
// the triangle uplo of A is read; all of A is written.
func Syr2(jobID, threads int64, x, y, a uint64, uplo int64, hermitian bool, alphaRe, alphaIm float64) (zero int64, err error) {
	defer guard(&err)
	c := &blasCall{
		a: descriptor(a), b: descriptor(x), c: descriptor(y), uplo: blas.Uplo(uplo), hermitian: hermitian,
		alpha: complex(alphaRe, alphaIm),
	}
	return run(jobID, threads, func(team *sched.Team) (int64, error) { return 0, byDtype[c.a.dtype].syr2(team, c) })
}

func (routinesOf[T]) syr2(team *sched.Team, c *blasCall) error {
	of := blas.Syr2[T]
	if c.hermitian {
		of = blas.Her2[T]
	}
	a := newBatch[T](c.a).rowMajor(0)
	of(team, c.uplo, scalar[T](c.alpha), strided[T](c.b), strided[T](c.c), a)
	return mirror(team, c.uplo, c.hermitian, a)
}
