package invsqrt

import (
	"math"
	"math/rand/v2"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/trnbackend/programs/staging"
)

// Parameters of rootError. The sum of the squares of 32 normal numbers is below 3.2 with a probability of at most
// 1.6^16 / 16! < 1e-10: the density of that sum at t is at most t^15 / (2^16 15!).
const (
	probes       = 32
	leastSquares = 3.2
)

// rootError estimates how far a symmetric X is from the inverse square root of A, from A and X in float64. The bound is
// at least |X - A^(-1/2)|_2, and so at least the error of each element, with a probability of 1 - 1e-10 if X is
// positive definite. It is infinite where |X A X - I|_2 may be 1 or more, since nothing is known then. off is an
// estimate of |X A X - I|_F. The bound is an estimate only because it is not checked that X is positive definite.
// Newton-Schulz iterates are polynomials of A with positive values. To change that, rounding errors would have to be as
// large as the smallest eigenvalue of X, 1/sqrt(cond(A)) of the largest one, while X A X - I, which is measured,
// already contains rounding errors times cond(A).
//
// With E = X A X - I and e = |E|_2 < 1, A = X^(-1) (I + E) X^(-1), so that (1+e)^(-1) X^2 <= A^(-1) <= (1-e)^(-1) X^2
// in the order of symmetric matrices. Square roots keep that order (R. Bhatia, Matrix Analysis, 1997, section V.1),
// thus
//
//	(1+e)^(-1/2) X <= A^(-1/2) <= (1-e)^(-1/2) X    and    |X - A^(-1/2)|_2 <= ((1-e)^(-1/2) - 1) |X|_2
//
// The residual of the iteration, |Z Y - I|, cannot be used for e: Y is A Z but for rounding that grows with the
// condition of A (N. J. Higham, Functions of Matrices, 2008, sections 6.4 and 6.7). So E is multiplied with random
// vectors v of normal numbers: the sum of |E v|^2 is at least e^2 times the sum of (u v)^2, where u, of length 1, is
// the vector that E stretches most, and the u v are normal numbers too. The expected sum of |E v|^2 is |E|_F^2 times
// the number of vectors. Where the rounding of X (A (X v)) alone could make e 1, products are computed in twice the
// working precision.
//
// Cost: about 200 n^2 operations, some 20 times as many in twice the working precision. The error is that of a
// cancelled call.
func rootError(check *staging.CancelCheck, a, x dense.Matrix[float64]) (bound, off float64, err error) {
	v := dense.New[float64](a.Rows, probes)
	rng := rand.New(rand.NewPCG(probes, uint64(a.Rows)))
	largest := 0.0
	for i := range v.Data {
		v.Data[i] = rng.NormFloat64()
		largest = math.Max(largest, math.Abs(v.Data[i]))
	}
	moduli, err := probeModuli(check, a, x, largest)
	if err != nil {
		return 0, 0, err
	}
	stretch, gamma := stretched, 4*float64(a.Rows+1)*dense.Eps[float64]()/2
	if least := math.Sqrt(leastSquares); !(gamma*moduli < least) {
		stretch, gamma = stretchedTwice, gamma*gamma
	}
	length, err := stretch(check, a, x, v)
	if err != nil {
		return 0, 0, err
	}
	off = length / math.Sqrt(probes)
	e := (length + gamma*moduli) / math.Sqrt(leastSquares)
	if !(e < 1) {
		return math.Inf(1), off, nil
	}
	norm, err := smallerNorm(check, x)
	return math.Expm1(-math.Log1p(-e)/2) * norm, off, err
}

// probeModuli returns a bound on the length of |X| |A| |X| |v| for all vectors v together; their elements are at most
// largest.
func probeModuli(check *staging.CancelCheck, a, x dense.Matrix[float64], largest float64) (float64, error) {
	y := make([]float64, a.Rows)
	for i := range y {
		y[i] = largest
	}
	for _, m := range []dense.Matrix[float64]{x, a, x} {
		if err := timesModuli(check, m, y); err != nil {
			return 0, err
		}
	}
	return math.Sqrt(probes) * length(y), nil
}

// stretched returns the length of (X A X - I) v for all columns of v together, and overwrites v. Its rounding error is
// at most that of three sums of n terms, gamma |X| |A| |X| |v| with gamma = 4 (n+1) u (N. J. Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.5).
func stretched(check *staging.CancelCheck, a, x, v dense.Matrix[float64]) (float64, error) {
	w, r := dense.New[float64](v.Rows, v.Cols), dense.New[float64](v.Rows, v.Cols)
	team := check.Team()
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, x, v, 0, r)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, a, r, 0, w)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, x, w, -1, v)
	return length(v.Data), check.Cause(team.Err())
}

// stretchedTwice is stretched in twice the working precision: its rounding error has gamma^2 in place of gamma.
func stretchedTwice(check *staging.CancelCheck, a, x, v dense.Matrix[float64]) (float64, error) {
	high, low := v, dense.New[float64](v.Rows, v.Cols)
	for _, m := range []dense.Matrix[float64]{x, a, x} {
		var err error
		if high, low, err = timesTwice(check, m, high, low); err != nil {
			return 0, err
		}
	}
	for i, e := range v.Data {
		v.Data[i] = (high.Data[i] - e) + low.Data[i]
	}
	return length(v.Data), nil
}

// timesTwice returns M (high + low) as a sum of a high and a low part. The rounding errors of products and sums are
// computed exactly and added separately (T. Ogita, S. M. Rump, S. Oishi, SIAM J. Sci. Comput. 26, 2005, Dot2).
func timesTwice(
	check *staging.CancelCheck, m, high, low dense.Matrix[float64],
) (newHigh, newLow dense.Matrix[float64], err error) {
	newHigh, newLow = dense.New[float64](m.Rows, high.Cols), dense.New[float64](m.Rows, high.Cols)
	for i := range m.Rows {
		sums, rests := newHigh.Row(i), newLow.Row(i)
		for j, x := range m.Row(i) {
			lows := low.Row(j)
			for k, h := range high.Row(j) {
				term := x * h
				sum := sums[k] + term
				added := sum - sums[k]
				rests[k] += math.FMA(x, h, -term) + ((sums[k] - (sum - added)) + (term - added)) + x*lows[k]
				sums[k] = sum
			}
		}
		for k, rest := range rests {
			sum := sums[k]
			sums[k] = sum + rest
			rests[k] = rest - (sums[k] - sum)
		}
		if err := check.Step(m.Cols * high.Cols); err != nil {
			return newHigh, newLow, err
		}
	}
	return newHigh, newLow, nil
}

// timesModuli replaces a vector y of non-negative elements by |M| y.
func timesModuli(check *staging.CancelCheck, m dense.Matrix[float64], y []float64) error {
	result := make([]float64, len(y))
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			result[i] += math.Abs(v) * y[j]
		}
		if err := check.Step(m.Cols); err != nil {
			return err
		}
	}
	copy(y, result)
	return nil
}

// length returns the Euclidean length.
func length(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// smallerNorm returns the smaller one of the infinity norm and the Frobenius norm. Both are upper bounds of the moduli
// of eigenvalues.
func smallerNorm(check *staging.CancelCheck, a dense.Matrix[float64]) (float64, error) {
	rows, squares := 0.0, 0.0
	for i := range a.Rows {
		sum := 0.0
		for _, v := range a.Row(i) {
			sum += math.Abs(v)
			squares += v * v
		}
		rows = math.Max(rows, sum)
		if err := check.Step(a.Cols); err != nil {
			return 0, err
		}
	}
	return math.Min(rows, math.Sqrt(squares)), nil
}
