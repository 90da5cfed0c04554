package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Amplitudes names amplitudes of double excitations from occupied orbitals i, j to virtual orbitals a, b. D = e_i + e_j - e_a - e_b.
type Amplitudes int

// The amplitudes.
const (
	// K_ab / D for i, a of one spin and j, b of the other; of a closed shell too, whose spins are the same.
	OppositeSpinAmplitudes Amplitudes = iota
	// (K_ab - K_ba) / D within one spin, antisymmetric in i, j and in a, b.
	SameSpinAmplitudes
)

// amplitudeRun computes amplitudes for one i after the other.
type amplitudeRun struct {
	opt         Options
	left, right Spin
	first       *block[float64] // of the left spin
	second      *block[float64] // of the right spin
	widths      amplitudeWidths
	kind        Amplitudes
	memory      []float64 // the amplitudes of a block of i
}

// EachAmplitudes calls visit for every occupied orbital i of the left spin, in order, with t[j,a,b] for j and b of the right and a of the left
// spin, b running fastest; visit may change t, which is dead when visit returns. For amplitudes within one spin both spins are the same. All is computed in float64; Options.Precision,
// PairEnergies and Tolerance are not used, and a Checkpoint is refused.
//
// Errors: those of Restricted; what visit returns ends the loop. *DenominatorError for D that is divided by: amplitudes that are zero by
// symmetry are zero whatever D is.
//
// Cost: 2 nocc_l nocc_r nvir_l nvir_r naux floating-point operations. Where B has to be copied and does not fit MaxBytes, that of the right spin is read
// once for each block of i.
func EachAmplitudes(opt Options, left, right Spin, kind Amplitudes, visit func(i int, t []float64) error) error {
	if err := checkAmplitudes(opt, left, right, kind); err != nil {
		return err
	}
	w, err := amplitudeWidthsOf(opt, left, right)
	if err != nil {
		return err
	}
	opt.Team.Plan(len(left.Occ))
	r := &amplitudeRun{opt: opt, left: left, right: right, widths: w, kind: kind, memory: make([]float64, w.left*w.each)}
	l, s := operandOf[float64](left.Source), operandOf[float64](right.Source)
	r.first, _ = newBlock(l, left.Name, w.left, make([]float64, l.blockElements(w.left)))
	r.second, _ = newBlock(s, right.Name, w.right, make([]float64, s.blockElements(w.right)))
	for i := 0; i < len(left.Occ); i += w.left {
		end := min(len(left.Occ), i+w.left)
		if err := r.fill(i, end); err != nil {
			return err
		}
		for k := i; k < end; k++ {
			if err := visit(k, r.of(i, k)); err != nil {
				return err
			}
			opt.Team.Step(1)
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
	if kind == SameSpinAmplitudes {
		return checkSameSpin(opt.Team, left, false)
	}
	return checkOppositeSpin(opt.Team, left, right)
}

// amplitudeWidths says how many orbitals the blocks of both spins hold, and how many amplitudes there are for each i.
type amplitudeWidths struct{ left, right, each int }

// amplitudeWidthsOf gives half of the memory to the blocks of i, amplitudes included, and half to those of j.
func amplitudeWidthsOf(opt Options, left, right Spin) (amplitudeWidths, error) {
	l, r := operandOf[float64](left.Source), operandOf[float64](right.Source)
	most, each := int(opt.maxBytes()/8), r.nocc*l.nvir*r.nvir
	if least := l.packedElements() + r.packedElements(); least > most {
		return amplitudeWidths{}, dense.BadArgument("max_memory", "%d bytes do not hold the integrals of one pair of occupied orbitals, the least that works is %d bytes",
			opt.maxBytes(), 8*int64(least))
	}
	// More than one i at a time only saves reading.
	w := amplitudeWidths{left: min(l.nocc, 1), right: r.nocc, each: each}
	if size := r.packedElements(); size > 0 && r.nocc*size > most/2 {
		w.right = max(1, most/2/size)
		w.left = max(w.left, min(l.nocc, (most/2)/max(1, l.packedElements()+each)))
	}
	return w, nil
}

// of returns the amplitudes of orbital i in the block that begins with first.
func (r *amplitudeRun) of(first, i int) []float64 {
	at := (i - first) * r.widths.each
	return r.memory[at : at+r.widths.each]
}

// fill computes the amplitudes of the orbitals first <= i < end.
func (r *amplitudeRun) fill(first, end int) error {
	left, right := r.first.op, r.second.op
	if left.empty() || right.empty() {
		clear(r.memory) // there may be amplitudes where there are no auxiliary functions
		return nil
	}
	finite := !r.opt.SkipFiniteCheck
	if err := r.first.fill(r.opt.Team, first, end, finite); err != nil {
		return err
	}
	serial := r.opt.Team.Serial()
	asRows, _ := left.trans()
	_, asColumns := right.trans()
	for j0 := 0; j0 < right.nocc; j0 += r.widths.right {
		j1 := min(right.nocc, j0+r.widths.right)
		if err := r.second.fill(r.opt.Team, j0, j1, finite); err != nil {
			return err
		}
		err := r.opt.Team.For((end-first)*(j1-j0), func(_, n int) error {
			i, j := first+n/(j1-j0), j0+n%(j1-j0)
			size := left.nvir * right.nvir
			k := dense.Matrix[float64]{Rows: left.nvir, Cols: right.nvir, Stride: right.nvir, Data: r.of(first, i)[j*size : (j+1)*size]}
			blas.Gemm(serial, asRows, asColumns, 1, r.first.orbitals(i, i+1), r.second.orbitals(j, j+1), 0, k)
			if err := r.opt.Team.Err(); err != nil {
				return err // K is unfinished
			}
			r.divide(k, i, j)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// divide turns K into amplitudes.
func (r *amplitudeRun) divide(k dense.Matrix[float64], i, j int) {
	ei, ej := r.left.Occ[i], r.right.Occ[j]
	if r.kind == SameSpinAmplitudes {
		antisymmetric(k, ei, ej, r.left.Vir, i == j)
		return
	}
	for a, ea := range r.left.Vir {
		row := k.Row(a)
		for b, eb := range r.right.Vir {
			row[b] /= denominator(ei-ea, ej-eb)
		}
	}
}

// antisymmetric turns K into (K - K^T) / D, D being symmetric in a and b up to its rounding, or into zeros where i is j.
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

// AmplitudesWorkspace returns an upper bound on the bytes that EachAmplitudes allocates beside its integrals.
func AmplitudesWorkspace(opt Options, left, right Spin) (int64, error) {
	if err := opt.check(left.Source, right.Source); err != nil {
		return 0, err
	}
	w, err := amplitudeWidthsOf(opt, left, right)
	if err != nil {
		return 0, err
	}
	bytes := int64(fixedBytes) + int64(opt.Team.Threads())*blas.GemmWorkspace[float64]() + 8*int64(w.left)*int64(w.each)
	for n, s := range []Spin{left, right} {
		op := operandOf[float64](s.Source)
		width := []int{w.left, w.right}[n]
		bytes += 8*int64(op.blockElements(width)) + int64(width)*(8*int64(op.nvir)+1)
		if file, ok := s.Source.(*FileIntegrals); ok {
			bytes += 3*readBytes + 8*int64(file.strideI)*int64(file.nocc)
		}
	}
	return bytes, nil
}
