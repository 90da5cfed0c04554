package qz

import (
	"math"

	"trnsci/core/dense"
)

// solveSylvester solves the generalized Sylvester equation
//
//	S11 R - L S22 = S12,  P11 R - L P22 = P12
//
// for a pair that consists of two diagonal blocks, the first of the given order, both of order 1 or 2. These are 2, 4
// or 8 linear equations, solved with complete pivoting as in LAPACK's tgsy2. A pivot that is zero up to rounding errors
// is replaced by a tiny one; the solution is then huge, and the swap is rejected.
func solveSylvester(m *pencil[float64], first int) (r, l dense.Matrix[float64]) {
	second := m.order() - first
	half := first * second
	// The unknowns are R by rows, then L by rows; the last column is the right-hand side.
	system := dense.New[float64](2*half, 2*half+1)
	for number, part := range []struct {
		dense.Matrix[float64]
		norm float64
	}{{m.s, m.normS}, {m.p, m.normP}} {
		for i := range first {
			for j := range second {
				row := system.Row(number*half + i*second + j)
				for k := range first {
					row[k*second+j] += part.At(i, k) / part.norm
				}
				for k := range second {
					row[half+i*second+k] -= part.At(first+k, first+j) / part.norm
				}
				row[2*half] = part.At(i, first+j) / part.norm
			}
		}
	}
	x := solveCompletePivoting(system)
	r, l = dense.New[float64](first, second), dense.New[float64](first, second)
	copy(r.Data, x[:half])
	copy(l.Data, x[half:])
	return r, l
}

// solveCompletePivoting solves n linear equations, whose right-hand side is the last column of a, by Gaussian
// elimination with complete pivoting (LAPACK's getc2 and gesc2). It overwrites a.
func solveCompletePivoting(a dense.Matrix[float64]) []float64 {
	n := a.Rows
	unknown := make([]int, n)
	for j := range unknown {
		unknown[j] = j
	}
	for k := range n {
		pivotRow, pivotCol := findPivot(a, k)
		swapRows(a, k, pivotRow)
		for i := range n {
			row := a.Row(i)
			row[k], row[pivotCol] = row[pivotCol], row[k]
		}
		unknown[k], unknown[pivotCol] = unknown[pivotCol], unknown[k]
		if math.Abs(a.At(k, k)) < dense.EpsDouble {
			a.Set(k, k, dense.EpsDouble)
		}
		for i := k + 1; i < n; i++ {
			factor := a.At(i, k) / a.At(k, k)
			for j := k; j <= n; j++ {
				a.Set(i, j, a.At(i, j)-factor*a.At(k, j))
			}
		}
	}
	x := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		sum := a.At(k, n)
		for j := k + 1; j < n; j++ {
			sum -= a.At(k, j) * x[unknown[j]]
		}
		x[unknown[k]] = sum / a.At(k, k)
	}
	return x
}

// findPivot returns the position of the coefficient of largest modulus in the rows and columns from k on.
func findPivot(a dense.Matrix[float64], k int) (row, col int) {
	row, col = k, k
	for i := k; i < a.Rows; i++ {
		for j := k; j < a.Rows; j++ {
			if math.Abs(a.At(i, j)) > math.Abs(a.At(row, col)) {
				row, col = i, j
			}
		}
	}
	return row, col
}

// swapRows interchanges rows i and j of a.
func swapRows(a dense.Matrix[float64], i, j int) {
	x, y := a.Row(i), a.Row(j)
	for k := range x {
		x[k], y[k] = y[k], x[k]
	}
}
