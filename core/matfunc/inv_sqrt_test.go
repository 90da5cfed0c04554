package matfunc

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

func converted[D, S dense.Scalar](a dense.Matrix[S]) dense.Matrix[D] {
	to := dense.New[D](a.Rows, a.Cols)
	dense.Copy(to.View(), a.View())
	return to
}

// nanMatrix returns an n x n matrix of NaNs.
func nanMatrix[T dense.Scalar](n int) dense.Matrix[T] {
	m := dense.New[T](n, n)
	m.Fill(dense.FromParts[T](math.NaN(), math.NaN()))
	return m
}

func TestInvSqrtSPD(t *testing.T) {
	t.Run("float32", testInvSqrt[float64, float32])
	t.Run("float64", testInvSqrt[float64, float64])
	t.Run("complex64", testInvSqrt[complex128, complex64])
	t.Run("complex128", testInvSqrt[complex128, complex128])
}

// testInvSqrt requires |X A X - I|_F <= 4 eps (m + sqrt(n) cond(A)), m = max(n, 8), and a Hermitian X. 4 m eps bounds
// the loss of orthogonality of the eigenvectors; the second term accounts for an error in each element of A.
func testInvSqrt[W dense.Wide, T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	const factor, smallest = 4, 8
	worst := 0.0
	for _, n := range numtest.Sizes {
		for _, condition := range []float64{1, 10, 0.01 / dense.Eps[T]()} {
			values := make([]float64, n)
			for i := range values {
				values[i] = 3 * math.Pow(condition, -float64(i)/float64(max(n-1, 1)))
			}
			a := converted[T](numtest.WithSpectrum[W](rng, values))
			x := nanMatrix[T](n)
			dropped, err := InvSqrtSPD(a.View(), x.View(), Options{Threshold: dense.Eps[T]()})
			if err != nil || dropped != 0 {
				t.Fatalf("n = %d, condition %g: %d dropped, %v", n, condition, dropped, err)
			}
			wide, root := converted[W](a), converted[W](x)
			ax, xax := dense.New[W](n, n), dense.New[W](n, n)
			xax.SetIdentity()
			blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, wide, root, 0, ax)
			blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, root, ax, -1, xax)
			limit := factor * dense.Eps[T]() * (float64(max(n, smallest)) + math.Sqrt(float64(n))*condition)
			if r := numtest.FrobeniusNorm(xax); n > 0 && !(r <= limit) {
				t.Errorf("n = %d, condition %g: |X A X - I| is %.2g, the limit %.2g", n, condition, r, limit)
			} else if n > 0 {
				worst = max(worst, r/limit)
			}
			for i := range n {
				for j := range i + 1 {
					if x.At(i, j) != dense.Conj(x.At(j, i)) {
						t.Fatalf("n = %d: elements (%d, %d) and (%d, %d) are %v and %v", n, i, j, j, i, x.At(i, j),
							x.At(j, i))
					}
				}
			}
		}
	}
	t.Logf("at most %.2g of the limit", worst)
}

