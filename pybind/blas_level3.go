package pybind

import (
	"context"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

type level3Routines interface {
	gemm(team *sched.Team, c *blasCall) error
	gemmt(team *sched.Team, c *blasCall) error
	symm(team *sched.Team, c *blasCall) error
	syrk(team *sched.Team, c *blasCall) error
	syr2k(team *sched.Team, c *blasCall) error
	triangular(team *sched.Team, c *blasCall, solve bool) error
	product(team *sched.Team, p *plainProduct) int64
}

// runStack runs a function of level 3 for all members of a stack.
func runStack(jobID, threads int64, c *blasCall, op func(routines, *sched.Team, *blasCall) error) (int64, error) {
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		return 0, op(byDtype[c.c.dtype], team, c)
	})
}

// eachResult calls op for every member of the stack of results.
func eachResult[T dense.Scalar](team *sched.Team, results batch[T], op func(team *sched.Team, k int, c dense.Matrix[T])) error {
	return forEach(team, results.count(), func(team *sched.Team, k int) error {
		op(team, k, results.rowMajor(k))
		return team.Err()
	})
}

// eachTriangle is eachResult for results of which op computes a triangle that is to be mirrored.
func eachTriangle[T dense.Scalar](team *sched.Team, call *blasCall, op func(team *sched.Team, k int, c dense.Matrix[T])) error {
	results := newBatch[T](call.c)
	return forEach(team, results.count(), func(team *sched.Team, k int) error {
		c := results.rowMajor(k)
		op(team, k, c)
		return mirror(team, call.uplo, call.hermitian, c)
	})
}

// Gemm computes C = alpha op(A) op(B) + beta C for all members of stacks of the same leading dimensions.
func Gemm(jobID, threads int64, a, b, c uint64, transA, transB int64, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), b: descriptor(b), c: descriptor(c), transA: blas.Transpose(transA), transB: blas.Transpose(transB),
		alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runStack(jobID, threads, call, routines.gemm)
}

func (routinesOf[T]) gemm(team *sched.Team, call *blasCall) error {
	a, b, c := newBatch[T](call.a), newBatch[T](call.b), newBatch[T](call.c)
	alpha, beta, count := scalar[T](call.alpha), scalar[T](call.beta), c.count()
	stepA, regularA := a.step()
	stepB, regularB := b.step()
	stepC, regularC := c.step()
	if regularA && regularB && regularC && (stepC > 0 || count == 1) {
		blas.GemmStrided(team, call.transA, call.transB, alpha, count, a.first(), stepA, b.first(), stepB, beta, c.first(), stepC)
		return team.Err()
	}
	return eachResult(team, c, func(team *sched.Team, k int, c dense.Matrix[T]) {
		blas.Gemm(team, call.transA, call.transB, alpha, a.rowMajor(k), b.rowMajor(k), beta, c)
	})
}

// Gemmt computes the triangle uplo of C = alpha op(A) op(B) + beta C for all members of stacks; the other triangle stays as
// it is.
func Gemmt(jobID, threads int64, a, b, c uint64, uplo, transA, transB int64, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), b: descriptor(b), c: descriptor(c), transA: blas.Transpose(transA), transB: blas.Transpose(transB),
		uplo: blas.Uplo(uplo), alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runStack(jobID, threads, call, routines.gemmt)
}

func (routinesOf[T]) gemmt(team *sched.Team, call *blasCall) error {
	a, b := newBatch[T](call.a), newBatch[T](call.b)
	return eachResult(team, newBatch[T](call.c), func(team *sched.Team, k int, c dense.Matrix[T]) {
		blas.Gemmt(team, call.uplo, call.transA, call.transB, scalar[T](call.alpha), a.rowMajor(k), b.rowMajor(k), scalar[T](call.beta), c)
	})
}

// Symm computes C = alpha A B + beta C, or alpha B A + beta C with side Right, for all members of stacks; A is symmetric, or
// Hermitian.
func Symm(jobID, threads int64, a, b, c uint64, side, uplo int64, hermitian bool, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), b: descriptor(b), c: descriptor(c), side: blas.Side(side), uplo: blas.Uplo(uplo), hermitian: hermitian,
		alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runStack(jobID, threads, call, routines.symm)
}

