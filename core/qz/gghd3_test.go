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

// reduce reduces copies of a and b by the method, which reduces a pair with a triangular P.
func reduce[T dense.Wide](
	t *testing.T, threads int, a, b dense.Matrix[T], method func(m *pencil[T]) error,
) reduced[T] {
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
	if err := method(m); err != nil {
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
	orders := []int{1, 2, 3, 4, 5, 10}
	for panels := 1; panels <= 4; panels++ {
		// All columns but two are reduced, and all rows but one change: these end with a panel or a block.
		orders = append(orders, panels*panelWidth, panels*panelWidth+1, panels*panelWidth+2, panels*panelWidth+3)
	}
	for _, n := range orders {
		reductionsAgree[float64](t, n)
		reductionsAgree[complex128](t, n)
	}
}

// reductionsAgree reduces a random pair by columns and by panels, whose rotations are the same but for rounding errors.
func reductionsAgree[T dense.Wide](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(40, uint64(n)))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	byColumns := reduce(t, 1, a, b, (*pencil[T]).reduceByColumns)
	byPanels := reduce(t, 1, a, b, (*pencil[T]).reduceByPanels)
	name := fmt.Sprintf("%T, n = %d", *new(T), n)
	byColumns.check(t, name+", by columns")
	byPanels.check(t, name+", by panels")
	const tolerance = 1e-8 // many eps: rotations of small elements have large errors
	for k, x := range byColumns.matrices() {
		for i, y := range byPanels.matrices()[k].Data {
			if !(dense.Abs(x.Data[i]-y) <= tolerance) {
				t.Fatalf("%s: element %d of %c is %v by columns, %v by panels", name, i, "SPQZ"[k], x.Data[i], y)
			}
		}
	}
}

func (r reduced[T]) matrices() [4]dense.Matrix[T] { return [4]dense.Matrix[T]{r.s, r.p, r.qt, r.zt} }

func TestReductionOfLargePairs(t *testing.T) {
	largePairs[float64](t, blockedOrder[float64]())
	if !testing.Short() { // the race detector takes long for complex products without assembly
		largePairs[complex128](t, blockedOrder[complex128]())
		largePairs[float64](t, 333)
	}
}

func largePairs[T dense.Wide](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(41, uint64(n)))
	a, b := numtest.Random[T](rng, n, n), numtest.Random[T](rng, n, n)
	one, two := reduce(t, 1, a, b, (*pencil[T]).reduceToHessenberg), reduce(t, 2, a, b, (*pencil[T]).reduceToHessenberg)
	one.check(t, fmt.Sprintf("%T, n = %d", *new(T), n))
	for k, m := range one.matrices() {
		if !slices.Equal(m.Data, two.matrices()[k].Data) {
			t.Errorf("%T, n = %d: %c depends on the number of threads", *new(T), n, "SPQZ"[k])
		}
	}
}

func TestReductionOfSpecialPairs(t *testing.T) {
	t.Run("float64", reductionOfSpecialPairs[float64])
	t.Run("complex128", reductionOfSpecialPairs[complex128])
}

func reductionOfSpecialPairs[T dense.Wide](t *testing.T) {
	const n = 2*panelWidth + 5
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
			isHessenberg := nameA == "zero" || nameA == "Hessenberg" || nameA[:min(10, len(nameA))] == "triangular"
			isTriangular := nameB == "zero" || nameB[:min(10, len(nameB))] == "triangular"
			for _, method := range []func(*pencil[T]) error{(*pencil[T]).reduceByColumns, (*pencil[T]).reduceByPanels} {
				r := reduce(t, 1, a, b, method)
				r.check(t, name)
				isSame := slices.Equal(r.s.Data, a.Data) && slices.Equal(r.p.Data, b.Data)
				if isHessenberg && isTriangular && !isSame {
					t.Errorf("%s: the pair was changed", name)
				}
			}
		}
	}
}
