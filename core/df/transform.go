package df

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/stream"
)

// Rows of L that go into a product: at most enough to write whole cache lines of B, whose auxiliary functions run
// fastest, and at least one line. The intermediate products of a group take about groupBytes.
const (
	maxTransformGroup, minTransformGroup = 64, 8
	groupBytes                           = 32 << 20
)

// transformPlan is the sizes of a call of Transform.
type transformPlan struct {
	naux, nao, nocc, nvir int
	group                 int // rows of L in a product
	blocks                stream.Blocks
}

// Transform computes
//
//	B[i,a,P] = sum_mu,nu C[mu,i] L[P,mu nu] C[nu,a]
//
// from packed rows of L and the coefficients of occupied and virtual orbitals, nao x nocc and nao x nvir. out has a row
// for each pair (i,a), a running fastest, and a column for each P. Its memory may have any strides, and must not
// overlap with L or the orbitals.
//
// Errors: *dense.ArgumentError for sizes that do not fit, infinities and NaNs, and a memory limit that holds no block,
// with the least that works; the source's errors; the team's error when the call is cancelled. In the last two cases
// out may be partly written.
//
// Cost: naux nao nocc (nao + nvir) multiply-adds: occupied orbitals come first, since there are usually fewer of them.
// L is read once. Memory: TransformWorkspace.
func Transform(l Source, occ, vir, out dense.View[float64], opt Options) error {
	t, err := newTransformPlan(l, occ, vir, opt)
	if err != nil {
		return err
	}
	if out.Rows != t.nocc*t.nvir || out.Cols != t.naux {
		return dense.BadArgument("out", "expected shape (nocc*nvir, naux) = (%d, %d), got (%d, %d)",
			t.nocc*t.nvir, t.naux, out.Rows, out.Cols)
	}
	opt.Team = opt.Team.Plan(t.naux)
	if t.naux == 0 || t.nao == 0 || out.Rows == 0 {
		opt.Team.Step(t.naux)
		return setZero(opt.Team, out)
	}
	r, err := newTransformer(t, occ, vir, opt)
	if err != nil {
		return err
	}
	return eachBlock(opt.Team, l, t.blocks, r.buffers, func(rows dense.Matrix[float64], first int) error {
		for p := 0; p < rows.Rows; p += t.group {
			end := min(rows.Rows, p+t.group)
			if err := r.transformGroup(rows.Slice(p, end, 0, rows.Cols), first+p, out); err != nil {
				return err
			}
			opt.Team.Step(end - p)
		}
		return nil
	})
}

func setZero(team *sched.Team, out dense.View[float64]) error {
	return blas.CopyView(team, out, dense.View[float64]{Rows: out.Rows, Cols: out.Cols, Data: []float64{0}})
}

// newTransformPlan checks the shapes of the arguments and returns the sizes.
func newTransformPlan(l Source, occ, vir dense.View[float64], opt Options) (t transformPlan, err error) {
	if err := l.check(); err != nil {
		return t, err
	}
	naux, pairs := l.Shape()
	t = transformPlan{naux: naux, nao: occ.Rows, nocc: occ.Cols, nvir: vir.Cols}
	if vir.Rows != t.nao {
		return t, dense.BadArgument("vir_coeff", "expected %d rows, as occ_coeff has, got shape (%d, %d)", t.nao,
			vir.Rows, vir.Cols)
	}
	if want := PackedSize(t.nao); pairs != want {
		return t, dense.BadArgument("L",
			"has rows of %d elements, but orbitals with nao = %d coefficients need nao*(nao+1)/2 = %d",
			pairs, t.nao, want)
	}
	t.group = maxTransformGroup
	for t.group > minTransformGroup && t.productBytes() > groupBytes {
		t.group /= 2
	}
	t.blocks, err = opt.planBlocks(l, t.group)
	return t, err
}

// productBytes returns the bytes of both products of a group.
func (t transformPlan) productBytes() float64 {
	return wordBytes * float64(t.group) * float64(t.nocc) * float64(t.nao+t.nvir)
}

// TransformWorkspace returns the bytes that Transform allocates. Packing buffers of products are not included. Errors
// are those of Transform for sizes that do not fit.
func TransformWorkspace(l Source, occ, vir dense.View[float64], opt Options) (int64, error) {
	t, err := newTransformPlan(l, occ, vir, opt)
	if err != nil {
		return 0, err
	}
	r := &transformer{transformPlan: t, team: opt.Team}
	return wordBytes * int64(scratch.Count(r.layout)), nil
}

// transformer holds the memory that the groups of a call share.
type transformer struct {
	transformPlan
	team        *sched.Team
	checkFinite bool
	buffers     []dense.Matrix[float64] // blocks of L
	squares     dense.Matrix[float64]   // unpacked rows of L
	multiplier  *multiplier
	occ         dense.Matrix[float64] // an orbital in each row
	vir         dense.Matrix[float64] // an orbital in each column
	half        dense.Matrix[float64] // C_occ^T L of each row of L, nocc x nao
	products    dense.Matrix[float64] // C_occ^T L C_vir of each row of L, nocc x nvir
}

// layout takes the memory of a call.
func (r *transformer) layout(a *scratch.Arena) {
	r.buffers = takeBuffers(a, r.blocks, PackedSize(r.nao))
	r.squares = takeSquares(a, r.team, r.nao, r.group, false)
	r.occ = scratch.TakeMatrix[float64](a, r.nocc, r.nao)
	r.vir = scratch.TakeMatrix[float64](a, r.nao, r.nvir)
	r.half = scratch.TakeMatrix[float64](a, r.group*r.nocc, r.nao)
	r.products = scratch.TakeMatrix[float64](a, r.group*r.nocc, r.nvir)
}

func newTransformer(t transformPlan, occ, vir dense.View[float64], opt Options) (*transformer, error) {
	r := &transformer{transformPlan: t, team: opt.Team, checkFinite: !opt.SkipFiniteCheck}
	scratch.Allocate(r.layout)
	r.multiplier = newMultiplier(opt.Team, t.nao, t.group, false, r.squares)
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

// transformGroup sets the columns of out that belong to a group of rows of L; first is the number of the first of them.
func (r *transformer) transformGroup(rows dense.Matrix[float64], first int, out dense.View[float64]) error {
	if r.checkFinite {
		if err := checkFinite(r.team, rows, first); err != nil {
			return err
		}
	}
	half := r.half.Slice(0, rows.Rows*r.nocc, 0, r.nao)
	if err := r.multiplier.multiply(rows, []dense.Matrix[float64]{r.occ}, []dense.Matrix[float64]{half}); err != nil {
		return err
	}
	products := r.products.Slice(0, rows.Rows*r.nocc, 0, r.nvir)
	blas.Gemm(r.team, blas.NoTrans, blas.NoTrans, 1, half, r.vir, 0, products)
	if err := r.team.Err(); err != nil {
		return err
	}
	// A row of L has its pairs one after the other.
	pairs := r.nocc * r.nvir
	byRow := dense.Matrix[float64]{Rows: rows.Rows, Cols: pairs, Stride: pairs, Data: products.Data}
	return blas.CopyView(r.team, out.T().SliceRows(first, first+rows.Rows).T(), byRow.View().T())
}
