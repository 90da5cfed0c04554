package matfunc

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// precise is the precision, in bits, of reference values.
const precise = 300

// bigMatrix is a row-major real matrix of numbers with precise bits.
type bigMatrix [][]*big.Float

func newBig(n int) bigMatrix {
	m := make(bigMatrix, n)
	for i := range m {
		m[i] = make([]*big.Float, n)
		for j := range m[i] {
			m[i][j] = new(big.Float).SetPrec(precise)
		}
	}
	return m
}

func (m bigMatrix) times(b bigMatrix) bigMatrix {
	c, product := newBig(len(m)), new(big.Float).SetPrec(precise)
	for i := range m {
		for k := range b {
			if m[i][k].Sign() == 0 {
				continue
			}
			for j := range b {
				c[i][j].Add(c[i][j], product.Mul(m[i][k], b[k][j]))
			}
		}
	}
	return c
}

// preciseExp returns the exponential of a by the Taylor series for A / 2^shift and repeated squaring. It computes with
// the real matrix of twice the order that has a block (re, -im; im, re) in place of each element.
func preciseExp[T dense.Scalar](a dense.Matrix[T]) dense.Matrix[complex128] {
	const shift, terms = 30, 13 // the first omitted term is below 2^-300 for norms up to a few hundred
	n := a.Rows
	scaled, sum := newBig(2*n), newBig(2*n)
	for i := range n {
		for j := range n {
			re, im := math.Ldexp(dense.Real(a.At(i, j)), -shift), math.Ldexp(dense.Imag(a.At(i, j)), -shift)
			scaled[2*i][2*j].SetFloat64(re)
			scaled[2*i][2*j+1].SetFloat64(-im)
			scaled[2*i+1][2*j].SetFloat64(im)
			scaled[2*i+1][2*j+1].SetFloat64(re)
		}
		sum[2*i][2*i].SetInt64(1)
		sum[2*i+1][2*i+1].SetInt64(1)
	}
	term := sum
	for k := 1; k <= terms; k++ {
		next, total := term.times(scaled), newBig(2*n)
		for i := range next {
			for j := range next {
				next[i][j].Quo(next[i][j], big.NewFloat(float64(k)))
				total[i][j].Add(sum[i][j], next[i][j])
			}
		}
		term, sum = next, total
	}
	for range shift {
		sum = sum.times(sum)
	}
	x := dense.New[complex128](n, n)
	for i := range n {
		for j := range n {
			re, _ := sum[2*i][2*j].Float64()
			im, _ := sum[2*i+1][2*j].Float64()
			x.Set(i, j, complex(re, im))
		}
	}
	return x
}

// relativeError returns |X - Y|_F / |Y|_F.
func relativeError[T dense.Scalar](x dense.Matrix[T], y dense.Matrix[complex128]) float64 {
	difference := y.Clone()
	for i, v := range x.Data {
		difference.Data[i] -= dense.Convert[complex128](v)
	}
	return numtest.FrobeniusNorm(difference) / numtest.FrobeniusNorm(y)
}

