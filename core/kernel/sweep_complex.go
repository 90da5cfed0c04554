package kernel

import (
	"fmt"
	"math"
)

// Complex is the set of complex element types.
type Complex interface{ complex64 | complex128 }

// TwoRows is the Hermitian reflector I - tau v v^H with v = (1, V), which acts on two neighbouring rows or columns: T0 = tau, a real number, and T1 = tau V.
// The zero value changes nothing.
type TwoRows[C Complex] struct{ V, T1, T0 C }

// reflect returns the reflector's product with (x, y).
func (r *TwoRows[C]) reflect(x, y C) (C, C) {
	s := x + conjugate(r.V)*y
	return x - r.T0*s, y - r.T1*s
}

// conjugated returns the reflector with the conjugate of v, which acts on columns from the right as this one does on rows from the left.
func (r *TwoRows[C]) conjugated() TwoRows[C] {
	return TwoRows[C]{conjugate(r.V), conjugate(r.T1), r.T0}
}

// ReflectTwoRows applies reflectors one after the other from the left: reflector k to the rows k and k+1 of cols elements, row i of which begins at
// a[i*stride]. With columns the rows are columns of a matrix that the reflectors are applied to from the right: they are conjugated. The same element gets the
// same bits however the columns are cut into calls.
func ReflectTwoRows[C Complex](s Set, reflectors []TwoRows[C], columns bool, a []C, stride, cols int) {
	n := len(reflectors)
	if n == 0 || cols == 0 {
		return
	}
	if cols < 0 || stride < 0 || n*stride+cols > len(a) {
		panic(fmt.Sprintf("kernel: %d reflectors of two rows of %d elements, stride %d, length %d", n, cols, stride, len(a)))
	}
	if s != Go {
		reflectTwoRowsAssembly(s, reflectors, columns, a, stride, cols)
		return
	}
	for k := range reflectors {
		r := reflectors[k]
		if columns {
			r = r.conjugated()
		}
		x, y := a[k*stride:][:cols], a[(k+1)*stride:][:cols]
		for j := range x {
			x[j], y[j] = r.reflect(x[j], y[j])
		}
	}
}

// Bulge is a run of steps of a bulge down an upper Hessenberg matrix, as in an implicit single-shift QR sweep. Element (i, j) is A[i*Stride+j]. Step k, from
// First on, makes the reflector of the rows k+1 and k+2 that maps column k to a multiple of the first unit vector and applies it
//
//   - from the left to the columns up to End-1, of which k+1 and k+2 belong to the matrix in any case;
//   - from the right to the rows from Top up to k+3, but at most Last.
//
// With Start the first step has no column: its reflector maps Start to a multiple of the first unit vector, and First may be -1. The reflectors go to
// Reflectors, one for each step.
type Bulge[C Complex] struct {
	A                []C
	Stride           int
	First, Last, End int
	Top              int
	Start            *[2]C
	Reflectors       []TwoRows[C]
}

// Run does the steps and returns how many it has done. It ends before a step whose column has nothing to eliminate, or elements whose squares are not sure to
// be safe from overflow and underflow. Nothing outside of the rows and columns that are named is read or written.
func (b *Bulge[C]) Run(s Set) (steps int) {
	if len(b.Reflectors) == 0 {
		return 0
	}
	b.check()
	if s != Go {
		return bulgeAssembly(s, b)
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

func (b *Bulge[C]) check() {
	last := b.First + len(b.Reflectors) - 1 // step
	row, first := min(last+3, b.Last), b.First
	if b.Start != nil {
		first++
	}
	if first < 0 || b.Top < 0 || b.Top > b.First+1 || b.Last < last+2 || b.End < last+3 || b.Stride < b.End || row*b.Stride+b.End > len(b.A) {
		panic(fmt.Sprintf("kernel: %d steps of a bulge of two rows from %d on, rows %d to %d, columns to %d, stride %d, length %d",
			len(b.Reflectors), b.First, b.Top, b.Last, b.End, b.Stride, len(b.A)))
	}
}

// column returns where the column is that step k eliminates.
func (b *Bulge[C]) column(k int, start *[2]C) (x, y *C) {
	if start != nil {
		return &start[0], &start[1]
	}
	return &b.A[(k+1)*b.Stride+k], &b.A[(k+2)*b.Stride+k]
}

// safeModuli returns the bounds of squares of moduli that are safe.
func safeModuli[C Complex]() (least, most float64) {
	if _, single := any(C(0)).(complex64); single {
		low, high := safeSquares[float32]()
		return float64(low), float64(high)
	}
	return safeSquares[float64]()
}

func square[C Complex](x C) float64 {
	re, im := parts(x)
	return re*re + im*im
}

func (b *Bulge[C]) step(k int, start *[2]C, r *TwoRows[C]) bool {
	px, py := b.column(k, start)
	x, y := *px, *py
	least, most := safeModuli[C]()
	ofX, ofY := square(x), square(y)
	sum := ofX + ofY
	if !(ofX >= least && sum <= most && ofY > 0) {
		return false
	}
	modulus, norm := math.Sqrt(ofX), math.Sqrt(sum)
	r.T0 = fromReal[C](1 + modulus/norm)
	r.T1 = y * conjugate(x) * fromReal[C](1/(modulus*norm))
	r.V = r.T1 * (1 / r.T0)
	if start == nil {
		*px, *py = -x*fromReal[C](norm/modulus), 0
	}
	ReflectTwoRows(Go, []TwoRows[C]{*r}, false, b.A[(k+1)*b.Stride+k+1:], b.Stride, b.End-k-1)
	right := r.conjugated()
	for i := b.Top; i <= min(k+3, b.Last); i++ {
		pair := b.A[i*b.Stride+k+1:][:2]
		pair[0], pair[1] = right.reflect(pair[0], pair[1])
	}
	return true
}
