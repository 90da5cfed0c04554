package mp2

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/scratch"
)

// Amplitudes names amplitudes of double excitations from occupied orbitals i, j to virtual orbitals a, b.
// D = e_i + e_j - e_a - e_b.
type Amplitudes int

// The amplitudes. Those within one set of orbitals, which both spins then are, do not change when i is exchanged with j
// and a with b.
const (
	// K_ab / D for i, a of one spin and j, b of the other.
	OppositeSpinAmplitudes Amplitudes = iota
	// K_ab / D of a closed shell, whose spins are the same.
	ClosedShellAmplitudes
	// (K_ab - K_ba) / D within one spin, antisymmetric in i, j and in a, b.
	SameSpinAmplitudes
)

// symmetric reports whether the amplitudes of j, i are those of i, j transposed.
func (k Amplitudes) symmetric() bool { return k != OppositeSpinAmplitudes }

// check checks the arguments of a call and looks for vanishing denominators.
func (k Amplitudes) check(opt Options, left, right Spin) error {
	if err := opt.check(left.Source, right.Source); err != nil {
		return err
	}
	for _, s := range []Spin{left, right} {
		if err := s.check(); err != nil {
			return err
		}
	}
	if k.symmetric() {
		return checkSameSpin(opt.Team, left, k == ClosedShellAmplitudes)
	}
	return checkOppositeSpin(opt.Team, left, right)
}

// divide turns K of the orbitals i of left and j of right into amplitudes.
func (k Amplitudes) divide(t dense.Matrix[float64], left, right Spin, i, j int) {
	ei, ej := left.Occ[i], right.Occ[j]
	if k == SameSpinAmplitudes {
		if i < j {
			ei, ej = ej, ei // the same D as for j, i
		}
		antisymmetric(t, ei, ej, left.Vir, i == j)
		return
	}
	for a, ea := range left.Vir {
		row := t.Row(a)
		for b, eb := range right.Vir {
			row[b] /= denominator(ei-ea, ej-eb)
		}
	}
}

// antisymmetric turns K into (K - K^T) / D, with the same D for a, b and b, a, or into zeros if i is j.
func antisymmetric(k dense.Matrix[float64], ei, ej float64, vir []float64, same bool) {
	for a, ea := range vir {
		k.Set(a, a, 0)
		for b := range a {
			t := 0.0
			if !same {
				t = (k.At(a, b) - k.At(b, a)) / denominator(ei-ea, ej-vir[b])
			}
			k.Set(a, b, t)
			k.Set(b, a, -t)
		}
	}
}

// amplitudeRun is the state of a call of EachAmplitudes or PairAmplitudes.
type amplitudeRun struct {
	opt         Options
	left, right Spin
	kind        Amplitudes
	l, r        *operand[float64]
}

func newAmplitudeRun(opt Options, left, right Spin, kind Amplitudes) *amplitudeRun {
	return &amplitudeRun{
		opt: opt, left: left, right: right, kind: kind,
		l: newOperand[float64](left.Source, left.Name), r: newOperand[float64](right.Source, right.Name),
	}
}

// walk returns the walk over the blocks of both spins.
func (run *amplitudeRun) walk(w widths, oneSpin bool) *blockPairs[float64] {
	return &blockPairs[float64]{
		team: run.opt.Team, checkFinite: !run.opt.SkipFiniteCheck, left: run.l, right: run.r, widths: w, oneSpin: oneSpin,
		weights: run.l.unweighted(),
	}
}

// pair sets t to the amplitudes of i in one and j in another block.
func (run *amplitudeRun) pair(first, second *block[float64], i, j int, t dense.Matrix[float64]) error {
	asRows, _ := first.op.trans()
	_, asColumns := second.op.trans()
	serial := run.opt.Team.Serial()
	blas.Gemm(serial, asRows, asColumns, 1, first.orbitals(i, i+1), second.orbitals(j, j+1), 0, t)
	if err := run.opt.Team.Err(); err != nil {
		return err // K is unfinished
	}
	run.kind.divide(t, run.left, run.right, i, j)
	return nil
}

// checkPairFits returns an error if the memory does not hold an orbital of each spin.
func (run *amplitudeRun) checkPairFits() error {
	if least := 8 * int64(run.l.packedElements()+run.r.packedElements()); least > run.opt.maxBytes() {
		return tooLittleForAPair(run.opt.maxBytes(), least)
	}
	return nil
}

// workspace returns the bytes that reading and multiplying blocks of two spins takes besides the blocks.
func (run *amplitudeRun) workspace() int64 {
	products := int64(run.opt.Team.Threads()) * blas.GemmWorkspace[float64](math.MaxInt)
	return fixedBytes + products + run.l.readerWorkspace() + run.r.readerWorkspace()
}

