package eig

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/internal/formtest"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
	"trnsci/core/schur"
)

// eigenpairs holds the results of Eig.
type eigenpairs[C dense.Complex] struct {
	values      []C
	left, right dense.Matrix[C]
}

// newPairs returns outputs full of NaN, which must be written everywhere.
func newPairs[C dense.Complex](n int) eigenpairs[C] {
	p := eigenpairs[C]{make([]C, n), dense.New[C](n, n), dense.New[C](n, n)}
	for i := range p.values {
		p.values[i] = workspace.NaN[C]()
	}
	p.left.Fill(workspace.NaN[C]())
	p.right.Fill(workspace.NaN[C]())
	return p
}

func solveEigen[T dense.Scalar, C dense.Complex](
	t *testing.T, name string, a dense.Matrix[T], opt Options,
) eigenpairs[C] {
	t.Helper()
	p := newPairs[C](a.Rows)
	if err := Eig(a.View(), p.values, p.left.View(), p.right.View(), opt); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// checkEigen computes the eigenvalues and both kinds of vectors of a and judges them.
func checkEigen[T dense.Scalar, C dense.Complex](t *testing.T, name string, a dense.Matrix[T]) (residual float64) {
	t.Helper()
	p := solveEigen[T, C](t, name, a, Options{})
	values, conjugates := make([]complex128, a.Rows), make([]complex128, a.Rows)
	for i, d := range p.values {
		values[i], conjugates[i] = complex128(d), cmplx.Conj(complex128(d))
	}
	unit := dense.Eps[C]()
	right := numtest.EigenpairResidual(formtest.Wide(a), values, formtest.Wide(p.right), unit)
	left := numtest.EigenpairResidual(formtest.Adjoint(formtest.Wide(a)), conjugates, formtest.Wide(p.left), unit)
	if !(right <= formtest.ResidualLimit) || !(left <= formtest.ResidualLimit) {
		t.Errorf("%s: residuals of right vectors %g, of left ones %g", name, right, left)
	}
	for _, v := range []dense.Matrix[C]{p.left, p.right} {
		checkVectors(t, name, p.values, formtest.Wide(v), unit, !dense.IsComplex[T]())
	}
	return max(left, right)
}

// checkVectors checks norms, phases, and for a real matrix that vectors are real or conjugate.
func checkVectors[C dense.Complex](
	t *testing.T, name string, values []C, v dense.Matrix[complex128], unit float64, isReal bool,
) {
	t.Helper()
	n := len(values)
	for k := range n {
		sum, largest, realAndPositive := 0.0, 0.0, 0.0
		for i := range n {
			x := v.At(i, k)
			sum += real(x)*real(x) + imag(x)*imag(x)
			largest = max(largest, cmplx.Abs(x))
			if math.Abs(imag(x)) <= 8*unit*real(x) {
				realAndPositive = max(realAndPositive, real(x))
			}
			if isReal && dense.Imag(values[k]) == 0 && imag(x) != 0 {
				t.Fatalf("%s: the vector of the real eigenvalue %d is not real", name, k)
			}
			if isReal && dense.Imag(values[k]) > 0 && v.At(i, k+1) != cmplx.Conj(x) {
				t.Fatalf("%s: the vectors of the pair %d are not conjugate", name, k)
			}
		}
		if !(math.Abs(sum-1) <= float64(8+n)*unit) {
			t.Errorf("%s: vector %d has the norm %g", name, k, math.Sqrt(sum))
		}
		if isComplex := !isReal || dense.Imag(values[k]) != 0; isComplex && realAndPositive < largest*(1-8*unit) {
			t.Errorf("%s: the largest element of vector %d has the modulus %g, the largest real one is %g",
				name, k, largest, realAndPositive)
		}
		if isReal && dense.Imag(values[k]) > 0 && values[k+1] != dense.Conj(values[k]) {
			t.Errorf("%s: the values %g and %g are not conjugate", name, values[k], values[k+1])
		}
	}
}

func TestEigenRandom(t *testing.T) {
	for _, n := range append([]int{300}, numtest.Sizes...) {
		rng := rand.New(rand.NewPCG(51, uint64(n)))
		name := fmt.Sprintf("n = %d", n)
		d := checkEigen[float64, complex128](t, name, numtest.Random[float64](rng, n, n))
		z := checkEigen[complex128, complex128](t, name, numtest.Random[complex128](rng, n, n))
		s := checkEigen[float32, complex64](t, name, numtest.Random[float32](rng, n, n))
		c := checkEigen[complex64, complex64](t, name, numtest.Random[complex64](rng, n, n))
		t.Logf("n = %d: largest residuals %.2f %.2f %.2f %.2f", n, d, z, s, c)
	}
}

func TestEigenFamilies(t *testing.T) {
	for _, f := range numtest.GeneralFamilies() {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 9, 33, 64, 129} {
			a := f.Make(rand.New(rand.NewPCG(52, uint64(n))), n)
			name := fmt.Sprintf("%s, n = %d", f.Name, n)
			checkEigen[float64, complex128](t, name, a)
			checkEigen[complex128, complex128](t, name+", complex", formtest.WithPhases(a))
			single := dense.New[float32](n, n)
			dense.Copy(single.View(), a.View())
			if single.View().AllFinite() {
				checkEigen[float32, complex64](t, name+", single", single)
			}
		}
	}
}

