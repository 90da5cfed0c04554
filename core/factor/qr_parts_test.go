package factor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// Graded columns and rows, and elements next to overflow and underflow.
func TestQROfExtremeMatrices(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testExtremeQR[float32](t, 15, 120) })
	t.Run("float64", func(t *testing.T) { testExtremeQR[float64](t, 150, 1010) })
	t.Run("complex64", func(t *testing.T) { testExtremeQR[complex64](t, 15, 120) })
	t.Run("complex128", func(t *testing.T) { testExtremeQR[complex128](t, 150, 1010) })
}

// Elements are between 10^-digits and 10^digits, or are all multiplied by 2^exponent or 2^-exponent.
func testExtremeQR[T dense.Scalar](t *testing.T, digits, exponent int) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{5, 40} {
		for _, pivoting := range []bool{false, true} {
			random, columns, rows := numtest.Random[T](rng, 2*n, n), dense.New[T](2*n, n), dense.New[T](2*n, n)
			for i := range 2 * n {
				for j := range n {
					x := random.At(i, j)
					columns.Set(i, j, x*dense.FromReal[T](math.Pow(10, float64(digits)*(1-2*float64(j)/float64(n-1)))))
					rows.Set(i, j, x*dense.FromReal[T](math.Pow(10, float64(digits)*(float64(i)/float64(n)-1))))
				}
			}
			small := math.Ldexp(1, -digits*3) // so that norms of residuals do not overflow
			checkQR(t, "graded columns", columns, n, pivoting, small)
			checkQR(t, "graded rows", rows, n, pivoting, small)
			for _, k := range []int{exponent, -exponent} {
				scaled := random.Clone()
				blas.Ldexp(scaled.Data, k)
				checkQR(t, fmt.Sprintf("2^%d", k), scaled, 2*n, pivoting, math.Ldexp(1, -k))
			}
		}
	}
}

// All norms of rests but those of the first columns are lost to cancellation when they are updated.
func TestPivotsOfNearlyDependentColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a := numtest.Random[float64](rng, 60, 40)
	for i := range a.Rows {
		for j := 3; j < a.Cols; j++ {
			sum := a.At(i, 0) - a.At(i, 1) + float64(j)*a.At(i, 2)
			a.Set(i, j, sum+math.Pow(10, -float64(j)/3)*a.At(i, j))
		}
	}
	checkQR(t, "nearly dependent", a, 40, true, 1)
}

func TestQRIsTheSameForAllThreads(t *testing.T) {
	for _, shape := range [][2]int{{300, 260}, {900, 70}, {90, 600}} {
		for _, pivoting := range []bool{false, true} {
			a := numtest.Random[complex128](rand.New(rand.NewPCG(9, 10)), shape[0], shape[1])
			var first QRResults[complex128]
			for _, threads := range []int{1, 2, 3} {
				out := QRResults[complex128]{Q: byColumns[complex128](shape[0], shape[0]),
					R: byColumns[complex128](shape[0], shape[1])}
				if pivoting {
					out.Pivots = make([]int64, shape[1])
				}
				team := sched.NewTeam(context.Background(), threads, nil)
				if err := QRView(team, a.View(), out, false); err != nil {
					t.Fatal(err)
				}
				team.ReleaseWorkers()
				if threads == 1 {
					first = out
				}
				if !numtest.SameBits(out.Q.Data, first.Q.Data) || !numtest.SameBits(out.R.Data, first.R.Data) {
					t.Errorf("%v: results of %d threads differ, pivoting %v", shape, threads, pivoting)
				}
			}
		}
	}
}

func TestQRObeysCancellation(t *testing.T) {
	a := numtest.Random[float64](rand.New(rand.NewPCG(11, 12)), 500, 400)
	for _, pivots := range [][]int64{nil, make([]int64, 400)} {
		out := QRResults[float64]{Q: byColumns[float64](500, 400), R: byColumns[float64](400, 400), Pivots: pivots}
		schedtest.Cancel(t, schedtest.Limits{},
			func(team *sched.Team) error { return QRView(team, a.View(), out, false) })
	}
}

// The rows that Q is applied to, the reflectors and the factors of RQ agree with Q.
func TestPartsOfQR(t *testing.T) {
	t.Run("float64", testPartsOfQR[float64])
	t.Run("complex64", testPartsOfQR[complex64])
	t.Run("complex128", testPartsOfQR[complex128])
}

