package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestEighGeneralized(t *testing.T) {
	t.Run("float32", testGeneralized[float32, float64, float32])
	t.Run("float64", testGeneralized[float64, float64, float64])
	t.Run("complex64", testGeneralized[complex64, complex128, float32])
	t.Run("complex128", testGeneralized[complex128, complex128, float64])
}

func testGeneralized[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := &numtest.WorstResiduals{}
	for _, n := range []int{1, 2, 3, 5, 16, 33, 64, 65, 129} {
		a, b := rounded[T](numtest.RandomHermitian[W](rng, n)), numtest.RandomSPD[T](rng, n)
		for problem := AXEqualsLambdaBX; problem <= BAXEqualsLambdaX; problem++ {
			for _, opt := range []Options{
				{}, {Upper: true}, {Overwrite: true}, {Upper: true, Overwrite: true}, {Subset: ByIndex(n/2, n-1)},
			} {
				name := fmt.Sprintf("problem %d, n = %d, %+v", problem, n, opt)
				o := newOutputs[T, R](n)
				ca, cb := a.Clone(), b.Clone()
				count, err := EighGeneralized(problem, ca.View(), cb.View(), o.w, o.v, opt)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !opt.Overwrite && (!numtest.SameBits(ca.Data, a.Data) || !numtest.SameBits(cb.Data, b.Data)) {
					t.Errorf("%s: changed its input", name)
				}
				w, v := pairs[W](o, count)
				checkGeneralized(t, worst, name, problem, widened[W](a), widened[W](b), w, v, dense.Eps[T]())
			}
		}
	}
	t.Log(worst)
}

// checkGeneralized fails the test unless w and v are eigenpairs of the problem, normalized as documented. It measures
//
//	|A V - B V diag(w)|_F / (m eps (|A| + max|w| |B|) |V|_F) and |V^H B V - I|_F / (m eps |B| |V|_F^2 / n), m = max(n, 8)
//
// and the corresponding quantities of the other problems.
func checkGeneralized[W dense.Wide](t *testing.T, worst *numtest.WorstResiduals, name string, problem Problem, a,
	b dense.Matrix[W], w []float64, v dense.Matrix[W], eps float64) {
	t.Helper()
	n, unit := a.Rows, float64(max(a.Rows, 8))*eps
	normA, normB, normV := numtest.HermitianNorm(a), numtest.HermitianNorm(b), numtest.FrobeniusNorm(v)
	largest := max(math.Abs(w[0]), math.Abs(w[len(w)-1]))
	vw := v.Clone()
	for j := range w {
		for i := range n {
			vw.Set(i, j, v.At(i, j)*dense.FromReal[W](w[j]))
		}
	}
	var residual, gram dense.Matrix[W]
	scale, gramScale := normA*normB+largest, normB*normV*normV/float64(n)
	switch problem {
	case AXEqualsLambdaBX:
		residual, gram = minus(times(a, v), times(b, vw)), times(adjoint(v), times(b, v))
		scale = normA + largest*normB
	case ABXEqualsLambdaX:
		residual, gram = minus(times(a, times(b, v)), vw), times(adjoint(v), times(b, v))
	case BAXEqualsLambdaX:
		// V^H B^-1 V by the Cholesky factor: B^-1 v = A v / w would lose digits for small w.
		residual = minus(times(b, times(a, v)), vw)
		l, u := b.Clone(), v.Clone()
		if err := factor.Cholesky(nil, l); err != nil {
			t.Fatal(err)
		}
		blas.Trsm(nil, blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, l, u)
		gram, gramScale = times(adjoint(u), u), 1
	}
	identity := dense.New[W](v.Cols, v.Cols)
	identity.SetIdentity()
	r := numtest.FrobeniusNorm(residual) / (unit * scale * normV)
	o := numtest.FrobeniusNorm(minus(gram, identity)) / (unit * max(gramScale, 1))
	if !(r < residualLimit) || !(o < residualLimit) {
		t.Errorf("%s: residual %g, normalization %g", name, r, o)
	}
	worst.Note(name, r, o)
	if !slices.IsSorted(w) {
		t.Errorf("%s: eigenvalues are not in ascending order", name)
	}
	checkPhase(t, name, v)
}

