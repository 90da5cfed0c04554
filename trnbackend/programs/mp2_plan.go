package programs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// MP2Size is the numbers of occupied and virtual orbitals of one spin.
type MP2Size struct{ Nocc, Nvir int }

// MP2Plan is how the energies are computed: the occupied orbitals of each spin are cut into blocks of one size, which come to the device when they
// are needed and stay as long as there is room, and a graph runs for each pair of blocks. What is beyond the orbitals is zero.
type MP2Plan struct {
	Precision         Precision
	Sizes             []MP2Size // as asked for, one for a closed shell
	Block             int       // occupied orbitals of a block
	Nvir              []int     // the bucket's, of each spin
	Naux              int       // the bucket's
	Graphs            []*graph.Graph
	Dispatches, Loads int   // runs of graphs, and blocks that come to the device: more than there are where they do not all fit
	BytesIn, BytesOut int64 // to and from the device
	Flops             float64
	Resident          int64   // bytes of blocks that are on the device at once, at most
	Work              int64   // bytes that a graph takes beside them, if its operations are not fused
	Seconds           float64 // expected from what the device can do; a device that does not say it is taken for an accelerator
	Timed             bool    // the device says it

	passes []mp2Pass
	steps  []mp2Step
}

// mp2Pass is the pairs of orbitals of two spins, which are the same for pairs within one.
type mp2Pass struct {
	kind        mp2Kind
	left, right int // spins
	graph       int // of the plan
}

// What a device is taken for where Caps does not say: the order of magnitude for an accelerator with matrix units.
const (
	usualMemory   = 16 << 30
	usualDispatch = 1e-3 // seconds
	usualFlops    = 2e13 // a second
	usualBytes    = 1e10 // a second
)

// usable is the share of the memory that a plan fills: the rest is for programs, small arrays and gaps.
const usable = 0.9

func orUsual(x, usual float64) float64 {
	if x == 0 {
		return usual
	}
	return x
}

// about is how much longer than the quickest plan one with fewer runs may take: expectations are not that certain.
const about = 1.15

// PlanMP2 returns the plan for one spin, a closed shell, or for alpha and beta: of all sizes of blocks that fit the memory the one with the fewest
// runs of those that take about the least time. Small blocks waste less work on pairs i < j of the diagonal, large ones take fewer runs. It is an
// UnsupportedError if not even two blocks of one orbital fit.
func PlanMP2(caps trnbackend.Caps, p Precision, naux int, spins ...MP2Size) (*MP2Plan, error) {
	if len(spins) < 1 || len(spins) > 2 {
		return nil, fmt.Errorf("spins: expected one, for a closed shell, or alpha and beta, got %d", len(spins))
	}
	most := 0
	for _, s := range spins {
		if min(s.Nocc, s.Nvir, naux) < 0 {
			return nil, fmt.Errorf("spins: (nocc, nvir, naux) = (%d, %d, %d) has a negative number", s.Nocc, s.Nvir, naux)
		}
		most = max(most, s.Nocc)
	}
	memory := int64(usable * orUsual(float64(caps.Memory), usualMemory))
	var plans []*MP2Plan
	quickest := math.Inf(1)
	for block := 1; ; block = blockBucket(block + 1) {
		plan, err := planBlocks(p, block, naux, spins)
		if err != nil {
			return nil, err
		}
		if !plan.place(memory - plan.Work) {
			if plans == nil {
				return nil, &trnbackend.UnsupportedError{Device: caps.Device, What: fmt.Sprintf(
					"%d bytes of memory, two blocks of one orbital take %d bytes and their product %d", memory, plan.least(), plan.Work)}
			}
			break // larger blocks take more
		}
		plan.count(caps)
		plans, quickest = append(plans, plan), min(quickest, plan.Seconds)
		if block >= most {
			break
		}
	}
	plans = slices.DeleteFunc(plans, func(p *MP2Plan) bool { return p.Seconds > about*quickest })
	return slices.MinFunc(plans, func(x, y *MP2Plan) int { return cmp.Compare(x.Dispatches, y.Dispatches) }), nil
}

// blockBucket rounds the size of a block up, to powers of two below the smallest bucket.
func blockBucket(n int) int {
	for size := 1; size < bucket(1); size *= 2 {
		if n <= size {
			return size
		}
	}
	return bucket(n)
}

