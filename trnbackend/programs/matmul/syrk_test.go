package matmul

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/programtest"
	"trnsci/trnbackend/programs/staging"
)

// syrk runs Syrk and returns its report.
func syrk[T dense.Float](t *testing.T, s *device.Session, p precision.Precision, uplo staging.Triangle, trans bool,
	alpha T, a []dense.Matrix[T], beta T, c []dense.Matrix[T]) trnbackend.Report {
	t.Helper()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	err = Syrk(call, p, uplo, trans, alpha, a, beta, c)
	report := call.End()
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// counts reports whether element i, j is in the triangle.
func counts(t staging.Triangle, i, j int) bool { return i == j || (j > i) == (t == staging.Upper) }

func TestSyrkIsWithinItsBound(t *testing.T) {
	t.Run("float32", testSyrk[float32])
	t.Run("float64", testSyrk[float64])
}

// testSyrk compares with exact sums, for blocks of wider matrices. Elements that must not be read are NaN.
func testSyrk[T dense.Float](t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(71, 1))
	for _, p := range product.Choices(s.Caps()) {
		for round := range 24 {
			count, n, k := 1+rng.IntN(3), 1+rng.IntN(40), rng.IntN(40)
			if round == 0 {
				k = 0
			}
			uplo, trans, beta := staging.Upper+staging.Triangle(round%2), round/2%2 == 0, T(round/4%2)*0.5
			rows, cols := transposedShape(n, k, trans)
			a, c := stack[T](rng, count, rows, cols), stack[T](rng, count, n, n+3)
			before := make([]dense.Matrix[T], count)
			for l := range c {
				c[l] = c[l].Slice(0, n, 2, n+2)
				before[l] = c[l].Clone()
				for i := range n {
					for j := range n {
						if beta == 0 || !counts(uplo, i, j) {
							c[l].Set(i, j, T(math.NaN()))
						}
					}
				}
			}
			const alpha = 1.5
			report := syrk(t, s, p, uplo, trans, alpha, a, beta, c)
			if report.Dispatches != 1 || report.Compiles+report.CacheHits != 1 || report.ErrorBound <= 0 {
				t.Fatalf("%+v", report)
			}
			for l := range c {
				for i := range n {
					for j := range n {
						got := float64(c[l].At(i, j))
						if !counts(uplo, i, j) {
							if !math.IsNaN(got) {
								t.Fatalf("%s %dx%d: C[%d,%d] is beyond the triangle and became %g", p, n, k, i, j, got)
							}
							continue
						}
						x := func(q int) float64 { return at(a[l], i, q, trans) }
						y := func(q int) float64 { return at(a[l], j, q, trans) }
						off := offExact(got, exactUpdate(alpha, k, x, y, float64(beta), float64(before[l].At(i, j))))
						if !(off <= report.ErrorBound) {
							t.Fatalf("%s %dx%d: C[%d,%d] is off by %g, the bound is %g", p, n, k, i, j, off,
								report.ErrorBound)
						}
					}
				}
			}
		}
	}
}

// Elements beyond the triangle keep their bits.
func TestSyrkLeavesTheOtherTriangle(t *testing.T) {
	const odd = 0x7ff8dead0000beef // a NaN that no operation gives
	s := programtest.OnInterp(t)
	for _, uplo := range []staging.Triangle{staging.Upper, staging.Lower} {
		c := dense.New[float64](9, 9)
		c.Fill(math.Float64frombits(odd))
		for i := range 9 {
			for j := range 9 {
				if counts(uplo, i, j) {
					c.Set(i, j, 1)
				}
			}
		}
		syrk(t, s, precision.FP64, uplo, false, 1, stack[float64](rand.New(rand.NewPCG(72, 1)), 1, 9, 4), 2,
			[]dense.Matrix[float64]{c})
		for i := range 9 {
			for j := range 9 {
				if kept := math.Float64bits(c.At(i, j)) == odd; kept == counts(uplo, i, j) {
					t.Errorf("triangle %d: element (%d, %d) is %x", uplo, i, j, math.Float64bits(c.At(i, j)))
				}
			}
		}
	}
}

