package blas

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"

	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// withReal returns single() or double(), depending on the real type of T.
func withReal[T dense.Scalar](single, double func() float64) float64 {
	if dense.IsSingle[T]() {
		return single()
	}
	return double()
}

func nrm2With[T dense.Scalar](s kernel.Set, x dense.Vector[T]) float64 {
	return withReal[T](func() float64 { return nrm2[float32](s, x) }, func() float64 { return nrm2[float64](s, x) })
}

func asumWith[T dense.Scalar](s kernel.Set, x dense.Vector[T]) float64 {
	return withReal[T](func() float64 { return asum[float32](s, x) }, func() float64 { return asum[float64](s, x) })
}

// pairOf returns vectors of equal lengths.
func pairOf[T dense.Scalar](rng *rand.Rand, round int, guardX T) (x, y *strided[T]) {
	n := someLength(rng, round)
	if round%100 == 0 {
		n = vectorCall + rng.IntN(100) // more than one call of a kernel
	}
	return newStrided(rng, n, guardX), newStrided[T](rng, n, guardWord)
}

func TestDotAndAxpy(t *testing.T) {
	forSetsAndDtypes(t, testDot[float32], testDot[float64], testDot[complex64], testDot[complex128])
}

func testDot[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(41, uint64(s)))
	for round := range rounds(200) {
		x, y := pairOf(rng, round, nanOf[T]())
		for _, conj := range []bool{false, dense.IsComplex[T]()} {
			want := newExpected(1)
			for i, v := range x.wide() {
				if conj {
					v = cmplx.Conj(v)
				}
				want.add(0, v, dense.Convert[complex128](y.at(i)))
			}
			got := []T{dot(s, x.Vector, y.Vector, conj)}
			checkf(t, differs(&strided[T]{Vector: dense.Vec(got), memory: got}, want, x.N),
				"dot conj %v n %d increments %d %d", conj, x.N, x.Inc, y.Inc)
		}
		alpha := pick(rng, factorsOf[T](rng)...)
		want := newExpected(x.N)
		want.addScaled(1, y.wide())
		for i, v := range x.wide() {
			want.add(i, dense.Convert[complex128](alpha), v)
		}
		if alpha == 0 {
			x.fill(nanOf[T]())
		}
		axpy(s, alpha, x.Vector, y.Vector)
		checkf(t, differs(y, want, 2), "axpy alpha %v n %d increments %d %d", alpha, x.N, x.Inc, y.Inc)
	}
}

func TestNormsAndSums(t *testing.T) {
	forSetsAndDtypes(t, testNorms[float32], testNorms[float64], testNorms[complex64], testNorms[complex128])
}

func testNorms[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(42, uint64(s)))
	for round := range rounds(200) {
		x, _ := pairOf(rng, round, nanOf[T]())
		n := float64(x.N)
		squares, sum, largest, where := 0.0, 0.0, -1.0, -1
		for i := range x.N {
			re, im := dense.Real(x.at(i)), dense.Imag(x.at(i))
			squares += re*re + im*im
			size := math.Abs(re) + math.Abs(im)
			sum += size
			if size > largest {
				largest, where = size, i
			}
		}
		// Up to 2n squares and 2n additions add eps/2 each, halved by the root; the reference is rounded, too.
		if got, want := nrm2With(s, x.Vector), math.Sqrt(squares); !(math.Abs(got-want) <= (n+3)*dense.Eps[T]()*want) {
			t.Fatalf("nrm2 of %d, increment %d: %v, want %v", x.N, x.Inc, got, want)
		}
		if got := asumWith(s, x.Vector); !(math.Abs(got-sum) <= (n+3)*dense.Eps[T]()*sum) {
			t.Fatalf("asum of %d, increment %d: %v, want %v", x.N, x.Inc, got, sum)
		}
		if got := Iamax(x.Vector); got != where {
			t.Fatalf("Iamax of %d, increment %d: %d, want %d", x.N, x.Inc, got, where)
		}
	}
}

func TestNrm2OfHugeAndTinyElements(t *testing.T) {
	forSetsAndDtypes(t, testExtremeNorms[float32], testExtremeNorms[float64], testExtremeNorms[complex64],
		testExtremeNorms[complex128])
}

