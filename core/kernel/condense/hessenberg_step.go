package condense

import (
	"fmt"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// HessenbergStep is a pass over rows of a matrix A that ends one step of its reduction to Hessenberg form and begins the next one: each element is read and
// written once for an update of rank two and two products. For the columns j of the pass it does
//
//	A(i,j) -= y_i v_j + v_i w_j
//	y_i     = sum_j A(i,j) x_j    the new A
//	s_j    += x_i A(i,j)
//
// but in the first Top rows, where the reflectors have no elements, only what does not take v_i and x_i. With Complex, A and the vectors are pairs of real
// numbers, the parts of complex ones; v and x hold the conjugates of reflectors, so that
//
//	A(i,j) -= y_i v_j + conj(v_i) w_j
//	y_i     = sum_j A(i,j) conj(x_j)
//	s_j    += x_i A(i,j)
//
// ImagOffset numbers behind v, w and x stands the same vector multiplied by i, and there goes what s gets from the imaginary parts of x_i, so that the whole is
// s_j + i s_(j+ImagOffset).
//
// Row i of the pass is row Row+i of A, whose element (i, j) is A[i*Stride+j]; counts, strides and columns are those of real numbers. Cols is a multiple of
// LineElements; what fills up a row has to be zero in the vectors, where it may be anything finite in A. Nothing else is read or written.
type HessenbergStep[T kernel.Float] struct {
	Row, Top, Rows   int // Rows: those behind the first Top ones
	First, Cols      int
	Stride           int
	Complex          bool
	ImagOffset       int
	A, Y, V, W, X, S []T // W and S are not touched if Rows is 0
}

// Run does the pass. The same call gives the same bits; other cuts of the rows give others. Like all assembly it cannot be preempted.
func (p *HessenbergStep[T]) Run(s kernel.Set) {
	p.check()
	if s != kernel.Go {
		hessenbergAssembly(s, p)
		return
	}
	for i := range p.Top + p.Rows {
		p.row(p.Row+i, i >= p.Top)
	}
}

// width returns how many real numbers an element has.
func (p *HessenbergStep[T]) width() int {
	if p.Complex {
		return 2
	}
	return 1
}

func (p *HessenbergStep[T]) check() {
	end, rows := p.First+p.Cols, p.Row+p.Top+p.Rows
	reach := end // of the vectors of columns
	if p.Complex {
		reach += p.ImagOffset
	}
	fits := min(p.Row, p.Top, p.Rows, p.First, p.Stride, p.ImagOffset) >= 0 && rows > p.Row && p.Cols > 0 && p.Cols%LineElements[T]() == 0 &&
		(rows-1)*p.Stride+end <= len(p.A) && rows*p.width() <= len(p.Y) && reach <= min(len(p.V), len(p.X))
	if fits && p.Rows > 0 {
		fits = reach <= min(len(p.W), len(p.S)) && rows*p.width() <= min(len(p.V), len(p.X))
	}
	if !fits {
		panic(fmt.Sprintf("condense: similarity of %d and %d rows from %d on, %d columns from %d on, stride %d, does not fit lengths %d, %d, %d, %d, %d, %d",
			p.Top, p.Rows, p.Row, p.Cols, p.First, p.Stride, len(p.A), len(p.Y), len(p.V), len(p.W), len(p.X), len(p.S)))
	}
}

// row does the work on row i, from both sides or only from the right.
func (p *HessenbergStep[T]) row(i int, both bool) {
	end := p.First + p.Cols
	row := p.A[i*p.Stride:][p.First:end]
	of := func(vector []T, turn int) []T { return vector[turn+p.First : turn+end] }
	add := func(multiple T, x []T) {
		for j := range row {
			row[j] += multiple * x[j]
		}
	}
	sum := func(x []T) (sum T) {
		for j, a := range row {
			sum += a * x[j]
		}
		return sum
	}
	w := p.width()
	add(-p.Y[w*i], of(p.V, 0))
	if p.Complex {
		add(-p.Y[w*i+1], of(p.V, p.ImagOffset))
	}
	if both {
		add(-p.V[w*i], of(p.W, 0))
		if p.Complex {
			add(p.V[w*i+1], of(p.W, p.ImagOffset))
		}
		vec.Axpy(p.X[w*i], row, of(p.S, 0))
		if p.Complex {
			vec.Axpy(p.X[w*i+1], row, of(p.S, p.ImagOffset))
		}
	}
	p.Y[w*i] = sum(of(p.X, 0))
	if p.Complex {
		p.Y[w*i+1] = sum(of(p.X, p.ImagOffset))
	}
}
