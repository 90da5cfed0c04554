package pybind

import (
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/matfunc"
	"trnsci/core/sched"
)

// blasCall is the decoded argument list of a function of the BLAS. Flags are gonum's, which are the letters of the reference
// BLAS; those that a function does not have are zero. Matrices are row-major, vectors have any increment but 0.
type blasCall struct {
	a, b, c        *array
	transA, transB blas.Transpose
	uplo           blas.Uplo
	side           blas.Side
	diag           blas.Diag
	hermitian      bool
	alpha, beta    complex128
}

// routines are the functions of the BLAS, and others that every dtype has, for one dtype.
type routines interface {
	level1Routines
	level2Routines
	level3Routines
	solvers
	matrixFunctions
	cholesky(jobID, threads int64, in, out *array, lower, checkFinite bool) (int64, error)
	smallCholesky(a, out uint64, n int, lower, checkFinite bool) error
	invSqrtSPD(jobID, threads int64, in, out *array, dropped rows[float64], options matfunc.Options) (int64, error)
	schur(c similarity) (int64, error)
	hessenberg(c similarity) (int64, error)
	balance(c balancing, s formStacks) (int64, error)
	solveEquations(jobID, threads int64, name string, s equationStacks) (int64, error)
	order(jobID, threads int64, s formStacks, flags rows[float64]) (int64, error)
	condition(jobID, threads int64, s formStacks, counts, results rows[float64]) (int64, error)
	generalizedSchur(c qzCall) (int64, error)
	generalizedEigen(c qzCall) (int64, error)
}

// routinesOf implements routines.
type routinesOf[T dense.Scalar] struct{}

// byDtype are the routines by dtype code.
var byDtype = [...]routines{
	float32Code:    routinesOf[float32]{},
	float64Code:    routinesOf[float64]{},
	complex64Code:  routinesOf[complex64]{},
	complex128Code: routinesOf[complex128]{},
}

// scalar returns z, whose imaginary part is zero for a real T.
func scalar[T dense.Scalar](z complex128) T { return dense.FromParts[T](real(z), imag(z)) }

// strided returns a one-dimensional array.
func strided[T dense.Scalar](a *array) dense.Vector[T] {
	if len(a.shape) != 1 {
		panic(fmt.Sprintf("array of shape %v is not a vector", a.shape))
	}
	data, _ := elements[T](a)
	v := dense.Vector[T]{N: a.shape[0], Inc: a.strides[0], Data: data}
	if v.N <= 1 {
		v.Inc = 1 // NumPy's strides mean nothing here
	}
	if v.Inc == 0 {
		panic("vector of stride 0")
	}
	return v
}

// rowMajor returns matrix k of a stack.
func (b batch[T]) rowMajor(k int) dense.Matrix[T] {
	m, ok := b.at(k).Matrix()
	if !ok {
		panic(fmt.Sprintf("array of shape %v and strides %v is not a stack of row-major matrices", b.shape, b.strides))
	}
	return m
}

// first returns the first matrix of the stack, with data that reaches to the end of the last one.
func (b batch[T]) first() dense.Matrix[T] {
	m := b.rowMajor(0)
	m.Data = m.Data[:cap(m.Data)]
	return m
}

// step returns how many elements lie between two successive matrices of the stack, and whether that is the same number
// everywhere and not negative.
func (b batch[T]) step() (elements int, regular bool) {
	next, seen := 0, false // what the step of the next dimension outwards must be
	for d := len(b.shape) - 3; d >= 0; d-- {
		switch {
		case b.shape[d] == 1:
			continue
		case !seen:
			elements, seen = b.strides[d], true
		case b.strides[d] != next:
			return 0, false
		}
		next = b.strides[d] * b.shape[d]
	}
	return elements, elements >= 0
}

// Operations up to which a direct call, which nobody can interrupt, takes some milliseconds (tens of them for the slowest, Jacobi's method), and a job,
// which costs 30 to 200 microseconds, a small part of that; by what multiplies.
var directOperations = map[kernel.Set]int64{kernel.Go: 2e7, kernel.AVX2: 1e8, kernel.AVX512: 2e8}

// DirectWork returns the number of floating-point operations up to which functions are best called directly.
func DirectWork() (operations int64, err error) {
	defer guard(&err)
	return directOperations[kernel.Best()], nil
}

// Reserve refuses a result of the given size, which Python has mapped and nobody has written yet, where it would not fit.
func Reserve(size int64) (zero int64, err error) {
	defer guard(&err)
	return 0, reserve("the result", 0, size)
}

// runBLAS runs op on a team and reports a cancelled one.
func runBLAS(jobID, threads int64, op func(team *sched.Team)) (int64, error) {
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		op(team)
		return 0, team.Err()
	})
}
