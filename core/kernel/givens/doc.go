// Package givens applies sequences of plane rotations to neighbouring rows of a matrix, as LAPACK's xLASR does: real
// rotations to real rows, complex rotations to rows of complex numbers; and to neighbouring columns of real ones.
package givens
