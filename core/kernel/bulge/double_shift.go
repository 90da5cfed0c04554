package bulge

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// DoubleShiftChase is a sequence of steps that chase a bulge down an upper Hessenberg matrix, as in an implicit
// double-shift QR sweep. Element (i, j) is A[i*Stride+j]. Step k, from First on, makes the reflector of the rows k+1 to
// k+3 that maps column k to a multiple of the first unit vector. It applies it
//
//   - from the left to the columns up to End-1, which include the three columns behind k;
//   - from the right to the rows up to k+4, but at most Last, from the last multiple of SweepRows, counted from Top,
//     that is at or above row k+1.
//
// The rows above are left to ReflectColumns. Step Last-2, with which the bulge leaves the matrix, has only the two rows
// up to Last. If Start is not nil, the first step makes the bulge: its reflector maps Start to a multiple of the first
// unit vector, and column k keeps its elements. The reflectors go to Reflectors, one for each step.
//
// The reflectors are also applied from the left to the first OtherCols columns of another matrix, whose rows have the
// same stride: element (i, j) is Other[i*Stride+j]. For up to a few dozen columns that takes less time here than in
// ReflectRows, since a step waits for its square root and divisions.
type DoubleShiftChase[T kernel.Float] struct {
	A                []T
	Stride           int
	First, Last, End int
	Top              int
	Start            *[3]T
	Reflectors       []Householder3[T]
	Other            []T
	OtherCols        int
}

// Run does the steps and returns their number. It ends before a step whose column has nothing to eliminate, or elements
// whose squares may overflow or underflow, and does not begin with step Last-2. Nothing outside of the rows and columns
// named above is read or written.
func (c *DoubleShiftChase[T]) Run(s kernel.Set) int {
	if len(c.Reflectors) == 0 || c.First >= c.Last-2 {
		return 0
	}
	c.check()
	steps, done := 0, 0
	if s != kernel.Go {
		steps, done = doubleShiftAssembly(s, c)
	} else {
		for steps < len(c.Reflectors) && c.step(c.First+steps, SweepRows(s), &c.Reflectors[steps]) {
			steps++
		}
	}
	if left := c.OtherCols - done; left > 0 {
		ReflectRows(s, c.Reflectors[:steps], c.Other[(c.First+1)*c.Stride+done:], c.Stride, left)
	}
	return steps
}

func (c *DoubleShiftChase[T]) check() {
	last := c.First + len(c.Reflectors) - 1 // step
	row := min(last+4, c.Last)
	first := c.First
	if c.Start != nil {
		first++ // whose column is not looked at
	}
	fits := row*c.Stride+c.End <= len(c.A) && (c.OtherCols == 0 || c.OtherCols > 0 &&
		min(last+3, c.Last)*c.Stride+c.OtherCols <= len(c.Other))
	if first < 0 || c.Top < 0 || c.Top > c.First+1 || c.Last < last+2 || c.End < min(last+4,
		c.Last+1) || c.Stride < max(c.End, c.OtherCols) || !fits {
		panic(fmt.Sprintf("bulge: %d steps of a bulge from %d on, rows %d to %d, columns to %d and %d, stride %d, "+
			"lengths %d and %d",
			len(c.Reflectors), c.First, c.Top, c.Last, c.End, c.OtherCols, c.Stride, len(c.A), len(c.Other)))
	}
}

func (c *DoubleShiftChase[T]) step(k, group int, r *Householder3[T]) bool {
	row := func(i int) []T { return c.A[i*c.Stride:][:c.End] }
	short := k == c.Last-2
	var column [reflectedRows]T
	if given := k == c.First && c.Start != nil; given {
		column = *c.Start
	} else {
		for i := k + 1; i <= min(k+3, c.Last); i++ {
			column[i-k-1] = row(i)[k]
		}
	}
	norm, ok := r.from(column)
	if !ok {
		return false
	}
	if k > c.First || c.Start == nil {
		for i := k + 1; i <= min(k+3, c.Last); i++ {
			row(i)[k] = 0
		}
		row(k + 1)[k] = -norm
	}
	rows := reflectedRows
	if short {
		rows--
	}
	one := []Householder3[T]{*r}
	ReflectRows(kernel.Go, one, c.A[(k+1)*c.Stride+k+1:], c.Stride, c.End-k-1)
	for i := c.Top + (k+1-c.Top)/group*group; i <= min(k+4, c.Last); i++ {
		ReflectRows(kernel.Go, one, row(i)[k+1:][:rows], 1, 1)
	}
	return true
}

// doubleShiftAssembly returns the number of steps, and how many of the columns of Other are done.
func doubleShiftAssembly[T kernel.Float](s kernel.Set, c *DoubleShiftChase[T]) (done, otherDone int) {
	size := int(unsafe.Sizeof(c.A[0]))
	lanes := vec.Bytes(s) / size
	right := c.First + 1 + reflectedRows // the first column right of the first reflector's
	steps, short := len(c.Reflectors), 0
	if c.First+steps-1 == c.Last-2 {
		steps, short = steps-1, 1
	}
	bits := bitsOfChase[T]()
	args := chaseArgs{
		a:     unsafe.Pointer(&c.A[(c.First+1)*(c.Stride+1)]),
		start: unsafe.Pointer(c.Start), reflectors: unsafe.Pointer(&c.Reflectors[0]), stride: c.Stride * size,
		steps: steps, short: short, below: c.Last - c.First - reflectedRows, cols: c.End - right,
		above: (c.First + 1 - c.Top) & (SweepRows(s) - 1),
		phase: right & (lanes - 1), endMask: 2<<((c.End-1)&(lanes-1)) - 1,
		one: bits.one, sign: bits.sign, least: bits.least, most: bits.most,
	}
	if s == kernel.AVX2 && c.OtherCols >= lanes {
		args.otherVectors = c.OtherCols / lanes
		args.other = unsafe.Pointer(&c.Other[(c.First+1)*c.Stride])
		otherDone = args.otherVectors * lanes
	}
	doubleShiftKernel(s, vec.FloatType[T](), &args)
	return len(c.Reflectors) - args.steps - args.short, otherDone
}

// chaseBits are the numbers that a chase needs, as bits.
type chaseBits struct{ one, sign, least, most uint64 }

var chaseBitsSingle, chaseBitsDouble = newChaseBits[float32](), newChaseBits[float64]()

func newChaseBits[T kernel.Float]() chaseBits {
	least, most := safeSquares[T]()
	return chaseBits{one: bitPattern(T(1)), sign: bitPattern(T(math.Copysign(0, -1))), least: bitPattern(least),
		most: bitPattern(most)}
}

func bitsOfChase[T kernel.Float]() *chaseBits {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float32(0)) {
		return &chaseBitsSingle
	}
	return &chaseBitsDouble
}

// bitPattern returns the bits of x, in the low half for single precision.
func bitPattern[T kernel.Float](x T) uint64 {
	if unsafe.Sizeof(x) == unsafe.Sizeof(float32(0)) {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}
