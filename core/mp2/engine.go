package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// engine runs the passes of one call. Each pass walks over blocks of occupied orbitals and over the pairs in them; the
// contribution of a pair is stored under its number and depends on nothing but the pair.
type engine[T dense.Float] struct {
	team        *sched.Team
	checkFinite bool
	packed      []T           // memory for the blocks of the pass that runs
	workers     []*scratch[T] // nil for those who have not begun
	kElements   int
	nvir        int                  // the most of any spin
	weights     []float64            // of auxiliary functions in the norms of the pass
	errors      productError         // of the products of the pass
	only        func(i, j int) bool  // pairs of the pass that are to be computed
	finished    func(i, j int) error // is told of pairs whose contribution is set
}

func newEngine[T dense.Float](opt Options, packedElements int, ops ...*operand[T]) *engine[T] {
	e := &engine[T]{
		team: opt.Team, checkFinite: !opt.SkipFiniteCheck, packed: make([]T, packedElements), workers: make([]*scratch[T], opt.Team.Threads()),
	}
	for _, op := range ops {
		e.nvir = max(e.nvir, op.nvir)
	}
	e.kElements = kElements[T](e.nvir)
	return e
}

// Bytes of the K of some pairs that are computed by one product, or of one if that is larger: they stay in the second-level cache.
const kBytes = 512 << 10

// kElements returns the elements of the K of one product.
func kElements[T dense.Float](nvir int) int { return max(nvir*nvir, kBytes/int(elementBytes[T]())) }

// worker returns the memory of a worker.
func (e *engine[T]) worker(n int) *scratch[T] {
	if e.workers[n] == nil {
		e.workers[n] = newScratch[T](e.kElements, e.nvir)
	}
	return e.workers[n]
}

// expectErrors sets what the errors of a pass depend on.
func (e *engine[T]) expectErrors(naux int, rounded bool) {
	e.weights = roundings[T](naux, rounded)
	e.errors = newProductError[T](e.weights)
}

type occupiedPair struct{ i, j int }

// pairRun is the pairs (i, j) with first <= i < end.
type pairRun struct{ first, end, j int }

// Runs of pairs for each thread at least, so that no thread waits for long in the end.
const runsPerThread = 16

// together returns how many orbitals i one product with an orbital j may take.
func (e *engine[T]) together(left, right *block[T]) int {
	if !left.op.stacked() {
		return 1
	}
	pairs := (left.end - left.first) * (right.end - right.first)
	return max(1, min(e.kElements/max(1, left.op.nvir*right.op.nvir), pairs/(runsPerThread*e.team.Threads())))
}

// triangular is the number of the pair i >= j.
func triangular(i, j int) int { return i*(i+1)/2 + j }

// sameSpinPass sets the contributions of the pairs i >= j of one spin, under their triangular numbers. A closed shell
// counts both spins: pairs weigh 2 if i > j, and pairs i = j have an opposite-spin part. For one spin of an open shell
// the pairs i > j have a same-spin part.
func (e *engine[T]) sameSpinPass(op *operand[T], s Spin, w widths, closedShell bool, out []contribution) error {
	if op.empty() {
		return nil
	}
	e.expectErrors(op.naux, op.rounded)
	first, rest := newBlock(op, s.Name, w.left, e.weights, e.packed)
	visit := func(p occupiedPair, k pair[T]) {
		switch {
		case !closedShell:
			k.sameWeight = 1
		case p.i == p.j:
			k.oppositeWeight = 1 // K is symmetric: no same-spin part
		default:
			k.oppositeWeight, k.sameWeight = 2, 2
		}
		out[triangular(p.i, p.j)] = k.contribution(k.couples(e.team))
	}
	for i0, i1 := range ranges(op.nocc, w.left) {
		if !e.needs(i0, i1, 0, i1) {
			continue
		}
		if err := first.fill(e.team, i0, i1, e.checkFinite); err != nil {
			return err
		}
		wanted := func(j0, j1 int) bool { return e.needs(i0, i1, j0, j1) }
		err := e.newStream(op, s.Name, w, i0, rest).each(wanted, func(second *block[T]) error {
			return e.forPairs(first, second, s, s, e.rectangle(first, second, e.together(first, second)), visit)
		})
		if err != nil {
			return err
		}
		if err := e.forPairs(first, first, s, s, e.triangle(first, closedShell, e.together(first, first)), visit); err != nil {
			return err
		}
	}
	return nil
}

