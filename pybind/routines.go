package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// routines holds, for one dtype, the functions of the BLAS and the others that exist for every dtype.
type routines interface {
	level1Routines
	level2Routines
	level3Routines
	matrixFunctions
	generalRoutines
	bandRoutines
	solve(team *sched.Team, c *record.BLAS, with solver) error
	cholesky(jobID int64, c *record.Cholesky) (int64, error)
	ldl(jobID int64, c *record.LDL) (int64, error)
	qrUpdate(jobID int64, c *record.QRUpdate) (int64, error)
	luFactor(jobID int64, c *record.LUFactor) (int64, error)
	luSolve(jobID int64, c *record.LUSolve) (int64, error)
	determinant(jobID int64, c *record.Determinant) (int64, error)
	solveSystems(jobID int64, name string, c *record.LinearSystem) (int64, error)
	smallLUFactor(a, out, pivots uint64, n int, checkFinite bool) (int64, error)
	qr(jobID int64, c *record.QR) (int64, error)
	rq(jobID int64, c *record.QR) (int64, error)
	smallCholesky(a, out uint64, n int, lower, checkFinite bool) error
}

// routinesOf implements routines.
type routinesOf[T dense.Scalar] struct{}

// byDtype holds the routines by dtype code.
var byDtype = [...]routines{
	record.Float32:    routinesOf[float32]{},
	record.Float64:    routinesOf[float64]{},
	record.Complex64:  routinesOf[complex64]{},
	record.Complex128: routinesOf[complex128]{},
}

// level1Routines holds level 1 of the BLAS.
type level1Routines interface {
	axpy(alpha complex128, x, y *record.Array)
	scal(alpha complex128, x *record.Array)
	dot(x, y, out *record.Array, conjugate bool)
	nrm2(x, out *record.Array)
	asum(x, out *record.Array)
	iamax(x *record.Array) int
}

// level2Routines holds level 2.
type level2Routines interface {
	gemv(team *sched.Team, c *record.BLAS)
	symv(team *sched.Team, c *record.BLAS)
	triangularVector(team *sched.Team, c *record.BLAS)
	ger(team *sched.Team, c *record.BLAS)
	syr(team *sched.Team, c *record.BLAS) error
	syr2(team *sched.Team, c *record.BLAS) error
}

// level3Routines holds level 3.
type level3Routines interface {
	gemm(team *sched.Team, c *record.BLAS) error
	gemmt(team *sched.Team, c *record.BLAS) error
	symm(team *sched.Team, c *record.BLAS) error
	syrk(team *sched.Team, c *record.BLAS) error
	syr2k(team *sched.Team, c *record.BLAS) error
	triangular(team *sched.Team, c *record.BLAS) error
	product(team *sched.Team, p *plainProduct) int64
}

// plainProduct is a stack of products C = alpha op(A) op(B) with op(A) m x k and op(B) k x n, all stored without gaps.
type plainProduct struct {
	a, b, c        uint64 // addresses of array objects
	count, m, n, k int
	transA, transB blas.Transpose
	alpha          float64
}

// matrixFunctions holds the functions of matrices for one dtype.
type matrixFunctions interface {
	expm(jobID int64, c *record.MatrixPower) (int64, error)
	expmFrechet(jobID int64, c *record.ExpmFrechet) (int64, error)
	expmCond(jobID int64, c *record.ExpmCond) (int64, error)
	integerPower(jobID int64, c *record.MatrixPower) (int64, error)
	invSqrtSPD(jobID int64, c *record.InvSqrtSPD) (int64, error)
	triangularize(jobID int64, c *record.Triangularize) (int64, error)
}

// generalRoutines holds, for one dtype, the decompositions of general matrices and the functions built on them.
type generalRoutines interface {
	schur(jobID int64, c *record.Schur) (int64, error)
	hessenberg(jobID int64, c *record.Hessenberg) (int64, error)
	balance(jobID int64, c *record.Balance) (int64, error)
	eigenvalues(jobID int64, c *record.SchurEigenvalues) (int64, error)
	order(jobID int64, c *record.SchurOrder) (int64, error)
	condition(jobID int64, c *record.SchurCondition) (int64, error)
	eig(jobID int64, c *record.Eig) (int64, error)
	generalizedSchur(jobID int64, c *record.QZ) (int64, error)
	generalizedEigen(jobID int64, c *record.QZEigen) (int64, error)
	smallSchur(a, t, z uint64, n int, checkFinite bool) error
	smallQZ(a, b, s, p, q, z uint64, n int, checkFinite bool) error
	smallEig(arrays eigArrays, homogeneous, checkFinite bool) (int64, error)
	solveEquations(jobID int64, name string, c *record.Equation, solve equation) (int64, error)
}

// A solver says what the matrix of a system of equations is: a triangle or a Cholesky factor.
type solver int

const (
	triangle solver = iota
	choleskyFactor
)

// An equation is a kind of matrix equation.
type equation int

const (
	sylvesterEquation        equation = iota // A X + X B = Q
	lyapunovEquation                         // A X + X A^H = Q
	discreteLyapunovEquation                 // A X A^H - X + Q = 0
)
