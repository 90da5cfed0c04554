package numtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// HermitianFamily is a kind of Hermitian (real: symmetric) matrices that exists for every order n >= 1.
type HermitianFamily[W dense.Wide] struct {
	Name     string
	Make     func(rng *rand.Rand, n int) dense.Matrix[W]
	Spectrum func(n int) []float64 // the eigenvalues in ascending order; nil where there is no formula
}

// HermitianFamilies returns the kinds of matrices that Hermitian eigensolvers are tested with. Those with real elements
// a_jk become i^(j-k) a_jk for a complex W, which is exact and leaves the spectrum as it is.
func HermitianFamilies[W dense.Wide]() []HermitianFamily[W] {
	byFormula := func(name string, element func(n, i, j int) float64,
		spectrum func(n, k int) float64) HermitianFamily[W] {
		family := HermitianFamily[W]{Name: name, Make: func(_ *rand.Rand, n int) dense.Matrix[W] {
			return withPhases[W](byElement(n, func(i, j int) float64 { return element(n, i, j) }))
		}}
		if spectrum != nil {
			family.Spectrum = func(n int) []float64 { return sortedBy(n, spectrum) }
		}
		return family
	}
	random := func(name string, element func(rng *rand.Rand, n int) dense.Matrix[float64]) HermitianFamily[W] {
		return HermitianFamily[W]{Name: name, Make: func(rng *rand.Rand,
			n int) dense.Matrix[W] {
			return withPhases[W](element(rng, n))
		}}
	}
	return []HermitianFamily[W]{
		{Name: "random", Make: RandomHermitian[W]},
		{Name: "real elements", Make: func(rng *rand.Rand, n int) dense.Matrix[W] {
			a := dense.New[W](n, n)
			dense.Copy(a.View(), symmetric(rng, n).View())
			return a
		}},
		{Name: "graded down", Make: func(rng *rand.Rand, n int) dense.Matrix[W] {
			return gradedHermitian[W](rng, n, 1,
				1e-16)
		}},
		{Name: "graded up", Make: func(rng *rand.Rand, n int) dense.Matrix[W] {
			return gradedHermitian[W](rng, n, 1e-16,
				1)
		}},
		{Name: "rank deficient", Make: func(rng *rand.Rand, n int) dense.Matrix[W] {
			return fromFactor(Random[W](rng, n, (n+2)/3))
		}},
		{Name: "clustered", Make: clustered[W]},
		random("random tridiagonal", func(rng *rand.Rand, n int) dense.Matrix[float64] {
			a := symmetric(rng, n)
			return byElement(n, func(i, j int) float64 { return a.At(i, j) * isNear(i, j, 1) })
		}),
		random("diagonal plus rank one", func(rng *rand.Rand, n int) dense.Matrix[float64] {
			z := Random[float64](rng, 1, n).Row(0)
			return byElement(n, func(i, j int) float64 { return float64(i)*isNear(i, j, 0) + z[i]*z[j] })
		}),
		random("weakly coupled", func(rng *rand.Rand, n int) dense.Matrix[float64] {
			couplings := make([]float64, n+1)
			for i := range couplings {
				couplings[i] = math.Pow(10, -320*rng.Float64())
			}
			return byElement(n, func(i, j int) float64 { return couplings[max(i, j)] * isNear(i, j, 1) })
		}),
		byFormula("zero", func(_, _, _ int) float64 { return 0 }, func(_, _ int) float64 { return 0 }),
		byFormula("identity", func(_, i, j int) float64 { return isNear(i, j, 0) },
			func(_, _ int) float64 { return 1 }),
		byFormula("diagonal", func(n, i, j int) float64 { return alternating(n, i) * isNear(i, j, 0) }, alternating),
		byFormula("ones", func(_, _, _ int) float64 { return 1 },
			func(n, k int) float64 { return float64(n) * isNear(k, 0, 0) }),
		// The eigenvalues of W21+ come in pairs that agree to 14 digits (Wilkinson, The Algebraic Eigenvalue Problem,
		// p. 308).
		byFormula("Wilkinson", func(n, i, j int) float64 {
			if i == j {
				return math.Abs(float64(n-1)/2 - float64(i))
			}
			return isNear(i, j, 1)
		}, nil),
		// Symmetric form of the matrix of P. A. Clement, SIAM Review 1, 1959.
		byFormula("Clement", func(n, i, j int) float64 {
			k := float64(max(i, j))
			return math.Sqrt(k*(float64(n)-k)) * (isNear(i, j, 1) - isNear(i, j, 0))
		}, func(n, k int) float64 { return float64(2*k - n + 1) }),
		byFormula("Hilbert", func(_, i, j int) float64 { return 1 / float64(i+j+1) }, nil),
		// kron([[1, 1], [1, -1]], I), with a zero row and column more for odd n.
		byFormula("Hadamard blocks", func(n, i, j int) float64 {
			half := n / 2
			if max(i, j) >= 2*half || i%max(half, 1) != j%max(half, 1) {
				return 0
			}
			return 1 - 2*float64(i/half*(j/half))
		}, func(n, k int) float64 {
			if k == n-1 && n%2 == 1 {
				return 0
			}
			return math.Sqrt2 * float64(1-2*(k%2))
		}),
		byFormula("second difference", func(_, i, j int) float64 {
			return 3*isNear(i, j, 0) - isNear(i, j, 1)
		}, func(n, k int) float64 { return 2 - 2*math.Cos(float64(k+1)*math.Pi/float64(n+1)) }),
	}
}

