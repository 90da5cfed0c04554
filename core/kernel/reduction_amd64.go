//go:build !noasm

package kernel

import "unsafe"

// imaginarySigns and imaginarySigns32 hold the sign bits of the imaginary parts in a vector of complex numbers.
var (
	imaginarySigns   = signBits([2]float64{1, -1})
	imaginarySigns32 = signBits([2]float32{1, -1})
)

// layout is what the kernels of reductions know of an element type.
type layout struct {
	bytes   int
	complex bool
	double  bool
}

func layoutOf[E Scalar]() layout {
	switch any(E(0)).(type) {
	case float32:
		return layout{bytes: 4}
	case float64:
		return layout{bytes: 8, double: true}
	case complex64:
		return layout{bytes: 8, complex: true}
	}
	return layout{bytes: 16, complex: true, double: true}
}

// realBytes returns the size of a real number.
func (l layout) realBytes() int {
	if l.double {
		return 8
	}
	return 4
}

func (l layout) signs() unsafe.Pointer {
	if l.double {
		return unsafe.Pointer(&imaginarySigns)
	}
	return unsafe.Pointer(&imaginarySigns32)
}

// groupRows returns the rows that the kernel of a set takes together.
func (l layout) groupRows(s Set) int {
	rows := 8
	if s == AVX2 {
		rows = 4
	}
	if l.complex {
		rows /= 2
	}
	return rows
}

// reductionAssembly does the pass in assembly.
func reductionAssembly[E Scalar](s Set, r *Reduction[E]) {
	l := layoutOf[E]()
	args := reductionArgs{
		a: unsafe.Pointer(&r.A[0]), v: unsafe.Pointer(&r.V[0]), w: unsafe.Pointer(&r.W[0]), x: unsafe.Pointer(&r.X[0]), y: unsafe.Pointer(&r.Y[0]),
		lanes: unsafe.Pointer(&laneMasks[len(laneMasks)/2]), signs: l.signs(),
		stride: r.Stride * l.bytes, first: r.First * l.bytes, groups: r.Rows / l.groupRows(s),
	}
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && l.complex && l.double:
		reduceC128AVX512(block)
	case s == AVX512 && l.complex:
		reduceC64AVX512(block)
	case s == AVX512 && l.double:
		reduceF64AVX512(block)
	case s == AVX512:
		reduceF32AVX512(block)
	case s == AVX2 && l.complex && l.double:
		reduceC128AVX2(block)
	case s == AVX2 && l.complex:
		reduceC64AVX2(block)
	case s == AVX2 && l.double:
		reduceF64AVX2(block)
	case s == AVX2:
		reduceF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
}

// reflectionAssembly runs one of the passes over vectors. It returns the sum of squares of UpdateRow and Advance.
func reflectionAssembly[E Scalar](s Set, k reflectionKernel, z, v, w []E, c, d E, i, count int) (squares float64) {
	l := layoutOf[E]()
	var factors, sum [4]float64
	factors[0], factors[1] = parts(c)
	factors[2], factors[3] = parts(d)
	if !l.double {
		narrow(&factors)
	}
	summed := count * l.bytes / vectorBytes[s]
	rest := count*l.bytes - summed*vectorBytes[s]
	args := reflectionArgs{
		z: unsafe.Pointer(unsafe.SliceData(z)), v: unsafe.Pointer(unsafe.SliceData(v)), w: unsafe.Pointer(unsafe.SliceData(w)),
		factors: unsafe.Pointer(&factors), signs: l.signs(), sum: unsafe.Pointer(&sum), lanes: lanesOfBytes(rest),
		kernel: uint64(k), steps: len(z) * l.bytes / vectorBytes[s], summed: summed, mask: 1<<(rest/l.realBytes()) - 1, at: i * l.bytes,
	}
	block := (*byte)(unsafe.Pointer(&args))
	switch {
	case s == AVX512 && l.complex && l.double:
		reflectC128AVX512(block)
	case s == AVX512 && l.complex:
		reflectC64AVX512(block)
	case s == AVX512 && l.double:
		reflectF64AVX512(block)
	case s == AVX512:
		reflectF32AVX512(block)
	case s == AVX2 && l.complex && l.double:
		reflectC128AVX2(block)
	case s == AVX2 && l.complex:
		reflectC64AVX2(block)
	case s == AVX2 && l.double:
		reflectF64AVX2(block)
	case s == AVX2:
		reflectF32AVX2(block)
	default:
		panic("kernel: no assembly for " + s.String())
	}
	if !l.double {
		sum[0] = float64(*(*float32)(unsafe.Pointer(&sum)))
	}
	return sum[0]
}

// lanesOfBytes returns a vector of AVX2 that selects the first bytes of another.
func lanesOfBytes(bytes int) unsafe.Pointer {
	const wordBytes = 4 // of laneMasks
	return unsafe.Pointer(&laneMasks[len(laneMasks)/2-min(bytes/wordBytes, len(laneMasks)/2)])
}

// narrow puts the numbers of x, rounded to single precision, into the first half of its memory.
func narrow(x *[4]float64) {
	single := (*[4]float32)(unsafe.Pointer(x))
	for i, value := range *x {
		single[i] = float32(value)
	}
}
