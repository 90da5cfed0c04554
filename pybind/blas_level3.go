package pybind

import (
	"context"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// runStack runs a level 3 function for all members of a stack.
func runStack(jobID int64, c *record.BLAS, op func(routines, *sched.Team, *record.BLAS) error) (int64, error) {
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		return 0, op(byDtype[c.C.Dtype], team, c)
	})
}

// eachResult calls op for every member of the stack of results.
func eachResult[T dense.Scalar](team *sched.Team, results batch[T],
	op func(team *sched.Team, k int, c dense.Matrix[T])) error {
	return forEach(team, results.count(), func(team *sched.Team, k int) error {
		op(team, k, results.rowMajor(k))
		return team.Err()
	})
}

// eachTriangle is eachResult for an op that computes one triangle of the result; the triangle is then mirrored.
func eachTriangle[T dense.Scalar](team *sched.Team, call *record.BLAS,
	op func(team *sched.Team, k int, c dense.Matrix[T])) error {
	results := newBatch[T](call.C)
	return forEach(team, results.count(), func(team *sched.Team, k int) error {
		c := results.rowMajor(k)
		op(team, k, c)
		return mirror(team, blas.Uplo(call.Uplo), call.Conjugate, c)
	})
}

// Gemm computes C = alpha op(A) op(B) + beta C for all members of stacks of the same leading dimensions.
func Gemm(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return runStack(jobID, blasAt(address, needA|needB|needC), routines.gemm)
}

func (routinesOf[T]) gemm(team *sched.Team, call *record.BLAS) error {
	a, b, c := newBatch[T](call.A), newBatch[T](call.B), newBatch[T](call.C)
	alpha, beta, count := scalar[T](call.Alpha), scalar[T](call.Beta), c.count()
	stepA, regularA := a.step()
	stepB, regularB := b.step()
	stepC, regularC := c.step()
	if regularA && regularB && regularC && (stepC > 0 || count == 1) {
		blas.GemmStrided(team, blas.Transpose(call.TransA), blas.Transpose(call.TransB), alpha, count, a.first(), stepA,
			b.first(), stepB, beta, c.first(), stepC)
		return team.Err()
	}
	return eachResult(team, c, func(team *sched.Team, k int, c dense.Matrix[T]) {
		blas.Gemm(team, blas.Transpose(call.TransA), blas.Transpose(call.TransB), alpha, a.rowMajor(k),
			b.rowMajor(k), beta, c)
	})
}

// Gemmt computes the triangle uplo of C = alpha op(A) op(B) + beta C for all members of stacks; the other triangle
// stays as it is.
func Gemmt(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return runStack(jobID, blasAt(address, needA|needB|needC), routines.gemmt)
}

func (routinesOf[T]) gemmt(team *sched.Team, call *record.BLAS) error {
	a, b := newBatch[T](call.A), newBatch[T](call.B)
	return eachResult(team, newBatch[T](call.C), func(team *sched.Team, k int, c dense.Matrix[T]) {
		blas.Gemmt(team, blas.Uplo(call.Uplo), blas.Transpose(call.TransA), blas.Transpose(call.TransB),
			scalar[T](call.Alpha), a.rowMajor(k), b.rowMajor(k), scalar[T](call.Beta), c)
	})
}

// Symm computes C = alpha A B + beta C, or alpha B A + beta C with side Right, for all members of stacks; A is
// symmetric, or Hermitian.
func Symm(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return runStack(jobID, blasAt(address, needA|needB|needC), routines.symm)
}

func (routinesOf[T]) symm(team *sched.Team, call *record.BLAS) error {
	of := blas.Symm[T]
	if call.Conjugate {
		of = blas.Hemm[T]
	}
	a, b := newBatch[T](call.A), newBatch[T](call.B)
	return eachResult(team, newBatch[T](call.C), func(team *sched.Team, k int, c dense.Matrix[T]) {
		of(team, blas.Side(call.Side), blas.Uplo(call.Uplo), scalar[T](call.Alpha), a.rowMajor(k), b.rowMajor(k),
			scalar[T](call.Beta), c)
	})
}

// Syrk computes C = alpha A A^T + beta C for all members of stacks, or with trans C = alpha A^T A + beta C. With
// hermitian A^H replaces A^T, and alpha and beta are real. Only the triangle uplo of C is read; all of C is written.
func Syrk(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return runStack(jobID, blasAt(address, needA|needC), routines.syrk)
}

func (routinesOf[T]) syrk(team *sched.Team, call *record.BLAS) error {
	a := newBatch[T](call.A)
	return eachTriangle(team, call, func(team *sched.Team, k int, c dense.Matrix[T]) {
		if call.Conjugate {
			blas.Herk(team, blas.Uplo(call.Uplo), blas.Transpose(call.TransA), real(call.Alpha), a.rowMajor(k),
				real(call.Beta), c)
		} else {
			blas.Syrk(team, blas.Uplo(call.Uplo), blas.Transpose(call.TransA), scalar[T](call.Alpha), a.rowMajor(k),
				scalar[T](call.Beta), c)
		}
	})
}

