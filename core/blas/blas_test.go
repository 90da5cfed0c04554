package blas

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// startedTeam returns a team whose workers are waiting, so that it shares loops that are too short to start workers
// for.
func startedTeam(threads int) *sched.Team {
	team := sched.NewTeam(context.Background(), threads, nil)
	team.StartWorkers()
	return team
}

// random returns a matrix with padded rows; the padding is NaN and must not change.
func random[T dense.Scalar](rng *rand.Rand, rows, cols int) dense.Matrix[T] {
	const padding = 3
	whole := dense.New[T](rows, cols+padding)
	whole.Fill(dense.FromReal[T](math.NaN()))
	m := whole.Slice(0, rows, 0, cols)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, number[T](rng))
		}
	}
	return m
}

func number[T dense.Scalar](rng *rand.Rand) T {
	im := 0.0
	if dense.IsComplex[T]() {
		im = rng.NormFloat64()
	}
	return dense.FromParts[T](rng.NormFloat64(), im)
}

func op[T dense.Scalar](trans Transpose, a dense.Matrix[T], i, j int) complex128 {
	switch trans {
	case NoTrans:
		return dense.Convert[complex128](a.At(i, j))
	case Trans:
		return dense.Convert[complex128](a.At(j, i))
	}
	return dense.Convert[complex128](dense.Conj(a.At(j, i)))
}

// product returns op(A) op(B) in double precision by the definition.
func product[T dense.Scalar](tA, tB Transpose, a, b dense.Matrix[T], m, n, k int) dense.Matrix[complex128] {
	c := dense.New[complex128](m, n)
	right := dense.New[complex128](k, n)
	for p := range k {
		for j := range n {
			right.Set(p, j, op(tB, b, p, j))
		}
	}
	for i := range m {
		for p := range k {
			x := op(tA, a, i, p)
			for j, y := range right.Row(p) {
				c.Data[i*c.Stride+j] += x * y
			}
		}
	}
	return c
}

// closeTo reports whether got is within the error bound of a sum of k products of numbers of size about 1.
func closeTo[T dense.Scalar](got T, want complex128, k int) bool {
	limit := 20 * float64(k+2) * dense.Eps[T]()
	return dense.Abs(dense.Convert[complex128](got)-want) <= limit
}

func forDtypes(t *testing.T, f32, f64, c64, c128 func(*testing.T)) {
	t.Run("float32", f32)
	t.Run("float64", f64)
	t.Run("complex64", c64)
	t.Run("complex128", c128)
}

func TestGemm(t *testing.T) {
	forDtypes(t, testGemm[float32], testGemm[float64], testGemm[complex64], testGemm[complex128])
}

func testGemm[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shapes := [][3]int{{1, 1, 1}, {3, 5, 2}, {9, 49, 257}, {7, 200, 1}, {130, 3, 30}, {4, 4, 0}, {0, 3, 2}, {3, 0, 2}}
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		for _, tA := range []Transpose{NoTrans, Trans, ConjTrans} {
			for _, tB := range []Transpose{NoTrans, Trans, ConjTrans} {
				ar, ac := opShape(tA, m, k)
				br, bc := opShape(tB, k, n)
				a, b := random[T](rng, ar, ac), random[T](rng, br, bc)
				alpha, beta := number[T](rng), number[T](rng)
				before := random[T](rng, m, n)
				want := product(tA, tB, a, b, m, n, k)
				for _, beta := range []T{0, beta} {
					checkGemm(t, tA, tB, alpha, a, b, beta, before, want, k)
				}
			}
		}
	}
}

func checkGemm[T dense.Scalar](
	t *testing.T, tA, tB Transpose, alpha T, a, b dense.Matrix[T], beta T, before dense.Matrix[T],
	want dense.Matrix[complex128], k int,
) {
	t.Helper()
	var results [2]dense.Matrix[T]
	for r, threads := range []int{1, 3} {
		c := before.Clone()
		if beta == 0 {
			c.Fill(dense.FromReal[T](math.NaN())) // beta = 0 must not read C
		}
		Gemm(startedTeam(threads), tA, tB, alpha, a, b, beta, c)
		results[r] = c
		for i := range c.Rows {
			for j := range c.Cols {
				exact := dense.Convert[complex128](alpha) * want.At(i, j)
				if beta != 0 {
					exact += dense.Convert[complex128](beta) * dense.Convert[complex128](before.At(i, j))
				}
				if !closeTo(c.At(i, j), exact, k) {
					t.Fatalf("%dx%dx%d %c%c beta %v: C[%d,%d] = %v, want %v", c.Rows, c.Cols, k, tA, tB, beta, i, j,
						c.At(i, j), exact)
				}
			}
		}
	}
	for i := range results[0].Data {
		if results[0].Data[i] != results[1].Data[i] {
			t.Fatalf("1 and 3 threads give different bits")
		}
	}
}

func TestTriangular(t *testing.T) {
	forDtypes(t, testTriangular[float32], testTriangular[float64], testTriangular[complex64],
		testTriangular[complex128])
}

