package reorder

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
	"trnsci/core/numtest"
	"trnsci/core/quasi"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
	"trnsci/core/schur"
)

// orderCase is a Schur form before and after Order.
type orderCase[T dense.Scalar] struct {
	a, t, z dense.Matrix[T]
	before  []complex128
	count   int
}

// ordered computes the Schur form of a and orders it by the eigenvalues that choose selects.
func ordered[T dense.Scalar](
	tb testing.TB, a dense.Matrix[T], choose func(w complex128) bool, team *sched.Team,
) (c orderCase[T], selected []bool) {
	tb.Helper()
	n := a.Rows
	c.a, c.t, c.z = a, dense.New[T](n, n), dense.New[T](n, n)
	if err := schur.Decompose(a.View(), c.t.View(), c.z.View(), schur.Options{}); err != nil {
		tb.Fatal(err)
	}
	c.before = quasi.Eigenvalues(c.t.View())
	for _, w := range c.before {
		selected = append(selected, choose(w))
	}
	count, err := Order(team, c.t.View(), c.z.View(), selected)
	if err != nil {
		tb.Fatal(err)
	}
	c.count = count
	return c, selected
}

// check verifies that the form is one, belongs to a, and has the eigenvalues of the form before with the selected ones
// first, both kinds in the order they had, up to tolerance times the norm.
func (c orderCase[T]) check(t *testing.T, name string, selected []bool, tolerance float64) {
	t.Helper()
	similarity, unitarity := formtest.SimilarityError(c.a, c.t, formtest.Adjoint(c.z))
	if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
		t.Errorf("%s: similarity residual %g, unitarity residual %g", name, similarity, unitarity)
	}
	checkForm(t, name, c.t)
	var want, others []complex128
	for i, w := range c.before {
		pair := imag(w) != 0 && !dense.IsComplex[T]()
		if selected[i] || (pair && (imag(w) > 0 && selected[i+1] || imag(w) < 0 && selected[i-1])) {
			want = append(want, w)
		} else {
			others = append(others, w)
		}
	}
	if len(want) != c.count {
		t.Errorf("%s: %d eigenvalues are said to be selected, not %d", name, c.count, len(want))
	}
	size := numtest.FrobeniusNorm(formtest.Wide(c.a))
	for i, w := range quasi.Eigenvalues(c.t.View()) {
		if expected := append(slices.Clone(want), others...)[i]; !(cmplx.Abs(w-expected) <= tolerance*size) {
			t.Errorf("%s: eigenvalue %d is %v, want %v", name, i, w, expected)
			return
		}
	}
}

func checkForm[T dense.Scalar](t *testing.T, name string, form dense.Matrix[T]) {
	t.Helper()
	if err := formtest.CheckForm(form); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func testOrder[T dense.Scalar](t *testing.T) {
	choices := map[string]func(w complex128) bool{
		"left half":       func(w complex128) bool { return real(w) < 0 },
		"small":           func(w complex128) bool { return cmplx.Abs(w) < 2 },
		"above":           func(w complex128) bool { return imag(w) > 0 },
		"all":             func(complex128) bool { return true },
		"none":            func(complex128) bool { return false },
		"every other one": func() func(complex128) bool { k := 0; return func(complex128) bool { k++; return k%4 < 2 } }(),
	}
	for _, n := range []int{1, 2, 3, 7, 30, 64, 65, 100, 160} {
		for name, choose := range choices {
			a := numtest.Random[T](rand.New(rand.NewPCG(31, uint64(n))), n, n)
			c, selected := ordered(t, a, choose, nil)
			// The eigenvalues of a random matrix have condition numbers up to about n.
			c.check(t, fmt.Sprintf("n = %d, %s", n, name), selected, 100*float64(n)*dense.Eps[T]())
		}
	}
}

func TestOrder(t *testing.T) {
	t.Run("float64", testOrder[float64])
	t.Run("float32", testOrder[float32])
	t.Run("complex128", testOrder[complex128])
	t.Run("complex64", testOrder[complex64])
}

func TestOrderKeepsRealEigenvaluesExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	form := formtest.BlockMatrix[float64](rng, 1, 1, 2, 1, 2, 2, 1, 1)
	z := dense.New[float64](10, 10)
	z.SetIdentity()
	before := form.Clone()
	selected := []bool{false, false, false, true, false, true, false, false, false, true}
	count, err := Order(nil, form.View(), z.View(), selected)
	if err != nil || count != 4 {
		t.Fatal(count, err)
	}
	for i, from := range []int{3, -1, -1, 9, 0, -1, -1, -1, -1, 8} {
		if from >= 0 && form.At(i, i) != before.At(from, from) {
			t.Errorf("the eigenvalue of row %d is %v, was %v", i, form.At(i, i), before.At(from, from))
		}
	}
	similarity, unitarity := formtest.SimilarityError(before, form, formtest.Adjoint(z))
	if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
		t.Errorf("similarity residual %g, orthogonality residual %g", similarity, unitarity)
	}
}

