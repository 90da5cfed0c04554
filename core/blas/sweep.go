package blas

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// Tuning of matrix-vector products. Rows are partitioned at multiples of vector.RowGroup, and sums are split at
// multiples of sweepCols, so that the bits do not depend on the other constants.
const (
	// Columns of one call of a kernel, counted in reals: its vectors stay in the L2 cache.
	sweepCols = 1 << 15
	// Reals of the matrix of one call of a kernel: less than 0.3 ms, since nothing interrupts assembly.
	sweepCall = 1 << 18
	// Below this many bytes of the matrix a second thread does not pay off.
	sweepBytes = 1 << 20
	// Elements of the matrix for one part of a thread.
	sweepShare = 1 << 16
	// From this many bytes on a matrix is assumed to be in memory: more than the last-level cache usually leaves to one
	// call.
	sweepFar = 48 << 20
)

// sweep is one pass over a matrix by rows that forms sums along rows (dots), multiples of rows (axpys), or both:
//
//	dots:  out_i += sum_j a_ij in_j
//	axpys: out_j += sum_i op(a_ij) in_i, op the conjugate if conj is set
//
// A complex row is a real one of twice the length. With the vectors
//
//	conjIn:  re -im re -im ...
//	turned:  im  re im  re ...
//
// two real sums along a row are the real and the imaginary part of the complex one. Multiples of rows by the real parts
// of in are collected in u, those by the imaginary parts in v, and collect adds u + iv, or conj(u) + i conj(v), to out.
// For a real T conjIn is in and u is out.
type sweep[R dense.Float, T dense.Scalar] struct {
	set                kernel.Set
	a                  dense.Matrix[T]
	dots, axpys, conj  bool
	in, conjIn, turned []T
	out, u, v          []T
}

// inputs returns how many elements of workspace a vector of n elements takes at most.
func (s *sweep[R, T]) inputs(n int) int {
	copies := 1
	if s.dots && dense.Parts[T]() == 2 {
		copies = 3
	}
	return copies * dense.WholeLines[T](n)
}

// load makes x the vector of the sweep, without a copy if possible.
func (s *sweep[R, T]) load(w *workspace[T], x dense.Vector[T]) {
	if x.Inc != 1 {
		s.loadCopy(w, x)
		return
	}
	s.in = x.Data[:x.N]
	s.loadTurned(w)
}

// loadCopy makes a copy of x the vector of the sweep.
func (s *sweep[R, T]) loadCopy(w *workspace[T], x dense.Vector[T]) {
	s.in = w.take(dense.WholeLines[T](x.N))[:x.N]
	Copy(x, dense.Vec(s.in))
	s.loadTurned(w)
}

func (s *sweep[R, T]) loadTurned(w *workspace[T]) {
	s.conjIn = s.in
	if s.dots && dense.Parts[T]() == 2 {
		n := len(s.in)
		s.conjIn, s.turned = w.take(dense.WholeLines[T](n))[:n], w.take(dense.WholeLines[T](n))[:n]
		s.turn(0, n)
	}
}

// turn sets elements i0 <= i < i1 of conjIn and turned.
func (s *sweep[R, T]) turn(i0, i1 int) {
	if dense.Parts[T]() == 1 {
		return
	}
	in, conj, turned := dense.Reals[R](s.in[i0:i1]), dense.Reals[R](s.conjIn[i0:i1]), dense.Reals[R](s.turned[i0:i1])
	for j := 0; j+1 < len(in) && j+1 < len(conj) && j+1 < len(turned); j += 2 {
		conj[j], conj[j+1] = in[j], -in[j+1]
		turned[j], turned[j+1] = in[j+1], in[j]
	}
}

// outputs returns how many elements of workspace the result of n elements takes.
func (s *sweep[R, T]) outputs(n int) int {
	if s.axpys && dense.Parts[T]() == 2 {
		return 3 * dense.WholeLines[T](n)
	}
	return dense.WholeLines[T](n)
}

// setOut makes memory, of zeros, hold the result.
func (s *sweep[R, T]) setOut(memory []T) {
	s.out, s.u = memory, memory
	if s.axpys && dense.Parts[T]() == 2 {
		n := len(memory) / 3
		s.out, s.u, s.v = memory[:n], memory[n:2*n], memory[2*n:]
	}
}

