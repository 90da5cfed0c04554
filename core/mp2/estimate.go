package mp2

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// HostPlan is what Restricted or Unrestricted would do for some sources, which are not read for it.
type HostPlan struct {
	Precision string // of the products: "fp64" or "fp32"
	Threads   int
	Blocks    string // the blocks of orbitals of every pass, in words
	Memory    int64  // Workspace
	// BytesRead is what is read from files, functions, and arrays that have to be packed; 0 for arrays that are multiplied in place. What Tolerance
	// may add is not in it.
	BytesRead int64
	Flops     float64 // of the products: Flops, or UnrestrictedFlops
	Seconds   float64 // of the products, by a measurement of some hundredths of a second
}

// Plan returns the plan for one source, a closed shell, or two. Errors are those of Workspace.
func Plan(opt Options, sources ...Source) (HostPlan, error) {
	memory, err := Workspace(opt, sources...)
	if err != nil {
		return HostPlan{}, err
	}
	var p HostPlan
	if opt.single(sources...) {
		p, err = planOf[float32](opt, sources)
	} else {
		p, err = planOf[float64](opt, sources)
	}
	p.Memory, p.Threads = memory, opt.Team.Threads()
	return p, err
}

func planOf[T dense.Float](opt Options, sources []Source) (HostPlan, error) {
	ops := make([]*operand[T], len(sources))
	for n, src := range sources {
		ops[n] = operandOf[T](src)
	}
	blocks, err := planAll(ops, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return HostPlan{}, err
	}
	naux, err := CommonNaux(sources...)
	if err != nil {
		return HostPlan{}, err
	}
	p := HostPlan{Precision: map[bool]string{true: "fp32", false: "fp64"}[dense.IsSingle[T]()]}
	var words []string
	names := []string{"alpha: ", "beta: "}
	a, b := ops[0], ops[len(ops)-1]
	if len(ops) == 1 {
		names = []string{""}
		p.Flops = Flops(a.nocc, a.nvir, naux)
	} else {
		p.Flops = UnrestrictedFlops(a.nocc, a.nvir, b.nocc, b.nvir, naux)
	}
	for n, op := range ops {
		p.BytesRead += op.bytesOfPass(op, blocks.same[n], func(i0 int) int { return i0 })
		words = append(words, names[n]+describe(op, op, blocks.same[n]))
	}
	if len(ops) == 2 {
		p.BytesRead += a.bytesOfPass(b, blocks.opposite, func(int) int { return b.nocc })
		words = append(words, "alpha with beta: "+describe(a, b, blocks.opposite))
	}
	p.Blocks = strings.Join(words, "; ")
	if p.Flops > 0 {
		p.Seconds = p.Flops / productRate[T](opt, max(a.nvir, b.nvir), naux)
	}
	return p, nil
}

// ranges returns the ranges first <= i < end of a width, the last of which may be shorter, up to limit.
func ranges(limit, width int) iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		for first := 0; first < limit; first += width {
			if !yield(first, min(limit, first+width)) {
				return
			}
		}
	}
}

// bytesOfPass returns the bytes that a pass reads in which blocks of op stay, each while the orbitals of other before a limit stream past.
func (op *operand[T]) bytesOfPass(other *operand[T], w widths, limit func(i0 int) int) int64 {
	bytes := int64(0)
	if op.empty() || other.empty() {
		return 0
	}
	for i0, i1 := range ranges(op.nocc, w.left) {
		bytes += op.bytes(i0, i1)
		for j0, j1 := range ranges(limit(i0), w.right) {
			bytes += other.bytes(j0, j1)
		}
	}
	return bytes
}

// bytes returns what is read for a block.
func (op *operand[T]) bytes(first, end int) int64 {
	if op.inPlace != nil {
		return 0
	}
	return op.loader.bytes(first, end)
}

// describe says in words what blocks a pass has.
func describe[T dense.Float](left, right *operand[T], w widths) string {
	switch {
	case left.empty() || right.empty():
		return "nothing to do"
	case left.inPlace != nil && right.inPlace != nil:
		return "in place"
	case w.left >= left.nocc && (left == right || w.right >= right.nocc):
		return "all orbitals at once"
	}
	blocks := (left.nocc + w.left - 1) / w.left
	return fmt.Sprintf("%d blocks of at most %d orbitals stay, %d of %d stream past each", blocks, w.left, w.buffers, w.right)
}

// What the rate of products is measured with: matrices of at most this size, for this long.
const (
	measuredSize = 384
	measuredTime = 30 * time.Millisecond
)

// productRate measures the operations per second of products of nvir x naux matrices on the team.
func productRate[T dense.Float](opt Options, nvir, naux int) float64 {
	m, n := min(nvir, measuredSize), min(naux, measuredSize)
	b, k := dense.New[T](m, n), dense.New[T](m, m)
	multiply := func() { blas.Gemm(opt.Team, blas.NoTrans, blas.Trans, 1, b, b, 0, k) }
	multiply() // starts the threads and touches the memory
	begin, done := time.Now(), 0
	for time.Since(begin) < measuredTime {
		multiply()
		done++
	}
	return float64(done) * 2 * float64(m) * float64(m) * float64(n) / time.Since(begin).Seconds()
}
