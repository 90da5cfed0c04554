package eig

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/workspace"
	"trnsci/core/scratch"
)

// blocks lends the memory of blocks of eigenvectors.
var blocks = scratch.Pool{MostBytes: workspace.MaxKeptBytes}

// blockWidth returns how many eigenvectors of a matrix of order n are computed together.
func blockWidth(n int) int {
	const narrow, wide, count = 16, 64, 8
	return min(max(n/count, narrow), wide)
}

// storeVectors stores the right eigenvectors of A = Z T Z^H, or the left ones if T was reversed, in the columns of out.
// zt is Z^H, with its rows in reverse order if T was reversed; b is the balancing of A, or nil. Vectors have norm 1,
// complex ones a largest element that is real.
func storeVectors[W dense.Scalar, C dense.Complex](
	s *triangularVectors[W], zt dense.Matrix[W], reversed bool, b *hessenberg.Balancing, out dense.View[C],
) error {
	n, width, threads := s.t.Rows, blockWidth(s.t.Rows), s.team.Threads()
	ends := []int{} // descending, so that the longest work comes first
	for end := n; end > 0; end = s.blockStart(max(0, end-width)) {
		ends = append(ends, end)
	}
	size := storeElements(n)
	memory := workspace.Borrow[W](&blocks, threads*size)
	defer memory.GiveBack()
	stores := make([]vectorStore[W, C], threads)
	return s.team.For(len(ends), func(worker, k int) error {
		first, end := 0, ends[k]
		if k+1 < len(ends) {
			first = ends[k+1]
		}
		v := &stores[worker]
		if v.re == nil {
			*v = newVectorStore(s, zt, memory.Numbers[worker*size:][:size], out)
			v.reversed, v.back = reversed, hessenberg.NewBackTransform(b, reversed)
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
	s        *triangularVectors[W]
	zt       dense.Matrix[W]
	reversed bool
	back     *hessenberg.BackTransform
	out      dense.View[C]
	c        vectorBlock[W]
	x        []W             // eigenvectors of T in columns
	product  dense.Matrix[W] // those of A in rows
	re, im   []float64       // one of them
}

// storeElements returns how many numbers newVectorStore takes: whole cache lines.
func storeElements(n int) int {
	const numbersPerLine = 16
	columns := blockWidth(n) + 1
	elements := 2*n*columns + spareElements(columns)
	return (elements + numbersPerLine - 1) / numbersPerLine * numbersPerLine
}

// spareElements returns the size of vectorBlock.spare for the given number of columns: two rows of a strip of T, or one
// of them and a row of the block.
func spareElements(columns int) int { return 2*(stripRows+1) + columns }

func newVectorStore[W dense.Scalar, C dense.Complex](
	s *triangularVectors[W], zt dense.Matrix[W], memory []W, out dense.View[C],
) vectorStore[W, C] {
	n, width := s.t.Rows, blockWidth(s.t.Rows)+1 // a block may have one more, so that a pair stays together
	parts := make([]float64, 2*n)
	return vectorStore[W, C]{
		s: s, zt: zt, out: out, x: memory[:n*width],
		product: dense.Matrix[W]{Rows: width, Cols: n, Stride: n, Data: memory[n*width:][:n*width]},
		c: vectorBlock[W]{
			vectors: make([]eigenvector, 0, width), from: make([]int, 0, width+1), spare: memory[2*n*width:],
		},
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
	// The products are the adjoints of the vectors in rows: X^H Z^H = (Z X)^H, or X^T Z^H = (Z conj(X))^H.
	transpose := blas.ConjTrans
	if v.reversed {
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

// store normalizes a vector, which is a row of the product or two rows, and stores it.
func (v *vectorStore[W, C]) store(product dense.Matrix[W], x *eigenvector) {
	k, n := v.c.first+x.column, len(v.re)
	row := product.Row(x.column)
	switch {
	case dense.IsComplex[W]():
		conjugateParts(v.re, v.im, row)
	case x.isPair:
		setReal(v.re, 1, row)
		sign := 1.0
		if v.reversed {
			sign = -1
		}
		setReal(v.im, sign, product.Row(x.column+1))
	default:
		setReal(v.re, 1, row)
		if v.reversed {
			k = n - 1 - k
		}
		v.storeReal(k)
		return
	}
	last := k
	if x.isPair {
		last = k + 1
	}
	if v.reversed {
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
		v.back.Apply(v.re, nil)
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

// storeComplex stores the vector with a phase that makes its largest element real and positive, and its conjugate in
// column last if that is another column.
func (v *vectorStore[W, C]) storeComplex(column, last int) {
	if v.back != nil {
		v.back.Apply(v.re, v.im)
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
	// The conjugate of the largest element over its modulus and over the norm. Two divisions round less than one by their
	// product.
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
