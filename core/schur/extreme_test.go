package schur

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/quasi"
)

// scaledBy returns 2^shift a.
func scaledBy(a dense.Matrix[float64], shift int) dense.Matrix[float64] {
	s := a.Clone()
	for i, x := range s.Data {
		s.Data[i] = math.Ldexp(x, shift)
	}
	return s
}

// subnormalUnits returns the backward error, in the units of numtest, that comes from rounding every element of the
// form of a to a multiple of the smallest subnormal number.
func subnormalUnits(a dense.Matrix[float64]) float64 {
	norm := numtest.FrobeniusNorm(a)
	if norm == 0 {
		return 0
	}
	const divisor = 8 // the smallest m of the residual
	return float64(a.Rows) * (math.SmallestNonzeroFloat64 / norm) / (divisor * dense.EpsDouble)
}

func TestPowersOfTwoScaleTheResult(t *testing.T) {
	j := &judge{T: t}
	for name, f := range map[string]solver{"Schur": Decompose[float64], "Hessenberg": hessenbergForm[float64]} {
		a := numtest.Random[float64](rand.New(rand.NewPCG(1, 3)), 30, 30)
		form, factor := j.solve(name, f, a)
		for _, shift := range []int{-900, -60, 1, 300, 390} {
			scaledForm, sameFactor := j.solve(name, f, scaledBy(a, shift))
			for i, x := range form.Data {
				if scaledForm.Data[i] != math.Ldexp(x, shift) || sameFactor.Data[i] != factor.Data[i] {
					t.Fatalf("%s: scaling by 2^%d changes more than the size", name, shift)
				}
			}
		}
	}
}

func TestNormsFromSubnormalToNearOverflow(t *testing.T) {
	j := &judge{T: t}
	for _, f := range numtest.GeneralFamilies() {
		for _, size := range []float64{5e-324, 1e-320, 1e-310, 1e-300, 1e-150, 1e150, 1e300, 1e306} {
			const n = 20
			a := f.Make(rand.New(rand.NewPCG(5, 7)), n)
			largest := 0.0
			for _, x := range a.Data {
				largest = max(largest, math.Abs(x))
			}
			for i := range a.Data {
				if a.Data[i] != 0 {
					a.Data[i] = a.Data[i] / largest * size
				}
			}
			j.check(fmt.Sprintf("%s of size %g", f.Name, size), a, subnormalUnits(a))
		}
	}
}

func TestLargestNumbers(t *testing.T) {
	const huge = math.MaxFloat64
	j := &judge{T: t}
	a := dense.FromRows([]float64{huge, 0, 0}, []float64{0, 0, -huge}, []float64{0, huge, 0})
	form, _ := j.solve("rotation", Decompose[float64], a)
	d := distance([]complex128{huge, complex(0, huge), complex(0, -huge)}, quasi.Eigenvalues(form.View()))
	if !(d <= 2*dense.EpsDouble*huge) {
		t.Errorf("the largest numbers come back as %v", quasi.Eigenvalues(form.View()))
	}
	// The eigenvalue of this one is twice the largest number; its Hessenberg form is itself.
	ones := dense.FromRows([]float64{huge, huge}, []float64{huge, huge})
	var e *dense.ArgumentError
	err := Decompose(ones.View(), poisoned(2).View(), poisoned(2).View(), Options{})
	if !errors.As(err, &e) || e.Arg != "a" {
		t.Errorf("overflow of T: got %v", err)
	}
	if h, _ := j.solve("ones", hessenbergForm[float64], ones); h.At(1, 0) != huge {
		t.Errorf("a Hessenberg matrix of huge elements was changed: %v", h)
	}
}

// wild returns a matrix of order n with a random share of zeros whose other elements are spread over span powers of
// two, maybe symmetric or skew-symmetric.
func wild(rng *rand.Rand, n, span int) dense.Matrix[float64] {
	const lowest, highest = -1080, 1010
	a := dense.New[float64](n, n)
	center, zeros := lowest+rng.IntN(highest-lowest), rng.Float64()
	for i := range a.Data {
		if rng.Float64() < zeros {
			continue
		}
		exponent := min(max(center+rng.IntN(span)-span/2, lowest), highest)
		a.Data[i] = math.Ldexp(rng.NormFloat64(), exponent)
	}
	sign := float64(rng.IntN(3) - 1)
	for i := range n {
		for j := 0; j < i && sign != 0; j++ {
			a.Set(i, j, sign*a.At(j, i))
		}
		if sign < 0 {
			a.Set(i, i, 0)
		}
	}
	return a
}

func TestElementsOfAllSizes(t *testing.T) {
	j := &judge{T: t}
	rng := rand.New(rand.NewPCG(8, 9))
	for trial := range 20000 {
		span := []int{1, 10, 100, 1000, 2000}[rng.IntN(5)]
		a := wild(rng, 1+rng.IntN(12), span)
		j.check(fmt.Sprintf("trial %d, n = %d, span %d", trial, a.Rows, span), a, subnormalUnits(a))
	}
}