func testPartsOfQR[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, shape := range [][2]int{{1, 1}, {30, 20}, {20, 30}, {70, 70}} {
		m, n := shape[0], shape[1]
		k, limit := min(m, n), qrLimit*float64(max(m, n))*dense.Eps[T]()
		a := numtest.Random[T](rng, m, n)
		full := QRResults[T]{Q: byColumns[T](m, m), R: byColumns[T](m, n)}
		if err := QRView(nil, a.View(), full, false); err != nil {
			t.Fatal(err)
		}
		for _, transposed := range []bool{false, true} {
			for _, conjugate := range []bool{false, true} {
				c := numtest.Random[T](rng, 5, m)
				want, q, op := dense.New[T](5, m), rowsOf(full.Q), blas.NoTrans
				if transposed {
					op = blas.Trans
				}
				if conjugate {
					dense.Conjugate(q.Data)
				}
				blas.Gemm(nil, blas.NoTrans, op, 1, c, q, 0, want)
				out := QRResults[T]{R: byColumns[T](k, n), Raw: byColumns[T](m, n), Tau: make([]T, k), Rows: c,
					Transposed: transposed, Conjugate: conjugate}
				if err := QRView(nil, a.View(), out, false); err != nil {
					t.Fatal(err)
				}
				checkNear(t, fmt.Sprint(shape, transposed, conjugate), c, want, limit)
				checkNear(t, "R", rowsOf(out.R), rowsOf(full.R.SliceRows(0, k)), limit)
				checkNear(t, "reflectors", productOfReflectors(out), rowsOf(full.Q), limit)
			}
		}
		checkRQ(t, a, m, n, n)
		checkRQ(t, a, m, n, k)
	}
}

func checkNear[T dense.Scalar](t *testing.T, name string, got, want dense.Matrix[T], limit float64) {
	t.Helper()
	norm := numtest.FrobeniusNorm(want)
	for i := range got.Data {
		got.Data[i] -= want.Data[i]
	}
	if d := numtest.FrobeniusNorm(got); !(d <= limit*norm) {
		t.Errorf("%s: difference %g, norm %g", name, d, norm)
	}
}

// productOfReflectors returns Q by its definition.
func productOfReflectors[T dense.Scalar](out QRResults[T]) dense.Matrix[T] {
	m := out.Raw.Rows
	q := dense.New[T](m, m)
	q.SetIdentity()
	for j, tau := range out.Tau {
		v := make([]T, m)
		v[j] = 1
		for i := j + 1; i < m; i++ {
			v[i] = out.Raw.At(i, j)
		}
		products := make([]T, m)
		blas.Gemv(nil, blas.NoTrans, 1, q, dense.Vec(v), 0, dense.Vec(products))
		blas.Gerc(nil, -tau, dense.Vec(products), dense.Vec(v), q)
	}
	return q
}

// checkRQ checks the factorization with a Q of the given number of rows.
func checkRQ[T dense.Scalar](t *testing.T, a dense.Matrix[T], m, n, rows int) {
	t.Helper()
	q, r := dense.New[T](rows, n), dense.New[T](m, rows)
	if err := RQView(nil, a.View(), q.View(), r.View(), false); err != nil {
		t.Fatal(err)
	}
	name, unit := fmt.Sprintf("RQ %d x %d, %d rows", m, n, rows), float64(max(m, n))*dense.Eps[T]()
	for i := range m {
		for j := range rows {
			if j-rows < i-m && r.At(i, j) != 0 {
				t.Fatalf("%s: element (%d,%d) of R is %v", name, i, j, r.At(i, j))
			}
		}
	}
	product := dense.New[T](m, n)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, r, q, 0, product)
	checkNear(t, name, product, a.Clone(), qrLimit*unit)
	adjoint := dense.New[T](n, rows)
	dense.Copy(adjoint.View(), q.View().T())
	dense.Conjugate(adjoint.Data)
	checkUnitaryColumns(t, name, adjoint, unit)
}

func TestQRErrors(t *testing.T) {
	a := dense.FromRows([]float64{1, math.NaN()}, []float64{2, 3}, []float64{4, 5})
	out := QRResults[float64]{Q: byColumns[float64](3, 2), R: byColumns[float64](2, 2)}
	var argument *dense.ArgumentError
	if err := QRView(nil, a.View(), out, false); !errors.As(err, &argument) || argument.Arg != "a" {
		t.Errorf("NaN: %v", err)
	}
	out.Q.Fill(0)
	if err := QRView(nil, a.View(), out, true); err != nil || !math.IsNaN(out.Q.At(2, 1)) || !math.IsNaN(out.R.At(0, 0)) {
		t.Errorf("NaN, unchecked: %v, Q %v", err, out.Q)
	}
	huge := dense.FromRows([]float64{math.MaxFloat64, 1}, []float64{math.MaxFloat64, 1}, []float64{1, 1})
	if err := QRView(nil, huge.View(), out, false); !errors.As(err, &argument) || argument.Arg != "a" {
		t.Errorf("R overflows: %v", err)
	}
	for name, out := range map[string]QRResults[float64]{
		"q":   {Q: byColumns[float64](3, 1), R: byColumns[float64](2, 2)},
		"r":   {R: byColumns[float64](2, 2)},
		"raw": {R: byColumns[float64](2, 2), Raw: dense.New[float64](3, 2).View()},
	} {
		if err := QRView(nil, a.View(), out, true); !errors.As(err, &argument) || argument.Arg != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
