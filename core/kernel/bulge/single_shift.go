package bulge

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// SingleShiftChase is a sequence of steps that chase a bulge down an upper Hessenberg matrix, as in an implicit
// single-shift QR sweep. Element (i, j) is A[i*Stride+j]. Step k, from First on, makes the reflector of the rows k+1
// and k+2 that maps column k to a multiple of the first unit vector. It applies it
//
//   - from the left to the columns up to End-1, which include k+1 and k+2;
//   - from the right to the rows from Top up to k+3, but at most Last.
//
// If Start is not nil, the first step has no column: its reflector maps Start to a multiple of the first unit vector,
// and First may be -1. The reflectors go to Reflectors, one for each step.
type SingleShiftChase[C kernel.Complex] struct {
	A                []C
	Stride           int
	First, Last, End int
	Top              int
	Start            *[2]C
	Reflectors       []Householder2[C]
}

// Run does the steps and returns their number. It ends before a step whose column has nothing to eliminate, or elements
// whose squares may overflow or underflow. Nothing outside of the rows and columns named above is read or written.
func (b *SingleShiftChase[C]) Run(s kernel.Set) (steps int) {
	if len(b.Reflectors) == 0 {
		return 0
	}
	b.check()
	if s != kernel.Go {
		return singleShiftAssembly(s, b)
	}
	start := b.Start
	for i := range b.Reflectors {
		if !b.step(b.First+i, start, &b.Reflectors[i]) {
			return i
		}
		start = nil
	}
	return len(b.Reflectors)
}

func (b *SingleShiftChase[C]) check() {
	last := b.First + len(b.Reflectors) - 1 // step
	row, first := min(last+3, b.Last), b.First
	if b.Start != nil {
		first++
	}
	if first < 0 || b.Top < 0 || b.Top > b.First+1 || b.Last < last+2 || b.End < last+3 || b.Stride < b.End ||
		row*b.Stride+b.End > len(b.A) {
		panic(fmt.Sprintf("bulge: %d steps of a bulge of two rows from %d on, rows %d to %d, columns to %d, stride "+
			"%d, length %d",
			len(b.Reflectors), b.First, b.Top, b.Last, b.End, b.Stride, len(b.A)))
	}
}

// column returns the elements that step k eliminates.
func (b *SingleShiftChase[C]) column(k int, start *[2]C) (x, y *C) {
	if start != nil {
		return &start[0], &start[1]
	}
	return &b.A[(k+1)*b.Stride+k], &b.A[(k+2)*b.Stride+k]
}

// safeModuli returns the bounds of squares of moduli that neither overflow nor underflow.
func safeModuli[C kernel.Complex]() (least, most float64) {
	if _, single := any(C(0)).(complex64); single {
		low, high := safeSquares[float32]()
		return float64(low), float64(high)
	}
	return safeSquares[float64]()
}

func (b *SingleShiftChase[C]) step(k int, start *[2]C, r *Householder2[C]) bool {
	px, py := b.column(k, start)
	x, y := *px, *py
	least, most := safeModuli[C]()
	ofX, ofY := vec.AbsSquared(x), vec.AbsSquared(y)
	sum := ofX + ofY
	if !(ofX >= least && sum <= most && ofY > 0) {
		return false
	}
	modulus, norm := math.Sqrt(ofX), math.Sqrt(sum)
	r.T0 = vec.FromReal[C](1 + modulus/norm)
	r.T1 = y * vec.Conj(x) * vec.FromReal[C](1/(modulus*norm))
	r.V = r.T1 * (1 / r.T0)
	if start == nil {
		*px, *py = -x*vec.FromReal[C](norm/modulus), 0
	}
	ReflectRowPairs(kernel.Go, []Householder2[C]{*r}, false, b.A[(k+1)*b.Stride+k+1:], b.Stride, b.End-k-1)
	right := r.conjugated()
	for i := b.Top; i <= min(k+3, b.Last); i++ {
		pair := b.A[i*b.Stride+k+1:][:2]
		pair[0], pair[1] = right.reflect(pair[0], pair[1])
	}
	return true
}

// signsOfPairs returns the sign bits of a pair of complex numbers where the given numbers are negative.
func signsOfPairs[T kernel.Float](numbers [4]T) (signs [4]T) {
	for i, x := range numbers {
		if x < 0 {
			signs[i] = T(math.Copysign(0, -1))
		}
	}
	return signs
}

var (
	firstNegated   = signsOfPairs([4]float64{-1, -1, 1, 1})
	firstNegated32 = signsOfPairs([4]float32{-1, -1, 1, 1})
	innerNegated   = signsOfPairs([4]float64{1, -1, -1, 1})
	innerNegated32 = signsOfPairs([4]float32{1, -1, -1, 1})
)

func singleShiftAssembly[C kernel.Complex](s kernel.Set, b *SingleShiftChase[C]) (steps int) {
	l := vec.TypeOf[C]()
	lanes := vec.Bytes(s) / l.RealBytes()
	right := 2 * (b.First + 4) // the first number behind the column right of the first reflector's
	var column [2]C
	start := 0
	if b.Start != nil {
		start = 1
	}
	x, y := b.column(b.First, b.Start)
	column[0], column[1] = *x, *y
	args := singleShiftArgs{
		a: unsafe.Pointer(&b.A[(b.First+1)*b.Stride+b.First+1]), reflectors: unsafe.Pointer(&b.Reflectors[0]),
		column: unsafe.Pointer(&column),
		signs:  l.ImagSigns(), stride: b.Stride * l.Bytes(), start: start,
		steps: len(b.Reflectors), below: b.Last - b.First - 2, cols: 2*b.End - right, above: b.First + 1 - b.Top,
		phase: right % lanes,
	}
	least, most := safeModuli[C]()
	if l.IsDouble() {
		args.negated, args.crossed = unsafe.Pointer(&firstNegated), unsafe.Pointer(&innerNegated)
		args.one, args.half, args.least, args.most = bitPattern(1.0), bitPattern(0.5), bitPattern(least),
			bitPattern(most)
	} else {
		args.negated, args.crossed = unsafe.Pointer(&firstNegated32), unsafe.Pointer(&innerNegated32)
		args.one, args.half, args.least, args.most = bitPattern(float32(1)), bitPattern(float32(0.5)),
			bitPattern(float32(least)), bitPattern(float32(most))
	}
	singleShiftKernel(s, l, &args)
	return len(b.Reflectors) - args.steps
}
