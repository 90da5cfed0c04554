package schur

import (
	"math"

	"trnsci/core/dense"
)

// divideReal is the division for a real T.
func divideReal[W dense.Float](s *substitution[W], c columns[W], i, size int) {
	for k := max(0, i+size-c.first); k < c.x.Cols; k++ {
		count := 1
		if s.isPair(c.first + k) {
			count = 2
		}
		switch {
		case size == 2:
			s.divideByBlock(c, i, k, count)
		case count == 2:
			s.dividePair(c, i, k)
		default:
			value, row := real(s.values[c.first+k]), c.x.Row(i)
			divisor := float64(s.t.At(i, i)) - value
			if math.Abs(divisor) < c.least[k] {
				divisor = c.least[k]
			}
			if size, most := math.Abs(float64(row[k])), s.limit*math.Abs(divisor); size > most {
				c.shrink(k, 1, most/size/s.limit)
			}
			row[k] = W(float64(row[k]) / divisor)
		}
		k += count - 1
	}
}

// divideComplex is the division for a complex T.
func divideComplex[W dense.Complex](s *substitution[W], c columns[W], i, _ int) {
	row := c.x.Row(i)
	for k := max(0, i+1-c.first); k < len(row); k++ {
		divisor := atLeast(complex128(s.t.At(i, i))-s.values[c.first+k], c.least[k])
		if size, most := oneNorm(complex128(row[k])), s.limit*oneNorm(divisor); size > most {
			c.shrink(k, 1, most/size/s.limit)
		}
		row[k] = W(complex128(row[k]) / divisor)
	}
}

// atLeast returns x, or least if x is smaller.
func atLeast(x complex128, least float64) complex128 {
	if oneNorm(x) < least {
		return complex(least, 0)
	}
	return x
}

// dividePair divides the real and imaginary part in columns k and k+1 of row i.
func (s *substitution[W]) dividePair(c columns[W], i, k int) {
	row := c.x.Row(i)[k : k+2]
	divisor := atLeast(complex(dense.Real(s.t.At(i, i)), 0)-s.values[c.first+k], c.least[k])
	right := complex(dense.Real(row[0]), dense.Real(row[1]))
	if size, most := oneNorm(right), s.limit*oneNorm(divisor); size > most {
		factor := most / size / s.limit
		c.shrink(k, 2, factor)
		right *= complex(factor, 0)
	}
	x := right / divisor
	row[0], row[1] = dense.FromReal[W](real(x)), dense.FromReal[W](imag(x))
}

// divideByBlock solves the equations of the 2 x 2 diagonal block in rows i and i+1 for column k or, with count = 2, for the real and
// imaginary part in columns k and k+1: by elimination with complete pivoting.
func (s *substitution[W]) divideByBlock(c columns[W], i, k, count int) {
	value := s.values[c.first+k]
	var m [2][2]complex128
	var right [2]complex128
	for p := range 2 {
		for q := range 2 {
			m[p][q] = complex(dense.Real(s.t.At(i+p, i+q)), 0)
		}
		m[p][p] -= value
		right[p] = complex(dense.Real(c.x.At(i+p, k)), 0)
		if count == 2 {
			right[p] += complex(0, dense.Real(c.x.At(i+p, k+1)))
		}
	}
	x, factor := s.solve2(m, right, c.least[k])
	if factor != 1 {
		c.shrink(k, count, factor)
	}
	for p := range 2 {
		c.x.Set(i+p, k, dense.FromReal[W](real(x[p])))
		if count == 2 {
			c.x.Set(i+p, k+1, dense.FromReal[W](imag(x[p])))
		}
	}
}

// solve2 solves m x = factor right, with pivots that are replaced if they are smaller than least and a factor that keeps x below the limit.
func (s *substitution[W]) solve2(m [2][2]complex128, right [2]complex128, least float64) (x [2]complex128, factor float64) {
	p, q, largest := 0, 0, -1.0
	for i := range 2 {
		for j := range 2 {
			if size := oneNorm(m[i][j]); size > largest {
				p, q, largest = i, j, size
			}
		}
	}
	pivot := atLeast(m[p][q], least)
	multiplier := m[1-p][q] / pivot
	second := atLeast(m[1-p][1-q]-multiplier*m[p][1-q], least)
	right[1-p] -= multiplier * right[p]
	factor = 1
	for _, c := range [2]struct{ size, divisor float64 }{{oneNorm(right[1-p]), oneNorm(second)}, {oneNorm(right[p]), oneNorm(pivot)}} {
		// Half of the limit, as x[q] has another term of the size of x[1-q].
		if most := s.limit / 2 * c.divisor; c.size > most {
			factor = min(factor, most/c.size/s.limit)
		}
	}
	x[1-q] = complex(factor, 0) * right[1-p] / second
	x[q] = (complex(factor, 0)*right[p] - m[p][1-q]*x[1-q]) / pivot
	return x, factor
}
