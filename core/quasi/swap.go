package quasi

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/householder"
)

// swapTolerance bounds the elements that an exchange leaves below the two blocks, in units of eps times the largest
// element of the blocks. An exchange that exceeds it is refused: the eigenvalues of the blocks are too close to each
// other for a stable exchange.
const swapTolerance = 10

// order4 is a matrix of order at most 4 in double precision, padded with zeros to order 4.
type order4 [4][4]float64

// Swap exchanges the adjacent diagonal blocks of orders first and second (1 or 2) that start in row at of the
// quasi-triangular t by an orthogonal similarity: t becomes Q^T T Q, and zt, the transposed factor, becomes Q^T zt
// unless it has no rows. Swap returns false and changes nothing if the rounding errors would be too large.
//
// 1 x 1 blocks keep their value exactly. 2 x 2 blocks are standardized again; one with nearly equal eigenvalues may
// come out as two 1 x 1 blocks: the element of t below its diagonal is then zero.
//
// Cost: about 8 (first + second) n (first + second) flops. Method: Bai and Demmel, On swapping diagonal blocks in real
// Schur form, Linear Algebra Appl. 186, 1993: the columns of [-X; I] with T11 X - X T22 = T12 span the invariant
// subspace of T22.
func Swap[W dense.Float](t, zt dense.Matrix[W], at, first, second int) bool {
	order := first + second
	d, largest := loadBlocks(t, at, order)
	if largest == 0 {
		return true
	}
	scale := householder.SafeScale(largest)
	for i := range order {
		for j := range order {
			d[i][j] *= scale
		}
	}
	swapped, qt, ok := d.swap(first, second, largest*scale*dense.Eps[W]())
	if !ok {
		return false
	}
	mixRows(&qt, t.Slice(at, at+order, at+order, t.Cols))
	mixColumns(&qt, t.Slice(0, at, at, at+order))
	if zt.Rows > 0 {
		mixRows(&qt, zt.Slice(at, at+order, 0, zt.Cols))
	}
	for i := range order {
		row := t.Row(at + i)[at : at+order]
		for j := range row {
			row[j] = W(swapped[i][j] / scale)
		}
	}
	for i := at; i+1 < at+order; i++ {
		if !BlockAt(t, i).IsStandard() { // an element was rounded to zero
			StandardizeAt(t, zt, i)
		}
	}
	return true
}

// loadBlocks returns the diagonal block of t of the given order that starts in row at, and its largest modulus.
func loadBlocks[W dense.Float](t dense.Matrix[W], at, order int) (d order4, largest float64) {
	for i := range order {
		for j, x := range t.Row(at + i)[at : at+order] {
			d[i][j] = float64(x)
			largest = max(largest, math.Abs(d[i][j]))
		}
	}
	return d, largest
}

// swap returns Q^T D Q, in which the diagonal blocks of D, of orders first and second, are exchanged, and Q^T. Elements
// of the new lower left block up to swapTolerance times unit are cleared; a larger one makes ok false.
func (d order4) swap(first, second int, unit float64) (swapped, qt order4, ok bool) {
	swapped = d
	for i := range qt {
		qt[i][i] = 1
	}
	basis := d.subspace(first, second, unit)
	for k := range second {
		// The reflector spans the first + 1 rows in which column k of the basis has nonzero elements on and below the
		// diagonal.
		x := [3]float64{basis[k][k], basis[k+1][k], 0}
		if first == 2 {
			x[2] = basis[k+2][k]
		}
		p, _ := householder.New3(x[0], x[1], x[2])
		applyLeft(p, &basis, k)
		applyLeft(p, &swapped, k)
		applyLeft(p, &qt, k)
		applyRight(p, &swapped, k)
	}
	for i := second; i < first+second; i++ {
		for j := range second {
			if !(math.Abs(swapped[i][j]) <= swapTolerance*unit) {
				return swapped, qt, false
			}
			swapped[i][j] = 0
		}
	}
	if second == 1 {
		swapped[0][0] = d[first][first]
	} else {
		swapped.standardize(0, &qt)
	}
	if first == 1 {
		swapped[second][second] = d[0][0]
	} else {
		swapped.standardize(second, &qt)
	}
	return swapped, qt, true
}

