package mp2

import (
	"fmt"
	"math"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// operand is the integrals of one spin as the factors of products in T.
type operand[T dense.Scalar] struct {
	nocc, nvir, naux int
	alongA           bool          // orbitals are stored as naux x nvir matrices, else as nvir x naux
	rounded          bool          // the integrals had to be rounded to T
	inPlace          *Integrals[T] // the orbitals where they lie; nil when loader packs them
	loader           loader[T]
	staging          int64                              // bytes that the loader takes beside what it fills
	watch            func(i int, checksum uint32) error // is told of orbitals that a block takes; nil for nobody
}

// loader packs the orbitals first <= i < end one after the other into dst.
type loader[T dense.Scalar] interface {
	load(team *sched.Team, first, end int, dst []T) error
	// bytes returns what load reads.
	bytes(first, end int) int64
}

// operandOf returns the integrals of src, which are real, as factors in T.
func operandOf[T dense.Float](src Source) *operand[T] {
	if op, ok := any(src.operand32()).(*operand[T]); ok {
		return op
	}
	return any(src.operand64()).(*operand[T])
}

// narrows reports whether the elements of src have more digits than T.
func narrows[T dense.Scalar](src Source) bool {
	return !src.singlePrecision() && dense.IsSingle[T]()
}

func (b Integrals[S]) operand32() *operand[float32] { return memoryOperand[float32](b) }
func (b Integrals[S]) operand64() *operand[float64] { return memoryOperand[float64](b) }

func (b Integrals[S]) complexOperand() any {
	if !b.isComplex() {
		return nil
	}
	return memoryOperand[S](b)
}

func memoryOperand[T, S dense.Scalar](b Integrals[S]) *operand[T] {
	op := &operand[T]{nocc: b.Nocc, nvir: b.Nvir, naux: b.Naux, alongA: b.alongA(), rounded: narrows[T](b)}
	if same, ok := any(b).(Integrals[T]); ok && !b.empty() {
		if _, ok := same.orbital(0).Matrix(); ok {
			op.inPlace = &same
			return op
		}
	}
	op.loader = memoryLoader[T, S]{b}
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

// trans returns the flag that makes an orbital a nvir x naux matrix, and the one that makes it a naux x nvir matrix.
func (op *operand[T]) trans() (asRows, asColumns blas.Transpose) {
	if op.alongA {
		return blas.Trans, blas.NoTrans
	}
	return blas.NoTrans, blas.Trans
}

// memoryLoader packs strided integrals, converting them.
type memoryLoader[T, S dense.Scalar] struct{ b Integrals[S] }

func (l memoryLoader[T, S]) load(team *sched.Team, first, end int, dst []T) error {
	size := l.b.Nvir * l.b.Naux
	return team.For(end-first, func(_, k int) error {
		v := l.b.orbital(first + k)
		out := dst[k*size : (k+1)*size]
		for r := range v.Rows {
			if err := team.Err(); err != nil {
				return err
			}
			convert(out[r*v.Cols:(r+1)*v.Cols], v.Data, v.Offset+r*v.RowStride, v.ColStride)
		}
		return nil
	})
}

// convert sets dst to the elements of src from at on, so far apart, rounded to T. Complex numbers are only copied: where T and S differ, both are real.
func convert[T, S dense.Scalar](dst []T, src []S, at, stride int) {
	if same, ok := any(src).([]T); ok {
		for n := range dst {
			dst[n] = same[at]
			at += stride
		}
		return
	}
	switch d := any(dst).(type) {
	case []float32:
		convertReals(d, any(src).([]float64), at, stride)
	case []float64:
		convertReals(d, any(src).([]float32), at, stride)
	default:
		panic("mp2: complex integrals in another precision")
	}
}

func convertReals[T, S dense.Float](dst []T, src []S, at, stride int) {
	for n := range dst {
		dst[n] = T(src[at])
		at += stride
	}
}

func (l memoryLoader[T, S]) bytes(first, end int) int64 {
	return int64(end-first) * int64(l.b.Nvir*l.b.Naux) * elementBytes[S]()
}

// block is a range of occupied orbitals, ready to be multiplied.
type block[T dense.Scalar] struct {
	op         *operand[T]
	spin       string
	first, end int
	memory     []T       // what an operand that is packed has for its orbitals
	data       []T       // the packed orbitals
	weights    []float64 // of auxiliary functions, at least 1; of complex integrals for each part
	raise      float64   // what norms are raised by for what underflows
	norms      []float64 // for each orbital and virtual a, a bound on (sum_P weights_P |B[i,a,P]|^2)^(1/2)
	finite     []bool
	checksums  []uint32 // of the elements, nil without a watch
}

// blockElements returns the memory that a block of width orbitals takes.
func (op *operand[T]) blockElements(width int) int { return width * op.packedElements() }

// unweighted returns the weights of plain norms.
func unweighted[T dense.Scalar](op *operand[T]) []float64 {
	return slices.Repeat([]float64{1}, realParts[T]()*op.naux)
}

// newBlock returns an empty block and what it leaves of memory.
func newBlock[T dense.Scalar](op *operand[T], spin string, width int, weights []float64, memory []T) (b *block[T], rest []T) {
	n := op.blockElements(width)
	b = &block[T]{op: op, spin: spin, memory: memory[:n], weights: weights, norms: make([]float64, width*op.nvir), finite: make([]bool, width)}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	b.raise = math.Sqrt(total) * smallestNorm[T]()
	if op.watch != nil {
		b.checksums = make([]uint32, width)
	}
	return b, memory[n:]
}

// fill makes b hold the orbitals first <= i < end. It refuses infinities and NaNs if checkFinite is set.
func (b *block[T]) fill(team *sched.Team, first, end int, checkFinite bool) error {
	if first == b.first && end == b.end {
		return nil
	}
	b.first, b.end = first, end
	if b.op.inPlace == nil {
		size := b.op.packedElements()
		b.data = b.memory[:(end-first)*size]
		if err := b.op.loader.load(team, first, end, b.data); err != nil {
			return err
		}
	}
	err := team.For(end-first, func(_, k int) error {
		b.finite[k] = b.measure(team, first+k)
		if b.checksums != nil {
			b.checksums[k] = orbitalChecksum(team, b.orbitals(first+k, first+k+1))
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
	reason := fmt.Sprintf("contains infinities or NaNs in occupied orbital %d%s", i, ofSpin(b.spin))
	if b.op.rounded {
		reason += ", rounded to float32"
	}
	return dense.BadArgument("B", "%s", reason)
}

// stacked reports whether orbitals lie behind one another so that several of them are one matrix.
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

// orbitals returns the orbitals first <= i < end, one unless they are stacked, in their stored order: nvir rows for each, or nvir columns,
// see operand.trans.
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

func (b *block[T]) rowNorms(i int) []float64 {
	k := i - b.first
	return b.norms[k*b.op.nvir : (k+1)*b.op.nvir]
}

// measure computes the norms of orbital i and reports whether all its elements are finite. A cancelled team leaves them
// unfinished.
func (b *block[T]) measure(team *sched.Team, i int) bool {
	norms, m := b.rowNorms(i), b.orbitals(i, i+1)
	clear(norms)
	each := realParts[T]()
	if dense.IsSingle[T]() {
		addSquares(team, norms, reals[float32](m), b.weights, b.op.alongA, each)
	} else {
		addSquares(team, norms, reals[float64](m), b.weights, b.op.alongA, each)
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

// realParts returns how many real numbers one of T has.
func realParts[T dense.Scalar]() int {
	if dense.IsComplex[T]() {
		return 2
	}
	return 1
}

// reals returns a matrix with real and imaginary parts side by side.
func reals[R dense.Float, T dense.Scalar](m dense.Matrix[T]) dense.Matrix[R] {
	each := realParts[T]()
	return dense.Matrix[R]{Rows: m.Rows, Cols: each * m.Cols, Stride: each * m.Stride, Data: dense.Reals[R](m.Data)}
}

// addSquares sets sums to the weighted squares of an orbital's virtual orbitals a, whose elements have so many real numbers each.
func addSquares[R dense.Float](team *sched.Team, sums []float64, m dense.Matrix[R], weights []float64, alongA bool, each int) {
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
			for _, x := range row[a*each : (a+1)*each] {
				sums[a] += weights[r*each] * (float64(x) * float64(x))
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

// EachOrbital calls visit for the occupied orbitals first <= i < end of a spin, in order, with B[i] as a nvir x naux view
// of elements in T and, for each virtual orbital, a bound on the length of its row that holds where squares underflow too.
// Orbitals that are not in T in memory are loaded all at once. Both slices of visit are dead when it returns.
//
// Errors: *dense.ArgumentError for infinities and NaNs, in T; those of npy.ReadRun; the team's.
func EachOrbital[T dense.Float](team *sched.Team, s Spin, first, end int, visit func(i int, b dense.View[T], norms []float64)) error {
	op := operandOf[T](s.Source)
	b, _ := newBlock(op, s.Name, end-first, unweighted(op), make([]T, op.blockElements(end-first)))
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
