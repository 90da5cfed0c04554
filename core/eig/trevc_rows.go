package eig

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/quasi"
)

// triangle is a (quasi-)triangular matrix T whose eigenvectors are computed.
type triangle[T dense.Scalar] struct {
	t      dense.Matrix[T]
	values []complex128 // in the order of the diagonal
	eps    float64
	limit  float64 // elements of X are at most this large, so that sums with elements of T do not overflow
	floor  float64 // divisors are at least this large, so that the factors that keep X below the limit do not underflow
}

// vectorBlock is a block of columns of X, of which the first belongs to eigenvector first.
type vectorBlock[T dense.Scalar] struct {
	first   int
	x       dense.Matrix[T]
	vectors []eigenvector
	from    []int // for each column, and for the end of the last one, the number of vectors before it
	spare   []T   // room for the multiples of the rows below a diagonal block, and a row
}

// eigenvector is an eigenvector in a block: of a complex pair only the first, with its real part in one column and its
// imaginary part in the next.
type eigenvector struct {
	column   int
	isPair   bool
	re, im   float64 // the eigenvalue
	smallest float64 // divisors are at least this large
}

// above returns the vectors that have elements above the diagonal block that begins with column k of T.
func (c *vectorBlock[T]) above(k int) []eigenvector { return c.vectors[c.from[max(0, k-c.first)]:] }

// shrink multiplies a column, or the two of a pair, by a factor.
func (c *vectorBlock[T]) shrink(v *eigenvector, factor float64) {
	count := 1
	if v.isPair {
		count = 2
	}
	for i := range c.x.Rows {
		row := c.x.Row(i)[v.column:][:count]
		for j := range row {
			row[j] = dense.FromParts[T](dense.Real(row[j])*factor, dense.Imag(row[j])*factor)
		}
	}
}

// rowSolver computes the elements of X in the rows of T's diagonal block from row i on, of the given order. The
// products with the rows below, before row bottom, have not yet been subtracted from what X holds there.
type rowSolver[T dense.Scalar] func(s *triangle[T], c *vectorBlock[T], i, order, bottom int)

// rowSolverFor returns the rowSolver for the type T.
func rowSolverFor[T dense.Scalar]() rowSolver[T] {
	for _, solver := range [...]any{
		rowSolver[float32](solveRowsReal[float32]), rowSolver[float64](solveRowsReal[float64]),
		rowSolver[complex64](solveRowsComplex[float32, complex64]),
		rowSolver[complex128](solveRowsComplex[float64, complex128]),
	} {
		if solver, ok := solver.(rowSolver[T]); ok {
			return solver
		}
	}
	panic("eig: unreachable element type")
}

// solveRowsReal is the rowSolver for real matrices.
func solveRowsReal[T dense.Float](s *triangle[T], c *vectorBlock[T], i, order, bottom int) {
	subtractBelow(s, c, i, order, bottom)
	if vectors := c.above(i + order); order == 2 {
		divideByBlock(s, c, i, vectors)
	} else {
		divideByElement(s, c, i, vectors)
	}
}

