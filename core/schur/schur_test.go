package schur

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	glapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/internal/formtest"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
)

// judge checks decompositions and keeps the largest residuals it has seen.
type judge struct {
	*testing.T
	similarity, orthogonality float64
	worst                     string
}

func (j *judge) log() {
	j.Helper()
	j.Logf("largest residuals: similarity %.2f (%s), orthogonality %.2f", j.similarity, j.worst, j.orthogonality)
}

// solver is Decompose or hessenbergForm.
type solver func(a, form, factor dense.View[float64], opt Options) error

// hessenbergForm is hessenberg.Reduce with the options of a Schur form.
func hessenbergForm[T dense.Scalar](a, h, q dense.View[T], opt Options) error {
	return hessenberg.Reduce(a, h, q,
		hessenberg.Options{Team: opt.Team, SkipFiniteCheck: opt.SkipFiniteCheck, Overwrite: opt.Overwrite})
}

// poisoned returns a matrix of NaN, for outputs that must be written everywhere.
func poisoned(n int) dense.Matrix[float64] {
	m := dense.New[float64](n, n)
	m.Fill(math.NaN())
	return m
}

func (j *judge) solve(name string, f solver, a dense.Matrix[float64]) (form, factor dense.Matrix[float64]) {
	j.Helper()
	form, factor = poisoned(a.Rows), poisoned(a.Rows)
	if err := f(a.View(), form.View(), factor.View(), Options{}); err != nil {
		j.Fatalf("%s: %v", name, err)
	}
	return form, factor
}

// check computes both decompositions of a. extra is added to the limit on their backward errors.
func (j *judge) check(name string, a dense.Matrix[float64], extra float64) {
	j.Helper()
	t, z := j.solve(name, Decompose[float64], a)
	if err := numtest.CheckQuasiTriangular(t); err != nil {
		j.Errorf("%s: %v", name, err)
	}
	j.residuals(name+", Schur", a, z, t, extra)
	h, q := j.solve(name, hessenbergForm[float64], a)
	if err := numtest.CheckHessenberg(h); err != nil {
		j.Errorf("%s: %v", name, err)
	}
	j.residuals(name+", Hessenberg", a, q, h, extra)
}

func (j *judge) residuals(name string, a, factor, form dense.Matrix[float64], extra float64) {
	j.Helper()
	similarity, orthogonality := numtest.SimilarityResidual(a, factor, form, dense.EpsDouble),
		numtest.UnitaryResidual(factor, dense.EpsDouble)
	if !(similarity <= formtest.ResidualLimit+extra) || !(orthogonality <= formtest.ResidualLimit) {
		j.Errorf("%s: similarity residual %g, orthogonality residual %g", name, similarity, orthogonality)
	}
	j.orthogonality = max(j.orthogonality, orthogonality)
	if similarity > j.similarity {
		j.similarity, j.worst = similarity, name
	}
}

func TestRandom(t *testing.T) {
	j := &judge{T: t}
	for _, n := range numtest.Sizes {
		a := numtest.Random[float64](rand.New(rand.NewPCG(1, uint64(n))), n, n)
		j.check(fmt.Sprintf("n = %d", n), a, 0)
	}
	j.log()
}

func TestFamilies(t *testing.T) {
	j := &judge{T: t}
	for _, f := range numtest.GeneralFamilies() {
		for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 64, 129} {
			a := f.Make(rand.New(rand.NewPCG(2, uint64(n))), n)
			j.check(fmt.Sprintf("%s, n = %d", f.Name, n), a, 0)
		}
	}
	j.log()
}

