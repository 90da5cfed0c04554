package mp2

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/mp2/internal/checkpoint"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/stream"
)

// operand is the integrals of one spin as the factors of products in T.
type operand[T dense.Scalar] struct {
	spin             string // its name in messages
	nocc, nvir, naux int
	alongA           bool          // orbitals are stored as naux x nvir matrices, else as nvir x naux
	rounded          bool          // the integrals have to be rounded to T
	inPlace          *Integrals[T] // the orbitals if they are used in place; nil if they are packed
	array            stream.Array
	reader           stream.Reader[T]                   // packs orbitals
	watch            func(i int, checksum uint32) error // is told of the orbitals of a block; nil for nobody
}

// newOperand returns the integrals of a spin as factors in T.
func newOperand[T dense.Scalar](src Source, spin string) *operand[T] {
	op := &operand[T]{spin: spin, alongA: src.alongA(), array: src.array()}
	op.nocc, op.nvir, op.naux = src.Shape()
	op.rounded = stream.Rounds[T](op.array)
	if same, ok := src.(Integrals[T]); ok && !op.empty() {
		if _, ok := same.orbital(0).Matrix(); ok {
			op.inPlace = &same
			return op
		}
	}
	op.reader = stream.NewReader[T](op.array)
	return op
}

func (op *operand[T]) empty() bool { return op.nocc == 0 || op.nvir == 0 || op.naux == 0 }

// packedElements returns the elements of a block that one orbital takes.
func (op *operand[T]) packedElements() int {
	if op.inPlace != nil {
		return 0
	}
	return op.nvir * op.naux
}

// bytesRead returns the bytes that are read for a block.
func (op *operand[T]) bytesRead(first, end int) int64 {
	if op.inPlace != nil {
		return 0
	}
	return op.reader.BytesRead(first, end)
}

// trans returns the flags that make an orbital a nvir x naux matrix and a naux x nvir matrix.
func (op *operand[T]) trans() (asRows, asColumns blas.Transpose) {
	if op.alongA {
		return blas.Trans, blas.NoTrans
	}
	return blas.NoTrans, blas.Trans
}

// stacked reports whether orbitals follow one another so that several of them are one matrix.
func (op *operand[T]) stacked() bool {
	switch in := op.inPlace; {
	case in == nil:
		return !op.alongA
	case op.alongA:
		return in.StrideI == op.nvir && in.StrideA == 1
	default:
		return in.StrideI == op.nvir*in.StrideA && in.StrideP == 1
	}
}

// unweighted returns the weights of plain norms.
func (op *operand[T]) unweighted() []float64 {
	return slices.Repeat([]float64{1}, dense.Parts[T]()*op.naux)
}

// block is a range of occupied orbitals, ready to be multiplied.
type block[T dense.Scalar] struct {
	op         *operand[T]
	first, end int
	memory     []T       // for packed orbitals
	data       []T       // the packed orbitals
	weights    []float64 // of auxiliary functions, at least 1; of complex integrals for each part
	raise      float64   // what norms are raised by because of underflow
	norms      []float64 // for each orbital and virtual a, a bound on (sum_P weights_P |B[i,a,P]|^2)^(1/2)
	finite     []bool
	checksums  []uint32 // of the elements, nil without a watch
}

// newBlock returns an empty block of width orbitals, with the memory that its layout takes.
func newBlock[T dense.Scalar](a *scratch.Arena, op *operand[T], width int, weights []float64) *block[T] {
	b := &block[T]{op: op, weights: weights, finite: make([]bool, width)}
	b.memory = scratch.Take[T](a, width*op.packedElements())
	b.norms = scratch.Take[float64](a, width*op.nvir)
	total := 0.0
	for _, w := range weights {
		total += w
	}
	b.raise = math.Sqrt(total) * smallestNorm[T]()
	if op.watch != nil {
		b.checksums = make([]uint32, width)
	}
	return b
}

// bytesOf returns the bytes that a layout takes.
func bytesOf(layout func(a *scratch.Arena)) int64 {
	return int64(scratch.Count(layout)) * int64(dense.Bytes[float64]())
}

// forget makes the next fill load the block anew.
func (b *block[T]) forget() { b.first, b.end = 0, 0 }

// fill makes b hold the orbitals first <= i < end, unless it does already. It refuses infinities and NaNs if
// checkFinite is set.
func (b *block[T]) fill(team *sched.Team, first, end int, checkFinite bool) error {
	if first == b.first && end == b.end {
		return nil
	}
	b.first, b.end = first, end
	if b.op.inPlace == nil {
		b.data = b.memory[:(end-first)*b.op.packedElements()]
		if err := b.op.reader.Read(team, first, end, b.data); err != nil {
			return err
		}
	}
	err := team.For(end-first, func(_, k int) error {
		b.finite[k] = b.measure(team, first+k)
		if b.checksums != nil {
			b.checksums[k] = checkpoint.Sum(team, b.orbitals(first+k, first+k+1))
		}
		return team.Err()
	})
	if err != nil {
		return err
	}
	for k := range end - first {
		if checkFinite && !b.finite[k] {
			return b.notFinite(first + k)
		}
	}
	for k, sum := range b.checksums[:min(len(b.checksums), end-first)] {
		if err := b.op.watch(first+k, sum); err != nil {
			return err
		}
	}
	return nil
}

