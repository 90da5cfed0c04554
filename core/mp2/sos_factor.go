package mp2

import (
	"cmp"
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/mp2/internal/denominators"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// oppositeSpinFactor is one spin's part of the sum: its integrals and the matrices X. It works through chunks of
// orbitals whose width depends on the shape alone, so that the memory limit does not change a bit.
type oppositeSpinFactor struct {
	block      *block[float64]
	width      int // orbitals of a block
	chunk      int
	gathered   []float64 // the integrals of a chunk, unless they are used in place
	transposed []float64 // the same, a column for each (i, a)
	x          []float64 // e_a - e_i for i, a in this order
	fitted     []float64 // those of x that the points are chosen for, ascending
	squares    []float64 // for each i, a a bound on |B_ia|^2, that holds for elements that are subnormal in float32
	roundings  []float64 // for each i, a the roundings of a term of X in float32, times the error of one of them
	double     gram[float64]
	single     gram[float32]
	firstNorm  float64 // the norm of X of the first point, or an estimate of it
}

// gram is the matrices X of some points in one precision.
type gram[T dense.Float] struct {
	left  []T   // for each thread, rows of f B of a chunk, transposed so that no product has to do it
	right []T   // the integrals of a chunk, unless they are of T
	x     [][]T // of which only the lower triangles are set
}

// The least rows (i, a) of a chunk, if there are as many: enough for products at full speed, few enough to stay in the
// third-level cache.
const chunkRows = 512

// chunkOrbitals returns how many orbitals are a chunk.
func chunkOrbitals(nocc, nvir int) int { return min(nocc, (chunkRows+nvir-1)/max(1, nvir)) }

// newOppositeSpinFactor returns the factor of a spin whose x are given.
func newOppositeSpinFactor(opt Options, s Spin, x []float64) (*oppositeSpinFactor, error) {
	op := newOperand[float64](s.Source, s.Name)
	f := &oppositeSpinFactor{chunk: chunkOrbitals(op.nocc, op.nvir), width: chunkOrbitals(op.nocc, op.nvir), x: x}
	if size := op.packedElements(); size > 0 {
		f.width = min(f.chunk, int(opt.maxBytes()/(8*int64(size))))
		if f.width == 0 {
			return nil, dense.BadArgument("max_memory",
				"%d bytes do not hold the integrals of one occupied orbital, the least that works is %d bytes",
				opt.maxBytes(), 8*size)
		}
	}
	scratch.Allocate(func(a *scratch.Arena) { f.block = newBlock(a, op, f.width, op.unweighted()) })
	f.squares = make([]float64, len(x))
	f.transposed = make([]float64, f.chunk*op.nvir*op.naux)
	f.countRoundings()
	return f, nil
}

// countRoundings sets roundings: those of a product, of the additions of the chunks that follow, and of B, f and f B in
// float32.
func (f *oppositeSpinFactor) countRoundings() {
	const conversions = 3
	op := f.block.op
	rows := f.chunk * op.nvir
	within := blas.GemmRoundings[float32](rows)
	pieces := blas.GemmPieces[float32](rows)
	chunks := f.chunks()
	most := 0.0
	f.roundings = make([]float64, op.nocc*op.nvir)
	for n := range f.roundings {
		f.roundings[n] = conversions + within[n%rows] + float64((chunks-n/rows)*pieces)
		most = max(most, f.roundings[n])
	}
	each := gamma(int(most), dense.Eps[float32]()/2) / most
	for n := range f.roundings {
		f.roundings[n] *= each
	}
}

// chunks returns the number of chunks.
func (f *oppositeSpinFactor) chunks() int { return (f.block.op.nocc + f.chunk - 1) / f.chunk }

// each calls visit with the integrals of every chunk, a row of naux for each (i, a) from first to end.
func (f *oppositeSpinFactor) each(opt Options, visit func(first, end int, b dense.Matrix[float64]) error) error {
	op := f.block.op
	inPlace := op.stacked() && !op.alongA && f.width == f.chunk
	for first := 0; first < op.nocc; first += f.chunk {
		end := min(op.nocc, first+f.chunk)
		var b dense.Matrix[float64]
		if inPlace {
			if err := f.fill(opt, first, end); err != nil {
				return err
			}
			b = f.block.orbitals(first, end)
		} else {
			if f.gathered == nil {
				f.gathered = make([]float64, f.chunk*op.nvir*op.naux)
			}
			b = dense.Matrix[float64]{Rows: (end - first) * op.nvir, Cols: op.naux, Stride: op.naux, Data: f.gathered}
			if err := f.gather(opt, first, end); err != nil {
				return err
			}
		}
		if err := visit(first*op.nvir, end*op.nvir, b); err != nil {
			return err
		}
	}
	return nil
}

// fill loads the orbitals first <= i < end and sets their squares.
func (f *oppositeSpinFactor) fill(opt Options, first, end int) error {
	if err := f.block.fill(opt.Team, first, end, !opt.SkipFiniteCheck); err != nil {
		return err
	}
	op := f.block.op
	raise := math.Sqrt(float64(op.naux)) * smallestNorm[float32]()
	for n := first * op.nvir; n < end*op.nvir; n++ {
		norm := f.block.norms[n-first*op.nvir] + raise
		f.squares[n] = norm * norm
	}
	return nil
}

// gather copies the orbitals first <= i < end, block by block.
func (f *oppositeSpinFactor) gather(opt Options, first, end int) error {
	op := f.block.op
	size := op.nvir * op.naux
	for at := first; at < end; at += f.width {
		stop := min(end, at+f.width)
		if err := f.fill(opt, at, stop); err != nil {
			return err
		}
		for i := at; i < stop; i++ {
			from := f.block.orbitals(i, i+1).View()
			if op.alongA {
				from = from.T()
			}
			to := dense.Matrix[float64]{Rows: op.nvir, Cols: op.naux, Stride: op.naux,
				Data: f.gathered[(i-first)*size:]}
			if err := blas.CopyView(opt.Team, to.View(), from); err != nil {
				return err
			}
		}
	}
	return nil
}

// sum sets X^k_PQ = sum_ia f_k(e_a - e_i) B_iaP B_iaQ for the points k0 <= k < k1.
func (g *gram[T]) sum(opt Options, f *oppositeSpinFactor, points []float64, k0, k1 int) error {
	count, naux := k1-k0, f.block.op.naux
	strip := stripRows(naux, count, opt.Team.Threads())
	strips := (naux + strip - 1) / strip
	g.prepare(opt.Team.Threads()*strip*f.chunk*f.block.op.nvir, naux, count)
	return f.each(opt, func(first, end int, b dense.Matrix[float64]) error {
		right, err := g.convert(opt, b, len(f.transposed))
		if err != nil {
			return err
		}
		transposed := dense.Matrix[float64]{Rows: b.Cols, Cols: b.Rows, Stride: b.Rows, Data: f.transposed}
		if err := blas.CopyView(opt.Team, transposed.View(), b.View().T()); err != nil {
			return err
		}
		err = opt.Team.For(strips*count, func(worker, task int) error {
			k, p0 := task%count, (strips-1-task/count)*strip // the longest rows first
			p1 := min(naux, p0+strip)
			memory := g.left[worker*strip*f.chunk*f.block.op.nvir:]
			left := dense.Matrix[T]{Rows: p1 - p0, Cols: b.Rows, Stride: b.Rows, Data: memory}
			factor := make([]float64, b.Rows)
			for n, x := range f.x[first:end] {
				factor[n] = denominators.CholeskyFactor(points[:k0+k+1], x)
			}
			scaleColumns(transposed.Slice(p0, p1, 0, b.Rows), factor, left)
			x := dense.Matrix[T]{Rows: naux, Cols: naux, Stride: naux, Data: g.x[k]}
			serial := opt.Team.Serial()
			before, diagonal := right.Slice(0, b.Rows, 0, p0), right.Slice(0, b.Rows, p0, p1)
			blas.Gemm(serial, blas.NoTrans, blas.NoTrans, 1, left, before, 1, x.Slice(p0, p1, 0, p0))
			blas.Gemmt(serial, blas.Lower, blas.NoTrans, blas.NoTrans, 1, left, diagonal, 1, x.Slice(p0, p1, p0, p1))
			return opt.Team.Err() // X is unfinished
		})
		opt.Team.Step(count * pointSteps)
		return err
	})
}

// Rows of X that one worker computes at a time: enough to make packing the other factor worthwhile, fewer if there
// would be too few strips for the threads.
const mostStripRows, leastStripRows, stripsPerThread = 768, 48, 4

func stripRows(naux, points, threads int) int {
	return min(mostStripRows, max(leastStripRows, naux*points/(stripsPerThread*threads)), naux)
}

// prepare allocates a number of elements of left, and count matrices X that are zero.
func (g *gram[T]) prepare(elements, naux, count int) {
	if len(g.left) < elements {
		g.left = make([]T, elements)
	}
	for k := range count {
		if k == len(g.x) {
			g.x = append(g.x, make([]T, naux*naux))
		}
		clear(g.x[k])
	}
}

// convert returns b in T; chunk is the number of elements of a chunk.
func (g *gram[T]) convert(opt Options, b dense.Matrix[float64], chunk int) (dense.Matrix[T], error) {
	if same, ok := any(b).(dense.Matrix[T]); ok {
		return same, nil
	}
	if g.right == nil {
		g.right = make([]T, chunk)
	}
	right := dense.Matrix[T]{Rows: b.Rows, Cols: b.Cols, Stride: b.Cols, Data: g.right}
	return right, blas.CopyView(opt.Team, right.View(), b.View())
}

// scaleColumns sets out to m diag(factor).
func scaleColumns[T dense.Float](m dense.Matrix[float64], factor []float64, out dense.Matrix[T]) {
	for r := range m.Rows {
		row, scaled := m.Row(r)[:len(factor)], out.Row(r)[:len(factor)]
		for c, x := range factor {
			scaled[c] = T(x * row[c])
		}
	}
}

// innerProduct returns sum_PQ X_PQ Y_PQ for symmetric matrices of order n, given their lower triangles. The sums of the
// rows are added in order.
func innerProduct[T dense.Float](team *sched.Team, n int, x, y []T) (float64, error) {
	sums := make([]float64, n)
	err := team.For(n, func(_, p int) error {
		below := 0.0
		for q := range p {
			below += float64(x[p*n+q]) * float64(y[p*n+q])
		}
		sums[p] = 2*below + float64(x[p*n+p])*float64(y[p*n+p])
		return nil
	})
	var total compensated
	for _, s := range sums {
		total.add(s)
	}
	return total.value(), err
}

// errorOf bounds the Frobenius norm of the error of X in float32 for the last of some points: with t the roundings,
// |dX_PQ| <= sum_ia t_ia |f_ia| |B_iaP| |B_iaQ|.
func (f *oppositeSpinFactor) errorOf(points []float64) float64 {
	naux := float64(f.block.op.naux)
	bound := 0.0
	for n, x := range f.x {
		square := f.squares[n]
		factor := math.Abs(denominators.CholeskyFactor(points, x))
		bound += f.roundings[n] * (factor*square + smallestNorm[float32]()*(math.Sqrt(naux*square)+naux))
	}
	return bound * boundSlack
}

// leaveOut sets fitted to all x except the largest ones whose terms are together at most the limit, given the sum of
// the squares of the rows of the other electron. It returns a bound on these terms. The smallest x is always fitted.
func (f *oppositeSpinFactor) leaveOut(limit, others float64) float64 {
	order := make([]int, len(f.x))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(m, n int) int { return cmp.Compare(f.x[m], f.x[n]) })
	count, remote := len(order), 0.0
	for ; count > 1; count-- {
		n := order[count-1]
		more := remote + oneBothWays*boundSlack*f.squares[n]*others/f.x[n]
		if !(more <= limit) {
			break
		}
		remote = more
	}
	f.fitted = make([]float64, count)
	for n := range f.fitted {
		f.fitted[n] = f.x[order[n]]
	}
	return remote
}

// For a closed shell a row belongs to either electron. For an open shell it belongs to one, and the bound is twice as
// large as necessary.
const oneBothWays = 2

// largestNorm bounds the norm of X for the last of some points, by the norm for the first point and the largest ratio
// of the weights f in both.
func (f *oppositeSpinFactor) largestNorm(points []float64) float64 {
	most := 0.0
	for _, x := range f.fitted {
		ratio := denominators.CholeskyFactor(points, x) / denominators.CholeskyFactor(points[:1], x)
		most = max(most, math.Abs(ratio))
	}
	return most * f.firstNorm * boundSlack
}

// excitations returns e_a - e_i for all i, a in this order, shifted so that the smallest is least, and the largest
// number if that overflows.
func excitations(s Spin, least float64) []float64 {
	lumo, homo := slices.Min(s.Vir), slices.Max(s.Occ)
	x := make([]float64, 0, len(s.Occ)*len(s.Vir))
	for _, ei := range s.Occ {
		for _, ea := range s.Vir {
			x = append(x, min((ea-lumo)+(homo-ei)+least, math.MaxFloat64))
		}
	}
	return x
}
