package eig

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
	"trnsci/core/schur"
)

// scaledMinima returns D B D^-1 for the symmetric matrix B with the elements min(i, j), times size, and the exponents
// of D, powers of two from 2^-span to 2^span in any order.
func scaledMinima(rng *rand.Rand, n, span int, size float64) (a dense.Matrix[float64], exponents []int) {
	exponents = make([]int, n)
	for i := range exponents {
		exponents[i] = rng.IntN(2*span+1) - span
	}
	a = dense.New[float64](n, n)
	for i := range n {
		for j := range n {
			a.Set(i, j, math.Ldexp(size*float64(1+min(i, j)), exponents[i]-exponents[j]))
		}
	}
	return a, exponents
}

// minimaValue returns eigenvalue k of B, the largest being number 0: 1/(2 - 2 cos x), x = (2k+1) pi/(2n+1), with the
// eigenvector sin(j x).
func minimaValue(n, k int) float64 {
	s := math.Sin(minimaAngle(n, k) / 2)
	return 1 / (4 * s * s)
}

func minimaAngle(n, k int) float64 { return float64(2*k+1) * math.Pi / float64(2*n+1) }

// farthest returns the largest distance of one of the known eigenvalues from the one found that is the nearest.
func farthest(found []complex128, known func(k int) float64) (distance float64) {
	for k := range found {
		x := complex(known(k), 0)
		near := slices.MinFunc(found, func(p, q complex128) int { return formtest.CompareDistance(x, p, q) })
		distance = max(distance, cmplx.Abs(near-x))
	}
	return distance
}

// Balancing recovers the eigenvalues of a badly scaled matrix, which the Schur form of the unbalanced matrix loses.
func TestEigenvaluesOfBadlyScaledMatrices(t *testing.T) {
	for _, n := range []int{4, 12, 40, 200} {
		for _, size := range []float64{1e-280, 1, 1e280} {
			const span, tolerance, lost = 30, 100 * dense.EpsDouble, 1e-6
			a, _ := scaledMinima(rand.New(rand.NewPCG(91, uint64(n))), n, span, size)
			known, norm := func(k int) float64 { return size * minimaValue(n, k) }, size*minimaValue(n, 0)
			p := solveEigen[float64, complex128](t, "badly scaled", a, Options{})
			if distance := farthest(p.values, known); distance > tolerance*norm {
				t.Errorf("n = %d, size %g: an eigenvalue is %g off", n, size, distance)
			}
			form := dense.New[float64](n, n)
			if err := schur.Decompose(a.View(), form.View(), dense.View[float64]{}, schur.Options{}); err != nil {
				t.Fatal(err)
			}
			if distance := farthest(quasi.Eigenvalues(form.View()), known); distance < lost*norm {
				t.Errorf("n = %d, size %g: this matrix tests nothing: the Schur form has all eigenvalues to within %g",
					n, size, distance)
			}
		}
	}
}

// Every element of the eigenvectors of a badly scaled matrix D B D^-1 has a small relative error: right vectors are D
// x, left ones D^-1 x.
func TestEigenvectorsOfBadlyScaledMatrices(t *testing.T) {
	for _, span := range []int{1, 40, 150} {
		testEigenvectorsOfBadlyScaledMatrices(t, span)
	}
}

func testEigenvectorsOfBadlyScaledMatrices(t *testing.T, span int) {
	const n, tolerance = 10, 1000 * dense.EpsDouble
	a, exponents := scaledMinima(rand.New(rand.NewPCG(92, 1)), n, span, 1)
	p := solveEigen[float64, complex128](t, "badly scaled", a, Options{})
	for k, value := range p.values {
		number := 0
		for i := range n {
			if math.Abs(minimaValue(n, i)-real(value)) < math.Abs(minimaValue(n, number)-real(value)) {
				number = i
			}
		}
		for name, v := range map[string]dense.Matrix[complex128]{"right": p.right, "left": p.left} {
			sign := 1
			if name == "left" {
				sign = -1
			}
			x := make([]float64, n) // the vector without the scales, times a factor
			for i := range x {
				x[i] = math.Ldexp(real(v.At(i, k)), -sign*exponents[i])
			}
			norm := math.Copysign(norm2(x), x[0])
			for i := range x {
				got, want := x[i]/norm, 2/math.Sqrt(2*n+1)*math.Sin(float64(i+1)*minimaAngle(n, number))
				if math.Abs(got-want) > tolerance {
					t.Errorf("scales to 2^%d, %s vector %d: element %d is %g, not %g", span, name, k, i, got, want)
				}
			}
		}
	}
}

func norm2(x []float64) float64 {
	sum := 0.0
	for _, y := range x {
		sum = math.Hypot(sum, y)
	}
	return sum
}

func compareNumbers(x, y complex128) int {
	switch {
	case real(x) != real(y):
		return int(math.Copysign(1, real(x)-real(y)))
	case imag(x) != imag(y):
		return int(math.Copysign(1, imag(x)-imag(y)))
	}
	return 0
}

func testPermutedTriangle[T dense.Scalar, C dense.Complex](t *testing.T) {
	for _, n := range []int{2, 3, 10, 50, 180} {
		rng := rand.New(rand.NewPCG(93, uint64(n)))
		order, upper, a := rng.Perm(n), numtest.Random[T](rng, n, n), dense.New[T](n, n)
		var want, got []complex128
		for i := range n {
			for j := i; j < n; j++ {
				a.Set(order[i], order[j], upper.At(i, j))
			}
			want = append(want, dense.Convert[complex128](upper.At(i, i)))
		}
		p := solveEigen[T, C](t, "permuted", a, Options{})
		for _, d := range p.values {
			got = append(got, complex128(d))
		}
		slices.SortFunc(want, compareNumbers)
		slices.SortFunc(got, compareNumbers)
		if !slices.Equal(got, want) {
			t.Errorf("n = %d: the eigenvalues are not the elements on the diagonal", n)
		}
		checkEigen[T, C](t, fmt.Sprintf("permuted triangle, n = %d", n), a)
	}
}

func TestEigenvaluesOfPermutedTrianglesAreExact(t *testing.T) {
	t.Run("float64", testPermutedTriangle[float64, complex128])
	t.Run("float32", testPermutedTriangle[float32, complex64])
	t.Run("complex128", testPermutedTriangle[complex128, complex128])
	t.Run("complex64", testPermutedTriangle[complex64, complex64])
}