// EachAmplitudes calls visit for every occupied orbital i of the left spin, in order, with t[j,a,b] for j and b of the
// right and a of the left spin, b running fastest; visit may change t, which is only valid until it returns. Everything
// is computed in float64.
//
// Errors: those of Restricted without a checkpoint; an error of visit ends the loop. *DenominatorError only for D that
// is divided by: amplitudes that are zero by symmetry are zero for any D.
//
// Cost: 2 nocc_l nocc_r nvir_l nvir_r naux floating-point operations. Within one set of orbitals, the pairs of those i
// whose amplitudes MaxBytes holds at once are computed for i >= j only: half of the operations if it holds all of them.
// If B has to be copied and does not fit MaxBytes, that of the right spin is read once for each block of i, ahead of
// time if there is room for it.
func EachAmplitudes(opt Options, left, right Spin, kind Amplitudes, visit func(i int, t []float64) error) error {
	if err := kind.check(opt, left, right); err != nil {
		return err
	}
	run := newAmplitudeRun(opt, left, right, kind)
	w, err := run.rowWidths()
	if err != nil {
		return err
	}
	// A step for each pair that is computed, and as much for what visit does with it.
	run.opt.Team = opt.Team.Plan(2 * len(left.Occ) * len(right.Occ))
	rows := newAmplitudeRows(run, w)
	scratch.Allocate(rows.layout)
	visitRows := func(first, end int) error {
		for i := first; i < end; i++ {
			if err := opt.Team.Err(); err != nil {
				return err
			}
			if err := visit(i, rows.of(first, i)); err != nil {
				return err
			}
			run.opt.Team.Step(len(right.Occ))
		}
		return nil
	}
	if left.empty() || right.empty() { // there may be amplitudes even without auxiliary functions
		for i := range left.Occ {
			clear(rows.memory)
			if err := visitRows(i, i+1); err != nil {
				return err
			}
		}
		return nil
	}
	return rows.blocks.each(visitor[float64]{
		visit:  rows.fill,
		finish: func(b *block[float64]) error { return visitRows(b.first, b.end) },
	})
}

// rowWidths are the widths of the blocks of both spins, and the number of amplitudes of each i.
type rowWidths struct {
	widths
	each int
}

// rowWidths gives half of the memory to the blocks of i, with their amplitudes, and half to those of j.
func (run *amplitudeRun) rowWidths() (rowWidths, error) {
	if err := run.checkPairFits(); err != nil {
		return rowWidths{}, err
	}
	l, r := run.l, run.r
	most := int(run.opt.maxBytes() / 8)
	w := rowWidths{widths{left: min(l.nocc, 1), right: r.nocc, buffers: 1}, r.nocc * l.nvir * r.nvir}
	fits := true // the right spin
	if size := r.packedElements(); size > 0 && r.nocc*size > most/2 {
		fits = false
		w.right = max(1, most/2/size)
		if w.right > 1 {
			w.right, w.buffers = w.right/2, 2
		}
	}
	// More than one i at a time saves reading, and products if j, i is i, j transposed.
	if !fits || run.kind.symmetric() {
		w.left = max(w.left, min(l.nocc, (most/2)/max(1, l.packedElements()+w.each)))
	}
	return w, nil
}

// amplitudeRows holds all amplitudes of a block of i.
type amplitudeRows struct {
	*amplitudeRun
	each   int // amplitudes of an i
	blocks *blockPairs[float64]
	memory []float64
}

func newAmplitudeRows(run *amplitudeRun, w rowWidths) *amplitudeRows {
	return &amplitudeRows{amplitudeRun: run, each: w.each, blocks: run.walk(w.widths, false)}
}

// layout takes the memory of the amplitudes and of the blocks, unless there is nothing to read.
func (r *amplitudeRows) layout(a *scratch.Arena) {
	r.memory = scratch.Take[float64](a, r.blocks.widths.left*r.each)
	if !r.l.empty() && !r.r.empty() {
		r.blocks.layout(a)
	}
}

// of returns the amplitudes of orbital i in the block that begins with first.
func (r *amplitudeRows) of(first, i int) []float64 {
	at := (i - first) * r.each
	return r.memory[at : at+r.each]
}

