// Package reorder moves selected eigenvalues of a Schur form to the top, by unitary similarity.
package reorder

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/quasi"
	"trnsci/core/sched"
)

// Order reorders the Schur form A = Z T Z^H of an n x n matrix, as package schur computes it, so that the selected
// eigenvalues come first and the others after them, both in the order they had. selected[i] belongs to the eigenvalue
// of row i; a complex pair of a real matrix is selected if one of its rows is. t and z are overwritten by the new T and
// Z; a z with Rows = 0 is left alone. Order returns the number of selected eigenvalues, each of a pair counted.
//
// The new form is backward stable like the old one. 1 x 1 blocks keep their value exactly, except that matrices of
// extreme size are scaled; 2 x 2 blocks change by rounding errors, which may turn a pair of nearly equal eigenvalues
// into two real ones.
//
// It returns a *dense.ArgumentError for shapes that do not fit or a t that is not a Schur form; a *SeparationError when
// an exchange would lose accuracy, after which t and z are a Schur form that is ordered in part; and the team's error
// when the call is cancelled, after which they are unspecified. The team carries threads, cancellation and progress.
//
// Cost: at most about 6 n^3 flops. Method: exchanges of neighbouring blocks (Bai and Demmel, Linear Algebra Appl. 186,
// 1993) in windows whose transformations are accumulated (Kressner, Block algorithms for reordering standard and
// generalized Schur forms, ACM TOMS 32, 2006).
func Order[T dense.Scalar](team *sched.Team, t, z dense.View[T], selected []bool) (count int, err error) {
	if err := check(t, z, selected); err != nil {
		return 0, err
	}
	switch z := any(z).(type) {
	case dense.View[float32]:
		return order(team, any(t).(dense.View[float32]), z, selected, newBlockSorter(quasi.Swap[float32]),
			quasi.Restandardize[float32])
	case dense.View[float64]:
		return order(team, any(t).(dense.View[float64]), z, selected, newBlockSorter(quasi.Swap[float64]),
			quasi.Restandardize[float64])
	case dense.View[complex64]:
		return order(team, any(t).(dense.View[complex64]), z, selected, newElementSorter[float32, complex64](), nil)
	case dense.View[complex128]:
		return order(team, any(t).(dense.View[complex128]), z, selected, newElementSorter[float64, complex128](), nil)
	}
	panic("reorder: unreachable element type")
}

func check[T dense.Scalar](t, z dense.View[T], selected []bool) error {
	err := workspace.CheckShapes(t, workspace.Output[T]{Name: "t", View: t}, workspace.Output[T]{Name: "z", View: z})
	if err != nil {
		return err
	}
	if len(selected) != t.Rows {
		return dense.BadArgument("selected", "expected %d flags, got %d", t.Rows, len(selected))
	}
	return quasi.CheckForm(t)
}

// order is Order with the given window sorter. repair, unless it is nil, is applied to T after T has been scaled back.
func order[T dense.Scalar](
	team *sched.Team, t, z dense.View[T], selected []bool, sort windowSorter[T], repair func(t, zt dense.Matrix[T]),
) (count int, err error) {
	form, zt, lent := workspace.BorrowPair[T](t.Rows, z.Rows > 0)
	defer lent.GiveBack()
	o := orderer[T]{t: form, zt: zt, selected: append([]bool(nil), selected...), sort: sort}
	if err := blas.CopyView(team, o.t.View(), t); err != nil {
		return 0, err
	}
	if z.Rows > 0 {
		if err := blas.CopyView(team, o.zt.View(), z.T()); err != nil {
			return 0, err
		}
		workspace.Conjugate(o.zt)
	}
	count = o.completePairs()
	exponent := workspace.ScalingExponent(o.t)
	workspace.Scale(o.t, exponent)
	refused := o.run(team)
	workspace.Scale(o.t, -exponent)
	if repair != nil {
		repair(o.t, o.zt)
	}
	if err := team.Err(); err != nil {
		return 0, err
	}
	if err := blas.CopyView(team, t, o.t.View()); err != nil {
		return 0, err
	}
	if z.Rows > 0 {
		workspace.Conjugate(o.zt)
		if err := blas.CopyView(team, z, o.zt.View().T()); err != nil {
			return 0, err
		}
	}
	return count, refused
}

// Workspace returns an upper bound on the memory in bytes that Order allocates for matrices of order n: two matrices,
// and room for the rows of a window.
func Workspace[T dense.Scalar](n int) int64 {
	const headers = 1 << 14 // structs, the alignment of the matrices and the allocator's rounding up
	word, window := int64(dense.Bytes[T]()), int64(min(n, windowRows+1))
	return word*(2*int64(n)*int64(workspace.PaddedStride[T](n))+window*(window+int64(n))) + int64(n) + headers
}
