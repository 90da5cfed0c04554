package schur

import (
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// eliminate makes the reflector of column k.
func (r *reduction[W]) eliminate(k int, multiply func(p int)) error {
	n, j := r.a.Rows, k-r.first
	x, factor := r.columns.Row(j), r.factor()
	vh, yt := r.right.Slice(0, j, r.lead, n), r.yt.Slice(0, j, r.lead, n)
	sums, current := r.coefficients[:j], x[r.lead:]
	if j > 0 {
		for q := range sums {
			sums[q] = -r.right.At(q, k)
		}
		addRows(blas.Trans, yt, sums, current)
		setSums(vh, current, sums)
		multiplyAdjoint(factor, sums)
		addRows(blas.ConjTrans, vh, sums, current)
	}
	v := r.v[k+1:]
	copy(v, x[k+1:])
	beta, tau := householder(v)
	clear(x[k+1:])
	x[k+1] = beta
	r.k = k
	r.setVector(tau != 0)
	factor.Set(j, j, tau)
	r.y = r.yt.Row(j)
	if tau == 0 {
		r.skip()
		return r.team.Err()
	}
	if err := r.share(r.parts, multiply); err != nil {
		return err
	}
	y := r.y[r.lead:]
	if j > 0 {
		setSums(r.right.Slice(0, j, k+1, n), v, sums)
		extendFactor(factor, tau, sums)
		for q, x := range sums {
			sums[q] = -x
		}
		addRows(blas.Trans, yt, sums, y)
	}
	blas.Scal(tau, dense.Vec(y))
	return nil
}

// setVector writes v and its conjugate where the passes look for them, with zeros before it from a whole line of the cache on. A reflector that is the
// identity has none: zeros.
func (r *reduction[W]) setVector(exists bool) {
	row, perLine := r.right.Row(r.k-r.first), lineBytes/int(unsafe.Sizeof(r.v[0]))
	r.begin = (r.k + 1) / perLine * perLine
	from := min(r.begin, r.first)
	clear(r.v[from : r.k+1])
	clear(row[from : r.k+1])
	if !exists {
		clear(r.v[r.k+1:])
	}
	conjugateTo(row[r.k+1:], r.v[r.k+1:])
	if dense.IsComplex[W]() {
		i := dense.FromParts[W](0, 1)
		for q := from; q < len(row); q++ {
			r.conj[q], r.turned[q] = row[q], i*row[q]
		}
	}
}

// skip sets what the passes of the current reflector would, to zero.
func (r *reduction[W]) skip() {
	clear(r.y[r.lead:])
	j := r.k - r.first
	for p := range j {
		r.factor().Set(p, j, 0)
	}
	for p := range r.parts {
		clear(r.sums.Row(p*r.width + j)[r.lead:])
	}
}

// multiply sets a part of y = A v, and adds its rows' part of v^H A to sums.
func (r *reduction[W]) multiply(p int) {
	if dense.IsSingle[W]() {
		pass[float32](r, p)
	} else {
		pass[float64](r, p)
	}
}

// pass is multiply for W's real type R: some rows at a time, forwards and backwards in turn, so that what was read last and is still in the cache is read first.
//
// A complex row is a real one of twice the length, and with x = conj(v) and x = i conj(v) its real inner products are the real and the imaginary part of the
// complex one. Multiples by the real parts of v are collected in sums, those by the imaginary parts in crossed:
//
//	v^H A = sums - i crossed
func pass[R dense.Float, W dense.Scalar](r *reduction[W], p int) {
	n, k, j, set := r.a.Rows, r.begin, r.k-r.first, kernel.Best()
	i0, i1 := rowsOfPart(p, r.parts, r.lead, n)
	clear(r.y[i0:i1])
	sums := r.sums.Row(p*r.width + j)[k:]
	clear(sums)
	crossed := sums[:0]
	words := 1
	if dense.IsComplex[W]() {
		words, crossed = 2, r.crossed.Row(p)[k:]
		clear(crossed)
	}
	steps := (i1 - i0 + rowsAtOnce - 1) / rowsAtOnce
	for step := range steps {
		if j%2 != 0 {
			step = steps - 1 - step
		}
		i := i0 + step*rowsAtOnce
		end := min(i1, i+rowsAtOnce)
		rows := vector.Rows[R]{Count: end - i, Cols: words * (n - k), Stride: words * r.a.Stride, A: dense.Reals[R](r.a.Data[i*r.a.Stride+k:])}
		alpha, y := dense.Reals[R](r.v[i:end]), dense.Reals[R](r.y[i:end])
		if words == 1 {
			vector.DotsAxpys(set, &rows, dense.Reals[R](r.v[k:]), y, alpha, dense.Reals[R](sums))
		} else {
			vector.DotsAxpysPair(set, &rows, dense.Reals[R](r.conj[k:]), dense.Reals[R](r.turned[k:]), y, alpha, dense.Reals[R](sums), dense.Reals[R](crossed))
		}
	}
	i := dense.FromParts[W](0, 1)
	for q, x := range crossed {
		sums[q] -= i * x
	}
}

// setSums sets sums to the product of m and x.
func setSums[W dense.Scalar](m dense.Matrix[W], x, sums []W) {
	blas.Gemv(nil, blas.NoTrans, 1, m, dense.Vec(x), 0, dense.Vec(sums))
}

// addRows adds multiples of the rows of m to y, or of their conjugates.
func addRows[W dense.Scalar](trans blas.Transpose, m dense.Matrix[W], multiples, y []W) {
	blas.Gemv(nil, trans, 1, m, dense.Vec(multiples), 1, dense.Vec(y))
}

// multiplyAdjoint replaces x by -F^H x for the upper triangular F.
func multiplyAdjoint[W dense.Scalar](f dense.Matrix[W], x []W) {
	for q := len(x) - 1; q >= 0; q-- {
		var sum W
		for p := 0; p <= q; p++ {
			sum += dense.Conj(f.At(p, q)) * x[p]
		}
		x[q] = -sum
	}
}

// extendFactor sets the elements above the diagonal of the next column of F to -tau F x.
func extendFactor[W dense.Scalar](f dense.Matrix[W], tau W, x []W) {
	for p := range x {
		var sum W
		for q := p; q < len(x); q++ {
			sum += f.At(p, q) * x[q]
		}
		f.Set(p, len(x), -tau*sum)
	}
}

// conjugateTo sets to to the complex conjugate of from.
func conjugateTo[W dense.Scalar](to, from []W) {
	if !dense.IsComplex[W]() {
		copy(to, from)
		return
	}
	for i, x := range from {
		to[i] = dense.Conj(x)
	}
}
