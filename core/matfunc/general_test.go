package matfunc

import (
	"context"
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// solver evaluates a matrix function.
type solver[T dense.Scalar, C dense.Complex] func(team *sched.Team, a dense.View[T], x dense.View[C]) (Outcome, error)

func evaluate[T dense.Scalar, C dense.Complex](
	t *testing.T, f solver[T, C], a dense.Matrix[T],
) (dense.Matrix[C], Outcome) {
	t.Helper()
	x := dense.New[C](a.Rows, a.Cols)
	x.Fill(dense.FromParts[C](math.NaN(), math.NaN()))
	o, err := f(nil, a.View(), x.View())
	if err != nil {
		t.Fatal(err)
	}
	if !o.Complex {
		for i, v := range x.Data {
			if dense.Imag(v) != 0 {
				t.Fatalf("element %d of a real result is %v", i, v)
			}
		}
	}
	return x, o
}

func widened[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[complex128] {
	w := dense.New[complex128](a.Rows, a.Cols)
	dense.Copy(w.View(), a.View())
	return w
}

func product(a, b dense.Matrix[complex128]) dense.Matrix[complex128] {
	c := dense.New[complex128](a.Rows, b.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	return c
}

// distanceOf returns |A - B|_F.
func distanceOf(a, b dense.Matrix[complex128]) float64 {
	d := a.Clone()
	for i, v := range b.Data {
		d.Data[i] -= v
	}
	return numtest.FrobeniusNorm(d)
}

// shifted returns a random matrix whose eigenvalues fill the disk of the given radius around the center.
func shifted[T dense.Scalar](rng *rand.Rand, n int, radius, center float64) dense.Matrix[T] {
	a := numtest.Random[T](rng, n, n)
	scale := radius / math.Sqrt(float64(n))
	if dense.IsComplex[T]() {
		scale /= math.Sqrt2
	}
	for i := range a.Data {
		a.Data[i] *= dense.FromReal[T](scale)
	}
	for i := range n {
		a.Set(i, i, a.At(i, i)+dense.FromReal[T](center))
	}
	return a
}

func TestSqrtm(t *testing.T) {
	t.Run("float32", testSqrtm[float32, complex64])
	t.Run("float64", testSqrtm[float64, complex128])
	t.Run("complex64", testSqrtm[complex64, complex64])
	t.Run("complex128", testSqrtm[complex128, complex128])
}

// largestSpectrum is the largest order at which the eigenvalues of roots are checked: they take longer than the roots.
const largestSpectrum = 65

// The eigenvalues of the random matrices fill the unit disk or a disk that excludes 0. A real matrix without
// negative eigenvalues has a real square root.
func testSqrtm[T dense.Scalar, C dense.Complex](t *testing.T) {
	worst := 0.0
	for _, n := range numtest.Sizes {
		for _, center := range []float64{0, 1.5} {
			a := shifted[T](rand.New(rand.NewPCG(71, uint64(n))), n, 1, center)
			x, o := evaluate(t, Sqrtm[T, C], a)
			if n == 0 {
				continue
			}
			if o.Singular || o.IllConditioned || center > 0 && o.Complex != dense.IsComplex[T]() {
				t.Errorf("n = %d, center %g: %+v", n, center, o)
			}
			root := widened(x)
			size := numtest.FrobeniusNorm(root)
			r := distanceOf(product(root, root), widened(a)) / (dense.Eps[T]() * float64(max(n, 8)) * size * size)
			worst = max(worst, r)
			if !(r < 2) {
				t.Errorf("n = %d, center %g: residual %g", n, center, r)
			}
			if n > largestSpectrum {
				continue
			}
			for i, v := range eigenvaluesOf(t, root) {
				if real(v) < -float64(n)*dense.Eps[T]()*size {
					t.Errorf("n = %d: eigenvalue %d of the root is %v", n, i, v)
				}
			}
		}
	}
	t.Logf("largest residual: %.2g", worst)
}

func eigenvaluesOf(t *testing.T, a dense.Matrix[complex128]) []complex128 {
	t.Helper()
	form, err := schurFormOf[complex128](nil, a.View())
	if err != nil {
		t.Fatal(err)
	}
	return diagonalsOf(form.t, upper).main
}

func TestKnownRoots(t *testing.T) {
	inverse5 := 1 / math.Sqrt(5)
	one := func(z complex128) dense.Matrix[complex128] { return dense.FromRows([]complex128{z}) }
	const exact, rounded = 0, 40 * 0x1p-52
	cases := []struct {
		name    string
		a, want dense.Matrix[complex128]
		limit   float64
	}{
		{"one", one(1), one(1), exact},
		{"minus four", one(-4), one(2i), exact},
		{"minus four, below the axis", one(complex(-4, math.Copysign(0, -1))), one(2i), exact},
		{"3 x 3", dense.FromRows([]complex128{1, 0, 0}, []complex128{0, 1, -1i}, []complex128{0, 1i, 2}),
			dense.FromRows([]complex128{1, 0, 0}, []complex128{0, complex(2*inverse5, 0), complex(0, -inverse5)},
				[]complex128{0, complex(0, inverse5), complex(3*inverse5, 0)}), rounded},
		{"rotation by 90 degrees", dense.FromRows([]complex128{0, -1}, []complex128{1, 0}),
			dense.FromRows([]complex128{complex(math.Sqrt2/2, 0), complex(-math.Sqrt2/2, 0)},
				[]complex128{complex(math.Sqrt2/2, 0), complex(math.Sqrt2/2, 0)}), rounded},
		{"Jordan block", dense.FromRows([]complex128{4, 1}, []complex128{0, 4}),
			dense.FromRows([]complex128{2, 0.25}, []complex128{0, 2}), exact},
		// The zero eigenvalue may be computed as about eps, whose square root is about 1e-8.
		{"projector", dense.FromRows([]complex128{0.5, 0.5}, []complex128{0.5, 0.5}),
			dense.FromRows([]complex128{0.5, 0.5}, []complex128{0.5, 0.5}), 4 * 0x1p-26},
		{"zero", dense.New[complex128](3, 3), dense.New[complex128](3, 3), exact},
	}
	for _, c := range cases {
		x, _ := evaluate(t, Sqrtm[complex128, complex128], c.a)
		if r := distanceOf(x, c.want); !(r <= c.limit) {
			t.Errorf("%s: %v, not %v", c.name, x.Data, c.want.Data)
		}
		if allReal(c.a) {
			real64 := dense.New[float64](c.a.Rows, c.a.Cols)
			dense.Copy(real64.View(), c.a.View())
			y, o := evaluate(t, Sqrtm[float64, complex128], real64)
			if r := distanceOf(y, c.want); !(r <= c.limit) || o.Complex == allReal(c.want) {
				t.Errorf("%s, real: %v, not %v; %+v", c.name, y.Data, c.want.Data, o)
			}
		}
	}
}

func allReal(a dense.Matrix[complex128]) bool {
	return !slices.ContainsFunc(a.Data, func(z complex128) bool { return imag(z) != 0 })
}

// The inverse square root of the 2 x 2 block of the case "3 x 3" of TestKnownRoots is known.
func TestKnownPower(t *testing.T) {
	a := dense.FromRows([]complex128{1, -1i}, []complex128{1i, 2})
	x, _ := evaluate(t, powerOf[complex128, complex128](-0.5), a)
	inverse5 := complex(1/math.Sqrt(5), 0)
	want := dense.FromRows([]complex128{3 * inverse5, 1i * inverse5}, []complex128{-1i * inverse5, 2 * inverse5})
	if r := distanceOf(x, want); !(r <= 20*0x1p-52*numtest.FrobeniusNorm(want)) {
		t.Errorf("%v, not %v", x.Data, want.Data)
	}
}

func TestPowerOfSubnormalNumbers(t *testing.T) {
	root := math.Pow(2, 0.25)
	x, _ := evaluate(t, powerOf[float64, complex128](0.25),
		dense.FromRows([]float64{0x1p-1028, 0x1p-1028}, []float64{0, 0x1p-1027}))
	want := dense.FromRows([]complex128{0x1p-257, complex(0x1p-257*(root-1), 0)},
		[]complex128{0, complex(0x1p-257*root, 0)})
	if r := distanceOf(x, want); !(r <= 40*0x1p-52*numtest.FrobeniusNorm(want)) {
		t.Errorf("%v, not %v", x.Data, want.Data)
	}
}

func powerOf[T dense.Scalar, C dense.Complex](p float64) solver[T, C] {
	return func(team *sched.Team, a dense.View[T], x dense.View[C]) (Outcome, error) { return Power(team, a, p, x) }
}

func TestSingularMatricesAreReported(t *testing.T) {
	for name, f := range map[string]solver[float64, complex128]{
		"root": Sqrtm[float64, complex128], "logarithm": Logm[float64, complex128], "power": powerOf[float64,
			complex128](0.3),
	} {
		a := dense.FromRows([]float64{1, 1}, []float64{0, 0})
		x, o := evaluate(t, f, a)
		if !o.Singular || o.Complex {
			t.Errorf("%s: %+v", name, o)
		}
		if name != "logarithm" && distanceOf(x, widened(a)) != 0 { // a projector equals each of its positive powers
			t.Errorf("%s: %v", name, x.Data)
		}
	}
	x, o := evaluate(t, powerOf[float64, complex128](-0.5), dense.FromRows([]float64{1, 1}, []float64{0, 0}))
	if !o.Singular || !cmplx.IsNaN(x.At(0, 0)) {
		t.Errorf("negative power: %v, %+v", x.Data, o)
	}
}

func TestSignm(t *testing.T) {
	t.Run("float32", testSignm[float32, complex64])
	t.Run("float64", testSignm[float64, complex128])
	t.Run("complex128", testSignm[complex128, complex128])
}

// S S = I, S A = A S, and the trace of S is the sum of the signs of the real parts of the eigenvalues.
func testSignm[T dense.Scalar, C dense.Complex](t *testing.T) {
	for _, n := range []int{1, 2, 5, 31, 33, 100} {
		a := shifted[T](rand.New(rand.NewPCG(75, uint64(n))), n, 1, 0.1)
		x, o := evaluate(t, Signm[T, C], a)
		s, wide := widened(x), widened(a)
		size := numtest.FrobeniusNorm(s)
		unit := dense.Eps[T]() * float64(max(n, 8)) * size * size
		identity := dense.New[complex128](n, n)
		identity.SetIdentity()
		if r := distanceOf(product(s, s),
			identity) / unit; !(r < 20) || o.Singular || o.Complex != dense.IsComplex[T]() {
			t.Errorf("n = %d: S S - I is %g, %+v", n, r, o)
		}
		if r := distanceOf(product(s, wide), product(wide, s)) / (unit * numtest.FrobeniusNorm(wide)); !(r < 20) {
			t.Errorf("n = %d: S A - A S is %g", n, r)
		}
		trace, want := 0.0, 0.0
		for i, v := range eigenvaluesOf(t, wide) {
			want += math.Copysign(1, real(v))
			trace += real(s.At(i, i))
		}
		if math.Abs(trace-want) > 0.01 {
			t.Errorf("n = %d: trace %g, not %g", n, trace, want)
		}
	}
}

func TestKnownSigns(t *testing.T) {
	cases := []struct {
		name     string
		a, want  dense.Matrix[float64]
		singular bool
	}{
		{"ones", dense.FromRows([]float64{1, 1}, []float64{1, 1}),
			dense.FromRows([]float64{0.5, 0.5}, []float64{0.5, 0.5}), true},
		{"zero", dense.New[float64](2, 2), dense.New[float64](2, 2), true},
		{"a sign and a zero", dense.FromRows([]float64{1, 1}, []float64{0, 0}),
			dense.FromRows([]float64{1, 1}, []float64{0, 0}), true},
		{"signs around a zero", dense.FromRows([]float64{1, 1, 0}, []float64{0, 0, 1}, []float64{0, 0, 2}),
			// With eigenvalues 0, 1 and 2 the sign is the polynomial (3 A - A^2) / 2.
			dense.FromRows([]float64{1, 1, -0.5}, []float64{0, 0, 0.5}, []float64{0, 0, 1}), true},
		{"triangle", dense.FromRows([]float64{-1, 1}, []float64{0, 2}),
			dense.FromRows([]float64{-1, 2.0 / 3}, []float64{0, 1}), false},
		{"defective", dense.FromRows([]float64{1, 5, 7}, []float64{0, 1, 3}, []float64{0, 0, -1}),
			// (A - I)^2 (A + I) = 0, so the sign is the polynomial I - (A - I)^2 / 2.
			dense.FromRows([]float64{1, 0, -0.5}, []float64{0, 1, 3}, []float64{0, 0, -1}), false},
	}
	for _, c := range cases {
		x, o := evaluate(t, Signm[float64, complex128], c.a)
		if r := distanceOf(x, widened(c.want)); !(r <= 20*0x1p-52) || o.Singular != c.singular {
			t.Errorf("%s: %v, not %v; %+v", c.name, x.Data, c.want.Data, o)
		}
	}
}

func TestParlett(t *testing.T) {
	t.Run("float32", testParlett[float32, complex64])
	t.Run("complex128", testParlett[complex128, complex128])
}

// The Schur-Parlett square equals the product A A, and the Schur-Parlett exponential that of Expm.
func testParlett[T dense.Scalar, C dense.Complex](t *testing.T) {
	for _, n := range []int{1, 2, 7, 32, 33, 70} {
		a := shifted[T](rand.New(rand.NewPCG(76, uint64(n))), n, 1, 0)
		form, z, x := dense.New[C](n, n), dense.New[C](n, n), dense.New[C](n, n)
		if err := Triangularize(nil, a.View(), form.View(), z.View()); err != nil {
			t.Fatal(err)
		}
		wide := widened(a)
		for name, c := range map[string]struct {
			f    func(complex128) complex128
			want dense.Matrix[complex128]
		}{
			"square":      {func(v complex128) complex128 { return v * v }, product(wide, wide)},
			"exponential": {cmplx.Exp, expm(t, wide)},
		} {
			values := make([]complex128, n)
			for i := range values {
				values[i] = c.f(dense.Convert[complex128](form.At(i, i)))
			}
			smallest, err := Parlett(nil, form.View(), z.View(), values, x.View())
			if err != nil {
				t.Fatal(err)
			}
			limit := 20 * float64(n) * dense.Eps[C]() * numtest.FrobeniusNorm(c.want) * (1 + 1/smallest)
			if r := distanceOf(widened(x), c.want); !(r <= limit) {
				t.Errorf("n = %d, %s: error %g, limit %g, smallest distance %g", n, name, r, limit, smallest)
			}
		}
	}
}

// Parlett's recurrence does not divide by zero if eigenvalues are equal.
func TestParlettOfEqualEigenvalues(t *testing.T) {
	form, z, x := dense.FromRows([]complex128{1, 1}, []complex128{0, 1}), dense.New[complex128](2,
		2), dense.New[complex128](2, 2)
	z.SetIdentity()
	smallest, err := Parlett(nil, form.View(), z.View(), []complex128{3, 3}, x.View())
	if err != nil || smallest != 0 || !slices.Equal(x.Data, []complex128{3, 0, 0, 3}) {
		t.Errorf("%v, smallest distance %g, %v", x.Data, smallest, err)
	}
}

func TestFunctionsDoNotDependOnThreadsAndObeyCancellation(t *testing.T) {
	const n = 140
	a := shifted[float64](rand.New(rand.NewPCG(77, 1)), n, 1, 0.3)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, f := range map[string]solver[float64, complex128]{
		"root": Sqrtm[float64, complex128], "logarithm": Logm[float64, complex128], "power": powerOf[float64,
			complex128](-0.3), "sign": Signm[float64, complex128],
	} {
		one, _ := evaluate(t, f, a)
		for _, threads := range []int{2, 3} {
			team, x := sched.NewTeam(context.Background(), threads, nil), dense.New[complex128](n, n)
			if _, err := f(team, a.View(), x.View()); err != nil {
				t.Fatal(err)
			}
			team.ReleaseWorkers()
			if !slices.Equal(x.Data, one.Data) {
				t.Errorf("%s: %d threads change the result", name, threads)
			}
		}
		if _, err := f(sched.NewTeam(ctx, 1, nil), a.View(), one.View()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		var bad *dense.ArgumentError
		if _, err := f(nil, dense.New[float64](2, 3).View(), one.View()); !errors.As(err, &bad) || bad.Arg != "A" {
			t.Errorf("%s of a rectangle: %v", name, err)
		}
		if _, err := f(nil, dense.New[float64](2, 2).View(), one.View()); !errors.As(err, &bad) || bad.Arg != "x" {
			t.Errorf("%s into another shape: %v", name, err)
		}
		infinite, x := dense.FromRows([]float64{math.Inf(1)}), dense.New[complex128](1, 1)
		if _, err := f(nil, infinite.View(), x.View()); name == "root" && (err != nil || !cmplx.IsNaN(x.Data[0])) ||
			name != "root" && (!errors.As(err, &bad) || bad.Arg != "A") {
			t.Errorf("%s of infinity: %v, %v", name, x.Data, err)
		}
	}
	var bad *dense.ArgumentError
	if _, err := Power(nil, a.View(), 2, dense.New[complex128](n, n).View()); !errors.As(err, &bad) || bad.Arg != "t" {
		t.Errorf("integer power: %v", err)
	}
}

func TestSchurWorkspaceIsAnUpperBound(t *testing.T) {
	const n = 200
	a, x := shifted[float64](rand.New(rand.NewPCG(78, 1)), n, 1, 0), dense.New[complex128](n, n)
	for name, f := range map[string]solver[float64, complex128]{
		"root": Sqrtm[float64, complex128], "logarithm": Logm[float64, complex128],
		"power": powerOf[float64, complex128](-2.3), "sign": Signm[float64, complex128],
	} {
		allocated, bound := int64(math.MaxInt64), SchurWorkspace(nil, n)
		for range 3 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := f(nil, a.View(), x.View()); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			allocated = min(allocated, int64(after.TotalAlloc-before.TotalAlloc))
		}
		t.Logf("%s: %d bytes are allocated in all, the bound is %d", name, allocated, bound)
		if allocated > bound || allocated < bound/8 {
			t.Errorf("%s: %d bytes were allocated, the bound is %d", name, allocated, bound)
		}
	}
	if got := SchurWorkspace(nil, 1<<40); got != math.MaxInt64 {
		t.Errorf("order 2^40: %d", got)
	}
}
