package eigen

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// The reduction of a generalized problem to standard form. It halves the matrices,
//
//	A = (A11, A21^H; A21, A22),  L = (L11, 0; L21, L22)
//
// and works on lower triangles only. It takes n^3/2 multiply-adds, nearly all of them in products of matrices and half
// of those of two products of the whole of A with a triangle. Source: the block algorithm of LAPACK's xHEGST (Anderson
// et al., LAPACK Users' Guide, 3rd ed., section 2.4.5) with blocks of half the order.

// Lower triangles of at most this order, half of it for complex ones, are written out in full and multiplied from both
// sides: this is twice the work, but in few calls.
const standardFormBase = 96

// standardForm overwrites the lower triangle of A by that of L^-1 A L^-H or, with multiply, of L^H A L.
type standardForm[W dense.Scalar] struct {
	team     *sched.Team
	multiply bool
	memory   []W // standardFormElements numbers
}

// standardFormElements returns how many numbers of scratch memory the reduction of matrices of order n takes: for a
// base block, or for the block below the first half.
func standardFormElements[W dense.Scalar](n int) int {
	base, h := min(n, standardFormOrder[W]()), standardFormHalf(n)
	return max(base*base, h*(n-h))
}

// standardFormOrder returns the largest order of a base block.
func standardFormOrder[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return standardFormBase / 2
	}
	return standardFormBase
}

// standardFormHalf returns the order of the first half: whole cache lines, and whole tiles of the kernels.
func standardFormHalf(n int) int {
	const multiple = 16
	return min(n, ceilDiv(n/2, multiple)*multiple)
}

// reduce does the reduction for the lower triangle of a and the lower triangular l.
func (s *standardForm[W]) reduce(a, l dense.Matrix[W]) error {
	n := a.Rows
	if n <= standardFormOrder[W]() {
		s.base(a, l)
		s.team.Step(cube(n))
		return s.team.Err()
	}
	h := standardFormHalf(n)
	a11, a21, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, 0, h), a.Slice(h, n, h, n)
	l11, l21, l22 := l.Slice(0, h, 0, h), l.Slice(h, n, 0, h), l.Slice(h, n, h, n)
	if err := s.reduce(a11, l11); err != nil {
		return err
	}
	half := dense.Matrix[W]{Rows: n - h, Cols: h, Stride: h, Data: s.memory[:(n-h)*h]}
	between := *s
	between.team = s.team.Phase(cube(n) - cube(h) - cube(n-h))
	if s.multiply {
		between.multiplyHalves(a11, a21, a22, l11, l21, l22, half)
	} else {
		between.divideHalves(a11, a21, a22, l11, l21, l22, half)
	}
	between.team.End()
	if err := s.team.Err(); err != nil {
		return err
	}
	return s.reduce(a22, l22)
}

// Steps of a product with a triangle and of one with a whole matrix, in the update between the halves.
const triangleSteps, wholeSteps = 1 << 20, 2 << 20

// divideHalves computes A21 of L^-1 A L^-H and the update of A22, given A11 of L^-1 A L^-H:
//
//	H = L21 A11/2,  Y = A21 L11^-H - H,  A22 -= L21 Y^H + Y L21^H,  A21 = L22^-1 (Y - H)
func (s *standardForm[W]) divideHalves(a11, a21, a22, l11, l21, l22, half dense.Matrix[W]) {
	team := s.team.Plan(2*triangleSteps + 2*wholeSteps)
	inPhase(team, triangleSteps, func(team *sched.Team) {
		blas.Trsm(team, blas.Right, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, l11, a21)
	})
	inPhase(team, wholeSteps, func(team *sched.Team) {
		blas.Hemm(team, blas.Right, blas.Lower, 0.5, a11, l21, 0, half)
	})
	addScaled(-1, half, a21)
	inPhase(team, wholeSteps, func(team *sched.Team) {
		blas.Her2k(team, blas.Lower, blas.NoTrans, -1, l21, a21, 1, a22)
	})
	addScaled(-1, half, a21)
	inPhase(team, triangleSteps, func(team *sched.Team) {
		blas.Trsm(team, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l22, a21)
	})
}

// multiplyHalves computes A11 and A21 of L^H A L, given L11^H A11 L11 in A11:
//
//	H = A22 L21/2,  Y = A21 L11 + H,  A11 += L21^H Y + Y^H L21,  A21 = L22^H (Y + H)
func (s *standardForm[W]) multiplyHalves(a11, a21, a22, l11, l21, l22, half dense.Matrix[W]) {
	team := s.team.Plan(2*triangleSteps + 2*wholeSteps)
	inPhase(team, triangleSteps, func(team *sched.Team) {
		blas.Trmm(team, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l11, a21)
	})
	inPhase(team, wholeSteps, func(team *sched.Team) {
		blas.Hemm(team, blas.Left, blas.Lower, 0.5, a22, l21, 0, half)
	})
	addScaled(1, half, a21)
	inPhase(team, wholeSteps, func(team *sched.Team) {
		blas.Her2k(team, blas.Lower, blas.ConjTrans, 1, l21, a21, 1, a11)
	})
	addScaled(1, half, a21)
	inPhase(team, triangleSteps, func(team *sched.Team) {
		blas.Trmm(team, blas.Left, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, l22, a21)
	})
}

// inPhase computes a product as a phase of the team's steps, unless the team is cancelled.
func inPhase(team *sched.Team, steps int, product func(team *sched.Team)) {
	if team.Err() != nil {
		return
	}
	phase := team.Phase(steps)
	product(phase)
	phase.End()
}

// addScaled adds alpha x to y.
func addScaled[W dense.Scalar](alpha W, x, y dense.Matrix[W]) {
	for i := range x.Rows {
		blas.Axpy(alpha, dense.Vec(x.Row(i)), dense.Vec(y.Row(i)))
	}
}

// writeOut sets x to the Hermitian matrix in the lower triangle of a.
func writeOut[W dense.Scalar](a, x dense.Matrix[W]) {
	if !dense.IsComplex[W]() {
		_ = blas.CopyView(nil, x.View(), a.View().T()) // the lower triangle comes next
	}
	for i := range a.Rows {
		row := a.Row(i)[:i+1]
		copy(x.Row(i), row)
		if dense.IsComplex[W]() {
			for j, c := range row {
				x.Set(j, i, dense.Conj(c))
			}
		}
	}
}

// base is reduce for a small block.
func (s *standardForm[W]) base(a, l dense.Matrix[W]) {
	n := a.Rows
	x := dense.Matrix[W]{Rows: n, Cols: n, Stride: n, Data: s.memory[:n*n]}
	writeOut(a, x)
	if s.multiply {
		blas.Trmm(nil, blas.Left, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, l, x)
		blas.Trmm(nil, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l, x)
	} else {
		blas.Trsm(nil, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l, x)
		blas.Trsm(nil, blas.Right, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, l, x)
	}
	for i := range n {
		copy(a.Row(i)[:i+1], x.Row(i))
	}
}
