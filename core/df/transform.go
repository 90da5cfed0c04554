package df

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/packed"
	"trnsci/core/sched"
)

const wordBytes = 8 // of a float64

// Rows of L that go into a product. At most as many as make whole cache lines of B, whose auxiliary functions run fastest, well worth their
// writing; at least one line. In between the products of a group take about so many bytes.
const (
	maxGroup, minGroup = 64, 8
	groupBytes         = 32 << 20
)

// Options holds what a call of Transform may use and what it leaves out. The zero value is one thread and the default memory limit.
type Options struct {
	Team            *sched.Team // threads, cancellation, progress in rows of L; nil is one thread
	SkipFiniteCheck bool        // do not refuse infinities and NaNs in L: what they touch is then not finite
	// MaxBytes limits the memory for blocks of L: those that are read, and copies of rows that no product accepts. 0 is
	// packed.DefaultMaxBytes.
	MaxBytes int64
}

// transform is what a call knows of its sizes.
type transform struct {
	naux, nao, nocc, nvir int
	group                 int // rows of L in a product
	blocks                packed.Blocks
}

// Transform computes
//
//	B[i,a,P] = sum_mu,nu C[mu,i] L[P,mu nu] C[nu,a]
//
// from packed rows of L and the coefficients of occupied and virtual orbitals, nao x nocc and nao x nvir. out has a row for each pair
// (i,a), a running fastest, and a column for each P. Its memory may have any strides, and must not overlap with L or the orbitals.
//
// Errors: *dense.ArgumentError for sizes that do not fit, infinities and NaNs, and a memory limit that holds no block, with the least that
// works; the source's errors; the team's error when the call is cancelled. out is partly written then.
//
// Cost: naux nao nocc (nao + nvir) multiply-adds, the occupied orbitals first, since there are mostly fewer of them. Memory:
// TransformWorkspace. L is read once.
func Transform(l packed.Source, occ, vir, out dense.View[float64], opt Options) error {
	t, err := newTransform(l, occ, vir, opt)
	if err != nil {
		return err
	}
	if out.Rows != t.nocc*t.nvir || out.Cols != t.naux {
		return dense.BadArgument("out", "expected shape (nocc*nvir, naux) = (%d, %d), got (%d, %d)", t.nocc*t.nvir, t.naux, out.Rows, out.Cols)
	}
	opt.Team = opt.Team.Plan(t.naux)
	if t.naux == 0 || t.nao == 0 || out.Rows == 0 {
		opt.Team.Step(t.naux)
		return zero(opt.Team, out)
	}
	r, err := t.prepare(occ, vir, opt)
	if err != nil {
		return err
	}
	return t.blocks.Each(opt.Team, l, func(rows dense.Matrix[float64], first int) error {
		for p := 0; p < rows.Rows; p += t.group {
			end := min(rows.Rows, p+t.group)
			if err := r.group(rows.Slice(p, end, 0, rows.Cols), first+p, out); err != nil {
				return err
			}
			opt.Team.Step(end - p)
		}
		return nil
	})
}

// zero writes sums without terms.
func zero(team *sched.Team, out dense.View[float64]) error {
	return blas.CopyView(team, out, dense.View[float64]{Rows: out.Rows, Cols: out.Cols, Data: []float64{0}})
}

// newTransform checks the arguments, but for what they hold, and returns the sizes.
func newTransform(l packed.Source, occ, vir dense.View[float64], opt Options) (t transform, err error) {
	if err := l.Check(); err != nil {
		return t, err
	}
	naux, pairs := l.Shape()
	t = transform{naux: naux, nao: occ.Rows, nocc: occ.Cols, nvir: vir.Cols}
	if vir.Rows != t.nao {
		return t, dense.BadArgument("vir_coeff", "expected %d rows, as occ_coeff has, got shape (%d, %d)", t.nao, vir.Rows, vir.Cols)
	}
	if want := packed.Pairs(t.nao); pairs != want {
		return t, dense.BadArgument("L", "has rows of %d elements, but orbitals with nao = %d coefficients need nao*(nao+1)/2 = %d", pairs, t.nao, want)
	}
	t.group = maxGroup
	for t.group > minGroup && t.productBytes() > groupBytes {
		t.group /= 2
	}
	t.blocks, err = packed.PlanBlocks(l, t.group, opt.MaxBytes)
	return t, err
}

