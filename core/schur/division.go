package schur

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// solveRowsReal is the rowSolver for a real T.
func solveRowsReal[W dense.Float](s *substitution[W], c *columns[W], i, size, bottom int) {
	subtractBelow(s, c, i, size, bottom)
	if vectors := c.above(i + size); size == 2 {
		divideByBlock(s, c, i, vectors)
	} else {
		divideByElement(s, c, i, vectors)
	}
}

// subtractBelow subtracts the products of T's elements right of the block and the rows of X below it.
func subtractBelow[W dense.Float](s *substitution[W], c *columns[W], i, size, bottom int) {
	below := i + size
	if below == bottom {
		return
	}
	rows := vector.Rows[W]{Count: bottom - below, Cols: c.x.Cols, Stride: c.x.Stride, A: c.x.Data[below*c.x.Stride:]}
	first := s.t.Row(i)[below:bottom]
	multiples := c.spare[:size*len(first)]
	if size == 1 {
		for j, x := range first {
			multiples[j] = -x
		}
		vector.Axpys(kernel.Best(), &rows, multiples, c.x.Row(i))
		return
	}
	second := s.t.Row(i + 1)[below:bottom]
	for j, x := range first {
		multiples[2*j], multiples[2*j+1] = -x, -second[j]
	}
	vector.AxpysPair(kernel.Best(), &rows, multiples, c.x.Row(i), c.x.Row(i+1))
}

// divideByElement overwrites the right sides in row i of X by the solutions, for a diagonal block of order 1.
func divideByElement[W dense.Float](s *substitution[W], c *columns[W], i int, vectors []unknown) {
	row, d := c.x.Row(i), float64(s.t.At(i, i))
	for k := range vectors {
		v := &vectors[k]
		if v.isPair {
			part := row[v.column : v.column+2]
			x := s.quotient(c, v, complex(float64(part[0]), float64(part[1])), d-v.re, -v.im)
			part[0], part[1] = W(real(x)), W(imag(x))
			continue
		}
		divisor := d - v.re
		if math.Abs(divisor) < v.smallest {
			divisor = v.smallest
		}
		if size, most := math.Abs(float64(row[v.column])), s.limit*math.Abs(divisor); size > most {
			c.shrink(v, most/size/s.limit)
		}
		row[v.column] = W(float64(row[v.column]) / divisor)
	}
}

// quotient returns x divided by re + i im, which is replaced if it is too small. If that would exceed the limit, the vector is scaled down
// and the quotient with it.
func (s *substitution[W]) quotient(c *columns[W], v *unknown, x complex128, re, im float64) complex128 {
	if math.Abs(re)+math.Abs(im) < v.smallest {
		re, im = v.smallest, 0
	}
	if size, most := oneNorm(x), s.limit*(math.Abs(re)+math.Abs(im)); size > most {
		factor := most / size / s.limit
		c.shrink(v, factor)
		x *= complex(factor, 0)
	}
	inverse := 1 / (re*re + im*im)
	return x * complex(re*inverse, -im*inverse)
}

// divideByBlock is divideByElement for the diagonal block [a b; c a] in rows i and i+1. With e = a - d for an eigenvalue d, the inverse of the block is
//
//	[e -b; -c e] / (e + iw) / (e - iw),  w^2 = -bc
//
// which is not good enough for blocks that are nearly singular beside their size: these take an elimination. So do vectors that grow too much.
func divideByBlock[W dense.Float](s *substitution[W], t *columns[W], i int, vectors []unknown) {
	// What rounding errors may grow by.
	const growth = 32
	m, w := block2At(s.t, i), imag(s.values[i])
	a, b, c := m.a, m.b, m.c
	beside := max(math.Abs(b), math.Abs(c))
	for k := range vectors {
		v := &vectors[k]
		right := blockOf(t, i, v)
		re, im1, im2 := a-v.re, -v.im-w, -v.im+w
		size1, size2 := math.Abs(re)+math.Abs(im1), math.Abs(re)+math.Abs(im2)
		size := max(beside, math.Abs(re)+math.Abs(v.im))
		if !(size1*size2*growth >= size*size && min(size1, size2) >= v.smallest) {
			eliminateBlock(s, t, i, v)
			continue
		}
		inverse1, inverse2 := 1/(re*re+im1*im1), 1/(re*re+im2*im2)
		inverse := complex(re*inverse1, -im1*inverse1) * complex(re*inverse2, -im2*inverse2)
		e := complex(re, -v.im) * inverse
		x0 := e*right[0] - complex(b*real(inverse), b*imag(inverse))*right[1]
		x1 := e*right[1] - complex(c*real(inverse), c*imag(inverse))*right[0]
		if !(max(oneNorm(x0), oneNorm(x1)) <= s.limit) {
			eliminateBlock(s, t, i, v)
			continue
		}
		setBlock(t, i, v, x0, x1)
	}
}

