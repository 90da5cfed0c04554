// Package vector holds the kernels of BLAS levels 1 and 2: fused dot products and axpys of several rows of a matrix, a
// pass over a triangle of a symmetric matrix, and scaling, sums and maxima of single vectors.
package vector
