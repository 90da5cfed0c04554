package schur

import (
	"math"

	"trnsci/core/dense"
)

// ComplexForm turns a real Schur form A = Z T Z^T, with the 2 x 2 blocks that Schur makes, into a complex one, A = Zc Tc Zc^H: it sets tc to the
// triangular matrix Tc, whose diagonal elements are the eigenvalues in the order of Eigenvalues, and zhc to Zc^H. zt is Z^T; a zt and a zhc without
// rows are left out. No argument overlaps another one.
//
// Cost: up to 12 n^2 multiply-adds. Method: a unitary rotation of the two rows and columns of each block.
func ComplexForm[C dense.Complex, R dense.Float](t, zt dense.Matrix[R], tc, zhc dense.Matrix[C]) {
	n := t.Rows
	dense.Copy(tc.View(), t.View())
	dense.Copy(zhc.View(), zt.View())
	for i := 0; i+1 < n; i++ {
		below := float64(t.At(i+1, i))
		if below == 0 {
			continue
		}
		a, b := float64(t.At(i, i)), float64(t.At(i, i+1))
		im := math.Sqrt(math.Abs(b)) * math.Sqrt(math.Abs(below))
		// (i im, below) is an eigenvector for the eigenvalue a + i im.
		length := math.Hypot(im, below)
		c, s := dense.FromParts[C](0, im/length), dense.FromReal[C](below/length)
		rotate(-c, s, tc.Row(i)[i:], tc.Row(i + 1)[i:])
		for k := range i + 2 {
			row := tc.Row(k)[i : i+2]
			row[0], row[1] = c*row[0]+s*row[1], -s*row[0]-c*row[1]
		}
		tc.Set(i, i, dense.FromParts[C](a, im))
		tc.Set(i+1, i, 0)
		tc.Set(i+1, i+1, dense.FromParts[C](float64(t.At(i+1, i+1)), -im))
		if zhc.Rows > 0 {
			rotate(-c, s, zhc.Row(i), zhc.Row(i+1))
		}
	}
}

// rotate multiplies two rows by [c s; -s -c], which is unitary for an imaginary c and a real s with |c|^2 + s^2 = 1.
func rotate[C dense.Complex](c, s C, x, y []C) {
	for j, v := range x {
		x[j], y[j] = c*v+s*y[j], -s*v-c*y[j]
	}
}
