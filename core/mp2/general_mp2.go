package mp2

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// Generalized returns the MP2 correlation energy of spin orbitals with real or complex integrals, (ia|jb) = K_ab =
// sum_P B_iaP B_jbP without a conjugate,
//
//	E = 1/4 sum_ijab |K_ab - K_ba|^2 / D
//
// as SameSpin of the result. Errors are those of Restricted. Products of complex integrals are in their own precision;
// Precision, PairEnergies and Tolerance are ignored for them, and a Checkpoint is refused.
//
// Cost: nocc^2 nvir^2 naux floating-point operations with real integrals, four times as many with complex ones. Files
// are read as by Restricted.
func Generalized(b Source, epsOcc, epsVir []float64, opt EnergyOptions) (Result, error) {
	s := Spin{Source: b, Occ: epsOcc, Vir: epsVir}
	if err := opt.checkAny(b); err != nil {
		return Result{}, err
	}
	if err := s.check(); err != nil {
		return Result{}, err
	}
	if err := checkSameSpin(opt.Team, s, false); err != nil {
		return Result{}, err
	}
	if isComplex(b) && opt.Checkpoint != "" {
		return Result{}, dense.BadArgument("checkpoint", "only energies of real integrals keep one")
	}
	switch kindOf(b) {
	case npy.Complex64:
		return complexGeneralized[complex64](s, opt.Options)
	case npy.Complex128:
		return complexGeneralized[complex128](s, opt.Options)
	}
	// Spin orbitals are one spin of an open shell whose other spin has no orbitals.
	c, recomputed, err := compute(opt, s, Spin{Source: noOrbitals(b)})
	if err != nil {
		return Result{}, err
	}
	sum := total(c.same[0])
	return Result{SameSpin: sum.same, AlphaAlpha: sum.same, ErrorBound: certain(sum.bound), Recomputed: recomputed}, nil
}

// noOrbitals returns integrals of no orbitals with the naux and dtype of b.
func noOrbitals(b Source) Source {
	_, _, naux := b.Shape()
	if IsSingle(b) {
		return Integrals[float32]{Naux: naux}
	}
	return Integrals[float64]{Naux: naux}
}

// GeneralizedWorkspace returns an upper bound on the bytes that Generalized allocates.
func GeneralizedWorkspace(opt EnergyOptions, b Source) (int64, error) {
	if err := opt.checkAny(b); err != nil {
		return 0, err
	}
	switch kindOf(b) {
	case npy.Complex64:
		return complexGeneralizedWorkspace[complex64](opt.Options, b)
	case npy.Complex128:
		return complexGeneralizedWorkspace[complex128](opt.Options, b)
	}
	return Workspace(opt, b, noOrbitals(b))
}

// complexGeneralized returns the energy of complex integrals.
func complexGeneralized[T dense.Complex](s Spin, opt Options) (Result, error) {
	op := newOperand[T](s.Source, s.Name)
	if op.empty() {
		return Result{}, nil
	}
	blocks, err := newPlan([]*operand[T]{op}, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return Result{}, err
	}
	opt.Team = opt.Team.Plan(strictPairs(op.nocc))
	r := &generalizedRun[T]{
		team: opt.Team, spin: s, pairs: make([]contribution, strictPairs(op.nocc)),
		workers: make([]dense.Matrix[T], opt.Team.Threads()), errors: complexError[T](op.naux),
	}
	walk := generalizedWalk(opt, op, blocks)
	scratch.Allocate(walk.layout)
	err = walk.each(visitor[T]{visit: func(left, right *block[T]) error {
		if left == right {
			return r.triangle(left)
		}
		return r.rectangle(left, right)
	}})
	if err != nil {
		return Result{}, err
	}
	sum := total(r.pairs)
	return Result{SameSpin: sum.same, AlphaAlpha: sum.same, ErrorBound: certain(sum.bound)}, nil
}