// subtractBelow subtracts the products of T's elements right of the diagonal block and the rows of X below it.
func subtractBelow[T dense.Float](s *triangle[T], c *vectorBlock[T], i, order, bottom int) {
	below := i + order
	if below == bottom {
		return
	}
	rows := vector.Rows[T]{Count: bottom - below, Cols: c.x.Cols, Stride: c.x.Stride, A: c.x.Data[below*c.x.Stride:]}
	first := s.t.Row(i)[below:bottom]
	multiples := c.spare[:order*len(first)]
	if order == 1 {
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

// divideByElement overwrites the right-hand sides in row i of X by the solutions, for a diagonal block of order 1.
func divideByElement[T dense.Float](s *triangle[T], c *vectorBlock[T], i int, vectors []eigenvector) {
	row, d := c.x.Row(i), float64(s.t.At(i, i))
	for k := range vectors {
		v := &vectors[k]
		if v.isPair {
			part := row[v.column : v.column+2]
			x := s.quotient(c, v, complex(float64(part[0]), float64(part[1])), d-v.re, -v.im)
			part[0], part[1] = T(real(x)), T(imag(x))
			continue
		}
		divisor := d - v.re
		if math.Abs(divisor) < v.smallest {
			divisor = v.smallest
		}
		if size, most := math.Abs(float64(row[v.column])), s.limit*math.Abs(divisor); size > most {
			c.shrink(v, most/size/s.limit)
		}
		row[v.column] = T(float64(row[v.column]) / divisor)
	}
}

// quotient returns x divided by re + i im; a divisor that is too small is replaced. If the quotient would exceed the
// limit, the vector is scaled down, and the quotient with it.
func (s *triangle[T]) quotient(c *vectorBlock[T], v *eigenvector, x complex128, re, im float64) complex128 {
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

// divideByBlock is divideByElement for the diagonal block [a b; c a] in rows i and i+1. With e = a - d for an
// eigenvalue d, the inverse of the block is
//
//	[e -b; -c e] / (e + iw) / (e - iw),  w^2 = -bc
//
// which is not accurate enough for blocks that are nearly singular relative to their size. These are solved by
// elimination, and so are vectors that grow too much.
func divideByBlock[T dense.Float](s *triangle[T], x *vectorBlock[T], i int, vectors []eigenvector) {
	// Bound on the growth of rounding errors.
	const growth = 32
	m, w := quasi.BlockAt(s.t, i), imag(s.values[i])
	a, b, c := m.A, m.B, m.C
	offDiagonal := max(math.Abs(b), math.Abs(c))
	for k := range vectors {
		v := &vectors[k]
		right := blockOf(x, i, v)
		re, im1, im2 := a-v.re, -v.im-w, -v.im+w
		size1, size2 := math.Abs(re)+math.Abs(im1), math.Abs(re)+math.Abs(im2)
		size := max(offDiagonal, math.Abs(re)+math.Abs(v.im))
		if !(size1*size2*growth >= size*size && min(size1, size2) >= v.smallest) {
			eliminateBlock(s, x, i, v)
			continue
		}
		inverse1, inverse2 := 1/(re*re+im1*im1), 1/(re*re+im2*im2)
		inverse := complex(re*inverse1, -im1*inverse1) * complex(re*inverse2, -im2*inverse2)
		e := complex(re, -v.im) * inverse
		x0 := e*right[0] - complex(b*real(inverse), b*imag(inverse))*right[1]
		x1 := e*right[1] - complex(c*real(inverse), c*imag(inverse))*right[0]
		if !(max(oneNorm(x0), oneNorm(x1)) <= s.limit) {
			eliminateBlock(s, x, i, v)
			continue
		}
		setBlock(x, i, v, x0, x1)
	}
}

// blockOf returns the elements of a vector in rows i and i+1.
func blockOf[T dense.Float](c *vectorBlock[T], i int, v *eigenvector) [2]complex128 {
	x, y := c.x.Row(i)[v.column:], c.x.Row(i + 1)[v.column:]
	if !v.isPair {
		return [2]complex128{complex(float64(x[0]), 0), complex(float64(y[0]), 0)}
	}
	return [2]complex128{complex(float64(x[0]), float64(x[1])), complex(float64(y[0]), float64(y[1]))}
}

func setBlock[T dense.Float](c *vectorBlock[T], i int, v *eigenvector, x0, x1 complex128) {
	x, y := c.x.Row(i)[v.column:], c.x.Row(i + 1)[v.column:]
	x[0], y[0] = T(real(x0)), T(real(x1))
	if v.isPair {
		x[1], y[1] = T(imag(x0)), T(imag(x1))
	}
}

// eliminateBlock is divideByBlock for one vector by elimination with complete pivoting.
func eliminateBlock[T dense.Float](s *triangle[T], c *vectorBlock[T], i int, v *eigenvector) {
	m, d := quasi.BlockAt(s.t, i), complex(v.re, v.im)
	shifted := [2][2]complex128{{complex(m.A, 0) - d, complex(m.B, 0)}, {complex(m.C, 0), complex(m.D, 0) - d}}
	x, factor := s.solve2(shifted, blockOf(c, i, v), v.smallest)
	if factor != 1 {
		c.shrink(v, factor)
	}
	setBlock(c, i, v, x[0], x[1])
}

// solve2 solves m x = factor right by elimination with complete pivoting. Pivots smaller than least are replaced by it,
// and the factor keeps x below the limit.
func (s *triangle[T]) solve2(m [2][2]complex128, right [2]complex128, least float64) (x [2]complex128, factor float64) {
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
	for _, c := range [2]struct{ size, divisor float64 }{
		{oneNorm(right[1-p]), oneNorm(second)}, {oneNorm(right[p]), oneNorm(pivot)},
	} {
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

// solveRowsComplex is the rowSolver for complex matrices, of which R is the real type.
func solveRowsComplex[R dense.Float, T dense.Complex](s *triangle[T], c *vectorBlock[T], i, _, bottom int) {
	row := c.x.Row(i)
	if below := s.t.Row(i)[i+1 : bottom]; len(below) > 0 {
		multiples, crossed := c.spare[:len(below)], c.spare[len(below):][:len(row)]
		for j, x := range below {
			multiples[j] = -x
		}
		clear(crossed)
		data := dense.Reals[R](c.x.Data[(i+1)*c.x.Stride:])
		rows := vector.Rows[R]{Count: len(below), Cols: 2 * len(row), Stride: 2 * c.x.Stride, A: data}
		sums, turned := dense.Reals[R](row), dense.Reals[R](crossed)
		vector.AxpysPair(kernel.Best(), &rows, dense.Reals[R](multiples), sums, turned)
		for j := 0; j+1 < len(turned); j += 2 { // add i times the sums of multiples by the imaginary parts
			sums[j], sums[j+1] = sums[j]-turned[j+1], sums[j+1]+turned[j]
		}
	}
	d := complex128(s.t.At(i, i))
	vectors := c.above(i + 1)
	for k := range vectors {
		v := &vectors[k]
		row[v.column] = T(s.quotient(c, v, complex128(row[v.column]), real(d)-v.re, imag(d)-v.im))
	}
}

// oneNorm returns |re x| + |im x|.
func oneNorm(x complex128) float64 { return math.Abs(real(x)) + math.Abs(imag(x)) }