// testTriangular checks that Trsm undoes Trmm, and Trmm against the product with the explicit triangle.
func testTriangular[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, side := range []Side{Left, Right} {
		for _, uplo := range []Uplo{Lower, Upper} {
			for _, trans := range []Transpose{NoTrans, Trans, ConjTrans} {
				for _, diag := range []Diag{NonUnit, Unit} {
					name := fmt.Sprintf("%c%c%c%c", side, uplo, trans, diag)
					b := random[T](rng, 6, 9)
					order := b.Rows
					if side == Right {
						order = b.Cols
					}
					a, triangle := triangleOf[T](rng, order, uplo, diag)
					x := b.Clone()
					Trmm(nil, side, uplo, trans, diag, 2, a, x)
					left, right, tL, tR := triangle, b, trans, NoTrans
					if side == Right {
						left, right, tL, tR = b, triangle, NoTrans, trans
					}
					want := product(tL, tR, left, right, b.Rows, b.Cols, order)
					for i := range b.Rows {
						for j := range b.Cols {
							if !closeTo(x.At(i, j), 2*want.At(i, j), 4*order) {
								t.Fatalf("Trmm %s: [%d,%d] = %v, want %v", name, i, j, x.At(i, j), 2*want.At(i, j))
							}
						}
					}
					Trsm(nil, side, uplo, trans, diag, dense.FromReal[T](0.5), a, x)
					for i := range b.Rows {
						for j := range b.Cols {
							if !closeTo(x.At(i, j), dense.Convert[complex128](b.At(i, j)), 100) {
								t.Fatalf("Trsm %s: [%d,%d] = %v, want %v", name, i, j, x.At(i, j), b.At(i, j))
							}
						}
					}
				}
			}
		}
	}
}

// triangleOf returns a matrix whose triangle uplo is well conditioned and whose other elements (and unit diagonal) are
// NaN, and the triangle alone. About half of the diagonals are real.
func triangleOf[T dense.Scalar](rng *rand.Rand, n int, uplo Uplo, diag Diag) (a, triangle dense.Matrix[T]) {
	a, triangle = random[T](rng, n, n), dense.New[T](n, n)
	nan, isReal := dense.FromReal[T](math.NaN()), rng.IntN(2) == 0
	for i := range n {
		for j := range n {
			switch {
			case i == j && diag == Unit:
				a.Set(i, j, nan)
				triangle.Set(i, j, 1)
			case i == j:
				a.Set(i, j, a.At(i, j)/10+3)
				if isReal {
					a.Set(i, j, dense.FromReal[T](dense.Real(a.At(i, j))))
				}
				triangle.Set(i, j, a.At(i, j))
			case (i > j) == (uplo == Lower):
				a.Set(i, j, a.At(i, j)/10)
				triangle.Set(i, j, a.At(i, j))
			default:
				a.Set(i, j, nan)
			}
		}
	}
	return a, triangle
}

func TestShapesThatDoNotFitPanic(t *testing.T) {
	a, b := dense.New[float64](2, 3), dense.New[float64](2, 2)
	for name, call := range map[string]func(){
		"Gemm": func() { Gemm(nil, NoTrans, NoTrans, 1, a, b, 0, b) },
		"Gemv": func() { Gemv(nil, NoTrans, 1, a, b.RowVec(0, 0, 2), 0, b.RowVec(1, 0, 2)) },
		"Trsm": func() { Trsm(nil, Left, Lower, NoTrans, NonUnit, 1, a, b) },
		"Dotc": func() { Dotc(a.RowVec(0, 0, 3), b.RowVec(0, 0, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepted shapes that do not fit", name)
				}
			}()
			call()
		}()
	}
}

func TestMoveObeysCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	team := sched.NewTeam(ctx, 2, nil)
	big := dense.New[float32](1000, 1000).View()
	if err := CopyView(team, dense.New[float64](1000, 1000).View(), big); !errors.Is(err, context.Canceled) {
		t.Errorf("CopyView: %v", err)
	}
	if err := CheckFinite(team, big, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("CheckFinite: %v", err)
	}
}

func TestCopyViewAndCheckFiniteCoverEveryElement(t *testing.T) {
	src := random[float32](rand.New(rand.NewPCG(5, 5)), 700, 600)
	dst := dense.New[float64](600, 700).View().T() // column-major
	team := startedTeam(3)
	if err := CopyView(team, dst, src.View()); err != nil {
		t.Fatal(err)
	}
	for i := range src.Rows {
		for j := range src.Cols {
			if dst.At(i, j) != float64(src.At(i, j)) {
				t.Fatalf("element (%d,%d) was not copied", i, j)
			}
		}
	}
	if err := CheckFinite(team, dst, "a"); err != nil {
		t.Errorf("finite matrix: %v", err)
	}
	for _, p := range [][2]int{{0, 0}, {699, 599}, {437, 1}} {
		dst.Set(p[0], p[1], math.Inf(1))
		var e *dense.ArgumentError
		if err := CheckFinite(team, dst, "metric"); !errors.As(err, &e) || e.Arg != "metric" {
			t.Errorf("infinity at %v: %v", p, err)
		}
		dst.Set(p[0], p[1], 0)
	}
}
