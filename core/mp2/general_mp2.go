package mp2

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Generalized returns the MP2 correlation energy of spin orbitals with real or complex integrals, (ia|jb) = K_ab = sum_P B_iaP B_jbP without a conjugate,
//
//	E = 1/4 sum_ijab |K_ab - K_ba|^2 / D
//
// as SameSpin of the result. Errors are those of Restricted. Products of complex integrals are in their own precision; of the options, Precision, PairEnergies
// and Tolerance are not used for them, and a Checkpoint is refused.
//
// Cost: nocc^2 nvir^2 naux floating-point operations with real integrals, four times as many with complex ones. Files are read as by Restricted.
func Generalized(b Source, epsOcc, epsVir []float64, opt Options) (Result, error) {
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
	switch op := b.complexOperand().(type) {
	case *operand[complex64]:
		return spinors(op, s, opt)
	case *operand[complex128]:
		return spinors(op, s, opt)
	}
	// Spin orbitals are one spin of an open shell whose other one has no orbitals.
	c, recomputed, err := compute(opt, s, Spin{Source: without(b)})
	if err != nil {
		return Result{}, err
	}
	sum := total(c.same[0])
	return Result{SameSpin: sum.same, AlphaAlpha: sum.same, ErrorBound: certain(sum.bound), Recomputed: recomputed}, nil
}

// without returns integrals of no orbitals that go with b.
func without(b Source) Source {
	_, _, naux := b.Shape()
	if b.singlePrecision() {
		return Integrals[float32]{Naux: naux}
	}
	return Integrals[float64]{Naux: naux}
}

// GeneralizedWorkspace returns an upper bound on the bytes that Generalized allocates beside its integrals.
func GeneralizedWorkspace(opt Options, b Source) (int64, error) {
	if err := opt.checkAny(b); err != nil {
		return 0, err
	}
	switch op := b.complexOperand().(type) {
	case *operand[complex64]:
		return spinorWorkspace(opt, op, b)
	case *operand[complex128]:
		return spinorWorkspace(opt, op, b)
	}
	return Workspace(opt, b, without(b))
}

// spinors returns the energy of complex integrals. Blocks of orbitals stay and stream as in engine.sameSpinPass.
func spinors[T dense.Complex](op *operand[T], s Spin, opt Options) (Result, error) {
	if err := opt.refuseCheckpoint(); err != nil || op.empty() {
		return Result{}, err
	}
	blocks, err := planAll([]*operand[T]{op}, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return Result{}, err
	}
	r := &spinorRun[T]{
		team: opt.Team, spin: s, pairs: make([]contribution, strictPairs(op.nocc)), scratch: make([][]T, opt.Team.Threads()),
		errors: complexError[T](op.naux),
	}
	opt.Team = opt.Team.Plan(len(r.pairs))
	walk := blockWalk[T]{team: opt.Team, checkFinite: !opt.SkipFiniteCheck, left: op, right: op, widths: blocks.same[0], oneSpin: true}
	err = walk.each(func(left, right *block[T]) error {
		if left == right {
			return r.triangle(left)
		}
		return r.rectangle(left, right)
	})
	if err != nil {
		return Result{}, err
	}
	sum := total(r.pairs)
	return Result{SameSpin: sum.same, AlphaAlpha: sum.same, ErrorBound: certain(sum.bound)}, nil
}

// strictPairs returns the number of pairs i > j of n orbitals, and strictNumber that of such a pair among them.
func strictPairs(n int) int { return n * (n - 1) / 2 }

func strictNumber(i, j int) int { return strictPairs(i) + j }

// strictPair returns i > j of the pair with a strictNumber.
func strictPair(n int) (i, j int) {
	i = int((1 + math.Sqrt(1+8*float64(n))) / 2)
	for strictPairs(i) > n { // the root may be off by its rounding
		i--
	}
	for strictPairs(i+1) <= n {
		i++
	}
	return i, n - strictPairs(i)
}

// spinorRun is the state of a call with complex integrals.
type spinorRun[T dense.Complex] struct {
	team    *sched.Team
	spin    Spin
	pairs   []contribution // of i > j under their strictNumber
	scratch [][]T          // a K for each worker; nil for those who have not begun
	errors  productError
}

// rectangle computes the pairs of the orbitals of two blocks, those of left behind those of right.
func (r *spinorRun[T]) rectangle(left, right *block[T]) error {
	count := right.end - right.first
	return r.team.For((left.end-left.first)*count, func(worker, n int) error {
		return r.pair(worker, left, right, left.first+n/count, right.first+n%count)
	})
}

// triangle computes the pairs within a block.
func (r *spinorRun[T]) triangle(b *block[T]) error {
	return r.team.For(strictPairs(b.end-b.first), func(worker, n int) error {
		i, j := strictPair(n)
		return r.pair(worker, b, b, b.first+i, b.first+j)
	})
}

// pair sets the contribution of a pair, sum_{a<b} |K_ab - K_ba|^2 / D with its bound.
func (r *spinorRun[T]) pair(worker int, left, right *block[T], i, j int) error {
	vir := r.spin.Vir
	n := len(vir)
	if r.scratch[worker] == nil {
		r.scratch[worker] = make([]T, n*n)
	}
	k := dense.Matrix[T]{Rows: n, Cols: n, Stride: n, Data: r.scratch[worker]}
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

// spinorWorkspace returns an upper bound on the bytes that spinors allocates beside the integrals.
func spinorWorkspace[T dense.Complex](opt Options, op *operand[T], src Source) (int64, error) {
	blocks, err := planAll([]*operand[T]{op}, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return 0, err
	}
	nvir := int64(op.nvir)
	bytes := fixedBytes + blocksWorkspace(op, src) + int64(strictPairs(op.nocc))*contributionBytes + int64(blocks.elements)*elementBytes[T]()
	return bytes + int64(opt.Team.Threads())*(nvir*nvir*elementBytes[T]()+complexGemmWorkspace()), nil
}

// complexGemmWorkspace returns the bytes of a complex product for each thread: those of a real one in double precision, once for each part.
func complexGemmWorkspace() int64 { return 2 * blas.GemmWorkspace[float64]() }
