package qz

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// pairs holds eigenvalues and both kinds of eigenvectors.
type pairs[C dense.Complex] struct {
	alpha       []complex128
	beta        []float64
	left, right dense.Matrix[C]
}

func eigenpairs[T dense.Scalar, C dense.Complex](t *testing.T, name string, a, b dense.Matrix[T]) *pairs[C] {
	t.Helper()
	n := a.Rows
	p := &pairs[C]{make([]complex128, n), make([]float64, n), dense.New[C](n, n), dense.New[C](n, n)}
	p.left.Fill(dense.FromReal[C](math.NaN()))
	p.right.Fill(dense.FromReal[C](math.NaN()))
	if err := Eigen(a.View(), b.View(), p.alpha, p.beta, p.left.View(), p.right.View(), Options{}); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return p
}

// vectorResidual returns the largest |beta A v - alpha B v| / (m eps (|beta| |A| + |alpha| |B|)) over the columns v.
func vectorResidual[C dense.Complex](
	a, b dense.Matrix[complex128], alpha []complex128, beta []float64, v dense.Matrix[C],
) float64 {
	n, worst := a.Rows, 0.0
	w := wide(v, 0)
	av, bv := dense.New[complex128](n, n), dense.New[complex128](n, n)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, w, 0, av)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, b, w, 0, bv)
	normA, normB := spectralNorm(a), spectralNorm(b)
	for k := range n {
		sum, length := 0.0, 0.0
		size := math.Hypot(cmplx.Abs(alpha[k]), beta[k])
		if size == 0 {
			continue // a singular pencil has no such vector
		}
		x, y := alpha[k]/complex(size, 0), complex(beta[k]/size, 0)
		for i := range n {
			sum = math.Hypot(sum, cmplx.Abs(y*av.At(i, k)-x*bv.At(i, k)))
			length = math.Hypot(length, cmplx.Abs(w.At(i, k)))
		}
		if e := math.Abs(length - 1); !(e <= 8*float64(n)*dense.Eps[C]()) {
			return math.Inf(1)
		}
		if sum == 0 {
			continue // a zero matrix has no norm to divide by
		}
		unit := float64(max(n, smallestDivisor)) * dense.Eps[C]() * (cmplx.Abs(y)*normA + cmplx.Abs(x)*normB)
		worst = math.Max(worst, sum/unit)
	}
	return worst
}

// conjugateTransposed returns a^H.
func conjugateTransposed(a dense.Matrix[complex128]) dense.Matrix[complex128] {
	h := dense.New[complex128](a.Cols, a.Rows)
	for i := range a.Rows {
		for j := range a.Cols {
			h.Set(j, i, cmplx.Conj(a.At(i, j)))
		}
	}
	return h
}

func checkPairs[T dense.Scalar, C dense.Complex](t *testing.T, name string, a, b dense.Matrix[T]) {
	t.Helper()
	p := eigenpairs[T, C](t, name, a, b)
	wa, wb := wide(a, 0), wide(b, 0)
	right := vectorResidual(wa, wb, p.alpha, p.beta, p.right)
	conjugates := make([]complex128, len(p.alpha))
	for k, x := range p.alpha {
		conjugates[k] = cmplx.Conj(x)
	}
	left := vectorResidual(conjugateTransposed(wa), conjugateTransposed(wb), conjugates, p.beta, p.left)
	if !(right < limit) || !(left < limit) {
		t.Errorf("%s: residuals %.2f of right vectors, %.2f of left ones", name, right, left)
	}
	for k := 0; k < a.Rows && !dense.IsComplex[T](); k++ {
		step := 0
		if imag(p.alpha[k]) != 0 {
			step = 1
		}
		for i := range a.Rows {
			right, left := p.right.Row(i), p.left.Row(i)
			if dense.Conj(right[k]) != right[k+step] || dense.Conj(left[k]) != left[k+step] {
				t.Fatalf("%s: vectors %d and %d are not complex conjugates", name, k, k+step)
			}
		}
		k += step
	}
}

func TestEigenvectors(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 10, 30, 70} {
		for seed := range uint64(max(1, 30/max(n, 1))) {
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			name := fmt.Sprintf("n = %d, seed %d", n, seed)
			checkRandomPairs[float32, complex64](t, "float32, "+name, rng, n)
			checkRandomPairs[float64, complex128](t, "float64, "+name, rng, n)
			checkRandomPairs[complex64, complex64](t, "complex64, "+name, rng, n)
			checkRandomPairs[complex128, complex128](t, "complex128, "+name, rng, n)
		}
	}
}

func checkRandomPairs[T dense.Scalar, C dense.Complex](t *testing.T, name string, rng *rand.Rand, n int) {
	t.Helper()
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	checkPairs[T, C](t, name, a, b)
}

