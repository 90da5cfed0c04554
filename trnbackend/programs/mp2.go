package programs

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
)

// MP2Result is the energies, always with those of the pairs, and how they were computed. The error bound is for what is written at pairBound.
type MP2Result struct {
	mp2.Result
	Plan *MP2Plan
}

// MP2 computes the correlation energies of package mp2 on a device: mp2.Restricted of one spin, or mp2.Unrestricted of alpha and beta. Products and
// terms are in the precision, sums over virtual orbitals too; the host adds the pairs in float64. Energies of pairs leave the device, nothing larger.
//
// The differences e_i - e_a are taken on the host in float64 and sent as sums of two numbers of the device's type, so that denominators are as exact
// as that type allows, however large the energies are.
//
// Errors: those of mp2.Check and mp2.EachOrbital; *dense.ArgumentError for energies of orbitals beyond the device's type; an UnsupportedError if the device has too little memory or lacks what the precision needs; those of
// the device and of a cancelled call, which is noticed between runs and while blocks are packed.
//
// Cost: Plan.Flops, about nocc (nocc + block) nvir^2 naux for a closed shell and one product for each pair of parts.
func MP2(call *device.Call, precision Precision, spins ...mp2.Spin) (*MP2Result, error) {
	p := newPace(call)
	if err := p.cause(mp2.Check(p.team(), spins...)); err != nil {
		return nil, err
	}
	plan, err := PlanMP2Of(call.Caps(), precision, spins...)
	if err != nil {
		return nil, err
	}
	if err := checkEnergies(precision, spins...); err != nil {
		return nil, err
	}
	r := newMP2Run(call, plan, spins)
	if err := r.run(); err != nil {
		return nil, err
	}
	call.OnHost("differences of orbital energies, in float64: the device's type would lose digits")
	call.OnHost("sum of pair energies, in float64: the same")
	result := &MP2Result{Result: r.result(), Plan: plan}
	call.Bound(result.ErrorBound)
	return result, nil
}

// PlanMP2Of is PlanMP2 for the sizes of spins, whose integrals and energies are not looked at.
func PlanMP2Of(caps trnbackend.Caps, p Precision, spins ...mp2.Spin) (*MP2Plan, error) {
	var sizes []MP2Size
	var sources []mp2.Source
	for _, s := range spins {
		nocc, nvir, _ := s.Source.Shape()
		sizes, sources = append(sizes, MP2Size{nocc, nvir}), append(sources, s.Source)
	}
	naux, err := mp2.CommonNaux(sources...)
	if err != nil {
		return nil, err
	}
	return PlanMP2(caps, p, naux, sizes...)
}

// checkEnergies refuses energies of orbitals so large that a denominator, which is a sum of four, may overflow in the device's type.
func checkEnergies(p Precision, spins ...mp2.Spin) error {
	const terms = 4
	most := largestNumber(p.dtype()) / terms
	for _, s := range spins {
		for n, energies := range [][]float64{s.Occ, s.Vir} {
			for _, e := range energies {
				if math.Abs(e) > most {
					return dense.BadArgument([]string{"eps_occ", "eps_vir"}[n], "%g is too large: with precision %s energies of orbitals are at most %.3g", e, p, most)
				}
			}
		}
	}
	return nil
}

// mp2Run is a plan that is carried out.
type mp2Run struct {
	call     *device.Call
	plan     *MP2Plan
	spins    []mp2.Spin
	programs []trnbackend.Program // of the plan's graphs
	here     map[mp2Block][]trnbackend.Buffer
	weights  map[mp2Weights]trnbackend.Buffer
	measures []mp2Measure // of each spin

	waiting  *mp2Step          // the run whose result is still on the device
	energies trnbackend.Buffer // that result
	pairs    mp2.PairEnergies  // weighted: those of one spin are below the diagonal, and on it
	bound    float64           // of the sum of all of them
}

func newMP2Run(call *device.Call, plan *MP2Plan, spins []mp2.Spin) *mp2Run {
	r := &mp2Run{
		call: call, plan: plan, spins: spins,
		here: map[mp2Block][]trnbackend.Buffer{}, weights: map[mp2Weights]trnbackend.Buffer{},
	}
	for _, s := range spins {
		r.measures = append(r.measures, newMP2Measure(s))
	}
	alpha, beta := len(spins[0].Occ), len(spins[len(spins)-1].Occ)
	r.pairs = mp2.PairEnergies{
		OppositeSpin: dense.New[float64](alpha, beta), AlphaAlpha: dense.New[float64](alpha, alpha), BetaBeta: dense.New[float64](beta, beta),
	}
	return r
}

// run carries out the steps. A result is fetched when the next run has begun, so that the device need not wait for the host.
func (r *mp2Run) run() error {
	for _, g := range r.plan.Graphs {
		program, err := r.call.Program(g)
		if err != nil {
			return err
		}
		r.programs = append(r.programs, program)
	}
	r.call.Plan(len(r.plan.steps))
	for n := range r.plan.steps {
		s := &r.plan.steps[n]
		in, err := r.operands(s)
		if err != nil {
			return err
		}
		out, err := r.call.Run(r.programs[r.plan.passes[s.pass].graph], in...)
		if err != nil {
			return err
		}
		if err := r.collect(); err != nil {
			return err
		}
		r.waiting, r.energies = s, out[0]
	}
	return r.collect()
}

