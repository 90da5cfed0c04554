package matfunc

import (
	"math"

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

// estimateNorm returns a lower bound, rarely less than a third, of the 1-norm of an n x n matrix M that is known only
// by its products with vectors: product sets y to M x or, if transposed, to M^T x.
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

// frobeniusNorm returns the root of the sum of the squares of the elements.
func frobeniusNorm[W dense.Wide](m dense.Matrix[W]) float64 {
	norm := 0.0
	for i := range m.Rows {
		norm = math.Hypot(norm, blas.Nrm2(dense.Vec(m.Row(i))))
	}
	return norm
}

// roundingLimit returns the bound n eps |m| below which a computed singular value of m may be zero, given the rounding
// errors of a unitary similarity.
func roundingLimit[W dense.Wide](m dense.Matrix[W]) float64 {
	return float64(m.Rows) * dense.Eps[W]() * frobeniusNorm(m)
}

// normOfDifference returns |A - B|, in the norm of sums of rows.
func normOfDifference[W dense.Wide](a, b dense.Matrix[W]) float64 {
	difference := a.Clone()
	for i := range a.Rows {
		blas.Axpy(-1, dense.Vec(b.Row(i)), dense.Vec(difference.Row(i)))
	}
	return infinityNorm(difference)
}

// grading is the logarithms d of a diagonal matrix 2^d, by which the triangular T becomes the similar matrix 2^-d T
// 2^d. It is nil if T stays as it is.
type grading []int

// mostGrading is how many powers of two may be between the largest and the smallest scale. Elements that are scaled
// down further are far below rounding errors, and must not underflow.
func mostGrading[T dense.Scalar]() int {
	if dense.IsSingle[T]() {
		return 50
	}
	return 400
}

// gradingFor returns scales with which no element above the diagonal of an upper triangular or quasi-triangular t is
// larger than the largest one in the diagonal blocks, as far as scales of moderate size permit. A function of a similar
// matrix is similar to that of the matrix, and norms say more about it: those of triangles far from normal are large
// where their functions are as accurate as those of small ones.
func gradingFor[W dense.Wide](t dense.Matrix[W]) grading {
	ends := make([]int, 0, t.Rows)
	for i := 1; i <= t.Rows; i++ {
		if i == t.Rows || t.At(i, i-1) == 0 {
			ends = append(ends, i)
		}
	}
	return gradingOfBlocks(t, ends, 0)
}

// gradingOfBlocks is gradingFor for a block triangular t whose diagonal blocks end before the given rows; elements up
// to size are permitted, too.
func gradingOfBlocks[T dense.Scalar](t dense.Matrix[T], ends []int, size float64) grading {
	n, most, largest, first := t.Rows, mostGrading[T](), 0.0, 0
	for _, end := range ends {
		for i := first; i < end; i++ {
			for j, v := range t.Row(i)[first:] {
				if first+j < end {
					size = max(size, dense.Abs(v))
				} else {
					largest = max(largest, dense.Abs(v))
				}
			}
		}
		first = end
	}
	if size == 0 || largest <= size {
		return nil
	}
	d, bound := make(grading, n), math.Log2(size)
	first = 0
	for _, end := range ends {
		scale := 0
		for i := range first {
			for _, v := range t.Row(i)[first:end] {
				if v != 0 {
					scale = min(scale, d[i]+int(math.Floor(bound-math.Log2(dense.Abs(v)))))
				}
			}
		}
		for ; first < end; first++ {
			d[first] = max(scale, -most)
		}
	}
	return d
}

// regrade overwrites t by 2^-d t 2^d for a sign of 1, and by 2^d t 2^-d for -1.
func regrade[T dense.Scalar](t dense.Matrix[T], d grading, sign int) {
	if d == nil {
		return
	}
	for i := range t.Rows {
		row := t.Row(i)
		for j, v := range row {
			if shift := sign * (d[j] - d[i]); shift != 0 && v != 0 {
				row[j] = dense.FromParts[T](math.Ldexp(dense.Real(v), shift), math.Ldexp(dense.Imag(v), shift))
			}
		}
	}
}

// losses measure the accuracy that the square roots lose: residual is the largest |R R - S| / |S| of a root R of S, and
// growth is |R|^2 / |S| of the first one, a lower bound of the factor by which rounding errors of a dense matrix grow
// (Higham, Linear Algebra Appl. 88-89, 1987).
type losses struct{ residual, growth float64 }

// addRoot adds the root r of s; both have been graded by the scales.
func addRoot[W dense.Wide](l *losses, r, s dense.Matrix[W], scales grading) {
	if residual := sqrtResidual(r, s); !(residual <= l.residual) {
		l.residual = residual
	}
	if l.growth == 0 {
		l.growth = math.Pow(gradedNorm(r, scales), 2) / gradedNorm(s, scales)
	}
}

// gradedNorm returns the Frobenius norm of the matrix from which the scales made t.
func gradedNorm[W dense.Wide](t dense.Matrix[W], scales grading) float64 {
	if scales == nil {
		return frobeniusNorm(t)
	}
	t = t.Clone()
	regrade(t, scales, -1)
	return frobeniusNorm(t)
}

// sqrtResidual returns an estimate of |R R - T| / |T|, or of the relative error of R that explains it where that is
// smaller.
func sqrtResidual[W dense.Wide](r, t dense.Matrix[W]) float64 {
	const harmless = 1e-10 // far from half of the digits: there is nothing to explain
	n, norm := t.Rows, infinityNorm(t)
	middle := make([]W, n)
	residual := estimateNorm(n, func(transposed bool, x, y []W) {
		trans := transposition(transposed)
		blas.Gemv(nil, trans, 1, r, dense.Vec(x), 0, dense.Vec(middle))
		blas.Gemv(nil, trans, 1, t, dense.Vec(x), 0, dense.Vec(y))
		blas.Gemv(nil, trans, 1, r, dense.Vec(middle), -1, dense.Vec(y))
	}) / norm
	if residual <= harmless {
		return residual
	}
	square, other, moved := dense.New[W](n, n), dense.New[W](n, n), perturbed(r)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, r, r, 0, square)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, moved, moved, 0, other)
	return explainedError[W](normOfDifference(square, t)/norm, normOfDifference(other, square)/norm)
}

// perturbed returns x with each element moved by a machine epsilon, up or down.
func perturbed[W dense.Wide](x dense.Matrix[W]) dense.Matrix[W] {
	x = x.Clone()
	for k := range x.Data {
		_, part := math.Modf(float64(k+1) * math.Phi) // as good as random
		x.Data[k] *= dense.FromReal[W](1 + math.Copysign(dense.Eps[W](), part-0.5))
	}
	return x
}

// explainedError returns the relative error of a result, estimated as the residual in units of the one that rounding of
// its elements alone causes, or the residual itself if that is smaller.
func explainedError[W dense.Wide](residual, ofRounding float64) float64 {
	if explained := dense.Eps[W]() * residual / ofRounding; explained < residual {
		return explained
	}
	return residual
}
