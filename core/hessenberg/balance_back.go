package hessenberg

import (
	"math"
	"slices"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/sched"
)

// BalanceForVectors balances 2^exponent times t, which it overwrites, for a computation of eigenvectors; the exponent
// keeps the elements in a safe range. It returns a nil Balancing, and leaves t alone, if there is nothing to permute or
// to scale, which one pass over t shows. The error is the team's.
func BalanceForVectors[T dense.Scalar](team *sched.Team, t dense.Matrix[T]) (b *Balancing, exponent int, err error) {
	whole := balancer[T]{Balancing: &Balancing{Hi: t.Rows}, a: t}
	if !whole.canIsolate() && evenlyScaled(t) {
		return nil, 0, nil
	}
	exponent = workspace.ScalingExponent(t)
	workspace.Scale(t, exponent)
	b, err = balance(t, BalanceOptions{Team: team, Permute: true, Scale: true})
	return b, exponent, err
}

// evenlyScaled reports whether the norms of each row and its column are so close that none is to be scaled.
func evenlyScaled[T dense.Scalar](t dense.Matrix[T]) bool {
	n := t.Rows
	sums := make([]float64, 2*n)
	rows, columns := sums[:n], sums[n:]
	if dense.IsSingle[T]() {
		addSquares[float32](t, rows, columns)
	} else {
		addSquares[float64](t, rows, columns)
	}
	for i, r2 := range rows {
		if !even(r2, columns[i]) {
			return false
		}
	}
	return true
}

// addSquares adds the squares of the moduli of t's elements to the sums of their rows and columns. R is T's real type.
func addSquares[R dense.Float, T dense.Scalar](t dense.Matrix[T], rows, columns []float64) {
	isComplex := unsafe.Sizeof(*new(T)) > unsafe.Sizeof(*new(R))
	for i := range t.Rows {
		row := dense.Reals[R](t.Row(i))
		sum := 0.0
		if isComplex {
			for j := range columns {
				re, im := float64(row[2*j]), float64(row[2*j+1])
				square := re*re + im*im
				sum += square
				columns[j] += square
			}
		} else {
			for j, x := range row[:len(columns)] {
				square := float64(x) * float64(x)
				sum += square
				columns[j] += square
			}
		}
		rows[i] = sum
	}
}

// BackTransform takes eigenvectors of a balanced matrix back to those of the original one: x to P D x, or P D^-1 x for
// left ones (LAPACK's gebak). It must not be used by two goroutines at a time.
type BackTransform struct {
	order     []int
	permuted  bool
	exponents []int     // of the scales; nil if these are all 1
	factors   []float64 // multiples of the scales, at most 1; nil if their sizes differ too much
	spare     []float64
}

// NewBackTransform returns the transformation of right or of left eigenvectors; nil if b is.
func NewBackTransform(b *Balancing, left bool) *BackTransform {
	if b == nil {
		return nil
	}
	// Vectors have elements of about 1 at least, so that the squares of what scaling leaves of them do not underflow.
	const widestRange = 128
	n := len(b.Order)
	r := &BackTransform{order: b.Order, spare: make([]float64, n)}
	exponents := make([]int, n)
	for i, scale := range b.Scale {
		_, exponent := math.Frexp(scale)
		exponents[i] = exponent - 1
		if left {
			exponents[i] = 1 - exponent
		}
		r.permuted = r.permuted || b.Order[i] != i
	}
	least, most := slices.Min(exponents), slices.Max(exponents)
	if least == 0 && most == 0 {
		return r
	}
	r.exponents = exponents
	if most-least <= widestRange {
		r.factors = make([]float64, n)
		for i, exponent := range exponents {
			r.factors[i] = math.Ldexp(1, exponent-most)
		}
	}
	return r
}

// Apply replaces the vector re + i im by a multiple, by a power of two, of the vector of the original matrix. im may be
// nil.
func (r *BackTransform) Apply(re, im []float64) {
	parts := [2][]float64{re, im}
	switch {
	case r.factors != nil:
		for _, part := range parts {
			for i := range part {
				part[i] *= r.factors[i]
			}
		}
	case r.exponents != nil:
		r.scale(parts)
	}
	if !r.permuted {
		return
	}
	for _, part := range parts {
		for i, x := range part {
			r.spare[r.order[i]] = x
		}
		copy(part, r.spare[:len(part)])
	}
}

// scale multiplies a vector by scales of any sizes, so that its largest element becomes one of about 1.
func (r *BackTransform) scale(parts [2][]float64) {
	most := math.MinInt
	for _, part := range parts {
		for i, x := range part {
			if _, exponent := math.Frexp(x); x != 0 {
				most = max(most, exponent+r.exponents[i])
			}
		}
	}
	for _, part := range parts {
		for i, x := range part {
			part[i] = math.Ldexp(x, r.exponents[i]-most)
		}
	}
}
