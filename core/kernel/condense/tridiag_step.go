package condense

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// TridiagStep is a pass over rows of the lower triangle of a Hermitian (real: symmetric) matrix A that ends a step of its reduction to
// tridiagonal form and begins the next one: each element is read and written once for an update of rank two and a product with a vector.
// Row i of the pass is row First+i of A, whose element (First+i, j) is A[i*Stride+j]. It does
//
//	A(k,j) -= v_k conj(w_j) + w_k conj(v_j)    j <= k
//	y_k    += sum_j A(k,j) x_j                 j <= k, the new A
//	y_j    += conj(A(k,j)) x_k                 j < k
//
// First is a multiple of LineElements, Rows one of TridiagRows, and the imaginary parts of the diagonal are taken to be 0. What is right
// of the diagonal in the columns before the next multiple of LineElements is scratch memory that must be there, in the vectors, too: it may
// be overwritten, and nothing depends on it. Nothing further right is read or written. A zero of v and w leaves a row's elements as they are.
//
// Method: Dongarra, Sorensen and Hammarling, Block reduction of matrices to condensed forms for eigenvalue computations, J. Comput. Appl.
// Math. 27 (1989), put the update off in the same way, but for many steps.
type TridiagStep[E kernel.Scalar] struct {
	First, Rows, Stride int
	A                   []E
	V, W, X, Y          []E
}

// TridiagRows returns what divides the numbers of rows that a TridiagStep takes: no set takes more together. It divides LineElements, too.
func TridiagRows[E kernel.Scalar]() int {
	const numbers = 8
	switch any(E(0)).(type) {
	case complex64, complex128:
		return numbers / 2
	}
	return numbers
}

// LineElements returns the multiple of columns for which a TridiagStep wants memory: the elements in 64 bytes, the largest vector.
func LineElements[E kernel.Scalar]() int {
	const bytes = 64
	return bytes / int(unsafe.Sizeof(E(0)))
}

// Run does the pass. The same call gives the same bits; other cuts of the rows give others. Like all assembly it cannot be preempted.
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
	if r.First < 0 || r.Rows < 1 || r.First%group != 0 || r.Rows%TridiagRows[E]() != 0 || r.Stride < 0 || (r.Rows-1)*r.Stride+cols > len(r.A) ||
		cols > min(len(r.V), len(r.W), len(r.X), len(r.Y)) {
		panic(fmt.Sprintf("condense: reduction of %d rows from %d on, stride %d, does not fit lengths %d, %d, %d, %d, %d",
			r.Rows, r.First, r.Stride, len(r.A), len(r.V), len(r.W), len(r.X), len(r.Y)))
	}
}

// reduceGo keeps two sums for each row, so that additions need not wait for one another.
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
