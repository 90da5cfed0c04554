package mp2

import (
	"cmp"
	"fmt"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/scratch"
)

// KPointEnergy returns the MP2 correlation energy of a closed shell for each cell of a crystal. With
//
//	K^{ij}_{ab} = (ia|jb) = 1/nk sum_P B[ki][ka]_iaP B[kj][kb]_jbP
//
// for i, j, a at the k-points ki, kj, ka and b at kb = Conserve[ki,ka,kj], without a conjugate, and
// D = e_i + e_j - e_a - e_b,
//
//	E_os = 1/nk sum |K^{ij}_{ab}|^2 / D,   E_ss = 1/nk sum conj(K^{ij}_{ab}) (K^{ij}_{ab} - K^{ij}_{ba}) / D
//
// over ki, kj, ka and all orbitals, with K^{ij}_{ba} from B[ki][kb] and B[kj][ka]. This is PySCF's KMP2. Products are
// in the dtype of B, sums in float64. Results have the same bits for every number of threads and every MaxBytes.
//
// Errors: *dense.ArgumentError for sizes and dtypes that do not fit, real integrals, a Conserve that does not conserve
// momentum, too little memory, infinities and NaNs; *DenominatorError, whose spins name the k-points; those of reading;
// the team's.
//
// Cost: 4 nk^3 nocc^2 nvir^2 naux real floating-point operations. B[ki] of as many ki as MaxBytes holds, less one, stay
// while the others are read once for each of these blocks; progress counts parts of pairs of k-points.
func KPointEnergy(k KPoints, opt Options) (Result, error) {
	if err := k.check(opt); err != nil {
		return Result{}, err
	}
	if err := k.checkDenominators(opt); err != nil {
		return Result{}, err
	}
	if IsSingle(k.B[0][0]) {
		return kPointEnergy[complex64](k, opt)
	}
	return kPointEnergy[complex128](k, opt)
}

func kPointEnergy[T dense.Complex](k KPoints, opt Options) (Result, error) {
	r, err := newKRun[T](k, opt)
	if err != nil || r == nil {
		return Result{}, err
	}
	if err := r.run(); err != nil {
		return Result{}, err
	}
	sum := total(r.contributions)
	nk := float64(k.count())
	scale := nk * nk * nk // of the two K and of the cells
	return Result{
		OppositeSpin: sum.opposite / scale, SameSpin: sum.same / scale,
		AlphaAlpha: sum.same / scale / 2, BetaBeta: sum.same / scale / 2,
		ErrorBound: certain(sum.bound / scale),
	}, nil
}

// kRun is the state of a call of KPointEnergy. A group of k-points takes four blocks, all orbitals of a pair of
// k-points each: it walks over the groups in batches whose blocks fit the memory together.
type kRun[T dense.Complex] struct {
	k                KPoints
	opt              Options
	nocc, nvir, naux int
	ops              []*operand[T] // of the pair ki, ka under ki nk + ka, like all lists of pairs
	blocks           []*block[T]   // all orbitals of a pair, nil for those that are not held
	free             []*block[T]   // blocks that are not in use
	slots            int           // how many blocks the memory holds
	width            int           // orbitals i of an item
	groups           []kGroup
	first            []int // the number of the first item of each group, and at the end that of all items
	contributions    []contribution
	workers          []kWorker[T]
	errors           productError
}

// kWorker is the memory of a worker: K^{ij}_{ab} of some i, and K^{ij}_{ba}.
type kWorker[T dense.Complex] struct{ direct, exchange []T }

// kItem is the pairs of orbitals first <= i < end, j in a group.
type kItem struct {
	kGroup
	first, end, j int
	number        int // the place of its contribution
}

