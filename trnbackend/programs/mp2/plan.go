package mp2

import (
	"fmt"
	"strings"

	"trnsci/core/precision"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
)

// SpinSize holds the numbers of occupied and virtual orbitals of one spin.
type SpinSize struct{ Nocc, Nvir int }

// Plan is how the energies are computed: the occupied orbitals of each spin are cut into blocks of one size, which are
// loaded when they are needed and stay on the device as long as there is room. A graph runs for each pair of blocks.
// Padding is zero.
type Plan struct {
	Precision         precision.Precision
	Sizes             []SpinSize // as asked for, one for a closed shell
	BlockSize         int        // occupied orbitals of a block
	Nvir              []int      // of each spin, padded
	Naux              int        // padded
	Graphs            []*graph.Graph
	Dispatches, Loads int   // runs of graphs; loads of blocks, some of them repeated where not all blocks fit
	BytesIn, BytesOut int64 // to and from the device
	Flops             float64
	Resident          int64   // bytes of blocks on the device at once, at most
	Work              int64   // bytes that a graph takes in addition, if its operations are not fused
	Seconds           float64 // estimate from the figures of the device, or from those of a typical accelerator
	Timed             bool    // whether the device gives figures

	passes []spinPass
	steps  []planStep
}

// spinPass stands for all pairs of orbitals of two spins, or of one spin with itself.
type spinPass struct {
	kind        pairKind
	left, right int // spins
	graph       int // of the plan
}

// pairs returns the number of pairs of occupied orbitals of a pass whose energy is not zero by definition.
func (p *Plan) pairs(pass spinPass) int {
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
func (p *Plan) blocks(spin int) int { return (p.Sizes[spin].Nocc + p.BlockSize - 1) / p.BlockSize }

// blockShapes returns the shapes of a block's arrays: integrals, and differences of energies.
func (p *Plan) blockShapes(spin int) [2]graph.Shape {
	t := product.DType(p.Precision)
	return [2]graph.Shape{graph.Of(t, p.BlockSize, p.Nvir[spin], p.Naux), graph.Of(t, 2, p.BlockSize, p.Nvir[spin])}
}

func (p *Plan) blockBytes(spin int) int64 {
	shapes := p.blockShapes(spin)
	return shapes[0].Bytes() + shapes[1].Bytes()
}

// leastBytes returns the most bytes that the blocks of one run take.
func (p *Plan) leastBytes() int64 {
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

// Blocks describes the blocks and the padded sizes of their arrays.
func (p *Plan) Blocks() string {
	return fmt.Sprintf("blocks of %d orbitals (nvir %v, naux %d)", p.BlockSize, p.Nvir, p.Naux)
}

// String returns the plan in words.
func (p *Plan) String() string {
	text := fmt.Sprintf("mp2 %s: graphs %d, dispatches %d, loads %d of %s, %s of them at once and %s beside, "+
		"%s in, %s out, %.3g flops", p.Precision, len(p.Graphs), p.Dispatches, p.Loads, p.Blocks(),
		inBytes(p.Resident), inBytes(p.Work), inBytes(p.BytesIn),
		inBytes(p.BytesOut), p.Flops)
	if p.Timed {
		text += fmt.Sprintf(", %.2g seconds expected", p.Seconds)
	}
	return text
}

// inBytes returns a number of bytes with three digits and a decimal prefix.
func inBytes(n int64) string {
	const kilo = 1000
	x, prefixes := float64(n), " kMGTPE"
	for x >= kilo {
		x, prefixes = x/kilo, prefixes[1:]
	}
	return fmt.Sprintf("%.3g %sB", x, strings.TrimSpace(prefixes[:1]))
}

// orbitalBlock names a block of occupied orbitals of a spin.
type orbitalBlock struct{ spin, index int }

// planStep is one run of a graph: the blocks that are freed and loaded before it, and the two blocks whose pairs are
// computed.
type planStep struct {
	pass        int // of the plan
	left, right orbitalBlock
	free, load  []orbitalBlock
}

// weightsKey names an array of weights.
type weightsKey struct {
	kind     pairKind
	diagonal bool
}

func (s *planStep) weights(pass spinPass) weightsKey {
	return weightsKey{pass.kind, pass.kind.triangular() && s.left == s.right}
}

// blocks returns the one or two different blocks of the step.
func (s *planStep) blocks() []orbitalBlock {
	if s.left == s.right {
		return []orbitalBlock{s.left}
	}
	return []orbitalBlock{s.left, s.right}
}