func expm[T dense.Scalar](t *testing.T, a dense.Matrix[T]) dense.Matrix[T] {
	t.Helper()
	x := dense.New[T](a.Rows, a.Cols)
	x.Fill(dense.FromReal[T](math.NaN()))
	if err := Expm(nil, a.View(), x.View()); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExpm(t *testing.T) {
	t.Run("float32", testExpm[float32])
	t.Run("float64", testExpm[float64])
	t.Run("complex64", testExpm[complex64])
	t.Run("complex128", testExpm[complex128])
}

// The norms lead to all Pade degrees and to some squarings. The exponentials of these random and triangular matrices
// have condition numbers of a few times the norm.
func testExpm[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	worst := 0.0
	for _, n := range []int{1, 2, 3, 6} {
		for _, size := range []float64{1e-9, 1e-3, 0.03, 0.1, 0.4, 1, 2, 4, 10} {
			for _, where := range []shape{full, upper, lower} {
				a := numtest.Random[T](rng, n, n)
				for i := range n {
					for j := range n {
						if where == upper && j < i || where == lower && j > i {
							a.Set(i, j, 0)
						}
						a.Set(i, j, a.At(i, j)*dense.FromReal[T](size/math.Sqrt(float64(n))))
					}
				}
				norm := numtest.FrobeniusNorm(a)
				unit := 5 * dense.Eps[T]() * (1 + norm)
				r := relativeError(expm(t, a), preciseExp(a)) / unit
				worst = max(worst, r)
				if !(r < 1) {
					t.Errorf("n = %d, norm %.2g, shape %d: %.2g times the limit", n, norm, where, r)
				}
			}
		}
	}
	t.Logf("largest error: %.2g times the limit", worst)
}

func TestExpmKnown(t *testing.T) {
	const angle = 2.5
	cases := []struct {
		name    string
		a, want dense.Matrix[float64]
		limit   float64
	}{
		{"zero", dense.New[float64](2, 2), dense.FromRows([]float64{1, 0}, []float64{0, 1}), 0},
		{"nilpotent", dense.FromRows([]float64{0, 1, 2}, []float64{0, 0, 4}, []float64{0, 0, 0}),
			dense.FromRows([]float64{1, 1, 4}, []float64{0, 1, 4}, []float64{0, 0, 1}), 2 * 0x1p-52},
		{"huge nilpotent", dense.FromRows([]float64{0, 1e300}, []float64{0, 0}),
			dense.FromRows([]float64{1, 1e300}, []float64{0, 1}), 2 * 0x1p-52},
		{"rotation", dense.FromRows([]float64{0, angle}, []float64{-angle, 0}),
			dense.FromRows([]float64{math.Cos(angle), math.Sin(angle)},
				[]float64{-math.Sin(angle), math.Cos(angle)}), 10 * 0x1p-52},
		{"Jordan block", dense.FromRows([]float64{-3, 1}, []float64{0, -3}),
			dense.FromRows([]float64{math.Exp(-3), math.Exp(-3)}, []float64{0, math.Exp(-3)}), 10 * 0x1p-52},
		// C. Moler and C. Van Loan, SIAM Review 20, 1978, example 1: the series without scaling has no correct digit.
		{"Moler and Van Loan", dense.FromRows([]float64{-49, 24}, []float64{-64, 31}),
			dense.FromRows([]float64{-0.735759, 0.551819}, []float64{-1.471518, 1.103638}), 1e-6},
		// Al-Mohy and Higham (2009), equation (1.1), with b = 1e6: without the norms of powers the matrix is
		// overscaled.
		{"overscaling", dense.FromRows([]float64{1, 1e6}, []float64{0, -1}),
			dense.FromRows([]float64{math.E, 1e6 * math.Sinh(1)}, []float64{0, 1 / math.E}), 10 * 0x1p-52},
		{"below the diagonal", dense.FromRows([]float64{1, 0}, []float64{1e6, -1}),
			dense.FromRows([]float64{math.E, 0}, []float64{1e6 * math.Sinh(1), 1 / math.E}), 10 * 0x1p-52},
	}
	for _, c := range cases {
		x := expm(t, c.a)
		for i, v := range x.Data {
			if !(math.Abs(v-c.want.Data[i]) <= c.limit*(math.Abs(c.want.Data[i]))) {
				t.Errorf("%s: %v, not %v", c.name, x.Data, c.want.Data)
				break
			}
		}
	}
}

// Circulant matrices are normal, so their eigenvalues give accurate exponentials at large orders. The eigenvalues are
// the discrete Fourier transform of the first row, and the exponential is circulant, too.
func TestExpmOfCirculants(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	for _, n := range []int{40, 130, 200} {
		for _, size := range []float64{0.1, 1, 5, 60} {
			first := make([]float64, n)
			for j := range first {
				first[j] = rng.NormFloat64() * size / math.Sqrt(float64(n))
			}
			want := circulantExp(first)
			a, y := dense.New[float64](n, n), dense.New[complex128](n, n)
			for i := range n {
				for j := range n {
					a.Set(i, j, first[(j-i+n)%n])
					y.Set(i, j, complex(want[(j-i+n)%n], 0))
				}
			}
			// The spectral norm is about 2.5 times the size, and the errors of the squarings grow in proportion to it.
			limit := 10 * float64(n) * 0x1p-52 * max(1, size)
			if r := relativeError(expm(t, a), y); !(r <= limit) {
				t.Errorf("n = %d, size %g: error %g, limit %g", n, size, r, limit)
			}
		}
	}
}

// circulantExp returns the first row of the exponential of the circulant matrix with the given first row.
func circulantExp(first []float64) []float64 {
	n := len(first)
	result := make([]float64, n)
	for k := range n {
		var value complex128
		for j, x := range first {
			value += complex(x, 0) * cmplx.Exp(complex(0, 2*math.Pi*float64(j*k%n)/float64(n)))
		}
		value = cmplx.Exp(value)
		for j := range result {
			result[j] += real(value*cmplx.Exp(complex(0, -2*math.Pi*float64(j*k%n)/float64(n)))) / float64(n)
		}
	}
	return result
}

func TestExpmOfNumbersThatOverflowOrAreNotFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	same := func(name string, x dense.Matrix[float64], want ...float64) {
		t.Helper()
		for i, v := range x.Data {
			if v != want[i] && (v == v || want[i] == want[i]) {
				t.Errorf("%s: %v, not %v", name, x.Data, want)
				return
			}
		}
	}
	same("diagonal", expm(t, dense.FromRows([]float64{-inf, 0}, []float64{0, 1e9})), 0, 0, 0, inf)
	same("NaN", expm(t, dense.FromRows([]float64{1, nan}, []float64{0, 1})), nan, nan, nan, nan)
	same("infinity", expm(t, dense.FromRows([]float64{1, inf}, []float64{0, 1})), nan, nan, nan, nan)
	x := expm(t, dense.FromRows([]float64{1e200, 1e200}, []float64{1e200, 1e200}))
	for _, v := range x.Data {
		if !math.IsInf(v, 1) && v == v {
			t.Errorf("overflow: %v", x.Data)
		}
	}
	single := expm(t, dense.FromRows([]float32{0, 3e38}, []float32{0, 0}))
	if !slices.Equal(single.Data, []float32{1, 3e38, 0, 1}) {
		t.Errorf("huge single numbers: %v", single.Data)
	}
}

