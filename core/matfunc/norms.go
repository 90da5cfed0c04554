package matfunc

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// infinityNorm returns the largest sum of |re| + |im| in a row of a: for a complex matrix a norm that is at most
// sqrt(2) times the infinity norm, and as good, as that of a product is at most the product of those of its factors.
func infinityNorm[T dense.Scalar](a dense.Matrix[T]) float64 {
	if dense.IsSingle[T]() {
		return largestSum[float32](a)
	}
	return largestSum[float64](a)
}

func largestSum[R dense.Float, T dense.Scalar](a dense.Matrix[T]) float64 {
	set, norm := kernel.Best(), R(0)
	for i := range a.Rows {
		norm = max(norm, vector.SumAbs(set, dense.Reals[R](a.Row(i))))
	}
	return float64(norm)
}

// productNorm returns the infinity norm of the product of a and b, or an estimate of it where the product would take
// longer. The product overwrites the last one of the powers, work[0] and work[1] are free.
func (e *exponential[T]) productNorm(a, b dense.Matrix[T]) (float64, error) {
	const largestExact = 48
	if e.n <= largestExact {
		product := e.powers[len(e.powers)-1]
		err := e.multiply(a, b, product)
		return infinityNorm(product), err
	}
	// The infinity norm is the 1-norm of the transpose.
	return estimateNorm(e.n, func(transposed bool, x, y []T) {
		first, second, trans := a, b, blas.Trans
		if transposed {
			first, second, trans = b, a, blas.NoTrans
		}
		middle := make([]T, e.n)
		blas.Gemv(e.team, trans, 1, first, dense.Vec(x), 0, dense.Vec(middle))
		blas.Gemv(e.team, trans, 1, second, dense.Vec(middle), 0, dense.Vec(y))
	}), e.team.Err()
}

// estimateNorm returns a lower bound, rarely less than a third, of the 1-norm of an n x n matrix M of which only
// products with vectors are known: product sets y to M x or, if transposed, to M^T x.
//
// Method: Higham, ACM TOMS 14, 1988, algorithm 4.1, which goes back to Hager.
func estimateNorm[T dense.Scalar](n int, product func(transposed bool, x, y []T)) float64 {
	const most = 5 // steps; two or three are usual
	x, y, signs := make([]T, n), make([]T, n), make([]T, n)
	for i := range x {
		x[i] = dense.FromReal[T](1 / float64(n))
	}
	product(false, x, y)
	norm, last := sumOfModuli(y), -1
	for range most {
		for i, v := range y {
			signs[i] = 1
			if size := dense.Abs(v); size > 0 {
				signs[i] = dense.Conj(v) * dense.FromReal[T](1/size)
			}
		}
		product(true, signs, x)
		next := blas.Iamax(dense.Vec(x))
		if next == last {
			break
		}
		last = next
		clear(x)
		x[next] = 1
		product(false, x, y)
		better := sumOfModuli(y)
		if better <= norm {
			break
		}
		norm = better
	}
	for i := range x {
		x[i] = dense.FromReal[T](1 + float64(i)/float64(max(1, n-1)))
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	product(false, x, y)
	return max(norm, 2*sumOfModuli(y)/float64(3*n))
}

func sumOfModuli[T dense.Scalar](x []T) float64 {
	sum := 0.0
	for _, v := range x {
		sum += dense.Abs(v)
	}
	return sum
}