// planBlocks returns the graphs and the order of the pairs of blocks for one size of them.
func planBlocks(p Precision, block, naux int, spins []MP2Size) (*MP2Plan, error) {
	plan := &MP2Plan{Precision: p, Sizes: spins, Block: block, Naux: bucket(naux)}
	for _, s := range spins {
		plan.Nvir = append(plan.Nvir, bucket(s.Nvir))
	}
	passes := []mp2Pass{{kind: closedShell}}
	if len(spins) == 2 {
		passes = []mp2Pass{{kind: sameSpin}, {kind: sameSpin, left: 1, right: 1}, {kind: oppositeSpin, right: 1}}
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

// pairs returns the number of pairs of occupied orbitals of a pass that have an energy.
func (p *MP2Plan) pairs(pass mp2Pass) int {
	l, r := p.Sizes[pass.left], p.Sizes[pass.right]
	switch {
	case l.Nvir == 0 || r.Nvir == 0:
		return 0
	case pass.kind == closedShell:
		return l.Nocc * (l.Nocc + 1) / 2
	case pass.kind == sameSpin:
		return l.Nocc * (l.Nocc - 1) / 2
	}
	return l.Nocc * r.Nocc
}

// blocks returns the number of blocks of a spin.
func (p *MP2Plan) blocks(spin int) int { return (p.Sizes[spin].Nocc + p.Block - 1) / p.Block }

// blockShapes returns the shapes of what comes to the device for a block: integrals, and differences of energies.
func (p *MP2Plan) blockShapes(spin int) [2]graph.Shape {
	t := p.Precision.dtype()
	return [2]graph.Shape{graph.Of(t, p.Block, p.Nvir[spin], p.Naux), graph.Of(t, 2, p.Block, p.Nvir[spin])}
}

func (p *MP2Plan) blockBytes(spin int) int64 {
	shapes := p.blockShapes(spin)
	return shapes[0].Bytes() + shapes[1].Bytes()
}

// least returns the bytes of the blocks of one run.
func (p *MP2Plan) least() int64 {
	var least int64
	for _, pass := range p.passes {
		bytes := p.blockBytes(pass.left)
		if !pass.kind.triangular() || p.blocks(pass.left) > 1 {
			bytes += p.blockBytes(pass.right)
		}
		least = max(least, bytes)
	}
	return least
}

// count sets what the plan costs.
func (p *MP2Plan) count(caps trnbackend.Caps) {
	p.Dispatches = len(p.steps)
	flops, result := make([]float64, len(p.passes)), make([]int64, len(p.passes)) // of a run
	for n, pass := range p.passes {
		g := p.Graphs[pass.graph]
		flops[n], result[n] = float64(g.Cost().Flops), g.ResultShapes()[0].Bytes()
	}
	seen := map[mp2Weights]bool{}
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
	p.Seconds = float64(p.Dispatches)*orUsual(caps.Dispatch, usualDispatch) + p.Flops/orUsual(caps.Flops, usualFlops) +
		float64(p.BytesIn+p.BytesOut)/orUsual(caps.Bytes, usualBytes)
}

// Blocks says in words into what blocks the orbitals are cut, and how large their arrays are.
func (p *MP2Plan) Blocks() string {
	return fmt.Sprintf("blocks of %d orbitals (nvir %v, naux %d)", p.Block, p.Nvir, p.Naux)
}

// String returns the plan in words.
func (p *MP2Plan) String() string {
	text := fmt.Sprintf("mp2 %s: graphs %d, dispatches %d, loads %d of %s, %s of them at once and %s beside, %s in, %s out, %.3g flops",
		p.Precision, len(p.Graphs), p.Dispatches, p.Loads, p.Blocks(), inBytes(p.Resident), inBytes(p.Work), inBytes(p.BytesIn), inBytes(p.BytesOut), p.Flops)
	if p.Timed {
		text += fmt.Sprintf(", %.2g seconds expected", p.Seconds)
	}
	return text
}

// inBytes returns a number of bytes with the prefix that fits it.
func inBytes(n int64) string {
	const kilo = 1000
	x, prefixes := float64(n), " kMGTPE"
	for x >= kilo {
		x, prefixes = x/kilo, prefixes[1:]
	}
	return fmt.Sprintf("%.3g %sB", x, strings.TrimSpace(prefixes[:1]))
}
