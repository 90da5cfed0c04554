// Package reduce brings Hermitian (real: symmetric) matrices to real symmetric tridiagonal form by unitary similarity
// transformations.
//
// Hermitian reduces a dense matrix by Householder reflections (Golub and Van Loan, Matrix Computations, 4th ed.,
// section 8.3.1; LAPACK's xSYTRD and xHETRD); householder.GatherRows and ApplyBlocks transform eigenvectors back. Band
// reduces a band matrix by rotations (xSBTRD and xHBTRD), for eigenvalues only.
package reduce
