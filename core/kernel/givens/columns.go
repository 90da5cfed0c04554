package givens

import (
	"fmt"
	"unsafe"

	"trnsci/core/kernel"
)

// Sizes of the kernels that rotate columns: rotations or rows of a square, rows of a group of squares.
const squareSide, groupRows = 4, 16

// RotateColumns applies plane rotations to neighbouring columns of a matrix of len(rotations)+1 columns: rotation i to
// columns i and i+1, in decreasing order of i. Row i has its elements at a[i*stride].
func RotateColumns(s kernel.Set, rotations []Rotation[float64], a []float64, stride, rows int) {
	n := len(rotations)
	if n == 0 || rows == 0 {
		return
	}
	if rows < 0 || stride <= n || (rows-1)*stride+n+1 > len(a) {
		panic(fmt.Sprintf("givens: %d rotations of columns of %d rows, stride %d, length %d", n, rows, stride, len(a)))
	}
	if s != kernel.Go {
		rotateColumnsAssembly(s, rotations, a, stride, rows)
		return
	}
	for i := range rows {
		rotateRow(rotations, a[i*stride:])
	}
}

// rotateColumnsAssembly is RotateColumns with kernels. Rows that are no whole square are made one by the last of them
// in place of those that are missing: what is done to it is done several times, each time with the same numbers.
func rotateColumnsAssembly(s kernel.Set, rotations []Rotation[float64], a []float64, stride, rows int) {
	const bytes = int(unsafe.Sizeof(a[0]))
	n := len(rotations)
	args := columnsArgs{
		a: unsafe.Pointer(&a[n]), rotations: unsafe.Pointer(&rotations[n-1]), stride: stride * bytes,
		squares: n / squareSide, rest: n % squareSide, count: rows / groupRows,
	}
	if args.count > 0 {
		rotateColumnsKernel(s, &args)
	}
	for i := rows / groupRows * groupRows; i < rows; i += squareSide {
		args.a = unsafe.Pointer(&a[i*stride+n])
		for k := range args.offsets {
			args.offsets[k] = min(k+1, rows-1-i) * stride * bytes
		}
		rotateFewColumnsKernel(s, &args)
	}
}

// rotateRow applies the rotations to the elements of a row.
func rotateRow(rotations []Rotation[float64], row []float64) {
	y := row[len(rotations)]
	for j := len(rotations) - 1; j >= 0; j-- {
		q, x := rotations[j], row[j]
		row[j+1], y = q.C*y-q.S*x, q.C*x+q.S*y
	}
	row[0] = y
}
