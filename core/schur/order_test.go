package schur

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
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// orderCase is a Schur form before and after Order.
type orderCase[T dense.Scalar] struct {
	a, t, z dense.Matrix[T]
	before  []complex128
	count   int
}

// ordered computes the Schur form of a and orders it by the eigenvalues that choose selects.
func ordered[T dense.Scalar](tb testing.TB, a dense.Matrix[T], choose func(w complex128) bool, opt Options) (c orderCase[T], selected []bool) {
	tb.Helper()
	n := a.Rows
	c.a, c.t, c.z = a, dense.New[T](n, n), dense.New[T](n, n)
	if err := Schur(a.View(), c.t.View(), c.z.View(), Options{}); err != nil {
		tb.Fatal(err)
	}
	c.before = Eigenvalues(c.t.View())
	for _, w := range c.before {
		selected = append(selected, choose(w))
	}
	count, err := Order(c.t.View(), c.z.View(), selected, opt)
	if err != nil {
		tb.Fatal(err)
	}
	c.count = count
	return c, selected
}

// check verifies that the form is one, belongs to a, and has the eigenvalues of the form before with the selected ones first, both
// kinds in the order they had, up to tolerance times the norm.
func (c orderCase[T]) check(t *testing.T, name string, selected []bool, tolerance float64) {
	t.Helper()
	similarity, unitarity := similarityError(c.a, c.t, adjointOf(c.z))
	if !(similarity <= residualLimit && unitarity <= residualLimit) {
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
	size := numtest.FrobeniusNorm(wide(c.a))
	for i, w := range Eigenvalues(c.t.View()) {
		if expected := append(slices.Clone(want), others...)[i]; !(cmplx.Abs(w-expected) <= tolerance*size) {
			t.Errorf("%s: eigenvalue %d is %v, want %v", name, i, w, expected)
			return
		}
	}
}

func adjointOf[T dense.Scalar](z dense.Matrix[T]) dense.Matrix[T] {
	zt := dense.New[T](z.Cols, z.Rows)
	dense.Copy(zt.View(), z.View().T())
	conjugateAll(zt)
	return zt
}

func conjugateAll[T dense.Scalar](m dense.Matrix[T]) {
	for i, x := range m.Data {
		m.Data[i] = dense.Conj(x)
	}
}

func checkForm[T dense.Scalar](t *testing.T, name string, form dense.Matrix[T]) {
	t.Helper()
	if !dense.IsComplex[T]() {
		d := dense.New[float64](form.Rows, form.Cols)
		dense.Copy(d.View(), form.View())
		if err := numtest.CheckQuasiTriangular(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	for i := range form.Rows {
		for j := range i {
			if form.At(i, j) != 0 {
				t.Errorf("%s: element (%d,%d) is %v", name, i, j, form.At(i, j))
				return
			}
		}
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
			c, selected := ordered(t, a, choose, Options{})
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
	form := blockMatrix[float64](rng, 1, 1, 2, 1, 2, 2, 1, 1)
	z := dense.New[float64](10, 10)
	z.SetIdentity()
	before := form.Clone()
	count, err := Order(form.View(), z.View(), []bool{false, false, false, true, false, true, false, false, false, true}, Options{})
	if err != nil || count != 4 {
		t.Fatal(count, err)
	}
	for i, from := range []int{3, -1, -1, 9, 0, -1, -1, -1, -1, 8} {
		if from >= 0 && form.At(i, i) != before.At(from, from) {
			t.Errorf("the eigenvalue of row %d is %v, was %v", i, form.At(i, i), before.At(from, from))
		}
	}
	if similarity, unitarity := similarityError(before, form, adjointOf(z)); !(similarity <= residualLimit && unitarity <= residualLimit) {
		t.Errorf("similarity residual %g, orthogonality residual %g", similarity, unitarity)
	}
}

func TestOrderForAnyThreadsAndLayout(t *testing.T) {
	a := numtest.Random[float64](rand.New(rand.NewPCG(35, 36)), 150, 150)
	choose := func(w complex128) bool { return real(w) > 1 }
	want, selected := ordered(t, a, choose, Options{})
	got, _ := ordered(t, a, choose, Options{Team: sched.NewTeam(context.Background(), 3, nil)})
	if !slices.Equal(got.t.Data, want.t.Data) || !slices.Equal(got.z.Data, want.z.Data) {
		t.Error("the result of 3 threads differs from that of one")
	}
	form, z := dense.New[float64](150, 150), dense.New[float64](150, 150)
	if err := Schur(a.View(), form.View().T(), z.View().T(), Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Order(form.View().T(), z.View().T(), selected, Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(adjointOf(form).Data, want.t.Data) || !slices.Equal(adjointOf(z).Data, want.z.Data) {
		t.Error("the result of column-major forms differs")
	}
	alone, _ := ordered(t, a, func(complex128) bool { return false }, Options{})
	if _, err := Order(alone.t.View(), dense.View[float64]{}, selected, Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(alone.t.Data, want.t.Data) {
		t.Error("T depends on whether Z is wanted")
	}
}

func TestOrderOfExtremeSizes(t *testing.T) {
	for _, exponent := range []int{-1000, 1000} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(37, 38)), 20, 20)
		shiftExponents(a, exponent)
		c, selected := ordered(t, a, func(w complex128) bool { return real(w) < 0 }, Options{})
		shiftExponents(c.a, -exponent)
		shiftExponents(c.t, -exponent)
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
	_, complexErr := Order(complexBelow.View(), dense.View[complex128]{}, make([]bool, 2), Options{})
	do := func(t, z dense.View[float64], flags int) error {
		_, err := Order(t, z, make([]bool, flags), Options{})
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
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Order(numtest.QuasiTriangular(rand.New(rand.NewPCG(1, 1)), 6).View(), m(6),
		[]bool{false, false, true, true, true, true}, Options{Team: sched.NewTeam(ctx, 1, nil)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A swapper that refuses: the form is ordered in part and still belongs to the matrix.
func TestRefusedExchangeLeavesAForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	before := blockMatrix[float64](rng, 1, 2, 1, 2, 1, 1)
	form, z := before.Clone(), dense.New[float64](7, 7)
	z.SetIdentity()
	calls := 0
	refuse := func(t, zt dense.Matrix[float64], at, first, second int) bool {
		calls++
		return calls < 3 && swapBlocks(t, zt, at, first, second)
	}
	_, err := reorder(form.View(), z.View(), []bool{false, false, false, true, true, false, true}, Options{}, blockSorter(refuse), restandardize[float64])
	var separation *SeparationError
	if !errors.As(err, &separation) || separation.Row != 5 {
		t.Fatalf("got %v", err)
	}
	if similarity, unitarity := similarityError(before, form, adjointOf(z)); !(similarity <= residualLimit && unitarity <= residualLimit) {
		t.Errorf("similarity residual %g, orthogonality residual %g", similarity, unitarity)
	}
	checkForm(t, "refused", form)
}
