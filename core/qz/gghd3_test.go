package qz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// reduced is a pair before and after its reduction to Hessenberg-triangular form.
type reduced[T dense.Wide] struct {
	a, b dense.Matrix[T]
	*pencil[T]
}

// reduce reduces copies of a and b.
func reduce[T dense.Wide](t *testing.T, threads int, a, b dense.Matrix[T]) reduced[T] {
	t.Helper()
	n := a.Rows
	m := &pencil[T]{s: a.Clone(), p: b.Clone(), qt: dense.New[T](n, n), zt: dense.New[T](n, n)}
	m.qt.SetIdentity()
	m.zt.SetIdentity()
	m.team = sched.NewTeam(context.Background(), threads, nil)
	m.team.StartWorkers() // so that loops are shared as soon as it pays
	if err := m.triangularize(); err != nil {
		t.Fatal(err)
	}
	if err := m.reduceToHessenberg(); err != nil {
		t.Fatal(err)
	}
	return reduced[T]{a, b, m}
}

// check compares the pair with Q S Z^H and Q P Z^H.
func (r reduced[T]) check(t *testing.T, name string) {
	t.Helper()
	n := r.a.Rows
	for i := range n {
		for j := range i {
			if r.p.At(i, j) != 0 || i > j+1 && r.s.At(i, j) != 0 {
				t.Fatalf("%s: row %d, column %d: S has %v, P has %v", name, i, j, r.s.At(i, j), r.p.At(i, j))
			}
		}
	}
	q, z := transposed(r.qt), transposed(r.zt)
	for _, c := range []struct {
		what  string
		value float64
	}{
		{"residual of A", residual(r.a, q, r.s, z)}, {"residual of B", residual(r.b, q, r.p, z)},
		{"unitarity of Q", unitarity(q)}, {"unitarity of Z", unitarity(z)},
	} {
		if n > 0 && !(c.value < limit) {
			t.Errorf("%s: %s %.2f", name, c.what, c.value)
		}
	}
}

func transposed[T dense.Wide](a dense.Matrix[T]) dense.Matrix[T] {
	x := dense.New[T](a.Cols, a.Rows)
	dense.Copy(x.View(), a.View().T())
	return x
}

func TestReductionOfRandomPairs(t *testing.T) {
	orders := []int{blockedOrder - 1, blockedOrder, blockedOrder + 1}
	for panels := (blockedOrder + narrowPanel) / narrowPanel; panels < 6; panels++ {
		// The columns that are reduced, all but two, end with a panel; the trailing rows with a block.
		orders = append(orders, panels*narrowPanel+1, panels*narrowPanel+2, panels*narrowPanel+3)
	}
	if !testing.Short() {
		orders = append(orders, widePanelOrder-1, widePanelOrder, widePanelOrder+3)
	}
	for _, n := range orders {
		reductionOfRandomPairs[float64](t, n)
		reductionOfRandomPairs[complex128](t, n)
	}
}

func reductionOfRandomPairs[T dense.Wide](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(40, uint64(n)))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	one, two := reduce(t, 1, a, b), reduce(t, 2, a, b)
	one.check(t, fmt.Sprintf("%T, n = %d", *new(T), n))
	for k, m := range []dense.Matrix[T]{one.s, one.p, one.qt, one.zt} {
		if !slices.Equal(m.Data, []dense.Matrix[T]{two.s, two.p, two.qt, two.zt}[k].Data) {
			t.Errorf("%T, n = %d: matrix %d depends on the number of threads", *new(T), n, k)
		}
	}
}

// Panels and single columns use the same rotations.
func TestReductionsAgree(t *testing.T) {
	const n = blockedOrder + 2*narrowPanel
	rng := rand.New(rand.NewPCG(41, 42))
	a, b := numtest.Random[float64](rng, n, n), numtest.Random[float64](rng, n, n)
	byPanels := reduce(t, 1, a, b)
	m := &pencil[float64]{s: a.Clone(), p: b.Clone(), zt: dense.New[float64](n, n), qt: dense.New[float64](n, n)}
	m.zt.SetIdentity()
	if err := m.triangularize(); err != nil {
		t.Fatal(err)
	}
	if err := m.reduceByColumns(); err != nil {
		t.Fatal(err)
	}
	for k, pair := range [][2]dense.Matrix[float64]{
		{byPanels.s, m.s}, {byPanels.p, m.p}, {byPanels.qt, m.qt}, {byPanels.zt, m.zt},
	} {
		for i, x := range pair[0].Data {
			if math.Abs(x-pair[1].Data[i]) > 1e-9 {
				t.Fatalf("matrix %d: element %d is %v and %v", k, i, x, pair[1].Data[i])
			}
		}
	}
}

func TestReductionOfSpecialPairs(t *testing.T) {
	t.Run("float64", reductionOfSpecialPairs[float64])
	t.Run("complex128", reductionOfSpecialPairs[complex128])
}

func reductionOfSpecialPairs[T dense.Wide](t *testing.T) {
	const n = blockedOrder + narrowPanel + 5
	rng := rand.New(rand.NewPCG(43, 44))
	with := func(f func(i, j int, x T) T) dense.Matrix[T] {
		a := numtest.Random[T](rng, n, n)
		for i := range n {
			for j := range n {
				a.Set(i, j, f(i, j, a.At(i, j)))
			}
		}
		return a
	}
	keep := func(condition func(i, j int) bool) dense.Matrix[T] {
		return with(func(i, j int, x T) T {
			if condition(i, j) {
				return x
			}
			return 0
		})
	}
	matrices := map[string]dense.Matrix[T]{
		"random":               keep(func(int, int) bool { return true }),
		"zero":                 keep(func(int, int) bool { return false }),
		"triangular":           keep(func(i, j int) bool { return i <= j }),
		"Hessenberg":           keep(func(i, j int) bool { return i <= j+1 }),
		"Hessenberg in part":   keep(func(i, j int) bool { return i <= j+1 || j%5 == 3 }),
		"of two blocks":        keep(func(i, j int) bool { return (i < n/3) == (j < n/3) }),
		"with zero columns":    keep(func(_, j int) bool { return j%3 != 0 }),
		"with zero rows":       keep(func(i, _ int) bool { return i%4 != 0 }),
		"triangular, singular": keep(func(i, j int) bool { return i < j || i == j && i%3 != 0 }),
		"graded": with(func(i, j int, x T) T {
			return x * dense.FromReal[T](math.Ldexp(1, -(i+j)/2))
		}),
		"graded upwards": with(func(i, j int, x T) T {
			return x * dense.FromReal[T](math.Ldexp(1, -(2*n-i-j)/2))
		}),
		"of one element in a row": keep(func(i, j int) bool { return (7*i+3)%n == j }),
	}
	for nameA, a := range matrices {
		for nameB, b := range matrices {
			if testing.Short() && nameA != "random" && nameB != "random" && nameA != nameB {
				continue
			}
			name := fmt.Sprintf("%T: A %s, B %s", *new(T), nameA, nameB)
			r := reduce(t, 1, a, b)
			r.check(t, name)
			isHessenberg := nameA == "zero" || nameA == "Hessenberg" || nameA[:min(10, len(nameA))] == "triangular"
			isTriangular := nameB == "zero" || nameB[:min(10, len(nameB))] == "triangular"
			if isHessenberg && isTriangular && !(slices.Equal(r.s.Data, a.Data) && slices.Equal(r.p.Data, b.Data)) {
				t.Errorf("%s: the pair was changed", name)
			}
		}
	}
}
