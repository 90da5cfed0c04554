// Package ldl factors symmetric and Hermitian matrices that may be indefinite, with diagonal pivoting, and solves with
// the factors.
package ldl

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Factors are those of P A P^T = U^H D U, or of U^T D U for a symmetric A: U is unit upper triangular, and D is block
// diagonal with blocks of order 1 and 2. P exchanges the rows k and Pivots[k] >= k for k = 0, 1, ... in turn.
type Factors[T dense.Scalar] struct {
	// U has the elements of U above its diagonal, on which it has those of D. What is below is not used.
	U dense.Matrix[T]
	// Above has the elements (k, k+1) of D: a block of order 2 begins exactly where one is not zero. U is zero there.
	Above     []T
	Pivots    []int
	Hermitian bool
	// Zero is the number (1-based) of the first pivot that is exactly zero, or 0 if there is none: D is singular then.
	Zero int
}

// mirrored returns the element below the diagonal for one above it.
func (f *Factors[T]) mirrored(x T) T {
	if f.Hermitian {
		return dense.Conj(x)
	}
	return x
}

// block is a diagonal block of order 2 of D, in the form in which systems are solved with it: with D = [a, b; c, d] and
// t = (a/b) (d/c) - 1, the solution of D (x, y) = (u, v) is
//
//	x = ((d/b) u - v) / (c t),  y = ((a/c) v - u) / (b t)
//
// Pivoting makes |t| larger than 1/2, and b is not zero. Source: Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., section 11.1, and LAPACK's lasyf.
type block[T dense.Scalar] struct {
	ratios, divisors, factors [2]T // factors are the reciprocals of divisors
	multiplies                bool // by the factors, which have not overflowed
}

// blockAt returns the block of D that begins in row k.
func (f *Factors[T]) blockAt(k int) (d block[T]) {
	wide := func(x T) complex128 { return complex(dense.Real(x), dense.Imag(x)) }
	a, b, c := wide(f.U.At(k, k)), wide(f.Above[k]), wide(f.mirrored(f.Above[k]))
	last := wide(f.U.At(k+1, k+1))
	t := a/b*(last/c) - 1
	narrow := func(x complex128) T { return dense.FromParts[T](real(x), imag(x)) }
	d.ratios = [2]T{narrow(last / b), narrow(a / c)}
	d.divisors = [2]T{narrow(c * t), narrow(b * t)}
	d.factors = [2]T{narrow(1 / (c * t)), narrow(1 / (b * t))}
	d.multiplies = isPrecise(d.factors[0]) && isPrecise(d.factors[1])
	return d
}

// solve sets x and y to the solution for the right-hand sides u and v, which may be the same memory.
func (d *block[T]) solve(u, v, x, y []T) {
	r0, r1 := d.ratios[0], d.ratios[1]
	v, x, y = v[:len(u)], x[:len(u)], y[:len(u)]
	if d.multiplies {
		f0, f1 := d.factors[0], d.factors[1]
		for i, p := range u {
			q := v[i]
			x[i], y[i] = f0*(r0*p-q), f1*(r1*q-p)
		}
		return
	}
	for i, p := range u {
		q := v[i]
		x[i], y[i] = (r0*p-q)/d.divisors[0], (r1*q-p)/d.divisors[1]
	}
}

// divide divides the elements of x by d.
func divide[T dense.Scalar](x []T, d T) {
	if reciprocal := 1 / d; isPrecise(reciprocal) {
		blas.Scal(reciprocal, dense.Vec(x))
		return
	}
	for i := range x {
		x[i] /= d
	}
}

// isPrecise reports whether x has neither overflowed nor lost digits to underflow.
func isPrecise[T dense.Scalar](x T) bool {
	return dense.IsFinite(x) && dense.Abs(x) >= dense.SmallestNormal[T]()
}
