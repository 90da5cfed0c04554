package secular

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Vectors stores, for each root origins[k] + shifts[k], the vector with the elements
//
//	Weights[j] / ((At[j] - origins[k]) - shifts[k])
//
// scaled to length 1, as row k of x: len(At) elements from x[k*stride] on. Sums are made in double precision. Before
// the scaling, elements are at most as large as the weights if each origin is the pole nearest to its root.
func Vectors[T kernel.Float](s kernel.Set, p Poles, origins, shifts []float64, x []T, stride int) {
	p.check()
	n, count := len(p.At), len(origins)
	if len(shifts) != count || count > 0 && (stride < 0 || (count-1)*stride+n > len(x)) {
		panic(fmt.Sprintf("secular: %d origins and %d shifts, %d poles, %d elements for vectors with a stride of %d",
			count, len(shifts), n, len(x), stride))
	}
	switch {
	case n == 0 || count == 0:
	case s == kernel.Go:
		for k, origin := range origins {
			vectorGo(p, origin, shifts[k], x[k*stride:][:n])
		}
	default:
		vectorsAssembly(s, p, origins, shifts, x, stride)
	}
}

func vectorGo[T kernel.Float](p Poles, origin, shift float64, x []T) {
	size, squares, weights := math.Abs(shift), 0.0, p.Weights[:len(x)]
	for j, at := range p.At[:len(x)] {
		element := weights[j] * (size / ((at - origin) - shift))
		squares += element * element
		x[j] = T(element)
	}
	factor := T(1 / math.Sqrt(squares))
	for j := range x {
		x[j] *= factor
	}
}

// Weights sets Weights[j], for first <= j < end, to the square root of the modulus of the product over all k of
//
//	((At[j] - origins[k]) - shifts[k]) / (At[j] - At[k])
//
// where a divisor of 0, as for k = j, counts as 1. Only the poles that fill up the last group may be equal to one
// another. origins and shifts are as long as the poles; for the poles that fill up they are the pole and 0, as Roots
// leaves them, and those weights become 0. first and end are multiples of PoleGroup.
//
// Products of four differences are formed, which must neither overflow nor underflow.
func Weights(s kernel.Set, p Poles, origins, shifts []float64, first, end int) {
	p.check()
	checkRange(p, origins, shifts, first, end)
	switch {
	case first == end:
	case s == kernel.Go:
		weightsGo(p, origins, shifts, first, end)
	default:
		weightsAssembly(s, p, origins, shifts, first, end)
	}
}

func weightsGo(p Poles, origins, shifts []float64, first, end int) {
	for j := first; j < end; j++ {
		at, product := p.At[j], 1.0
		for k, origin := range origins {
			divisor := at - p.At[k]
			if divisor == 0 {
				divisor = 1
			}
			product *= ((at - origin) - shifts[k]) / divisor
		}
		p.Weights[j] = math.Sqrt(math.Abs(product))
	}
}

// vectorsAssembly is Vectors for at least one root and one pole.
func vectorsAssembly[T kernel.Float](s kernel.Set, p Poles, origins, shifts []float64, x []T, stride int) {
	args := newArgs(p, origins, shifts)
	size := int(unsafe.Sizeof(x[0]))
	args.x, args.stride, args.count, args.steps = unsafe.Pointer(unsafe.SliceData(x)), stride*size, len(origins),
		len(p.At)/lanesOf(s)
	vectorsKernel(s, vec.FloatType[T](), &args)
}

// weightsAssembly is Weights for at least one group.
func weightsAssembly(s kernel.Set, p Poles, origins, shifts []float64, first, end int) {
	args := newArgs(p, origins, shifts)
	args.steps, args.first, args.count = len(p.At), first, (end-first)/lanesOf(s)
	weightsKernel(s, &args)
}
