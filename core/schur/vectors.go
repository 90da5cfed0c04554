package schur

import (
	"math"
	"math/cmplx"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// blockWidth returns how many eigenvectors of a matrix of order n are made together.
func blockWidth(n int) int {
	const narrow, wide, blocks = 16, 64, 8
	return min(max(n/blocks, narrow), wide)
}

// storeVectors stores the right eigenvectors of A = Z T Z^H in the columns of out, each of norm 1 with a real largest element if it is complex,
// or if T was turned over the left ones. zt is Z^H, with its rows in reverse order if T was turned over.
func storeVectors[W dense.Scalar, C dense.Complex](s *substitution[W], zt dense.Matrix[W], turned bool, out dense.View[C]) error {
	n, width := s.t.Rows, blockWidth(s.t.Rows)
	ends := []int{} // descending, so that the longest work comes first
	for end := n; end > 0; end = s.whole(max(0, end-width)) {
		ends = append(ends, end)
	}
	stores := make([]*vectorStore[W, C], s.team.Threads())
	return s.team.For(len(ends), func(worker, b int) error {
		first, end := 0, ends[b]
		if b+1 < len(ends) {
			first = ends[b+1]
		}
		if stores[worker] == nil {
			stores[worker] = newVectorStore(s, zt, turned, out)
		}
		if err := stores[worker].block(first, end); err != nil {
			return err
		}
		s.team.Step(end - first)
		return nil
	})
}

// vectorStore is the work of one thread on blocks of eigenvectors.
type vectorStore[W dense.Scalar, C dense.Complex] struct {
	s       *substitution[W]
	zt      dense.Matrix[W]
	turned  bool
	out     dense.View[C]
	x       []W             // eigenvectors of T in columns
	product dense.Matrix[W] // those of A in rows
	re, im  []float64       // one of them
}

func newVectorStore[W dense.Scalar, C dense.Complex](s *substitution[W], zt dense.Matrix[W], turned bool, out dense.View[C]) *vectorStore[W, C] {
	n, width := s.t.Rows, blockWidth(s.t.Rows)+1 // a block may have one more, so that a pair stays together
	return &vectorStore[W, C]{
		s: s, zt: zt, turned: turned, out: out, x: newAligned[W](n * width), product: dense.New[W](width, n),
		re: make([]float64, n), im: make([]float64, n),
	}
}

// block computes and stores the eigenvectors from first on, before end.
func (v *vectorStore[W, C]) block(first, end int) error {
	width := end - first
	x := dense.Matrix[W]{Rows: end, Cols: width, Stride: width, Data: v.x[:end*width]}
	clear(x.Data)
	if err := v.s.solve(x, first, end); err != nil {
		return err
	}
	v.s.level(columns[W]{first: first, x: x})
	// Both are conjugates: X^H Z^H of Z X, and X^T Z^H of Z conj(X).
	transpose := blas.ConjTrans
	if v.turned {
		transpose = blas.Trans
	}
	product := v.product.Slice(0, width, 0, v.product.Cols)
	blas.Gemm(v.s.team.Serial(), transpose, blas.NoTrans, 1, x, v.zt.Slice(0, end, 0, v.zt.Cols), 0, product)
	if err := v.s.team.Err(); err != nil {
		return err
	}
	for r := 0; r < width; r++ {
		r += v.store(product, r, first+r)
	}
	return nil
}

// store normalizes the vector in row r of the product, which belongs to eigenvalue k, and stores it. It returns 1 if the
// vector takes two rows.
func (v *vectorStore[W, C]) store(product dense.Matrix[W], r, k int) (more int) {
	n := len(v.re)
	isComplex := dense.IsComplex[W]()
	for i, x := range product.Row(r) {
		v.re[i] = dense.Real(x)
	}
	switch {
	case isComplex: // the product is conjugate
		for i, x := range product.Row(r) {
			v.im[i] = -dense.Imag(x)
		}
	case v.s.isPair(k):
		more = 1
		sign := 1.0
		if v.turned {
			sign = -1
		}
		for i, x := range product.Row(r + 1) {
			v.im[i] = sign * dense.Real(x)
		}
	default:
		v.storeReal(v.place(k, 0))
		return 0
	}
	column := v.place(k, more)
	v.storeComplex(column)
	if more == 1 {
		for i := range n {
			v.out.Set(i, column+1, dense.Conj(v.out.At(i, column)))
		}
	}
	return more
}

// place returns the column for eigenvector k, and for the next one if there are more.
func (v *vectorStore[W, C]) place(k, more int) int {
	if v.turned {
		return len(v.re) - 1 - k - more
	}
	return k
}

func (v *vectorStore[W, C]) storeReal(column int) {
	sum := 0.0
	for _, x := range v.re {
		sum += x * x
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v.re {
		v.out.Set(i, column, C(complex(x*scale, 0)))
	}
}

// storeComplex stores the vector with a phase that makes its largest element real and positive.
func (v *vectorStore[W, C]) storeComplex(column int) {
	sum, most, largest := 0.0, -1.0, 0
	for i, x := range v.re {
		square := x*x + v.im[i]*v.im[i]
		sum += square
		if square > most {
			most, largest = square, i
		}
	}
	pivot := complex(v.re[largest], -v.im[largest])
	factor := pivot / complex(cmplx.Abs(pivot)*math.Sqrt(sum), 0)
	for i, x := range v.re {
		v.out.Set(i, column, C(complex(x, v.im[i])*factor))
	}
	v.out.Set(largest, column, C(complex(cmplx.Abs(pivot)/math.Sqrt(sum), 0)))
}

// reverseRows puts the rows of m in reverse order.
func reverseRows[W dense.Scalar](m dense.Matrix[W]) {
	spare := make([]W, m.Cols)
	for i, j := 0, m.Rows-1; i < j; i, j = i+1, j-1 {
		copy(spare, m.Row(i))
		copy(m.Row(i), m.Row(j))
		copy(m.Row(j), spare)
	}
}