func TestOrderForAnyThreadsAndLayout(t *testing.T) {
	a := numtest.Random[float64](rand.New(rand.NewPCG(35, 36)), 150, 150)
	choose := func(w complex128) bool { return real(w) > 1 }
	want, selected := ordered(t, a, choose, nil)
	got, _ := ordered(t, a, choose, sched.NewTeam(context.Background(), 3, nil))
	if !slices.Equal(got.t.Data, want.t.Data) || !slices.Equal(got.z.Data, want.z.Data) {
		t.Error("the result of 3 threads differs from that of one")
	}
	form, z := dense.New[float64](150, 150), dense.New[float64](150, 150)
	if err := schur.Decompose(a.View(), form.View().T(), z.View().T(), schur.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Order(nil, form.View().T(), z.View().T(), selected); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(formtest.Adjoint(form).Data, want.t.Data) || !slices.Equal(formtest.Adjoint(z).Data, want.z.Data) {
		t.Error("the result of column-major forms differs")
	}
	alone, _ := ordered(t, a, func(complex128) bool { return false }, nil)
	if _, err := Order(nil, alone.t.View(), dense.View[float64]{}, selected); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(alone.t.Data, want.t.Data) {
		t.Error("T depends on whether Z is wanted")
	}
}

func TestOrderOfExtremeSizes(t *testing.T) {
	for _, exponent := range []int{-1000, 1000} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(37, 38)), 20, 20)
		formtest.ShiftExponents(a, exponent)
		c, selected := ordered(t, a, func(w complex128) bool { return real(w) < 0 }, nil)
		formtest.ShiftExponents(c.a, -exponent)
		formtest.ShiftExponents(c.t, -exponent)
		for i := range c.before {
			c.before[i] = complex(math.Ldexp(real(c.before[i]), -exponent), math.Ldexp(imag(c.before[i]), -exponent))
		}
		c.check(t, fmt.Sprintf("2^%d", exponent), selected, 1e-12)
	}
}

func TestOrderChecksItsArguments(t *testing.T) {
	m := func(n int) dense.View[float64] { return dense.New[float64](n, n).View() }
	below, overlapping := m(4), m(4)
	below.Set(3, 1, 1)
	overlapping.Set(1, 0, 1)
	overlapping.Set(2, 1, 1)
	complexBelow := dense.New[complex128](2, 2)
	complexBelow.Set(1, 0, 1)
	_, complexErr := Order(nil, complexBelow.View(), dense.View[complex128]{}, make([]bool, 2))
	do := func(t, z dense.View[float64], flags int) error {
		_, err := Order(nil, t, z, make([]bool, flags))
		return err
	}
	for arg, errs := range map[string][]error{
		"t":        {do(below, m(4), 4), do(overlapping, m(4), 4), complexErr},
		"z":        {do(m(4), m(3), 4)},
		"selected": {do(m(4), m(4), 3)},
	} {
		for i, err := range errs {
			var argument *dense.ArgumentError
			if !errors.As(err, &argument) || argument.Arg != arg {
				t.Errorf("%s, case %d: got %v", arg, i, err)
			}
		}
	}
}

func TestOrderObeysCancellation(t *testing.T) {
	t.Run("float64", testCancellation[float64])
	t.Run("complex128", testCancellation[complex128])
}

func testCancellation[T dense.Scalar](t *testing.T) {
	const n = 300
	a, form, factor := numtest.Random[T](rand.New(rand.NewPCG(33, 34)), n, n), dense.New[T](n, n), dense.New[T](n, n)
	if err := schur.Decompose(a.View(), form.View(), factor.View(), schur.Options{}); err != nil {
		t.Fatal(err)
	}
	selected := make([]bool, n)
	for i, w := range quasi.Eigenvalues(form.View()) {
		selected[i] = real(w) < 0
	}
	schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
		_, err := Order(team, form.Clone().View(), factor.Clone().View(), selected)
		return err
	})
}

// A swapper that refuses: the form is ordered in part and still belongs to the matrix.
func TestRefusedExchangeLeavesAForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	before := formtest.BlockMatrix[float64](rng, 1, 2, 1, 2, 1, 1)
	form, z := before.Clone(), dense.New[float64](7, 7)
	z.SetIdentity()
	calls := 0
	refuse := func(t, zt dense.Matrix[float64], at, first, second int) bool {
		calls++
		return calls < 3 && quasi.Swap(t, zt, at, first, second)
	}
	selected := []bool{false, false, false, true, true, false, true}
	_, err := order(nil, form.View(), z.View(), selected, newBlockSorter(refuse), quasi.Restandardize[float64])
	var separation *SeparationError
	if !errors.As(err, &separation) || separation.Row != 5 {
		t.Fatalf("got %v", err)
	}
	similarity, unitarity := formtest.SimilarityError(before, form, formtest.Adjoint(z))
	if !(similarity <= formtest.ResidualLimit && unitarity <= formtest.ResidualLimit) {
		t.Errorf("similarity residual %g, orthogonality residual %g", similarity, unitarity)
	}
	checkForm(t, "refused", form)
}