// testExtremeNorms scales vectors by powers of two, which scales the norm exactly, up to the ends of the range and into
// the subnormal numbers, where the elements themselves are rounded first. Expected values are computed from elements
// scaled by the exponent of the largest one.
func testExtremeNorms[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(43, uint64(s)))
	lowest, highest := -1074, 1016
	if dense.IsSingle[T]() {
		lowest, highest = -149, 120
	}
	for range rounds(400) {
		x := newStrided(rng, 1+rng.IntN(30), nanOf[T]())
		common, spread := lowest+rng.IntN(highest-lowest), pick(rng, 0, 0, 40, highest-lowest)
		largest := 0.0
		for i := range x.N {
			exponent := max(common-rng.IntN(spread+1), lowest)
			v := x.at(i)
			x.set(i, dense.FromParts[T](math.Ldexp(dense.Real(v), exponent), math.Ldexp(dense.Imag(v), exponent)))
			largest = max(largest, math.Abs(dense.Real(x.at(i))), math.Abs(dense.Imag(x.at(i))))
		}
		_, exponent := math.Frexp(largest)
		squares := 0.0
		for i := range x.N {
			// Ldexp, since the power of two itself may be out of range.
			re := math.Ldexp(dense.Real(x.at(i)), -exponent)
			im := math.Ldexp(dense.Imag(x.at(i)), -exponent)
			squares += re*re + im*im
		}
		want := math.Ldexp(math.Sqrt(squares), exponent)
		limit := float64(x.N+3)*dense.Eps[T]()*want + math.SmallestNonzeroFloat64
		if got := nrm2With(s, x.Vector); !(math.Abs(got-want) <= limit) {
			t.Fatalf("n %d, elements of size %g: %v, want %v", x.N, largest, got, want)
		}
	}
}

func TestNormsOfInfinitiesAndNaNs(t *testing.T) {
	forDtypes(t, testNotFiniteNorms[float32], testNotFiniteNorms[float64], testNotFiniteNorms[complex64],
		testNotFiniteNorms[complex128])
}

func testNotFiniteNorms[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 0))
	for range rounds(100) {
		x := newStrided[T](rng, 3+rng.IntN(600), guardWord)
		i, j := rng.IntN(x.N), rng.IntN(x.N)
		x.set(i, dense.FromReal[T](math.Inf(-1)))
		if got := Nrm2(x.Vector); !math.IsInf(got, 1) {
			t.Fatalf("Nrm2 with an infinity: %v", got)
		}
		if got := Asum(x.Vector); !math.IsInf(got, 1) {
			t.Fatalf("Asum with an infinity: %v", got)
		}
		if got := Iamax(x.Vector); got != i {
			t.Fatalf("Iamax with an infinity at %d: %d", i, got)
		}
		if i == j {
			continue
		}
		x.set(j, nanOf[T]())
		if n, a := Nrm2(x.Vector), Asum(x.Vector); !math.IsNaN(n) || !math.IsNaN(a) {
			t.Fatalf("norms with a NaN: %v, %v", n, a)
		}
		want := i
		if j == 0 {
			want = 0 // as in the reference BLAS
		}
		if got := Iamax(x.Vector); got != want {
			t.Fatalf("Iamax with an infinity at %d and a NaN at %d: %d", i, j, got)
		}
	}
	nothing, all := dense.Vec([]T{}), dense.Vec([]T{0, nanOf[T](), nanOf[T]()})
	if Iamax(nothing) != -1 || Iamax(all) != 0 || Nrm2(nothing) != 0 || Asum(nothing) != 0 {
		t.Error("empty vectors or a zero before NaNs give wrong results")
	}
	ties := dense.Vec([]T{1, -2, 2, -2})
	if got := Iamax(ties); got != 1 {
		t.Errorf("first of equal elements: %d", got)
	}
}

func TestMovesAndScaling(t *testing.T) {
	forDtypes(t, testMoves[float32], testMoves[float64], testMoves[complex64], testMoves[complex128])
}