// blockOf returns the elements of a vector in rows i and i+1.
func blockOf[W dense.Float](c *columns[W], i int, v *unknown) [2]complex128 {
	x, y := c.x.Row(i)[v.column:], c.x.Row(i + 1)[v.column:]
	if !v.isPair {
		return [2]complex128{complex(float64(x[0]), 0), complex(float64(y[0]), 0)}
	}
	return [2]complex128{complex(float64(x[0]), float64(x[1])), complex(float64(y[0]), float64(y[1]))}
}

func setBlock[W dense.Float](c *columns[W], i int, v *unknown, x0, x1 complex128) {
	x, y := c.x.Row(i)[v.column:], c.x.Row(i + 1)[v.column:]
	x[0], y[0] = W(real(x0)), W(real(x1))
	if v.isPair {
		x[1], y[1] = W(imag(x0)), W(imag(x1))
	}
}

// eliminateBlock is divideByBlock for one vector by elimination with complete pivoting.
func eliminateBlock[W dense.Float](s *substitution[W], c *columns[W], i int, v *unknown) {
	m, d := block2At(s.t, i), complex(v.re, v.im)
	x, factor := s.solve2([2][2]complex128{{complex(m.a, 0) - d, complex(m.b, 0)}, {complex(m.c, 0), complex(m.d, 0) - d}}, blockOf(c, i, v), v.smallest)
	if factor != 1 {
		c.shrink(v, factor)
	}
	setBlock(c, i, v, x[0], x[1])
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

// atLeast returns x, or least if x is smaller.
func atLeast(x complex128, least float64) complex128 {
	if oneNorm(x) < least {
		return complex(least, 0)
	}
	return x
}

// solveRowsComplex is the rowSolver for a complex T, of which R is the real type.
func solveRowsComplex[R dense.Float, W dense.Complex](s *substitution[W], c *columns[W], i, _, bottom int) {
	row := c.x.Row(i)
	if below := s.t.Row(i)[i+1 : bottom]; len(below) > 0 {
		multiples, crossed := c.spare[:len(below)], c.spare[len(below):][:len(row)]
		for j, x := range below {
			multiples[j] = -x
		}
		clear(crossed)
		rows := vector.Rows[R]{Count: len(below), Cols: 2 * len(row), Stride: 2 * c.x.Stride, A: dense.Reals[R](c.x.Data[(i+1)*c.x.Stride:])}
		sums, turned := dense.Reals[R](row), dense.Reals[R](crossed)
		vector.AxpysPair(kernel.Best(), &rows, dense.Reals[R](multiples), sums, turned)
		for j := 0; j+1 < len(turned); j += 2 { // i times the sums with the imaginary parts
			sums[j], sums[j+1] = sums[j]-turned[j+1], sums[j+1]+turned[j]
		}
	}
	d := complex128(s.t.At(i, i))
	vectors := c.above(i + 1)
	for k := range vectors {
		v := &vectors[k]
		row[v.column] = W(s.quotient(c, v, complex128(row[v.column]), real(d)-v.re, imag(d)-v.im))
	}
}
