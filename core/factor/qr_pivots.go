package factor

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
)

// Column pivoting. Columns of A, rows of X, are interchanged so that each reflector is that of the longest remaining
// one. During a panel the remaining rows are not updated: they are X - F V^T, of which only the current column, a row
// of R, is formed. The norms of what is right of it follow from that element. Where too many digits cancel, the panel
// ends early, all is updated, and the norms are computed anew. F is stored by columns, which are made one by one.
// Source: LAPACK's geqp3, with the test of Drmac and Bujanovic, ACM Trans. Math. Softw. 35, 12 (2008).

// pivoting is what a factorization with pivots needs beside its qr.
type pivoting struct {
	pivots []int64
	norms  []float64 // of the remaining rows
	exact  []float64 // the norms when they were computed last
	again  []int     // rows whose norms have to be computed
}

// reduceWithPivots is reduce with pivots.
func (f *qr[T]) reduceWithPivots(pivots []int64) error {
	n := f.x.Rows
	norms := make([]float64, 2*n)
	v := &pivoting{pivots: pivots, norms: norms[:n], exact: norms[n:]}
	for j := range n {
		pivots[j] = int64(j)
		v.norms[j] = blas.Nrm2(dense.Vec(f.x.Row(j)))
	}
	copy(v.exact, v.norms)
	for first := 0; first < len(f.tau); {
		end, err := f.reducePivoted(v, first, min(first+f.width, len(f.tau)))
		if err != nil {
			return err
		}
		first = end
	}
	f.setTriangles()
	return f.team.Err()
}

// reducePivoted makes the reflectors of a panel from row first on, before end, and updates the remaining rows. It
// returns the row after that of the last reflector.
func (f *qr[T]) reducePivoted(v *pivoting, first, end int) (next int, err error) {
	x, n, m := f.x, f.x.Rows, f.x.Cols
	vt := f.vt.Slice(0, end-first, 0, m-first)
	ft := dense.Matrix[T]{Rows: end - first, Cols: n, Stride: n, Data: f.w.Data[:(end-first)*n]} // F^T
	v.again = v.again[:0]
	next = first
	for ; next < end && len(v.again) == 0; next++ {
		if err := f.team.Err(); err != nil {
			return next, err
		}
		k := next - first
		f.interchange(v, ft.Slice(0, k, 0, n), next)
		before := vt.Slice(0, k, k, m-first) // V^T from the current column on
		row, u := x.Row(next)[next:], vt.Row(k)[k:]
		multiples := f.sums[:k]
		for q := range multiples {
			multiples[q] = -ft.At(q, next)
		}
		addMultiples(multiples, before, row)
		beta, tau := f.makeReflector(row, u)
		clear(vt.Row(k)[:k])
		row[0] = beta
		f.tau[next] = tau
		f.setFactors(next, before, u, ft.Slice(0, k+1, next+1, n))
		f.reduceColumn(v, next, vt.Slice(0, k+1, k, m-first), ft.Slice(0, k+1, next+1, n))
		f.team.Step(f.pivotedSteps(next))
	}
	k := next - first
	blas.Gemm(f.team, blas.Trans, blas.NoTrans, -1, ft.Slice(0, k, next, n), vt.Slice(0, k, k, m-first), 1,
		x.Slice(next, n, next, m))
	for _, j := range v.again {
		v.norms[j] = blas.Nrm2(dense.Vec(x.Row(j)[next:]))
		v.exact[j] = v.norms[j]
	}
	return next, f.team.Err()
}

// interchange brings the longest of the rows from j on to row j.
func (f *qr[T]) interchange(v *pivoting, ft dense.Matrix[T], j int) {
	p := j + blas.Iamax(dense.Vec(v.norms[j:]))
	if p == j {
		return
	}
	blas.Swap(dense.Vec(f.x.Row(p)), dense.Vec(f.x.Row(j)))
	for q := range ft.Rows {
		row := ft.Row(q)
		row[p], row[j] = row[j], row[p]
	}
	v.pivots[p], v.pivots[j] = v.pivots[j], v.pivots[p]
	v.norms[p], v.exact[p] = v.norms[j], v.exact[j]
}

// addMultiples adds multiples of rows to y.
func addMultiples[T dense.Scalar](multiples []T, rows dense.Matrix[T], y []T) {
	if len(multiples) > 0 {
		blas.Gemv(nil, blas.Trans, 1, rows, dense.Vec(multiples), 1, dense.Vec(y))
	}
}

// setFactors sets the last column of F, of which ft has the elements below row j, for the reflector with the vector u,
// that of row j: (X - F V^T) conj(u) conj(tau).
func (f *qr[T]) setFactors(j int, before dense.Matrix[T], u []T, ft dense.Matrix[T]) {
	if ft.Cols == 0 {
		return
	}
	k, conj := before.Rows, f.conjugated(u)
	column := ft.Row(k)
	rest := f.x.Slice(j+1, f.x.Rows, j, f.x.Cols)
	blas.Gemv(f.team, blas.NoTrans, 1, rest, dense.Vec(conj), 0, dense.Vec(column))
	if k > 0 {
		sums := f.sums[:k]
		blas.Gemv(nil, blas.NoTrans, 1, before, dense.Vec(conj), 0, dense.Vec(sums))
		for q := range sums {
			sums[q] = -sums[q]
		}
		addMultiples(sums, ft.Slice(0, k, 0, ft.Cols), column)
	}
	blas.Scal(dense.Conj(f.tau[j]), dense.Vec(column))
}

// reduceColumn subtracts F V^T from the rest of column j, whose elements of V^T are the first ones of vt, and updates
// the norms of what is right of it.
func (f *qr[T]) reduceColumn(v *pivoting, j int, vt, ft dense.Matrix[T]) {
	current, elements := f.sums[:vt.Rows], f.ws.Data[:ft.Cols]
	for q := range current {
		current[q] = -vt.At(q, 0)
	}
	for q := range elements {
		elements[q] = f.x.At(j+1+q, j)
	}
	addMultiples(current, ft, elements)
	least := math.Sqrt(dense.Eps[T]())
	for q, element := range elements {
		i := j + 1 + q
		f.x.Set(i, j, element)
		norm := v.norms[i]
		if norm == 0 {
			continue
		}
		ratio := dense.Abs(element) / norm
		left := max(0, (1+ratio)*(1-ratio))
		if loss := norm / v.exact[i]; left*loss*loss <= least {
			v.again = append(v.again, i)
			continue
		}
		v.norms[i] = norm * math.Sqrt(left)
	}
}

// setTriangles sets S of all panels for reflectors that were made one by one.
func (f *qr[T]) setTriangles() {
	k := len(f.tau)
	for first := 0; first < k; first += f.width {
		p := f.loadPanel(first, min(first+f.width, k))
		gram := f.inner[0].Slice(0, p.vt.Rows, 0, p.vt.Rows)
		blas.Gemm(f.team, blas.NoTrans, blas.ConjTrans, 1, p.vt, p.vt, 0, gram)
		for j, tau := range p.tau {
			products := f.sums[:j]
			for q := range products {
				products[q] = gram.At(q, j)
			}
			householder.ExtendTriangle(p.s, dense.Conj(tau), products)
		}
	}
}
