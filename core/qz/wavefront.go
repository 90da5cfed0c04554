package qz

import (
	"trnsci/core/dense"
)

// Sweeps of rotations of a single vector. A rotation has to wait for the one before, but those of the next sweep can
// follow two elements behind: real sweeps go through the vector wavefront at a time.
const wavefront = 4

// rotateElements applies the sweeps to the elements of x, the first sweep first. Each has one rotation less than x has
// elements.
func rotateElements[T dense.Wide](sweeps []sweep[T], x []T) {
	if real, ok := any(sweeps).([]sweep[float64]); ok {
		x := any(x).([]float64)
		for ; len(real) >= wavefront && len(x) > wavefront; real = real[wavefront:] {
			rotateByFour([wavefront]sweep[float64](real), x)
		}
		for _, s := range real {
			rotateBackward(s, x, 0, len(s))
		}
		return
	}
	for _, s := range any(sweeps).([]sweep[complex128]) {
		rotateComplexBackward(s, any(x).([]complex128))
	}
}

// rotateByFour applies four sweeps to x. While sweep 0 is at rotation i, sweep t is at i + t.
func rotateByFour(s [wavefront]sweep[float64], x []float64) {
	last := len(x) - 1
	for t := range s {
		rotateBackward(s[t], x, last-(wavefront-1)+t, last)
	}
	count := last - (wavefront - 1)
	s0, s1, s2, s3 := s[0][:count], s[1][1:][:count], s[2][2:][:count], s[3][3:][:count]
	low, high := x[:count], x[wavefront:][:count]
	x1, x2, x3, x4 := x[count], x[count+1], x[count+2], x[count+3]
	for i := count - 1; i >= 0; i-- {
		g0, g1, g2, g3 := &s0[i], &s1[i], &s2[i], &s3[i]
		x0 := low[i]
		x0, x1 = g0.C*x0+g0.S*x1, g0.C*x1-g0.S*x0
		x1, x2 = g1.C*x1+g1.S*x2, g1.C*x2-g1.S*x1
		x2, x3 = g2.C*x2+g2.S*x3, g2.C*x3-g2.S*x2
		x3, high[i] = g3.C*x3+g3.S*x4, g3.C*x4-g3.S*x3
		x1, x2, x3, x4 = x0, x1, x2, x3
	}
	x[0], x[1], x[2], x[3] = x1, x2, x3, x4
	for t := range s {
		rotateBackward(s[t], x, 0, t)
	}
}

// rotateBackward applies the rotations first to end-1 of a sweep.
func rotateBackward(s sweep[float64], x []float64, first, end int) {
	for i := end - 1; i >= first; i-- {
		c, s := s[i].C, s[i].S
		x[i], x[i+1] = c*x[i]+s*x[i+1], c*x[i+1]-s*x[i]
	}
}

// rotateComplexBackward applies a sweep.
func rotateComplexBackward(s sweep[complex128], x []complex128) {
	p := x[len(s)]
	for i := len(s) - 1; i >= 0; i-- {
		c, re, im := real(s[i].C), real(s[i].S), imag(s[i].S)
		a, b, d, e := real(x[i]), imag(x[i]), real(p), imag(p)
		p = complex(c*a+(re*d-im*e), c*b+(re*e+im*d))
		x[i+1] = complex(c*d-(re*a+im*b), c*e-(re*b-im*a))
	}
	x[0] = p
}

// combineColumns replaces z by the vector that a matrix has to be multiplied by for the product of z with the matrix
// after the sweeps have rotated its columns.
func combineColumns[T dense.Wide](sweeps []sweep[T], z []T) {
	if real, ok := any(sweeps).([]sweep[float64]); ok {
		z := any(z).([]float64)
		for ; len(real) >= wavefront && len(z) > wavefront; real = real[:len(real)-wavefront] {
			combineByFour([wavefront]sweep[float64](real[len(real)-wavefront:]), z)
		}
		for t := len(real) - 1; t >= 0; t-- {
			combineForward(real[t], z, 0, len(real[t]))
		}
		return
	}
	for t := len(sweeps) - 1; t >= 0; t-- {
		combineComplexForward(any(sweeps[t]).(sweep[complex128]), any(z).([]complex128))
	}
}

// combineByFour is combineColumns for four sweeps. While sweep 0 is at rotation i, sweep t is at i + t.
func combineByFour(s [wavefront]sweep[float64], z []float64) {
	for t := wavefront - 1; t >= 0; t-- {
		combineForward(s[t], z, 0, t)
	}
	count := len(z) - wavefront
	s0, s1, s2, s3 := s[0][:count], s[1][1:][:count], s[2][2:][:count], s[3][3:][:count]
	low, high := z[:count], z[wavefront:][:count]
	z0, z1, z2, z3 := z[0], z[1], z[2], z[3]
	for i, z4 := range high {
		g0, g1, g2, g3 := &s0[i], &s1[i], &s2[i], &s3[i]
		z3, z4 = g3.C*z3-g3.S*z4, g3.S*z3+g3.C*z4
		z2, z3 = g2.C*z2-g2.S*z3, g2.S*z2+g2.C*z3
		z1, z2 = g1.C*z1-g1.S*z2, g1.S*z1+g1.C*z2
		low[i], z1 = g0.C*z0-g0.S*z1, g0.S*z0+g0.C*z1
		z0, z1, z2, z3 = z1, z2, z3, z4
	}
	z[count], z[count+1], z[count+2], z[count+3] = z0, z1, z2, z3
	for t := wavefront - 1; t >= 0; t-- {
		combineForward(s[t], z, count+t, len(z)-1)
	}
}

// combineForward is combineColumns for the rotations first to end-1 of a sweep: p x + q y = p' a + q' b for the rotated
// columns (p', q') if x = c a - s b and y = s a + c b.
func combineForward(s sweep[float64], z []float64, first, end int) {
	for i := first; i < end; i++ {
		c, s := s[i].C, s[i].S
		z[i], z[i+1] = c*z[i]-s*z[i+1], s*z[i]+c*z[i+1]
	}
}

// combineComplexForward is combineColumns for a sweep.
func combineComplexForward(s sweep[complex128], z []complex128) {
	p := z[0]
	for i := range s {
		c, re, im := real(s[i].C), real(s[i].S), imag(s[i].S)
		a, b, d, e := real(p), imag(p), real(z[i+1]), imag(z[i+1])
		z[i] = complex(c*a-(re*d+im*e), c*b-(re*e-im*d))
		p = complex(c*d+(re*a-im*b), c*e+(re*b+im*a))
	}
	z[len(s)] = p
}
