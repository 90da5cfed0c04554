package sylvester

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// residualLimit is the largest acceptable residual, in units of max(n, 8) eps.
const residualLimit = 2

// wide returns m in double precision.
func wide[T dense.Scalar](m dense.Matrix[T]) dense.Matrix[complex128] {
	w := dense.New[complex128](m.Rows, m.Cols)
	dense.Copy(w.View(), m.View())
	return w
}

// triangle returns a random (quasi-)triangular matrix with eigenvalues around center. A real one has 2 x 2 blocks at
// random places.
func triangle[W dense.Scalar](rng *rand.Rand, n int, center float64) dense.Matrix[W] {
	t := numtest.Random[W](rng, n, n)
	for i := range n {
		clear(t.Row(i)[:i])
		t.Set(i, i, t.At(i, i)/4+dense.FromReal[W](center))
	}
	for i := 0; i+1 < n && !dense.IsComplex[W](); i++ {
		if rng.IntN(2) == 0 {
			t.Set(i+1, i, dense.FromReal[W](-0.5-rng.Float64()))
			t.Set(i, i+1, dense.FromReal[W](0.5+rng.Float64()))
			t.Set(i+1, i+1, t.At(i, i))
			i++
		}
	}
	return t
}

func transposeOf(adjoint bool) blas.Transpose {
	if adjoint {
		return blas.ConjTrans
	}
	return blas.NoTrans
}

// residual returns |op(A) X + X op(B) - 2^-shift C|_F / (m eps (|A|_F + |B|_F) |X|_F), m = max(rows, columns, 8), with
// the eps of T.
func residual[T dense.Scalar](form Form, a, b, c, x dense.Matrix[T], shift int) float64 {
	wa, wb, r, wx := wide(a), wide(b), wide(c), wide(x)
	scale(r, -shift)
	sign := complex128(1)
	if form.Minus {
		sign = -1
	}
	blas.Gemm(nil, transposeOf(form.AdjointA), blas.NoTrans, 1, wa, wx, -1, r)
	blas.Gemm(nil, blas.NoTrans, transposeOf(form.AdjointB), sign, wx, wb, 1, r)
	size := (numtest.FrobeniusNorm(wa) + numtest.FrobeniusNorm(wb)) * numtest.FrobeniusNorm(wx)
	if size == 0 {
		return 0
	}
	return numtest.FrobeniusNorm(r) / (float64(max(c.Rows, c.Cols, 8)) * dense.Eps[T]() * size)
}

// forms returns all forms of the equation.
func forms() (all []Form) {
	for k := range 8 {
		all = append(all, Form{AdjointA: k&1 != 0, AdjointB: k&2 != 0, Minus: k&4 != 0})
	}
	return all
}

func testTriangular[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for _, size := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 5}, {16, 16}, {17, 15}, {33, 70}, {65, 64},
		{129, 200}, {200, 31}} {
		for _, form := range forms() {
			m, n := size[0], size[1]
			center := 1.0
			if form.Minus {
				center = -1
			}
			a, b, c := triangle[W](rng, m, 1), triangle[W](rng, n, center), numtest.Random[W](rng, m, n)
			x := c.Clone()
			outcome, err := Triangular(nil, form, a, b, x)
			if err != nil || outcome.Perturbed {
				t.Errorf("%d x %d, %+v: %+v, %v", m, n, form, outcome, err)
			}
			r := residual(form, a, b, c, x, outcome.Shift)
			worst = max(worst, r)
			if !(r <= residualLimit) {
				t.Errorf("%d x %d, %+v: residual %g", m, n, form, r)
			}
		}
	}
	t.Logf("largest residual %.3f", worst)
}

func TestTriangular(t *testing.T) {
	t.Run("float64", testTriangular[float64])
	t.Run("float32", testTriangular[float32])
	t.Run("complex128", testTriangular[complex128])
	t.Run("complex64", testTriangular[complex64])
}

func TestTriangularForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b, c := triangle[float64](rng, 300, 1), triangle[float64](rng, 211, 1), numtest.Random[float64](rng, 300, 211)
	want := c.Clone()
	if _, err := Triangular(nil, Form{}, a, b, want); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3, 8} {
		got := c.Clone()
		if _, err := Triangular(sched.NewTeam(context.Background(), threads, nil), Form{}, a, b, got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("the result of %d threads differs from that of one", threads)
		}
	}
}

