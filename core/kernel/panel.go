package kernel

import "fmt"

// The assembly behind these functions cannot be preempted: a caller cuts its work so that a call takes well under a millisecond. What is
// written overlaps no other operand.

// Transpose writes the transpose of a matrix of rows x cols: dst[j*dstStride+i] = src[i*srcStride+j].
func Transpose[T Float](s Set, rows, cols int, src []T, srcStride int, dst []T, dstStride int) {
	if rows < 1 || cols < 1 || min(srcStride, dstStride) < 0 || (rows-1)*srcStride+cols > len(src) || (cols-1)*dstStride+rows > len(dst) {
		panic(fmt.Sprintf("kernel: transpose of %dx%d, strides %d, %d, lengths %d, %d", rows, cols, srcStride, dstStride, len(src), len(dst)))
	}
	if s == Go {
		transposeGo(rows, cols, src, srcStride, dst, dstStride)
		return
	}
	transposeAssembly(rows, cols, src, srcStride, dst, dstStride)
}

func transposeGo[T Float](rows, cols int, src []T, srcStride int, dst []T, dstStride int) {
	for i := range rows {
		for j, x := range src[i*srcStride:][:cols] {
			dst[j*dstStride+i] = x
		}
	}
}

// Panel is Count tiles of Rows x Cols elements side by side, in two places: element (i, j) of tile t is at From[t*FromStep+i*FromRow+j] and at
// To[t*ToStep+i*ToRow+j]. Cols is at most the columns of a tile of the set's Blocking, or its rows.
type Panel[T Float] struct {
	Count, Rows, Cols int
	From              []T
	FromRow, FromStep int
	To                []T
	ToRow, ToStep     int
}

// check panics unless the tiles are where they are said to be, with so many rows in To for a row in From.
func (p *Panel[T]) check(s Set, rowsTo int) {
	last, rows, cols := p.Count-1, p.Rows-1, p.Cols-1
	if last|rows|cols|p.FromRow|p.FromStep|p.ToRow|p.ToStep < 0 || last*p.FromStep+rows*p.FromRow+cols >= len(p.From) ||
		last*p.ToStep+(rowsTo*p.Rows-1)*p.ToRow+cols >= len(p.To) || p.Cols > BlockingOf[T](s).TileCols() || p.Cols%rowsTo != 0 {
		panic(fmt.Sprintf("kernel: copy of %d tiles of %dx%d, strides %d,%d %d,%d, lengths %d, %d",
			p.Count, p.Rows, p.Cols, p.FromRow, p.FromStep, p.ToRow, p.ToStep, len(p.From), len(p.To)))
	}
}

// Copy copies the tiles, row by row.
func Copy[T Float](s Set, p *Panel[T]) {
	p.check(s, 1)
	if s != Go {
		copyAssembly(s, p)
		return
	}
	for i := range p.Rows {
		for t := range p.Count {
			copy(p.To[t*p.ToStep+i*p.ToRow:][:p.Cols], p.From[t*p.FromStep+i*p.FromRow:])
		}
	}
}

// pairRows is how many rows Pairs makes of one.
const pairRows = 2

// Pairs copies tiles whose rows are pairs (x, y), Cols being even, and makes two rows of each: row i of From becomes rows 2i and 2i+1 of To,
//
//	upper[0] x, upper[1] y
//	lower[0] y, lower[1] x
//
// The factors are 1 or -1. From may also be what is to become the upper rows of To, where they are to be.
func Pairs[T Float](s Set, p *Panel[T], upper, lower [2]T) {
	p.check(s, pairRows)
	if s != Go {
		pairsAssembly(s, p, upper, lower)
		return
	}
	for i := range p.Rows {
		for t := range p.Count {
			from := p.From[t*p.FromStep+i*p.FromRow:][:p.Cols]
			at := t*p.ToStep + pairRows*i*p.ToRow
			above, below := p.To[at:][:p.Cols], p.To[at+p.ToRow:][:p.Cols]
			for j := 0; j < p.Cols; j += 2 {
				x, y := from[j], from[j+1]
				above[j], above[j+1] = upper[0]*x, upper[1]*y
				below[j], below[j+1] = lower[0]*y, lower[1]*x
			}
		}
	}
}

