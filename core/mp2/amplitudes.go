package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Amplitudes names amplitudes of double excitations from occupied orbitals i, j to virtual orbitals a, b. D = e_i + e_j - e_a - e_b.
type Amplitudes int

// The amplitudes. Those within one set of orbitals, which both spins then are, do not change when i is exchanged with j and a with b.
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

// antisymmetric turns K into (K - K^T) / D, D being symmetric in i and j and in a and b up to its rounding, or into zeros where i is j.
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

// amplitudeRun computes amplitudes for one block of i after the other.
type amplitudeRun struct {
	opt         Options
	left, right Spin
	stays       *block[float64]  // of the left spin
	passing     *stream[float64] // of the right spin
	widths      amplitudeWidths
	kind        Amplitudes
	memory      []float64 // the amplitudes of a block of i
}

// EachAmplitudes calls visit for every occupied orbital i of the left spin, in order, with t[j,a,b] for j and b of the right and a of the left
// spin, b running fastest; visit may change t, which is dead when visit returns. All is computed in float64; Options.Precision,
// PairEnergies and Tolerance are not used, and a Checkpoint is refused.
//
// Errors: those of Restricted; what visit returns ends the loop. *DenominatorError for D that is divided by: amplitudes that are zero by
// symmetry are zero whatever D is.
//
// Cost: 2 nocc_l nocc_r nvir_l nvir_r naux floating-point operations. Within one set of orbitals, the pairs of those i whose amplitudes MaxBytes holds at once
// are computed for i >= j only, which is half of the operations where it holds all. Where B has to be copied and does not fit MaxBytes, that of the right spin
// is read once for each block of i, ahead of time where there is room for it.
func EachAmplitudes(opt Options, left, right Spin, kind Amplitudes, visit func(i int, t []float64) error) error {
	if err := checkAmplitudes(opt, left, right, kind); err != nil {
		return err
	}
	l, s := operandOf[float64](left.Source), operandOf[float64](right.Source)
	w, err := amplitudeWidthsOf(opt, l, s, kind)
	if err != nil {
		return err
	}
	// A step for each pair that is computed, and as much for what visit does with it.
	opt.Team = opt.Team.Plan(2 * len(left.Occ) * len(right.Occ))
	r := &amplitudeRun{opt: opt, left: left, right: right, widths: w, kind: kind, memory: make([]float64, w.left*w.each)}
	var rest []float64
	r.stays, rest = newBlock(l, left.Name, w.left, unweighted(l), make([]float64, w.elements(l.packedElements(), s.packedElements())))
	r.passing = newStream(opt.Team, !opt.SkipFiniteCheck, s, right.Name, w.widths, s.nocc, unweighted(s), rest)
	for i, end := range ranges(len(left.Occ), w.left) {
		if err := r.fill(i, end); err != nil {
			return err
		}
		for k := i; k < end; k++ {
			if err := visit(k, r.of(i, k)); err != nil {
				return err
			}
			opt.Team.Step(len(right.Occ))
		}
	}
	return nil
}

// checkAmplitudes looks at the arguments and for denominators that vanish.
func checkAmplitudes(opt Options, left, right Spin, kind Amplitudes) error {
	if err := opt.check(left.Source, right.Source); err != nil {
		return err
	}
	if err := opt.refuseCheckpoint(); err != nil {
		return err
	}
	for _, s := range []Spin{left, right} {
		if err := s.check(); err != nil {
			return err
		}
	}
	if kind.symmetric() {
		return checkSameSpin(opt.Team, left, kind == ClosedShellAmplitudes)
	}
	return checkOppositeSpin(opt.Team, left, right)
}

// amplitudeWidths are the orbitals of the blocks of both spins, and how many amplitudes there are for each i.
type amplitudeWidths struct {
	widths
	each int
}

// amplitudeWidthsOf gives half of the memory to the blocks of i, amplitudes included, and half to those of j.
func amplitudeWidthsOf(opt Options, l, r *operand[float64], kind Amplitudes) (amplitudeWidths, error) {
	if err := opt.holdsPair(l, r); err != nil {
		return amplitudeWidths{}, err
	}
	most := int(opt.maxBytes() / 8)
	w := amplitudeWidths{widths{left: min(l.nocc, 1), right: r.nocc, buffers: 1}, r.nocc * l.nvir * r.nvir}
	fits := true // the right spin
	if size := r.packedElements(); size > 0 && r.nocc*size > most/2 {
		fits = false
		w.right = max(1, most/2/size)
		if w.right > 1 {
			w.right, w.buffers = w.right/2, 2
		}
	}
	// More than one i at a time saves reading, and products where j, i is i, j transposed.
	if !fits || kind.symmetric() {
		w.left = max(w.left, min(l.nocc, (most/2)/max(1, l.packedElements()+w.each)))
	}
	return w, nil
}

