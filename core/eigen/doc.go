// Package eigen solves dense Hermitian (real: symmetric) eigenproblems, standard and generalized, of float32, float64,
// complex64 and complex128 matrices, and those of band and tridiagonal matrices. The arithmetic has the precision of
// the matrix, except that single precision matrices of orders below 40, and those of generalized, banded and
// tridiagonal problems in part, are solved in double precision and rounded once, at the end. Eigenvalues of tridiagonal
// matrices are always computed in double precision.
//
// # Method
//
// The matrix is reduced to a real tridiagonal one (package tridiag/reduce), whose eigenproblem is solved by divide and
// conquer (package tridiag). The reflections of the reduction are then applied to the eigenvectors, a block of them at
// a time (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989). Without eigenvectors the tridiagonal problem is
// solved by other algorithms, so the eigenvalues differ from those computed with eigenvectors by rounding errors.
//
// Several small matrices of one order, as in EighBatch, are solved together in the lanes of SIMD vectors, by the QL
// iteration.
//
// Generalized problems are transformed to standard form with the Cholesky factor of B (Martin and Wilkinson, "Reduction
// of the symmetric eigenproblem", Numer. Math. 11, 1968) or, if B is singular to working precision, with the
// eigenvectors of its larger eigenvalues (Löwdin, Adv. Quantum Chem. 5, 1970).
//
// A subset of the eigenpairs is selected after all eigenvalues have been found; it saves work on eigenvectors only.
//
// Options.Jacobi asks for Jacobi's method, which rotates pairs of rows (Demmel and Veselic, SIAM J. Matrix Anal. Appl.
// 13, 1992). EighTridiagonal and EighBanded skip the steps that their matrices do not need.
//
// # Phase
//
// Eigenvectors are unique up to a factor of modulus 1 at best. The factor is chosen so that the first component whose
// modulus is at least nine tenths of the largest one is real and positive. Without this margin, rounding errors would
// decide between several components of the largest modulus.
//
// # Range
//
// Matrices whose largest element is very large or very small are scaled by a power of two first, so that every finite
// matrix is solved. An eigenvalue beyond the range of the dtype is rounded to an infinity.
package eigen
