package pybind

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/matfunc"
	"trnsci/core/matfunc/frechet"
	"trnsci/core/sched"
	"trnsci/pybind/record"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/invsqrt"
	"trnsci/trnbackend/programs/product"
)

// eachMatrix calls do for every matrix of the stack a and its result in the stack x. workspace returns the bytes of
// workspace of one call.
func eachMatrix[T, X dense.Scalar](jobID int64, threads record.Team, name string, a, x *record.Array,
	workspace func(team *sched.Team, n int) int64,
	do func(team *sched.Team, k int, a dense.View[T], x dense.View[X]) error) (int64, error) {
	matrices, results := newBatch[T](a), newBatch[X](x)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), name, x.Bytes(), func(team *sched.Team) int64 {
			return workspace(team, matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return do(team, k, matrices.at(k), results.at(k))
		})
	})
}

// Expm writes the exponential of every matrix of the stack A into the stack X, of the same shape and dtype.
func Expm(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.MatrixPower](address)
	return byDtype[c.A.Dtype].expm(jobID, c)
}

func (routinesOf[T]) expm(jobID int64, c *record.MatrixPower) (int64, error) {
	return eachMatrix(jobID, c.Team, "expm", c.A, c.X, matfunc.ExpmWorkspace[T],
		func(team *sched.Team, _ int, a, x dense.View[T]) error { return matfunc.Expm(team, a, x) })
}

// ExpmFrechet writes the derivative of the exponential at every matrix of the stack A in the direction of the matrix of
// the stack E into the stack Derivative, all of the same shape and dtype.
func ExpmFrechet(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.ExpmFrechet](address)
	return byDtype[c.A.Dtype].expmFrechet(jobID, c)
}

func (routinesOf[T]) expmFrechet(jobID int64, c *record.ExpmFrechet) (int64, error) {
	directions := newBatch[T](c.E)
	return eachMatrix(jobID, c.Team, "expm_frechet", c.A, c.Derivative, frechet.Workspace[T],
		func(team *sched.Team, k int, a, l dense.View[T]) error {
			return frechet.Expm(team, a, directions.at(k), l)
		})
}

// ExpmCond writes the condition number of the exponential at every matrix of the stack A into Conditions, a vector.
func ExpmCond(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.ExpmCond](address)
	return byDtype[c.A.Dtype].expmCond(jobID, c)
}

func (routinesOf[T]) expmCond(jobID int64, c *record.ExpmCond) (int64, error) {
	conditions := vector[float64](c.Conditions)
	return eachMatrix(jobID, c.Team, "expm_cond", c.A, c.A, frechet.Workspace[T],
		func(team *sched.Team, k int, a, _ dense.View[T]) (err error) {
			conditions[k], err = frechet.Condition(team, a)
			return err
		})
}

// IntegerPower writes the power of every matrix of the stack A into the stack X, of the same shape and dtype.
func IntegerPower(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.MatrixPower](address)
	return byDtype[c.A.Dtype].integerPower(jobID, c)
}

func (routinesOf[T]) integerPower(jobID int64, c *record.MatrixPower) (int64, error) {
	return eachMatrix(jobID, c.Team, "fractional_matrix_power", c.A, c.X, matfunc.IntegerPowerWorkspace[T],
		func(team *sched.Team, _ int, a, x dense.View[T]) error {
			return matfunc.IntegerPower(team, a, int64(c.Exponent), x)
		})
}

// Sqrtm writes the square root of every matrix of the stack A into the complex stack X, of the same shape and
// precision. Met, a stack of vectors of four flags, says whether the result is complex, whether the matrix is singular,
// whether the function does not exist, and whether the result lost half of its digits. Residuals, a vector, receives
// the residual of each member.
func Sqrtm(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, "sqrtm", record.At[record.MatrixFunction](address), generalSolvers{
		matfunc.Sqrtm[float32, complex64], matfunc.Sqrtm[float64, complex128],
		matfunc.Sqrtm[complex64, complex64], matfunc.Sqrtm[complex128, complex128],
	})
}

