package blas

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// Nrm2 returns the Euclidean norm of x, free of overflow and of harmful underflow. It is NaN if x holds one.
//
// The sum of squares is used directly if it is far enough from the ends of the range; otherwise x is scaled by a power
// of two and read again. Blue, ACM TOMS 4, 1978, and Anderson, ACM TOMS 44, 2017, decide for each element separately
// instead.
func Nrm2[T dense.Scalar](x dense.Vector[T]) float64 {
	if dense.IsSingle[T]() {
		return nrm2[float32](kernel.Best(), x)
	}
	return nrm2[float64](kernel.Best(), x)
}

func nrm2[R dense.Float, T dense.Scalar](set kernel.Set, x dense.Vector[T]) float64 {
	sum := 0.0
	forPieces(x, func(piece []T) { sum += float64(vector.SumSquares(set, dense.Reals[R](piece))) })
	// Squares below the smallest normal number have lost bits; together they count for less than a rounding error if
	// the sum is this large.
	least, most := dense.SmallestNormal[R](), dense.LargestPower[R]()
	if safe := float64(2*x.N) * least / dense.Eps[R](); sum >= safe && sum <= most || math.IsNaN(sum) {
		return math.Sqrt(sum)
	}
	return scaledNorm[R](set, x)
}

// scaledNorm is nrm2 with x scaled so that its largest element is about 1. x holds no NaN.
func scaledNorm[R dense.Float, T dense.Scalar](set kernel.Set, x dense.Vector[T]) float64 {
	largest := 0.0
	forPieces(x, func(piece []T) { largest = max(largest, float64(vector.MaxAbs(set, dense.Reals[R](piece)))) })
	if largest == 0 || math.IsInf(largest, 0) {
		return largest
	}
	most := dense.LargestPower[R]()
	_, limit := math.Frexp(most)
	_, exponent := math.Frexp(largest)
	// Close to the ends the power of two itself has to be in range; a few powers do not matter.
	exponent = min(max(exponent, 2-limit), limit-2)
	down, sum := R(math.Ldexp(1, -exponent)), 0.0
	var scaled [pieceLength]T
	forPieces(x, func(piece []T) {
		for len(piece) > 0 {
			n := copy(scaled[:], piece)
			part := dense.Reals[R](scaled[:n])
			vector.Scale(set, down, part)
			sum += float64(vector.SumSquares(set, part))
			piece = piece[n:]
		}
	})
	return math.Ldexp(math.Sqrt(sum), exponent)
}

// pieceLength is the number of elements of a strided vector that are copied at a time.
const pieceLength = 256

// forPieces calls body for pieces of x whose elements are neighbours in memory, copies where x is strided.
func forPieces[T dense.Scalar](x dense.Vector[T], body func(piece []T)) {
	if x.Inc == 1 {
		for i := 0; i < x.N; i += vectorCall {
			body(x.Data[i:min(x.N, i+vectorCall)])
		}
		return
	}
	var copied [pieceLength]T
	at := x.First()
	for i := 0; i < x.N; i += pieceLength {
		piece := copied[:min(pieceLength, x.N-i)]
		for k := range piece {
			piece[k] = x.Data[at]
			at += x.Inc
		}
		body(piece)
	}
}

// Asum returns sum_i |re x_i| + |im x_i|.
func Asum[T dense.Scalar](x dense.Vector[T]) float64 {
	if dense.IsSingle[T]() {
		return asum[float32](kernel.Best(), x)
	}
	return asum[float64](kernel.Best(), x)
}

func asum[R dense.Float, T dense.Scalar](set kernel.Set, x dense.Vector[T]) float64 {
	sum := 0.0
	forPieces(x, func(piece []T) { sum += float64(vector.SumAbs(set, dense.Reals[R](piece))) })
	return sum
}

// Iamax returns the first i with the largest |re x_i| + |im x_i|, -1 for an empty x. As in the reference BLAS, the
// result is 0 if x_0 is NaN, and other NaNs are passed over.
func Iamax[T dense.Scalar](x dense.Vector[T]) int {
	if x.N == 0 {
		return -1
	}
	switch {
	case dense.IsComplex[T]() && x.Inc == 1 && dense.IsSingle[T]():
		return iamaxPairs(dense.Reals[float32](x.Data[:x.N]))
	case dense.IsComplex[T]() && x.Inc == 1:
		return iamaxPairs(dense.Reals[float64](x.Data[:x.N]))
	case dense.IsComplex[T]():
	case dense.IsSingle[T]():
		return iamax(kernel.Best(), dense.Vector[float32]{N: x.N, Inc: x.Inc, Data: dense.Reals[float32](x.Data)})
	default:
		return iamax(kernel.Best(), dense.Vector[float64]{N: x.N, Inc: x.Inc, Data: dense.Reals[float64](x.Data)})
	}
	at := x.First()
	largest, where := abs1(x.Data[at]), 0
	for i := range x.N {
		if size := abs1(x.Data[at]); size > largest {
			largest, where = size, i
		}
		at += x.Inc
	}
	return where
}

// iamaxPairs is Iamax for contiguous pairs of real and imaginary parts.
func iamaxPairs[R dense.Float](x []R) int {
	largest, where := math.Abs(float64(x[0]))+math.Abs(float64(x[1])), 0
	for i := 2; i+1 < len(x); i += 2 {
		if size := math.Abs(float64(x[i])) + math.Abs(float64(x[i+1])); size > largest {
			largest, where = size, i/2
		}
	}
	return where
}

// abs1 returns |re x| + |im x| of a complex x.
func abs1[T dense.Scalar](x T) float64 { return math.Abs(dense.Real(x)) + math.Abs(dense.Imag(x)) }

// iamax finds the piece with the largest element first, then the element.
func iamax[R dense.Float](set kernel.Set, x dense.Vector[R]) int {
	first := x.Data[x.First()]
	if first != first {
		return 0
	}
	if x.Inc == 1 && x.N <= shortLength {
		return iamaxShort(x.Data[:x.N])
	}
	if x.Inc == 1 && x.N <= pieceLength {
		return firstOfSize(x, vector.MaxAbs(set, x.Data[:x.N]), 0)
	}
	largest, start, at := R(-1), 0, 0
	forPieces(x, func(piece []R) {
		for len(piece) > 0 {
			n := min(pieceLength, len(piece))
			if m := vector.MaxAbs(set, piece[:n]); m > largest {
				largest, start = m, at
			}
			piece, at = piece[n:], at+n
		}
	})
	return firstOfSize(x, largest, start)
}

// shortLength is the length up to which a plain loop finds the largest element in less time than a kernel is called.
const shortLength = 24

func iamaxShort[R dense.Float](x []R) int {
	largest, where := math.Abs(float64(x[0])), 0
	for i, v := range x {
		if size := math.Abs(float64(v)); size > largest {
			largest, where = size, i
		}
	}
	return where
}

// firstOfSize returns the first i from start on for which |x[i]| is size. There is one.
func firstOfSize[R dense.Float](x dense.Vector[R], size R, start int) int {
	if x.Inc == 1 {
		for i, v := range x.Data[start:x.N] {
			if v == size || v == -size {
				return start + i
			}
		}
	}
	for i := start; ; i++ {
		if v := x.Data[x.First()+i*x.Inc]; v == size || v == -size {
			return i
		}
	}
}