// newKRun returns nil if there are no orbitals or auxiliary functions.
func newKRun[T dense.Complex](k KPoints, opt Options) (*kRun[T], error) {
	all := k.all(k.B[0][0])
	if all.empty() {
		return nil, nil
	}
	r := &kRun[T]{k: k, opt: opt, groups: k.groups(), workers: make([]kWorker[T], opt.Team.Threads())}
	r.nocc, r.nvir, r.naux = k.B[0][0].Shape()
	packed := 0 // elements of the blocks that are packed
	for ki, row := range k.B {
		for ka, src := range row {
			op := newOperand[T](src, fmt.Sprintf("k-points %d, %d", ki, ka))
			r.ops, packed = append(r.ops, op), max(packed, r.nocc*op.packedElements())
		}
	}
	r.blocks, r.slots = make([]*block[T], len(r.ops)), len(r.ops)
	if packed > 0 {
		bytes := int64(packed) * int64(dense.Bytes[T]())
		least := r.blocksOfAGroup()
		if int64(least)*bytes > opt.maxBytes() {
			return nil, dense.BadArgument("max_memory",
				"%d bytes do not hold the integrals of one pair of orbitals at any k-points, the least that works is %d bytes",
				opt.maxBytes(), int64(least)*bytes)
		}
		r.slots = int(min(int64(r.slots), opt.maxBytes()/bytes))
	}
	r.width = min(r.nocc, max(1, kBytes/(r.nvir*r.nvir*dense.Bytes[T]())))
	r.first = append(r.first, 0)
	var items []kItem
	for n, g := range r.groups {
		items = r.items(items[:0], g, 0)
		r.first = append(r.first, r.first[n]+len(items))
	}
	r.errors = complexError[T](r.naux)
	return r, nil
}

// pairsOf returns the pairs of k-points of a group, some of them twice.
func (r *kRun[T]) pairsOf(g kGroup) [4]int {
	nk := r.k.count()
	return [...]int{g.ki*nk + g.ka, g.kj*nk + g.kb, g.ki*nk + g.kb, g.kj*nk + g.ka}
}

// blocksOfAGroup returns the largest number of different pairs of k-points of a group.
func (r *kRun[T]) blocksOfAGroup() int {
	most := 0
	for _, g := range r.groups {
		pairs := r.pairsOf(g)
		slices.Sort(pairs[:])
		most = max(most, len(slices.Compact(pairs[:])))
	}
	return most
}

// items appends the items of a group, in which i >= j if both are at one k-point; number is the number of the first
// one. They depend on the shape alone, so that bits depend neither on threads nor on memory.
func (r *kRun[T]) items(out []kItem, g kGroup, number int) []kItem {
	for j := range r.nocc {
		begin := 0
		if g.ki == g.kj {
			begin = j
		}
		for i := begin; i < r.nocc; i += r.width {
			out = append(out, kItem{kGroup: g, first: i, end: min(r.nocc, i+r.width), j: j, number: number})
			number++
		}
	}
	return out
}

// run sets all contributions, in batches of groups whose blocks are held together.
func (r *kRun[T]) run() error {
	r.contributions = make([]contribution, r.first[len(r.groups)])
	r.opt.Team = r.opt.Team.Plan(len(r.contributions))
	needed := map[int]bool{}
	var batch []kItem
	for _, n := range r.order() {
		g := r.groups[n]
		if !r.fits(needed, g) {
			if err := r.compute(needed, batch); err != nil {
				return err
			}
			clear(needed)
			batch = batch[:0]
		}
		for _, pair := range r.pairsOf(g) {
			needed[pair] = true
		}
		batch = r.items(batch, g, r.first[n])
	}
	return r.compute(needed, batch)
}

// order returns the numbers of the groups in an order that reads few blocks: those of some ki stay while those of the
// kj before them stream past.
func (r *kRun[T]) order() []int {
	stay := max(1, r.slots/r.k.count()-1)
	out := make([]int, len(r.groups))
	for n := range out {
		out[n] = n
	}
	slices.SortStableFunc(out, func(m, n int) int {
		x, y := r.groups[m], r.groups[n]
		return cmp.Or(cmp.Compare(x.ki/stay, y.ki/stay), cmp.Compare(x.kj, y.kj))
	})
	return out
}

