//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the kernels of complex vectors in two planes point to besides regGroup, which points to the real parts.
var (
	regImaginary = reg.RSI
	regPairs     = reg.RDI
)

// maxSquares generates the kernel that finds the largest square of a modulus.
func maxSquares(s vectorSet, label string) {
	sums, x, y := s.registers[:singleUnroll], s.registers[singleUnroll], s.registers[singleUnroll+1]
	for _, sum := range sums {
		s.zero(sum)
	}
	s.MOVQ(vectorField("x0"), regImaginary)
	s.sweep(label, singleUnroll, func(u int, rest bool) {
		s.load(operand.Mem{Base: regGroup, Disp: u * s.vectorBytes}, rest, x)
		s.load(operand.Mem{Base: regImaginary, Disp: u * s.vectorBytes}, rest, y)
		s.multiply(s.Context, x, x, x)
		s.multiplyAdd(s.Context, y, y, x)
		s.maximum(s.Context, sums[u], x, sums[u])
	}, func(vectors int) {
		s.ADDQ(operand.U32(vectors*s.vectorBytes), regGroup)
		s.ADDQ(operand.U32(vectors*s.vectorBytes), regImaginary)
	})
	s.halve(s.maximum, sums, singleUnroll)
	s.fold(s.maximum, sums[0], sums[0], sums[0], x)
	s.storeScalar(s.Context, sums[0].AsX(), operand.Mem{Base: regSums})
	s.JMP(operand.LabelRef("done"))
}

// interleave generates the kernel that makes pairs of planes, for whole vectors.
func interleave(s vectorSet, label string) {
	v := s.registers
	x, y, re, im, t, c, sine := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
	s.MOVQ(vectorField("x0"), regImaginary)
	s.MOVQ(vectorField("y0"), regPairs)
	s.broadcast(s.Context, operand.Mem{Base: regAlpha}, c)
	s.broadcast(s.Context, operand.Mem{Base: regAlpha, Disp: s.bytes}, sine)
	s.sweep(label, 1, func(_ int, rest bool) {
		s.load(operand.Mem{Base: regGroup}, rest, x)
		s.load(operand.Mem{Base: regImaginary}, rest, y)
		s.multiply(s.Context, x, c, re)
		s.multiplySubtract(s.Context, y, sine, re)
		s.multiply(s.Context, x, sine, im)
		s.multiplyAdd(s.Context, y, c, im)
		low, high := x, y
		s.unpackLow(s.Context, im, re, low)
		s.unpackHigh(s.Context, im, re, high)
		for i := range 2 {
			s.pairsOf(low, high, i, t)
			s.move(s.Context, t, operand.Mem{Base: regPairs, Disp: i * s.vectorBytes})
		}
	}, func(vectors int) {
		s.ADDQ(operand.U32(vectors*s.vectorBytes), regGroup)
		s.ADDQ(operand.U32(vectors*s.vectorBytes), regImaginary)
		s.ADDQ(operand.U32(2*vectors*s.vectorBytes), regPairs)
	})
	s.JMP(operand.LabelRef("done"))
}

// pairsOf sets t to half i of the pairs whose 16 bytes are in low and in high by turns.
func (s vectorSet) pairsOf(low, high reg.VecPhysical, i int, t reg.VecPhysical) {
	if !s.wide {
		halves := []uint64{0x20, 0x31} // the lower halves of both, the upper halves
		s.VPERM2F128(operand.Imm(halves[i]), high, low, t)
		return
	}
	const alternate = 0b11_01_10_00
	halves := []uint64{0b01_00_01_00, 0b11_10_11_10}
	s.VSHUFF64X2(operand.Imm(halves[i]), high, low, t)
	s.VSHUFF64X2(operand.Imm(alternate), t, t, t)
}
