package schur

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// ToComplex turns a real Schur form A = Z T Z^H, held in complex matrices t and z of order n, into a complex one: T
// becomes upper triangular, and Z unitary. A 2 x 2 block of a complex pair leaves the eigenvalue with positive
// imaginary part first; those of a standard block are the ones that quasi.Eigenvalues reads off it. Elements on the
// subdiagonal of the size of rounding errors are dropped; blocks other than those of Decompose, and complex elements,
// are allowed. A z with Rows = 0 is left alone. Infinities and NaNs in t give results full of NaN.
//
// It returns a *dense.ArgumentError for shapes that do not fit, and the team's error when the call is cancelled.
//
// Cost: O(n^2) for each block. Method: a rotation takes an eigenvector of the block to a multiple of e_1.
func ToComplex[T dense.Complex](team *sched.Team, t, z dense.View[T]) error {
	err := workspace.CheckShapes(t, workspace.Output[T]{Name: "t", View: t}, workspace.Output[T]{Name: "z", View: z})
	if err != nil {
		return err
	}
	if !t.AllFinite() {
		t.Fill(workspace.NaN[T]())
		z.Fill(workspace.NaN[T]())
		return nil
	}
	n := t.Rows
	form, zt := workspace.NewPadded[T](n), workspace.NewPadded[T](z.Rows)
	if err := blas.CopyView(team, form.View(), t); err != nil {
		return err
	}
	if err := blas.CopyView(team, zt.View(), z.T()); err != nil {
		return err
	}
	workspace.Conjugate(zt)
	for i := n - 2; i >= 0; i-- {
		if err := workspace.Poll(team, i); err != nil {
			return err
		}
		a, d := complex128(form.At(i, i)), complex128(form.At(i+1, i+1))
		b, c := complex128(form.At(i, i+1)), complex128(form.At(i+1, i))
		if cmplx.Abs(c) > dense.EpsDouble*(cmplx.Abs(a)+cmplx.Abs(d)) {
			g := newUnitary2[T](a, b, c, d)
			g.rows(form.Row(i)[i:], form.Row(i + 1)[i:])
			g.columns(form, i, i+2)
			if zt.Rows > 0 {
				g.rows(zt.Row(i), zt.Row(i+1))
			}
			if m, ok := realBlock(a, b, c, d); ok && m.IsStandard() {
				w := m.ImagPart()
				form.Set(i, i, T(complex(m.A, w)))
				form.Set(i+1, i+1, T(complex(m.A, -w)))
			}
		}
		form.Set(i+1, i, 0)
	}
	if err := blas.CopyView(team, t, form.View()); err != nil {
		return err
	}
	workspace.Conjugate(zt)
	return blas.CopyView(team, z, zt.View().T())
}

// realBlock returns [a b; c d] as a real matrix, if it is one.
func realBlock(a, b, c, d complex128) (m quasi.Block2, ok bool) {
	m = quasi.Block2{A: real(a), B: real(b), C: real(c), D: real(d)}
	return m, imag(a) == 0 && imag(b) == 0 && imag(c) == 0 && imag(d) == 0
}

// unitary2 is the matrix G = [conj(c) conj(s); -s c].
type unitary2[W dense.Complex] struct{ c, s W }

// newUnitary2 returns the G for which the first column of G m G^H is a multiple of e_1, m = [a b; c d] with c != 0.
func newUnitary2[W dense.Complex](a, b, c, d complex128) unitary2[W] {
	size := 0.0
	for _, x := range [4]complex128{a, b, c, d} {
		size = max(size, math.Abs(real(x)), math.Abs(imag(x)))
	}
	unit := complex(size, 0)
	p, c := a/unit/2-d/unit/2, c/unit
	root := cmplx.Sqrt(p*p + b/unit*c)
	// (p + root, c) is the eigenvector of d + p + root. For a pair the eigenvalue with positive imaginary part is taken,
	// otherwise the one that is computed without cancellation.
	x := p + root
	if isPair := imag(p) == 0 && real(root) == 0; !isPair && cmplx.Abs(p-root) > cmplx.Abs(x) {
		x = p - root
	}
	length := complex(math.Hypot(cmplx.Abs(x), cmplx.Abs(c)), 0)
	return unitary2[W]{W(x / length), W(c / length)}
}

// rows multiplies two rows of equal length by G from the left.
func (g unitary2[W]) rows(x, y []W) {
	c, s := dense.Conj(g.c), dense.Conj(g.s)
	y = y[:len(x)]
	for j, xj := range x {
		x[j], y[j] = c*xj+s*y[j], g.c*y[j]-g.s*xj
	}
}

// columns multiplies two columns of m, starting at column k, by G^H from the right, in the rows before end.
func (g unitary2[W]) columns(m dense.Matrix[W], k, end int) {
	c, s := dense.Conj(g.c), dense.Conj(g.s)
	for i := range end {
		r := m.Row(i)[k : k+2]
		r[0], r[1] = g.c*r[0]+g.s*r[1], c*r[1]-s*r[0]
	}
}