// fits reports whether the blocks of a group fit the memory with those that are needed already.
func (r *kRun[T]) fits(needed map[int]bool, g kGroup) bool {
	more, pairs := 0, r.pairsOf(g)
	for n, pair := range pairs {
		if !needed[pair] && !slices.Contains(pairs[:n], pair) {
			more++
		}
	}
	return len(needed)+more <= r.slots
}

// compute sets the contributions of items, which take the blocks of the needed pairs.
func (r *kRun[T]) compute(needed map[int]bool, items []kItem) error {
	for pair, b := range r.blocks {
		if b != nil && !needed[pair] {
			r.free, r.blocks[pair] = append(r.free, b), nil
		}
	}
	for pair := range r.blocks {
		if !needed[pair] || r.blocks[pair] != nil {
			continue
		}
		if err := r.load(pair); err != nil {
			return err
		}
	}
	return r.opt.Team.For(len(items), func(worker, n int) error {
		c, err := r.contribution(&r.workers[worker], items[n])
		if err != nil {
			return err
		}
		r.contributions[items[n].number] = c
		r.opt.Team.Step(1)
		return nil
	})
}

// load makes a block, if possible a free one, hold the orbitals of a pair.
func (r *kRun[T]) load(pair int) error {
	var b *block[T]
	if last := len(r.free) - 1; last >= 0 {
		b, r.free = r.free[last], r.free[:last]
	} else {
		scratch.Allocate(r.blockLayout(&b))
	}
	b.op = r.ops[pair]
	b.forget()
	r.blocks[pair] = b
	return b.fill(r.opt.Team, 0, r.nocc, !r.opt.SkipFiniteCheck)
}

// blockLayout takes the memory of a block that any pair may use.
func (r *kRun[T]) blockLayout(b **block[T]) func(a *scratch.Arena) {
	largest := slices.MaxFunc(r.ops, func(x, y *operand[T]) int {
		return cmp.Compare(x.packedElements(), y.packedElements())
	})
	return func(a *scratch.Arena) { *b = newBlock(a, largest, r.nocc, largest.unweighted()) }
}

// productLayout takes the memory for the K of an item.
func (r *kRun[T]) productLayout(k *[]T) func(a *scratch.Arena) {
	return func(a *scratch.Arena) { *k = scratch.Take[T](a, r.width*r.nvir*r.nvir) }
}

// product sets out to the K of the orbitals i of an item and j, one below the other, from the blocks of two pairs of
// k-points.
func (r *kRun[T]) product(out *[]T, left, right *block[T], item kItem) []T {
	if *out == nil {
		scratch.Allocate(r.productLayout(out))
	}
	together := item.end - item.first
	if !left.op.stacked() {
		together = 1
	}
	asRows, _ := left.op.trans()
	_, asColumns := right.op.trans()
	for i := item.first; i < item.end; i += together {
		at, rows := (i-item.first)*r.nvir*r.nvir, together*r.nvir
		k := dense.Matrix[T]{Rows: rows, Cols: r.nvir, Stride: r.nvir, Data: (*out)[at : at+rows*r.nvir]}
		first, second := left.orbitals(i, i+together), right.orbitals(item.j, item.j+1)
		blas.Gemm(r.opt.Team.Serial(), asRows, asColumns, 1, first, second, 0, k)
	}
	return *out
}

// kPair is K_ab and K_ba of one pair of orbitals with their energies and norms. If ka is kb they are one matrix.
type kPair[T dense.Complex] struct {
	direct, exchange []T
	ei, ej           float64
	va, vb           []float64    // virtual energies at ka and kb
	norms            [4][]float64 // of the rows of B[ki][ka]_i, B[kj][kb]_j, B[ki][kb]_i, B[kj][ka]_j
	oneMatrix        bool
	weight           float64 // 2 where the pair stands for i, j and j, i too
}

