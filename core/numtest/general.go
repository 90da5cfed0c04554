package numtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Family is a kind of square matrices that exists for every order n >= 1.
type Family struct {
	Name string
	Make func(rng *rand.Rand, n int) dense.Matrix[float64]
}

// GeneralFamilies returns the kinds of nonsymmetric matrices that eigenvalue and Schur solvers are tested with. They
// are well known from the literature or stand for a way in which an iteration can fail.
func GeneralFamilies() []Family {
	return []Family{
		{"random", func(rng *rand.Rand, n int) dense.Matrix[float64] { return Random[float64](rng, n, n) }},
		{"uniform positive", uniform},
		{"signs", signs},
		{"triangular", triangular},
		{"lower triangular", func(rng *rand.Rand, n int) dense.Matrix[float64] {
			return transposed(triangular(rng,
				n))
		}},
		{"quasi-triangular", QuasiTriangular},
		{"Hessenberg", hessenberg},
		{"zero", func(_ *rand.Rand, n int) dense.Matrix[float64] { return dense.New[float64](n, n) }},
		{"identity", func(_ *rand.Rand, n int) dense.Matrix[float64] { return banded(n, nil, 1, nil) }},
		{"ones", func(_ *rand.Rand, n int) dense.Matrix[float64] {
			return byElement(n, func(_, _ int) float64 { return 1 })
		}},
		{"symmetric", symmetric},
		{"skew-symmetric", skew},
		{"tridiagonal skew-symmetric", func(_ *rand.Rand, n int) dense.Matrix[float64] {
			return banded(n, []float64{-1}, 0, []float64{1})
		}},
		{"orthogonal", Orthogonal},
		{"cyclic permutation", func(_ *rand.Rand, n int) dense.Matrix[float64] { return Cyclic(n) }},
		{"permutation", permutation},
		{"Jordan block", func(_ *rand.Rand, n int) dense.Matrix[float64] { return banded(n, nil, 2, []float64{1}) }},
		{"nilpotent", func(_ *rand.Rand, n int) dense.Matrix[float64] { return banded(n, []float64{1}, 0, nil) }},
		{"perturbed Jordan block", perturbedJordan},
		{"companion", companion},
		{"Grcar", func(_ *rand.Rand, n int) dense.Matrix[float64] {
			return banded(n, []float64{-1}, 1, []float64{1, 1, 1})
		}},
		{"Frank", func(_ *rand.Rand, n int) dense.Matrix[float64] { return Frank(n) }},
		{"Toeplitz", toeplitz},
		{"Clement", func(_ *rand.Rand, n int) dense.Matrix[float64] { return clement(n) }},
		{"Day", func(_ *rand.Rand, n int) dense.Matrix[float64] { return day(n) }},
		{"graded down", func(rng *rand.Rand, n int) dense.Matrix[float64] { return graded(rng, n, 1e12, 1e-12) }},
		{"graded up", func(rng *rand.Rand, n int) dense.Matrix[float64] { return graded(rng, n, 1e-12, 1e12) }},
		{"one huge element", oneHuge},
		{"low rank", lowRank},
		{"zero diagonal", zeroDiagonal},
		{"weakly coupled", weaklyCoupled},
	}
}

func byElement(n int, f func(i, j int) float64) dense.Matrix[float64] {
	a := dense.New[float64](n, n)
	for i := range n {
		for j := range n {
			a.Set(i, j, f(i, j))
		}
	}
	return a
}

// banded returns the Toeplitz matrix with the given subdiagonals, diagonal and superdiagonals, nearest first.
func banded(n int, below []float64, diagonal float64, above []float64) dense.Matrix[float64] {
	return byElement(n, func(i, j int) float64 {
		switch d := j - i; {
		case d == 0:
			return diagonal
		case d > 0 && d <= len(above):
			return above[d-1]
		case d < 0 && -d <= len(below):
			return below[-d-1]
		}
		return 0
	})
}

func transposed(a dense.Matrix[float64]) dense.Matrix[float64] {
	return byElement(a.Rows, func(i, j int) float64 { return a.At(j, i) })
}

// uniform has a Perron eigenvalue about n/2 and all others near 0.
func uniform(rng *rand.Rand, n int) dense.Matrix[float64] {
	return byElement(n, func(_, _ int) float64 { return rng.Float64() })
}

// signs has the elements -1, 0 and 1: sums cancel exactly.
func signs(rng *rand.Rand, n int) dense.Matrix[float64] {
	return byElement(n, func(_, _ int) float64 { return float64(rng.IntN(3) - 1) })
}

func triangular(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := Random[float64](rng, n, n)
	return byElement(n, func(i, j int) float64 {
		if j < i {
			return 0
		}
		return a.At(i, j)
	})
}

// QuasiTriangular returns a random real Schur form: standardized 2 x 2 blocks and 1 x 1 blocks in turn.
func QuasiTriangular(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := triangular(rng, n)
	for i := 0; i+1 < n; i += 3 {
		a.Set(i+1, i+1, a.At(i, i))
		a.Set(i+1, i, -math.Copysign(rng.Float64()+0.1, a.At(i, i+1)))
	}
	return a
}