func TestEigenNormsFromTinyToHuge(t *testing.T) {
	for _, size := range []float64{1e-306, 1e-300, 1e-150, 1e150, 1e300, 1e305} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(53, 1)), 20, 20)
		for i := range a.Data {
			a.Data[i] *= size
		}
		checkEigen[float64, complex128](t, fmt.Sprintf("size %g", size), a)
		checkEigen[complex128, complex128](t, fmt.Sprintf("complex, size %g", size), formtest.WithPhases(a))
	}
}

// triangularOf returns the upper triangular matrix with these elements.
func triangularOf(n int, f func(i, j int) float64) dense.Matrix[float64] {
	a := dense.New[float64](n, n)
	for i := range n {
		for j := i; j < n; j++ {
			a.Set(i, j, f(i, j))
		}
	}
	return a
}

// Elements of the eigenvectors of these triangular matrices, with a last element of 1, grow beyond all bounds.
func TestEigenvectorsThatGrow(t *testing.T) {
	jordan := func(d, above float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			switch j - i {
			case 0:
				return d
			case 1:
				return above
			}
			return 0
		}
	}
	for name, f := range map[string]func(i, j int) float64{
		"Jordan block":      jordan(1, 1),
		"nilpotent":         jordan(0, 1),
		"tiny eigenvalue":   jordan(1e-300, 1),
		"huge coupling":     jordan(1, 1e300),
		"all equal":         func(i, j int) float64 { return 1 },
		"close eigenvalues": func(i, j int) float64 { return 1 + 1e-15*float64((j-i)*(1-min(1, j-i))+i*(1-min(1, j-i))) },
		"steps of eigenvalues": func(i, j int) float64 {
			if i == j {
				return math.Ldexp(1, -i)
			}
			return 1
		},
	} {
		for _, n := range []int{2, 3, 50, 200} {
			a := triangularOf(n, f)
			checkEigen[float64, complex128](t, fmt.Sprintf("%s, n = %d", name, n), a)
			checkEigen[complex128, complex128](t, fmt.Sprintf("%s, complex, n = %d", name, n), formtest.WithPhases(a))
			single := dense.New[float32](n, n)
			dense.Copy(single.View(), a.View())
			if single.View().AllFinite() {
				checkEigen[float32, complex64](t, fmt.Sprintf("%s, single, n = %d", name, n), single)
			}
		}
	}
}

// In a direct sum of equal complex pairs, each block is singular, up to rounding errors, at the eigenvalues of the
// others.
func TestEigenvectorsOfEqualPairs(t *testing.T) {
	for _, n := range []int{4, 6, 40, 130} {
		a := triangularOf(n, func(i, j int) float64 { return min(1, float64(j-i)) })
		for i := 0; i < n; i += 2 {
			a.Set(i, i, 3)
			a.Set(i+1, i+1, 3)
			a.Set(i, i+1, 2)
			a.Set(i+1, i, -0.5)
		}
		checkEigen[float64, complex128](t, fmt.Sprintf("n = %d", n), a)
	}
}