func (routinesOf[T]) symm(team *sched.Team, call *blasCall) error {
	of := blas.Symm[T]
	if call.hermitian {
		of = blas.Hemm[T]
	}
	a, b := newBatch[T](call.a), newBatch[T](call.b)
	return eachResult(team, newBatch[T](call.c), func(team *sched.Team, k int, c dense.Matrix[T]) {
		of(team, call.side, call.uplo, scalar[T](call.alpha), a.rowMajor(k), b.rowMajor(k), scalar[T](call.beta), c)
	})
}

// Syrk computes C = alpha A A^T + beta C for all members of stacks, or with trans C = alpha A^T A + beta C; with hermitian
// A^H takes the place of A^T, and alpha and beta are real. Only the triangle uplo of C is read; all of C is written.
func Syrk(jobID, threads int64, a, c uint64, uplo, trans int64, hermitian bool, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), c: descriptor(c), uplo: blas.Uplo(uplo), transA: blas.Transpose(trans), hermitian: hermitian,
		alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runStack(jobID, threads, call, routines.syrk)
}

func (routinesOf[T]) syrk(team *sched.Team, call *blasCall) error {
	a := newBatch[T](call.a)
	return eachTriangle(team, call, func(team *sched.Team, k int, c dense.Matrix[T]) {
		if call.hermitian {
			blas.Herk(team, call.uplo, call.transA, real(call.alpha), a.rowMajor(k), real(call.beta), c)
		} else {
			blas.Syrk(team, call.uplo, call.transA, scalar[T](call.alpha), a.rowMajor(k), scalar[T](call.beta), c)
		}
	})
}

// Syr2k computes C = alpha (A B^T + B A^T) + beta C for all members of stacks, or with trans C = alpha (A^T B + B^T A) + beta C;
// with hermitian alpha A B^H + conj(alpha) B A^H + beta C, or alpha A^H B + conj(alpha) B^H A + beta C, and beta is real. Only the
// triangle uplo of C is read; all of C is written.
func Syr2k(jobID, threads int64, a, b, c uint64, uplo, trans int64, hermitian bool, alphaRe, alphaIm, betaRe, betaIm float64) (zero int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), b: descriptor(b), c: descriptor(c), uplo: blas.Uplo(uplo), transA: blas.Transpose(trans), hermitian: hermitian,
		alpha: complex(alphaRe, alphaIm), beta: complex(betaRe, betaIm),
	}
	return runStack(jobID, threads, call, routines.syr2k)
}

func (routinesOf[T]) syr2k(team *sched.Team, call *blasCall) error {
	a, b, alpha := newBatch[T](call.a), newBatch[T](call.b), scalar[T](call.alpha)
	return eachTriangle(team, call, func(team *sched.Team, k int, c dense.Matrix[T]) {
		if call.hermitian {
			blas.Her2k(team, call.uplo, call.transA, alpha, a.rowMajor(k), b.rowMajor(k), real(call.beta), c)
		} else {
			blas.Syr2k(team, call.uplo, call.transA, alpha, a.rowMajor(k), b.rowMajor(k), scalar[T](call.beta), c)
		}
	})
}

// TriangularMatrix computes B = alpha op(A) B for a triangular A, or with side Right B = alpha B op(A), for all members of
// stacks; with solve the solution X of op(A) X = alpha B, or of X op(A) = alpha B, takes the place of B.
func TriangularMatrix(jobID, threads int64, a, b uint64, side, uplo, trans, diag int64, solve bool, alphaRe, alphaIm float64) (zero int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), c: descriptor(b), side: blas.Side(side), uplo: blas.Uplo(uplo), transA: blas.Transpose(trans),
		diag: blas.Diag(diag), alpha: complex(alphaRe, alphaIm),
	}
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		return 0, byDtype[call.c.dtype].triangular(team, call, solve)
	})
}