// productBytes returns the bytes of both products of a group.
func (t transform) productBytes() float64 {
	return wordBytes * float64(t.group) * float64(t.nocc) * float64(t.nao+t.nvir)
}

// TransformWorkspace returns the bytes that Transform takes beside its arguments. The packing of products is not in it. Errors are those of
// Transform for sizes that do not fit.
func TransformWorkspace(l packed.Source, occ, vir dense.View[float64], opt Options) (int64, error) {
	t, err := newTransform(l, occ, vir, opt)
	if err != nil {
		return 0, err
	}
	nao := float64(t.nao)
	words := nao*float64(t.nocc+t.nvir) + // copies of the orbitals
		float64(t.blocks.Buffers)*float64(t.blocks.Width)*float64(packed.Pairs(t.nao)) +
		float64(packed.SquaresOf(opt.Team, t.group, false))*nao*nao
	return int64(min(words*wordBytes+t.productBytes(), math.MaxInt64/2)), nil
}

// transformer holds what the groups of a call share.
type transformer struct {
	transform
	team        *sched.Team
	checkFinite bool
	multiplier  *packed.Multiplier
	occ         dense.Matrix[float64] // an orbital in each row
	vir         dense.Matrix[float64] // an orbital in each column
	half        dense.Matrix[float64] // of each row of L C_occ^T L, nocc x nao
	products    dense.Matrix[float64] // of each row of L C_occ^T L C_vir, nocc x nvir
}

func (t transform) prepare(occ, vir dense.View[float64], opt Options) (*transformer, error) {
	r := &transformer{
		transform: t, team: opt.Team, checkFinite: !opt.SkipFiniteCheck,
		multiplier: packed.NewMultiplier(opt.Team, t.nao, t.group, false),
		occ:        dense.New[float64](t.nocc, t.nao), vir: dense.New[float64](t.nao, t.nvir),
		half: dense.New[float64](t.group*t.nocc, t.nao), products: dense.New[float64](t.group*t.nocc, t.nvir),
	}
	for _, c := range []struct {
		name     string
		dst, src dense.View[float64]
	}{{"occ_coeff", r.occ.View(), occ.T()}, {"vir_coeff", r.vir.View(), vir}} {
		if err := blas.CheckFinite(opt.Team, c.src, c.name); err != nil {
			return nil, err
		}
		if err := blas.CopyView(opt.Team, c.dst, c.src); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// group computes the columns of out from first on that belong to some rows of L.
func (r *transformer) group(rows dense.Matrix[float64], first int, out dense.View[float64]) error {
	if r.checkFinite {
		if err := packed.CheckFinite(r.team, rows, first); err != nil {
			return err
		}
	}
	half := r.half.Slice(0, rows.Rows*r.nocc, 0, r.nao)
	if err := r.multiplier.Multiply(rows, []dense.Matrix[float64]{r.occ}, []dense.Matrix[float64]{half}); err != nil {
		return err
	}
	products := r.products.Slice(0, rows.Rows*r.nocc, 0, r.nvir)
	blas.Gemm(r.team, blas.NoTrans, blas.NoTrans, 1, half, r.vir, 0, products)
	if err := r.team.Err(); err != nil {
		return err
	}
	// A row of L has its pairs one behind the other.
	pairs := r.nocc * r.nvir
	byRow := dense.Matrix[float64]{Rows: rows.Rows, Cols: pairs, Stride: pairs, Data: products.Data}
	return blas.CopyView(r.team, out.T().SliceRows(first, first+rows.Rows).T(), byRow.View().T())
}
