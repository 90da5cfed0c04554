package condense

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// HessenbergStep is a pass over rows of a matrix A that ends one step of its reduction to Hessenberg form and begins
// the next one: each element is read and written once, for an update of rank two and two products. For all columns j of
// the pass it computes
//
//	A(i,j) -= y_i v_j + v_i w_j
//	y_i     = sum_j A(i,j) x_j    with the new A
//	s_j    += x_i A(i,j)
//
// In the first Top rows, where the reflectors have no elements, it leaves out the terms with v_i and x_i. With Complex,
// A and the vectors are pairs of real numbers, the parts of complex ones; v and x hold the conjugates of reflectors,
// and the pass computes
//
//	A(i,j) -= y_i v_j + conj(v_i) w_j
//	y_i     = sum_j A(i,j) conj(x_j)
//	s_j    += x_i A(i,j)
//
// For complex data, i v, i w and i x are stored ImagOffset numbers after v, w and x. Contributions of Im x_i to s are
// accumulated at the same offset: the sum is s_j + i s_(j+ImagOffset).
//
// Row i of the pass is row Row+i of A, whose element (i, j) is A[i*Stride+j]. Counts, strides and columns are those of
// real numbers. Cols is a multiple of LineElements; the vectors are zero in the columns that fill up a row, where A may
// have any finite numbers. Nothing else is read or written.
type HessenbergStep[T kernel.Float] struct {
	Row, Top, Rows   int // Rows: those behind the first Top ones
	First, Cols      int
	Stride           int
	Complex          bool
	ImagOffset       int
	A, Y, V, W, X, S []T // W and S are not touched if Rows is 0
}

// Run does the pass. Equal calls give equal bits; another cut of the rows gives others. Assembly cannot be preempted.
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

// width returns the real numbers of an element.
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
	fits := min(p.Row, p.Top, p.Rows, p.First, p.Stride,
		p.ImagOffset) >= 0 && rows > p.Row && p.Cols > 0 && p.Cols%LineElements[T]() == 0 &&
		(rows-1)*p.Stride+end <= len(p.A) && rows*p.width() <= len(p.Y) && reach <= min(len(p.V), len(p.X))
	if fits && p.Rows > 0 {
		fits = reach <= min(len(p.W), len(p.S)) && rows*p.width() <= min(len(p.V), len(p.X))
	}
	if !fits {
		panic(fmt.Sprintf("condense: Hessenberg step of %d and %d rows from %d on, %d columns from %d on, stride "+
			"%d, does not fit lengths %d, %d, %d, %d, %d, %d",
			p.Top, p.Rows, p.Row, p.Cols, p.First, p.Stride, len(p.A), len(p.Y), len(p.V), len(p.W), len(p.X),
			len(p.S)))
	}
}

// row updates row i, from both sides or only from the right.
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

// hessenbergAssembly does the pass in assembly.
func hessenbergAssembly[T kernel.Float](s kernel.Set, p *HessenbergStep[T]) {
	size, width := int(unsafe.Sizeof(T(0))), p.width()
	at := func(x []T, i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), i*size) }
	args := hessenbergArgs{
		a: at(p.A, p.Row*p.Stride+p.First), y: at(p.Y, p.Row*width),
		v: at(p.V, p.First), x: at(p.X, p.First),
		imagOffset: p.ImagOffset * size, stride: p.Stride * size, steps: p.Cols * size / vec.Bytes(s), top: p.Top,
		rows: p.Rows,
	}
	if p.Rows > 0 {
		args.rowsV, args.rowsX, args.w, args.s = at(p.V, p.Row*width), at(p.X, p.Row*width), at(p.W, p.First), at(p.S,
			p.First)
	}
	t := vec.FloatType[T]()
	if p.Complex {
		t += vec.Complex64 - vec.Float32
	}
	hessenbergStepKernel(s, t, &args)
}
