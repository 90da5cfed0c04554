package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// Reflector is I - tau v v^T with v = (1, V1, V2), which acts on three neighbouring rows or columns: T0 = tau, T1 = tau V1, T2 = tau V2. The zero value
// changes nothing.
type Reflector[T Float] struct{ V1, V2, T0, T1, T2 T }

// reflect returns the reflector's product with (x, y, z).
func (r *Reflector[T]) reflect(x, y, z T) (T, T, T) {
	s := x + r.V1*y + r.V2*z
	return x - r.T0*s, y - r.T1*s, z - r.T2*s
}

// reflectedRows is how many rows or columns a reflector changes.
const reflectedRows = 3

// endsShort reports whether the last reflector leaves the third of its rows as it is, so that this need not exist.
func endsShort[T Float](reflectors []Reflector[T]) bool {
	r := &reflectors[len(reflectors)-1]
	return r.V2 == 0 && r.T2 == 0
}

// reflected returns how many rows or columns the reflectors change.
func reflected[T Float](reflectors []Reflector[T]) int {
	if endsShort(reflectors) {
		return len(reflectors) + reflectedRows - 2
	}
	return len(reflectors) + reflectedRows - 1
}

// ReflectRows applies reflectors one after the other from the left: reflector k to the rows k, k+1 and k+2 of cols elements, row i of which begins at
// a[i*stride]. If V2 and T2 of the last reflector are zero, there need be no row for them. The same element gets the same bits however the columns are cut
// into calls.
func ReflectRows[T Float](s Set, reflectors []Reflector[T], a []T, stride, cols int) {
	n := len(reflectors)
	if n == 0 || cols == 0 {
		return
	}
	if cols < 0 || stride < 0 || (reflected(reflectors)-1)*stride+cols > len(a) {
		panic(fmt.Sprintf("kernel: %d reflectors of rows of %d elements, stride %d, length %d", n, cols, stride, len(a)))
	}
	if s != Go {
		reflectRowsAssembly(s, reflectors, a, stride, cols)
		return
	}
	var none T
	for k := range reflectors {
		r := &reflectors[k]
		x, y := a[k*stride:][:cols], a[(k+1)*stride:][:cols]
		if k == n-1 && endsShort(reflectors) {
			for j := range x {
				x[j], y[j], _ = r.reflect(x[j], y[j], none)
			}
			return
		}
		z := a[(k+2)*stride:][:cols]
		for j := range x {
			x[j], y[j], z[j] = r.reflect(x[j], y[j], z[j])
		}
	}
}

// SweepRows returns how many rows a group of ReflectColumns has.
func SweepRows(s Set) int {
	const rows = 8 // as many elements as a vector has, or half of one
	if s == AVX2 {
		return rows / 2
	}
	return rows
}

// StripColumns returns a number of columns, no more than a few lines of the cache, of which ReflectRows makes the most of the registers.
func StripColumns(s Set) int {
	if s == AVX2 {
		return 40 // five vectors together, or twice as many
	}
	return 32 // multiples of four vectors
}

// ReflectColumns applies reflectors one after the other from the right: reflector k to the columns k, k+1 and k+2 of groups of SweepRows rows, row i of
// which begins at a[i*stride]. If staggered, each group begins SweepRows reflectors after the one above. If V2 and T2 of the last reflector are zero, there
// need be no column for them.
func ReflectColumns[T Float](s Set, reflectors []Reflector[T], a []T, stride, groups int, staggered bool) {
	n, rows := len(reflectors), SweepRows(s)*groups
	if n == 0 || groups == 0 {
		return
	}
	if stride < 0 || groups < 0 || staggered && n <= rows-SweepRows(s) || (rows-1)*stride+reflected(reflectors) > len(a) {
		panic(fmt.Sprintf("kernel: %d reflectors of columns, %d rows, stride %d, length %d", n, rows, stride, len(a)))
	}
	if s != Go {
		reflectColumnsAssembly(s, reflectors, a, stride, groups, staggered)
		return
	}
	for i := range rows {
		from := firstReflector(s, i/SweepRows(s), staggered)
		ReflectRows(Go, reflectors[from:], a[i*stride+from:], 1, 1)
	}
}

// firstReflector returns the number of the reflector that a group of rows begins with.
func firstReflector(s Set, group int, staggered bool) int {
	if staggered {
		return group * SweepRows(s)
	}
	return 0
}