// subspace returns, in its first columns, [-X; I] with T11 X - X T22 = T12 for the blocks of D, or multiples of its
// columns.
func (d order4) subspace(first, second int, unit float64) (basis order4) {
	if first == 1 && second == 1 {
		basis[0][0], basis[1][0] = d[0][1], d[1][1]-d[0][0]
		return basis
	}
	unknowns := first * second
	var m factor.SmallSystem
	for i := range first {
		for j := range second {
			r := i*second + j
			for k := range first {
				m[r][k*second+j] += d[i][k]
			}
			for k := range second {
				m[r][i*second+k] -= d[first+k][first+j]
			}
			m[r][unknowns] = d[i][first+j]
		}
	}
	x, _ := m.Solve(unknowns, unit)
	for j := range second {
		for i := range first {
			basis[i][j] = -x[i*second+j]
		}
		basis[first+j][j] = 1
	}
	return basis
}

// applyLeft applies the reflector from the left to the rows of m from row k on.
func applyLeft(p householder.Reflector3, m *order4, k int) {
	for j := range m {
		s := m[k][j] + p.V1*m[k+1][j]
		if k+2 < len(m) {
			s += p.V2 * m[k+2][j]
			m[k+2][j] -= p.T2 * s
		}
		m[k][j] -= p.Tau * s
		m[k+1][j] -= p.T1 * s
	}
}

// applyRight applies the reflector from the right to the columns of m from column k on.
func applyRight(p householder.Reflector3, m *order4, k int) {
	for i := range m {
		r := &m[i]
		s := r[k] + p.V1*r[k+1]
		if k+2 < len(m) {
			s += p.V2 * r[k+2]
			r[k+2] -= p.T2 * s
		}
		r[k] -= p.Tau * s
		r[k+1] -= p.T1 * s
	}
}

// standardize brings the diagonal block of rows i and i+1 of d to standard form, and multiplies qt by the rotation.
func (d *order4) standardize(i int, qt *order4) {
	var g rotation
	m := Block2{d[i][i], d[i][i+1], d[i+1][i], d[i+1][i+1]}
	m, g = m.Standardize()
	householder.RotateReal(g, d[i][:], d[i+1][:])
	householder.RotateReal(g, qt[i][:], qt[i+1][:])
	for k := range i {
		d[k][i], d[k][i+1] = g.C*d[k][i]+g.S*d[k][i+1], g.C*d[k][i+1]-g.S*d[k][i]
	}
	d[i][i], d[i][i+1], d[i+1][i], d[i+1][i+1] = m.A, m.B, m.C, m.D
}

// mixRows multiplies m, which has two to four rows, by qt from the left.
func mixRows[W dense.Float](qt *order4, m dense.Matrix[W]) {
	if m.Cols == 0 {
		return
	}
	q := rounded[W](qt)
	x, y := m.Row(0), m.Row(1)
	switch m.Rows {
	case 2:
		for j, a := range x {
			b := y[j]
			x[j], y[j] = q[0][0]*a+q[0][1]*b, q[1][0]*a+q[1][1]*b
		}
	case 3:
		z := m.Row(2)
		for j, a := range x {
			b, c := y[j], z[j]
			x[j] = q[0][0]*a + q[0][1]*b + q[0][2]*c
			y[j] = q[1][0]*a + q[1][1]*b + q[1][2]*c
			z[j] = q[2][0]*a + q[2][1]*b + q[2][2]*c
		}
	case 4:
		z, w := m.Row(2), m.Row(3)
		for j, a := range x {
			b, c, d := y[j], z[j], w[j]
			x[j] = q[0][0]*a + q[0][1]*b + q[0][2]*c + q[0][3]*d
			y[j] = q[1][0]*a + q[1][1]*b + q[1][2]*c + q[1][3]*d
			z[j] = q[2][0]*a + q[2][1]*b + q[2][2]*c + q[2][3]*d
			w[j] = q[3][0]*a + q[3][1]*b + q[3][2]*c + q[3][3]*d
		}
	}
}

