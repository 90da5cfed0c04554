package svd

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
)

const (
	// Columns and rows that are reduced before the rest of the matrix is updated, by one product.
	panelWidth = 32
	// In matrices of up to this many columns each reflector is applied at once.
	directColumns = 64
	// A multiply-add of the reduction, half of which are products of matrices and vectors, takes as long as this many of
	// products of matrices.
	reduceStepWeight = 3
)

// bidiagonalization reduces an m x n matrix A, m >= n, to upper bidiagonal form: A = Q B P^H.
//
// The trailing matrix stays as it is while a panel is reduced; what would have been subtracted from it is W^T Z, where
// rows 2k and 2k+1 of W and Z belong to the reflectors H = I - tau v v^H from the left and G = I - tau u u^H from the
// right of step k:
//
//	W: v and tau A u,  Z: conj(tau) v^H A and u^H
//
// for the matrix A that each of them is applied to. Method: LAPACK's xLABRD (Dongarra, Hammarling and Sorensen, "Block
// reduction of matrices to condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27, 1989).
type bidiagonalization[T dense.Scalar] struct {
	team       *sched.Team
	a          dense.Matrix[T] // on return row i holds the vector of G_i right of the superdiagonal
	vt         dense.Matrix[T] // row i becomes the vector of H_i; no rows if not wanted
	tauQ, tauP []T
	b          tridiag.Bidiagonal
	w, z       dense.Matrix[T]
	column     []T // of a
	row, conj  []T
	sums       []T
}

// bidiagonalizationElements returns how many numbers of memory reduce takes for an m x n matrix.
func bidiagonalizationElements(m, n int) int {
	return 2*panelWidth*(m+n) + 2*m + 3*n + 2*panelWidth
}

// reduce reduces a, in memory of bidiagonalizationElements numbers.
func reduce[T dense.Scalar](team *sched.Team, a, vt dense.Matrix[T], memory []T) (*bidiagonalization[T], error) {
	m, n := a.Rows, a.Cols
	take := func(k int) []T {
		part := memory[:k:k]
		memory = memory[k:]
		return part
	}
	matrix := func(rows, cols int) dense.Matrix[T] {
		return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: take(rows * cols)}
	}
	r := &bidiagonalization[T]{team: team.Plan(reduceSteps(m, n)), a: a, vt: vt, b: tridiag.NewBidiagonal(n)}
	r.w, r.z = matrix(2*panelWidth, m), matrix(2*panelWidth, n)
	r.tauQ, r.tauP, r.row, r.column, r.conj, r.sums = take(n), take(n), take(n), take(m), take(m), take(2*panelWidth)
	if n <= directColumns {
		return r, r.reduceDirectly()
	}
	for first := 0; first < n; first += panelWidth {
		end := min(n, first+panelWidth)
		for i := first; i < end; i++ {
			if err := r.step(i, 2*(i-first)); err != nil {
				return nil, err
			}
		}
		used := 2 * (end - first)
		blas.Gemm(r.team.Plan(0), blas.Trans, blas.NoTrans, -1, r.w.Slice(0, used, end, m), r.z.Slice(0, used, end, n), 1,
			a.Slice(end, m, end, n))
		if err := r.team.Err(); err != nil {
			return nil, err
		}
		r.team.Step(reduceSteps(m-first, n-first) - reduceSteps(m-end, n-end))
	}
	return r, nil
}

// reduceSteps returns the cost of reduce in units of multiply-adds of products.
func reduceSteps(m, n int) int { return reduceStepWeight * 2 * n * n * (m - n/3) }

