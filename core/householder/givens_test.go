package householder

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

func TestGivens(t *testing.T) {
	t.Run("float64", testGivens[float64])
	t.Run("complex128", testGivens[complex128])
}

func testGivens[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	eps := dense.Eps[W]()
	for _, exponent := range exponentsFor[W]() {
		for _, ratio := range []int{0, 60, -60, 250, -250} {
			f, g := random[W](rng, 1)[0], random[W](rng, 1)[0]
			x := []W{times([]W{f}, exponent)[0], times([]W{g}, max(-1074, min(1018, exponent+ratio)))[0]}
			for _, order := range [2][2]int{{0, 1}, {1, 0}} {
				f, g := x[order[0]], x[order[1]]
				name := fmt.Sprintf("(%v, %v)", f, g)
				q, r := ToFirst(f, g)
				checkEliminates(t, "ToFirst"+name, q, f, g, r, 0, eps)
				q, r = ToSecond(f, g)
				checkEliminates(t, "ToSecond"+name, q, f, g, 0, r, eps)
			}
		}
	}
}

// checkEliminates checks that q is unitary to about a rounding error and takes (f, g) to (x, y).
func checkEliminates[W dense.Wide](t *testing.T, name string, q Givens[W], f, g, x, y W, eps float64) {
	t.Helper()
	allowed := 1.5 * eps // each of three parts is off by half a unit in the last place
	if q.C == 0 {
		allowed = 3 * eps // g/|g| is not corrected
	}
	if excess := exactExcess(dense.Real(q.C), dense.Real(q.S), dense.Imag(q.S)); math.Abs(excess) > allowed {
		t.Errorf("%s: c^2 + |s|^2 - 1 = %.2f eps", name, excess/eps)
	}
	_, exponent := math.Frexp(max(dense.Abs(f), dense.Abs(g)))
	in := wide([]W{f, g}, -exponent)
	want := wide([]W{x, y}, -exponent)
	c, s := wide([]W{q.C}, 0)[0], wide([]W{q.S}, 0)[0]
	spacing := math.Ldexp(5e-324, -exponent)
	if d := cmplx.Abs(c*in[0] + s*in[1] - want[0]); d > 6*eps+2*spacing {
		t.Errorf("%s: first element off by %.1f eps", name, d/eps)
	}
	if d := cmplx.Abs(c*in[1] - cmplx.Conj(s)*in[0] - want[1]); d > 6*eps+2*spacing {
		t.Errorf("%s: second element off by %.1f eps", name, d/eps)
	}
}

// exactExcess returns the sum of the squares less 1, rounded once.
func exactExcess(parts ...float64) float64 {
	sum := new(big.Float).SetPrec(400).SetInt64(-1)
	for _, x := range parts {
		y := new(big.Float).SetPrec(400).SetFloat64(x)
		sum.Add(sum, y.Mul(y, y))
	}
	excess, _ := sum.Float64()
	return excess
}

func TestNormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 1000 {
		angle := rng.Float64() * math.Pi
		stretch := 1 + (rng.Float64()-.5)*0x1p-48
		c, s := math.Cos(angle)*stretch, math.Sin(angle)*stretch
		nextC, nextS := Normalize(c, s)
		if before, after := exactExcess(c, s), exactExcess(nextC, nextS); math.Abs(after) > 1.5*0x1p-52 {
			t.Errorf("angle %v: excess %.2f eps, %.2f eps before", angle, after/0x1p-52, before/0x1p-52)
		}
	}
}

func TestIdentityOfZeros(t *testing.T) {
	if q, r := ToFirst(2.0, 0); q != Identity[float64]() || r != 2 {
		t.Errorf("%+v, %v", q, r)
	}
	if q, r := ToFirst[complex128](0, 0); q != Identity[complex128]() || r != 0 {
		t.Errorf("%+v, %v", q, r)
	}
	if q, r := ToFirst[complex128](0, complex(0, 2)); q.C != 0 || q.S != complex(0, -1) || r != 2 {
		t.Errorf("%+v, %v", q, r)
	}
}

func TestRotationsOfRowsAndColumnsAgreeWithTurn(t *testing.T) {
	t.Run("float64", testRotations[float64])
	t.Run("complex128", testRotations[complex128])
}

func testRotations[W dense.Wide](t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	q, _ := ToFirst(random[W](rng, 1)[0], random[W](rng, 1)[0])
	const n = 9
	x, y := random[W](rng, n), random[W](rng, n)
	pairs := dense.New[W](n, 4) // x and y are its columns 1 and 2
	for i := range n {
		pairs.Set(i, 1, x[i])
		pairs.Set(i, 2, y[i])
	}
	const first, end = 2, 7
	wantX, wantY := make([]W, n), make([]W, n)
	for i := range n {
		wantX[i], wantY[i] = q.Turn(x[i], y[i])
	}
	RotateColumns(q, pairs, 1, first, end)
	for i := range n {
		p, r := wantX[i], wantY[i]
		if i < first || i >= end {
			p, r = x[i], y[i]
		}
		if dense.Abs(pairs.At(i, 1)-p) > 1e-15 || dense.Abs(pairs.At(i, 2)-r) > 1e-15 ||
			pairs.At(i, 0) != 0 || pairs.At(i, 3) != 0 {
			t.Errorf("row %d: %v", i, pairs.Row(i))
		}
	}
	RotateRows(q, x, y)
	for i := range n {
		if dense.Abs(x[i]-wantX[i]) > 1e-15 || dense.Abs(y[i]-wantY[i]) > 1e-15 {
			t.Errorf("element %d: %v and %v, want %v and %v", i, x[i], y[i], wantX[i], wantY[i])
		}
	}
}

func TestRotateReal(t *testing.T) {
	x, y := []float32{1, 2, 3}, []float32{4, 5, 6}
	RotateReal(Givens[float64]{C: .6, S: .8}, x, y)
	for i := range x {
		p, q := float64(i+1), float64(i+4)
		if math.Abs(float64(x[i])-(.6*p+.8*q)) > 1e-6 || math.Abs(float64(y[i])-(.6*q-.8*p)) > 1e-6 {
			t.Errorf("element %d: %v, %v", i, x[i], y[i])
		}
	}
}