// A known spectrum determines which eigenvalues are dropped and which are an error.
func TestThreshold(t *testing.T) {
	const eps = 0x1p-52
	cases := []struct {
		name      string
		values    []float64
		threshold float64
		dropped   int // -1 for an IndefiniteError
	}{
		{"regular", []float64{1e-12, 1, 2, 4}, 0, 0},
		{"rank 2", []float64{0, 0, 2, 4}, 0, 2},
		{"below n eps", []float64{2 * eps, 1, 2, 4}, 0, 1},
		{"above n eps", []float64{64 * eps, 1, 2, 4}, 0, 0},
		{"kept by a small threshold", []float64{2 * eps, 1, 2, 4}, 1e-17, 0},
		{"at the threshold", []float64{0.5, 1, 2, 4}, 0.25, 2},
		{"negative rounding error", []float64{-2 * eps, 1, 2, 4}, 0, 1},
		{"negative within the threshold", []float64{-0.5, 1, 2, 4}, 0.2, 1},
		{"negative", []float64{-0.5, 1, 2, 4}, 0, -1},
		{"negative beyond a threshold", []float64{-0.5, 1, 2, 4}, 0.1, -1},
		{"negative definite", []float64{-4, -2, -1, -1}, 0, -1},
		{"zero", []float64{0, 0, 0, 0}, 0, 4},
	}
	for _, c := range cases {
		// The eigenvalues of a diagonal matrix are exact, and the result is known.
		a, x := dense.New[float64](4, 4), nanMatrix[float64](4)
		for i, v := range c.values {
			a.Set(3-i, 3-i, v)
		}
		dropped, err := InvSqrtSPD(a.View(), x.View(), Options{Threshold: c.threshold})
		if c.dropped < 0 {
			var e *IndefiniteError
			if !errors.As(err, &e) || e.Value != c.values[0] || !strings.HasPrefix(err.Error(), "a: ") || x.At(0,
				0) == x.At(0, 0) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || dropped != c.dropped {
			t.Errorf("%s: %d dropped, %v", c.name, dropped, err)
		}
		for i, v := range c.values {
			want := 0.0
			if i >= c.dropped {
				want = 1 / math.Sqrt(v)
			}
			if got := x.At(3-i, 3-i); !(math.Abs(got-want) <= 4*eps*want) {
				t.Errorf("%s: the inverse square root of %g is %g", c.name, v, got)
			}
		}
	}
}

// A 2 x 2 matrix with eigenvalues s and 3 s, for s over the range of the dtype.
func TestAnyScale(t *testing.T) {
	for _, s := range []float64{0x1p-1070, 1e-300, 1e-160, 1, 1e160, 0x1p1022} {
		a, x := dense.FromRows([]float64{2 * s, s}, []float64{s, 2 * s}), nanMatrix[float64](2)
		if s == 0x1p1022 { // one eigenvalue is 3.25 s, closer to the overflow threshold
			a = dense.FromRows([]float64{1.75 * s, 1.5 * s}, []float64{1.5 * s, 1.75 * s})
		}
		dropped, err := InvSqrtSPD(a.View(), x.View(), Options{})
		low, high := a.At(0, 0)/4-a.At(1, 0)/4, a.At(0, 0)/4+a.At(1, 0)/4 // quarters of the eigenvalues
		diagonal := (1/math.Sqrt(low) + 1/math.Sqrt(high)) / 4
		off := (1/math.Sqrt(high) - 1/math.Sqrt(low)) / 4
		if s == 0x1p-1070 { // without arithmetic on subnormal numbers
			diagonal, off = (1+1/math.Sqrt(3))/2*0x1p535, (1/math.Sqrt(3)-1)/2*0x1p535
		}
		const limit = 1e-14
		if err != nil || dropped != 0 || !(math.Abs(x.At(0, 0)/diagonal-1) < limit) || !(math.Abs(x.At(0,
			1)/off-1) < limit) {
			t.Errorf("scale %g: %v, %v, expected %g and %g", s, x.Data, err, diagonal, off)
		}
	}
}

// The result may overwrite the matrix and have any strides, and depends only on the lower triangle.
func TestLayouts(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	const n = 40
	a := numtest.RandomSPD[complex128](rng, n)
	want := nanMatrix[complex128](n)
	if _, err := InvSqrtSPD(a.View(), want.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	same := func(name string, x dense.View[complex128]) {
		t.Helper()
		for i := range n {
			for j := range n {
				if x.At(i, j) != want.At(i, j) {
					t.Fatalf("%s: element (%d, %d) is %v, not %v", name, i, j, x.At(i, j), want.At(i, j))
				}
			}
		}
	}
	byColumns := nanMatrix[complex128](n).View().T()
	if _, err := InvSqrtSPD(a.View(), byColumns, Options{}); err != nil {
		t.Fatal(err)
	}
	same("by columns", byColumns)
	for i := range n {
		a.Set(i, i, a.At(i, i)+complex(0, 5))
		for j := i + 1; j < n; j++ {
			a.Set(i, j, complex(math.NaN(), 0))
		}
	}
	if _, err := InvSqrtSPD(a.View(), a.View(), Options{SkipFiniteCheck: true}); err != nil {
		t.Fatal(err)
	}
	same("in place, from the lower triangle", a.View())
}

func TestThreadsDoNotChangeBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	const n = 150
	a, one := numtest.RandomSPD[float64](rng, n), nanMatrix[float64](n)
	if _, err := InvSqrtSPD(a.View(), one.View(), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3} {
		team := sched.NewTeam(context.Background(), threads, nil)
		many := nanMatrix[float64](n)
		if _, err := InvSqrtSPD(a.View(), many.View(), Options{Team: team}); err != nil {
			t.Fatal(err)
		}
		team.ReleaseWorkers()
		for i, x := range many.Data {
			if x != one.Data[i] {
				t.Fatalf("%d threads: element %d is %g, not %g", threads, i, x, one.Data[i])
			}
		}
	}
}

func TestBadArguments(t *testing.T) {
	square := func(n int) dense.View[float64] {
		m := dense.New[float64](n, n)
		m.SetIdentity()
		return m.View()
	}
	infinite := square(3)
	infinite.Set(0, 2, math.Inf(1)) // above the diagonal
	cases := []struct {
		name, arg string
		a, x      dense.View[float64]
		opt       Options
	}{
		{"rectangle", "a", dense.New[float64](2, 3).View(), square(2), Options{}},
		{"other shape", "x", square(3), square(2), Options{}},
		{"infinity", "a", infinite, square(3), Options{}},
		{"negative", "threshold", square(2), square(2), Options{Threshold: -1e-9}},
		{"one", "threshold", square(2), square(2), Options{Threshold: 1}},
		{"NaN", "threshold", square(2), square(2), Options{Threshold: math.NaN()}},
	}
	for _, c := range cases {
		var e *dense.ArgumentError
		if _, err := InvSqrtSPD(c.a, c.x, c.opt); !errors.As(err, &e) || e.Arg != c.arg {
			t.Errorf("%s %s: %v", c.arg, c.name, err)
		}
	}
}

func TestNotFiniteWithoutCheckIsNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a, x := dense.FromRows([]complex64{2, 0}, []complex64{complex(0, float32(bad)), 2}), dense.New[complex64](2, 2)
		dropped, err := InvSqrtSPD(a.View(), x.View(), Options{SkipFiniteCheck: true})
		if err != nil || dropped != 0 {
			t.Errorf("%g: %d dropped, %v", bad, dropped, err)
		}
		for _, v := range x.Data {
			if real(v) == real(v) || imag(v) == imag(v) {
				t.Errorf("%g: %v", bad, x.Data)
			}
		}
	}
}