func testMoves[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 0))
	for round := range rounds(200) {
		x, y := pairOf[T](rng, round, guardWord)
		beforeX, beforeY := x.clone(), y.clone()
		Swap(x.Vector, y.Vector)
		copied := newStrided[T](rng, x.N, guardWord)
		Copy(y.Vector, copied.Vector)
		if !slices.Equal(x.wide(), beforeY.wide()) || !slices.Equal(y.wide(), beforeX.wide()) ||
			!slices.Equal(copied.wide(), beforeX.wide()) {
			t.Fatalf("n %d increments %d %d: not moved", x.N, x.Inc, y.Inc)
		}
		alpha := pick(rng, factorsOf[T](rng)...)
		want := newExpected(x.N)
		for i, v := range x.wide() {
			want.add(i, dense.Convert[complex128](alpha), v)
		}
		Scal(alpha, x.Vector)
		checkf(t, differs(x, want, 1), "Scal n %d increment %d", x.N, x.Inc)
		if !y.guarded() || !copied.guarded() {
			t.Fatal("memory around a vector was written")
		}
	}
	nan := dense.Vec([]T{nanOf[T](), 1})
	Scal(0, nan)
	if nan.Data[0] == nan.Data[0] || nan.Data[1] != 0 {
		t.Errorf("Scal by 0: %v", nan.Data)
	}
}

func TestRot(t *testing.T) {
	forDtypes(t, testRot[float32], testRot[float64], testRot[complex64], testRot[complex128])
}

func testRot[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(46, 0))
	for round := range rounds(100) {
		x, y := pairOf[T](rng, round, guardWord)
		c, s := rng.NormFloat64(), number[T](rng)
		// c is rounded to T before it is used.
		cosine, sine := complex(dense.Real(dense.FromReal[T](c)), 0), dense.Convert[complex128](s)
		wantX, wantY := newExpected(x.N), newExpected(x.N)
		wideY := y.wide()
		for i, p := range x.wide() {
			q := wideY[i]
			wantX.add(i, cosine, p)
			wantX.add(i, sine, q)
			wantY.add(i, cosine, q)
			wantY.add(i, -cmplx.Conj(sine), p)
		}
		Rot(x.Vector, y.Vector, c, s)
		checkf(t, differs(x, wantX, 2), "Rot x")
		checkf(t, differs(y, wantY, 2), "Rot y")
	}
}

// gonumRotations adapts our rotations to the interfaces of gonum's tests.
type gonumRotations struct{}

func (gonumRotations) Drotg(a, b float64) (c, s, r, z float64) { return Rotg(a, b) }

func (gonumRotations) Drotmg(d1, d2, x, y float64) (gblas.DrotmParams, float64, float64, float64) {
	p, d1, d2, x := Rotmg(d1, d2, x, y)
	return gblas.DrotmParams{Flag: p.Flag, H: p.H}, d1, d2, x
}

func (gonumRotations) Drotm(n int, x []float64, incX int, y []float64, incY int, p gblas.DrotmParams) {
	Rotm(dense.Vector[float64]{N: n, Inc: incX, Data: x}, dense.Vector[float64]{N: n, Inc: incY, Data: y},
		RotmParams[float64]{Flag: p.Flag, H: p.H})
}

func TestRotationsAsGonumExpects(t *testing.T) {
	testblas.DrotgTest(t, gonumRotations{}, false)
	testblas.DrotmgTest(t, gonumRotations{})
}

func TestRotmg(t *testing.T) {
	t.Run("float32", testRotmg[float32])
	t.Run("float64", testRotmg[float64])
}

