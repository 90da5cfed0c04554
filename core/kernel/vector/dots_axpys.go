package vector

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Assembly cannot be preempted: callers cut their work so that a call takes well under a millisecond, the time for half
// a million elements from memory. Results overlap no other operand. Equal calls give equal bits.

// Rows is a run of rows of a real matrix: element (i, j) is A[i*Stride+j] for i < Count and j < Cols. Count and Cols
// are at least 1, Stride is not negative. Nothing outside of these elements is read or written.
type Rows[T kernel.Float] struct {
	Count, Cols, Stride int
	A                   []T

	// Prefetch brings the next group of rows into the cache while a group is worked on, also behind the last row. That
	// reads a matrix of 70 MB, which comes from memory, 1.2 to 2 times as fast, but one that fits a cache more slowly.
	Prefetch bool
}

func (r *Rows[T]) check(perRow, perCol, rowLength, colLength int) {
	if r.Count < 1 || r.Cols < 1 || r.Stride < 0 || (r.Count-1)*r.Stride+r.Cols > len(r.A) ||
		perRow*r.Count > rowLength || perCol*r.Cols > colLength {
		panic(fmt.Sprintf("vector: %d rows of %d, stride %d, do not fit lengths %d, %d, %d", r.Count, r.Cols, r.Stride,
			len(r.A), rowLength, colLength))
	}
}

// operands are the vectors that a kernel takes in addition to the rows; nil if it has none.
type operands[T kernel.Float] struct {
	x0, x1, y0, y1, sums, alpha []T
	isTriangle                  bool
	first                       int // of a triangle
}

// Dots adds the products of the rows and x to sums: sums[i] += sum_j A(i,j) x[j].
//
// The rows are taken in groups from the first on: a sum has the same bits when the run is cut at a multiple of
// RowGroup.
func Dots[T kernel.Float](s kernel.Set, r *Rows[T], x, sums []T) {
	r.check(1, 1, len(sums), len(x))
	if s == kernel.Go {
		dotsGo(r, x, sums)
		return
	}
	vectorAssembly(s, kernelDots, r, &operands[T]{x0: x, sums: sums})
}

// RowGroup is the largest number of rows that Dots, DotsPair and the functions that include them take together.
const RowGroup = 8

// DotsPair is Dots for two vectors at once, for which the matrix is read once: sums[2i] += sum_j A(i,j) x[j] and
// sums[2i+1] += sum_j A(i,j) y[j].
func DotsPair[T kernel.Float](s kernel.Set, r *Rows[T], x, y, sums []T) {
	r.check(2, 1, len(sums), min(len(x), len(y)))
	if s == kernel.Go {
		dotsPairGo(r, x, y, sums)
		return
	}
	vectorAssembly(s, kernelDotsPair, r, &operands[T]{x0: x, x1: y, sums: sums})
}

// Axpys adds multiples of the rows to y, in the order of the rows: y[j] += sum_i alpha[i] A(i,j). An element of y is
// rounded in the same way wherever the columns are cut.
func Axpys[T kernel.Float](s kernel.Set, r *Rows[T], alpha, y []T) {
	r.check(1, 1, len(alpha), len(y))
	if s == kernel.Go {
		axpysGo(r, alpha, y)
		return
	}
	vectorAssembly(s, kernelAxpys, r, &operands[T]{y0: y, alpha: alpha})
}

// AxpysPair is Axpys for two vectors at once: y[j] += sum_i alpha[2i] A(i,j) and z[j] += sum_i alpha[2i+1] A(i,j).
func AxpysPair[T kernel.Float](s kernel.Set, r *Rows[T], alpha, y, z []T) {
	r.check(2, 1, len(alpha), min(len(y), len(z)))
	if s == kernel.Go {
		axpysPairGo(r, alpha, y, z)
		return
	}
	vectorAssembly(s, kernelAxpysPair, r, &operands[T]{y0: y, y1: z, alpha: alpha})
}

// DotsAxpys does Dots(x, sums) and Axpys(alpha, y) while it reads the matrix once.
func DotsAxpys[T kernel.Float](s kernel.Set, r *Rows[T], x, sums, alpha, y []T) {
	r.check(1, 1, min(len(sums), len(alpha)), min(len(x), len(y)))
	if s == kernel.Go {
		dotsGo(r, x, sums)
		axpysGo(r, alpha, y)
		return
	}
	vectorAssembly(s, kernelDotsAxpys, r, &operands[T]{x0: x, y0: y, sums: sums, alpha: alpha})
}

// DotsAxpysPair does DotsPair(x0, x1, sums) and AxpysPair(alpha, y0, y1) while it reads the matrix once.
func DotsAxpysPair[T kernel.Float](s kernel.Set, r *Rows[T], x0, x1, sums, alpha, y0, y1 []T) {
	r.check(2, 1, min(len(sums), len(alpha)), min(len(x0), len(x1), len(y0), len(y1)))
	if s == kernel.Go {
		dotsPairGo(r, x0, x1, sums)
		axpysPairGo(r, alpha, y0, y1)
		return
	}
	vectorAssembly(s, kernelDotsAxpysPair, r, &operands[T]{x0: x0, x1: x1, y0: y0, y1: y1, sums: sums, alpha: alpha})
}

// row returns row i of r.
func (r *Rows[T]) row(i int) []T { return r.A[i*r.Stride:][:r.Cols] }

// dotsGo keeps four sums for each row, so that additions need not wait for one another.
func dotsGo[T kernel.Float](r *Rows[T], x, sums []T) {
	for i := range r.Count {
		sums[i] += vec.Dot(r.row(i), x)
	}
}

func dotsPairGo[T kernel.Float](r *Rows[T], x, y, sums []T) {
	for i := range r.Count {
		row := r.row(i)
		sums[2*i] += vec.Dot(row, x)
		sums[2*i+1] += vec.Dot(row, y)
	}
}

func axpysGo[T kernel.Float](r *Rows[T], alpha, y []T) {
	for i := range r.Count {
		vec.Axpy(alpha[i], r.row(i), y)
	}
}

func axpysPairGo[T kernel.Float](r *Rows[T], alpha, y, z []T) {
	for i := range r.Count {
		vec.Axpy(alpha[2*i], r.row(i), y)
		vec.Axpy(alpha[2*i+1], r.row(i), z)
	}
}

// vectorAssembly runs a kernel of vectors. Like all assembly it cannot be preempted.
func vectorAssembly[T kernel.Float](s kernel.Set, k kernelID, r *Rows[T], v *operands[T]) {
	size := int(unsafe.Sizeof(T(0)))
	steps := r.Cols * size >> vec.Shift(s)
	rest := r.Cols - steps*vec.Bytes(s)/size
	args := vectorArgs{
		a:  unsafe.Pointer(unsafe.SliceData(r.A)),
		x0: unsafe.Pointer(unsafe.SliceData(v.x0)), x1: unsafe.Pointer(unsafe.SliceData(v.x1)),
		y0: unsafe.Pointer(unsafe.SliceData(v.y0)), y1: unsafe.Pointer(unsafe.SliceData(v.y1)),
		sums: unsafe.Pointer(unsafe.SliceData(v.sums)), alpha: unsafe.Pointer(unsafe.SliceData(v.alpha)),
		mask: 1<<rest - 1, kernel: uint64(k),
		count: r.Count, stride: r.Stride * size, steps: steps, first: v.first, order: r.Cols,
	}
	if r.Prefetch {
		args.prefetch = 1
	}
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(rest * size)
		if v.isTriangle {
			args.lanes = vec.Mask(0)
		}
	}
	vectorsKernel(s, vec.FloatType[T](), &args)
}
