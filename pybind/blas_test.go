package pybind

import (
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestStepOfAStack(t *testing.T) {
	data := make([]float64, 100)
	cases := []struct {
		shape, strides []int64
		step           int
		regular        bool
	}{
		{[]int64{2, 2}, []int64{2, 1}, 0, true},
		{[]int64{3, 2, 2}, []int64{4, 2, 1}, 4, true},
		{[]int64{3, 2, 2}, []int64{0, 2, 1}, 0, true},
		{[]int64{2, 3, 2, 2}, []int64{12, 4, 2, 1}, 4, true},
		{[]int64{2, 3, 2, 2}, []int64{4, 8, 2, 1}, 0, false},  // the outer dimension has the smaller stride
		{[]int64{2, 3, 2, 2}, []int64{12, 0, 2, 1}, 0, false}, // only the inner one is broadcast
		{[]int64{2, 3, 2, 2}, []int64{0, 4, 2, 1}, 0, false},
		{[]int64{2, 1, 2, 2}, []int64{4, 77, 2, 1}, 4, true},
	}
	for _, c := range cases {
		step, regular := newBatch[float64](arrayOf(t, described(data, 0, c.shape, c.strides))).step()
		if regular != c.regular || (regular && step != c.step) {
			t.Errorf("shape %v, strides %v: step %d, regular %v", c.shape, c.strides, step, regular)
		}
	}
	negative := arrayOf(t, described(data, 50, []int64{3, 2, 2}, []int64{-4, 2, 1}))
	if _, regular := newBatch[float64](negative).step(); regular {
		t.Error("a negative step is regular")
	}
}

func TestMirrorCopiesOneTriangleToTheOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	team := sched.NewTeam(t.Context(), 2, nil)
	for _, n := range []int{0, 1, mirrorSquare - 1, mirrorSquare, 3*mirrorSquare + 5} {
		for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
			for _, conjugate := range []bool{false, true} {
				a := numtest.Random[complex64](rng, n, n)
				c := a.Clone()
				if err := mirror(team, uplo, conjugate, c); err != nil {
					t.Fatal(err)
				}
				for i := range n {
					for j := range n {
						want := a.At(i, j)
						if i != j && (i > j) != (uplo == blas.Lower) {
							if want = a.At(j, i); conjugate {
								want = dense.Conj(want)
							}
						}
						if c.At(i, j) != want {
							t.Fatalf("n = %d, %c, conjugate %v: (%d,%d) is %v, want %v", n, uplo, conjugate, i, j, c.At(i, j), want)
						}
					}
				}
			}
		}
	}
}

func TestOperandsThatCannotBeReadInPlaceAreABug(t *testing.T) {
	data := make([]float64, 100)
	byColumns := described(data, 0, []int64{3, 3}, []int64{1, 3})
	good := described(data, 20, []int64{3, 3}, []int64{3, 1})
	vector := described(data, 40, []int64{3}, []int64{1})
	still := described(data, 40, []int64{3}, []int64{0})
	for name, call := range map[string]func() (int64, error){
		"row-major":    func() (int64, error) { return Gemm(0, address(blasRecord(byColumns, good, good))) },
		"stride 0":     func() (int64, error) { return Axpy(0, address(blasRecord(still, vector, absent))) },
		"vector":       func() (int64, error) { return Scal(0, address(blasRecord(good, absent, absent))) },
		"no operand b": func() (int64, error) { return Axpy(0, address(blasRecord(vector, absent, absent))) },
		"no record":    func() (int64, error) { return Axpy(0, 0) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), "internal") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
