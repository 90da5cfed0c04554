// Package svd computes singular value decompositions of dense matrices.
//
// # Method
//
// A matrix with more columns than rows is transposed. One with many more rows than columns is replaced by its
// triangular factor (Chan, "An improved algorithm for computing the singular value decomposition", ACM Trans. Math.
// Softw. 8, 1982). The matrix is reduced to bidiagonal form by Householder reflectors, in panels; the bidiagonal matrix
// is decomposed by divide and conquer, in package tridiag, and the reflectors are applied to its singular vectors. This
// is what LAPACK's xGESDD does.
package svd
