package ldl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// kinds make a matrix from a random one, which is symmetric or Hermitian, as what they return.
var kinds = map[string]func(i, j, n int) float64{
	"indefinite":    func(_, _, _ int) float64 { return 1 },
	"zero":          func(_, _, _ int) float64 { return 0 },
	"zero diagonal": func(i, j, _ int) float64 { return min(1, math.Abs(float64(i-j))) },
	"singular":      func(i, j, n int) float64 { return min(1, math.Abs(float64((i-n/2)*(j-n/2)))) },
	"graded":        func(i, j, n int) float64 { return math.Exp2(-60 * float64(i+j) / float64(2*n)) },
	"graded upward": func(i, j, n int) float64 { return math.Exp2(60 * float64(i+j) / float64(2*n)) },
	"tridiagonal":   func(i, j, _ int) float64 { return math.Max(0, 2-math.Abs(float64(i-j))) },
	"diagonal":      func(i, j, _ int) float64 { return math.Max(0, 1-math.Abs(float64(i-j))) },
}

func forms[T dense.Scalar]() []bool {
	if dense.IsComplex[T]() {
		return []bool{false, true}
	}
	return []bool{false}
}

func random[T dense.Scalar](rng *rand.Rand, n int, hermitian bool) dense.Matrix[T] {
	a := numtest.Random[T](rng, n, n)
	for i := range n {
		for j := range i {
			x := a.At(i, j)
			if hermitian {
				x = dense.Conj(x)
			}
			a.Set(j, i, x)
		}
		if hermitian {
			a.Set(i, i, dense.FromReal[T](dense.Real(a.At(i, i))))
		}
	}
	return a
}

func (f *Factors[T]) parts() (u, d dense.Matrix[T]) {
	n := f.U.Rows
	u, d = dense.New[T](n, n), dense.New[T](n, n)
	for k := range n {
		copy(u.Row(k)[k:], f.U.Row(k)[k:])
		u.Set(k, k, 1)
		d.Set(k, k, f.U.At(k, k))
		if x := f.Above[k]; x != 0 {
			d.Set(k, k+1, x)
			d.Set(k+1, k, f.mirrored(x))
		}
	}
	return u, d
}

func moduli[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[float64] {
	to := dense.New[float64](a.Rows, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			to.Set(i, j, dense.Abs(a.At(i, j)))
		}
	}
	return to
}

// expectFactors judges each element of P A P^T - U^H D U in units of max(n, 8) eps |U|^T |D| |U| (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., theorem 11.3).
func expectFactors[T dense.Scalar](t *testing.T, a dense.Matrix[T], f *Factors[T]) {
	t.Helper()
	n, order := a.Rows, f.order()
	u, d := f.parts()
	trans := blas.Trans
	if f.Hermitian {
		trans = blas.ConjTrans
	}
	product, du := dense.New[T](n, n), dense.New[T](n, n)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, d, u, 0, du)
	blas.Gemm(nil, trans, blas.NoTrans, 1, u, du, 0, product)
	sizes, sizesDU := dense.New[float64](n, n), dense.New[float64](n, n)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, moduli(d), moduli(u), 0, sizesDU)
	blas.Gemm(nil, blas.Trans, blas.NoTrans, 1, moduli(u), sizesDU, 0, sizes)
	for i := range n {
		for j := range n {
			limit := 2 * float64(max(n, 8)) * dense.Eps[T]() * sizes.At(i, j)
			if r := dense.Abs(product.At(i, j) - a.At(order[i], order[j])); !(r <= limit) {
				t.Fatalf("n = %d: residual %g in (%d,%d), limit %g", n, r, i, j, limit)
			}
		}
	}
	for k, p := range f.Pivots {
		if p < k || p >= n {
			t.Fatalf("n = %d: pivot %d is %d", n, k, p)
		}
	}
}

func TestFactor(t *testing.T) {
	t.Run("float32", testFactor[float32])
	t.Run("float64", testFactor[float64])
	t.Run("complex64", testFactor[complex64])
	t.Run("complex128", testFactor[complex128])
}

func testFactor[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for n := range 71 {
		for _, hermitian := range forms[T]() {
			for name, scale := range kinds {
				a := random[T](rng, n, hermitian)
				for i := range n {
					for j := range n {
						a.Set(i, j, a.At(i, j)*dense.FromReal[T](scale(i, j, n)))
					}
				}
				stored := a.Clone()
				for i := range n {
					for j := range i {
						stored.Set(i, j, dense.FromReal[T](math.NaN()))
					}
				}
				f, err := Factor(nil, stored, hermitian)
				if err != nil {
					t.Fatal(err)
				}
				expectFactors(t, a, f)
				if singular := n > 0 && (name == "zero" || name == "singular"); f.Zero > 0 != singular && name != "zero diagonal" {
					t.Errorf("n = %d, %s: pivot %d is reported to be zero", n, name, f.Zero)
				}
			}
		}
	}
}

// Both widths of panels, and threads that change no bit.
func TestFactorThreads(t *testing.T) {
	t.Run("float64", testFactorThreads[float64])
	t.Run("complex64", testFactorThreads[complex64])
}

