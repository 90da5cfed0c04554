// Package reduce brings Hermitian (real: symmetric) matrices to real symmetric tridiagonal form by unitary similarity
// transformations, and transforms eigenvectors back.
//
// Hermitian reduces a dense matrix by Householder reflections (Golub and Van Loan, Matrix Computations, 4th ed.,
// section 8.3.1; LAPACK's xSYTRD and xHETRD). Reflectors gathers the reflections into blocks, whose products have the
// compact WY form, and applies them to eigenvectors (xORMTR and xUNMTR). Band reduces a band matrix by rotations
// (xSBTRD and xHBTRD), for eigenvalues only.
package reduce
