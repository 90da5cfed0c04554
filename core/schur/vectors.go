package schur

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// blockWidth returns how many eigenvectors of a matrix of order n are made together.
func blockWidth(n int) int {
	const narrow, wide, blocks = 16, 64, 8
	return min(max(n/blocks, narrow), wide)
}

// storeVectors stores the right eigenvectors of A = Z T Z^H in the columns of out, each of norm 1 with a real largest element if it is complex,
// or if T was turned over the left ones. zt is Z^H, with its rows in reverse order if T was turned over. back takes them to those of the matrix
// that was balanced.
func storeVectors[W dense.Scalar, C dense.Complex](s *substitution[W], zt dense.Matrix[W], turned bool, back *Balancing, out dense.View[C]) error {
	n, width, threads := s.t.Rows, blockWidth(s.t.Rows), s.team.Threads()
	ends := []int{} // descending, so that the longest work comes first
	for end := n; end > 0; end = s.whole(max(0, end-width)) {
		ends = append(ends, end)
	}
	size := storeElements(n)
	memory := borrow[W](&keptBlocks, threads*size)
	defer memory.GiveBack()
	stores := make([]vectorStore[W, C], threads)
	return s.team.For(len(ends), func(worker, b int) error {
		first, end := 0, ends[b]
		if b+1 < len(ends) {
			first = ends[b+1]
		}
		v := &stores[worker]
		if v.re == nil {
			*v = newVectorStore(s, zt, memory.numbers[worker*size:][:size], out)
			v.turned, v.back = turned, newRestorer(back, turned)
		}
		if err := v.block(first, end); err != nil {
			return err
		}
		s.team.Step(end*end - first*first)
		return nil
	})
}

// vectorStore is the work of one thread on blocks of eigenvectors.
type vectorStore[W dense.Scalar, C dense.Complex] struct {
	s       *substitution[W]
	zt      dense.Matrix[W]
	turned  bool
	back    *restorer
	out     dense.View[C]
	c       columns[W]
	x       []W             // eigenvectors of T in columns
	product dense.Matrix[W] // those of A in rows
	re, im  []float64       // one of them
}

// storeElements returns how many numbers newVectorStore takes: whole lines of the cache.
func storeElements(n int) int {
	const numbersPerLine = 16
	columns := blockWidth(n) + 1
	elements := 2*n*columns + spareElements(columns)
	return (elements + numbersPerLine - 1) / numbersPerLine * numbersPerLine
}

// spareElements returns how many numbers a block of so many columns takes besides: two rows of a strip of T, or one and a row of the block.
func spareElements(columns int) int { return 2*(stripRows+1) + columns }

func newVectorStore[W dense.Scalar, C dense.Complex](s *substitution[W], zt dense.Matrix[W], memory []W, out dense.View[C]) vectorStore[W, C] {
	n, width := s.t.Rows, blockWidth(s.t.Rows)+1 // a block may have one more, so that a pair stays together
	parts := make([]float64, 2*n)
	return vectorStore[W, C]{
		s: s, zt: zt, out: out, x: memory[:n*width], product: dense.Matrix[W]{Rows: width, Cols: n, Stride: n, Data: memory[n*width:][:n*width]},
		c:  columns[W]{vectors: make([]unknown, 0, width), from: make([]int, 0, width+1), spare: memory[2*n*width:]},
		re: parts[:n], im: parts[n:],
	}
}

// block computes and stores the eigenvectors from first on, before end.
func (v *vectorStore[W, C]) block(first, end int) error {
	width := end - first
	x := dense.Matrix[W]{Rows: end, Cols: width, Stride: width, Data: v.x[:end*width]}
	clear(x.Data)
	v.c.first, v.c.x = first, x
	if err := v.s.solve(&v.c, end); err != nil {
		return err
	}
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
	for k := range v.c.vectors {
		v.store(product, &v.c.vectors[k])
	}
	return nil
}

// store normalizes a vector, the product's row or two rows, and stores it.
func (v *vectorStore[W, C]) store(product dense.Matrix[W], vector *unknown) {
	k, n := v.c.first+vector.column, len(v.re)
	row := product.Row(vector.column)
	switch {
	case dense.IsComplex[W]():
		conjugateParts(v.re, v.im, row)
	case vector.isPair:
		setReal(v.re, 1, row)
		sign := 1.0
		if v.turned {
			sign = -1
		}
		setReal(v.im, sign, product.Row(vector.column+1))
	default:
		setReal(v.re, 1, row)
		if v.turned {
			k = n - 1 - k
		}
		v.storeReal(k)
		return
	}
	last := k
	if vector.isPair {
		last = k + 1
	}
	if v.turned {
		k, last = n-1-last, n-1-k
	}
	v.storeComplex(k, last)
}

// setReal sets x to sign times the row, which is real.
func setReal[W dense.Scalar](x []float64, sign float64, row []W) {
	switch row := any(row).(type) {
	case []float32:
		for i, r := range row[:len(x)] {
			x[i] = sign * float64(r)
		}
	case []float64:
		for i, r := range row[:len(x)] {
			x[i] = sign * r
		}
	}
}

// conjugateParts sets re and im to the parts of the conjugate row, which is complex.
func conjugateParts[W dense.Scalar](re, im []float64, row []W) {
	im = im[:len(re)]
	switch row := any(row).(type) {
	case []complex64:
		for i, r := range row[:len(re)] {
			re[i], im[i] = float64(real(r)), -float64(imag(r))
		}
	case []complex128:
		for i, r := range row[:len(re)] {
			re[i], im[i] = real(r), -imag(r)
		}
	}
}

func (v *vectorStore[W, C]) storeReal(column int) {
	if v.back != nil {
		v.back.restore(v.re, nil)
	}
	sum := 0.0
	for _, x := range v.re {
		sum += x * x
	}
	scale, at := 1/math.Sqrt(sum), v.out.Offset+column*v.out.ColStride
	for _, x := range v.re {
		v.out.Data[at] = C(complex(x*scale, 0))
		at += v.out.RowStride
	}
}

// storeComplex stores the vector with a phase that makes its largest element real and positive, and if last is another column its conjugate there.
func (v *vectorStore[W, C]) storeComplex(column, last int) {
	if v.back != nil {
		v.back.restore(v.re, v.im)
	}
	sum, most, largest := 0.0, -1.0, 0
	im := v.im[:len(v.re)]
	for i, x := range v.re {
		square := x*x + im[i]*im[i]
		sum += square
		if square > most {
			most, largest = square, i
		}
	}
	modulus, norm := math.Sqrt(most), math.Sqrt(sum)
	// The pivot's conjugate over its modulus, in two steps, for the sake of rounding errors where the vector has other elements.
	p, q := v.re[largest]/modulus/norm, -im[largest]/modulus/norm
	data, at, to := v.out.Data, v.out.Offset+column*v.out.ColStride, v.out.Offset+last*v.out.ColStride
	for i, x := range v.re {
		y := im[i]
		re, im := x*p-y*q, x*q+y*p
		if i == largest {
			re, im = modulus/norm, 0
		}
		data[at] = C(complex(re, im))
		if last != column {
			data[to] = C(complex(re, -im))
		}
		at, to = at+v.out.RowStride, to+v.out.RowStride
	}
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
