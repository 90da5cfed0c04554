package sylvester

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
)

// kronecker returns the matrix of the map X -> T11 X - X T22, and T12 as a vector, with X and T12 by rows.
func kronecker(t dense.Matrix[complex128], count int) (m dense.Matrix[complex128], right []complex128) {
	n := t.Rows - count
	m = dense.New[complex128](count*n, count*n)
	for i := range count {
		for j := range n {
			row := i*n + j
			right = append(right, t.At(i, count+j))
			for k := range count {
				m.Set(row, k*n+j, m.At(row, k*n+j)+t.At(i, k))
			}
			for k := range n {
				m.Set(row, i*n+k, m.At(row, i*n+k)-t.At(count+k, count+j))
			}
		}
	}
	return m, right
}

// inverted returns the inverse of m by Gauss-Jordan elimination with partial pivoting.
func inverted(m dense.Matrix[complex128]) dense.Matrix[complex128] {
	n := m.Rows
	a, inverse := m.Clone(), dense.New[complex128](n, n)
	inverse.SetIdentity()
	for k := range n {
		pivot := k
		for i := k; i < n; i++ {
			if dense.Abs(a.At(i, k)) > dense.Abs(a.At(pivot, k)) {
				pivot = i
			}
		}
		for _, x := range []dense.Matrix[complex128]{a, inverse} {
			for j := range n {
				x.Data[k*n+j], x.Data[pivot*n+j] = x.Data[pivot*n+j], x.Data[k*n+j]
			}
		}
		d := a.At(k, k)
		for j := range n {
			a.Data[k*n+j] /= d
			inverse.Data[k*n+j] /= d
		}
		for i := range n {
			if f := a.At(i, k); i != k {
				for j := range n {
					a.Data[i*n+j] -= f * a.Data[k*n+j]
					inverse.Data[i*n+j] -= f * inverse.Data[k*n+j]
				}
			}
		}
	}
	return inverse
}

func testClusterCondition[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	worst := 1.0
	for trial := range 60 {
		form := triangle[T](rng, 7, 0)
		count := 1 + trial%6
		if form.At(count, count-1) != 0 {
			count++
		}
		shift := 0
		if trial%3 == 1 {
			shift = 30
			scale(form, shift)
		}
		if count == 7 {
			continue
		}
		s, sep, err := ClusterCondition(form.View(), count, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, right := kronecker(wide(form), count)
		inverse, sum := inverted(m), 0.0
		for i := range right {
			x := complex128(0)
			for j, r := range right {
				x += inverse.At(i, j) * r
			}
			sum += dense.Abs(x) * dense.Abs(x)
		}
		// The errors of s and sep grow with the condition number of the Sylvester equation.
		tolerance := 1e3 * dense.Eps[T]() * oneNorm(m) * oneNorm(inverse)
		if want := 1 / math.Sqrt(1+sum); !(math.Abs(s-want) <= tolerance*want) {
			t.Errorf("count %d: s = %v, want %v", count, s, want)
		}
		want := 1 / oneNorm(inverse)
		worst = max(worst, sep/want)
		if !(sep >= want*(1-tolerance) && sep <= 3*want) {
			t.Errorf("count %d: sep = %v, the exact value is %v", count, sep, want)
		}
	}
	t.Logf("sep is up to %.3f times the exact value", worst)
}

func TestClusterCondition(t *testing.T) {
	t.Run("float64", testClusterCondition[float64])
	t.Run("float32", testClusterCondition[float32])
	t.Run("complex128", testClusterCondition[complex128])
}

func TestClusterConditionWithoutOneSide(t *testing.T) {
	form := dense.FromRows([]float64{1, -4}, []float64{0, 2})
	for _, count := range []int{0, 2} {
		if s, sep, err := ClusterCondition(form.View(), count, Options{}); s != 1 || sep != 6 || err != nil {
			t.Errorf("count %d: %v, %v, %v", count, s, sep, err)
		}
	}
	// For a diagonal matrix the spectral projection has norm 1, and sep is the distance of 1 and 3 from 7.
	diagonal := dense.FromRows([]float64{1, 0, 0}, []float64{0, 3, 0}, []float64{0, 0, 7})
	if s, sep, err := ClusterCondition(diagonal.View(), 2, Options{}); s != 1 || sep != 4 || err != nil {
		t.Errorf("diagonal: %v, %v, %v", s, sep, err)
	}
	// T11 and T22 have an eigenvalue in common.
	jordan := dense.FromRows([]float64{1, 1}, []float64{0, 1})
	if s, sep, err := ClusterCondition(jordan.View(), 1, Options{}); !(s < 1e-15) || !(sep < 1e-15) || err != nil {
		t.Errorf("Jordan block: %v, %v, %v", s, sep, err)
	}
}

func TestClusterConditionChecksItsArguments(t *testing.T) {
	pair := dense.FromRows([]float64{0, 1}, []float64{-1, 0})
	full := numtest.Random[float64](rand.New(rand.NewPCG(1, 2)), 3, 3)
	notFinite := dense.FromRows([]float64{math.NaN()})
	for i, c := range []struct {
		arg   string
		t     dense.View[float64]
		count int
	}{
		{"t", numtest.Random[float64](rand.New(rand.NewPCG(1, 1)), 2, 3).View(), 1},
		{"t", notFinite.View(), 1},
		{"sdim", pair.View(), 1}, {"sdim", pair.View(), -1}, {"sdim", pair.View(), 3},
		{"t", full.View(), 1}, {"t", full.View(), 3},
	} {
		var argument *dense.ArgumentError
		if _, _, err := ClusterCondition(c.t, c.count, Options{}); !errors.As(err, &argument) || argument.Arg != c.arg {
			t.Errorf("case %d: got %v", i, err)
		}
	}
}