// Coefficients and right-hand sides may have any size; solutions that would overflow are returned scaled.
func testExtremes[W dense.Scalar](t *testing.T, top int) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, coefficients := range []int{-top + 10, 0, top - 10} {
		for _, right := range []int{-top + 10, 0, top - 10} {
			for _, form := range []Form{{}, {AdjointA: true, Minus: true}} {
				center := 1.0
				if form.Minus {
					center = -1
				}
				a, b, c := triangle[W](rng, 40, 1), triangle[W](rng, 30, center), numtest.Random[W](rng, 40, 30)
				small := [3]dense.Matrix[W]{a.Clone(), b.Clone(), c.Clone()}
				scale(a, coefficients)
				scale(b, coefficients)
				scale(c, right)
				outcome, err := Triangular(nil, form, a, b, c)
				if err != nil {
					t.Fatal(err)
				}
				// This turns X into the solution of the unscaled equation.
				scale(c, outcome.Shift-right+coefficients)
				name := fmt.Sprintf("coefficients 2^%d, right side 2^%d, %+v", coefficients, right, form)
				if right-coefficients < -top { // the solution underflows
					continue
				}
				if r := residual(form, small[0], small[1], small[2], c, 0); !(r <= residualLimit) {
					t.Errorf("%s: shift %d, residual %g", name, outcome.Shift, r)
				}
			}
		}
	}
}

func TestExtremes(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testExtremes[float64](t, 1000) })
	t.Run("float32", func(t *testing.T) { testExtremes[float32](t, 110) })
	t.Run("complex128", func(t *testing.T) { testExtremes[complex128](t, 1000) })
}

// Every pivot of this equation is zero: the elements of X grow by factors of 1/eps along each diagonal until they would
// overflow.
func testSingular[W dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{3, 20, 100, 150} {
		a := triangle[W](rng, n, 0)
		for i := range n {
			a.Set(i, i, 0)
			if i > 0 {
				a.Set(i, i-1, 0)
			}
		}
		c := numtest.Random[W](rng, n, n)
		x := c.Clone()
		outcome, err := Triangular(nil, Form{Minus: true}, a, a, x)
		if err != nil || !outcome.Perturbed {
			t.Fatalf("n = %d: %+v, %v", n, outcome, err)
		}
		if !x.View().AllFinite() || numtest.FrobeniusNorm(wide(x)) == 0 {
			t.Errorf("n = %d: X is not finite, or zero", n)
		}
		// A and B are perturbed by about eps relative to their norms, so the residual is of that order.
		if r := residual(Form{Minus: true}, a, a, c, x, outcome.Shift); !(r <= residualLimit) {
			t.Errorf("n = %d: shift %d, residual %g", n, outcome.Shift, r)
		}
		if n == 150 && outcome.Shift == 0 {
			t.Error("the solution was not scaled")
		}
	}
}

func TestSingular(t *testing.T) {
	t.Run("float64", testSingular[float64])
	t.Run("float32", testSingular[float32])
	t.Run("complex128", testSingular[complex128])
	t.Run("complex64", testSingular[complex64])
}

// An equation with 2 x 2 blocks is solved by the normal forms of the blocks if these are in standard form and well
// scaled, otherwise by elimination.
func TestCoupledEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	block := func(order int) (m order2) {
		m[0][0] = rng.NormFloat64()
		if order == 2 {
			m[0][1], m[1][0], m[1][1] = rng.ExpFloat64()*math.Pow(10, 4*rng.Float64()-2), -rng.ExpFloat64(), m[0][0]
			if rng.IntN(2) == 0 {
				m[0][1], m[1][0] = m[1][0], m[0][1]
			}
		}
		return m
	}
	const least = 0x1p-52
	normal := 0
	for range 20000 {
		p, q := 1+rng.IntN(2), 1+rng.IntN(2)
		a, b := block(p), block(q)
		var c order2
		for i := range p {
			for j := range q {
				c[i][j] = rng.NormFloat64()
			}
		}
		x, ok := order2{}, false
		if f, g := normalFormOf(&a, p), normalFormOf(&b, q); p+q > 2 && f.usable && g.usable {
			x, ok = solveNormal(&f, &g, &c, p, q, least)
			normal++
		}
		if !ok {
			x, _ = solveByElimination(&a, &b, &c, p, q, false, 0, least)
		}
		worst, size := 0.0, (a.largest()+b.largest())*x.largest()
		for i := range p {
			for j := range q {
				r := c[i][j]
				for k := range 2 {
					r -= a[i][k]*x[k][j] + x[i][k]*b[k][j]
				}
				worst = max(worst, math.Abs(r))
			}
		}
		// Scaling both blocks by sigma enlarges rounding errors by at most mostSigma^2.
		if !(worst <= 4*mostSigma*mostSigma*0x1p-52*size) {
			t.Fatalf("%v, %v, %v: residual %g", a, b, c, worst/size)
		}
	}
	t.Logf("%d of 20000 equations are solved by normal forms", normal)
	if normal < 5000 || normal > 15000 {
		t.Error("one of the two methods is hardly tested")
	}
	if f := normalFormOf(&order2{{1, 2}, {-3, 4}}, 2); f.usable {
		t.Error("a block that is not in standard form is reported as usable")
	}
}