// Chase is a run of steps of a bulge down an upper Hessenberg matrix, as in an implicit double-shift QR sweep. Element (i, j) is A[i*Stride+j]. Step k, from
// First on, makes the reflector of the rows k+1 to k+3 that maps column k to a multiple of the first unit vector and applies it
//
//   - from the left to the columns up to End-1, of which the first three behind k belong to the matrix in any case;
//   - from the right to the rows up to k+4, but at most Last, beginning with the last multiple of SweepRows above or at row k+1, counted from Top on.
//
// What is above those rows is left to ReflectColumns. Step Last-2, with which the bulge leaves the matrix, has the two rows up to Last only. If there is a
// Start, the first step makes the bulge: its reflector is the one that maps Start to a multiple of the first unit vector, and column k stays as it is. The
// reflectors go to Reflectors, one for each step.
//
// They are also applied from the left to the first ColsBeside columns of another matrix, whose rows have the same stride: element (i, j) is Beside[i*Stride+j]. Up to
// a few dozens of columns that takes less time here than in ReflectRows, as a step waits for its square root and divisions.
type Chase[T Float] struct {
	A                []T
	Stride           int
	First, Last, End int
	Top              int
	Start            *[3]T
	Reflectors       []Reflector[T]
	Beside           []T
	ColsBeside       int
}

// Run does the steps and returns how many it has done. It ends before a step whose column has no elements to eliminate, or elements whose squares are not
// sure to be safe from overflow and underflow, and does not begin with step Last-2. Nothing outside of the rows and columns that are named is read or written.
func (c *Chase[T]) Run(s Set) int {
	if len(c.Reflectors) == 0 || c.First >= c.Last-2 {
		return 0
	}
	c.check()
	steps, done := 0, 0
	if s != Go {
		steps, done = chaseAssembly(s, c)
	} else {
		for steps < len(c.Reflectors) && c.step(c.First+steps, SweepRows(s), &c.Reflectors[steps]) {
			steps++
		}
	}
	if left := c.ColsBeside - done; left > 0 {
		ReflectRows(s, c.Reflectors[:steps], c.Beside[(c.First+1)*c.Stride+done:], c.Stride, left)
	}
	return steps
}

func (c *Chase[T]) check() {
	last := c.First + len(c.Reflectors) - 1 // step
	row := min(last+4, c.Last)
	first := c.First
	if c.Start != nil {
		first++ // whose column is not looked at
	}
	fits := row*c.Stride+c.End <= len(c.A) && (c.ColsBeside == 0 || c.ColsBeside > 0 && min(last+3, c.Last)*c.Stride+c.ColsBeside <= len(c.Beside))
	if first < 0 || c.Top < 0 || c.Top > c.First+1 || c.Last < last+2 || c.End < min(last+4, c.Last+1) || c.Stride < max(c.End, c.ColsBeside) || !fits {
		panic(fmt.Sprintf("kernel: %d steps of a bulge from %d on, rows %d to %d, columns to %d and %d, stride %d, lengths %d and %d",
			len(c.Reflectors), c.First, c.Top, c.Last, c.End, c.ColsBeside, c.Stride, len(c.A), len(c.Beside)))
	}
}

// safeSquares returns the bounds of sums of squares in which no square that counts has overflowed or underflowed.
func safeSquares[T Float]() (least, most T) {
	const leastSingle, mostSingle, leastDouble, mostDouble = 0x1p-90, 0x1p+120, -900, +1000
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float32(0)) {
		return leastSingle, mostSingle
	}
	return T(math.Ldexp(1, leastDouble)), T(math.Ldexp(1, mostDouble))
}

func (c *Chase[T]) step(k, group int, r *Reflector[T]) bool {
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
	one := []Reflector[T]{*r}
	ReflectRows(Go, one, c.A[(k+1)*c.Stride+k+1:], c.Stride, c.End-k-1)
	for i := c.Top + (k+1-c.Top)/group*group; i <= min(k+4, c.Last); i++ {
		ReflectRows(Go, one, row(i)[k+1:][:rows], 1, 1)
	}
	return true
}

// from sets r to the reflector that maps x to -norm e_1. It does not if squares of x are not safe, or nothing is to be eliminated.
func (r *Reflector[T]) from(x [reflectedRows]T) (norm T, ok bool) {
	least, most := safeSquares[T]()
	tail := x[1]*x[1] + x[2]*x[2]
	sum := x[0]*x[0] + tail
	if !(sum >= least && sum <= most) || tail == 0 {
		return 0, false
	}
	norm = T(math.Copysign(math.Sqrt(float64(sum)), float64(x[0])))
	d := x[0] + norm
	*r = Reflector[T]{V1: x[1] / d, V2: x[2] / d, T0: d / norm}
	r.T1, r.T2 = r.T0*r.V1, r.T0*r.V2
	return norm, true
}
