// Package packed reads L[P,mu nu] = L[P,nu mu], the three-index integrals of density fitting, whose row P holds the lower triangle of a
// symmetric matrix: element mu >= nu at mu(mu+1)/2 + nu, as PySCF has it. It reads blocks of rows from memory, a file or a function, and
// multiplies matrices by rows that are written out as squares.
package packed

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Source holds L: a Tensor in memory, a FileTensor in a file, or what a FunctionTensor returns. Its elements are float64, or float32 that
// are converted.
type Source interface {
	// Shape returns the numbers of auxiliary functions and of elements in a row.
	Shape() (naux, pairs int)

	// Check returns a *dense.ArgumentError for a shape that is none.
	Check() error
	// InPlace returns L where it can be used in place.
	InPlace() (m dense.Matrix[float64], ok bool)
	// Copy copies rows first <= P < end to dst, one behind the other.
	Copy(team *sched.Team, first, end int, dst []float64) error
}

// Tensor is L in memory, naux x pairs. Rows of float64 whose elements are neighbours are used in place; others are copied in blocks.
type Tensor[T dense.Float] struct{ dense.View[T] }

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (t Tensor[T]) Shape() (naux, pairs int) { return t.Rows, t.Cols }

// Check returns an error for numbers below 0.
func (t Tensor[T]) Check() error { return checkShape(t.Rows, t.Cols) }

// InPlace returns L if its rows are contiguous and float64.
func (t Tensor[T]) InPlace() (dense.Matrix[float64], bool) {
	v, ok := any(t.View).(dense.View[float64])
	if !ok {
		return dense.Matrix[float64]{}, false
	}
	return v.Matrix()
}

// Copy copies rows.
func (t Tensor[T]) Copy(team *sched.Team, first, end int, dst []float64) error {
	m := dense.Matrix[float64]{Rows: end - first, Cols: t.Cols, Stride: t.Cols, Data: dst}
	return blas.CopyView(team, m.View(), t.SliceRows(first, end))
}

// FunctionTensor is L as a function hands it out, in blocks of rows: those for first <= P < end go to dst, one behind the other. It is called
// for one block at a time, from any goroutine, and asked once for each row.
type FunctionTensor struct {
	Naux, Pairs int
	Load        func(team *sched.Team, first, end int, dst []float64) error
}

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (t FunctionTensor) Shape() (naux, pairs int) { return t.Naux, t.Pairs }

// Check returns an error for numbers below 0.
func (t FunctionTensor) Check() error { return checkShape(t.Naux, t.Pairs) }

// InPlace returns false.
func (t FunctionTensor) InPlace() (dense.Matrix[float64], bool) {
	return dense.Matrix[float64]{}, false
}

// Copy calls the function.
func (t FunctionTensor) Copy(team *sched.Team, first, end int, dst []float64) error {
	return t.Load(team, first, end, dst)
}

func checkShape(naux, pairs int) error {
	if min(naux, pairs) < 0 {
		return dense.BadArgument("L", "expected a shape without negative numbers, got (%d, %d)", naux, pairs)
	}
	return nil
}