// The result may overwrite the matrix and have any strides; it does not depend on the number of threads.
func TestExpmLayoutsAndThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 1))
	orders := []int{7, 150, 260}
	if testing.Short() { // as under the race detector
		orders = orders[:2]
	}
	for _, n := range orders {
		a := numtest.Random[complex64](rng, n, n)
		want := expm(t, a)
		for _, threads := range []int{2, 3} {
			team := sched.NewTeam(context.Background(), threads, nil)
			x := dense.New[complex64](n, n)
			if err := Expm(team, a.View(), x.View().T()); err != nil {
				t.Fatal(err)
			}
			team.ReleaseWorkers()
			back := dense.New[complex64](n, n)
			dense.Copy(back.View(), x.View().T())
			if !slices.Equal(back.Data, want.Data) {
				t.Errorf("n = %d: %d threads change the result", n, threads)
			}
		}
		if err := Expm(nil, a.View(), a.View()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Data, want.Data) {
			t.Errorf("n = %d: the result in place differs", n)
		}
	}
}

func TestExpmRefusesBadArguments(t *testing.T) {
	square, wide := dense.New[float64](3, 3).View(), dense.New[float64](3, 4).View()
	for want, err := range map[string]error{"A": Expm(nil, wide, wide), "x": Expm(nil, square, wide)} {
		var e *dense.ArgumentError
		if !errors.As(err, &e) || e.Arg != want {
			t.Errorf("%s: %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, n := range []int{2, 200} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(64, 1)), n, n)
		if err := Expm(sched.NewTeam(ctx, 1, nil), a.View(), a.View()); !errors.Is(err, context.Canceled) {
			t.Errorf("n = %d: %v", n, err)
		}
	}
}

func TestExpmWorkspaceIsAnUpperBound(t *testing.T) {
	const n = 300
	a := numtest.Random[float64](rand.New(rand.NewPCG(65, 1)), n, n)
	x := dense.New[float64](n, n)
	allocated, bound := int64(math.MaxInt64), ExpmWorkspace[float64](nil, n)
	for range 3 {
		runtime.GC()
		runtime.GC() // memory kept for later calls has been freed
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := Expm(nil, a.View(), x.View()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		allocated = min(allocated, int64(after.TotalAlloc-before.TotalAlloc))
	}
	if allocated > bound || allocated < bound/4 {
		t.Errorf("%d bytes were allocated, the bound is %d", allocated, bound)
	}
	if got := ExpmWorkspace[float64](nil, 1<<40); got != math.MaxInt64 {
		t.Errorf("order 2^40: %d", got)
	}
}

// Hager's estimate is a lower bound, rarely less than a third of the norm.
func TestNormEstimates(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 1))
	sum := 0.0
	const trials = 100
	for range trials {
		n := 1 + rng.IntN(30)
		a := numtest.Random[complex128](rng, n, n)
		norm := 0.0
		for j := range n {
			column := 0.0
			for i := range n {
				column += dense.Abs(a.At(i, j))
			}
			norm = max(norm, column)
		}
		estimate := estimateNorm(n, func(transposed bool, x, y []complex128) {
			for i := range y {
				y[i] = 0
				for j := range x {
					if transposed {
						y[i] += a.At(j, i) * x[j]
					} else {
						y[i] += a.At(i, j) * x[j]
					}
				}
			}
		})
		if !(estimate <= norm*(1+1e-12)) || estimate < norm/3 {
			t.Errorf("n = %d: estimate %g of the norm %g", n, estimate, norm)
		}
		sum += estimate / norm
	}
	if mean := sum / trials; mean < 0.85 {
		t.Errorf("estimates are %.2g of the norms on average", mean)
	}
}

// The coefficients of degree 13 are those of Higham (2005), section 2.
func TestPadeCoefficients(t *testing.T) {
	want := []float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
		10559470521600,
		670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}
	for j, b := range PadeCoefficients(highestDegree) {
		if x := want[j] / want[0]; math.Abs(b-x) > 0x1p-48*x {
			t.Errorf("degree 13: b_%d is %g, not %g", j, b, x)
		}
	}
	if c := errorConstant(13); math.Abs(c*113250775606021113483283660800000000-1) > 1e-14 {
		t.Errorf("degree 13: error constant %g", c)
	}
}
