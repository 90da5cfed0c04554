// Package mp2 computes DF-MP2 energies on a device. A plan cuts the occupied orbitals into blocks, one graph evaluates
// all pairs of two blocks, and the host adds the pair energies and bounds their errors.
package mp2

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// Result holds the energies, always with those of the pairs, and the plan by which they were computed. pairBound says
// what the error bound is a bound of.
type Result struct {
	mp2.Result
	Plan *Plan
}

// Energy computes the correlation energies of core/mp2 on a device: those of mp2.Restricted for one spin, those of
// mp2.Unrestricted for alpha and beta. Products, terms and sums over virtual orbitals are in the precision; the host
// adds the pairs in float64. Only pair energies leave the device.
//
// The host takes the differences e_i - e_a in float64 and sends them as sums of two numbers of the device's type, so
// that denominators are as exact as that type allows, however large the energies are.
//
// Errors: those of mp2.Check and mp2.EachOrbital; *dense.ArgumentError for orbital energies beyond the device's type;
// an UnsupportedError if the device has too little memory or lacks what the precision needs; those of the device, and
// that of a cancelled call, which is checked between runs and while blocks are packed.
//
// Cost: Plan.Flops, about nocc (nocc + block) nvir^2 naux for a closed shell and each product of parts.
func Energy(call *device.Call, p precision.Precision, spins ...mp2.Spin) (*Result, error) {
	check := staging.NewCancelCheck(call)
	if err := check.Cause(mp2.Check(check.Team(), spins...)); err != nil {
		return nil, err
	}
	plan, err := PlanFor(call.Caps(), p, spins...)
	if err != nil {
		return nil, err
	}
	if err := checkEnergies(p, spins...); err != nil {
		return nil, err
	}
	r := newEnergyRun(call, plan, spins)
	if err := r.run(); err != nil {
		return nil, err
	}
	call.OnHost("differences of orbital energies, in float64: the device's type would lose digits")
	call.OnHost("sum of pair energies, in float64: the same")
	result := &Result{Result: r.result(), Plan: plan}
	call.Bound(result.ErrorBound)
	return result, nil
}

// checkEnergies refuses orbital energies so large that a denominator, a sum of four of them, may overflow in the
// device's type.
func checkEnergies(p precision.Precision, spins ...mp2.Spin) error {
	const terms = 4
	most := product.DType(p).Largest() / terms
	for _, s := range spins {
		for n, energies := range [][]float64{s.Occ, s.Vir} {
			for _, e := range energies {
				if math.Abs(e) > most {
					return dense.BadArgument([]string{"eps_occ", "eps_vir"}[n],
						"%g is too large: with precision %s orbital energies are at most %.3g", e, p, most)
				}
			}
		}
	}
	return nil
}

// energyRun carries out a plan.
type energyRun struct {
	call     *device.Call
	plan     *Plan
	spins    []mp2.Spin
	programs []trnbackend.Program // of the plan's graphs
	here     map[orbitalBlock][]trnbackend.Buffer
	weights  map[weightsKey]trnbackend.Buffer
	bounds   []boundData // of each spin

	pending  *planStep         // the step whose result is still on the device
	energies trnbackend.Buffer // that result
	pairs    mp2.PairEnergies  // weighted: pairs of one spin are on and below the diagonal
	bound    float64           // of the error of their sum, before it is rounded
}

func newEnergyRun(call *device.Call, plan *Plan, spins []mp2.Spin) *energyRun {
	r := &energyRun{
		call: call, plan: plan, spins: spins,
		here: map[orbitalBlock][]trnbackend.Buffer{}, weights: map[weightsKey]trnbackend.Buffer{},
	}
	for _, s := range spins {
		r.bounds = append(r.bounds, newBoundData(s))
	}
	alpha, beta := len(spins[0].Occ), len(spins[len(spins)-1].Occ)
	r.pairs = mp2.PairEnergies{
		OppositeSpin: dense.New[float64](alpha, beta),
		AlphaAlpha:   dense.New[float64](alpha, alpha), BetaBeta: dense.New[float64](beta, beta),
	}
	return r
}

// run carries out the steps. A result is fetched when the next run has begun, so that the device does not wait for the
// host.
func (r *energyRun) run() error {
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
		r.pending, r.energies = s, out[0]
	}
	return r.collect()
}