// contribution returns the terms of an item, without the factors of nk.
func (r *kRun[T]) contribution(w *kWorker[T], item kItem) (contribution, error) {
	var at [4]*block[T]
	for n, pair := range r.pairsOf(item.kGroup) {
		at[n] = r.blocks[pair]
	}
	direct := r.product(&w.direct, at[0], at[1], item)
	exchange := direct
	if item.ka != item.kb {
		exchange = r.product(&w.exchange, at[2], at[3], item)
	}
	var s kSums
	for i := item.first; i < item.end; i++ {
		n := (i - item.first) * r.nvir * r.nvir
		c := kPair[T]{
			direct: direct[n:], exchange: exchange[n:],
			ei: r.k.Occ[item.ki][i], ej: r.k.Occ[item.kj][item.j], va: r.k.Vir[item.ka], vb: r.k.Vir[item.kb],
			norms: [...][]float64{
				at[0].rowNorms(i), at[1].rowNorms(item.j), at[2].rowNorms(i), at[3].rowNorms(item.j),
			},
			oneMatrix: item.ka == item.kb, weight: 2,
		}
		if item.ki == item.kj && i == item.j {
			c.weight = 1
		}
		if err := r.add(&s, c); err != nil {
			return contribution{}, err
		}
	}
	return contribution{opposite: s.opposite.value(), same: s.same.value(), bound: s.bound}, nil
}

// kSums accumulates the terms of an item.
type kSums struct {
	opposite, same compensated
	bound          float64
}

// add adds the terms of all K_ab with K_ba,
//
//	opposite += w (|K_ab|^2 + |K_ba|^2) / D,   same += w |K_ab - K_ba|^2 / D
//
// and half of that for a = b at one k-point, where they are one element. The team's error ends it.
func (r *kRun[T]) add(s *kSums, c kPair[T]) error {
	n := r.nvir
	for a := range n {
		if err := r.opt.Team.Err(); err != nil {
			return err
		}
		begin := 0
		if c.oneMatrix {
			begin = a
		}
		for b := begin; b < n; b++ {
			x, y := complex128(c.direct[a*n+b]), complex128(c.exchange[b*n+a])
			offX, offY := r.errors.of(c.norms[0][a], c.norms[1][b]), r.errors.of(c.norms[2][b], c.norms[3][a])
			over := overDenominator(c.ei-c.va[a], c.ej-c.vb[b])
			value, uncertain := over.term(x, offX)
			s.opposite.add(c.weight * value)
			s.bound += c.weight * uncertain
			if c.oneMatrix && a == b {
				continue
			}
			value, uncertain = over.term(y, offY)
			s.opposite.add(c.weight * value)
			s.bound += c.weight * uncertain
			value, uncertain = over.term(x-y, offX+offY)
			s.same.add(c.weight * value)
			s.bound += c.weight * uncertain
		}
	}
	return nil
}

const (
	// Bytes of a group and of an item: in lists that grow by doubling, those of one batch and the contributions of all.
	groupBytes = 3 * (32 + 8 + 8)
	itemBytes  = 3*64 + contributionBytes
	// Bytes of a pair of k-points: its operand, block, and places in lists.
	pairOfKPointsBytes = 1 << 10
)

// KPointWorkspace returns an upper bound on the bytes that KPointEnergy allocates.
func KPointWorkspace(k KPoints, opt Options) (int64, error) {
	if err := k.check(opt); err != nil {
		return 0, err
	}
	if IsSingle(k.B[0][0]) {
		return kPointWorkspace[complex64](k, opt)
	}
	return kPointWorkspace[complex128](k, opt)
}

func kPointWorkspace[T dense.Complex](k KPoints, opt Options) (int64, error) {
	r, err := newKRun[T](k, opt)
	if err != nil || r == nil {
		return fixedBytes, err
	}
	bytes := int64(fixedBytes) + int64(len(r.groups))*groupBytes + int64(r.first[len(r.groups)])*itemBytes
	for _, op := range r.ops {
		bytes += op.readerWorkspace() + pairOfKPointsBytes
	}
	var b *block[T]
	var product []T
	bytes += int64(r.slots) * bytesOf(r.blockLayout(&b))
	products := 2 * bytesOf(r.productLayout(&product)) // direct and exchange
	return bytes + int64(opt.Team.Threads())*(products+complexGemmWorkspace()), nil
}