// testRotmg checks, in double precision, that H makes the second component zero and that the transformation it
// represents, diag(sqrt(new d)) H diag(1/sqrt(d)), is orthogonal.
func testRotmg[F dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 0))
	const terms = 20 // rounding errors of one call, most of which accumulate
	limit := terms * dense.Eps[F]()
	flags := map[gblas.Flag]int{}
	for range rounds(2000) {
		scale := func() float64 { return math.Ldexp(1+rng.Float64(), rng.IntN(81)-40) }
		d1, d2, x, y := F(scale()), F(scale()), F(scale()), F(-scale())
		p, n1, n2, nx := Rotmg(d1, d2, x, y)
		flags[p.Flag]++
		v := []F{x, y}
		Rotm(dense.Vec(v[:1]), dense.Vec(v[1:]), p)
		h11, h21, h12, h22 := p.matrix()
		size := math.Abs(float64(h21*x)) + math.Abs(float64(h22*y))
		terms := math.Abs(float64(h11*x)) + math.Abs(float64(h12*y))
		if !(math.Abs(float64(v[1])) <= limit*size) || !(math.Abs(float64(v[0]-nx)) <= limit*terms) {
			t.Fatalf("%v %v %v %v: H (x, y) = %v, want %v, 0", d1, d2, x, y, v, nx)
		}
		w1, w2 := math.Sqrt(float64(n1)), math.Sqrt(float64(n2))
		u1, u2 := math.Sqrt(float64(d1)), math.Sqrt(float64(d2))
		q := [4]float64{w1 * float64(h11) / u1, w1 * float64(h12) / u2, w2 * float64(h21) / u1, w2 * float64(h22) / u2}
		rows := q[0]*q[0] + q[1]*q[1]
		if across := q[0]*q[2] + q[1]*q[3]; !(math.Abs(rows-1) <= limit) || !(math.Abs(across) <= limit) {
			t.Fatalf("%v %v %v %v: squared norm of row 1 is %v, rows 1 and 2 have product %v", d1, d2, x, y, rows, across)
		}
	}
	for _, flag := range []gblas.Flag{gblas.Rescaling, gblas.OffDiagonal, gblas.Diagonal} {
		if flags[flag] == 0 {
			t.Errorf("no case of flag %d", flag)
		}
	}
}

func TestRotg32(t *testing.T) {
	rng := rand.New(rand.NewPCG(48, 0))
	for range rounds(1000) {
		a := float32(math.Ldexp(rng.NormFloat64(), rng.IntN(240)-125))
		b := float32(math.Ldexp(rng.NormFloat64(), rng.IntN(240)-125))
		c, s, r, _ := Rotg(a, b)
		want := math.Hypot(float64(a), float64(b))
		const limit = 4 * 0x1p-23
		if !(math.Abs(math.Abs(float64(r))-want) <= limit*want+0x1p-149) {
			t.Fatalf("%v %v: r = %v, want +-%v", a, b, r, want)
		}
		if n := float64(c)*float64(c) + float64(s)*float64(s); want > 0x1p-126 && !(math.Abs(n-1) <= limit) {
			t.Fatalf("%v %v: c^2 + s^2 = %v", a, b, n)
		}
	}
}

func TestLdexp(t *testing.T) {
	testLdexp[float32](t, func(x float64, k int) float64 { return float64(float32(math.Ldexp(x, k))) })
	testLdexp[float64](t, math.Ldexp)
	testLdexp[complex64](t, func(x float64, k int) float64 { return float64(float32(math.Ldexp(x, k))) })
	testLdexp[complex128](t, math.Ldexp)
}

// testLdexp compares with want, which rounds once, for powers within and beyond the range of T's real type.
func testLdexp[T dense.Scalar](t *testing.T, want func(x float64, k int) float64) {
	top, least := dense.MaxExponent[T](), dense.SmallestSubnormal[T]()
	numbers := []float64{1, -1 - 3*dense.Eps[T](), 1.5, 0, math.Copysign(0, -1), least, 3 * least,
		dense.LargestPower[T]() * 1.25, math.Inf(-1), math.NaN()}
	for _, k := range []int{0, 1, -1, 7, -top + 1, -top, top - 1, top, -top - 10, top + 10, 2 * top, -2 * top, 5 * top,
		-5 * top} {
		var x []T
		for i, re := range numbers {
			x = append(x, dense.FromParts[T](re, numbers[len(numbers)-1-i]))
		}
		Ldexp(x, k)
		for i, re := range numbers {
			expect := func(name string, got, from float64) {
				w := want(from, k)
				if math.Float64bits(got) != math.Float64bits(w) && !(math.IsNaN(got) &&
					math.IsNaN(w)) {
					t.Errorf("%T: %s of %g times 2^%d is %g, not %g", x[i], name, from, k, got, w)
				}
			}
			expect("real part", dense.Real(x[i]), re)
			if dense.IsComplex[T]() {
				expect("imaginary part", dense.Imag(x[i]), numbers[len(numbers)-1-i])
			}
		}
	}
}
