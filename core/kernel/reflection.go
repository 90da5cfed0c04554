package kernel

import "fmt"

// The functions below are what a reduction to tridiagonal form does with single vectors between two passes of Reduction. The vectors of a
// call have one length, a multiple of ReductionColumns.

// reflectionKernel says what is done with the vectors.
type reflectionKernel uint8

const (
	updateRow reflectionKernel = iota
	scaleTo
	advance
)

func checkVectors[E Scalar](n int, others ...[]E) {
	for _, x := range others {
		if len(x) != n || n%ReductionColumns[E]() != 0 {
			panic(fmt.Sprintf("kernel: reflections of vectors of %d and %d elements", n, len(x)))
		}
	}
}

// checkRow checks that a row is that of element i of n, and that it has count elements.
func checkRow(n, i, count int) {
	if i < 0 || i >= n || count < 0 || count > n {
		panic(fmt.Sprintf("kernel: element %d, squares of %d, of %d elements", i, count, n))
	}
}

// UpdateRow replaces z, row i of a matrix, by conj(z) - conj(v_i) w - conj(w_i) v, then clears v_i and w_i, and returns the sum of |z_j|^2 over the
// new first count elements.
func UpdateRow[E Scalar](s Set, z, v, w []E, i, count int) (squares float64) {
	checkVectors(len(z), v, w)
	checkRow(len(z), i, count)
	if s != Go {
		return reflectionAssembly(s, updateRow, z, v, w, 0, 0, i, count)
	}
	c, d := conjugate(v[i]), conjugate(w[i])
	for j := range z {
		z[j] = conjugate(z[j]) - (c*w[j] + d*v[j])
	}
	v[i], w[i] = 0, 0
	for _, x := range z[:count] {
		squares += realProduct(x, x)
	}
	return squares
}

// ScaleTo replaces z and v by c z, and clears y.
func ScaleTo[E Scalar](s Set, c E, z, v, y []E) {
	checkVectors(len(z), v, y)
	if s != Go {
		reflectionAssembly(s, scaleTo, z, v, y, c, 0, 0, 0)
		return
	}
	for j := range z {
		z[j] *= c
		v[j] = z[j]
	}
	clear(y)
}

// Advance replaces w by c w + d re(w^H v) v, with a real d, and then does UpdateRow's work.
func Advance[E Scalar](s Set, c E, d float64, z, v, w []E, i, count int) (squares float64) {
	checkVectors(len(z), v, w)
	checkRow(len(z), i, count)
	if s != Go {
		return reflectionAssembly(s, advance, z, v, w, c, fromReal[E](d), i, count)
	}
	product := 0.0
	for j, x := range w {
		product += realProduct(x, v[j])
	}
	d2 := fromReal[E](d * product)
	for j := range w {
		w[j] = c*w[j] + d2*v[j]
	}
	return UpdateRow(s, z, v, w, i, count)
}

// parts returns the real and the imaginary part of x.
func parts[E Scalar](x E) (re, im float64) {
	switch z := any(x).(type) {
	case float32:
		return float64(z), 0
	case float64:
		return z, 0
	case complex64:
		return float64(real(z)), float64(imag(z))
	}
	z := any(x).(complex128)
	return real(z), imag(z)
}

func fromReal[E Scalar](re float64) (x E) {
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(re)
	case *float64:
		*p = re
	case *complex64:
		*p = complex(float32(re), 0)
	case *complex128:
		*p = complex(re, 0)
	}
	return x
}

func conjugate[E Scalar](x E) E {
	switch p := any(&x).(type) {
	case *complex64:
		*p = complex(real(*p), -imag(*p))
	case *complex128:
		*p = complex(real(*p), -imag(*p))
	}
	return x
}

// realProduct returns the real part of conj(x) y.
func realProduct[E Scalar](x, y E) float64 {
	a, b := parts(x)
	c, d := parts(y)
	return a*c + b*d
}