// SolveOrder is the most rows of a system that Solve takes.
const SolveOrder = 8

// Solve replaces X by the solution of L Y = X for a lower triangular L of the given order, at most SolveOrder. Element (i, j) of
// L with j < i is l[i*SolveOrder+j]; l[i*SolveOrder+i] is the reciprocal of the diagonal element. Row i of X has cols elements, at
// x[first+i*stride]; stride may be negative.
func Solve[T Float](s Set, order int, l []T, x []T, first, stride, cols int) {
	checkSystem(order, l, x, first, stride, cols)
	if s != Go {
		systemAssembly(s, solveSystem, order, l, x, first, stride, cols)
		return
	}
	for i := range order {
		row := x[first+i*stride:][:cols]
		for j := range i {
			axpy(-l[i*SolveOrder+j], x[first+j*stride:][:cols], row)
		}
		scaleGo(l[i*SolveOrder+i], row)
	}
}

// MultiplyTriangular replaces X by L X for a lower triangular L of the given order, at most SolveOrder. Element (i, j) of L with j <= i is
// l[i*SolveOrder+j]. For X see Solve.
func MultiplyTriangular[T Float](s Set, order int, l []T, x []T, first, stride, cols int) {
	checkSystem(order, l, x, first, stride, cols)
	if s != Go {
		systemAssembly(s, multiplySystem, order, l, x, first, stride, cols)
		return
	}
	for i := order - 1; i >= 0; i-- {
		row := x[first+i*stride:][:cols]
		scaleGo(l[i*SolveOrder+i], row)
		for j := i - 1; j >= 0; j-- {
			axpy(l[i*SolveOrder+j], x[first+j*stride:][:cols], row)
		}
	}
}

// systemKernel says what is done with a triangle.
type systemKernel uint8

const (
	solveSystem systemKernel = iota
	multiplySystem
)

func checkSystem[T Float](order int, l []T, x []T, first, stride, cols int) {
	last := first + (order-1)*stride
	if order < 1 || order > SolveOrder || cols < 1 || len(l) < (order-1)*SolveOrder+order || min(first, last) < 0 || max(first, last)+cols > len(x) {
		panic(fmt.Sprintf("kernel: triangle of order %d, %d columns at %d, stride %d, lengths %d, %d", order, cols, first, stride, len(l), len(x)))
	}
}

// Rotation is a plane rotation: it replaces (x, y) by (C x + S y, C y - S x).
type Rotation[T Float] struct{ C, S T }

// Rotate applies plane rotations to neighbouring rows of a matrix of len(rotations)+1 rows: rotation i to rows i and i+1, in
// increasing order of i, or in decreasing order if down is set. Row i has cols elements, at a[i*stride].
func Rotate[T Float](s Set, rotations []Rotation[T], down bool, a []T, stride, cols int) {
	if n := len(rotations); n > 0 && (cols < 1 || stride < 0 || n*stride+cols > len(a)) {
		panic(fmt.Sprintf("kernel: %d rotations of %d columns, stride %d, length %d", n, cols, stride, len(a)))
	}
	if s == Go || len(rotations) == 0 {
		rotateGo(rotations, down, a, stride, cols)
		return
	}
	rotateAssembly(s, rotations, down, a, stride, cols)
}

func rotateGo[T Float](rotations []Rotation[T], down bool, a []T, stride, cols int) {
	for k := range rotations {
		i := k
		if down {
			i = len(rotations) - 1 - k
		}
		q := rotations[i]
		x, y := a[i*stride:][:cols], a[(i+1)*stride:][:cols]
		for j, p := range x {
			x[j] = q.C*p + q.S*y[j]
			y[j] = q.C*y[j] - q.S*p
		}
	}
}
