package mp2

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// FunctionIntegrals is B as a function hands it out, in blocks of occupied orbitals: B[i,a,P] for first <= i < end goes to dst in the order of
// its indices, P running fastest. It is called for one block at a time, from any goroutine; an orbital may be asked for again. Results do not depend
// on the blocks that are asked for.
type FunctionIntegrals[T dense.Scalar] struct {
	Nocc, Nvir, Naux int
	Load             func(team *sched.Team, first, end int, dst []T) error
}

// Shape returns the numbers of occupied orbitals, virtual orbitals and auxiliary functions.
func (b *FunctionIntegrals[T]) Shape() (nocc, nvir, naux int) { return b.Nocc, b.Nvir, b.Naux }

func (b *FunctionIntegrals[T]) check() error {
	if min(b.Nocc, b.Nvir, b.Naux) < 0 {
		return dense.BadArgument("B", "expected a shape without negative numbers, got (%d, %d, %d)", b.Nocc, b.Nvir, b.Naux)
	}
	return nil
}

func (b *FunctionIntegrals[T]) singlePrecision() bool { return dense.IsSingle[T]() }
func (b *FunctionIntegrals[T]) isComplex() bool       { return dense.IsComplex[T]() }

func (b *FunctionIntegrals[T]) operand32() *operand[float32] { return functionOperand[float32](b) }
func (b *FunctionIntegrals[T]) operand64() *operand[float64] { return functionOperand[float64](b) }
func (b *FunctionIntegrals[T]) complexOperand() any {
	if !b.isComplex() {
		return nil
	}
	return functionOperand[T](b)
}

func functionOperand[T, S dense.Scalar](b *FunctionIntegrals[S]) *operand[T] {
	op := &operand[T]{nocc: b.Nocc, nvir: b.Nvir, naux: b.Naux, rounded: narrows[T](b), loader: &functionLoader[T, S]{b: b}}
	if dense.IsSingle[T]() != dense.IsSingle[S]() { // an orbital is converted
		op.staging = int64(b.Nvir) * int64(b.Naux) * elementBytes[S]()
	}
	return op
}

// functionLoader converts what the function brings, an orbital at a time, where that is of another dtype.
type functionLoader[T, S dense.Scalar] struct {
	b     *FunctionIntegrals[S]
	stage []S
}

func (l *functionLoader[T, S]) load(team *sched.Team, first, end int, dst []T) error {
	if same, ok := any(dst).([]S); ok {
		return l.b.Load(team, first, end, same)
	}
	size := l.b.Nvir * l.b.Naux
	if l.stage == nil {
		l.stage = make([]S, size)
	}
	for i := first; i < end; i++ {
		if err := l.b.Load(team, i, i+1, l.stage); err != nil {
			return err
		}
		convert(dst[(i-first)*size:(i-first+1)*size], l.stage, 0, 1)
	}
	return nil
}

func (l *functionLoader[T, S]) bytes(first, end int) int64 {
	return int64(end-first) * int64(l.b.Nvir*l.b.Naux) * elementBytes[S]()
}
