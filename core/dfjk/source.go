package dfjk

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

	check() error
	// rows returns L where it can be used in place.
	rows() (m dense.Matrix[float64], inPlace bool)
	// load copies rows first <= P < end to dst, one behind the other.
	load(team *sched.Team, first, end int, dst []float64) error
}

// Tensor is L in memory, naux x pairs. Rows of float64 whose elements are neighbours are used in place; others are copied in blocks.
type Tensor[T dense.Float] struct{ dense.View[T] }

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (t Tensor[T]) Shape() (naux, pairs int) { return t.Rows, t.Cols }

func (t Tensor[T]) check() error { return checkShape(t.Rows, t.Cols) }

func (t Tensor[T]) rows() (dense.Matrix[float64], bool) {
	v, ok := any(t.View).(dense.View[float64])
	if !ok {
		return dense.Matrix[float64]{}, false
	}
	return v.Matrix()
}

func (t Tensor[T]) load(team *sched.Team, first, end int, dst []float64) error {
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

func (t FunctionTensor) check() error { return checkShape(t.Naux, t.Pairs) }

func (t FunctionTensor) rows() (dense.Matrix[float64], bool) { return dense.Matrix[float64]{}, false }

func (t FunctionTensor) load(team *sched.Team, first, end int, dst []float64) error {
	return t.Load(team, first, end, dst)
}

func checkShape(naux, pairs int) error {
	if min(naux, pairs) < 0 {
		return dense.BadArgument("L", "expected a shape without negative numbers, got (%d, %d)", naux, pairs)
	}
	return nil
}

// reader hands out L in blocks of rows. While one is worked on the next is loaded, if there is memory for both.
type reader struct {
	source  Source
	sizes   sizes
	team    *sched.Team
	buffers []dense.Matrix[float64]
}

func newReader(l Source, s sizes, team *sched.Team) *reader {
	r := &reader{source: l, sizes: s, team: team}
	for range s.buffers {
		r.buffers = append(r.buffers, dense.New[float64](s.width, s.pairs))
	}
	return r
}

// each calls visit for every block with its first row. The first error ends it; nothing is being loaded any more when it returns.
func (r *reader) each(visit func(rows dense.Matrix[float64], first int) error) error {
	if len(r.buffers) == 0 {
		rows, _ := r.source.rows()
		return visit(rows, 0)
	}
	if err := r.load(r.team, 0); err != nil {
		return err
	}
	for first := 0; first < r.sizes.naux; first += r.sizes.width {
		next := first + r.sizes.width
		var loaded chan error
		if next < r.sizes.naux && len(r.buffers) > 1 {
			loaded = make(chan error, 1)
			go func() { loaded <- r.loadSafely(next) }()
		}
		err := visit(r.block(first), first)
		if loaded != nil {
			if failed := <-loaded; err == nil {
				err = failed
			}
		} else if err == nil && next < r.sizes.naux {
			err = r.load(r.team, next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block returns the place of the block that begins with a row.
func (r *reader) block(first int) dense.Matrix[float64] {
	buffer := r.buffers[first/r.sizes.width%len(r.buffers)]
	return buffer.Slice(0, min(r.sizes.width, r.sizes.naux-first), 0, r.sizes.pairs)
}

func (r *reader) load(team *sched.Team, first int) error {
	block := r.block(first)
	return r.source.load(team, first, first+block.Rows, block.Data)
}

// loadSafely is load on a goroutine of its own: a panic is an error there, as in the loops of a team.
func (r *reader) loadSafely(first int) error {
	serial := r.team.Serial()
	return serial.For(1, func(int, int) error { return r.load(serial, first) })
}
