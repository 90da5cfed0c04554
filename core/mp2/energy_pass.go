package mp2

import (
	"fmt"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/mp2/internal/checkpoint"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// compute returns the contributions of one spin, a closed shell, or of alpha and beta, and how many were computed again
// for the tolerance.
func compute(opt EnergyOptions, spins ...Spin) (c *contributions, recomputed int, err error) {
	c = newContributions(spins)
	kept, err := openCheckpoint(opt, spins, c)
	if err != nil {
		return nil, 0, err
	}
	recomputed, err = computePasses(opt, spins, c, kept)
	return c, recomputed, kept.Close(err)
}

// computePasses sets all contributions, first those that the checkpoint has. It returns how many were computed again
// for the tolerance.
func computePasses(
	opt EnergyOptions, spins []Spin, c *contributions, kept *checkpoint.File,
) (recomputed int, err error) {
	rounded := false
	for _, s := range spins {
		rounded = rounded || !IsSingle(s.Source)
	}
	if !opt.single(sourcesOf(spins)...) {
		return 0, computePass[float64](opt, spins, c, nil, kept, passAll)
	}
	if opt.Tolerance == 0 || !rounded {
		return 0, computePass[float32](opt, spins, c, nil, kept, passAll)
	}
	left, err := c.takeKept(kept, passAll, nil)
	if err != nil {
		return 0, err
	}
	pairs := c.count(left)
	first, again := 9*pairs, pairs // most pairs are good enough
	team := opt.Team.Plan(first + again)
	opt.Team = team.Phase(first)
	if err := computePass[float32](opt, spins, c, nil, kept, passAll); err != nil {
		return 0, err
	}
	opt.Team.End()
	chosen, count := choose(c, opt.Tolerance)
	if count == 0 {
		team.Step(again)
		return 0, nil
	}
	opt.Team = team.Phase(again)
	return count, computePass[float64](opt, spins, c, chosen, kept, passAgain)
}

// computePass sets the selected contributions, with products in T, except for those of this pass that the checkpoint
// has.
func computePass[T dense.Float](
	opt EnergyOptions, spins []Spin, c *contributions, only *selection, kept *checkpoint.File, pass int,
) error {
	ops := make([]*operand[T], len(spins))
	for n, s := range spins {
		ops[n] = newOperand[T](s.Source, s.Name)
		if kept != nil {
			ops[n].watch = func(i int, sum uint32) error {
				return kept.AddSum(orbitalList(pass, n), i, sum, func() string {
					return fmt.Sprintf("B of occupied orbital %d%s", i, ofSpin(s.Name))
				})
			}
		}
	}
	blocks, err := newPlan(ops, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return err
	}
	only, err = c.takeKept(kept, pass, only)
	if err != nil {
		return err
	}
	opt.Team = opt.Team.Plan(pairCount(ops, only))
	e := newEnergyPass(opt.Options, ops, blocks)
	scratch.Allocate(e.layout)
	for n := range ops {
		e.only = func(i, j int) bool { return j <= i && only.has(n, triangular(i, j)) }
		e.finished = func(i, j int) error {
			number := triangular(i, j)
			return c.same[n][number].keep(kept, pass, n, number)
		}
		if err := e.sameSpin(e.same[n], spins[n], len(spins) == 1, c.same[n]); err != nil {
			return err
		}
	}
	if len(spins) == 1 {
		return nil
	}
	number := func(i, j int) int { return i*ops[1].nocc + j }
	e.only = func(i, j int) bool { return only.has(mixedPart, number(i, j)) }
	e.finished = func(i, j int) error { return c.opposite[number(i, j)].keep(kept, pass, mixedPart, number(i, j)) }
	return e.oppositeSpin(spins[0], spins[1], c.opposite)
}

// pairCount returns the number of pairs that are to be computed.
func pairCount[T dense.Float](ops []*operand[T], only *selection) int {
	count := 0
	add := func(part, number int) {
		if only.has(part, number) {
			count++
		}
	}
	for n, op := range ops {
		for i := 0; i < op.nocc && !op.empty(); i++ {
			for j := 0; j < i; j++ {
				add(n, triangular(i, j))
			}
			if len(ops) == 1 {
				add(n, triangular(i, i))
			}
		}
	}
	if len(ops) == 2 && !ops[0].empty() && !ops[1].empty() {
		for n := range ops[0].nocc * ops[1].nocc {
			add(mixedPart, n)
		}
	}
	return count
}

// energyPass computes the contributions of pairs in one precision. The contribution of a pair depends on nothing but
// the pair.
type energyPass[T dense.Float] struct {
	team        *sched.Team
	checkFinite bool
	same        [2]*blockPairs[T]  // the pairs within each spin, nil without orbitals
	opposite    *blockPairs[T]     // the pairs of two spins, nil if one has no orbitals
	workers     []*workerMemory[T] // nil for workers that have not begun
	kElements   int
	nvir        int                  // the most of any spin
	errors      productError         // of the products
	only        func(i, j int) bool  // selects the pairs that are to be computed
	finished    func(i, j int) error // is told of pairs whose contribution is set
}

// newEnergyPass returns a pass over one or two spins whose walks have no memory yet.
func newEnergyPass[T dense.Float](opt Options, ops []*operand[T], p plan) *energyPass[T] {
	e := &energyPass[T]{
		team: opt.Team, checkFinite: !opt.SkipFiniteCheck, workers: make([]*workerMemory[T], opt.Team.Threads()),
	}
	for n, op := range ops {
		e.nvir = max(e.nvir, op.nvir)
		e.same[n] = e.walk(op, op, p.same[n], true)
	}
	if len(ops) == 2 {
		e.opposite = e.walk(ops[0], ops[1], p.opposite, false)
	}
	e.kElements = kElements[T](e.nvir)
	return e
}

// layout takes the memory of the walks, of which one is under way at a time.
func (e *energyPass[T]) layout(a *scratch.Arena) {
	var layouts []func(a *scratch.Arena)
	for _, w := range []*blockPairs[T]{e.same[0], e.same[1], e.opposite} {
		if w != nil {
			layouts = append(layouts, w.layout)
		}
	}
	a.Either(layouts...)
}

// workerLayout takes the memory of a worker.
func (e *energyPass[T]) workerLayout(w *workerMemory[T]) func(a *scratch.Arena) {
	return func(a *scratch.Arena) { w.layout(a, e.kElements, e.nvir) }
}

// Bytes of the K of the pairs that one product computes, unless a single K is larger: they stay in the second-level
// cache.
const kBytes = 512 << 10

// kElements returns the elements of the K of one product.
func kElements[T dense.Float](nvir int) int { return max(nvir*nvir, kBytes/dense.Bytes[T]()) }

// worker returns the memory of a worker.
func (e *energyPass[T]) worker(n int) *workerMemory[T] {
	if e.workers[n] == nil {
		w := &workerMemory[T]{set: kernel.Best()}
		scratch.Allocate(e.workerLayout(w))
		e.workers[n] = w
	}
	return e.workers[n]
}

// sameSpin sets the contributions of the pairs i >= j of one spin, under their triangular numbers. A closed shell
// counts both spins: pairs weigh 2 if i > j, and pairs i = j have an opposite-spin part. For one spin of an open shell
// the pairs i > j have a same-spin part.
func (e *energyPass[T]) sameSpin(w *blockPairs[T], s Spin, closedShell bool, out []contribution) error {
	if w == nil {
		return nil
	}
	store := func(p occupiedPair, k pair[T]) {
		switch {
		case !closedShell:
			k.sameWeight = 1
		case p.i == p.j:
			k.oppositeWeight = 1 // K is symmetric: no same-spin part
		default:
			k.oppositeWeight, k.sameWeight = 2, 2
		}
		out[triangular(p.i, p.j)] = k.contribution(k.bothSpins(e.team))
	}
	e.errors = newProductError[T](w.weights)
	return w.each(visitor[T]{needs: e.needs, visit: func(left, right *block[T]) error {
		most := e.together(left, right)
		if left == right {
			return e.forPairs(left, left, s, s, e.triangle(left, closedShell, most), store)
		}
		return e.forPairs(left, right, s, s, e.rectangle(left, right, most), store)
	}})
}

// oppositeSpin sets the contributions of pairs of two spins, that of i of the left and j of the right spin under the
// number i nocc_right + j.
func (e *energyPass[T]) oppositeSpin(l, r Spin, out []contribution) error {
	w := e.opposite
	if w == nil {
		return nil
	}
	store := func(p occupiedPair, k pair[T]) {
		k.oppositeWeight = 1
		out[p.i*w.right.nocc+p.j] = k.contribution(k.oppositeSpin(e.team))
	}
	e.errors = newProductError[T](w.weights)
	return w.each(visitor[T]{needs: e.needs, visit: func(a, b *block[T]) error {
		return e.forPairs(a, b, l, r, e.rectangle(a, b, e.together(a, b)), store)
	}})
}

// walk returns the walk over the blocks of one or two spins, nil if there are no pairs.
func (e *energyPass[T]) walk(left, right *operand[T], w widths, oneSpin bool) *blockPairs[T] {
	if left.empty() || right.empty() {
		return nil
	}
	return &blockPairs[T]{
		team: e.team, checkFinite: e.checkFinite, left: left, right: right, widths: w, oneSpin: oneSpin,
		weights: roundings[T](left.naux, left.rounded || right.rounded),
	}
}

// needs reports whether a pair with i0 <= i < i1 and j0 <= j < j1 is to be computed.
func (e *energyPass[T]) needs(i0, i1, j0, j1 int) bool {
	for i := i0; i < i1; i++ {
		for j := j0; j < j1; j++ {
			if e.only(i, j) {
				return true
			}
		}
	}
	return false
}

type occupiedPair struct{ i, j int }

// pairRun is the pairs (i, j) with first <= i < end.
type pairRun struct{ first, end, j int }

// The least runs of pairs for each thread, so that no thread waits for long at the end.
const runsPerThread = 16

// together returns how many orbitals i one product with an orbital j may take.
func (e *energyPass[T]) together(left, right *block[T]) int {
	if !left.op.stacked() {
		return 1
	}
	pairs := (left.end - left.first) * (right.end - right.first)
	return max(1, min(e.kElements/max(1, left.op.nvir*right.op.nvir), pairs/(runsPerThread*e.team.Threads())))
}

// rectangle returns the pairs of the orbitals of two blocks in runs of at most the given length.
func (e *energyPass[T]) rectangle(left, right *block[T], most int) []pairRun {
	var runs []pairRun
	for j := right.first; j < right.end; j++ {
		runs = e.appendRuns(runs, left.first, left.end, j, most)
	}
	return runs
}

// triangle returns the pairs i > j of a block, and i = j if diagonal is set.
func (e *energyPass[T]) triangle(b *block[T], diagonal bool, most int) []pairRun {
	var runs []pairRun
	for j := b.first; j < b.end; j++ {
		first := j + 1
		if diagonal {
			first = j
		}
		runs = e.appendRuns(runs, first, b.end, j, most)
	}
	return runs
}

// appendRuns appends the pairs (i, j) with first <= i < end that are to be computed.
func (e *energyPass[T]) appendRuns(runs []pairRun, first, end, j, most int) []pairRun {
	open := false // the last run ends before i
	for i := first; i < end; i++ {
		switch {
		case !e.only(i, j):
			open = false
		case open && i-runs[len(runs)-1].first < most:
			runs[len(runs)-1].end = i + 1
		default:
			runs, open = append(runs, pairRun{i, i + 1, j}), true
		}
	}
	return runs
}

// forPairs computes K = B_i B_j^T for each pair, by one product for each run, and hands it to store, with weights 0.
func (e *energyPass[T]) forPairs(
	left, right *block[T], l, r Spin, runs []pairRun, store func(occupiedPair, pair[T]),
) error {
	across, within := e.team, e.team.Serial()
	if len(runs) < e.team.Threads() {
		across, within = within, across // too few runs for the threads: they share each product
	}
	asRows, _ := left.op.trans()
	_, asColumns := right.op.trans()
	return across.For(len(runs), func(worker, n int) error {
		run, memory := runs[n], e.worker(worker)
		nvir, cols := left.op.nvir, right.op.nvir
		all := dense.Matrix[T]{Rows: (run.end - run.first) * nvir, Cols: cols, Stride: cols, Data: memory.k}
		first, second := left.orbitals(run.first, run.end), right.orbitals(run.j, run.j+1)
		blas.Gemm(within, asRows, asColumns, 1, first, second, 0, all)
		for i := run.first; i < run.end; i++ {
			if err := e.team.Err(); err != nil {
				return err // K is unfinished
			}
			at := (i - run.first) * nvir
			store(occupiedPair{i, run.j}, pair[T]{
				k: all.Slice(at, at+nvir, 0, cols), ei: l.Occ[i], ej: r.Occ[run.j], ea: l.Vir, eb: r.Vir,
				normsI: left.rowNorms(i), normsJ: right.rowNorms(run.j), errors: e.errors, scratch: memory,
			})
			if err := e.team.Err(); err != nil {
				return err // the sums may be unfinished
			}
			if err := e.finished(i, run.j); err != nil {
				return err
			}
			e.team.Step(1)
		}
		return e.team.Err()
	})
}