func TestEigenvectorsOfFamilies(t *testing.T) {
	for _, n := range []int{2, 5, 30} {
		names, matrices := families[float64](11, n)
		_, phased := families[complex128](11, n)
		for i := range matrices {
			for j := range matrices {
				if names[i] == "one huge element" || names[j] == "one huge element" || (n > 5 && (i+j)%n > 1) {
					continue // this test does not scale norms, and takes only some of the larger matrices
				}
				name := fmt.Sprintf("n = %d, %s and %s", n, names[i], names[j])
				checkPairs[float64, complex128](t, name, matrices[i], matrices[j])
				checkPairs[complex128, complex128](t, "complex, "+name, phased[i], phased[j])
			}
		}
	}
}

func TestVectorsThatGrow(t *testing.T) {
	// A triangular pair whose first elements grow by 1e10 from row to row: 1e1000 without scaling.
	const n = 100
	a, b := dense.New[float64](n, n), dense.New[float64](n, n)
	for i := range n {
		a.Set(i, i, 1)
		b.Set(i, i, 1)
		if i+1 < n {
			a.Set(i, i+1, 1)
		}
	}
	a.Set(n-1, n-1, 1+1e-10)
	checkPairs[float64, complex128](t, "growing", a, b)
}

func TestEigenOfASingularPencil(t *testing.T) {
	a := dense.FromRows([]float64{1, 2, 3}, []float64{0, 0, 4}, []float64{0, 0, 5})
	b := dense.FromRows([]float64{6, 7, 8}, []float64{0, 0, 9}, []float64{0, 0, 1})
	p := eigenpairs[float64, complex128](t, "singular", a, b)
	if p.alpha[1] != 0 || p.beta[1] != 0 {
		t.Errorf("eigenvalue %v/%v, want 0/0", p.alpha[1], p.beta[1])
	}
	for _, x := range append(append([]complex128{}, p.left.Data...), p.right.Data...) {
		if !dense.IsFinite(x) {
			t.Fatal("vectors of a singular pencil are not finite")
		}
	}
}

func TestEigenArgumentsAndNaNs(t *testing.T) {
	const n = 3
	square, none := dense.New[float64](n, n), dense.View[complex128]{}
	small := dense.New[complex128](2, 2).View()
	alpha, beta := make([]complex128, n), make([]float64, n)
	if err := Eigen(square.View(), square.View(), alpha, beta, small, none, Options{}); !isArgument(err, "left") {
		t.Errorf("left: got %v", err)
	}
	if err := Eigen(square.View(), square.View(), alpha, beta, none, small, Options{}); !isArgument(err, "right") {
		t.Errorf("right: got %v", err)
	}
	if err := Eigen(square.View(), square.View(), nil, nil, none, none, Options{}); !isArgument(err, "alpha") {
		t.Errorf("alpha: got %v", err)
	}
	square.Set(0, 0, math.NaN())
	if err := Eigen(square.View(), square.View(), alpha, beta, none, none, Options{}); !isArgument(err, "a") {
		t.Errorf("a NaN: got %v", err)
	}
	err := Eigen(square.View(), square.View(), alpha, beta, none, none, Options{SkipFiniteCheck: true})
	if err != nil || !cmplx.IsNaN(alpha[0]) {
		t.Errorf("a NaN, not checked: %v, %v", alpha[0], err)
	}
}

// The pair of a matrix and the identity has the eigenvalues of order 2 in the order of the matrix itself: that of the
// diagonal, the larger one first where its elements are equal, and reversed for lower triangular matrices. This is
// LAPACK's order.
func TestEigenOfOrder2HasTheOrderOfTheDiagonal(t *testing.T) {
	unit := dense.FromRows([]float64{1, 0}, []float64{0, 1})
	for _, c := range []struct {
		a    [4]float64
		want [2]float64
	}{
		{[4]float64{1, 2, 4, 3}, [2]float64{-1, 5}},
		{[4]float64{3, 2, 4, 1}, [2]float64{5, -1}},
		{[4]float64{-3, 2, 4, -1}, [2]float64{-5, 1}},
		{[4]float64{-1, 2, 4, -3}, [2]float64{1, -5}},
		{[4]float64{0, 1, 1, 0}, [2]float64{1, -1}},
		{[4]float64{-2, 1, 4, -2}, [2]float64{0, -4}},
		{[4]float64{1, 2, 0, 3}, [2]float64{1, 3}},
		{[4]float64{1, 0, 2, 3}, [2]float64{3, 1}},
		{[4]float64{3, 0, 0, 1}, [2]float64{3, 1}},
	} {
		a := dense.FromRows(c.a[:2], c.a[2:])
		alpha, beta := make([]complex128, 2), make([]float64, 2)
		none := dense.View[complex128]{}
		if err := Eigen(a.View(), unit.View(), alpha, beta, none, none, Options{}); err != nil {
			t.Fatal(err)
		}
		for k, want := range c.want {
			if d := chordal(alpha[k], beta[k], complex(want, 0), 1); d > 64*dense.EpsDouble {
				t.Errorf("%v: eigenvalue %d is %v/%v, want %v", c.a, k, alpha[k], beta[k], want)
			}
		}
	}
}