func times[W dense.Wide](a, b dense.Matrix[W]) dense.Matrix[W] {
	c := dense.New[W](a.Rows, b.Cols)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	return c
}

func minus[W dense.Wide](a, b dense.Matrix[W]) dense.Matrix[W] {
	c := a.Clone()
	for i := range c.Data {
		c.Data[i] -= b.Data[i]
	}
	return c
}

func adjoint[W dense.Wide](a dense.Matrix[W]) dense.Matrix[W] {
	b := dense.New[W](a.Cols, a.Rows)
	for i := range a.Rows {
		for j := range a.Cols {
			b.Set(j, i, dense.Conj(a.At(i, j)))
		}
	}
	return b
}

func TestGeneralizedExtremeScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 20
	a, b := numtest.RandomHermitian[complex128](rng, n), numtest.RandomSPD[complex128](rng, n)
	worst := &numtest.WorstResiduals{}
	for problem := AXEqualsLambdaBX; problem <= BAXEqualsLambdaX; problem++ {
		for _, scale := range [][2]int{{0, 0}, {900, 901}, {-900, -901}, {-1000, 3}, {5, 1000}, {-341, 341}, {501, -501},
			{339, -339}} {
			name := fmt.Sprintf("problem %d, A 2^%d, B 2^%d", problem, scale[0], scale[1])
			ca, cb, o := times2(a, scale[0]), times2(b, scale[1]), newOutputs[complex128, float64](n)
			valueExponent, rootExponent := scale[0]+scale[1], -scale[1]
			if problem == AXEqualsLambdaBX {
				valueExponent = scale[0] - scale[1]
			}
			if problem == BAXEqualsLambdaX {
				rootExponent = scale[1]
			}
			if valueExponent < -1000 || valueExponent > 1000 {
				continue // the eigenvalues would overflow or underflow
			}
			if _, err := EighGeneralized(problem, ca.View(), cb.View(), o.w, o.v, Options{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			w, v := pairs[complex128](o, n)
			for i := range w {
				w[i] = math.Ldexp(w[i], -valueExponent)
			}
			v = times2(v, -rootExponent/2)
			if rootExponent%2 != 0 { // an odd power leaves a factor sqrt(2) or its inverse
				root := complex(math.Pow(2, -float64(rootExponent%2)/2), 0)
				for i := range v.Data {
					v.Data[i] *= root
				}
			}
			checkGeneralized(t, worst, name, problem, a, b, w, v, 0x1p-52)
		}
	}
	t.Log(worst)
}

// scipy#12258: B with eigenvalues down to 1e-9 of the largest one. The residual is measured as in that report, relative
// to |A| + |w| |B| for each pair; the error bound of the method is proportional to the condition number of B.
func TestIllConditionedB(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, smallest, limit = 12, 1e-9, 1e-12
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Pow(smallest, float64(i)/(n-1))
	}
	worst := 0.0
	for range 50 {
		a, b := numtest.RandomHermitian[float64](rng, n), numtest.WithSpectrum[float64](rng, values)
		o := newOutputs[float64, float64](n)
		if _, err := EighGeneralized(AXEqualsLambdaBX, a.View(), b.View(), o.w, o.v, Options{}); err != nil {
			t.Fatal(err)
		}
		w, v := pairs[float64](o, n)
		for j := range n {
			x := v.Slice(0, n, j, j+1).Clone()
			bx := times(b, x)
			for i := range bx.Data {
				bx.Data[i] *= w[j]
			}
			r := numtest.FrobeniusNorm(minus(times(a, x), bx))
			r /= (numtest.HermitianNorm(a) + math.Abs(w[j])*numtest.HermitianNorm(b)) * numtest.FrobeniusNorm(x)
			worst = max(worst, r)
		}
	}
	t.Logf("worst residual %.2g", worst)
	if !(worst < limit) {
		t.Errorf("residual %g", worst)
	}
}

func TestNotPositiveDefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	scaled := func(x float64, rows ...[]float64) dense.Matrix[float64] {
		m := dense.FromRows(rows...)
		for i := range m.Data {
			m.Data[i] *= x
		}
		return m
	}
	ones := []float64{1, 1, 1}
	z := numtest.Random[float64](rng, 1, 40)
	rankOne := dense.New[float64](40, 40)
	blas.Gerc(nil, 1, z.RowVec(0, 0, 40), z.RowVec(0, 0, 40), rankOne)
	g := numtest.Random[float64](rng, 40, 14)
	late := numtest.RandomSPD[float64](rng, 100)
	late.Set(79, 79, 0)
	for name, c := range map[string]struct {
		b     dense.Matrix[float64]
		order int
	}{
		"ones":              {scaled(1, []float64{1, 1}, []float64{1, 1}), 2},
		"tenths":            {scaled(0.1, ones, ones, ones), 2},
		"sevenths":          {scaled(1.0/7, ones, ones, ones), 2},
		"tiny":              {scaled(1e-300, ones, ones, ones), 2},
		"indefinite":        {scaled(1, []float64{1, 0}, []float64{0, -1}), 2},
		"zero":              {dense.New[float64](3, 3), 1},
		"negative":          {scaled(1, []float64{-1}), 1},
		"rank one":          {rankOne, 2},
		"rank 14 of 40":     {times(g, adjoint(g)), 15},
		"zero on row 80":    {late, 80},
		"smallest negative": {scaled(5e-324, []float64{1, 0}, []float64{0, -1}), 2},
	} {
		n := c.b.Rows
		a := dense.New[float64](n, n)
		a.SetIdentity()
		for problem := AXEqualsLambdaBX; problem <= BAXEqualsLambdaX; problem++ {
			for _, upper := range []bool{false, true} {
				o := newOutputs[float64, float64](n)
				_, err := EighGeneralized(problem, a.View(), c.b.View(), o.w, o.v, Options{Upper: upper})
				var e *factor.NotPositiveDefiniteError
				if !errors.As(err, &e) || e.Arg != "b" || e.Order != c.order {
					t.Errorf("%s, problem %d: %v, want order %d", name, problem, err, c.order)
				}
			}
		}
	}
}

func TestNotPositiveDefiniteSinglePrecision(t *testing.T) {
	b := dense.New[complex64](3, 3)
	b.Fill(0.1)
	o := newOutputs[complex64, float32](3)
	_, err := EighGeneralized(AXEqualsLambdaBX, b.View(), b.View(), o.w, o.v, Options{})
	var e *factor.NotPositiveDefiniteError
	if !errors.As(err, &e) || e.Order != 2 {
		t.Errorf("a matrix of tenths: %v", err)
	}
}

// A graded B is accepted as positive definite however small its last element is, unless the eigenvalues would overflow
// in double precision.
func TestGradedB(t *testing.T) {
	a := dense.FromRows([]float64{1, 0}, []float64{0, 1})
	w := make([]float64, 2)
	b := dense.FromRows([]float64{1, 0}, []float64{0, 1e-300})
	if _, err := EighGeneralized(AXEqualsLambdaBX, a.View(), b.View(), w, dense.View[float64]{},
		Options{ValuesOnly: true}); err != nil {
		t.Fatal(err)
	}
	checkValues(t, "graded", []float64{w[0], w[1] / 1e300}, []float64{1, 1}, 1e-15)
	b.Set(1, 1, 1e-320)
	_, err := EighGeneralized(AXEqualsLambdaBX, a.View(), b.View(), w, dense.View[float64]{}, Options{ValuesOnly: true})
	var e *dense.ArgumentError
	if !errors.As(err, &e) || e.Arg != "b" {
		t.Errorf("eigenvalue 1e320: %v", err)
	}
}