// Two to three sweeps for each eigenvalue are usual. Many more would mean that blocks which have converged are not
// recognized, or that the iteration cycles until an exceptional shift.
func TestFewSweepsSuffice(t *testing.T) {
	for _, f := range numtest.GeneralFamilies() {
		for _, n := range []int{33, 64, 100, 101} {
			a := f.Make(rand.New(rand.NewPCG(12, uint64(n))), n)
			form := poisoned(n)
			if err := Decompose(a.View(), form.View(), dense.View[float64]{}, Options{MaxIterations: 3 * n}); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

func TestOrder500(t *testing.T) {
	j := &judge{T: t}
	j.check("n = 500", numtest.Random[float64](rand.New(rand.NewPCG(3, 4)), 500, 500), 0)
	j.log()
}

func TestWithoutFactorTheFormIsTheSame(t *testing.T) {
	j := &judge{T: t}
	a := numtest.Random[float64](rand.New(rand.NewPCG(5, 6)), 40, 40)
	for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
		want, _ := j.solve(name, f, a)
		got := poisoned(40)
		if err := f(a.View(), got.View(), dense.View[float64]{}, Options{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("%s: the form depends on whether the factor is wanted", name)
		}
	}
}

func TestFormsComeBackUnchanged(t *testing.T) {
	j := &judge{T: t}
	identity := dense.New[float64](20, 20)
	identity.SetIdentity()
	form := numtest.QuasiTriangular(rand.New(rand.NewPCG(7, 8)), 20)
	hessenberg := numtest.Frank(20)
	s, z := j.solve("Schur", Decompose[float64], form)
	if !slices.Equal(s.Data, form.Data) || !slices.Equal(z.Data, identity.Data) {
		t.Error("a quasi-triangular matrix was changed")
	}
	h, q := j.solve("Hessenberg", hessenbergForm[float64], hessenberg)
	if !slices.Equal(h.Data, hessenberg.Data) || !slices.Equal(q.Data, identity.Data) {
		t.Error("a Hessenberg matrix was changed")
	}
}

// distance pairs each value in want with the nearest one left in got and returns the largest distance.
func distance(want, got []complex128) float64 {
	if len(want) != len(got) {
		return math.Inf(1)
	}
	left, largest := slices.Clone(got), 0.0
	for _, w := range want {
		nearest := 0
		for i := range left {
			if cmplx.Abs(left[i]-w) < cmplx.Abs(left[nearest]-w) {
				nearest = i
			}
		}
		largest = max(largest, cmplx.Abs(left[nearest]-w))
		left = slices.Delete(left, nearest, nearest+1)
	}
	return largest
}

func TestKnownEigenvalues(t *testing.T) {
	j := &judge{T: t}
	clementValues := []complex128{}
	for k := range 8 {
		clementValues = append(clementValues, complex(float64(7-2*k), 0))
	}
	cases := []struct {
		name      string
		a         dense.Matrix[float64]
		want      []complex128
		tolerance float64
	}{
		{"example in SciPy's documentation of schur",
			dense.FromRows([]float64{0, 2, 2}, []float64{0, 1, 2}, []float64{1, 0, 1}),
			[]complex128{2.65896708, -0.32948354 + 0.80225456i, -0.32948354 - 0.80225456i}, 1e-8},
		{"scipy issue 13137", dense.FromRows([]float64{.15, 5}, []float64{-5, .2}),
			[]complex128{.175 + 4.9999375i, .175 - 4.9999375i}, 1e-7},
		{"triangular", dense.FromRows([]float64{1, 2, 3}, []float64{0, -4, 5}, []float64{0, 0, 6}),
			[]complex128{1, -4, 6}, 0},
		{"real pair", dense.FromRows([]float64{1, 2}, []float64{2, 1}), []complex128{3, -1}, 1e-15},
		{"rotation", dense.FromRows([]float64{0, -1}, []float64{1, 0}), []complex128{1i, -1i}, 0},
		{"lower triangular pair", dense.FromRows([]float64{1, 0}, []float64{3, 2}), []complex128{1, 2}, 0},
		{"double eigenvalue, defective", dense.FromRows([]float64{3, -1}, []float64{1, 1}), []complex128{2, 2}, 1e-7},
		{"Clement (SIAM Review 1, 1959), order 8", clement8(), clementValues, 1e-12},
	}
	for _, c := range cases {
		form, _ := j.solve(c.name, Decompose[float64], c.a)
		if got := quasi.Eigenvalues(form.View()); !(distance(c.want, got) <= c.tolerance) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func clement8() dense.Matrix[float64] {
	a := dense.New[float64](8, 8)
	for i := range 7 {
		a.Set(i, i+1, float64(i+1))
		a.Set(i+1, i, float64(7-i))
	}
	return a
}

// Frank's matrix has determinant 1 and eigenvalues in reciprocal pairs. The largest is well-conditioned, the smallest
// is not: at order 6 it keeps about ten digits.
func TestFrankEigenvaluesAreReciprocal(t *testing.T) {
	j := &judge{T: t}
	form, _ := j.solve("Frank", Decompose[float64], numtest.Frank(6))
	values := quasi.Eigenvalues(form.View())
	slices.SortFunc(values, func(x, y complex128) int { return int(math.Copysign(1, real(x)-real(y))) })
	for i, v := range values {
		if product := v * values[len(values)-1-i]; !(cmplx.Abs(product-1) <= 1e-10) {
			t.Errorf("%v and %v are not reciprocal", v, values[len(values)-1-i])
		}
	}
}

func TestCyclicPermutations(t *testing.T) {
	j := &judge{T: t}
	for n := 4; n <= 200; n++ {
		roots := make([]complex128, n)
		for k := range roots {
			roots[k] = cmplx.Rect(1, 2*math.Pi*float64(k)/float64(n))
		}
		form := poisoned(n)
		if err := Decompose(numtest.Cyclic(n).View(), form.View(), dense.View[float64]{}, Options{}); err != nil {
			t.Errorf("n = %d: %v", n, err)
			continue
		}
		// The matrix is normal: eigenvalues are as accurate as the decomposition.
		d := distance(roots, quasi.Eigenvalues(form.View()))
		if !(d <= formtest.ResidualLimit*float64(max(n, 8))*dense.EpsDouble) {
			t.Errorf("n = %d: eigenvalues are wrong by %g", n, d)
		}
	}
	j.check("n = 200", numtest.Cyclic(200), 0)
}

func TestEigenvaluesAgreeWithGonum(t *testing.T) {
	j := &judge{T: t}
	for _, n := range []int{3, 10, 30, 60} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(9, uint64(n))), n, n)
		form, _ := j.solve("random", Decompose[float64], a)
		h, _ := j.solve("random", hessenbergForm[float64], a)
		re, im, work := make([]float64, n), make([]float64, n), make([]float64, 64*n)
		left := (gonum.Implementation{}).Dhseqr(glapack.EigenvaluesOnly, glapack.SchurNone, n, 0, n-1, h.Data, n, re, im,
			nil, 1, work, len(work))
		if left != 0 {
			t.Fatalf("n = %d: the reference did not converge", n)
		}
		want := make([]complex128, n)
		for i := range want {
			want[i] = complex(re[i], im[i])
		}
		// Eigenvalues of random matrices have condition numbers up to about n.
		d, limit := distance(want, quasi.Eigenvalues(form.View())), 1e3*float64(n)*dense.EpsDouble*numtest.SpectralNorm(a)
		if !(d <= limit) {
			t.Errorf("n = %d: eigenvalues differ by %g, limit %g", n, d, limit)
		}
	}
}

// determinant returns the determinant of a by exact rational elimination. The leading minors of a must not vanish.
func determinant(a dense.Matrix[float64]) *big.Rat {
	n := a.Rows
	rows := make([][]*big.Rat, n)
	for i := range rows {
		for _, x := range a.Row(i) {
			rows[i] = append(rows[i], new(big.Rat).SetFloat64(x))
		}
	}
	det := big.NewRat(1, 1)
	for k := range n {
		det.Mul(det, rows[k][k])
		for i := k + 1; i < n; i++ {
			factor := new(big.Rat).Quo(rows[i][k], rows[k][k])
			for j := k; j < n; j++ {
				rows[i][j].Sub(rows[i][j], new(big.Rat).Mul(factor, rows[k][j]))
			}
		}
	}
	return det
}

// product returns the product of the eigenvalues in the diagonal blocks of form, to more digits than they have.
func product(form dense.Matrix[float64]) *big.Float {
	p := new(big.Float).SetPrec(200).SetInt64(1)
	for _, v := range quasi.Eigenvalues(form.View()) {
		switch {
		case imag(v) == 0:
			p.Mul(p, big.NewFloat(real(v)))
		case imag(v) > 0:
			p.Mul(p, big.NewFloat(real(v)*real(v)+imag(v)*imag(v)))
		}
	}
	return p
}

// A graded tridiagonal matrix has eigenvalues of all sizes of its diagonal. Errors of rounding size relative to the
// norm would leave nothing of the small ones, nor of the determinant, which is their product. Element (i,k) has the
// size step^(weight i + (1-weight) k): with weight 1 and a step below dense.EpsDouble, all subdiagonal elements are
// tiny beside the diagonal from the start, but may not be neglected.
func TestSmallEigenvaluesOfGradedMatricesSurvive(t *testing.T) {
	j := &judge{T: t}
	rng := rand.New(rand.NewPCG(10, 11))
	for _, c := range []struct {
		n                       int
		step, weight, tolerance float64
	}{
		{8, 1e-2, 0.5, 1e-13}, {8, 1e-4, 0.5, 1e-10}, {8, 1e-8, 0.5, 1e-8}, {2, 1e-17, 1, 1e-13}, {3, 1e-20, 1, 1e-13},
	} {
		n := c.n
		for trial := range 50 {
			a := dense.New[float64](n, n)
			for i := range n {
				for k := max(0, i-1); k < min(n, i+2); k++ {
					a.Set(i, k, (1+rng.Float64())*math.Pow(c.step, c.weight*float64(i)+(1-c.weight)*float64(k)))
				}
			}
			name := fmt.Sprintf("step %g, weight %g, trial %d", c.step, c.weight, trial)
			form, _ := j.solve(name, Decompose[float64], a)
			want := new(big.Float).SetPrec(200).SetRat(determinant(a))
			if ratio, _ := want.Quo(product(form), want).Float64(); !(math.Abs(ratio-1) <= c.tolerance) {
				t.Errorf("%s: the product of the eigenvalues is %.17g times the determinant", name, ratio)
			}
		}
	}
}
