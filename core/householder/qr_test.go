package householder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestQR(t *testing.T) {
	t.Run("float64", testQR[float64])
	t.Run("complex128", testQR[complex128])
}

func testQR[W dense.Wide](t *testing.T) {
	orders := []int{0, 1, 2, 3, narrowPanel - 1, narrowPanel, narrowPanel + 1, narrowPanel + 2, 2*narrowPanel + 1, 60}
	if !testing.Short() {
		orders = append(orders, narrowPanelRows-1, narrowPanelRows, narrowPanelRows+1, stripWidth+widePanel+2)
	}
	for _, m := range orders {
		for _, n := range []int{m, m / 2, m + 5} {
			for name, a := range qrMatrices[W](m, n) {
				checkQR(t, fmt.Sprintf("%d x %d, %s", m, n, name), a)
			}
		}
	}
}

// qrMatrices returns matrices of m rows and n columns, most of them special.
func qrMatrices[W dense.Wide](m, n int) map[string]dense.Matrix[W] {
	rng := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	matrices := map[string]dense.Matrix[W]{}
	for name, change := range map[string]func(a dense.Matrix[W], i, j int) W{
		"random":       func(a dense.Matrix[W], i, j int) W { return a.At(i, j) },
		"zero":         func(dense.Matrix[W], int, int) W { return 0 },
		"zero columns": func(a dense.Matrix[W], i, j int) W { return a.At(i, j) * dense.FromReal[W](float64(j%3/2)) },
		"of rank 1": func(a dense.Matrix[W], i, j int) W {
			return a.At(i, 0) * dense.FromReal[W](float64(1+j))
		},
		"graded": func(a dense.Matrix[W], i, j int) W {
			return a.At(i, j) * dense.FromReal[W](math.Ldexp(1, -4*(i+j)))
		},
		"triangular but for a column": func(a dense.Matrix[W], i, j int) W {
			if i > j && j != m/2 {
				return 0
			}
			return a.At(i, j)
		},
	} {
		a := numtest.Random[W](rng, m, n)
		source := a.Clone()
		for i := range m {
			for j := range n {
				a.Set(i, j, change(source, i, j))
			}
		}
		matrices[name] = a
	}
	return matrices
}

// checkQR compares Q R with a and Q^H B with what QR makes of a second matrix.
func checkQR[W dense.Wide](t *testing.T, name string, a dense.Matrix[W]) {
	t.Helper()
	m, n := a.Rows, a.Cols
	also := numtest.Random[W](rand.New(rand.NewPCG(27, 28)), m, m+1)
	r, image, qt := factored(t, 1, a, also)
	for i := range m {
		for j := range min(i, n) {
			if r.At(i, j) != 0 {
				t.Fatalf("%s: R[%d,%d] is %v", name, i, j, r.At(i, j))
			}
		}
	}
	q, adjoint := dense.New[complex128](m, m), dense.New[complex128](m, m)
	for i := range m {
		for j, x := range wide(qt.Row(i), 0) {
			q.Set(j, i, x)
			adjoint.Set(i, j, complex(real(x), -imag(x)))
		}
	}
	bound := 10 * dense.Eps[W]() * math.Sqrt(float64(max(m, 1)))
	identity := dense.New[complex128](m, m)
	identity.SetIdentity()
	if d := distance(product(adjoint, q), identity); d > bound {
		t.Errorf("%s: Q^H Q is off by %.1f eps", name, d/dense.Eps[W]())
	}
	if d := distance(product(q, wideMatrix(r)), wideMatrix(a)); d > bound*numtest.FrobeniusNorm(wideMatrix(a)) {
		t.Errorf("%s: Q R is off by %v", name, d)
	}
	if d := distance(product(adjoint, wideMatrix(also)), wideMatrix(image)); d > bound*math.Sqrt(float64(m)) {
		t.Errorf("%s: the second matrix is off by %v", name, d)
	}
	otherR, otherImage, otherQt := factored(t, 2, a, also)
	for k, pair := range [][2]dense.Matrix[W]{{r, otherR}, {image, otherImage}, {qt, otherQt}} {
		if !slices.Equal(pair[0].Data, pair[1].Data) {
			t.Errorf("%s: result %d depends on the number of threads", name, k)
		}
	}
	if onlyR, none, _ := factored(t, 1, a, dense.Matrix[W]{}); none.Rows > 0 || !slices.Equal(onlyR.Data, r.Data) {
		t.Errorf("%s: R depends on the second matrix", name)
	}
}

// factored returns what QR makes of copies of a and also.
func factored[W dense.Wide](t *testing.T, threads int, a, also dense.Matrix[W]) (r, image, qt dense.Matrix[W]) {
	t.Helper()
	r, image, qt = a.Clone(), also.Clone(), dense.New[W](a.Rows, a.Rows)
	qt.Fill(dense.FromReal[W](math.NaN()))
	memory := make([]W, QRElements(a.Rows, a.Cols, also.Cols))
	for i := range memory {
		memory[i] = dense.FromReal[W](math.NaN())
	}
	team := sched.NewTeam(context.Background(), threads, nil)
	team.StartWorkers() // so that loops are shared as soon as it pays
	if err := QR(team, r, image, qt, memory); err != nil {
		t.Fatal(err)
	}
	return r, image, qt
}

func TestQROfATriangularMatrix(t *testing.T) {
	const n = 3 * narrowPanel
	a := numtest.Random[float64](rand.New(rand.NewPCG(29, 30)), n, n)
	for i := range n {
		clear(a.Row(i)[:i])
	}
	r, _, qt := factored(t, 1, a, dense.Matrix[float64]{})
	identity := dense.New[float64](n, n)
	identity.SetIdentity()
	if !slices.Equal(r.Data, a.Data) || !slices.Equal(qt.Data, identity.Data) {
		t.Error("a triangular matrix was changed")
	}
}

func TestQROfACancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	const n = 40
	a, qt := numtest.Random[float64](rand.New(rand.NewPCG(31, 32)), n, n), dense.New[float64](n, n)
	team := sched.NewTeam(ctx, 1, nil)
	err := QR(team, a, dense.Matrix[float64]{}, qt, make([]float64, QRElements(n, n, 0)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