func hessenberg(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := triangular(rng, n)
	for i := 1; i < n; i++ {
		a.Set(i, i-1, rng.NormFloat64())
	}
	return a
}

func symmetric(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := triangular(rng, n)
	return byElement(n, func(i, j int) float64 { return a.At(min(i, j), max(i, j)) })
}

func skew(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := triangular(rng, n)
	return byElement(n, func(i, j int) float64 {
		switch {
		case i < j:
			return a.At(i, j)
		case i > j:
			return -a.At(j, i)
		}
		return 0
	})
}

// Orthogonal returns a product of n random reflections.
func Orthogonal(rng *rand.Rand, n int) dense.Matrix[float64] {
	q := dense.New[float64](n, n)
	q.SetIdentity()
	v, w := Random[float64](rng, n, n), make([]float64, n)
	for k := range n {
		x := v.RowVec(k, 0, n)
		blas.Gemv(nil, blas.NoTrans, 1, q, x, 0, dense.Vec(w))
		blas.Gerc(nil, -2/blas.Dotc(x, x), dense.Vec(w), x, q)
	}
	return q
}

// Cyclic returns the permutation matrix with ones below the diagonal and in the upper right corner. Its eigenvalues are
// the n-th roots of unity, and a QR step without an exceptional shift reproduces it.
func Cyclic(n int) dense.Matrix[float64] {
	return byElement(n, func(i, j int) float64 {
		if i == (j+1)%n {
			return 1
		}
		return 0
	})
}

func permutation(rng *rand.Rand, n int) dense.Matrix[float64] {
	image := rng.Perm(n)
	return byElement(n, func(i, j int) float64 {
		if image[j] == i {
			return 1
		}
		return 0
	})
}

// perturbedJordan has eigenvalues on a circle of radius about 1e-10^(1/n) around 2.
func perturbedJordan(rng *rand.Rand, n int) dense.Matrix[float64] {
	a, e := banded(n, nil, 2, []float64{1}), Random[float64](rng, n, n)
	for i := range a.Data {
		a.Data[i] += 1e-10 * e.Data[i]
	}
	return a
}

// companion belongs to a monic polynomial with random coefficients.
func companion(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := banded(n, []float64{1}, 0, nil)
	for j := range n {
		a.Set(0, j, rng.NormFloat64())
	}
	return a
}

// Frank returns Frank's matrix (W. L. Frank, J. SIAM 6, 1958): upper Hessenberg, with determinant 1 and positive
// eigenvalues that come in pairs (x, 1/x), the smaller ones being ill-conditioned.
func Frank(n int) dense.Matrix[float64] {
	return byElement(n, func(i, j int) float64 {
		if j < i-1 {
			return 0
		}
		return float64(n - max(i, j))
	})
}

func toeplitz(rng *rand.Rand, n int) dense.Matrix[float64] {
	diagonals := Random[float64](rng, 1, 2*n).Row(0)
	return byElement(n, func(i, j int) float64 { return diagonals[n+j-i] })
}

// clement has the eigenvalues n-1, n-3, ..., 1-n and a zero diagonal (P. A. Clement, SIAM Review 1, 1959).
func clement(n int) dense.Matrix[float64] {
	return byElement(n, func(i, j int) float64 {
		switch j {
		case i + 1:
			return float64(i + 1)
		case i - 1:
			return float64(n - i)
		}
		return 0
	})
}

// day repeats down the diagonal the 4 x 4 matrix on which the QR iteration of EISPACK fails (D. Day, How the QR
// algorithm fails to converge and how to fix it, Sandia report 96-0913J).
func day(n int) dense.Matrix[float64] {
	const h = 1e-6
	block := [4][4]float64{{0, 1, 0, 0}, {1, 0, h, 0}, {0, -h, 0, 1}, {0, 0, 1, 0}}
	return byElement(n, func(i, j int) float64 {
		if i/4 != j/4 {
			return 0
		}
		return block[i%4][j%4]
	})
}

// graded is a random matrix whose rows and columns are scaled so that its diagonal goes from first to last.
func graded(rng *rand.Rand, n int, first, last float64) dense.Matrix[float64] {
	a := Random[float64](rng, n, n)
	ratio := math.Log(last/first) / float64(max(1, n-1))
	return byElement(n, func(i, j int) float64 { return a.At(i, j) * first * math.Exp(ratio*float64(i+j)/2) })
}

func oneHuge(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := Random[float64](rng, n, n)
	a.Set(rng.IntN(n), rng.IntN(n), 1e200)
	return a
}

func lowRank(rng *rand.Rand, n int) dense.Matrix[float64] {
	k := (n + 3) / 4
	x, y, a := Random[float64](rng, n, k), Random[float64](rng, n, k), dense.New[float64](n, n)
	blas.Gemm(nil, blas.NoTrans, blas.Trans, 1, x, y, 0, a)
	return a
}

