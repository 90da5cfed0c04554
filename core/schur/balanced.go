package schur

import (
	"math"
	"slices"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// balanceScaled balances t, of which it takes a multiple by a power of two, 2^shift. It returns nil if there is nothing to permute or to scale, which
// is found out by reading t once.
func balanceScaled[W dense.Scalar](team *sched.Team, t dense.Matrix[W]) (b *Balancing, shift int, err error) {
	whole := balancer[W]{Balancing: &Balancing{Hi: t.Rows}, a: t}
	if !whole.canIsolate() && evenlyScaled(t) {
		return nil, 0, nil
	}
	shift = scalingShift(t)
	scale(t, shift)
	b, err = balance(t, BalanceOptions{Team: team, Permute: true, Scale: true})
	return b, shift, err
}

// evenlyScaled reports whether no row and column of the same number are to be scaled.
func evenlyScaled[W dense.Scalar](t dense.Matrix[W]) bool {
	n := t.Rows
	sums := make([]float64, 2*n)
	rows, columns := sums[:n], sums[n:]
	if dense.IsSingle[W]() {
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

// addSquares adds the squares of the moduli of t's elements to the sums of their rows and columns. R is W's real type.
func addSquares[R dense.Float, W dense.Scalar](t dense.Matrix[W], rows, columns []float64) {
	isComplex := unsafe.Sizeof(*new(W)) > unsafe.Sizeof(*new(R))
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

// restorer takes eigenvectors of a balanced matrix back to those of the original one: x to P D x, or P D^-1 x for left ones.
type restorer struct {
	order     []int
	permuted  bool
	exponents []int     // of the scales; nil if these are all 1
	factors   []float64 // multiples of the scales, at most 1; nil if they are of too different sizes
	spare     []float64
}

// newRestorer returns the restorer of right or of left eigenvectors; nil if b is.
func newRestorer(b *Balancing, left bool) *restorer {
	if b == nil {
		return nil
	}
	// Vectors have large elements of about 1 at least, so that the squares of what is left of them do not underflow.
	const mostDifferent = 128
	n := len(b.Order)
	r := &restorer{order: b.Order, spare: make([]float64, n)}
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
	if most-least <= mostDifferent {
		r.factors = make([]float64, n)
		for i, exponent := range exponents {
			r.factors[i] = math.Ldexp(1, exponent-most)
		}
	}
	return r
}

// restore replaces the vector re + i im by a multiple, by a power of two, of the vector that belongs to the original matrix. im may be nil.
func (r *restorer) restore(re, im []float64) {
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

// scale is what restore does with scales of any sizes: the largest element becomes one of about 1.
func (r *restorer) scale(parts [2][]float64) {
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
