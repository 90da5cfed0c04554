//go:build !linux

package main

import "trnsci/core/dense"

// newMatrix returns a matrix of zeros.
func newMatrix[T dense.Scalar](rows, cols int) dense.Matrix[T] { return dense.New[T](rows, cols) }

// release gives back nothing: the garbage collector does.
func release() {}