func (routinesOf[T]) triangular(team *sched.Team, call *blasCall, solve bool) error {
	of := blas.Trmm[T]
	if solve {
		of = blas.Trsm[T]
	}
	a := newBatch[T](call.a)
	return eachResult(team, newBatch[T](call.c), func(team *sched.Team, k int, b dense.Matrix[T]) {
		of(team, call.side, call.uplo, call.transA, call.diag, scalar[T](call.alpha), a.rowMajor(k), b)
	})
}

// Edge of the squares in which a triangle is mirrored: two of them fit the first cache.
const mirrorSquare = 32

// mirror overwrites the triangle of c that is not uplo by the (conjugate) transpose of the other one.
func mirror[T dense.Scalar](team *sched.Team, uplo blas.Uplo, conjugate bool, c dense.Matrix[T]) error {
	conjugate = conjugate && dense.IsComplex[T]()
	squares := (c.Rows + mirrorSquare - 1) / mirrorSquare
	return team.For(squares, func(_, square int) error {
		i0 := square * mirrorSquare
		for j0 := 0; j0 <= i0; j0 += mirrorSquare {
			for i := i0; i < min(c.Rows, i0+mirrorSquare); i++ {
				for j := j0; j < min(i, j0+mirrorSquare); j++ {
					from, to := i*c.Stride+j, j*c.Stride+i
					if uplo == blas.Upper {
						from, to = to, from
					}
					if c.Data[to] = c.Data[from]; conjugate {
						c.Data[to] = dense.Conj(c.Data[from])
					}
				}
			}
		}
		return nil
	})
}

// Products of so many multiplications are never shared by threads (blas shares from hundreds of thousands on), so that they
// need no team.
const oneThreadProduct = 1 << 12

// plainProduct is C = alpha op(A) op(B) with op(A) m x k and op(B) k x n, all stored without gaps.
type plainProduct struct {
	a, b, c        uint64 // addresses of array objects
	m, n, k        int
	transA, transB blas.Transpose
	alpha          float64
}

// Multiply is Gemm for the plainest operands: no descriptors, which cost more than a small product does. op(A) is m x k, op(B)
// k x n and C m x n, none is empty, rows follow each other without gaps, and a, b and c are the addresses of the array objects.
// beta is 0. It computes nothing and returns 1 if C overlaps an operand, otherwise 0.
func Multiply(threads, dtype int64, a, b, c uint64, m, n, k, transA, transB int64, alpha float64) (overlap int64, err error) {
	defer guard(&err)
	p := &plainProduct{
		a: a, b: b, c: c, m: int(m), n: int(n), k: int(k), transA: blas.Transpose(transA), transB: blas.Transpose(transB), alpha: alpha,
	}
	if threads <= 1 || p.m*p.n*p.k <= oneThreadProduct {
		return byDtype[dtype].product(nil, p), nil
	}
	return onTeam(context.Background(), teamSize(threads), nil, func(team *sched.Team) (int64, error) {
		return byDtype[dtype].product(team, p), nil
	})
}

func (routinesOf[T]) product(team *sched.Team, p *plainProduct) (overlap int64) {
	a, b := plain[T](p.a, p.m, p.k, p.transA), plain[T](p.b, p.k, p.n, p.transB)
	c := plain[T](p.c, p.m, p.n, blas.NoTrans)
	if overlaps(a.Data, c.Data) || overlaps(b.Data, c.Data) {
		return 1
	}
	blas.Gemm(team, p.transA, p.transB, dense.FromReal[T](p.alpha), a, b, 0, c)
	return 0
}

// plain returns the gapless row-major matrix of an array object, given the shape of op of it.
func plain[T dense.Scalar](object uint64, rows, cols int, trans blas.Transpose) dense.Matrix[T] {
	if trans != blas.NoTrans {
		rows, cols = cols, rows
	}
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: unsafe.Slice((*T)(pointer(ndarrayData(object))), rows*cols)}
}

// overlaps reports whether two pieces of memory that are not empty have an element in common.
func overlaps[T dense.Scalar](x, y []T) bool {
	first := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[0])) }
	last := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[len(s)-1])) }
	return first(x) <= last(y) && first(y) <= last(x)
}
