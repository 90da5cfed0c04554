package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
)

// Reflectors is the product Q = H_0 H_1 ... H_(k-1) of the reflectors H_i = I - tau_i v_i v_i^H of order m, in blocks
// in compact WY form.
type Reflectors[T dense.Scalar] struct{ f *qr[T] }

// NewReflectors returns the product of the reflectors of which row i of the k x m matrix x, k <= m, has the elements of
// v_i right of the diagonal; the one on it is 1 and those left of it are 0. x must not change while the product is
// used. Apply may be called with up to mostRows rows. The memory is borrowed until GiveBack.
//
// Cost: m k multiply-adds for each reflector of a block.
func NewReflectors[T dense.Scalar](team *sched.Team, x dense.Matrix[T], tau []T, mostRows int) (Reflectors[T], error) {
	f := newQR(x, mostRows)
	f.team = team
	copy(f.tau, tau)
	for first := 0; first < len(f.tau); first += f.width {
		p := f.loadPanel(first, min(first+f.width, len(f.tau)))
		gram := f.inner[0].Slice(0, p.vt.Rows, 0, p.vt.Rows)
		blas.Gemm(team, blas.NoTrans, blas.ConjTrans, 1, p.vt, p.vt, 0, gram)
		if err := team.Err(); err != nil {
			f.lent.GiveBack()
			return Reflectors[T]{}, err
		}
		for j, t := range p.tau {
			for i := range j {
				f.sums[i] = gram.At(i, j)
			}
			householder.ExtendTriangle(p.s, dense.Conj(t), f.sums[:j])
		}
	}
	return Reflectors[T]{f}, nil
}

// GiveBack ends the use of r.
func (r Reflectors[T]) GiveBack() { r.f.lent.GiveBack() }

// Apply replaces rows, of m columns, by rows Q, or with transposed by rows Q^T, and with conjugate by the same for
// conj(Q). It reports ApplySteps to the team. Cost: 2 m multiply-adds for each row and reflector.
func (r Reflectors[T]) Apply(team *sched.Team, rows dense.Matrix[T], transposed, conjugate bool) error {
	r.f.team = team
	return r.f.apply(rows, transposed, conjugate)
}

// ApplySteps returns the steps that Apply to that many rows reports.
func (r Reflectors[T]) ApplySteps(rows int) int { return r.f.applyingSteps(rows) }