// generalizedWalk returns the walk over the pairs of a call with complex integrals.
func generalizedWalk[T dense.Complex](opt Options, op *operand[T], blocks plan) *blockPairs[T] {
	return &blockPairs[T]{
		team: opt.Team, checkFinite: !opt.SkipFiniteCheck, left: op, right: op, widths: blocks.same[0], oneSpin: true,
		weights: op.unweighted(),
	}
}

// productLayout takes the memory for K of nvir virtual orbitals.
func productLayout[T dense.Complex](k *dense.Matrix[T], nvir int) func(a *scratch.Arena) {
	return func(a *scratch.Arena) { *k = scratch.TakeMatrix[T](a, nvir, nvir) }
}

// generalizedRun is the state of a call with complex integrals.
type generalizedRun[T dense.Complex] struct {
	team    *sched.Team
	spin    Spin
	pairs   []contribution    // of i > j under their strictNumber
	workers []dense.Matrix[T] // a K for each worker; without memory for workers that have not begun
	errors  productError
}

// rectangle computes the pairs of the orbitals of two blocks, those of left after those of right.
func (r *generalizedRun[T]) rectangle(left, right *block[T]) error {
	count := right.end - right.first
	return r.team.For((left.end-left.first)*count, func(worker, n int) error {
		return r.pair(worker, left, right, left.first+n/count, right.first+n%count)
	})
}

// triangle computes the pairs within a block.
func (r *generalizedRun[T]) triangle(b *block[T]) error {
	return r.team.For(strictPairs(b.end-b.first), func(worker, n int) error {
		i, j := strictPair(n)
		return r.pair(worker, b, b, b.first+i, b.first+j)
	})
}

// pair sets the contribution of a pair, sum_{a<b} |K_ab - K_ba|^2 / D with its bound.
func (r *generalizedRun[T]) pair(worker int, left, right *block[T], i, j int) error {
	vir := r.spin.Vir
	n := len(vir)
	if r.workers[worker].Data == nil {
		scratch.Allocate(productLayout(&r.workers[worker], n))
	}
	k := r.workers[worker]
	asRows, asColumns := left.op.trans()
	blas.Gemm(r.team.Serial(), asRows, asColumns, 1, left.orbitals(i, i+1), right.orbitals(j, j+1), 0, k)
	normsI, normsJ := left.rowNorms(i), right.rowNorms(j)
	var sum compensated
	bound := 0.0
	for a := range n {
		if err := r.team.Err(); err != nil {
			return err
		}
		for b := a + 1; b < n; b++ {
			off := r.errors.of(normsI[a], normsJ[b]) + r.errors.of(normsI[b], normsJ[a])
			over := overDenominator(r.spin.Occ[i]-vir[a], r.spin.Occ[j]-vir[b])
			value, uncertain := over.term(complex128(k.At(a, b))-complex128(k.At(b, a)), off)
			sum.add(value)
			bound += uncertain
		}
	}
	r.pairs[strictNumber(i, j)] = contribution{same: sum.value(), bound: bound}
	r.team.Step(1)
	return nil
}

// complexGeneralizedWorkspace returns an upper bound on the bytes that complexGeneralized allocates.
func complexGeneralizedWorkspace[T dense.Complex](opt Options, b Source) (int64, error) {
	op := newOperand[T](b, "")
	blocks, err := newPlan([]*operand[T]{op}, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return 0, err
	}
	bytes := fixedBytes + op.readerWorkspace() + int64(strictPairs(op.nocc))*contributionBytes
	bytes += bytesOf(generalizedWalk(opt, op, blocks).layout)
	product := bytesOf(productLayout(&dense.Matrix[T]{}, op.nvir))
	return bytes + int64(opt.Team.Threads())*(product+complexGemmWorkspace()), nil
}

// complexGemmWorkspace returns the bytes of a complex product for each thread: those of a real one in double precision,
// once for each part.
func complexGemmWorkspace() int64 { return 2 * blas.GemmWorkspace[float64](math.MaxInt) }
