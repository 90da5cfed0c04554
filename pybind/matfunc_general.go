package pybind

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/matfunc"
	"trnsci/core/sched"
)

// matrixFunctions are the functions of general matrices for one dtype.
type matrixFunctions interface {
	expm(jobID, threads int64, a, x *array) (int64, error)
	integerPower(jobID, threads int64, a, x *array, exponent int64) (int64, error)
}

// Expm writes the exponential of every matrix of the stack a into the stack x, of the same shape and dtype.
func Expm(jobID, threads int64, a, x uint64) (zero int64, err error) {
	defer guard(&err)
	in := descriptor(a)
	return byDtype[in.dtype].expm(jobID, threads, in, descriptor(x))
}

func (routinesOf[T]) expm(jobID, threads int64, a, x *array) (int64, error) {
	matrices, results := newBatch[T](a), newBatch[T](x)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "expm", x.bytes(), func(team *sched.Team) int64 {
			return matfunc.ExpmWorkspace[T](team, matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return matfunc.Expm(team, matrices.at(k), results.at(k))
		})
	})
}

// IntegerPower writes the power of every matrix of the stack a into the stack x, of the same shape and dtype.
func IntegerPower(jobID, threads int64, a, x uint64, exponent int64) (zero int64, err error) {
	defer guard(&err)
	in := descriptor(a)
	return byDtype[in.dtype].integerPower(jobID, threads, in, descriptor(x), exponent)
}

func (routinesOf[T]) integerPower(jobID, threads int64, a, x *array, exponent int64) (int64, error) {
	matrices, results := newBatch[T](a), newBatch[T](x)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "fractional_matrix_power", x.bytes(), func(team *sched.Team) int64 {
			return matfunc.IntegerPowerWorkspace[T](team, matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return matfunc.IntegerPower(team, matrices.at(k), exponent, results.at(k))
		})
	})
}

// Sqrtm writes the square root of every matrix of the stack a into the complex stack x, of the same shape and precision, and what was met into flags,
// a float64 stack of vectors of five elements: 1 or 0 for a complex result, a singular matrix, one that has no such function, and one whose function lost
// half of its digits; and the residual.
func Sqrtm(jobID, threads int64, a, x, flags uint64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, threads, "sqrtm", a, x, flags, generalSolvers{
		matfunc.Sqrtm[float32, complex64], matfunc.Sqrtm[float64, complex128],
		matfunc.Sqrtm[complex64, complex64], matfunc.Sqrtm[complex128, complex128],
	})
}

// Logm is Sqrtm for logarithms.
func Logm(jobID, threads int64, a, x, flags uint64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, threads, "logm", a, x, flags, generalSolvers{
		matfunc.Logm[float32, complex64], matfunc.Logm[float64, complex128],
		matfunc.Logm[complex64, complex64], matfunc.Logm[complex128, complex128],
	})
}

// Signm is Sqrtm for signs.
func Signm(jobID, threads int64, a, x, flags uint64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, threads, "signm", a, x, flags, generalSolvers{
		matfunc.Signm[float32, complex64], matfunc.Signm[float64, complex128],
		matfunc.Signm[complex64, complex64], matfunc.Signm[complex128, complex128],
	})
}

// Power is Sqrtm for the power with an exponent that is no integer.
func Power(jobID, threads int64, a, x, flags uint64, exponent float64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, threads, "fractional_matrix_power", a, x, flags, generalSolvers{
		powerTo[float32, complex64](exponent), powerTo[float64, complex128](exponent),
		powerTo[complex64, complex64](exponent), powerTo[complex128, complex128](exponent),
	})
}

func powerTo[T dense.Scalar, C dense.Complex](exponent float64) generalSolver[T, C] {
	return func(team *sched.Team, a dense.View[T], x dense.View[C]) (matfunc.Outcome, error) {
		return matfunc.Power(team, a, exponent, x)
	}
}

// generalSolver is a function of matrices whose result may be complex.
type generalSolver[T dense.Scalar, C dense.Complex] func(team *sched.Team, a dense.View[T], x dense.View[C]) (matfunc.Outcome, error)

// generalSolvers are those of all dtypes.
type generalSolvers struct {
	single        generalSolver[float32, complex64]
	double        generalSolver[float64, complex128]
	singleComplex generalSolver[complex64, complex64]
	doubleComplex generalSolver[complex128, complex128]
}

