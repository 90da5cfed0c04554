package eigen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestStandardForm(t *testing.T) {
	t.Run("float64", testStandardForm[float64])
	t.Run("complex128", testStandardForm[complex128])
}

// testStandardForm compares L C L^H with A, or C with L^H A L, at orders around those of base blocks. The strict upper
// triangles of the operands are NaN.
func testStandardForm[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 47, 48, 49, 95, 96, 97, 113, 200} {
		a, l := numtest.RandomHermitian[W](rng, n), numtest.RandomSPD[W](rng, n)
		if err := factor.Cholesky(nil, l); err != nil {
			t.Fatal(err)
		}
		for _, multiply := range []bool{false, true} {
			name := fmt.Sprintf("n = %d, multiply %v", n, multiply)
			c := poisoned(a, false)
			s := standardForm[W]{team: (*sched.Team)(nil), multiply: multiply, memory: make([]W, standardFormElements[W](n))}
			if err := s.reduce(c, poisoned(l, false)); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := i + 1; j < n; j++ {
					if x := c.At(i, j); x == x {
						t.Fatalf("%s: element (%d, %d) above the diagonal was written", name, i, j)
					}
					c.Set(i, j, dense.Conj(c.At(j, i)))
				}
			}
			scale := numtest.FrobeniusNorm(l) * numtest.FrobeniusNorm(l)
			left, right := times(times(l, c), adjoint(l)), a
			if multiply {
				left, right, scale = c, times(times(adjoint(l), a), l), scale*numtest.FrobeniusNorm(a)
			} else {
				scale *= numtest.FrobeniusNorm(c)
			}
			if r := numtest.FrobeniusNorm(minus(left, right)) / (float64(max(n, 8)) * 0x1p-52 * scale); !(r < 1) {
				t.Errorf("%s: residual %g", name, r)
			}
		}
	}
}

func TestBoundByProbes(t *testing.T) {
	t.Run("float64", testBoundByProbes[float64])
	t.Run("complex128", testBoundByProbes[complex128])
}

// testBoundByProbes compares the bound with |S^-1|^2, the reciprocal of the smallest eigenvalue of S S^H.
func testBoundByProbes[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{1, 2, 3, 10, 70} {
		for _, smallest := range []float64{1, 1e-4, 1e-8} {
			values := make([]float64, n)
			for i := range values {
				values[i] = 1
			}
			values[0] = smallest
			l := numtest.WithSpectrum[W](rng, values)
			roots := make([]float64, n)
			for i := range roots {
				roots[i] = math.Sqrt(dense.Real(l.At(i, i)))
			}
			if err := factor.Cholesky(nil, l); err != nil {
				t.Fatal(err)
			}
			scaled := l.Clone()
			for i, root := range roots {
				blas.Scal(dense.FromReal[W](1/root), dense.Vec(scaled.Row(i)))
			}
			w := make([]float64, n)
			if _, err := Eigh(times(scaled, adjoint(scaled)).View(), w, dense.View[W]{}, Options{ValuesOnly: true}); err != nil {
				t.Fatal(err)
			}
			g := generalized[W]{l: l}
			bound, square := g.boundByProbes(roots), 1/w[0]
			// |S^-1 x|^2 <= |S^-1|^2 |x|^2, and one of eight |x|^2 exceeds 20 n with a probability below 1e-4.
			most := 20 * float64(n) * square / (minProbed * minProbed)
			if !(square*(1-1e-6) <= bound && bound <= most) {
				t.Errorf("n = %d, smallest eigenvalue %g: bound %g, want %g to %g", n, smallest, bound, square, most)
			}
		}
	}
}

// A metric that the bound by probes cannot show to be regular is accepted if the exact sums show it.
func TestNearlySingularMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n = 40
	a := numtest.RandomHermitian[float64](rng, n)
	for _, c := range []struct {
		smallest float64
		sure, ok bool
	}{{1e-3, true, true}, {1e-11, false, true}, {1e-17, false, false}} {
		values := make([]float64, n)
		for i := range values {
			values[i] = 1
		}
		values[0] = c.smallest
		b := numtest.WithSpectrum[float64](rng, values)
		l, roots := b.Clone(), make([]float64, n)
		for i := range roots {
			roots[i] = math.Sqrt(b.At(i, i))
		}
		if factor.Cholesky(nil, l) == nil {
			g := generalized[float64]{l: l}
			if sure := isRegularSum(n*g.boundByProbes(roots), 0x1p-52); sure != c.sure {
				t.Errorf("smallest eigenvalue %g: bound below the limit: %v, want %v", c.smallest, sure, c.sure)
			}
		}
		o := newOutputs[float64, float64](n)
		if _, err := EighGeneralized(AXEqualsLambdaBX, a.View(), b.View(), o.w, o.v, Options{}); (err == nil) != c.ok {
			t.Errorf("smallest eigenvalue %g: %v", c.smallest, err)
		}
	}
}