// holdsPair returns an error where the memory does not hold an orbital of each spin.
func (o Options) holdsPair(l, r *operand[float64]) error {
	if least := 8 * int64(l.packedElements()+r.packedElements()); least > o.maxBytes() {
		return dense.BadArgument("max_memory", "%d bytes do not hold the integrals of one pair of occupied orbitals, the least that works is %d bytes",
			o.maxBytes(), least)
	}
	return nil
}

// of returns the amplitudes of orbital i in the block that begins with first.
func (r *amplitudeRun) of(first, i int) []float64 {
	at := (i - first) * r.widths.each
	return r.memory[at : at+r.widths.each]
}

// at returns those of i and j.
func (r *amplitudeRun) at(first, i, j int) dense.Matrix[float64] {
	rows, cols := len(r.left.Vir), len(r.right.Vir)
	return dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols, Data: r.of(first, i)[j*rows*cols : (j+1)*rows*cols]}
}

// fill computes the amplitudes of the orbitals first <= i < end.
func (r *amplitudeRun) fill(first, end int) error {
	if r.left.empty() || r.right.empty() {
		clear(r.memory) // there may be amplitudes where there are no auxiliary functions
		return nil
	}
	if err := r.stays.fill(r.opt.Team, first, end, !r.opt.SkipFiniteCheck); err != nil {
		return err
	}
	all := func(int, int) bool { return true }
	return r.passing.each(all, func(b *block[float64]) error {
		count := b.end - b.first
		return r.opt.Team.For((end-first)*count, func(_, n int) error {
			i, j := first+n/count, b.first+n%count
			both := r.kind.symmetric() && first <= j && j < end // j, i is in this block too
			if both && j > i {
				return nil
			}
			t := r.at(first, i, j)
			if err := pairAmplitudes(r.opt, r.stays, b, r.left, r.right, r.kind, i, j, t); err != nil {
				return err
			}
			r.opt.Team.Step(1)
			if both && j < i {
				r.opt.Team.Step(1)
				dense.Copy(r.at(first, j, i).View(), t.View().T())
			}
			return nil
		})
	})
}

// pairAmplitudes sets t to the amplitudes of i in one and j in another block.
func pairAmplitudes(opt Options, first, second *block[float64], left, right Spin, kind Amplitudes, i, j int, t dense.Matrix[float64]) error {
	asRows, _ := first.op.trans()
	_, asColumns := second.op.trans()
	blas.Gemm(opt.Team.Serial(), asRows, asColumns, 1, first.orbitals(i, i+1), second.orbitals(j, j+1), 0, t)
	if err := opt.Team.Err(); err != nil {
		return err // K is unfinished
	}
	kind.divide(t, left, right, i, j)
	return nil
}

// AmplitudesWorkspace returns an upper bound on the bytes that EachAmplitudes allocates beside its integrals.
func AmplitudesWorkspace(opt Options, left, right Spin, kind Amplitudes) (int64, error) {
	if err := opt.check(left.Source, right.Source); err != nil {
		return 0, err
	}
	l, r := operandOf[float64](left.Source), operandOf[float64](right.Source)
	w, err := amplitudeWidthsOf(opt, l, r, kind)
	if err != nil {
		return 0, err
	}
	return amplitudeBytes(opt, left, right, w.widths) + 8*int64(w.left)*int64(w.each), nil
}

// amplitudeBytes returns the bytes that products of blocks of two spins take, whose orbitals are filled in.
func amplitudeBytes(opt Options, left, right Spin, w widths) int64 {
	l, r := operandOf[float64](left.Source), operandOf[float64](right.Source)
	bytes := int64(fixedBytes) + int64(opt.Team.Threads())*blas.GemmWorkspace[float64]()
	bytes += blocksWorkspace(l, left.Source) + blocksWorkspace(r, right.Source)
	return bytes + 8*int64(w.elements(l.packedElements(), r.packedElements()))
}
