package factor

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
)

// Column pivoting. Columns of A, rows of X, are interchanged so that each reflector is that of the longest remaining
// one. During a panel the remaining rows are not updated: they are X - F V^T, of which only the current column, a row of
// R, is formed. The norms of what is right of it follow from that element. Where too many digits cancel, the panel ends
// early, all is updated, and the norms are computed anew. Source: LAPACK's geqp3, with the test of Drmac and Bujanovic,
// ACM Trans. Math. Softw. 35, 12 (2008).

// pivoting is what a factorization with pivots needs beside its qr.
type pivoting struct {
	pivots []int64
	norms  []float64 // of the remaining rows
	exact  []float64 // the norms when they were computed last
	again  []int     // rows whose norms have to be computed
}

// pivotStepWeight is the time of a multiply-add with pivots relative to one without: half of them are those of products
// of matrices and vectors, which wait for memory.
const pivotStepWeight = 3

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
	vt, factors := f.vt.Slice(0, end-first, 0, m-first), f.w.Slice(0, n, 0, end-first)
	v.again = v.again[:0]
	next = first
	for ; next < end && len(v.again) == 0; next++ {
		if err := f.team.Err(); err != nil {
			return next, err
		}
		f.interchange(v, factors, next)
		k := next - first
		before := vt.Slice(0, k, k, m-first) // V^T from the current column on
		row, u := x.Row(next)[next:], vt.Row(k)[k:]
		addMultiples(-1, factors.Row(next)[:k], before, row)
		beta, tau := f.makeReflector(row, u)
		clear(vt.Row(k)[:k])
		row[0] = beta
		f.tau[next] = tau
		f.setFactors(next, k, before, u, factors)
		f.updateNorms(v, next)
		f.team.Step(f.pivotedSteps(next))
	}
	k := next - first
	blas.Gemm(f.team, blas.NoTrans, blas.NoTrans, -1, factors.Slice(next, n, 0, k), vt.Slice(0, k, k, m-first), 1,
		x.Slice(next, n, next, m))
	for _, j := range v.again {
		v.norms[j] = blas.Nrm2(dense.Vec(x.Row(j)[next:]))
		v.exact[j] = v.norms[j]
	}
	return next, f.team.Err()
}

func (f *qr[T]) pivotedSteps(j int) int {
	return pivotStepWeight * (f.x.Cols - j) * (f.x.Rows - j) / f.width
}

// interchange brings the longest of the rows from j on to row j.
func (f *qr[T]) interchange(v *pivoting, factors dense.Matrix[T], j int) {
	p := j + blas.Iamax(dense.Vec(v.norms[j:]))
	if p == j {
		return
	}
	blas.Swap(dense.Vec(f.x.Row(p)), dense.Vec(f.x.Row(j)))
	blas.Swap(dense.Vec(factors.Row(p)), dense.Vec(factors.Row(j)))
	v.pivots[p], v.pivots[j] = v.pivots[j], v.pivots[p]
	v.norms[p], v.exact[p] = v.norms[j], v.exact[j]
}

// addMultiples adds alpha times the sum of multiples of rows to y.
func addMultiples[T dense.Scalar](alpha T, multiples []T, rows dense.Matrix[T], y []T) {
	if len(multiples) > 0 {
		blas.Gemv(nil, blas.Trans, alpha, rows, dense.Vec(multiples), 1, dense.Vec(y))
	}
}

// setFactors sets column k of F for the reflector with the vector u, that of row j, and updates column j of the rows
// below it: F_k = (X - F V^T) conj(u) conj(tau).
func (f *qr[T]) setFactors(j, k int, before dense.Matrix[T], u []T, factors dense.Matrix[T]) {
	n, m := f.x.Rows, f.x.Cols
	rest := f.x.Slice(j+1, n, j, m)
	if rest.Rows == 0 {
		return
	}
	s, conj := dense.Conj(f.tau[j]), f.conjugated(u)
	below := factors.Slice(j+1, n, 0, factors.Cols)
	column := dense.Vector[T]{N: below.Rows, Inc: below.Stride, Data: below.Data[k:]}
	blas.Gemv(f.team, blas.NoTrans, s, rest, dense.Vec(conj), 0, column)
	if k > 0 {
		sums := dense.Vec(f.sums[:k])
		blas.Gemv(nil, blas.NoTrans, 1, before, dense.Vec(conj), 0, sums)
		blas.Gemv(nil, blas.NoTrans, -s, below.Slice(0, below.Rows, 0, k), sums, 1, column)
	}
	current := f.sums[:k+1] // the current column of V^T
	for q := range k {
		current[q] = before.At(q, 0)
	}
	current[k] = 1
	elements := dense.Vector[T]{N: rest.Rows, Inc: rest.Stride, Data: rest.Data}
	blas.Gemv(nil, blas.NoTrans, -1, below.Slice(0, below.Rows, 0, k+1), dense.Vec(current), 1, elements)
}

// updateNorms removes column j from the norms of the rows below row j.
func (f *qr[T]) updateNorms(v *pivoting, j int) {
	least := math.Sqrt(dense.Eps[T]())
	for i := j + 1; i < f.x.Rows; i++ {
		norm := v.norms[i]
		if norm == 0 {
			continue
		}
		ratio := dense.Abs(f.x.At(i, j)) / norm
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
