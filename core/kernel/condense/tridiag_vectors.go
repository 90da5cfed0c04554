package condense

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// The functions below work on single vectors between two passes of TridiagStep. The vectors of a call have the same
// length, a multiple of LineElements.

// vectorsKernel is one of the functions, as assembly numbers them.
type vectorsKernel uint8

const (
	updateRow vectorsKernel = iota
	scaleTo
	advance
)

func checkVectors[E kernel.Scalar](n int, others ...[]E) {
	for _, x := range others {
		if len(x) != n || n%LineElements[E]() != 0 {
			panic(fmt.Sprintf("condense: reflections of vectors of %d and %d elements", n, len(x)))
		}
	}
}

// checkRow panics unless i is the number of an element of n, and count a number of them.
func checkRow(n, i, count int) {
	if i < 0 || i >= n || count < 0 || count > n {
		panic(fmt.Sprintf("condense: element %d, squares of %d, of %d elements", i, count, n))
	}
}

// UpdateRow replaces z, row i of a matrix, by conj(z) - conj(v_i) w - conj(w_i) v and clears v_i and w_i. It returns
// the sum of |z_j|^2 over the first count elements of the new z.
func UpdateRow[E kernel.Scalar](s kernel.Set, z, v, w []E, i, count int) (squares float64) {
	checkVectors(len(z), v, w)
	checkRow(len(z), i, count)
	if s != kernel.Go {
		return vectorsAssembly(s, updateRow, z, v, w, 0, 0, i, count)
	}
	c, d := vec.Conj(v[i]), vec.Conj(w[i])
	for j := range z {
		z[j] = vec.Conj(z[j]) - (c*w[j] + d*v[j])
	}
	v[i], w[i] = 0, 0
	for _, x := range z[:count] {
		squares += vec.RealDot(x, x)
	}
	return squares
}

// ScaleTo replaces z and v by c z, and clears y.
func ScaleTo[E kernel.Scalar](s kernel.Set, c E, z, v, y []E) {
	checkVectors(len(z), v, y)
	if s != kernel.Go {
		vectorsAssembly(s, scaleTo, z, v, y, c, 0, 0, 0)
		return
	}
	for j := range z {
		z[j] *= c
		v[j] = z[j]
	}
	clear(y)
}

// Advance replaces w by c w + d Re(w^H v) v, with a real d, and then does what UpdateRow does.
func Advance[E kernel.Scalar](s kernel.Set, c E, d float64, z, v, w []E, i, count int) (squares float64) {
	checkVectors(len(z), v, w)
	checkRow(len(z), i, count)
	if s != kernel.Go {
		return vectorsAssembly(s, advance, z, v, w, c, vec.FromReal[E](d), i, count)
	}
	product := 0.0
	for j, x := range w {
		product += vec.RealDot(x, v[j])
	}
	d2 := vec.FromReal[E](d * product)
	for j := range w {
		w[j] = c*w[j] + d2*v[j]
	}
	return UpdateRow(s, z, v, w, i, count)
}

// vectorsAssembly runs one of the passes over vectors. It returns the sum of squares of UpdateRow and Advance.
func vectorsAssembly[E kernel.Scalar](s kernel.Set, k vectorsKernel, z, v, w []E, c, d E, i,
	count int) (squares float64) {
	l := vec.TypeOf[E]()
	var factors, sum [4]float64
	factors[0], factors[1] = vec.Parts(c)
	factors[2], factors[3] = vec.Parts(d)
	if !l.IsDouble() {
		narrow(&factors)
	}
	args := newVectorsArgs(s, l, k, len(z), i, count)
	args.z, args.v = unsafe.Pointer(unsafe.SliceData(z)), unsafe.Pointer(unsafe.SliceData(v))
	args.w = unsafe.Pointer(unsafe.SliceData(w))
	args.factors, args.sum = unsafe.Pointer(&factors), unsafe.Pointer(&sum)
	tridiagVectorsKernel(s, l, &args)
	if !l.IsDouble() {
		sum[0] = float64(*(*float32)(unsafe.Pointer(&sum)))
	}
	return sum[0]
}

// newVectorsArgs returns arguments without vectors, factors and sum for n elements. It is not generic so that what it
// calls is inlined in every program; see docs/decisions/0017-packages.md.
func newVectorsArgs(s kernel.Set, l vec.Type, k vectorsKernel, n, i, count int) vectorsArgs {
	size, shift := l.Bytes(), vec.Shift(s)
	summed := count * size >> shift
	rest := count*size - summed*vec.Bytes(s)
	return vectorsArgs{
		signs: l.ImagSigns(), lanes: vec.Mask(rest), mask: 1<<(rest/l.RealBytes()) - 1,
		kernel: uint64(k), steps: n * size >> shift, summed: summed, at: i * size,
	}
}

// narrow puts the numbers of x, rounded to single precision, into the first half of its memory.
func narrow(x *[4]float64) {
	single := (*[4]float32)(unsafe.Pointer(x))
	for i, value := range *x {
		single[i] = float32(value)
	}
}