// RandomHermitian returns (G + G^H) / 2 with a random G.
func RandomHermitian[W dense.Scalar](rng *rand.Rand, n int) dense.Matrix[W] {
	g, a := Random[W](rng, n, n), dense.New[W](n, n)
	for i := range n {
		for j := range n {
			a.Set(i, j, (g.At(i, j)+dense.Conj(g.At(j, i)))/2)
		}
	}
	return a
}

// RandomUnitary returns a product of n random reflections.
func RandomUnitary[W dense.Wide](rng *rand.Rand, n int) dense.Matrix[W] {
	q := dense.New[W](n, n)
	q.SetIdentity()
	v, w := Random[W](rng, n, n), make([]W, n)
	for k := range n {
		x := v.RowVec(k, 0, n)
		blas.Gemv(nil, blas.NoTrans, 1, q, x, 0, dense.Vec(w))
		blas.Gerc(nil, -2/blas.Dotc(x, x), dense.Vec(w), x, q)
	}
	return q
}

// WithSpectrum returns Q diag(values) Q^H with a random unitary Q.
func WithSpectrum[W dense.Wide](rng *rand.Rand, values []float64) dense.Matrix[W] {
	n := len(values)
	q, a := RandomUnitary[W](rng, n), dense.New[W](n, n)
	scaled := q.Clone()
	for i := range n {
		for j := range n {
			scaled.Set(i, j, q.At(i, j)*dense.FromReal[W](values[j]))
		}
	}
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, scaled, q, 0, a)
	symmetrize(a)
	return a
}

// EigenResidual returns |A V - V diag(w)|_F / (m eps |A|_2) for a Hermitian A, m = max(rows, 8).
func EigenResidual[W dense.Wide](a dense.Matrix[W], w []float64, v dense.Matrix[W], eps float64) float64 {
	residual := dense.New[W](v.Rows, v.Cols)
	for i := range v.Rows {
		for j := range v.Cols {
			residual.Set(i, j, v.At(i, j)*dense.FromReal[W](w[j]))
		}
	}
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, v, -1, residual)
	r := FrobeniusNorm(residual)
	if r == 0 {
		return 0
	}
	return r / (float64(max(a.Rows, smallestDivisor)) * eps * HermitianNorm(a))
}