// uploads is the interpreter, which records the arrays that it gets.
type uploads struct {
	*interp.Executor
	arrays [][]float64
}

func (u *uploads) Upload(shape graph.Shape, data []byte) (trnbackend.Buffer, error) {
	u.arrays = append(u.arrays, trnbackend.Decode(shape.DType, data))
	return u.Executor.Upload(shape, data)
}

// A goes to the device once, and C only where beta is not 0, with zeros beyond the triangle.
func TestSyrkSendsWhatItReads(t *testing.T) {
	u := &uploads{Executor: interp.New()}
	s := device.NewSession(u, "")
	a, nan := []dense.Matrix[float64]{dense.FromRows([]float64{5}, []float64{6})}, math.NaN()
	padded := func(elements ...float64) []float64 { // the first of each row of an 8 x 8 matrix
		all := make([]float64, 64)
		for i := range 2 {
			copy(all[8*i:], elements[2*i:2*i+2])
		}
		return all
	}
	for uplo, c := range map[staging.Triangle]dense.Matrix[float64]{
		staging.Upper: dense.FromRows([]float64{1, 2},
			[]float64{nan, 4}), staging.Lower: dense.FromRows([]float64{1, nan}, []float64{3, 4}),
	} {
		sent := map[staging.Triangle][]float64{staging.Upper: padded(1, 2, 0, 4),
			staging.Lower: padded(1, 0, 3, 4)}[uplo]
		for _, beta := range []float64{2, 0} {
			u.arrays = nil
			syrk(t, s, precision.FP64, uplo, false, 7, a, beta, []dense.Matrix[float64]{c.Clone()})
			want := [][]float64{padded(5, 0, 6, 0), {7}, {2}, sent}
			if beta == 0 {
				want = want[:2]
			}
			if !slices.EqualFunc(u.arrays, want, slices.Equal) {
				t.Errorf("triangle %d, beta %g: %v, not %v", uplo, beta, u.arrays, want)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Far from underflow, the bound is little more than the square of the longest row of op(A) times ProductError.
func TestSyrkBound(t *testing.T) {
	s := programtest.OnInterp(t)
	a := []dense.Matrix[float32]{dense.FromRows([]float32{3, 4}, []float32{0, 0})}
	for trans, square := range map[bool]float64{false: 25, true: 16} {
		report := syrk(t, s, precision.FP32, staging.Upper, trans, -1.5, a, 0,
			[]dense.Matrix[float32]{dense.New[float32](2, 2)})
		if want := 1.5 * square * precision.FP32.ProductError(staging.Bucket(2)); !(want <= report.ErrorBound &&
			report.ErrorBound <= 1.002*want) {
			t.Errorf("transposed %t: the bound is %g, not about %g", trans, report.ErrorBound, want)
		}
	}
}

// A precision with more parts is more exact; the limits are those of TestPartsAddDigits.
func TestSyrkPartsAddDigits(t *testing.T) {
	s := programtest.OnInterp(t)
	a := stack[float64](rand.New(rand.NewPCG(73, 1)), 1, 24, 24)
	for _, l := range []struct {
		p           precision.Precision
		least, most float64
	}{{precision.FP64, 0, 1e-13}, {precision.BF16, 1e-3, 1e-1}, {precision.BF16x2, 1e-6, 1e-3}, {precision.BF16x3, 1e-8,
		1e-5}, {precision.FP32, 1e-8, 1e-5}} {
		c := []dense.Matrix[float64]{dense.New[float64](24, 24)}
		syrk(t, s, l.p, staging.Lower, false, 1, a, 0, c)
		worst := 0.0
		for i := range 24 {
			for j := range i + 1 {
				want := 0.0
				for q := range 24 {
					want += a[0].At(i, q) * a[0].At(j, q)
				}
				worst = math.Max(worst, math.Abs(c[0].At(i, j)-want))
			}
		}
		if worst < l.least || worst > l.most {
			t.Errorf("%s: %g off, expected %g to %g", l.p, worst, l.least, l.most)
		}
	}
}

// A is split once, and of two products that are each other's transposes one is computed.
func TestSyrkPlan(t *testing.T) {
	for p, dots := range map[precision.Precision]int{precision.FP32: 1, precision.FP64: 1, precision.BF16: 1,
		precision.BF16x2: 2, precision.BF16x3: 4} {
		plan, err := PlanSyrk(p, 3, 30, 50, true, false)
		if err != nil {
			t.Fatal(err)
		}
		got := map[graph.Op]int{}
		for _, n := range plan.Graph.Nodes() {
			got[n.Op]++
		}
		if got[graph.Dot] != dots || got[graph.Convert] != p.Parts() || got[graph.Parameter] != 2 {
			t.Errorf("%s: %d products of %d parts, %d parameters", p, got[graph.Dot], got[graph.Convert],
				got[graph.Parameter])
		}
		if text := plan.String(); !strings.Contains(text,
			fmt.Sprintf("%d bytes in, %d out", plan.BytesIn,
				plan.BytesOut)) || !strings.Contains(text, "8 x (32 x 32 x 56)") {
			t.Errorf("%s: in words %q", p, text)
		}
		// Eight matrices of 56 x 32, which the bucket of 3, 50 and 30 has, and a factor.
		size := int64(product.DType(p).Bytes())
		if in, out := size*(8*56*32+1), size*8*32*32; plan.BytesIn != in || plan.BytesOut != out {
			t.Errorf("%s: %d bytes in and %d out, not %d and %d: %s", p, plan.BytesIn, plan.BytesOut, in, out, plan)
		}
	}
}

func TestSyrkTrianglesShareGraphs(t *testing.T) {
	s := programtest.OnInterp(t)
	a := stack[float32](rand.New(rand.NewPCG(74, 1)), 1, 12, 5)
	for i, uplo := range []staging.Triangle{staging.Upper, staging.Lower} {
		report := syrk(t, s, precision.FP32, uplo, false, 1, a, 0, []dense.Matrix[float32]{dense.New[float32](12, 12)})
		if report.Compiles != 1-i || report.CacheHits != i {
			t.Errorf("triangle %d: %+v", uplo, report)
		}
	}
}

func TestSyrkOfNothing(t *testing.T) {
	s := programtest.OnInterp(t)
	for _, count := range []int{0, 2} {
		a, c := make([]dense.Matrix[float32], count), make([]dense.Matrix[float32], count)
		for i := range a {
			a[i], c[i] = dense.New[float32](0, 5), dense.New[float32](0, 0)
		}
		if report := syrk(t, s, precision.FP32, staging.Lower, false, 1, a, 1, c); report.Dispatches != 0 ||
			report.BytesIn != 0 {
			t.Errorf("%d matrices of order 0: %+v", count, report)
		}
	}
}

func TestSyrkRefuses(t *testing.T) {
	s := programtest.OnInterp(t)
	of := func(shapes ...[2]int) (list []dense.Matrix[float32]) {
		for _, d := range shapes {
			list = append(list, dense.New[float32](d[0], d[1]))
		}
		return list
	}
	for _, c := range []struct {
		arg  string
		uplo staging.Triangle
		a, c []dense.Matrix[float32]
	}{
		{"uplo", staging.Whole, of([2]int{2, 3}), of([2]int{2, 2})},
		{"uplo", staging.Lower + 1, of([2]int{2, 3}), of([2]int{2, 2})},
		{"a", staging.Upper, of([2]int{2, 3}), of([2]int{2, 2}, [2]int{2, 2})},
		{"a", staging.Upper, of([2]int{2, 3}, [2]int{2, 4}), of([2]int{2, 2}, [2]int{2, 2})},
		{"a", staging.Upper, of([2]int{2, 3}, [2]int{3, 3}), of([2]int{2, 2}, [2]int{3, 3})},
		{"c", staging.Upper, of([2]int{2, 3}), of([2]int{3, 3})},
		{"c", staging.Upper, of([2]int{2, 3}), of([2]int{2, 3})},
	} {
		call, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		err = Syrk(call, precision.FP32, c.uplo, false, 1, c.a, 0, c.c)
		report := call.End()
		var bad *dense.ArgumentError
		if !errors.As(err, &bad) || bad.Arg != c.arg || report.BytesIn != 0 {
			t.Errorf("%s: %v, %+v", c.arg, err, report)
		}
	}
}