func zeroDiagonal(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := Random[float64](rng, n, n)
	for i := range n {
		a.Set(i, i, 0)
	}
	return a
}

// weaklyCoupled is a random Hessenberg matrix with subdiagonal elements from 1 down to 1e-200.
func weaklyCoupled(rng *rand.Rand, n int) dense.Matrix[float64] {
	a := triangular(rng, n)
	for i := 1; i < n; i++ {
		a.Set(i, i-1, math.Pow(10, -200*rng.Float64()))
	}
	return a
}

// smallestDivisor is the order below which residuals are divided by it instead of by the order: errors of a few units
// in tiny matrices are no sign of trouble.
const smallestDivisor = 8

// SimilarityResidual returns |A - Q B Q^H|_F / (m eps |A|_2), m = max(n, 8): the backward error of a Schur, Hessenberg
// or spectral decomposition. It is computed on scaled copies, so that the norms may have any size. A zero A gives 0 for
// a zero B and infinity for others.
func SimilarityResidual[W dense.Wide](a, q, b dense.Matrix[W], eps float64) float64 {
	n := a.Rows
	exponent := largestExponent(a)
	a, b = scaled(a, -exponent), scaled(b, -exponent)
	qb, residual := dense.New[W](n, n), a.Clone()
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, q, b, 0, qb)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, -1, qb, q, 1, residual)
	r := FrobeniusNorm(residual)
	if r == 0 {
		return 0
	}
	return r / (float64(max(n, smallestDivisor)) * eps * SpectralNorm(a))
}

// largestExponent returns the e for which the largest part of an element of a is between 2^(e-1) and 2^e.
func largestExponent[W dense.Wide](a dense.Matrix[W]) int {
	largest := 0.0
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			largest = max(largest, math.Abs(dense.Real(x)), math.Abs(dense.Imag(x)))
		}
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

// scaled returns 2^shift a.
func scaled[W dense.Wide](a dense.Matrix[W], shift int) dense.Matrix[W] {
	s := a.Clone()
	for i, x := range s.Data {
		s.Data[i] = dense.FromParts[W](math.Ldexp(dense.Real(x), shift), math.Ldexp(dense.Imag(x), shift))
	}
	return s
}

// SpectralNorm returns the largest singular value of a, whose elements are neither huge nor tiny, from below and to a
// few percent: 20 steps of the power method on A^H A from fixed starting numbers.
func SpectralNorm[W dense.Wide](a dense.Matrix[W]) float64 {
	const steps = 20
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := Random[W](rng, 1, a.Cols).RowVec(0, 0, a.Cols), dense.Vec(make([]W, a.Rows))
	norm := 0.0
	for range steps {
		length := blas.Nrm2(x)
		if length == 0 {
			return norm
		}
		blas.Scal(dense.FromReal[W](1/length), x)
		blas.Gemv(nil, blas.NoTrans, 1, a, x, 0, y)
		norm = math.Max(norm, blas.Nrm2(y))
		blas.Gemv(nil, blas.ConjTrans, 1, a, y, 0, x)
	}
	return norm
}

// CheckHessenberg returns an error that names the first nonzero element below the first subdiagonal of h.
func CheckHessenberg[W dense.Scalar](h dense.Matrix[W]) error {
	return checkZeroBelow(h, 1)
}

// CheckTriangular returns an error that names the first nonzero element below the diagonal of t.
func CheckTriangular[W dense.Scalar](t dense.Matrix[W]) error {
	return checkZeroBelow(t, 0)
}

// checkZeroBelow returns an error that names the first nonzero element below the given subdiagonal of h.
func checkZeroBelow[W dense.Scalar](h dense.Matrix[W], diagonal int) error {
	for i := range h.Rows {
		for j := range i - diagonal {
			if x := h.At(i, j); x != 0 {
				return fmt.Errorf("element (%d,%d) below subdiagonal %d is %g", i, j, diagonal, x)
			}
		}
	}
	return nil
}

// CheckQuasiTriangular returns an error that names the first place where t is not a real Schur form: a nonzero element
// below the subdiagonal, two overlapping 2 x 2 blocks, or a 2 x 2 block that is not standardized (equal diagonal
// elements, off-diagonal elements of opposite sign).
func CheckQuasiTriangular(t dense.Matrix[float64]) error {
	if err := CheckHessenberg(t); err != nil {
		return err
	}
	for i := 0; i+1 < t.Rows; i++ {
		a, b, c, d := t.At(i, i), t.At(i, i+1), t.At(i+1, i), t.At(i+1, i+1)
		if c == 0 {
			continue
		}
		if a != d || b == 0 || math.Signbit(b) == math.Signbit(c) {
			return fmt.Errorf("rows %d and %d hold the block [%g %g; %g %g], which is not standardized", i, i+1, a, b,
				c, d)
		}
		if i+2 < t.Rows && t.At(i+2, i+1) != 0 {
			return fmt.Errorf("two blocks overlap in row %d", i+1)
		}
	}
	return nil
}