// mixColumns multiplies m, which has two to four columns, by Q from the right.
func mixColumns[W dense.Float](qt *order4, m dense.Matrix[W]) {
	q := rounded[W](qt)
	for i := range m.Rows {
		row := m.Row(i)
		switch len(row) {
		case 2:
			a, b := row[0], row[1]
			row[0], row[1] = q[0][0]*a+q[0][1]*b, q[1][0]*a+q[1][1]*b
		case 3:
			a, b, c := row[0], row[1], row[2]
			row[0] = q[0][0]*a + q[0][1]*b + q[0][2]*c
			row[1] = q[1][0]*a + q[1][1]*b + q[1][2]*c
			row[2] = q[2][0]*a + q[2][1]*b + q[2][2]*c
		case 4:
			a, b, c, d := row[0], row[1], row[2], row[3]
			row[0] = q[0][0]*a + q[0][1]*b + q[0][2]*c + q[0][3]*d
			row[1] = q[1][0]*a + q[1][1]*b + q[1][2]*c + q[1][3]*d
			row[2] = q[2][0]*a + q[2][1]*b + q[2][2]*c + q[2][3]*d
			row[3] = q[3][0]*a + q[3][1]*b + q[3][2]*c + q[3][3]*d
		}
	}
}

// rounded returns m in the type W.
func rounded[W dense.Float](m *order4) (r [4][4]W) {
	for i := range m {
		for j, x := range m[i] {
			r[i][j] = W(x)
		}
	}
	return r
}

// SwapElements exchanges the diagonal elements at and at+1 of the upper triangular t by a unitary similarity Q^H T Q,
// and replaces zt, the adjoint of the unitary factor, by Q^H zt unless it has no rows. The diagonal elements keep their
// values exactly.
//
// Method: a rotation takes the eigenvector (t12, t22 - t11) of the 2 x 2 block to a multiple of e_1.
func SwapElements[W dense.Complex](t, zt dense.Matrix[W], at int) {
	first, second := t.At(at, at), t.At(at+1, at+1)
	if first == second {
		return
	}
	c, sine := ExchangeRotation(complex128(first), complex128(t.At(at, at+1)), complex128(second))
	s := W(sine)
	blas.Rot(t.RowVec(at, at+2, t.Cols), t.RowVec(at+1, at+2, t.Cols), c, s)
	blas.Rot(t.ColVec(at, 0, at), t.ColVec(at+1, 0, at), c, dense.Conj(s))
	if zt.Rows > 0 {
		blas.Rot(zt.RowVec(at, 0, zt.Cols), zt.RowVec(at+1, 0, zt.Cols), c, s)
	}
	t.Set(at, at, second)
	t.Set(at+1, at+1, first)
}

// ExchangeRotation returns the rotation [c s; -conj(s) c] that takes (t12, t22 - t11) to a multiple of e_1. t11 and t22
// differ.
func ExchangeRotation(t11, t12, t22 complex128) (c float64, s complex128) {
	const least, most = 0x1p-900, 0x1p+900
	if f, g := square(t12), square(t22-t11); min(f, g) > least && max(f, g) < most {
		modulus, norm := math.Sqrt(f), math.Sqrt(f+g)
		s = t12 * complex(1/modulus, 0) * cmplx.Conj(t22-t11) // in two steps, so that nothing underflows
		return modulus / norm, complex(real(s)/norm, imag(s)/norm)
	}
	return exchangeScaled(t11, t12, t22)
}

// square returns |x|^2.
func square(x complex128) float64 { return real(x)*real(x) + imag(x)*imag(x) }

// exchangeScaled is ExchangeRotation for numbers of any size.
func exchangeScaled(t11, t12, t22 complex128) (c float64, s complex128) {
	size := 0.0
	for _, x := range [3]complex128{t11, t12, t22} {
		size = max(size, math.Abs(real(x)), math.Abs(imag(x)))
	}
	scale := complex(householder.SafeScale(size), 0)
	f, g := t12*scale, t22*scale-t11*scale
	scale = complex(householder.SafeScale(max(cmplx.Abs(f), cmplx.Abs(g))), 0)
	f, g = f*scale, g*scale
	modulus := cmplx.Abs(f)
	norm := math.Hypot(modulus, cmplx.Abs(g))
	s = cmplx.Conj(g) / complex(norm, 0)
	if modulus == 0 {
		return 0, s
	}
	f *= complex(householder.SafeScale(modulus), 0)
	return modulus / norm, f / complex(cmplx.Abs(f), 0) * s
}
