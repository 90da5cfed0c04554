package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// shape is the pattern of nonzero elements of a square matrix.
type shape int

const (
	full shape = iota
	upper
	lower
	diagonal
)

// shapeOf returns the narrowest shape of a.
func shapeOf[T dense.Scalar](a dense.Matrix[T]) shape {
	isUpper, isLower := true, true
	for i := 0; i < a.Rows && (isUpper || isLower); i++ {
		row := a.Row(i)
		isUpper = isUpper && isZero(row[:i])
		isLower = isLower && isZero(row[i+1:])
	}
	switch {
	case isUpper && isLower:
		return diagonal
	case isUpper:
		return upper
	case isLower:
		return lower
	}
	return full
}

func isZero[T dense.Scalar](x []T) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// diagonals are the main diagonal of a triangular matrix and the one beside it, on the side where the triangle is.
type diagonals struct{ main, beside []complex128 }

func diagonalsOf[T dense.Scalar](a dense.Matrix[T], where shape) (d diagonals) {
	n := a.Rows
	d.main, d.beside = make([]complex128, n), make([]complex128, max(0, n-1))
	for i := range n {
		d.main[i] = dense.Convert[complex128](a.At(i, i))
		switch {
		case i == 0:
		case where == upper:
			d.beside[i-1] = dense.Convert[complex128](a.At(i-1, i))
		default:
			d.beside[i-1] = dense.Convert[complex128](a.At(i, i-1))
		}
	}
	return d
}

// spectrum holds the properties of the diagonal of a triangular or quasi-triangular matrix that decide whether a
// function of it is real, or exists.
type spectrum struct {
	pairs    bool // 2 x 2 blocks, whose eigenvalues are not real
	negative bool // real eigenvalues below zero
	zero     bool
}

func spectrumOf[W dense.Wide](t dense.Matrix[W]) (s spectrum) {
	n := t.Rows
	for i := 0; i < n; i++ {
		if i+1 < n && t.At(i+1, i) != 0 {
			s.pairs = true
			i++
			continue
		}
		value := t.At(i, i)
		s.zero = s.zero || value == 0
		s.negative = s.negative || dense.Real(value) < 0 && dense.Imag(value) == 0
	}
	return s
}

// spectrumNear is spectrumOf, except that eigenvalues within rounding errors of the negative real axis count as
// negative, too. This includes pairs of a real t and the 2 x 2 blocks that schur.ToComplex treats as triangular.
func spectrumNear[W dense.Wide](t dense.Matrix[W], cut float64) spectrum {
	has := spectrumOf(t)
	for i := 0; i < t.Rows && cut > 0; i++ {
		z := dense.Convert[complex128](t.At(i, i))
		distance, small := math.Abs(imag(z)), false
		if i+1 < t.Rows && t.At(i+1, i) != 0 {
			below := dense.Abs(t.At(i+1, i))
			distance, small = math.Sqrt(below)*math.Sqrt(dense.Abs(t.At(i,
				i+1))), below <= 2*dense.Eps[W]()*dense.Abs(t.At(i, i))
			i++
		}
		has.negative = has.negative || real(z) < 0 && (distance <= cut || small)
	}
	return has
}

// connectedComponents returns the sets of rows and columns that elements off the diagonal connect, each in ascending
// order.
func connectedComponents[W dense.Wide](m dense.Matrix[W]) (parts [][]int) {
	n := m.Rows
	partOf, found := make([]int, n), 0 // numbers from 1
	queue := make([]int, 0, n)
	for first := range n {
		if partOf[first] > 0 {
			continue
		}
		count := len(parts) + 1
		parts = append(parts, nil)
		partOf[first] = count
		found++
		for queue = append(queue[:0], first); len(queue) > 0 && found < n; {
			i := queue[0]
			queue = queue[1:]
			row := m.Row(i)
			for j := range n {
				if partOf[j] == 0 && (row[j] != 0 || m.Data[j*m.Stride+i] != 0) {
					partOf[j] = count
					found++
					queue = append(queue, j)
				}
			}
		}
	}
	for i, part := range partOf {
		parts[part-1] = append(parts[part-1], i)
	}
	return parts
}