func bySolver(jobID, threads int64, name string, a, x, flags uint64, solvers generalSolvers) (int64, error) {
	in, out, outcomes := descriptor(a), descriptor(x), newRows[float64](descriptor(flags))
	switch in.dtype {
	case float32Code:
		return solveGeneral(jobID, threads, name, in, out, outcomes, solvers.single)
	case float64Code:
		return solveGeneral(jobID, threads, name, in, out, outcomes, solvers.double)
	case complex64Code:
		return solveGeneral(jobID, threads, name, in, out, outcomes, solvers.singleComplex)
	}
	return solveGeneral(jobID, threads, name, in, out, outcomes, solvers.doubleComplex)
}

func solveGeneral[T dense.Scalar, C dense.Complex](jobID, threads int64, name string, a, x *array, flags rows[float64], solve generalSolver[T, C]) (int64, error) {
	matrices, results := newBatch[T](a), newBatch[C](x)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveSchur(team, matrices.count(), name, x.bytes(), matrices.order()); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			outcome, err := solve(team, matrices.at(k), results.at(k))
			met := flags.at(k)
			for i, flag := range []bool{outcome.Complex, outcome.Singular, outcome.Missing, outcome.IllConditioned} {
				met[i] = 0
				if flag {
					met[i] = 1
				}
			}
			met[4] = outcome.Residual
			return withNames(err)
		})
	})
}

// reserveSchur checks that the results and the workspace of functions that are computed by a Schur form fit.
func reserveSchur(team *sched.Team, count int, name string, results int64, order int) error {
	return reserveEach(team, count, name, results, func(team *sched.Team) int64 { return matfunc.SchurWorkspace(team, order) })
}

// Triangularize writes the complex Schur form T and the unitary Z of every matrix of the stack a, A = Z T Z^H, into complex stacks of the same shape and
// precision.
func Triangularize(jobID, threads int64, a, t, z uint64) (zero int64, err error) {
	defer guard(&err)
	in, form, factor := descriptor(a), descriptor(t), descriptor(z)
	switch in.dtype {
	case float32Code:
		return triangularize[float32, complex64](jobID, threads, in, form, factor)
	case float64Code:
		return triangularize[float64, complex128](jobID, threads, in, form, factor)
	case complex64Code:
		return triangularize[complex64, complex64](jobID, threads, in, form, factor)
	}
	return triangularize[complex128, complex128](jobID, threads, in, form, factor)
}

func triangularize[T dense.Scalar, C dense.Complex](jobID, threads int64, a, t, z *array) (int64, error) {
	matrices, forms, factors := newBatch[T](a), newBatch[C](t), newBatch[C](z)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveSchur(team, matrices.count(), "funm", t.bytes()+z.bytes(), matrices.order()); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return withNames(matfunc.Triangularize(team, matrices.at(k), forms.at(k), factors.at(k)))
		})
	})
}

// Parlett writes Z f(T) Z^H for every matrix of the complex stacks t and z into the stack x of the same dtype. values, a stack of vectors of complex128, has
// the values of f at the diagonal elements of T. conditions, a float64 stack of vectors of three elements, gets the smallest distance of two of these,
// the 1-norm of what is above the diagonal of T, and 1 if x is finite, else 0.
func Parlett(jobID, threads int64, t, z, values, x, conditions uint64) (zero int64, err error) {
	defer guard(&err)
	form, factor, out := descriptor(t), descriptor(z), descriptor(x)
	given, conditionsOf := newRows[complex128](descriptor(values)), newRows[float64](descriptor(conditions))
	if form.dtype == complex64Code {
		return parlett[complex64](jobID, threads, form, factor, out, given, conditionsOf)
	}
	return parlett[complex128](jobID, threads, form, factor, out, given, conditionsOf)
}

func parlett[C dense.Complex](jobID, threads int64, t, z, x *array, values rows[complex128], conditions rows[float64]) (int64, error) {
	forms, factors, results := newBatch[C](t), newBatch[C](z), newBatch[C](x)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveSchur(team, forms.count(), "funm", x.bytes(), forms.order()); err != nil {
			return 0, err
		}
		return 0, forEach(team, forms.count(), func(team *sched.Team, k int) error {
			smallest, err := matfunc.Parlett(team, forms.at(k), factors.at(k), values.at(k), results.at(k))
			finite := 0.0
			if err == nil && results.at(k).AllFinite() {
				finite = 1
			}
			copy(conditions.at(k), []float64{smallest, strictNorm(forms.at(k)), finite})
			return err
		})
	})
}

// strictNorm returns the 1-norm of what is above the diagonal of t.
func strictNorm[C dense.Complex](t dense.View[C]) (norm float64) {
	for j := range t.Cols {
		sum := 0.0
		for i := range j {
			sum += dense.Abs(t.At(i, j))
		}
		norm = math.Max(norm, sum)
	}
	return norm
}
