package tridiag

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

// Tridiagonal matrices by formula: element i of the diagonal and the coupling of i and i+1.
var tridiagonalFamilies = []struct {
	name    string
	element func(rng *rand.Rand, n, i int) (d, e float64)
}{
	{"random", func(rng *rand.Rand, _, _ int) (float64, float64) { return rng.NormFloat64(), rng.NormFloat64() }},
	{"second difference", func(_ *rand.Rand, _, _ int) (float64, float64) { return 2, -1 }},
	{"zero diagonal", func(_ *rand.Rand, _, _ int) (float64, float64) { return 0, 1 }},
	{"Clement", func(_ *rand.Rand, n, i int) (float64, float64) {
		return 0, math.Sqrt(float64(i+1) * float64(max(0, n-1-i)))
	}},
	{"Wilkinson", func(_ *rand.Rand, n, i int) (float64, float64) { return math.Abs(float64(n-1)/2 - float64(i)), 1 }},
	{"glued Wilkinson", func(_ *rand.Rand, _, i int) (float64, float64) {
		const order, glue = 21, 1e-10
		if i%order == order-1 {
			return order / 2, glue
		}
		return math.Abs(order/2 - float64(i%order)), 1
	}},
	{"strongly glued Wilkinson", func(_ *rand.Rand, _, i int) (float64, float64) {
		const order, glue = 7, 1e-2
		if i%order == order-1 {
			return order / 2, glue
		}
		return math.Abs(order/2 - float64(i%order)), 1
	}},
	{"graded down", func(_ *rand.Rand, n, i int) (float64, float64) {
		x := math.Pow(10, -16*float64(i)/float64(n))
		return x, x / 2
	}},
	{"graded up", func(_ *rand.Rand, n, i int) (float64, float64) {
		x := math.Pow(10, 16*float64(i-n)/float64(n))
		return x, x / 2
	}},
	{"equal elements", func(rng *rand.Rand, _, _ int) (float64, float64) { return 1, float64(rng.IntN(3)-1) / 2 }},
	{"small couplings", func(rng *rand.Rand, _, i int) (float64, float64) {
		return float64(i % 5),
			1e-9 * rng.NormFloat64()
	}},
	{"couplings of all sizes", func(rng *rand.Rand, _, _ int) (float64, float64) {
		return rng.NormFloat64(), math.Pow(10, -20*rng.Float64())
	}},
	{"tiny couplings beside zeros", func(rng *rand.Rand, _, i int) (float64, float64) {
		return float64(i % 2), math.Pow(10, -250*rng.Float64())
	}},
	{"a large element", func(rng *rand.Rand, n, i int) (float64, float64) {
		return rng.NormFloat64() + 1e12*(1-math.Min(1, math.Abs(float64(i-n/2)))), rng.NormFloat64()
	}},
	{"blocks", func(rng *rand.Rand, _, i int) (float64, float64) {
		return rng.NormFloat64(), rng.NormFloat64() * math.Min(1, float64(i%50))
	}},
}

func TestEigenpairs(t *testing.T) {
	t.Run("float64", testEigenpairs[float64])
	t.Run("float32", testEigenpairs[float32])
}