func TestGeneralizedInSingle(t *testing.T) {
	t.Run("float32", testGeneralizedInSingle[float32, float64, float32])
	t.Run("complex64", testGeneralizedInSingle[complex64, complex128, float32])
}

// testGeneralizedInSingle checks that a metric that does not suit single precision, and no other, gives the bits of
// double precision, although A and B may be overwritten, and that progress is complete in either case.
func testGeneralizedInSingle[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	const n = 100
	a := rounded[T](numtest.RandomHermitian[W](rng, n))
	for name, c := range map[string]struct {
		smallest, grading float64
		power             int
		inSingle          bool
	}{
		"well conditioned": {1, 1, 0, true},
		"scaled":           {1, 1, 60, true},
		"nearly singular":  {1e-5, 1, 0, false},
		"graded":           {1, 0x1p-20, 0, false},
		"badly scaled":     {1, 0x1p-8, 0, false},
		"a little scaled":  {1, 0x1p-2, 0, true},
	} {
		b := numtest.WithSpectrum[W](rng, withSmallest(n, c.smallest))
		for i := range n {
			b.Set(i, n-1, b.At(i, n-1)*dense.FromReal[W](c.grading))
			b.Set(n-1, i, b.At(n-1, i)*dense.FromReal[W](c.grading))
		}
		metric := rounded[T](times2(b, c.power))
		for problem := AXEqualsLambdaBX; problem <= BAXEqualsLambdaX; problem++ {
			got, want := newOutputs[T, R](n), newOutputs[T, R](n)
			if _, err := EighGeneralized(problem, a.View(), metric.View(), want.w, want.v,
				Options{DoublePrecision: true}); err != nil {
				t.Fatalf("%s, problem %d: %v", name, problem, err)
			}
			var progress sched.Progress
			opt := Options{Overwrite: true, Team: sched.NewTeam(context.Background(), 1, &progress)}
			if _, err := EighGeneralized(problem, a.Clone().View(), metric.Clone().View(), got.w, got.v, opt); err != nil {
				t.Fatalf("%s, problem %d: %v", name, problem, err)
			}
			if same := numtest.SameBits(got.w, want.w) && numtest.SameBits(got.v.Data, want.v.Data); same == c.inSingle {
				t.Errorf("%s, problem %d: results equal to those of double precision: %v", name, problem, same)
			}
			if done, total := progress.Read(); total < 2*n || done != total {
				t.Errorf("%s, problem %d: %d of %d steps", name, problem, done, total)
			}
			size := max(math.Abs(float64(want.w[0])), math.Abs(float64(want.w[n-1])))
			for i := range want.w {
				if e := math.Abs(float64(got.w[i]-want.w[i])) / (size * n * dense.Eps[R]()); !(e < 1) {
					t.Fatalf("%s, problem %d: eigenvalue %d is %g, want %g", name, problem, i, got.w[i], want.w[i])
				}
			}
		}
	}
}

// An indefinite metric is refused as in double precision, with the same order of the leading minor.
func TestIndefiniteInSingle(t *testing.T) {
	const n, row = 90, 70
	rng := rand.New(rand.NewPCG(5, 5))
	b := numtest.RandomSPD[float32](rng, n)
	b.Set(row, row, 0)
	o := newOutputs[float32, float32](n)
	_, err := EighGeneralized(AXEqualsLambdaBX, b.View(), b.View(), o.w, o.v, Options{})
	var minor *factor.NotPositiveDefiniteError
	if !errors.As(err, &minor) || minor.Order != row+1 {
		t.Errorf("a zero on the diagonal: %v, want order %d", err, row+1)
	}
}