// operands moves blocks as the step says and returns what its graph takes.
func (r *mp2Run) operands(s *mp2Step) ([]trnbackend.Buffer, error) {
	if len(s.free) > 0 { // their memory comes back when the run before has ended
		if err := r.collect(); err != nil {
			return nil, err
		}
	}
	for _, b := range s.free {
		for _, buffer := range r.here[b] {
			r.call.Free(buffer)
		}
		delete(r.here, b)
	}
	for _, b := range s.load {
		var err error
		if r.plan.Precision == FP64 {
			err = loadMP2[float64](r, b)
		} else {
			err = loadMP2[float32](r, b)
		}
		if err != nil {
			return nil, err
		}
	}
	weights, err := r.weightsOf(s)
	left, right := r.here[s.left], r.here[s.right]
	return []trnbackend.Buffer{left[0], right[0], left[1], right[1], weights}, err
}

// loadMP2 brings a block to the device, converted to T, and measures its orbitals.
func loadMP2[T dense.Float](r *mp2Run, b mp2Block) error {
	spin, shapes := r.spins[b.spin], r.plan.blockShapes(b.spin)
	first := b.index * r.plan.Block
	end := min(len(spin.Occ), first+r.plan.Block)
	if err := r.call.FitsHost(shapes[0].Bytes()); err != nil {
		return err
	}
	integrals, differences := make([]byte, shapes[0].Bytes()), make([]float64, shapes[1].Size())
	high, low := differences[:len(differences)/2], differences[len(differences)/2:]
	p := newPace(r.call)
	var packing error
	err := mp2.EachOrbital(p.team(), spin, first, end, func(i int, x dense.View[T], norms []float64) {
		if packing == nil {
			packing = pack(p, shapes[0], integrals, i-first, x, whole)
		}
		r.measures[b.spin].measure(shapes[1].DType, i, norms)
		for a, e := range spin.Vir {
			at := (i-first)*r.plan.Nvir[b.spin] + a
			high[at], low[at] = energyDifference(shapes[1].DType, spin.Occ[i], e)
		}
	})
	if err == nil {
		err = packing
	}
	if err != nil {
		return p.cause(err)
	}
	for n, data := range [][]byte{integrals, trnbackend.Encode(shapes[1].DType, differences)} {
		buffer, err := r.call.Upload(shapes[n], data)
		if err != nil {
			return err
		}
		r.here[b] = append(r.here[b], buffer)
	}
	return nil
}

// weightsOf returns the weights of a step's pairs, on the device.
func (r *mp2Run) weightsOf(s *mp2Step) (trnbackend.Buffer, error) {
	pass := r.plan.passes[s.pass]
	w := s.weights(pass)
	if r.weights[w] != nil {
		return r.weights[w], nil
	}
	shape := r.plan.Graphs[pass.graph].ResultShapes()[0]
	buffer, err := r.call.Upload(shape, trnbackend.Encode(shape.DType, pass.kind.weights(r.plan.Block, w.diagonal)))
	if err == nil {
		r.weights[w] = buffer
	}
	return buffer, err
}

// collect fetches the result that is waiting, if there is one, and enters the energies of its pairs.
func (r *mp2Run) collect() error {
	if r.waiting == nil {
		return nil
	}
	data, err := r.call.Download(r.energies)
	if err != nil {
		return err
	}
	energies := trnbackend.Decode(r.energies.Shape().DType, data)
	r.call.Free(r.energies)
	pass, block := r.plan.passes[r.waiting.pass], r.plan.Block
	i0, j0 := r.waiting.left.index*block, r.waiting.right.index*block
	r.waiting = nil
	r.call.Step(1)
	for n, c := range pass.kind.components() {
		target := r.target(pass, c)
		for i := i0; i < min(i0+block, target.Rows); i++ {
			for j := j0; j < min(j0+block, target.Cols); j++ {
				e := energies[(n*block+i-i0)*block+j-j0]
				target.Set(i, j, e)
				r.bound += r.pairBound(pass, c, i, j, e)
			}
		}
	}
	return nil
}

// target returns the matrix for energies of a pass.
func (r *mp2Run) target(pass mp2Pass, c mp2Component) dense.Matrix[float64] {
	switch {
	case c == mp2Opposite:
		return r.pairs.OppositeSpin
	case pass.left == 0:
		return r.pairs.AlphaAlpha
	}
	return r.pairs.BetaBeta
}

// result adds the pairs up. The same-spin energies of a closed shell are those of both spins, in equal parts.
func (r *mp2Run) result() mp2.Result {
	closed := len(r.spins) == 1
	if closed {
		for n, e := range r.pairs.AlphaAlpha.Data {
			r.pairs.AlphaAlpha.Data[n] = e / 2
		}
		r.pairs.BetaBeta = r.pairs.AlphaAlpha.Clone()
		mirrorPairs(r.pairs.OppositeSpin)
	}
	mirrorPairs(r.pairs.AlphaAlpha)
	mirrorPairs(r.pairs.BetaBeta)
	aa, bb, ab := sumOfPairs(r.pairs.AlphaAlpha), sumOfPairs(r.pairs.BetaBeta), sumOfPairs(r.pairs.OppositeSpin)
	return mp2.Result{
		OppositeSpin: ab, SameSpin: aa + bb, AlphaAlpha: aa, BetaBeta: bb, ErrorBound: r.certain(), PairEnergies: &r.pairs,
	}
}

// mirrorPairs spreads what is below the diagonal over both halves of a matrix.
func mirrorPairs(m dense.Matrix[float64]) {
	for i := range m.Rows {
		for j := range i {
			half := m.At(i, j) / 2
			m.Set(i, j, half)
			m.Set(j, i, half)
		}
	}
}

func sumOfPairs(m dense.Matrix[float64]) float64 {
	sum := 0.0
	for _, e := range m.Data {
		sum += e
	}
	return sum
}