// step eliminates column i below the diagonal and row i right of the superdiagonal. used rows of W and Z are in use.
func (r *bidiagonalization[T]) step(i, used int) error {
	m, n := r.a.Rows, r.a.Cols
	column := r.column[:m-i]
	for k := range column {
		column[k] = r.a.Data[(i+k)*r.a.Stride+i]
	}
	sums := r.gather(r.z, i, used)
	r.subtract(column, r.w.Slice(0, used, i, m), sums)
	v := r.w.Row(used)
	clear(v[:i])
	r.b.D[i], r.tauQ[i] = realReflector(column, v[i:])
	if r.vt.Rows > 0 {
		copy(r.vt.Row(i)[i:], v[i:])
	}
	if i+1 == n {
		clear(r.w.Row(used + 1))
		return nil
	}
	conj := conjugateOf(v[i:], r.conj)
	y := r.z.Row(used)[i+1:]
	blas.Gemv(r.team, blas.Trans, 1, r.a.Slice(i, m, i+1, n), dense.Vec(conj), 0, dense.Vec(y))
	if err := r.team.Err(); err != nil {
		return err
	}
	blas.Gemv(nil, blas.NoTrans, 1, r.w.Slice(0, used, i, m), dense.Vec(conj), 0, dense.Vec(sums))
	r.subtract(y, r.z.Slice(0, used, i+1, n), sums)
	blas.Scal(dense.Conj(r.tauQ[i]), dense.Vec(y))

	row := r.row[:n-i-1]
	copy(row, r.a.Row(i)[i+1:])
	r.subtract(row, r.z.Slice(0, used+1, i+1, n), r.gather(r.w, i, used+1))
	dense.Conjugate(row)
	u := r.a.Row(i)[i+1:]
	r.b.E[i], r.tauP[i] = realReflector(row, u)
	copy(r.z.Row(used + 1)[i+1:], u)
	dense.Conjugate(r.z.Row(used + 1)[i+1:])
	x := r.w.Row(used + 1)
	clear(x[:i+1])
	x = x[i+1:]
	sums = r.sums[:used+1]
	blas.Gemv(r.team, blas.NoTrans, 1, r.a.Slice(i+1, m, i+1, n), dense.Vec(u), 0, dense.Vec(x))
	blas.Gemv(nil, blas.NoTrans, 1, r.z.Slice(0, used+1, i+1, n), dense.Vec(u), 0, dense.Vec(sums))
	r.subtract(x, r.w.Slice(0, used+1, i+1, m), sums)
	blas.Scal(r.tauP[i], dense.Vec(x))
	return r.team.Err()
}

// reduceDirectly applies each reflector at once, in fewer operations for small matrices.
func (r *bidiagonalization[T]) reduceDirectly() error {
	m, n := r.a.Rows, r.a.Cols
	v := r.w.Row(0)
	for i := range n {
		column := r.column[:m-i]
		for k := range column {
			column[k] = r.a.Data[(i+k)*r.a.Stride+i]
		}
		r.b.D[i], r.tauQ[i] = realReflector(column, v[i:])
		if r.vt.Rows > 0 {
			copy(r.vt.Row(i)[i:], v[i:])
		}
		r.team.Step(reduceSteps(m-i, n-i) - reduceSteps(m-i-1, n-i-1))
		if i+1 == n {
			break
		}
		rest := r.a.Slice(i, m, i+1, n)
		householder.ApplyLeft(nil, dense.Conj(r.tauQ[i]), v[i:], conjugateOf(v[i:], r.conj), rest, r.z.Data)
		u, row := r.a.Row(i)[i+1:], r.row[:n-i-1]
		copy(row, u)
		dense.Conjugate(row)
		r.b.E[i], r.tauP[i] = realReflector(row, u)
		householder.ApplyRight(nil, r.tauP[i], u, rest.Slice(1, m-i, 0, n-i-1), r.column)
		if err := r.team.Err(); err != nil {
			return err
		}
	}
	return nil
}

// gather copies the first used elements of column j of x.
func (r *bidiagonalization[T]) gather(x dense.Matrix[T], j, used int) []T {
	sums := r.sums[:used]
	for k := range sums {
		sums[k] = x.Data[k*x.Stride+j]
	}
	return sums
}

// subtract subtracts the rows of x times factors from to.
func (r *bidiagonalization[T]) subtract(to []T, x dense.Matrix[T], factors []T) {
	if x.Rows > 0 {
		blas.Gemv(nil, blas.Trans, -1, x, dense.Vec(factors), 1, dense.Vec(to))
	}
}

// conjugateOf returns conj(x), in memory if x is complex.
func conjugateOf[T dense.Scalar](x, memory []T) []T {
	if !dense.IsComplex[T]() {
		return x
	}
	dense.ConjugateTo(memory[:len(x)], x)
	return memory[:len(x)]
}

// realReflector is householder.GenerateReal with beta as a real number.
func realReflector[T dense.Scalar](x, v []T) (beta float64, tau T) {
	first, tau := householder.GenerateReal(x, v)
	return dense.Real(first), tau
}