// componentSteps returns the steps of a team that a function of a part takes, in units of its own: those of numbers are
// not counted.
func componentSteps(rows []int) int {
	if len(rows) == 1 {
		return 0
	}
	return len(rows) * len(rows) * len(rows)
}

// stepsOfComponents returns the steps for all parts.
func stepsOfComponents(parts [][]int) (steps int) {
	for _, rows := range parts {
		steps += componentSteps(rows)
	}
	return steps
}

// submatrix returns the rows and columns of t in the list.
func submatrix[W dense.Wide](t dense.Matrix[W], list []int) dense.Matrix[W] {
	m := dense.New[W](len(list), len(list))
	for i, row := range list {
		for j, column := range list {
			m.Set(i, j, t.At(row, column))
		}
	}
	return m
}

// isReal reports whether no element has an imaginary part.
func isReal[T dense.Scalar](a dense.View[T]) bool {
	for i := range a.Rows {
		for j := range a.Cols {
			if dense.Imag(a.At(i, j)) != 0 {
				return false
			}
		}
	}
	return true
}

// conjugate replaces the elements of m by their conjugates.
func conjugate[W dense.Wide](m dense.Matrix[W]) {
	for i := range m.Rows {
		dense.Conjugate(m.Row(i))
	}
}

// fillNaN fills x with NaN.
func fillNaN[C dense.Scalar](x dense.View[C]) { x.Fill(dense.FromParts[C](math.NaN(), 0)) }

// dropImaginary sets the imaginary parts to zero in a matrix that is real except for rounding errors.
func dropImaginary[C dense.Complex](x dense.View[C]) {
	for i := range x.Rows {
		for j := range x.Cols {
			x.Set(i, j, dense.FromReal[C](dense.Real(x.At(i, j))))
		}
	}
}

// multiplyAdd sets c to the product of a and b plus beta c.
func multiplyAdd[T dense.Scalar](team *sched.Team, a, b dense.Matrix[T], beta T, c dense.Matrix[T]) error {
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, a, b, beta, c)
	return team.Err()
}

// invertTriangle overwrites the upper triangular t by its inverse; its team reports nothing.
func invertTriangle[W dense.Wide](team *sched.Team, t dense.Matrix[W]) {
	inverse := dense.New[W](t.Rows, t.Rows)
	inverse.SetIdentity()
	blas.Trsm(team, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, 1, t, inverse)
	t.CopyFrom(inverse)
}

// scaleTriangle multiplies the upper triangular y by a number.
func scaleTriangle[W dense.Wide](y dense.Matrix[W], factor float64) {
	for i := range y.Rows {
		blas.Scal(dense.FromReal[W](factor), y.RowVec(i, i, y.Rows))
	}
}

func transposition(transposed bool) blas.Transpose {
	if transposed {
		return blas.Trans
	}
	return blas.NoTrans
}

// scaleBack multiplies the solution x of an equation by 2^shift: it may overflow.
func scaleBack[W dense.Wide](x dense.Matrix[W], shift int) {
	for i := 0; i < x.Rows && shift != 0; i++ {
		blas.Scal(dense.FromReal[W](math.Ldexp(1, min(shift, math.MaxInt16))), dense.Vec(x.Row(i)))
	}
}

// rowTimesColumn returns the sum of l_ik r_kj over first <= k < end.
func rowTimesColumn[W dense.Wide](l, r dense.Matrix[W], i, j, first, end int) (sum W) {
	if first >= end {
		return 0
	}
	// Without calls of At, each of which would copy r.
	column, stride := r.Data[first*r.Stride+j:], r.Stride
	for k, x := range l.Row(i)[first:end] {
		sum += x * column[k*stride]
	}
	return sum
}
