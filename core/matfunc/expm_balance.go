package matfunc

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/sched"
)

// A matrix far from normal may have a norm that is large compared with its exponential; each squaring that the norm
// requires multiplies rounding errors. Rows and columns are therefore permuted and scaled by powers of two, which is
// exact, where that makes the norm much smaller.

const (
	balanceFrom  = 64 // full matrices of smaller norm are not balanced: they need few squarings
	worthBalance = 16 // the factor by which the norm has to decrease
	gradedSize   = 1  // elements up to this size need no squarings
)

// expmBalance is a permutation and scales: the exponential of the caller's matrix has the elements 2^(scales[i] -
// scales[j]) x_ij in rows order[i] and columns order[j].
type expmBalance[T dense.Scalar] struct {
	scales grading // nil for none
	order  []int   // nil for the order as it is
	lower  bool    // the transpose has been taken
}

// balanceExponential replaces the matrix of e by the balanced one, whose exponential is computed.
func balanceExponential[T dense.Scalar](e *exponential[T]) (b expmBalance[T], err error) {
	switch e.shape {
	case upper:
		b.grade(e.a)
		return b, nil
	case lower:
		turned := e.work[0]
		dense.Copy(turned.View(), e.a.View().T())
		if b.grade(turned); b.scales != nil {
			copy(e.a.Data, turned.Data)
			b.lower, e.shape = true, upper
		}
		return b, nil
	}
	norm := infinityNorm(e.a)
	if norm <= balanceFrom {
		return b, nil
	}
	balanced := e.work[0]
	copy(balanced.Data, e.a.Data)
	found, err := hessenberg.Balance(balanced, hessenberg.BalanceOptions{Team: e.team, Permute: true, Scale: true})
	if err != nil {
		return b, err
	}
	ends := make([]int, 0, e.n)
	for i := 1; i <= e.n; i++ {
		if i <= found.Lo || i >= found.Hi {
			ends = append(ends, i)
		}
	}
	scales := gradingOfBlocks(balanced, ends, gradedSize)
	regrade(balanced, scales, 1)
	triangular := found.Hi-found.Lo < 2
	if !triangular && infinityNorm(balanced)*worthBalance > norm {
		return b, nil
	}
	if scales == nil {
		scales = make(grading, e.n)
	}
	for i, scale := range found.Scale {
		scales[i] += math.Ilogb(scale)
	}
	copy(e.a.Data, balanced.Data)
	b.scales, b.order = scales, found.Order
	if triangular {
		e.shape = upper
	}
	return b, nil
}

// grade scales the upper triangular t if that makes it much smaller.
func (b *expmBalance[T]) grade(t dense.Matrix[T]) {
	ends := make([]int, t.Rows)
	for i := range ends {
		ends[i] = i + 1
	}
	norm, graded := infinityNorm(t), t.Clone()
	scales := gradingOfBlocks(t, ends, gradedSize)
	if scales == nil {
		return
	}
	if regrade(graded, scales, 1); infinityNorm(graded)*worthBalance <= norm {
		t.CopyFrom(graded)
		b.scales = scales
	}
}

// back writes the exponential of the caller's matrix into x, given that of the balanced one, which is overwritten.
func (b expmBalance[T]) back(team *sched.Team, result dense.Matrix[T], x dense.View[T]) error {
	regrade(result, b.scales, -1)
	if b.lower {
		x = x.T()
	}
	if b.order == nil {
		return blas.CopyView(team, x, result.View())
	}
	for i, row := range b.order {
		for j, column := range b.order {
			x.Set(row, column, result.At(i, j))
		}
	}
	return nil
}
