package condense

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// TridiagStep is a pass over rows of the lower triangle of a Hermitian (real: symmetric) matrix A that ends one step of
// its reduction to tridiagonal form and begins the next one: each element is read and written once, for an update of
// rank two and a product with a vector. For row k = First+i, whose element (k, j) is A[i*Stride+j], it computes
//
//	A(k,j) -= v_k conj(w_j) + w_k conj(v_j)    j <= k
//	y_k    += sum_j A(k,j) x_j                 j <= k, with the new A
//	y_j    += conj(A(k,j)) x_k                 j < k
//
// First is a multiple of LineElements, Rows one of TridiagRows, and the imaginary parts of the diagonal count as 0. The
// elements right of the diagonal, up to the next multiple of LineElements, must exist in A and in the vectors: they are
// scratch memory, which may be overwritten and has no effect on results. Nothing further right is read or written.
// Where v and w are zero, the elements of a row keep their bits.
//
// Method: Dongarra, Sorensen and Hammarling, Block reduction of matrices to condensed forms for eigenvalue
// computations, J. Comput. Appl. Math. 27 (1989), delay the update in the same way, but for many steps.
type TridiagStep[E kernel.Scalar] struct {
	First, Rows, Stride int
	A                   []E
	V, W, X, Y          []E
}

// TridiagRows returns the number that the Rows of a TridiagStep are a multiple of: the most rows that a set takes
// together. It divides LineElements.
func TridiagRows[E kernel.Scalar]() int {
	const numbers = 8
	switch any(E(0)).(type) {
	case complex64, complex128:
		return numbers / 2
	}
	return numbers
}

// LineElements returns the elements in 64 bytes, a cache line and the largest vector. The columns of a TridiagStep or a
// HessenbergStep, and the vectors between two steps, are padded to multiples of it.
func LineElements[E kernel.Scalar]() int {
	return vec.LineBytes / int(unsafe.Sizeof(E(0)))
}

// Run does the pass. Equal calls give equal bits; another cut of the rows gives others. Assembly cannot be preempted.
func (r *TridiagStep[E]) Run(s kernel.Set) {
	r.check()
	if s != kernel.Go {
		tridiagAssembly(s, r)
		return
	}
	switch r := any(r).(type) {
	case *TridiagStep[float32]:
		reduceGo(r)
	case *TridiagStep[float64]:
		reduceGo(r)
	case *TridiagStep[complex64]:
		reduceComplexGo(r)
	case *TridiagStep[complex128]:
		reduceComplexGo(r)
	}
}

func (r *TridiagStep[E]) check() {
	group := LineElements[E]()
	cols := (r.First + r.Rows + group - 1) / group * group
	if r.First < 0 || r.Rows < 1 || r.First%group != 0 || r.Rows%TridiagRows[E]() != 0 || r.Stride < 0 ||
		(r.Rows-1)*r.Stride+cols > len(r.A) ||
		cols > min(len(r.V), len(r.W), len(r.X), len(r.Y)) {
		panic(fmt.Sprintf("condense: tridiagonal step of %d rows from %d on, stride %d, does not fit lengths %d, "+
			"%d, %d, %d, %d",
			r.Rows, r.First, r.Stride, len(r.A), len(r.V), len(r.W), len(r.X), len(r.Y)))
	}
}

// reduceGo keeps two sums for each row, so that an addition need not wait for the one before it.
func reduceGo[E kernel.Float](r *TridiagStep[E]) {
	for i := range r.Rows {
		k := r.First + i
		row := r.A[i*r.Stride:][:k]
		v, w, x, y := r.V[:k], r.W[:k], r.X[:k], r.Y[:k]
		vk, wk, xk := r.V[k], r.W[k], r.X[k]
		var sum, sum1 E
		j := 0
		for ; j+2 <= len(row); j += 2 {
			a := row[j] - (vk*w[j] + wk*v[j])
			a1 := row[j+1] - (vk*w[j+1] + wk*v[j+1])
			row[j], row[j+1] = a, a1
			sum += a * x[j]
			sum1 += a1 * x[j+1]
			y[j] += xk * a
			y[j+1] += xk * a1
		}
		if j < len(row) {
			a := row[j] - (vk*w[j] + wk*v[j])
			row[j] = a
			sum += a * x[j]
			y[j] += xk * a
		}
		diagonal := &r.A[i*r.Stride+k]
		*diagonal -= 2 * vk * wk
		r.Y[k] += sum + sum1 + *diagonal*xk
	}
}

func reduceComplexGo[E complex64 | complex128](r *TridiagStep[E]) {
	for i := range r.Rows {
		k := r.First + i
		row := r.A[i*r.Stride:][:k]
		v, w, x, y := r.V[:k], r.W[:k], r.X[:k], r.Y[:k]
		vk, wk, xk := r.V[k], r.W[k], r.X[k]
		var sum E
		for j := range row {
			a := row[j] - (vk*vec.Conj(w[j]) + wk*vec.Conj(v[j]))
			row[j] = a
			sum += a * x[j]
			y[j] += xk * vec.Conj(a)
		}
		diagonal := &r.A[i*r.Stride+k]
		re, _ := vec.Parts(*diagonal)
		*diagonal = vec.FromReal[E](re - 2*vec.RealDot(vk, wk))
		r.Y[k] += sum + *diagonal*xk
	}
}

// groupRows returns the rows that the kernel of a set takes together.
func groupRows(s kernel.Set, l vec.Type) int {
	rows := 8
	if s == kernel.AVX2 {
		rows = 4
	}
	if l.IsComplex() {
		rows /= 2
	}
	return rows
}

// tridiagAssembly does the pass in assembly.
func tridiagAssembly[E kernel.Scalar](s kernel.Set, r *TridiagStep[E]) {
	l := vec.TypeOf[E]()
	args := tridiagArgs{
		a: unsafe.Pointer(&r.A[0]), v: unsafe.Pointer(&r.V[0]), w: unsafe.Pointer(&r.W[0]), x: unsafe.Pointer(&r.X[0]),
		y:     unsafe.Pointer(&r.Y[0]),
		lanes: vec.Mask(0), signs: l.ImagSigns(),
		stride: r.Stride * l.Bytes(), first: r.First * l.Bytes(), groups: r.Rows / groupRows(s, l),
	}
	tridiagStepKernel(s, l, &args)
}
