package qz

import (
	"math"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
)

// plane is the rotation G = [c s; -conj(s) c] with real c, c^2 + |s|^2 = 1. Applied to two rows or two columns (x, y)
// it makes them (c x + s y, c y - conj(s) x).
type plane[T dense.Wide] struct{ c, s T }

func newPlane[T dense.Wide](c float64, s T) plane[T] { return plane[T]{dense.FromReal[T](c), s} }

// unitPlane is newPlane with the length of (c, s), which is 1 up to a few rounding errors, corrected to 1: a column of
// Q or Z takes part in several rotations for each eigenvalue, whose errors add up.
func unitPlane[T dense.Wide](c float64, s T) plane[T] {
	re, im := dense.Real(s), dense.Imag(s)
	// Not c (1 - excess/2): numbers below 1 are closer to each other than those above, so that this would shorten.
	half := -excess(c, re, im) / 2
	return newPlane(math.FMA(half, c, c), dense.FromParts[T](math.FMA(half, re, re), math.FMA(half, im, im)))
}

func noRotation[T dense.Wide]() plane[T] { return newPlane[T](1, 0) }

// conj returns the rotation whose elements are the complex conjugates.
func (g plane[T]) conj() plane[T] { return plane[T]{g.c, dense.Conj(g.s)} }

// turn applies the rotation to one pair.
func (g plane[T]) turn(x, y T) (T, T) { return g.c*x + g.s*y, g.c*y - dense.Conj(g.s)*x }

const (
	// Moduli below this lose digits in a quotient by their subnormal norm; they are multiplied by enlarge first.
	tinyPair = 0x1p-960
	enlarge  = 0x1p+100
	// What is smaller than this times its partner changes nothing in double precision.
	nothingBeside = 0x1p-200
	// Sums of squares between these are as precise as any; elements of a pencil are not much larger than 1.
	leastSquares, mostSquares = 0x1p-900, 0x1p+900
)

// toFirst returns the rotation that takes (f, g) to (r, 0).
func toFirst[T dense.Wide](f, g T) (q plane[T], r T) {
	if g == 0 {
		return noRotation[T](), f
	}
	if x, ok := any(f).(float64); ok {
		if q, r, ok := realToFirst(x, any(g).(float64)); ok {
			return any(q).(plane[T]), any(r).(T)
		}
	}
	size := dense.Abs(f)
	norm := math.Hypot(size, dense.Abs(g))
	if norm < tinyPair {
		q, r = toFirst(f*enlarge, g*enlarge)
		return q, r / enlarge
	}
	if size <= norm*nothingBeside {
		return newPlane(0, dense.Conj(g)/dense.FromReal[T](norm)), dense.FromReal[T](norm)
	}
	phase := phaseOf(f)
	return unitPlane(size/norm, phase*dense.Conj(g)/dense.FromReal[T](norm)), phase * dense.FromReal[T](norm)
}

// realToFirst is toFirst for numbers of moderate size; it returns false for others.
func realToFirst(x, y float64) (q plane[float64], r float64, ok bool) {
	squares := x*x + y*y
	if squares < leastSquares || squares > mostSquares {
		return q, 0, false
	}
	norm := math.Copysign(math.Sqrt(squares), x)
	c, s := x/norm, y/norm
	correction := -excess(c, s, 0) / 2
	return plane[float64]{math.FMA(correction, c, c), math.FMA(correction, s, s)}, norm, true
}

// excess returns c^2 + re^2 + im^2 - 1, which is small, to about a rounding error.
func excess(c, re, im float64) float64 {
	if c*c < 0.5 {
		return math.FMA(c, c, math.FMA(re, re, im*im-1))
	}
	return math.FMA(c, c, -1) + re*re + im*im
}

// phaseOf returns x/|x| for an x that is not zero.
func phaseOf[T dense.Wide](x T) T {
	size := dense.Abs(x)
	if size < tinyPair {
		return phaseOf(x * enlarge)
	}
	return x / dense.FromReal[T](size)
}

// toSecond returns the rotation that takes (f, g) to (0, r).
func toSecond[T dense.Wide](f, g T) (q plane[T], r T) {
	q, r = toFirst(g, f)
	// toFirst maps g, f to c g + s f and c f - conj(s) g.
	return plane[T]{q.c, -dense.Conj(q.s)}, r
}

// rotateRows applies the planes to neighbouring rows of m, which has a row more than there are planes: plane i to rows
// i and i+1, in increasing order of i, or in decreasing order if down is set.
func rotateRows[T dense.Wide](planes []plane[T], down bool, m dense.Matrix[T]) {
	if len(planes) == 0 || m.Rows == 0 || m.Cols == 0 {
		return
	}
	if real, ok := any(m).(dense.Matrix[float64]); ok {
		// A real plane is a givens.Rotation.
		rotations := unsafe.Slice((*givens.Rotation[float64])(unsafe.Pointer(unsafe.SliceData(planes))), len(planes))
		givens.Rotate(kernel.Best(), rotations, down, real.Data, real.Stride, real.Cols)
		return
	}
	rotateComplexRows(any(planes).([]plane[complex128]), down, any(m).(dense.Matrix[complex128]))
}

