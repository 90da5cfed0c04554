package bulge

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// PencilChase is a sequence of steps that chase a bulge down a pair of matrices, S upper Hessenberg and P upper
// triangular, as in an implicit double-shift QZ sweep. Element (i, j) of S is S[i*Stride+j], that of P is
// P[i*Stride+j]. Step k, from First on, makes the left reflector of the rows k+1 to k+3 that maps column k of S to a
// multiple of the first unit vector, applies it to both matrices, and makes the right reflector of the columns k+1 to
// k+3 after which column k+1 of P has zeros below its diagonal. The other two columns of P get their zeros from the
// steps that follow. The reflectors are applied
//
//   - the left one to the columns up to End-1, which include the three columns behind k;
//   - the right one to the rows of S up to k+4, but at most Last, and to those of P up to k+3, from the last multiple
//     of SweepRows, counted from Top, that is at or above row k+1.
//
// The rows above are left to ReflectColumns. Step Last-2, with which the bulge leaves the matrices, has only the two
// rows up to Last. If Start is not nil, the first step makes the bulge: its left reflector maps Start to a multiple of
// the first unit vector, and column k keeps its elements. The reflectors go to Left and Right, one for each step.
//
// That one right reflector is enough, an "opposite" one, is due to Watkins and Elsner (Theory of decomposition and
// bulge-chasing algorithms for the generalized eigenvalue problem, SIAM J. Matrix Anal. Appl. 15, 1994).
type PencilChase struct {
	S, P             []float64
	Stride           int
	First, Last, End int
	Top              int
	Start            *[3]float64
	Left, Right      []Householder3[float64]
}

// leastSine is the sine of the angle of two rows of P from which a right reflector is made by their cross product,
// whose relative error is eps divided by the sine.
const leastSine = 1.0 / 8

// Run does the steps and returns their number. It ends before a step whose column has nothing to eliminate, or for
// which numbers may overflow, underflow or cancel, and does not begin with step Last-2. If leftMade is true the left
// reflector of the next step is in Left, and has been applied to its three columns of P and to column k of S only.
// Nothing outside of the rows and columns named above is read or written.
func (c *PencilChase) Run(s kernel.Set) (steps int, leftMade bool) {
	if len(c.Left) == 0 || c.First >= c.Last-2 {
		return 0, false
	}
	c.check()
	if s != kernel.Go {
		return pencilAssembly(s, c)
	}
	return c.runPlain(SweepRows(s))
}

func (c *PencilChase) check() {
	last := c.First + len(c.Left) - 1 // step
	row, first := min(last+4, c.Last), c.First
	if c.Start != nil {
		first++ // whose column is not looked at
	}
	if first < 0 || c.Top < 0 || c.Top > c.First+1 || c.Last < last+2 || c.End < min(last+4, c.Last+1) ||
		c.Stride < c.End || row*c.Stride+c.End > min(len(c.S), len(c.P)) || len(c.Right) != len(c.Left) {
		panic(fmt.Sprintf("bulge: %d and %d steps of a bulge from %d on, rows %d to %d, columns to %d, stride %d, "+
			"lengths %d and %d",
			len(c.Left), len(c.Right), c.First, c.Top, c.Last, c.End, c.Stride, len(c.S), len(c.P)))
	}
}

// runPlain is Run without assembly, in groups of so many rows.
func (c *PencilChase) runPlain(group int) (steps int, leftMade bool) {
	for steps < len(c.Left) {
		done, leftMade := c.step(c.First+steps, group, &c.Left[steps], &c.Right[steps])
		if !done {
			return steps, leftMade
		}
		steps++
	}
	return steps, false
}

