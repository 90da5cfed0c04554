package programs

import (
	"math"
	"math/rand/v2"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Figures of rootError. The sum of the squares of 32 normal numbers is below 3.2 with a probability of at most 1.6^16 / 16! < 1e-10: the density of that
// sum at t is at most t^15 / (2^16 15!).
const (
	probes       = 32
	leastSquares = 3.2
)

// rootError estimates how far X, which is symmetric, is from the inverse square root of A, from A and X themselves in float64: the result is at least
// |X - A^(-1/2)|_2, and so at least the error of each element, with a probability of 1 - 1e-10 if X is positive definite. It is 0 if nothing can
// be said, which is where |X A X - I|_2 may be 1 or more. Only an estimate, since that X is positive definite is not checked: iterates of Newton and Schulz are
// polynomials of A with positive values, and rounding would have to be of the order of their smallest eigenvalue, 1/sqrt(cond(A)) of the largest,
// to change that, while X A X - I, which is measured, already feels rounding times cond(A).
//
// With E = X A X - I and e = |E|_2 < 1 it is A = X^(-1) (I + E) X^(-1), so that (1+e)^(-1) X^2 <= A^(-1) <= (1-e)^(-1) X^2 in the order of
// symmetric matrices. Square roots keep that order (R. Bhatia, Matrix Analysis, 1997, section V.1), thus
//
//	(1+e)^(-1/2) X <= A^(-1/2) <= (1-e)^(-1/2) X    and    |X - A^(-1/2)|_2 <= ((1-e)^(-1/2) - 1) |X|_2
//
// The residual of the iteration, |Z Y - I|, does not serve for e: Y is A Z but for rounding that grows with the condition of A (N. J. Higham, Functions of
// Matrices, 2008, sections 6.4 and 6.7). So E is multiplied with random vectors v of normal numbers: the sum of |E v|^2 is at least e^2 times the sum
// of (u v)^2, where u, of length 1, is the vector that E stretches most, and those u v are normal numbers too. The rounding of X (A (X v))
// is at most that of three sums of n terms, gamma |X| |A| |X| |v| (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.5).
//
// Cost: about 200 n^2 operations. The error is that of a cancelled call.
func rootError(p *pace, a, x dense.Matrix[float64]) (float64, error) {
	n := a.Rows
	v, w, r := dense.New[float64](n, probes), dense.New[float64](n, probes), dense.New[float64](n, probes)
	rng := rand.New(rand.NewPCG(probes, uint64(n)))
	largest := 0.0
	for i := range v.Data {
		v.Data[i] = rng.NormFloat64()
		largest = math.Max(largest, math.Abs(v.Data[i]))
	}
	team := p.team()
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, x, v, 0, r)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, a, r, 0, w)
	blas.Gemm(team, blas.NoTrans, blas.NoTrans, 1, x, w, -1, v) // now E v
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = largest
	}
	for _, m := range []dense.Matrix[float64]{x, a, x} {
		if err := timesModuli(p, m, ones); err != nil {
			return 0, err
		}
	}
	if err := p.cause(team.Err()); err != nil {
		return 0, err
	}
	gamma := 4 * float64(n+1) * dense.Eps[float64]() / 2
	e := (length(v.Data) + math.Sqrt(probes)*gamma*length(ones)) / math.Sqrt(leastSquares)
	if !(e < 1) {
		return math.Inf(1), nil
	}
	norm, err := smallerNorm(p, x)
	return math.Expm1(-math.Log1p(-e)/2) * norm, err
}

// timesModuli replaces y, whose elements are not negative, by |M| y.
func timesModuli(p *pace, m dense.Matrix[float64], y []float64) error {
	result := make([]float64, len(y))
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			result[i] += math.Abs(v) * y[j]
		}
		if err := p.did(m.Cols); err != nil {
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
