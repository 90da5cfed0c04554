package mp2

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/staging"
)

// Figures that are assumed where Caps gives none: the order of magnitude for an accelerator with matrix units.
const (
	assumedMemory   = 16 << 30
	assumedDispatch = 1e-3 // seconds
	assumedFlops    = 2e13 // a second
	assumedBytes    = 1e10 // a second
)

// usableShare is the share of the memory that a plan fills: the rest is for programs, small arrays and gaps.
const usableShare = 0.9

func orAssumed(x, usual float64) float64 {
	if x == 0 {
		return usual
	}
	return x
}

// planTolerance: plans within this factor of the fastest estimate count as equal, and the one with the fewest runs is
// taken. The estimates are no better than that.
const planTolerance = 1.15

// NewPlan returns the plan for one spin, a closed shell, or for alpha and beta. Among the block sizes that fit the
// memory it takes the one with the fewest runs whose estimated time is within planTolerance of the shortest. Small
// blocks waste less work on pairs i < j of the diagonal blocks, large ones need fewer runs. The error is an
// UnsupportedError if not even two blocks of one orbital fit.
func NewPlan(caps trnbackend.Caps, p precision.Precision, naux int, spins ...SpinSize) (*Plan, error) {
	if len(spins) < 1 || len(spins) > 2 {
		return nil, fmt.Errorf("spins: expected one, for a closed shell, or alpha and beta, got %d", len(spins))
	}
	most := 0
	for _, s := range spins {
		if min(s.Nocc, s.Nvir, naux) < 0 {
			return nil, fmt.Errorf("spins: (nocc, nvir, naux) = (%d, %d, %d) has a negative number",
				s.Nocc, s.Nvir, naux)
		}
		most = max(most, s.Nocc)
	}
	memory := int64(usableShare * orAssumed(float64(caps.Memory), assumedMemory))
	var plans []*Plan
	fastest := math.Inf(1)
	for block := 1; ; block = blockBucket(block + 1) {
		plan, err := planBlocks(p, block, naux, spins)
		if err != nil {
			return nil, err
		}
		if !plan.schedule(memory - plan.Work) {
			if plans == nil {
				return nil, &trnbackend.UnsupportedError{Device: caps.Device, What: fmt.Sprintf(
					"%d bytes of memory, two blocks of one orbital take %d bytes and their product %d",
					memory, plan.leastBytes(), plan.Work)}
			}
			break // larger blocks take more
		}
		plan.estimate(caps)
		plans, fastest = append(plans, plan), min(fastest, plan.Seconds)
		if block >= most {
			break
		}
	}
	plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.Seconds > planTolerance*fastest })
	return slices.MinFunc(plans, func(x, y *Plan) int { return cmp.Compare(x.Dispatches, y.Dispatches) }), nil
}

// blockBucket returns the padded size of a block: that of staging.Bucket, and powers of two below its smallest one.
func blockBucket(n int) int {
	for size := 1; size < staging.Bucket(1); size *= 2 {
		if n <= size {
			return size
		}
	}
	return staging.Bucket(n)
}

// planBlocks returns the graphs and passes for one block size.
func planBlocks(p precision.Precision, block, naux int, spins []SpinSize) (*Plan, error) {
	plan := &Plan{Precision: p, Sizes: spins, BlockSize: block, Naux: staging.Bucket(naux)}
	for _, s := range spins {
		plan.Nvir = append(plan.Nvir, staging.Bucket(s.Nvir))
	}
	passes := []spinPass{{kind: closedShell}}
	if len(spins) == 2 {
		passes = []spinPass{{kind: sameSpin}, {kind: sameSpin, left: 1, right: 1}, {kind: oppositeSpin, right: 1}}
	}
	for _, pass := range passes {
		if naux == 0 || plan.pairs(pass) == 0 {
			continue
		}
		g, err := pass.kind.build(p, block, [2]int{plan.Nvir[pass.left], plan.Nvir[pass.right]}, plan.Naux)
		if err != nil {
			return nil, err
		}
		pass.graph = slices.IndexFunc(plan.Graphs, func(other *graph.Graph) bool { return other.Key() == g.Key() })
		if pass.graph < 0 {
			pass.graph = len(plan.Graphs)
			plan.Graphs = append(plan.Graphs, g)
		}
		plan.Work = max(plan.Work, g.Peak())
		plan.passes = append(plan.passes, pass)
	}
	return plan, nil
}

// estimate sets the costs of the plan.
func (p *Plan) estimate(caps trnbackend.Caps) {
	p.Dispatches = len(p.steps)
	flops, result := make([]float64, len(p.passes)), make([]int64, len(p.passes)) // of a run
	for n, pass := range p.passes {
		g := p.Graphs[pass.graph]
		flops[n], result[n] = float64(g.Cost().Flops), g.ResultShapes()[0].Bytes()
	}
	seen := map[weightsKey]bool{}
	for _, s := range p.steps {
		p.Flops += flops[s.pass]
		p.BytesOut += result[s.pass]
		if w := s.weights(p.passes[s.pass]); !seen[w] {
			seen[w] = true
			p.BytesIn += result[s.pass] // weights have its shape
		}
		p.Loads += len(s.load)
		for _, b := range s.load {
			p.BytesIn += p.blockBytes(b.spin)
		}
	}
	p.Timed = caps.Flops > 0 && caps.Bytes > 0
	p.Seconds = float64(p.Dispatches)*orAssumed(caps.Dispatch, assumedDispatch) +
		p.Flops/orAssumed(caps.Flops, assumedFlops) +
		float64(p.BytesIn+p.BytesOut)/orAssumed(caps.Bytes, assumedBytes)
}

// PlanFor is NewPlan for the sizes of spins, whose integrals and energies are not read.
func PlanFor(caps trnbackend.Caps, p precision.Precision, spins ...mp2.Spin) (*Plan, error) {
	var sizes []SpinSize
	var sources []mp2.Source
	for _, s := range spins {
		nocc, nvir, _ := s.Source.Shape()
		sizes, sources = append(sizes, SpinSize{nocc, nvir}), append(sources, s.Source)
	}
	naux, err := mp2.CommonNaux(sources...)
	if err != nil {
		return nil, err
	}
	return NewPlan(caps, p, naux, sizes...)
}
