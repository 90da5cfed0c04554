// Package vec is shared by the kernel packages: the sizes of vectors, masks and sign
// bits that assembly loads, the arguments of kernels that work on strips of columns, and scalar helpers and loops of
// the plain Go kernels.
package vec