// Logm is Sqrtm for logarithms.
func Logm(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, "logm", record.At[record.MatrixFunction](address), generalSolvers{
		matfunc.Logm[float32, complex64], matfunc.Logm[float64, complex128],
		matfunc.Logm[complex64, complex64], matfunc.Logm[complex128, complex128],
	})
}

// Signm is Sqrtm for signs.
func Signm(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	return bySolver(jobID, "signm", record.At[record.MatrixFunction](address), generalSolvers{
		matfunc.Signm[float32, complex64], matfunc.Signm[float64, complex128],
		matfunc.Signm[complex64, complex64], matfunc.Signm[complex128, complex128],
	})
}

// Power is Sqrtm for powers with exponents that are not integers.
func Power(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.MatrixFunction](address)
	return bySolver(jobID, "fractional_matrix_power", c, generalSolvers{
		powerTo[float32, complex64](c.Exponent), powerTo[float64, complex128](c.Exponent),
		powerTo[complex64, complex64](c.Exponent), powerTo[complex128, complex128](c.Exponent),
	})
}

func powerTo[T dense.Scalar, C dense.Complex](exponent float64) generalSolver[T, C] {
	return func(team *sched.Team, a dense.View[T], x dense.View[C]) (matfunc.Outcome, error) {
		return matfunc.Power(team, a, exponent, x)
	}
}

// generalSolver is a function of matrices whose result may be complex.
type generalSolver[T dense.Scalar, C dense.Complex] func(team *sched.Team, a dense.View[T],
	x dense.View[C]) (matfunc.Outcome, error)

// generalSolvers holds one such function for each dtype.
type generalSolvers struct {
	single        generalSolver[float32, complex64]
	double        generalSolver[float64, complex128]
	singleComplex generalSolver[complex64, complex64]
	doubleComplex generalSolver[complex128, complex128]
}

func bySolver(jobID int64, name string, c *record.MatrixFunction, solvers generalSolvers) (int64, error) {
	switch c.A.Dtype {
	case record.Float32:
		return solveGeneral(jobID, name, c, solvers.single)
	case record.Float64:
		return solveGeneral(jobID, name, c, solvers.double)
	case record.Complex64:
		return solveGeneral(jobID, name, c, solvers.singleComplex)
	}
	return solveGeneral(jobID, name, c, solvers.doubleComplex)
}

func solveGeneral[T dense.Scalar, C dense.Complex](jobID int64, name string, c *record.MatrixFunction,
	solve generalSolver[T, C]) (int64, error) {
	met, residuals := newRows[bool](c.Met), vector[float64](c.Residuals)
	return eachMatrix(jobID, c.Team, name, c.A, c.X, matfunc.SchurWorkspace,
		func(team *sched.Team, k int, a dense.View[T], x dense.View[C]) error {
			outcome, err := solve(team, a, x)
			copy(met.at(k), []bool{outcome.Complex, outcome.Singular, outcome.Missing, outcome.IllConditioned})
			residuals[k] = outcome.Residual
			return withNames(err)
		})
}

// Triangularize writes the complex Schur form T and the unitary Z of every matrix of the stack A, A = Z T Z^H, into
// complex stacks of the same shape and precision.
func Triangularize(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Triangularize](address)
	return byDtype[c.A.Dtype].triangularize(jobID, c)
}

func (routinesOf[T]) triangularize(jobID int64, c *record.Triangularize) (int64, error) {
	if dense.IsSingle[T]() {
		return triangularize[T, complex64](jobID, c)
	}
	return triangularize[T, complex128](jobID, c)
}

func triangularize[T dense.Scalar, C dense.Complex](jobID int64, c *record.Triangularize) (int64, error) {
	matrices, forms, factors := newBatch[T](c.A), newBatch[C](c.T), newBatch[C](c.Z)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "funm", c.T.Bytes()+c.Z.Bytes(), func(team *sched.Team) int64 {
			return matfunc.SchurWorkspace(team, matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			return withNames(matfunc.Triangularize(team, matrices.at(k), forms.at(k), factors.at(k)))
		})
	})
}