// HermitianNorm returns |A|_2 of a Hermitian A, whose elements are neither huge nor tiny, from below: a few steps of
// the power method from the row with the largest norm, which is at least |A|_2 / sqrt(n) itself.
func HermitianNorm[W dense.Wide](a dense.Matrix[W]) float64 {
	const steps = 3
	x, y, norm := make([]W, a.Cols), make([]W, a.Cols), 0.0
	for i := range a.Rows {
		if r := blas.Nrm2(a.RowVec(i, 0, a.Cols)); r > norm {
			norm = r
			for j := range x {
				x[j] = dense.Conj(a.At(i, j))
			}
		}
	}
	if norm == 0 {
		return 0
	}
	for range steps {
		blas.Scal(dense.FromReal[W](1/blas.Nrm2(dense.Vec(x))), dense.Vec(x))
		blas.Gemv(nil, blas.NoTrans, 1, a, dense.Vec(x), 0, dense.Vec(y))
		norm = max(norm, blas.Nrm2(dense.Vec(y)))
		x, y = y, x
	}
	return norm
}

// UnitaryResidual returns |V^H V - I|_F / (m eps), m = max(rows, 8).
func UnitaryResidual[W dense.Wide](v dense.Matrix[W], eps float64) float64 {
	residual := dense.New[W](v.Cols, v.Cols)
	residual.SetIdentity()
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, v, v, -1, residual)
	return FrobeniusNorm(residual) / (float64(max(v.Rows, smallestDivisor)) * eps)
}

// withPhases returns the matrix of i^(j-k) a_jk, or a itself for a real W.
func withPhases[W dense.Wide](a dense.Matrix[float64]) dense.Matrix[W] {
	if same, ok := any(a).(dense.Matrix[W]); ok {
		return same
	}
	phases := [4]W{1, dense.FromParts[W](0, 1), -1, dense.FromParts[W](0, -1)}
	z := dense.New[W](a.Rows, a.Cols)
	for j := range a.Rows {
		for k := range a.Cols {
			z.Set(j, k, phases[(j-k)&3]*dense.FromReal[W](a.At(j, k)))
		}
	}
	return z
}

// isNear returns 1 if i and j differ by at most width, else 0.
func isNear(i, j, width int) float64 {
	if max(i, j)-min(i, j) <= width {
		return 1
	}
	return 0
}

// alternating returns element k of 0, -1, 2, -3, ..., scaled to at most 1.
func alternating(n, k int) float64 { return float64(k*(1-2*(k%2))) / float64(n) }

// sortedBy returns the n values spectrum(n, k) in ascending order.
func sortedBy(n int, spectrum func(n, k int) float64) []float64 {
	values := make([]float64, n)
	for k := range values {
		values[k] = spectrum(n, k)
	}
	slices.Sort(values)
	return values
}

// gradedHermitian is a random matrix scaled from both sides so that its diagonal goes from about first to about last.
func gradedHermitian[W dense.Wide](rng *rand.Rand, n int, first, last float64) dense.Matrix[W] {
	a := RandomHermitian[W](rng, n)
	ratio := math.Log(last/first) / float64(max(1, n-1))
	for i := range n {
		for j := range n {
			a.Set(i, j, a.At(i, j)*dense.FromReal[W](first*math.Exp(ratio*float64(i+j)/2)))
		}
	}
	return a
}

// clustered has the eigenvalues 1, 1, ..., 1, 2 and a few within 1e-13 of 1.
func clustered[W dense.Wide](rng *rand.Rand, n int) dense.Matrix[W] {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 + 1e-13*float64(i%3)
	}
	values[n-1] = 2
	return WithSpectrum[W](rng, values)
}

// fromFactor returns G G^H.
func fromFactor[W dense.Wide](g dense.Matrix[W]) dense.Matrix[W] {
	a := dense.New[W](g.Rows, g.Rows)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, g, g, 0, a)
	symmetrize(a)
	return a
}

// symmetrize replaces the elements above the diagonal of a by the conjugates of those below, and makes the diagonal
// real.
func symmetrize[W dense.Wide](a dense.Matrix[W]) {
	for i := range a.Rows {
		a.Set(i, i, dense.FromReal[W](dense.Real(a.At(i, i))))
		for j := range i {
			a.Set(j, i, dense.Conj(a.At(i, j)))
		}
	}
}
