package vec

import "trnsci/core/kernel"

// Dot returns the sum of a_j x_j. It keeps four sums, so that an addition need not wait for the one before it.
func Dot[T kernel.Float](a, x []T) T {
	x = x[:len(a)]
	var s0, s1, s2, s3 T
	j := 0
	for ; j+4 <= len(a); j += 4 {
		p, q := a[j:j+4:j+4], x[j:j+4:j+4]
		s0 += p[0] * q[0]
		s1 += p[1] * q[1]
		s2 += p[2] * q[2]
		s3 += p[3] * q[3]
	}
	for ; j < len(a); j++ {
		s0 += a[j] * x[j]
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds alpha a to y.
func Axpy[T kernel.Float](alpha T, a, y []T) {
	y = y[:len(a)]
	for j, v := range a {
		y[j] += alpha * v
	}
}

// Scale multiplies x by alpha.
func Scale[T kernel.Float](alpha T, x []T) {
	for i := range x {
		x[i] *= alpha
	}
}
