package mp2

import (
	"fmt"
	"math"
	"strings"
	"time"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/mp2/internal/checkpoint"
)

// Flops estimates the floating-point operations of Restricted: nocc (nocc+1)/2 products of 2 nvir^2 naux each.
func Flops(nocc, nvir, naux int) float64 {
	o, v, n := float64(nocc), float64(nvir), float64(naux)
	return o * (o + 1) * v * v * n
}

// UnrestrictedFlops estimates the floating-point operations of Unrestricted.
func UnrestrictedFlops(noccA, nvirA, noccB, nvirB, naux int) float64 {
	oa, va, ob, vb := float64(noccA), float64(nvirA), float64(noccB), float64(nvirB)
	return (oa*(oa-1)*va*va + ob*(ob-1)*vb*vb + 2*oa*ob*va*vb) * float64(naux)
}

// Workspace returns an upper bound on the bytes that a call allocates: Restricted with one source, Unrestricted with
// two. It does not depend on the values of the integrals.
func Workspace(opt EnergyOptions, sources ...Source) (int64, error) {
	if err := opt.check(sources...); err != nil {
		return 0, err
	}
	if !opt.single(sources...) {
		return workspace[float64](opt, sources)
	}
	bytes, err := workspace[float32](opt, sources)
	if err == nil && opt.Tolerance > 0 {
		again, failed := workspace[float64](opt, sources)
		bytes, err = max(bytes, again), failed
	}
	return bytes, err
}

const (
	// Bytes of a contribution.
	contributionBytes = 24
	// Bytes for each pair of occupied orbitals: a run, contribution, pair energies, and its place in the order of
	// bounds.
	pairBytes = 24 + contributionBytes + 32 + 16 + 1
	// Bytes of a checkpoint: buffers, and for each pair a record in a list that grows by doubling and its place in the
	// selection.
	checkpointBytes     = 1 << 16
	checkpointPairBytes = 4*checkpoint.RecordBytes + 2
	// Bytes that every call takes: goroutines, headers, errors, and for each orbital of a block a flag and a checksum.
	fixedBytes = 1 << 16
)

func workspace[T dense.Float](opt EnergyOptions, sources []Source) (int64, error) {
	ops := make([]*operand[T], len(sources))
	orbitals, bytes := 0, int64(fixedBytes)
	for n, src := range sources {
		op := newOperand[T](src, "")
		ops[n] = op
		orbitals += op.nocc
		bytes += op.readerWorkspace()
	}
	blocks, err := newPlan(ops, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return 0, err
	}
	e := newEnergyPass(opt.Options, ops, blocks)
	bytes += bytesOf(e.layout)
	bytes += int64(opt.Team.Threads()) * (bytesOf(e.workerLayout(&workerMemory[T]{})) + blas.GemmWorkspace[T](math.MaxInt))
	if opt.Checkpoint != "" {
		bytes += checkpointBytes + int64(orbitals)*int64(orbitals+1)*checkpointPairBytes
	}
	return bytes + int64(orbitals)*int64(orbitals+1)*pairBytes, nil
}

// readerWorkspace returns the bytes that reading the orbitals takes besides their blocks.
func (op *operand[T]) readerWorkspace() int64 {
	if op.reader == nil {
		return 0
	}
	return op.reader.Workspace()
}

// HostPlan is what Restricted or Unrestricted would do for some sources, which are not read.
type HostPlan struct {
	Precision string // of the products: "fp64" or "fp32"
	Threads   int
	Blocks    string // the blocks of orbitals of every walk, in words
	Memory    int64  // Workspace
	// BytesRead are the bytes read from files, functions, and arrays that have to be packed; 0 for arrays that are
	// multiplied in place. What Tolerance may add is not included.
	BytesRead int64
	Flops     float64 // of the products: Flops, or UnrestrictedFlops
	Seconds   float64 // of the products, by a measurement of a few hundredths of a second
}

// Plan returns the plan for one source, a closed shell, or two. Errors are those of Workspace.
func Plan(opt EnergyOptions, sources ...Source) (HostPlan, error) {
	memory, err := Workspace(opt, sources...)
	if err != nil {
		return HostPlan{}, err
	}
	var p HostPlan
	if opt.single(sources...) {
		p, err = planOf[float32](opt.Options, sources)
	} else {
		p, err = planOf[float64](opt.Options, sources)
	}
	p.Memory, p.Threads = memory, opt.Team.Threads()
	return p, err
}

func planOf[T dense.Float](opt Options, sources []Source) (HostPlan, error) {
	ops := make([]*operand[T], len(sources))
	for n, src := range sources {
		ops[n] = newOperand[T](src, "")
	}
	blocks, err := newPlan(ops, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return HostPlan{}, err
	}
	naux, err := CommonNaux(sources...)
	if err != nil {
		return HostPlan{}, err
	}
	p := HostPlan{Precision: map[bool]string{true: "fp32", false: "fp64"}[dense.IsSingle[T]()]}
	var words []string
	add := func(name string, w *blockPairs[T]) {
		p.BytesRead += w.bytesRead()
		words = append(words, name+w.describe())
	}
	names := []string{"alpha: ", "beta: "}
	a, b := ops[0], ops[len(ops)-1]
	if len(ops) == 1 {
		names = []string{""}
		p.Flops = Flops(a.nocc, a.nvir, naux)
	} else {
		p.Flops = UnrestrictedFlops(a.nocc, a.nvir, b.nocc, b.nvir, naux)
	}
	for n, op := range ops {
		add(names[n], &blockPairs[T]{left: op, right: op, widths: blocks.same[n], oneSpin: true})
	}
	if len(ops) == 2 {
		add("alpha with beta: ", &blockPairs[T]{left: a, right: b, widths: blocks.opposite})
	}
	p.Blocks = strings.Join(words, "; ")
	if p.Flops > 0 {
		p.Seconds = p.Flops / productRate[T](opt, max(a.nvir, b.nvir), naux)
	}
	return p, nil
}

// describe says in words what blocks a walk has.
func (w *blockPairs[T]) describe() string {
	switch {
	case w.left.empty() || w.right.empty():
		return "nothing to do"
	case w.left.inPlace != nil && w.right.inPlace != nil:
		return "in place"
	case w.widths.left >= w.left.nocc && (w.oneSpin || w.widths.right >= w.right.nocc):
		return "all orbitals at once"
	}
	blocks := (w.left.nocc + w.widths.left - 1) / w.widths.left
	return fmt.Sprintf("%d blocks of at most %d orbitals stay, %d of %d stream past each",
		blocks, w.widths.left, w.widths.buffers, w.widths.right)
}

// The rate of products is measured with matrices of at most this order, for this long.
const (
	measuredOrder = 384
	measuredTime  = 30 * time.Millisecond
)

// productRate measures the operations per second of products of nvir x naux matrices on the team.
func productRate[T dense.Float](opt Options, nvir, naux int) float64 {
	m, n := min(nvir, measuredOrder), min(naux, measuredOrder)
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
