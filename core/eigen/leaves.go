package eigen

import (
	"math"

	"trnsci/core/kernel"
)

const (
	// A block of this order is diagonalized by the QL iteration; a larger one is halved until its pieces are at most that large, or half of it
	// for blocks that then have no more leaves than there are lanes.
	leafOrder = 16
	// Eigenvectors of leaves of which only the first and the last element are wanted have this many columns.
	endColumns = 2
)

// leaves diagonalizes some leaves of a tree, at most as many as there are lanes, and lists their eigenvectors, or elements of them.
type leaves struct {
	problem kernel.LaneProblem
	from    [kernel.Lanes][leafOrder]int // vector i of a leaf in ascending order belongs to row from[i]
}

// leafElements returns how many numbers leaves take as memory for vectors with a number of columns.
func leafElements(cols int) int { return kernel.Lanes * leafOrder * (2 + cols) }

// solve overwrites the diagonals of the leaves by their eigenvalues in ascending order. Vectors have all their elements, or, with ends, the first
// and the last one. The leaves' largest elements are to be at most 2 or so; errors are relative to 1.
func (l *leaves) solve(t *tridiagonal, spans []span, ends bool, memory []float64) error {
	order := 0
	for _, s := range spans {
		order = max(order, s.end-s.start)
	}
	l.load(t, spans, order, ends, memory)
	found := l.problem.Iterate(kernel.Best(), maxSweepsPerValue*order)
	for lane, s := range spans {
		if finite := l.sort(t.d[s.start:s.end], lane); found[lane] < order || !finite {
			return &ConvergenceError{Found: s.start + min(found[lane], s.end-s.start-1), Order: len(t.d)}
		}
	}
	return nil
}

// load fills the lanes. Rows behind a leaf are those of a zero matrix beside it.
func (l *leaves) load(t *tridiagonal, spans []span, order int, ends bool, memory []float64) {
	take := func(rows int) []float64 {
		part := memory[:rows*kernel.Lanes]
		memory = memory[len(part):]
		clear(part)
		return part
	}
	cols := order
	if ends {
		cols = endColumns
	}
	p := kernel.LaneProblem{Width: kernel.Lanes, Order: order, Parts: 1, Cols: cols, D: take(order), E: take(order), Vectors: take(order * cols)}
	for lane := range p.Floor {
		p.Floor[lane] = unitRoundoff * unitRoundoff
	}
	for lane, s := range spans {
		n := s.end - s.start
		sign := 1.0 // of the rows, which makes couplings positive
		for i := range n {
			p.D[i*kernel.Lanes+lane] = t.d[s.start+i]
			switch {
			case !ends:
				p.Vectors[(i*cols+i)*kernel.Lanes+lane] = sign
			case i == 0:
				p.Vectors[lane] = sign
			}
			if i+1 < n {
				p.E[i*kernel.Lanes+lane] = t.e[s.start+i]
				sign = math.Copysign(sign, sign*t.e[s.start+i])
			}
		}
		if ends {
			p.Vectors[((n-1)*cols+1)*kernel.Lanes+lane] = sign
		}
	}
	l.problem = p
}

// sort stores the eigenvalues of a lane in d, in ascending order, by insertion, and reports whether they are finite.
func (l *leaves) sort(d []float64, lane int) (finite bool) {
	from, sum := &l.from[lane], 0.0
	for i := range d {
		x, place := l.problem.D[i*kernel.Lanes+lane], i
		for place > 0 && d[place-1] > x {
			d[place], from[place] = d[place-1], from[place-1]
			place--
		}
		d[place], from[place] = x, i
		sum += x
	}
	return isFinite(sum)
}

// element returns element j of vector i of a leaf.
func (l *leaves) element(lane, i, j int) float64 {
	return l.problem.Vectors[(l.from[lane][i]*l.problem.Cols+j)*kernel.Lanes+lane]
}
