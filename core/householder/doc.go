// Package householder holds the elementary unitary matrices that reductions to condensed forms and QR iterations are
// built of: Householder reflectors, products of them in compact WY form, and Givens rotations.
//
// A reflector is H = I - tau v v^H with v[0] = 1 unless a function says otherwise. tau = 0 stands for the identity.
//
//	Generate           larfg: H^H x = beta e_1 with real beta, for vectors of any size
//	GenerateUnscaled   the same by plain sums of squares, for vectors whose squares are safe; v is left to the caller
//	GenerateReal       larfg with a real beta for any x, by the faster of the two above
//	GenerateHermitian  H x = beta e_1 with real tau, so that H is Hermitian; beta has the phase of -x[0]
//	GenerateFromNorm   larfg for a caller that knows the norm of x, with the pivot behind x
//	New2, New3         reflectors of two complex and of three real elements, for the bulges of QR sweeps
//	ApplyLeft, ApplyRight   larf
//	ExtendTriangle, MultiplyTriangleAdjoint   larft, a column of T at a time
//	Block              larft and larfb for the reflectors of a tridiagonal reduction: reflector i has length i, and
//	                   I - V T V^H is applied to rows. T is lower triangular, that of ExtendTriangle upper triangular
//	QR                 geqrf and ungqr with the reflectors of GenerateHermitian, by panels in compact WY form
//	ToFirst, ToSecond  lartg: Givens rotations that eliminate one element of a pair
//	RotateRows, RotateReal, RotateColumns   rot
//	Normalize          a rotation's c and s with c^2 + s^2 = 1 to a rounding error
//
// The variants of one operation differ in rounding or in their requirements, and each says how. None
// allocates, except where it says so, and none looks at cancellation, except where a team is passed.
//
// Sources: Golub and Van Loan, Matrix Computations, 4th ed., sections 5.1 and 5.2; Lehoucq, The computation of
// elementary unitary matrices, ACM Trans. Math. Softw. 22, 1996; Schreiber and Van Loan, A storage-efficient WY
// representation for products of Householder transformations, SIAM J. Sci. Stat. Comput. 10, 1989.
package householder