func TestInvSqrtSPDObeysCancellation(t *testing.T) {
	const n = 200
	a, x := numtest.RandomSPD[float64](rand.New(rand.NewPCG(54, 1)), n), dense.New[float64](n, n)
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		_, err := InvSqrtSPD(a.View(), x.View(), Options{Team: team})
		return err
	})
}

func TestWorkspaceIsAnUpperBound(t *testing.T) {
	t.Run("float64", testWorkspace[float64])
	t.Run("complex64", testWorkspace[complex64])
}

func testWorkspace[T dense.Scalar](t *testing.T) {
	const n = 300
	a := numtest.RandomSPD[T](rand.New(rand.NewPCG(55, 1)), n)
	x := dense.New[T](n, n)
	allocated, bound := int64(math.MaxInt64), Workspace[T](nil, n)
	for range 3 { // the first call also allocates, in steps, the memory that level 2 BLAS keep for later calls
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := InvSqrtSPD(a.View(), x.View(), Options{}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		allocated = min(allocated, int64(after.TotalAlloc-before.TotalAlloc))
	}
	if allocated > bound || allocated < bound/4 {
		t.Errorf("%d bytes were allocated, the bound is %d", allocated, bound)
	}
	if got := Workspace[T](nil, 1<<40); got != math.MaxInt64 {
		t.Errorf("order 2^40: %d", got)
	}
}
