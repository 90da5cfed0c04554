package kernel

import "fmt"

// The functions below are what a reduction to tridiagonal form does with single vectors between two passes of Reduction. The vectors of a
// call have one length, a multiple of ReductionColumns.

// reflectionKernel says what is done with the vectors.
type reflectionKernel uint8

const (
	updateRow reflectionKernel = iota
	scaleTo
	combine
)

func checkVectors[E Scalar](n int, others ...[]E) {
	for _, x := range others {
		if len(x) != n || n%ReductionColumns[E]() != 0 {
			panic(fmt.Sprintf("kernel: reflections of vectors of %d and %d elements", n, len(x)))
		}
	}
}

// UpdateRow replaces z by conj(z) - conj(c) w - conj(d) v and returns the sum of |z_j|^2 over its new first count elements.
func UpdateRow[E Scalar](s Set, z []E, c E, w []E, d E, v []E, count int) (squares float64) {
	checkVectors(len(z), w, v)
	if count > len(z) {
		panic(fmt.Sprintf("kernel: squares of %d of %d elements", count, len(z)))
	}
	done := 0
	if s == Go {
		c, d = conjugate(c), conjugate(d)
		for j := range z {
			z[j] = conjugate(z[j]) - (c*w[j] + d*v[j])
		}
	} else {
		squares, done = reflectionAssembly(s, updateRow, z, v, w, c, d, count)
	}
	for _, x := range z[done:max(done, count)] {
		squares += square(x)
	}
	return squares
}

// ScaleTo replaces z and v by c z.
func ScaleTo[E Scalar](s Set, c E, z, v []E) {
	checkVectors(len(z), v)
	if s != Go {
		reflectionAssembly(s, scaleTo, z, v, nil, c, 0, 0)
		return
	}
	for j := range z {
		z[j] *= c
		v[j] = z[j]
	}
}

// Combine replaces z by c z + d re(z^H v) v; d is real.
func Combine[E Scalar](s Set, c E, z []E, d float64, v []E) {
	checkVectors(len(z), v)
	if s != Go {
		reflectionAssembly(s, combine, z, v, nil, c, fromReal[E](d), 0)
		return
	}
	product := 0.0
	for j, x := range z {
		product += realProduct(x, v[j])
	}
	d2 := fromReal[E](d * product)
	for j := range z {
		z[j] = c*z[j] + d2*v[j]
	}
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

// square returns |x|^2.
func square[E Scalar](x E) float64 { return realProduct(x, x) }

// realProduct returns the real part of conj(x) y.
func realProduct[E Scalar](x, y E) float64 {
	a, b := parts(x)
	c, d := parts(y)
	return a*c + b*d
}