// Parlett writes Z f(T) Z^H for every matrix of the complex stacks T and Z into the stack X of the same dtype. Values,
// a stack of vectors, holds the values of f at the diagonal elements of T. Conditions, a stack of vectors of two
// elements, receives the smallest distance between two diagonal elements of T and the 1-norm of its strict upper
// triangle. Finite, a vector, receives whether X is finite.
func Parlett(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Parlett](address)
	if c.T.Dtype == record.Complex64 {
		return parlett[complex64](jobID, c)
	}
	return parlett[complex128](jobID, c)
}

func parlett[C dense.Complex](jobID int64, c *record.Parlett) (int64, error) {
	factors, values := newBatch[C](c.Z), newRows[complex128](c.Values)
	conditions, finite := newRows[float64](c.Conditions), vector[bool](c.Finite)
	return eachMatrix(jobID, c.Team, "funm", c.T, c.X, matfunc.SchurWorkspace,
		func(team *sched.Team, k int, t, x dense.View[C]) error {
			smallest, err := matfunc.Parlett(team, t, factors.at(k), values.at(k), x)
			finite[k] = err == nil && x.AllFinite()
			copy(conditions.at(k), []float64{smallest, strictNorm(t)})
			return err
		})
}

// strictNorm returns the 1-norm of the strict upper triangle of t.
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

// InvSqrtSPD writes the inverse square root of every matrix of the stack A into the stack X, of the same shape and
// dtype, and the number of eigenvalues that were dropped into Dropped, a vector. A threshold of 0 means the default.
func InvSqrtSPD(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.InvSqrtSPD](address)
	return byDtype[c.A.Dtype].invSqrtSPD(jobID, c)
}

func (routinesOf[T]) invSqrtSPD(jobID int64, c *record.InvSqrtSPD) (int64, error) {
	counts := vector[int64](c.Dropped)
	return eachMatrix(jobID, c.Team, "inv_sqrt_spd", c.A, c.X, matfunc.Workspace[T],
		func(team *sched.Team, k int, a, x dense.View[T]) error {
			options := matfunc.Options{Team: team, Threshold: c.Threshold, SkipFiniteCheck: !c.CheckFinite}
			dropped, err := matfunc.InvSqrtSPD(a, x, options)
			counts[k] = int64(dropped)
			return err
		})
}

// DeviceInvSqrtSPD writes the inverse square root of every matrix of the real stack A into the row-major stack X,
// computed on a device by the Newton-Schulz iteration in a precision of package core/precision; an empty name is the
// default one. With CheckFinite infinities and NaNs are errors anywhere in A, otherwise only in the lower triangles. It
// returns the number of the report.
func DeviceInvSqrtSPD(jobID int64, address uint64) (report int64, err error) {
	defer guard(&err)
	c := record.At[record.DeviceInvSqrtSPD](address)
	return onDevice(jobID, c.Team, c.Device, nil, func(team *sched.Team, on *device.Call) error {
		if c.A.Dtype == record.Float32 {
			return deviceInvSqrtSPD[float32](team, on, c)
		}
		return deviceInvSqrtSPD[float64](team, on, c)
	})
}

func deviceInvSqrtSPD[T dense.Float](team *sched.Team, on *device.Call, c *record.DeviceInvSqrtSPD) error {
	p, err := product.Choose(on.Caps(), c.Precision, c.A.Dtype == record.Float64)
	if err != nil {
		return err
	}
	matrices := newBatch[T](c.A)
	for k, x := range members[T](c.X) {
		if c.CheckFinite {
			err = blas.CheckFinite(team, matrices.at(k), "a")
		}
		if err == nil {
			dense.Copy(x.View(), matrices.at(k))
			err = invsqrt.NewtonSchulz(on, p, x, x)
		}
		if err != nil {
			if matrices.count() > 1 {
				err = &memberError{member: k, err: err}
			}
			return err
		}
	}
	return nil
}