func testFactorThreads[T dense.Scalar](t *testing.T) {
	orders := []int{300}
	if !testing.Short() {
		orders = append(orders, wideOrder-1, wideOrder+30)
	}
	for _, n := range orders {
		a := random[T](rand.New(rand.NewPCG(62, 1)), n, true)
		stored := a.Clone()
		want, err := Factor(nil, stored, true)
		if err != nil {
			t.Fatal(err)
		}
		expectFactors(t, a, want)
		for _, threads := range []int{2, 3} {
			got, err := Factor(sched.NewTeam(context.Background(), threads, nil), a.Clone(), true)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.U.Data, want.U.Data) || !slices.Equal(got.Above, want.Above) ||
				!slices.Equal(got.Pivots, want.Pivots) {
				t.Errorf("n = %d: %d threads change the bits", n, threads)
			}
		}
	}
}

// The numbers of positive and negative eigenvalues of A are those of D (Sylvester's law of inertia).
func TestInertia(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 1))
	for _, n := range []int{1, 5, 40, 90} {
		for negative := 0; negative <= n; negative += (n + 2) / 3 {
			values := make([]float64, n)
			for i := range values {
				values[i] = 1 + rng.Float64()
				if i < negative {
					values[i] = -values[i]
				}
			}
			f, err := Factor(nil, numtest.WithSpectrum[complex128](rng, values), true)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for k := 0; k < n; k++ {
				if f.Above[k] != 0 { // pivoting makes the determinant of the block negative
					found++
					k++
				} else if real(f.U.At(k, k)) < 0 {
					found++
				}
			}
			if found != negative {
				t.Errorf("n = %d: %d negative eigenvalues, want %d", n, found, negative)
			}
		}
	}
}

func TestSolve(t *testing.T) {
	t.Run("float32", testSolve[float32])
	t.Run("float64", testSolve[float64])
	t.Run("complex64", testSolve[complex64])
	t.Run("complex128", testSolve[complex128])
}

func testSolve[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 1))
	for _, n := range []int{0, 1, 2, 3, 31, 32, 33, 70} {
		for _, hermitian := range forms[T]() {
			for _, columns := range []int{0, 1, 3, solveColumns + 2} {
				a, b := random[T](rng, n, hermitian), numtest.Random[T](rng, n, columns)
				f, err := Factor(nil, a.Clone(), hermitian)
				if err != nil {
					t.Fatal(err)
				}
				x := b.Clone()
				if err := f.Solve(nil, x); err != nil {
					t.Fatal(err)
				}
				residual := b.Clone()
				blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, x, -1, residual)
				limit := 4 * float64(max(n, 8)) * dense.Eps[T]() * numtest.FrobeniusNorm(a) * numtest.FrobeniusNorm(x)
				if r := numtest.FrobeniusNorm(residual); !(r <= limit) {
					t.Errorf("n = %d: residual %g, limit %g", n, r, limit)
				}
			}
		}
	}
}

// Reciprocals of the smallest numbers overflow, and the pivot of order 2 has to be found where a product underflows.
func TestExtremeElements(t *testing.T) {
	for _, size := range []float64{0x1p-1074, 0x1p-1060, 0x1p-1022, 0x1p1000} {
		for _, a := range []dense.Matrix[float64]{
			dense.FromRows([]float64{size, 0}, []float64{0, -size}),
			dense.FromRows([]float64{0, size}, []float64{size, 0}),
			dense.FromRows([]float64{size, size, size}, []float64{size, 0, -size}, []float64{size, -size, 0}),
		} {
			f, err := Factor(nil, a.Clone(), false)
			if err != nil {
				t.Fatal(err)
			}
			expectFactors(t, a, f)
		}
	}
	a := dense.FromRows([]float64{0, 1e-200, 0}, []float64{1e-200, 0, 1e200}, []float64{0, 1e200, 0})
	f, err := Factor(nil, a.Clone(), false)
	if err != nil {
		t.Fatal(err)
	}
	if f.Above[0] == 0 {
		t.Error("no block of order 2 begins in the first row")
	}
}

func TestFactorOfMatricesThatAreNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 1))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, n := range []int{1, 2, 40, 100} {
			for range 20 {
				a := random[complex128](rng, n, true)
				a.Set(rng.IntN(n), rng.IntN(n), complex(bad, 0))
				f, err := Factor(nil, a, true)
				if err != nil {
					t.Fatal(err)
				}
				for k, p := range f.Pivots {
					if p < k || p >= n {
						t.Errorf("n = %d: pivot %d is %d", n, k, p)
					}
				}
			}
		}
	}
}

func TestFactorObeysCancellation(t *testing.T) {
	a := random[float64](rand.New(rand.NewPCG(66, 1)), 500, false)
	b := numtest.Random[float64](rand.New(rand.NewPCG(67, 1)), 500, 2*solveColumns)
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		const steps = 1000
		team = team.Plan(2 * steps)
		phase := team.Phase(steps)
		f, err := Factor(phase, a.Clone(), false)
		if err != nil {
			return err
		}
		phase.End()
		return f.Solve(team.Phase(steps), b.Clone())
	})
}
