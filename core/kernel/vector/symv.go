package vector

import "trnsci/core/kernel"

// Symv adds A x to y for rows of a symmetric matrix A of which one triangle is stored, and reads each element once. Row
// i of r is row first+i of A, of order r.Cols. It has the elements up to the diagonal, or those from the diagonal on if
// upper is set: element (first+i, j) is r.A[i*r.Stride+j]. The rows contribute
//
//	y[first+i] += sum_j A(first+i,j) x[j]    over the stored j
//	y[j]       += A(first+i,j) x[first+i]    over the stored j off the diagonal
//
// Groups of four rows, from multiples of four on, are the fastest. Equal calls give equal bits; another cut of the rows
// gives others.
func Symv[T kernel.Float](s kernel.Set, upper bool, r *Rows[T], first int, x, y []T) {
	r.check(0, 1, 0, min(len(x), len(y)))
	if first < 0 || first+r.Count > r.Cols {
		panic("vector: rows outside of the triangle")
	}
	done := 0
	if s != kernel.Go && r.Count >= triangleRows && first%triangleRows == 0 {
		done = r.Count / triangleRows * triangleRows
		v := operands[T]{x0: x, y0: y, sums: y[first:], alpha: x[first:], isTriangle: true, first: first}
		if upper {
			vectorAssembly(s, kernelSymvUpper, r, &v)
		} else {
			vectorAssembly(s, kernelSymvLower, r, &v)
		}
	}
	for i := done; i < r.Count; i += RowGroup {
		symmetricGroup(s, upper, r, i, min(r.Count, i+RowGroup), first, x, y)
	}
}

// triangleRows is the number of rows that the assembly of Symv takes together. The first one is a multiple of it, so
// that their part of the diagonal lies within a vector.
const triangleRows = 4

// symmetricGroup does the work of Symv for rows i0 <= i < i1: the columns left or right of their part of the diagonal
// are a rectangle.
func symmetricGroup[T kernel.Float](s kernel.Set, upper bool, r *Rows[T], i0, i1, first int, x, y []T) {
	j0, j1 := 0, first+i0
	if upper {
		j0, j1 = first+i1, r.Cols
	}
	if j0 < j1 {
		beside := Rows[T]{Count: i1 - i0, Cols: j1 - j0, Stride: r.Stride, A: r.A[i0*r.Stride+j0:]}
		DotsAxpys(s, &beside, x[j0:], y[first+i0:], x[first+i0:], y[j0:])
	}
	for i := i0; i < i1; i++ {
		row, at := r.A[i*r.Stride:][:r.Cols], first+i
		j0, j1 := first+i0, at
		if upper {
			j0, j1 = at+1, first+i1
		}
		sum, factor := row[at]*x[at], x[at]
		for j := j0; j < j1; j++ {
			sum += row[j] * x[j]
			y[j] += row[j] * factor
		}
		y[at] += sum
	}
}
