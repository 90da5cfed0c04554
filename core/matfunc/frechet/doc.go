// Package frechet computes derivatives of the exponential of matrices, and its condition number, which is a norm of the
// derivative. Arithmetic is in double precision for every element type.
package frechet
