package mp2

import (
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// engine runs the passes of one call. Each pass walks over blocks of occupied orbitals and over the pairs in them; the
// contribution of a pair is stored under its number and depends on nothing but the pair.
type engine[T dense.Float] struct {
	team        *sched.Team
	checkFinite bool
	packed      []T   // memory for the blocks of the pass that runs
	kernels     [][]T // for each worker, memory for K
	kernelSize  int
}

func newEngine[T dense.Float](opt Options, packedElements, kernelSize int) *engine[T] {
	return &engine[T]{
		team:        opt.Team,
		checkFinite: !opt.SkipFiniteCheck,
		packed:      make([]T, packedElements),
		kernels:     make([][]T, opt.Team.Threads()),
		kernelSize:  kernelSize,
	}
}

// kernel returns worker's memory as a rows x cols matrix.
func (e *engine[T]) kernel(worker, rows, cols int) dense.Matrix[T] {
	if e.kernels[worker] == nil {
		e.kernels[worker] = make([]T, e.kernelSize)
	}
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: e.kernels[worker][:rows*cols]}
}

type occupiedPair struct{ i, j int }

// triangular is the number of the pair i >= j.
func triangular(i, j int) int { return i*(i+1)/2 + j }

// sameSpinPass returns the contributions of the pairs i >= j of one spin under their triangular numbers. A closed shell
// counts both spins: pairs weigh 2 if i > j, and pairs i = j have an opposite-spin part. For one spin of an open shell
// the pairs i > j have a same-spin part.
func (e *engine[T]) sameSpinPass(op *operand[T], s Spin, w widths, closedShell bool) ([]contribution, error) {
	out := make([]contribution, triangular(op.nocc, 0))
	if op.empty() {
		return out, nil
	}
	first, rest := newBlock(op, s.Name, w.left, e.packed)
	second, _ := newBlock(op, s.Name, w.right, rest)
	visit := func(p occupiedPair, k pair[T]) {
		switch {
		case !closedShell:
			k.sameWeight = 1
		case p.i == p.j:
			k.oppositeWeight = 1 // K is symmetric: no same-spin part
		default:
			k.oppositeWeight, k.sameWeight = 2, 2
		}
		out[triangular(p.i, p.j)] = k.contribution(k.couples(e.team), s.largestVir(), s.largestVir())
	}
	for i0 := 0; i0 < op.nocc; i0 += w.left {
		if err := first.fill(e.team, i0, min(op.nocc, i0+w.left), e.checkFinite); err != nil {
			return nil, err
		}
		for j0 := 0; j0 < i0; j0 += w.left {
			if err := second.fill(e.team, j0, j0+w.left, e.checkFinite); err != nil {
				return nil, err
			}
			if err := e.forPairs(first, second, s, s, rectangle(first, second), visit); err != nil {
				return nil, err
			}
		}
		if err := e.forPairs(first, first, s, s, triangle(first, closedShell), visit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// oppositeSpinPass returns the contributions of all pairs, that of i of the left and j of the right spin under the
// number i nocc_right + j.
func (e *engine[T]) oppositeSpinPass(left, right *operand[T], l, r Spin, w widths) ([]contribution, error) {
	out := make([]contribution, left.nocc*right.nocc)
	if left.empty() || right.empty() {
		return out, nil
	}
	first, rest := newBlock(left, l.Name, w.left, e.packed)
	second, _ := newBlock(right, r.Name, w.right, rest)
	visit := func(p occupiedPair, k pair[T]) {
		out[p.i*right.nocc+p.j] = k.contribution(k.squares(e.team), l.largestVir(), r.largestVir())
	}
	for i0 := 0; i0 < left.nocc; i0 += w.left {
		if err := first.fill(e.team, i0, min(left.nocc, i0+w.left), e.checkFinite); err != nil {
			return nil, err
		}
		for j0 := 0; j0 < right.nocc; j0 += w.right {
			if err := second.fill(e.team, j0, min(right.nocc, j0+w.right), e.checkFinite); err != nil {
				return nil, err
			}
			if err := e.forPairs(first, second, l, r, rectangle(first, second), visit); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func rectangle[T dense.Float](left, right *block[T]) []occupiedPair {
	pairs := make([]occupiedPair, 0, (left.end-left.first)*(right.end-right.first))
	for i := left.first; i < left.end; i++ {
		for j := right.first; j < right.end; j++ {
			pairs = append(pairs, occupiedPair{i, j})
		}
	}
	return pairs
}

// triangle returns the pairs i > j of a block, and i = j if diagonal is set.
func triangle[T dense.Float](b *block[T], diagonal bool) []occupiedPair {
	pairs := make([]occupiedPair, 0, triangular(b.end-b.first, 0))
	for i := b.first; i < b.end; i++ {
		for j := b.first; j < i; j++ {
			pairs = append(pairs, occupiedPair{i, j})
		}
		if diagonal {
			pairs = append(pairs, occupiedPair{i, i})
		}
	}
	return pairs
}

// forPairs computes K = B_i B_j^T for each pair and hands it to visit, with weights 0.
func (e *engine[T]) forPairs(left, right *block[T], l, r Spin, pairs []occupiedPair, visit func(occupiedPair, pair[T])) error {
	across, within := e.team, e.team.Serial()
	if len(pairs) < e.team.Threads() {
		across, within = within, across // too few pairs for the threads: they share each product
	}
	asRows, _ := left.op.trans()
	_, asColumns := right.op.trans()
	errors := newProductError[T](left.op.naux, left.op.rounded || right.op.rounded)
	return across.For(len(pairs), func(worker, n int) error {
		p := pairs[n]
		k := e.kernel(worker, left.op.nvir, right.op.nvir)
		blas.Gemm(within, asRows, asColumns, 1, left.orbital(p.i), right.orbital(p.j), 0, k)
		if err := e.team.Err(); err != nil {
			return err // K is unfinished
		}
		visit(p, pair[T]{
			k: k, ei: l.Occ[p.i], ej: r.Occ[p.j], ea: l.Vir, eb: r.Vir,
			normsI: left.rowNorms(p.i), normsJ: right.rowNorms(p.j), errors: errors,
		})
		if err := e.team.Err(); err != nil {
			return err // the sums are unfinished
		}
		e.team.Step(1)
		return nil
	})
}

// total adds up contributions in a fixed order.
func total(contributions []contribution) contribution {
	part := make([]float64, len(contributions))
	sum := func(of func(contribution) float64) float64 {
		for n, c := range contributions {
			part[n] = of(c)
		}
		return pairwiseSum(part)
	}
	return contribution{
		opposite: sum(func(c contribution) float64 { return c.opposite }),
		same:     sum(func(c contribution) float64 { return c.same }),
		bound:    sum(func(c contribution) float64 { return c.bound }),
	}
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

func largest(x []float64) float64 { return max(slices.Max(x), -slices.Min(x)) }