// oppositeSpinPass sets the contributions of pairs of two spins, that of i of the left and j of the right spin under the
// number i nocc_right + j.
func (e *engine[T]) oppositeSpinPass(left, right *operand[T], l, r Spin, w widths, out []contribution) error {
	if left.empty() || right.empty() {
		return nil
	}
	e.expectErrors(left.naux, left.rounded || right.rounded)
	first, rest := newBlock(left, l.Name, w.left, e.weights, e.packed)
	visit := func(p occupiedPair, k pair[T]) {
		k.oppositeWeight = 1
		out[p.i*right.nocc+p.j] = k.contribution(k.squares(e.team))
	}
	for i0, i1 := range ranges(left.nocc, w.left) {
		if !e.needs(i0, i1, 0, right.nocc) {
			continue
		}
		if err := first.fill(e.team, i0, i1, e.checkFinite); err != nil {
			return err
		}
		wanted := func(j0, j1 int) bool { return e.needs(i0, i1, j0, j1) }
		err := e.newStream(right, r.Name, w, right.nocc, rest).each(wanted, func(second *block[T]) error {
			return e.forPairs(first, second, l, r, e.rectangle(first, second, e.together(first, second)), visit)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// needs reports whether a pair with i0 <= i < i1 and j0 <= j < j1 is to be computed.
func (e *engine[T]) needs(i0, i1, j0, j1 int) bool {
	for i := i0; i < i1; i++ {
		for j := j0; j < j1; j++ {
			if e.only(i, j) {
				return true
			}
		}
	}
	return false
}

// rectangle returns the pairs of the orbitals of two blocks in runs of at most the given length.
func (e *engine[T]) rectangle(left, right *block[T], most int) []pairRun {
	var runs []pairRun
	for j := right.first; j < right.end; j++ {
		runs = e.appendRuns(runs, left.first, left.end, j, most)
	}
	return runs
}

// triangle returns the pairs i > j of a block, and i = j if diagonal is set.
func (e *engine[T]) triangle(b *block[T], diagonal bool, most int) []pairRun {
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
func (e *engine[T]) appendRuns(runs []pairRun, first, end, j, most int) []pairRun {
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

// forPairs computes K = B_i B_j^T for each pair, by one product for each run, and hands it to visit, with weights 0.
func (e *engine[T]) forPairs(left, right *block[T], l, r Spin, runs []pairRun, visit func(occupiedPair, pair[T])) error {
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
		blas.Gemm(within, asRows, asColumns, 1, left.orbitals(run.first, run.end), right.orbitals(run.j, run.j+1), 0, all)
		for i := run.first; i < run.end; i++ {
			if err := e.team.Err(); err != nil {
				return err // K is unfinished
			}
			at := (i - run.first) * nvir
			visit(occupiedPair{i, run.j}, pair[T]{
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

// total adds up contributions in a fixed order.
func total(contributions []contribution) contribution {
	var opposite, same compensated
	bound := 0.0
	for _, c := range contributions {
		opposite.add(c.opposite)
		same.add(c.same)
		bound += c.bound
	}
	return contribution{opposite: opposite.value(), same: same.value(), bound: bound}
}

// symmetric spreads contributions of triangular pairs over a matrix whose entries sum to the same total.
func symmetric(contributions []contribution, nocc int, of func(contribution) float64) dense.Matrix[float64] {
	m := dense.New[float64](nocc, nocc)
	for i := range nocc {
		for j := range i {
			half := of(contributions[triangular(i, j)]) / 2
			m.Set(i, j, half)
			m.Set(j, i, half)
		}
		m.Set(i, i, of(contributions[triangular(i, i)]))
	}
	return m
}