func (b *block[T]) notFinite(i int) error {
	reason := fmt.Sprintf("contains infinities or NaNs in occupied orbital %d%s", i, ofSpin(b.op.spin))
	if b.op.rounded {
		reason += ", rounded to float32"
	}
	return dense.BadArgument("B", "%s", reason)
}

// orbitals returns the orbitals first <= i < end, one unless they are stacked, in their stored order: nvir rows for
// each, or nvir columns, see operand.trans.
func (b *block[T]) orbitals(first, end int) dense.Matrix[T] {
	count := end - first
	if b.op.inPlace != nil {
		v := b.op.inPlace.orbital(first)
		if b.op.alongA {
			v.Cols *= count
		} else {
			v.Rows *= count
		}
		m, _ := v.Matrix()
		return m
	}
	rows, cols := b.op.nvir, b.op.naux
	if b.op.alongA {
		rows, cols = cols, rows
	}
	size, at := rows*cols, (first-b.first)*rows*cols
	return dense.Matrix[T]{Rows: rows * count, Cols: cols, Stride: cols, Data: b.data[at : at+count*size]}
}

// rowNorms returns the norms of the rows of orbital i.
func (b *block[T]) rowNorms(i int) []float64 {
	k := i - b.first
	return b.norms[k*b.op.nvir : (k+1)*b.op.nvir]
}

// measure computes the norms of orbital i and reports whether all its elements are finite. A cancelled team leaves them
// unfinished.
func (b *block[T]) measure(team *sched.Team, i int) bool {
	norms, m := b.rowNorms(i), b.orbitals(i, i+1)
	clear(norms)
	parts := dense.Parts[T]()
	if dense.IsSingle[T]() {
		addSquares(team, norms, reals[float32](m), b.weights, b.op.alongA, parts)
	} else {
		addSquares(team, norms, reals[float64](m), b.weights, b.op.alongA, parts)
	}
	if team.Err() != nil {
		return false
	}
	finite := true
	for a, sum := range norms {
		finite = finite && sum-sum == 0
		norms[a] = math.Sqrt(sum) + b.raise
	}
	return finite || m.View().AllFinite() // squares of finite elements may overflow
}

// reals returns a matrix with real and imaginary parts side by side.
func reals[R dense.Float, T dense.Scalar](m dense.Matrix[T]) dense.Matrix[R] {
	parts := dense.Parts[T]()
	return dense.Matrix[R]{Rows: m.Rows, Cols: parts * m.Cols, Stride: parts * m.Stride, Data: dense.Reals[R](m.Data)}
}

// addSquares sets sums to the weighted squares of an orbital's virtual orbitals a, whose elements have one or two real
// parts.
func addSquares[R dense.Float](team *sched.Team, sums []float64, m dense.Matrix[R], weights []float64, alongA bool,
	parts int) {
	for r := range m.Rows {
		if team.Err() != nil {
			return
		}
		row := m.Row(r)
		if !alongA {
			sums[r] = weightedSquares(weights, row)
			continue
		}
		for a := range sums {
			for _, x := range row[a*parts : (a+1)*parts] {
				sums[a] += weights[r*parts] * (float64(x) * float64(x))
			}
		}
	}
}

// weightedSquares returns sum_p weights_p x_p^2.
func weightedSquares[T dense.Float](weights []float64, x []T) float64 {
	var sums [4]float64 // the additions of one would wait for each other
	weights = weights[:len(x)]
	p := 0
	for ; p+len(sums) <= len(x); p += len(sums) {
		w, y := weights[p:p+4:p+4], x[p:p+4:p+4]
		sums[0] += w[0] * (float64(y[0]) * float64(y[0]))
		sums[1] += w[1] * (float64(y[1]) * float64(y[1]))
		sums[2] += w[2] * (float64(y[2]) * float64(y[2]))
		sums[3] += w[3] * (float64(y[3]) * float64(y[3]))
	}
	for ; p < len(x); p++ {
		sums[0] += weights[p] * (float64(x[p]) * float64(x[p]))
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// EachOrbital calls visit for the occupied orbitals first <= i < end of a spin, in order, with B[i] as a nvir x naux
// view of elements in T and, for each virtual orbital, a bound on the length of its row that holds even if squares
// underflow. Orbitals that are not in T in memory are loaded all at once. Both arguments of visit are only valid until
// it returns.
//
// Errors: *dense.ArgumentError for infinities and NaNs, in T; those of npy.ReadRun; the team's.
func EachOrbital[T dense.Float](
	team *sched.Team, s Spin, first, end int, visit func(i int, b dense.View[T], norms []float64),
) error {
	op := newOperand[T](s.Source, s.Name)
	var b *block[T]
	scratch.Allocate(func(a *scratch.Arena) { b = newBlock(a, op, end-first, op.unweighted()) })
	if err := b.fill(team, first, end, true); err != nil {
		return err
	}
	for i := first; i < end; i++ {
		if err := team.Err(); err != nil {
			return err
		}
		v := b.orbitals(i, i+1).View()
		if op.alongA {
			v = v.T()
		}
		visit(i, v, b.rowNorms(i))
	}
	return nil
}
