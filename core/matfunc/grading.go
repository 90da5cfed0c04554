package matfunc

import (
	"math"

	"trnsci/core/dense"
)

// grading is the logarithms d of a diagonal matrix 2^d, by which the triangular T becomes the similar matrix 2^-d T
// 2^d. It is nil if T stays as it is.
type grading []int

// mostGrading is how many powers of two may be between the largest and the smallest scale. What is scaled down by so
// much is far below rounding errors, and no underflow takes more.
func mostGrading[T dense.Scalar]() int {
	if dense.IsSingle[T]() {
		return 50
	}
	return 400
}

// gradingOf returns scales with which no element above the diagonal of an upper triangular or quasi-triangular t is
// larger than the largest on the diagonal blocks, as far as scales of a sound size can do. A function of a similar
// matrix is similar to that of the matrix, and norms say more about it: those of triangles far from normal are large
// where their functions are as accurate as those of small ones.
func gradingOf[W dense.Wide](t dense.Matrix[W]) grading {
	ends := make([]int, 0, t.Rows)
	for i := 1; i <= t.Rows; i++ {
		if i == t.Rows || t.At(i, i-1) == 0 {
			ends = append(ends, i)
		}
	}
	return gradingOfBlocks(t, ends, 0)
}

// gradingOfBlocks is gradingOf for a block triangular t whose diagonal blocks end before the given rows, where elements
// may be as large as size, too.
func gradingOfBlocks[T dense.Scalar](t dense.Matrix[T], ends []int, size float64) grading {
	n, most, largest, first := t.Rows, mostGrading[T](), 0.0, 0
	for _, end := range ends {
		for i := first; i < end; i++ {
			for j, v := range t.Row(i)[first:] {
				if first+j < end {
					size = max(size, dense.Abs(v))
				} else {
					largest = max(largest, dense.Abs(v))
				}
			}
		}
		first = end
	}
	if size == 0 || largest <= size {
		return nil
	}
	d, bound := make(grading, n), math.Log2(size)
	first = 0
	for _, end := range ends {
		scale := 0
		for i := range first {
			for _, v := range t.Row(i)[first:end] {
				if v != 0 {
					scale = min(scale, d[i]+int(math.Floor(bound-math.Log2(dense.Abs(v)))))
				}
			}
		}
		for ; first < end; first++ {
			d[first] = max(scale, -most)
		}
	}
	return d
}

// regrade overwrites t by 2^-d t 2^d for a sign of 1, and by 2^d t 2^-d for -1.
func regrade[T dense.Scalar](t dense.Matrix[T], d grading, sign int) {
	if d == nil {
		return
	}
	for i := range t.Rows {
		row := t.Row(i)
		for j, v := range row {
			if shift := sign * (d[j] - d[i]); shift != 0 && v != 0 {
				row[j] = dense.FromParts[T](math.Ldexp(dense.Real(v), shift), math.Ldexp(dense.Imag(v), shift))
			}
		}
	}
}