// step does step k in groups of so many rows.
func (c *PencilChase) step(k, group int, left, right *Householder3[float64]) (done, leftMade bool) {
	s := func(i int) []float64 { return c.S[i*c.Stride:][:c.End] }
	p := func(i int) []float64 { return c.P[i*c.Stride:][:c.End] }
	rows := min(reflectedRows, c.Last-k)
	var column [reflectedRows]float64
	given := k == c.First && c.Start != nil
	if given {
		column = *c.Start
	}
	for i := 0; i < rows && !given; i++ {
		column[i] = s(k + 1 + i)[k]
	}
	if rows < reflectedRows {
		column[rows] = 0
	}
	norm, ok := left.from(column)
	if !ok {
		return false, false
	}
	left.refine()
	for i := 0; i < rows && !given; i++ {
		s(k + 1 + i)[k] = 0
	}
	if !given {
		s(k + 1)[k] = -norm
	}
	block := k + 1 + rows // the first column behind the block
	one := []Householder3[float64]{*left}
	ReflectRows(kernel.Go, one, c.P[(k+1)*c.Stride+k+1:], c.Stride, rows)
	orthogonal, ok := orthogonalToRows(c.P[(k+1)*c.Stride+k+1:], c.Stride, rows)
	if !ok {
		return false, true
	}
	if _, ok = right.from(orthogonal); !ok {
		return false, true
	}
	right.refine()
	ReflectRows(kernel.Go, one, c.S[(k+1)*c.Stride+k+1:], c.Stride, c.End-k-1)
	if c.End > block {
		ReflectRows(kernel.Go, one, c.P[(k+1)*c.Stride+block:], c.Stride, c.End-block)
	}
	one[0] = *right
	for i := c.Top + (k+1-c.Top)/group*group; i <= min(k+4, c.Last); i++ {
		ReflectRows(kernel.Go, one, s(i)[k+1:][:rows], 1, 1)
		if i > k+rows {
			break
		}
		ReflectRows(kernel.Go, one, p(i)[k+1:][:rows], 1, 1)
		if i > k+1 {
			p(i)[k+1] = 0
		}
	}
	return true, false
}

// orthogonalToRows returns a vector that is orthogonal to all rows but the first of the block of order 2 or 3 at p. It
// fails if rows are nearly parallel.
func orthogonalToRows(p []float64, stride, order int) (x [reflectedRows]float64, ok bool) {
	if order < reflectedRows {
		return [reflectedRows]float64{p[stride+1], -p[stride]}, true
	}
	second, third := [reflectedRows]float64(p[stride:]), [reflectedRows]float64(p[2*stride:])
	square := func(v [reflectedRows]float64) float64 { return v[0]*v[0] + v[1]*v[1] + v[2]*v[2] }
	for i := range x {
		j, k := (i+1)%reflectedRows, (i+2)%reflectedRows
		x[i] = second[j]*third[k] - second[k]*third[j]
	}
	return x, square(x) >= leastSine*leastSine*(square(second)*square(third))
}

// pencilAssembly is Run by the kernels of s.
func pencilAssembly(s kernel.Set, c *PencilChase) (done int, leftMade bool) {
	const size = int(unsafe.Sizeof(c.S[0]))
	lanes := vec.Bytes(s) / size
	right := c.First + 1 + reflectedRows // the first column right of the first reflector's
	steps, short := len(c.Left), 0
	if c.First+steps-1 == c.Last-2 {
		steps, short = steps-1, 1
	}
	bits := bitsOfChase[float64]()
	first := (c.First + 1) * (c.Stride + 1)
	args := chaseArgs{
		a: unsafe.Pointer(&c.S[first]), p: unsafe.Pointer(&c.P[first]), start: unsafe.Pointer(c.Start),
		reflectors: unsafe.Pointer(&c.Left[0]), right: unsafe.Pointer(&c.Right[0]), stride: c.Stride * size,
		steps: steps, short: short, below: c.Last - c.First - reflectedRows, cols: c.End - right,
		above: (c.First + 1 - c.Top) & (SweepRows(s) - 1),
		phase: right & (lanes - 1), endMask: 2<<((c.End-1)&(lanes-1)) - 1,
		one: bits.one, sign: bits.sign, least: bits.least, most: bits.most, half: math.Float64bits(1. / 2),
		parallel: math.Float64bits(leastSine * leastSine),
	}
	pencilKernel(s, vec.Float64, &args)
	return len(c.Left) - args.steps - args.short, args.leftMade > 0
}
