package tridiag

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/batch"
)

const (
	// A block of at most this order is diagonalized by the QL iteration alone. A larger one is halved until its leaves
	// are at most of this order, or of half of it if the block then has no more leaves than there are SIMD lanes.
	leafOrder = 16
	// Without eigenvectors only the first and the last row of a leaf's eigenvector matrix are computed.
	boundaryCols = 2
)

// leafSolver diagonalizes some leaves of a tree, one in each SIMD lane, and holds their eigenvectors or elements of
// them.
type leafSolver struct {
	problem batch.Problem
	from    [batch.Width][leafOrder]int // vector i of a leaf, in ascending order, is row from[i]
}

// leafElements returns how many numbers of memory a leafSolver takes for vectors with the given number of columns.
func leafElements(cols int) int { return batch.Width * leafOrder * (2 + cols) }

// solve overwrites the diagonals of the leaves by their eigenvalues in ascending order. The vectors have all their
// elements or, with boundary, the first and the last one. The largest element of a leaf should be at most about 2;
// errors are relative to 1.
func (l *leafSolver) solve(t Matrix, nodes []nodeRows, boundary bool, memory []float64) error {
	order := 0
	for _, s := range nodes {
		order = max(order, s.end-s.start)
	}
	l.load(t, nodes, order, boundary, memory)
	found := l.problem.Diagonalize(kernel.Best(), MaxSweepsPerValue*order)
	for lane, s := range nodes {
		if finite := l.sort(t.D[s.start:s.end], lane); found[lane] < order || !finite {
			return &ConvergenceError{Found: s.start + min(found[lane], s.end-s.start-1), Order: len(t.D)}
		}
	}
	return nil
}

// load fills the lanes. A leaf of a smaller order is padded by a zero matrix.
func (l *leafSolver) load(t Matrix, nodes []nodeRows, order int, boundary bool, memory []float64) {
	take := func(rows int) []float64 {
		part := memory[:rows*batch.Width]
		memory = memory[len(part):]
		clear(part)
		return part
	}
	cols := order
	if boundary {
		cols = boundaryCols
	}
	p := batch.Problem{
		Width: batch.Width, Order: order, Parts: 1, Cols: cols, D: take(order), E: take(order), Vectors: take(order * cols),
	}
	for lane := range p.Floor {
		p.Floor[lane] = dense.RoundoffDouble * dense.RoundoffDouble
	}
	for lane, s := range nodes {
		n := s.end - s.start
		sign := 1.0 // of a row of vectors; makes the couplings positive
		for i := range n {
			p.D[i*batch.Width+lane] = t.D[s.start+i]
			switch {
			case !boundary:
				p.Vectors[(i*cols+i)*batch.Width+lane] = sign
			case i == 0:
				p.Vectors[lane] = sign
			}
			if i+1 < n {
				p.E[i*batch.Width+lane] = t.E[s.start+i]
				sign = math.Copysign(sign, sign*t.E[s.start+i])
			}
		}
		if boundary {
			p.Vectors[((n-1)*cols+1)*batch.Width+lane] = sign
		}
	}
	l.problem = p
}

// sort stores the eigenvalues of a lane in d, in ascending order, and reports whether they are finite.
func (l *leafSolver) sort(d []float64, lane int) (finite bool) {
	from, sum := &l.from[lane], 0.0
	for i := range d { // insertion
		x, place := l.problem.D[i*batch.Width+lane], i
		for place > 0 && d[place-1] > x {
			d[place], from[place] = d[place-1], from[place-1]
			place--
		}
		d[place], from[place] = x, i
		sum += x
	}
	return sum-sum == 0
}

// element returns element j of vector i of a leaf.
func (l *leafSolver) element(lane, i, j int) float64 {
	return l.problem.Vectors[(l.from[lane][i]*l.problem.Cols+j)*batch.Width+lane]
}
