package mp2

import "trnsci/core/dense"

// PairAmplitudes calls store with the amplitudes t[a,b] of occupied orbitals i of the left and j of the right spin, in any order and from several goroutines at
// once; t is dead when store returns. Those within one set of orbitals come for i >= j only, since the others are their transposes. The numbers are, bit for
// bit, those of EachAmplitudes, and so are options and errors.
//
// Cost: 2 nocc_l nocc_r nvir_l nvir_r naux floating-point operations, within one set of orbitals half of that. Where B has to be copied and does not fit
// MaxBytes, some orbitals stay while the others stream past, as for the energies.
func PairAmplitudes(opt Options, left, right Spin, kind Amplitudes, store func(i, j int, t dense.Matrix[float64])) error {
	if err := checkAmplitudes(opt, left, right, kind); err != nil {
		return err
	}
	l, r := operandOf[float64](left.Source), operandOf[float64](right.Source)
	w, err := pairWidths(opt, l, r, kind)
	if err != nil {
		return err
	}
	run := pairAmplitudeRun{opt: opt, left: left, right: right, kind: kind, store: store, scratch: make([]dense.Matrix[float64], opt.Team.Threads())}
	opt.Team = opt.Team.Plan(run.count(0, l.nocc, 0, r.nocc))
	if left.empty() || right.empty() {
		return run.zeros()
	}
	walk := blockWalk[float64]{
		team: opt.Team, checkFinite: !opt.SkipFiniteCheck, left: l, right: r, leftName: left.Name, rightName: right.Name, widths: w, oneSpin: kind.symmetric(),
	}
	return walk.each(func(first, second *block[float64]) error {
		return run.each(first.first, first.end, second.first, second.end, func(i, j int, t dense.Matrix[float64]) error {
			return pairAmplitudes(opt, first, second, left, right, kind, i, j, t)
		})
	})
}

// pairWidths plans as for the energies.
func pairWidths(opt Options, l, r *operand[float64], kind Amplitudes) (widths, error) {
	if err := opt.holdsPair(l, r); err != nil {
		return widths{}, err
	}
	budget := int(opt.maxBytes() / 8)
	if kind.symmetric() {
		return planSame(l, budget, opt.Team.Threads()), nil
	}
	return planOpposite(l, r, budget, opt.Team.Threads()), nil
}

// pairAmplitudeRun is the state of a call of PairAmplitudes.
type pairAmplitudeRun struct {
	opt         Options
	left, right Spin
	kind        Amplitudes
	store       func(i, j int, t dense.Matrix[float64])
	scratch     []dense.Matrix[float64] // of each worker; without memory for those who have not begun
}

// count returns the number of pairs with i0 <= i < i1 and j0 <= j < j1 that are computed, all or, where both ranges are one, those with i >= j.
func (r *pairAmplitudeRun) count(i0, i1, j0, j1 int) int {
	if r.kind.symmetric() && i0 == j0 {
		return triangular(i1-i0, 0)
	}
	return (i1 - i0) * (j1 - j0)
}

// each stores what compute sets for these pairs.
func (r *pairAmplitudeRun) each(i0, i1, j0, j1 int, compute func(i, j int, t dense.Matrix[float64]) error) error {
	return r.opt.Team.For(r.count(i0, i1, j0, j1), func(worker, n int) error {
		i, j := i0+n/(j1-j0), j0+n%(j1-j0)
		if r.kind.symmetric() && i0 == j0 {
			above, below := strictPair(n) // i >= j are i+1 > j
			i, j = i0+above-1, j0+below
		}
		t := &r.scratch[worker]
		if t.Data == nil {
			*t = dense.New[float64](len(r.left.Vir), len(r.right.Vir))
		}
		if err := compute(i, j, *t); err != nil {
			return err
		}
		r.store(i, j, *t)
		r.opt.Team.Step(1)
		return nil
	})
}

// zeros stores the amplitudes where there are no auxiliary functions.
func (r *pairAmplitudeRun) zeros() error {
	return r.each(0, len(r.left.Occ), 0, len(r.right.Occ), func(_, _ int, t dense.Matrix[float64]) error {
		clear(t.Data)
		return nil
	})
}

// PairAmplitudesWorkspace returns an upper bound on the bytes that PairAmplitudes allocates beside its integrals.
func PairAmplitudesWorkspace(opt Options, left, right Spin, kind Amplitudes) (int64, error) {
	if err := opt.check(left.Source, right.Source); err != nil {
		return 0, err
	}
	w, err := pairWidths(opt, operandOf[float64](left.Source), operandOf[float64](right.Source), kind)
	if err != nil {
		return 0, err
	}
	return amplitudeBytes(opt, left, right, w) + 8*int64(opt.Team.Threads())*int64(len(left.Vir))*int64(len(right.Vir)), nil
}