// rotateComplexRows is rotateRows for complex matrices: some planes at a time are brought into the form of the kernel.
func rotateComplexRows(planes []plane[complex128], down bool, m dense.Matrix[complex128]) {
	var rotations [windowSteps]givens.ComplexRotation[float64]
	data := dense.Reals[float64](m.Data)
	for done := 0; done < len(planes); {
		count := min(len(rotations), len(planes)-done)
		first := done
		if down {
			first = len(planes) - done - count
		}
		for i, g := range planes[first : first+count] {
			rotations[i] = givens.NewComplexRotation(real(g.c), real(g.s), imag(g.s))
		}
		givens.RotateComplex(kernel.Best(), rotations[:count], down, data[2*first*m.Stride:], 2*m.Stride, m.Cols)
		done += count
	}
}

// inOrder returns the k-th index of n, counted from the end if down is set.
func inOrder(k, n int, down bool) int {
	if down {
		return n - 1 - k
	}
	return k
}

// rotatePair applies the plane to two rows.
func rotatePair[T dense.Wide](g plane[T], x, y []T) {
	if v, ok := any(x).([]complex128); ok {
		rotateComplex(any(g).(plane[complex128]), v, any(y).([]complex128))
		return
	}
	y = y[:len(x)]
	c, s := g.c, g.s
	for j, p := range x {
		q := y[j]
		x[j], y[j] = c*p+s*q, c*q-s*p
	}
}

// rotateComplex is rotatePair for complex rows; the cosine is real.
func rotateComplex(g plane[complex128], x, y []complex128) {
	y = y[:len(x)]
	c, re, im := real(g.c), real(g.s), imag(g.s)
	for j, p := range x {
		a, b := real(p), imag(p)
		d, e := real(y[j]), imag(y[j])
		x[j] = complex(c*a+(re*d-im*e), c*b+(re*e+im*d))
		y[j] = complex(c*d-(re*a+im*b), c*e-(re*b-im*a))
	}
}

// rotateColumns applies the planes to neighbouring columns of m, which has a column more than there are planes: plane i
// to columns i and i+1, in the order of rotateRows. Four rows at a time keep the processor busy: along a row, each
// rotation waits for the one before.
func rotateColumns[T dense.Wide](planes []plane[T], down bool, m dense.Matrix[T]) {
	if len(planes) == 0 {
		return
	}
	const together = 4
	i := 0
	for ; i+together <= m.Rows; i += together {
		if r := [together][]T{m.Row(i), m.Row(i + 1), m.Row(i + 2), m.Row(i + 3)}; down {
			fourDown(planes, r[0], r[1], r[2], r[3])
		} else {
			fourUp(planes, r[0], r[1], r[2], r[3])
		}
	}
	for ; i < m.Rows; i++ {
		rotateAlong(planes, down, m.Row(i))
	}
}

// fourUp applies the planes to four rows in increasing order. What one plane makes of the second element of its pair is
// the first one of the next.
func fourUp[T dense.Wide](planes []plane[T], r0, r1, r2, r3 []T) {
	x0, x1, x2, x3 := r0[0], r1[0], r2[0], r3[0]
	n := len(planes)
	r0, r1, r2, r3 = r0[:n+1], r1[:n+1], r2[:n+1], r3[:n+1]
	for j, g := range planes {
		c, s, t := g.c, g.s, dense.Conj(g.s)
		y0, y1, y2, y3 := r0[j+1], r1[j+1], r2[j+1], r3[j+1]
		r0[j], r1[j], r2[j], r3[j] = c*x0+s*y0, c*x1+s*y1, c*x2+s*y2, c*x3+s*y3
		x0, x1, x2, x3 = c*y0-t*x0, c*y1-t*x1, c*y2-t*x2, c*y3-t*x3
	}
	r0[n], r1[n], r2[n], r3[n] = x0, x1, x2, x3
}

// fourDown is fourUp in decreasing order.
func fourDown[T dense.Wide](planes []plane[T], r0, r1, r2, r3 []T) {
	n := len(planes)
	y0, y1, y2, y3 := r0[n], r1[n], r2[n], r3[n]
	r0, r1, r2, r3 = r0[:n+1], r1[:n+1], r2[:n+1], r3[:n+1]
	for j := n - 1; j >= 0; j-- {
		c, s, t := planes[j].c, planes[j].s, dense.Conj(planes[j].s)
		x0, x1, x2, x3 := r0[j], r1[j], r2[j], r3[j]
		r0[j+1], r1[j+1], r2[j+1], r3[j+1] = c*y0-t*x0, c*y1-t*x1, c*y2-t*x2, c*y3-t*x3
		y0, y1, y2, y3 = c*x0+s*y0, c*x1+s*y1, c*x2+s*y2, c*x3+s*y3
	}
	r0[0], r1[0], r2[0], r3[0] = y0, y1, y2, y3
}

// rotateAlong is rotateColumns for one row.
func rotateAlong[T dense.Wide](planes []plane[T], down bool, row []T) {
	for k := range planes {
		j := inOrder(k, len(planes), down)
		row[j], row[j+1] = planes[j].turn(row[j], row[j+1])
	}
}

// rotateTwoColumns applies the plane to columns k and k+1 of m in the rows from first on and before end.
func rotateTwoColumns[T dense.Wide](g plane[T], m dense.Matrix[T], k, first, end int) {
	c, s, t := g.c, g.s, dense.Conj(g.s)
	for i := first; i < end; i++ {
		at := i*m.Stride + k
		pair := m.Data[at : at+2 : at+2]
		x, y := pair[0], pair[1]
		pair[0], pair[1] = c*x+s*y, c*y-t*x
	}
}