// add sweeps rows i0 <= i < i1 and columns j0 <= j < j1. It ends early when the team is cancelled.
func (s *sweep[R, T]) add(team *sched.Team, i0, i1, j0, j1 int) {
	w := dense.Parts[T]()
	for j := j0; j < j1; j += sweepCols / w {
		end := min(j1, j+sweepCols/w)
		step := max(1, sweepCall/(w*(end-j)*vector.RowGroup)) * vector.RowGroup
		for i := i0; i < i1; i += step {
			if i > i0 && team.Err() != nil {
				return
			}
			s.call(i, min(i1, i+step), j, end)
		}
	}
}

// rows returns a part of the matrix in the form that the kernels take.
func (s *sweep[R, T]) rows(i0, i1, j0, j1 int) vector.Rows[R] {
	w := dense.Parts[T]()
	return vector.Rows[R]{
		Count: i1 - i0, Cols: w * (j1 - j0), Stride: w * s.a.Stride, A: dense.Reals[R](s.a.Data[i0*s.a.Stride+j0:]),
		Prefetch: s.a.Rows*s.a.Cols*dense.Bytes[T]() >= sweepFar,
	}
}

// call sweeps a part of the matrix with one call of a kernel.
func (s *sweep[R, T]) call(i0, i1, j0, j1 int) {
	w := dense.Parts[T]()
	r := s.rows(i0, i1, j0, j1)
	var x0, x1, sums, alpha, y0, y1 []R
	if s.dots {
		x0, sums = dense.Reals[R](s.conjIn[j0:j1]), dense.Reals[R](s.out[i0:i1])
	}
	if s.axpys {
		alpha, y0 = dense.Reals[R](s.in[i0:i1]), dense.Reals[R](s.u[j0:j1])
	}
	if w == 1 {
		switch {
		case !s.axpys:
			vector.Dots(s.set, &r, x0, sums)
		case !s.dots:
			vector.Axpys(s.set, &r, alpha, y0)
		default:
			vector.DotsAxpys(s.set, &r, x0, sums, alpha, y0)
		}
		return
	}
	if s.dots {
		x1 = dense.Reals[R](s.turned[j0:j1])
	}
	if s.axpys {
		y1 = dense.Reals[R](s.v[j0:j1])
	}
	switch {
	case !s.axpys:
		vector.DotsPair(s.set, &r, x0, x1, sums)
	case !s.dots:
		vector.AxpysPair(s.set, &r, alpha, y0, y1)
	default:
		vector.DotsAxpysPair(s.set, &r, x0, x1, sums, alpha, y0, y1)
	}
}

// collect adds u and v to elements j0 <= j < j1 of out.
func (s *sweep[R, T]) collect(j0, j1 int) {
	if !s.axpys || dense.Parts[T]() == 1 {
		return
	}
	out, u, v := dense.Reals[R](s.out[j0:j1]), dense.Reals[R](s.u[j0:j1]), dense.Reals[R](s.v[j0:j1])
	sign := R(1)
	if s.conj {
		sign = -1
	}
	for j := 0; j+1 < len(out) && j+1 < len(u) && j+1 < len(v); j += 2 {
		out[j] += u[j] - sign*v[j+1]
		out[j+1] += sign*u[j+1] + v[j]
	}
}

// accumulate computes y = alpha out + beta y.
func accumulate[T dense.Scalar](set kernel.Set, alpha T, out []T, beta T, y dense.Vector[T]) {
	scaleOrClear(beta, y)
	axpy(set, alpha, dense.Vec(out), y)
}

// inParallel calls body for every 0 <= i < n on the team's threads, until the team is cancelled.
func inParallel(team *sched.Team, n int, body func(i int)) {
	finish(team.For(n, func(_, i int) error {
		body(i)
		return nil
	}))
}

// isShared reports whether a matrix of rows x cols is large enough for the threads of the team.
func isShared[T dense.Scalar](team *sched.Team, rows, cols int) bool {
	return team.WorthSharing(rows*cols*dense.Bytes[T](), sweepBytes)
}