func testEigenpairs[R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	worst := &numtest.WorstResiduals{}
	for _, family := range tridiagonalFamilies {
		for _, n := range []int{1, 2, leafOrder, leafOrder + 1, 2*leafOrder + 1, 100, 131, 260} {
			m := New(n)
			for i := range n {
				m.D[i], m.E[i] = family.element(rng, n, i)
			}
			a, same, some, values := denseOf(m), copyOf(m), copyOf(m), copyOf(m)
			rows, _, err := eigenRows[R](m, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := Eigenvalues(nil, same); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, n = %d", family.name, n)
			checkTridiagonal(t, worst, name, a, m.D, rows)
			largest := max(math.Abs(m.D[0]), math.Abs(m.D[n-1]))
			checkValues(t, name, same.D, m.D, residualLimit*float64(max(n, 8))*dense.Eps[R]()*largest)
			if n > leafOrder && m.blockEnd(0, n, NegligibleCoupling) == n {
				checkBoundaryRowsDC(t, name, values, same.D)
			}
			from := rng.IntN(n)
			checkSelected(t, name, some, m.D, rows, from, from+1+rng.IntN(n-from))
		}
	}
	t.Log(worst)
}

// checkBoundaryRowsDC fails the test unless divide and conquer without vectors finds the eigenvalues w, with the same
// bits for any number of threads.
func checkBoundaryRowsDC(t *testing.T, name string, m Matrix, w []float64) {
	t.Helper()
	n := len(w)
	var first []float64
	for _, threads := range []int{1, 2, 3, 16} {
		own := copyOf(m)
		if err := newBoundaryRowsDC(own, threads).solve(sched.NewTeam(context.Background(), threads, nil)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if first == nil {
			first = own.D
		}
		if !numtest.SameBits(first, own.D) {
			t.Errorf("%s: %d threads change the eigenvalues", name, threads)
		}
	}
	largest := max(math.Abs(w[0]), math.Abs(w[n-1]))
	checkValues(t, name+", divide and conquer", first, w, 2*residualLimit*float64(max(n, 8))*0x1p-52*largest)
}

// checkSelected fails the test unless selecting the eigenpairs first <= i < end of m, by index and by value, gives the
// same bits as a call for all of them, d and rows.
func checkSelected[R dense.Float](t *testing.T, name string, m Matrix, d []float64, rows dense.Matrix[R],
	first, end int) {
	t.Helper()
	for kind, wanted := range map[string]Selection{
		"index": func(i int, _ float64) bool { return first <= i && i < end },
		"value": func(_ int, x float64) bool { return d[first] <= x && x <= d[end-1] },
		"none":  func(_ int, _ float64) bool { return false },
	} {
		some := copyOf(m)
		got, from, err := eigenRows[R](some, nil, wanted)
		if err != nil {
			t.Fatal(err)
		}
		if !numtest.SameBits(some.D, d) {
			t.Fatalf("%s, %s: the eigenvalues differ from those of a call for all vectors", name, kind)
		}
		for i, x := range d {
			if at := i - from; wanted(i, x) != (0 <= at && at < got.Rows) {
				t.Fatalf("%s: by %s, %d vectors from %d on, which is wrong for %d", name, kind, got.Rows, from, i)
			}
		}
		for i := range got.Rows {
			if !numtest.SameBits(got.Row(i), rows.Row(from+i)) {
				t.Fatalf("%s: by %s, vector %d differs from that of a call for all", name, kind, from+i)
			}
		}
	}
}

func checkTridiagonal[R dense.Float](
	t *testing.T, worst *numtest.WorstResiduals, name string, a dense.Matrix[float64], d []float64, rows dense.Matrix[R],
) {
	t.Helper()
	v := dense.New[float64](a.Rows, a.Rows)
	dense.Copy(v.View(), rows.View().T())
	residual, unitarity := numtest.EigenResidual(a, d, v, dense.Eps[R]()), numtest.UnitaryResidual(v, dense.Eps[R]())
	worst.Note(name, residual, unitarity)
	if !(residual < residualLimit) || !(unitarity < residualLimit) || !slices.IsSorted(d) {
		t.Errorf("%s: residual %g, orthogonality %g, sorted %v", name, residual, unitarity, slices.IsSorted(d))
	}
}

func TestEigenpairsThreadsDoNotChangeBits(t *testing.T) {
	t.Run("float64", testEigenpairsThreads[float64])
	t.Run("float32", testEigenpairsThreads[float32])
}

func testEigenpairsThreads[R dense.Float](t *testing.T) {
	for _, n := range []int{leafOrder + 1, 2*leafOrder + 3, 131, 300} {
		lower := func(i int, _ float64) bool { return n/10 <= i && i < n/5 }
		for name, wanted := range map[string]Selection{"all": nil, "some": lower} {
			d, rows := solvedBy[R](t, 1, n, wanted)
			for _, threads := range []int{2, 3, 5, 16} {
				d2, rows2 := solvedBy[R](t, threads, n, wanted)
				if !numtest.SameBits(d, d2) || !numtest.SameBits(rows.Data, rows2.Data) {
					t.Errorf("n = %d, %s: 1 and %d threads differ", n, name, threads)
				}
			}
		}
	}
}

// solvedBy returns eigenpairs of a matrix with some deflation, found by the given number of threads.
func solvedBy[R dense.Float](t *testing.T, threads, n int, wanted Selection) ([]float64, dense.Matrix[R]) {
	t.Helper()
	rng := rand.New(rand.NewPCG(72, 1))
	m := New(n)
	for i := range n {
		m.D[i], m.E[i] = math.Trunc(3*rng.NormFloat64()), rng.NormFloat64()
	}
	rows, _, err := eigenRows[R](m, sched.NewTeam(context.Background(), threads, nil), wanted)
	if err != nil {
		t.Fatal(err)
	}
	return m.D, rows
}

// The root-free iteration finds the same eigenvalues as the implicit QL iteration, also for its wild matrices.
func TestValuesOfWildMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	for trial := range 20000 {
		n := 2 + rng.IntN(12)
		m := newQL(n)
		fillWild(rng, m.Matrix)
		m.D[rng.IntN(n)] = 1
		same := copyOf(m.Matrix)
		if err := Eigenvalues(nil, same); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		m.vectors = dense.New[float64](n, n)
		if err := m.diagonalize(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(m.D)
		largest := max(math.Abs(m.D[0]), math.Abs(m.D[n-1]))
		checkValues(t, fmt.Sprintf("trial %d", trial), same.D, m.D, (2*residualLimit*float64(max(n, 8))+1)*0x1p-52*largest)
		if t.Failed() {
			return
		}
	}
}

// SciPy's drivers without vectors are wrong by 27 units of rounding error here, because squares of couplings underflow.
func TestValuesWithTinyCouplings(t *testing.T) {
	m := New(3)
	copy(m.E, []float64{1e-155, 1})
	if err := Eigenvalues(nil, m); err != nil {
		t.Fatal(err)
	}
	checkValues(t, "values", m.D, []float64{-1, 0, 1}, 0x1p-52)
}

func TestEigenvaluesGivesUp(t *testing.T) {
	m := New(3)
	for i := range m.D {
		m.D[i], m.E[i] = math.NaN(), math.NaN()
	}
	err, ok := Eigenvalues(nil, m).(*ConvergenceError)
	if !ok || err.Found != 0 || err.Order != 3 {
		t.Errorf("a matrix of NaNs: %v", err)
	}
}

func TestEigenpairsGivesUp(t *testing.T) {
	const n = 3 * leafOrder
	m := New(n)
	for i := range n {
		m.D[i], m.E[i] = math.NaN(), 1
	}
	m.E[0], m.D[0], m.D[1] = 0, 0, 1
	_, _, err := eigenRows[float64](m, nil, nil)
	if failed, ok := err.(*ConvergenceError); !ok || failed.Found < 1 || failed.Order != n {
		t.Errorf("a block of NaNs behind a zero: %v", err)
	}
}