// operands frees and loads blocks as the step says and returns the parameters of its graph.
func (r *energyRun) operands(s *planStep) ([]trnbackend.Buffer, error) {
	if len(s.free) > 0 { // the memory of the blocks is in use until the run before has ended
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
		if r.plan.Precision == precision.FP64 {
			err = load[float64](r, b)
		} else {
			err = load[float32](r, b)
		}
		if err != nil {
			return nil, err
		}
	}
	weights, err := r.weightsOf(s)
	left, right := r.here[s.left], r.here[s.right]
	return []trnbackend.Buffer{left[0], right[0], left[1], right[1], weights}, err
}

// load converts a block to T and brings it to the device, and enters the norms of its orbitals into the bound data.
func load[T dense.Float](r *energyRun, b orbitalBlock) error {
	spin, shapes := r.spins[b.spin], r.plan.blockShapes(b.spin)
	first := b.index * r.plan.BlockSize
	end := min(len(spin.Occ), first+r.plan.BlockSize)
	if err := r.call.FitsHost(shapes[0].Bytes()); err != nil {
		return err
	}
	integrals, differences := make([]byte, shapes[0].Bytes()), make([]float64, shapes[1].Size())
	high, low := differences[:len(differences)/2], differences[len(differences)/2:]
	check := staging.NewCancelCheck(r.call)
	var packing error
	err := mp2.EachOrbital(check.Team(), spin, first, end, func(i int, x dense.View[T], norms []float64) {
		if packing == nil {
			packing = staging.Pack(check, shapes[0], integrals, i-first, x)
		}
		r.bounds[b.spin].set(shapes[1].DType, i, norms)
		for a, e := range spin.Vir {
			at := (i-first)*r.plan.Nvir[b.spin] + a
			high[at], low[at] = energyDifference(shapes[1].DType, spin.Occ[i], e)
		}
	})
	if err == nil {
		err = packing
	}
	if err != nil {
		return check.Cause(err)
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

// weightsOf returns the device's array of the weights of a step's pairs.
func (r *energyRun) weightsOf(s *planStep) (trnbackend.Buffer, error) {
	pass := r.plan.passes[s.pass]
	w := s.weights(pass)
	if r.weights[w] != nil {
		return r.weights[w], nil
	}
	shape := r.plan.Graphs[pass.graph].ResultShapes()[0] // that of the energies
	buffer, err := r.call.Upload(shape, trnbackend.Encode(shape.DType, pass.kind.weights(r.plan.BlockSize, w.diagonal)))
	if err == nil {
		r.weights[w] = buffer
	}
	return buffer, err
}

// collect fetches the pending result, if there is one, and enters the energies of its pairs.
func (r *energyRun) collect() error {
	if r.pending == nil {
		return nil
	}
	data, err := r.call.Download(r.energies)
	if err != nil {
		return err
	}
	energies := trnbackend.Decode(r.energies.Shape().DType, data)
	r.call.Free(r.energies)
	pass, block := r.plan.passes[r.pending.pass], r.plan.BlockSize
	i0, j0 := r.pending.left.index*block, r.pending.right.index*block
	r.pending = nil
	r.call.Step(1)
	for n, c := range pass.kind.components() {
		target := r.target(pass, c)
		for i := i0; i < min(i0+block, target.Rows); i++ {
			for j := j0; j < min(j0+block, target.Cols); j++ {
				e := energies[(n*block+i-i0)*block+j-j0]
				target.Set(i, j, e)
				r.bound += r.plan.pairBound(r.bounds, pass, c, i, j, e)
			}
		}
	}
	return nil
}

// target returns the matrix that holds a component of the energies of a pass.
func (r *energyRun) target(pass spinPass, c component) dense.Matrix[float64] {
	switch {
	case c == oppositeSpinEnergy:
		return r.pairs.OppositeSpin
	case pass.left == 0:
		return r.pairs.AlphaAlpha
	}
	return r.pairs.BetaBeta
}

// result adds the pair energies. The same-spin energies of a closed shell belong to both spins, in equal parts.
func (r *energyRun) result() mp2.Result {
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
		OppositeSpin: ab, SameSpin: aa + bb, AlphaAlpha: aa, BetaBeta: bb,
		ErrorBound: errorBound(&r.pairs, r.bound), PairEnergies: &r.pairs,
	}
}

// mirrorPairs distributes the energies below the diagonal equally over both triangles.
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