// Syr2k computes C = alpha (A B^T + B A^T) + beta C for all members of stacks, or with trans C = alpha (A^T B + B^T A)
// + beta C; with hermitian alpha A B^H + conj(alpha) B A^H + beta C, or alpha A^H B + conj(alpha) B^H A + beta C, and
// beta is real. Only the triangle uplo of C is read; all of C is written.
func Syr2k(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return runStack(jobID, blasAt(address, needA|needB|needC), routines.syr2k)
}

func (routinesOf[T]) syr2k(team *sched.Team, call *record.BLAS) error {
	a, b, alpha := newBatch[T](call.A), newBatch[T](call.B), scalar[T](call.Alpha)
	return eachTriangle(team, call, func(team *sched.Team, k int, c dense.Matrix[T]) {
		if call.Conjugate {
			blas.Her2k(team, blas.Uplo(call.Uplo), blas.Transpose(call.TransA), alpha, a.rowMajor(k), b.rowMajor(k),
				real(call.Beta), c)
		} else {
			blas.Syr2k(team, blas.Uplo(call.Uplo), blas.Transpose(call.TransA), alpha, a.rowMajor(k), b.rowMajor(k),
				scalar[T](call.Beta), c)
		}
	})
}

// TriangularMatrix computes B = alpha op(A) B for a triangular A, or with side Right B = alpha B op(A), for all members
// of stacks; with solve B is overwritten by the solution X of op(A) X = alpha B or of X op(A) = alpha B.
func TriangularMatrix(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return runStack(jobID, blasAt(address, needA|needC), routines.triangular)
}

func (routinesOf[T]) triangular(team *sched.Team, call *record.BLAS) error {
	of := blas.Trmm[T]
	if call.Solve {
		of = blas.Trsm[T]
	}
	a := newBatch[T](call.A)
	return eachResult(team, newBatch[T](call.C), func(team *sched.Team, k int, b dense.Matrix[T]) {
		of(team, blas.Side(call.Side), blas.Uplo(call.Uplo), blas.Transpose(call.TransA), blas.Diag(call.Diag),
			scalar[T](call.Alpha), a.rowMajor(k), b)
	})
}

// Order of the blocks in which a triangle is mirrored; two of them fit into the L1 cache.
const mirrorSquare = 32

// mirror overwrites the other triangle of c by the (conjugate) transpose of the triangle uplo.
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

// Products of up to this many multiplications always run on one thread and need no team: blas divides work from
// hundreds of thousands of multiplications on.
const oneThreadProduct = 1 << 12

// Multiply is Gemm with beta = 0 for contiguous stacks of count row-major matrices that are not empty. It takes the
// addresses a, b and c of the array objects and no record, which would cost more than a small product. op(A) is m x k,
// op(B) is k x n and C is m x n. It returns 1 without computing anything if C overlaps an operand, otherwise 0.
func Multiply(threads, dtype int64, a, b, c uint64, count, m, n, k, transA, transB int64,
	alpha float64) (overlap int64, err error) {
	defer guard(&err)
	p := &plainProduct{
		a: a, b: b, c: c, count: int(count), m: int(m), n: int(n), k: int(k), transA: blas.Transpose(transA),
		transB: blas.Transpose(transB), alpha: alpha,
	}
	if threads <= 1 || p.count*p.m*p.n*p.k <= oneThreadProduct {
		return byDtype[dtype].product(nil, p), nil
	}
	return onTeam(context.Background(), teamSize(int(threads)), nil, func(team *sched.Team) (int64, error) {
		return byDtype[dtype].product(team, p), nil
	})
}

func (routinesOf[T]) product(team *sched.Team, p *plainProduct) (overlap int64) {
	a, b := plain[T](p.a, p.count, p.m, p.k, p.transA), plain[T](p.b, p.count, p.k, p.n, p.transB)
	c := plain[T](p.c, p.count, p.m, p.n, blas.NoTrans)
	if overlaps(a.Data, c.Data) || overlaps(b.Data, c.Data) {
		return 1
	}
	alpha := dense.FromReal[T](p.alpha)
	if p.count == 1 {
		blas.Gemm(team, p.transA, p.transB, alpha, a, b, 0, c)
	} else {
		blas.GemmStrided(team, p.transA, p.transB, alpha, p.count, a, p.m*p.k, b, p.k*p.n, 0, c, p.m*p.n)
	}
	return 0
}

// plain returns the first matrix of a contiguous stack of row-major ones, given the shape of op(matrix), with data that
// reaches to the end of the last one.
func plain[T dense.Scalar](object uint64, count, rows, cols int, trans blas.Transpose) dense.Matrix[T] {
	if trans != blas.NoTrans {
		rows, cols = cols, rows
	}
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: elements[T](object, count*rows*cols)}
}

// overlaps reports whether two non-empty slices share an element.
func overlaps[T dense.Scalar](x, y []T) bool {
	first := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[0])) }
	last := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[len(s)-1])) }
	return first(x) <= last(y) && first(y) <= last(x)
}