// at returns those of i and j.
func (r *amplitudeRows) at(first, i, j int) dense.Matrix[float64] {
	rows, cols := len(r.left.Vir), len(r.right.Vir)
	data := r.of(first, i)[j*rows*cols : (j+1)*rows*cols]
	return dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// fill computes the amplitudes of the orbitals i of left and j of right.
func (r *amplitudeRows) fill(left, right *block[float64]) error {
	first, end, count := left.first, left.end, right.end-right.first
	return r.opt.Team.For((end-first)*count, func(_, n int) error {
		i, j := first+n/count, right.first+n%count
		both := r.kind.symmetric() && first <= j && j < end // j, i is in this block too
		if both && j > i {
			return nil
		}
		t := r.at(first, i, j)
		if err := r.pair(left, right, i, j, t); err != nil {
			return err
		}
		r.opt.Team.Step(1)
		if both && j < i {
			r.opt.Team.Step(1)
			dense.Copy(r.at(first, j, i).View(), t.View().T())
		}
		return nil
	})
}

// AmplitudesWorkspace returns an upper bound on the bytes that EachAmplitudes allocates.
func AmplitudesWorkspace(opt Options, left, right Spin, kind Amplitudes) (int64, error) {
	if err := opt.check(left.Source, right.Source); err != nil {
		return 0, err
	}
	run := newAmplitudeRun(opt, left, right, kind)
	w, err := run.rowWidths()
	if err != nil {
		return 0, err
	}
	return run.workspace() + bytesOf(newAmplitudeRows(run, w).layout), nil
}

// PairAmplitudes calls store with the amplitudes t[a,b] of occupied orbitals i of the left and j of the right spin, in
// any order and from several goroutines at once; t is only valid until store returns. Those within one set of orbitals
// come for i >= j only, since the others are their transposes. The numbers are, bit for bit, those of EachAmplitudes,
// and so are options and errors.
//
// Cost: 2 nocc_l nocc_r nvir_l nvir_r naux floating-point operations, half of that within one set of orbitals. If B has
// to be copied and does not fit MaxBytes, blocks are read as for the energies.
func PairAmplitudes(
	opt Options, left, right Spin, kind Amplitudes, store func(i, j int, t dense.Matrix[float64]),
) error {
	if err := kind.check(opt, left, right); err != nil {
		return err
	}
	run := newAmplitudeRun(opt, left, right, kind)
	w, err := run.pairWidths()
	if err != nil {
		return err
	}
	nocc, other := len(left.Occ), len(right.Occ)
	run.opt.Team = opt.Team.Plan(run.pairCount(0, nocc, 0, other))
	workers := make([]dense.Matrix[float64], opt.Team.Threads())
	if left.empty() || right.empty() {
		return run.eachPair(workers, 0, nocc, 0, other, store, func(_, _ int, t dense.Matrix[float64]) error {
			clear(t.Data)
			return nil
		})
	}
	walk := run.walk(w, kind.symmetric())
	scratch.Allocate(walk.layout)
	return walk.each(visitor[float64]{visit: func(a, b *block[float64]) error {
		return run.eachPair(workers, a.first, a.end, b.first, b.end, store,
			func(i, j int, t dense.Matrix[float64]) error {
				return run.pair(a, b, i, j, t)
			})
	}})
}

// pairWidths plans the walk as for the energies.
func (run *amplitudeRun) pairWidths() (widths, error) {
	if err := run.checkPairFits(); err != nil {
		return widths{}, err
	}
	budget := int(run.opt.maxBytes() / 8)
	if run.kind.symmetric() {
		return planSame(run.l, budget, run.opt.Team.Threads()), nil
	}
	return planOpposite(run.l, run.r, budget, run.opt.Team.Threads()), nil
}

// pairCount returns the number of pairs with i0 <= i < i1 and j0 <= j < j1 that are computed: all, or, if both ranges
// are one, those with i >= j.
func (run *amplitudeRun) pairCount(i0, i1, j0, j1 int) int {
	if run.kind.symmetric() && i0 == j0 {
		return triangular(i1-i0, 0)
	}
	return (i1 - i0) * (j1 - j0)
}

// eachPair stores what compute sets for these pairs. workers has a matrix for each worker, without memory until it
// begins.
func (run *amplitudeRun) eachPair(
	workers []dense.Matrix[float64], i0, i1, j0, j1 int, store func(i, j int, t dense.Matrix[float64]),
	compute func(i, j int, t dense.Matrix[float64]) error,
) error {
	return run.opt.Team.For(run.pairCount(i0, i1, j0, j1), func(worker, n int) error {
		i, j := i0+n/(j1-j0), j0+n%(j1-j0)
		if run.kind.symmetric() && i0 == j0 {
			above, below := strictPair(n) // i >= j are i+1 > j
			i, j = i0+above-1, j0+below
		}
		t := &workers[worker]
		if t.Data == nil {
			scratch.Allocate(run.pairLayout(t))
		}
		if err := compute(i, j, *t); err != nil {
			return err
		}
		store(i, j, *t)
		run.opt.Team.Step(1)
		return nil
	})
}

// pairLayout takes the memory for the amplitudes of a pair.
func (run *amplitudeRun) pairLayout(t *dense.Matrix[float64]) func(a *scratch.Arena) {
	return func(a *scratch.Arena) {
		*t = scratch.TakeMatrix[float64](a, len(run.left.Vir), len(run.right.Vir))
	}
}

// PairAmplitudesWorkspace returns an upper bound on the bytes that PairAmplitudes allocates.
func PairAmplitudesWorkspace(opt Options, left, right Spin, kind Amplitudes) (int64, error) {
	if err := opt.check(left.Source, right.Source); err != nil {
		return 0, err
	}
	run := newAmplitudeRun(opt, left, right, kind)
	w, err := run.pairWidths()
	if err != nil {
		return 0, err
	}
	bytes := run.workspace() + int64(opt.Team.Threads())*bytesOf(run.pairLayout(&dense.Matrix[float64]{}))
	if left.empty() || right.empty() {
		return bytes, nil
	}
	return bytes + bytesOf(run.walk(w, kind.symmetric()).layout), nil
}