func TestEigenWithFewerOutputsIsTheSame(t *testing.T) {
	const n = 70
	a := numtest.Random[float64](rand.New(rand.NewPCG(54, 1)), n, n)
	want := solveEigen[float64, complex128](t, "all", a, Options{})
	none := dense.View[complex128]{}
	for _, c := range []struct{ left, right bool }{{true, false}, {false, true}} {
		got := newPairs[complex128](n)
		left, right := none, none
		if c.left {
			left = got.left.View()
		}
		if c.right {
			right = got.right.View()
		}
		if err := Eig(a.View(), got.values, left, right, Options{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.values, want.values) || c.left && !slices.Equal(got.left.Data, want.left.Data) ||
			c.right && !slices.Equal(got.right.Data, want.right.Data) {
			t.Errorf("left %v, right %v: results differ from those of a call for both", c.left, c.right)
		}
	}
}

func TestEigenvaluesAloneAreThoseOfTheSchurForm(t *testing.T) {
	const n = 50
	a := numtest.Random[complex128](rand.New(rand.NewPCG(55, 1)), n, n)
	values, form := make([]complex128, n), dense.New[complex128](n, n)
	if err := Eig(a.View(), values, dense.View[complex128]{}, dense.View[complex128]{}, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := schur.Decompose(a.View(), form.View(), dense.View[complex128]{}, schur.Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(values, quasi.Eigenvalues(form.View())) {
		t.Error("they differ")
	}
}

func TestEigenDoesNotDependOnThreads(t *testing.T) {
	for _, n := range []int{3, 65, 200} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(56, uint64(n))), n, n)
		want := solveEigen[float64, complex128](t, "one thread", a, Options{})
		for _, threads := range []int{2, 3} {
			got := solveEigen[float64, complex128](t, "more", a,
				Options{Team: sched.NewTeam(context.Background(), threads, nil)})
			if !slices.Equal(got.values, want.values) || !slices.Equal(got.left.Data, want.left.Data) ||
				!slices.Equal(got.right.Data, want.right.Data) {
				t.Errorf("n = %d: other results with %d threads", n, threads)
			}
		}
	}
}

func TestEigenRefusesBadArguments(t *testing.T) {
	square, oblong, none := dense.New[float64](2, 2), dense.New[float64](2, 3), dense.View[complex128]{}
	huge := dense.FromRows([]float64{1.5e308, 1.5e308}, []float64{1.5e308, 1.5e308})
	small := dense.New[complex128](1, 1).View()
	for _, c := range []struct {
		want        string
		a           dense.Matrix[float64]
		values      int
		left, right dense.View[complex128]
	}{
		{"a: expected a square matrix, got shape (2, 3)", oblong, 2, none, none},
		{"values: expected length 2, got 1", square, 1, none, none},
		{"left: expected shape (2, 2) or no rows, got (1, 1)", square, 2, small, none},
		{"right: expected shape (2, 2) or no rows, got (1, 1)", square, 2, none, small},
		{"a: elements are too large: an eigenvalue overflows", huge, 2, none, none},
	} {
		err := Eig(c.a.View(), make([]complex128, c.values), c.left, c.right, Options{})
		var argument *dense.ArgumentError
		if !errors.As(err, &argument) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestEigenOfAMatrixThatIsNotFinite(t *testing.T) {
	a := dense.New[float64](3, 3)
	a.Set(2, 0, math.Inf(1))
	p := newPairs[complex128](3)
	var argument *dense.ArgumentError
	err := Eig(a.View(), p.values, p.left.View(), p.right.View(), Options{})
	if !errors.As(err, &argument) || argument.Arg != "a" {
		t.Errorf("got %v", err)
	}
	p = eigenpairs[complex128]{make([]complex128, 3), dense.New[complex128](3, 3), dense.New[complex128](3, 3)}
	if err := Eig(a.View(), p.values, p.left.View(), p.right.View(), Options{SkipFiniteCheck: true}); err != nil {
		t.Fatal(err)
	}
	for _, x := range slices.Concat(p.values, p.left.Data, p.right.Data) {
		if !cmplx.IsNaN(x) {
			t.Fatalf("%g instead of NaN", x)
		}
	}
}

func TestEigenReachesItsSteps(t *testing.T) {
	const n = 40
	a := numtest.Random[float64](rand.New(rand.NewPCG(57, 1)), n, n)
	progress := &sched.Progress{}
	solveEigen[float64, complex128](t, "with progress", a, Options{Team: sched.NewTeam(context.Background(), 2, progress)})
	if done, total := progress.Read(); done != total || total == 0 {
		t.Errorf("%d of %d steps", done, total)
	}
}

func TestEigObeysCancellation(t *testing.T) {
	t.Run("float64", testCancellation[float64])
	t.Run("complex128", testCancellation[complex128])
}

func testCancellation[T dense.Scalar](t *testing.T) {
	const n = 300
	a, p := numtest.Random[T](rand.New(rand.NewPCG(58, 1)), n, n), newPairs[complex128](n)
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		return Eig(a.View(), p.values, p.left.View(), p.right.View(), Options{Team: team})
	})
}
