package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// Pointers of the kernels of complex vectors in two planes; RegGroup points to the real parts.
var (
	regImaginary = reg.RSI
	regPairs     = reg.RDI
)

// maxSquares generates the kernel that finds the largest square of a modulus.
func maxSquares(s set, label string) {
	sums, x, y := s.Registers[:singleUnroll], s.Registers[singleUnroll], s.Registers[singleUnroll+1]
	for _, sum := range sums {
		s.Zero(sum)
	}
	s.MOVQ(vectorField("x0"), regImaginary)
	s.sweep(label, singleUnroll, func(u int, rest bool) {
		s.LoadVector(operand.Mem{Base: x86.RegGroup, Disp: u * s.VectorBytes}, rest, x)
		s.LoadVector(operand.Mem{Base: regImaginary, Disp: u * s.VectorBytes}, rest, y)
		s.Multiply(x, x, x)
		s.MultiplyAdd(y, y, x)
		s.Maximum(sums[u], x, sums[u])
	}, func(vectors int) {
		s.ADDQ(operand.U32(vectors*s.VectorBytes), x86.RegGroup)
		s.ADDQ(operand.U32(vectors*s.VectorBytes), regImaginary)
	})
	s.halve(s.Maximum, sums, singleUnroll)
	s.Fold(s.Maximum, sums[0], sums[0], sums[0], x)
	s.MoveScalar(sums[0].AsX(), operand.Mem{Base: regSums})
	s.JMP(operand.LabelRef("done"))
}

// interleave generates the kernel that makes pairs of planes, for whole vectors.
func interleave(s set, label string) {
	v := s.Registers
	x, y, re, im, t, c, sine := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
	s.MOVQ(vectorField("x0"), regImaginary)
	s.MOVQ(vectorField("y0"), regPairs)
	s.Broadcast(operand.Mem{Base: regAlpha}, c)
	s.Broadcast(operand.Mem{Base: regAlpha, Disp: s.Bytes}, sine)
	s.sweep(label, 1, func(_ int, rest bool) {
		s.LoadVector(operand.Mem{Base: x86.RegGroup}, rest, x)
		s.LoadVector(operand.Mem{Base: regImaginary}, rest, y)
		s.Multiply(x, c, re)
		s.MultiplySubtract(y, sine, re)
		s.Multiply(x, sine, im)
		s.MultiplyAdd(y, c, im)
		low, high := x, y
		s.UnpackLow(im, re, low)
		s.UnpackHigh(im, re, high)
		for i := range 2 {
			s.pairsOf(low, high, i, t)
			s.Move(t, operand.Mem{Base: regPairs, Disp: i * s.VectorBytes})
		}
	}, func(vectors int) {
		s.ADDQ(operand.U32(vectors*s.VectorBytes), x86.RegGroup)
		s.ADDQ(operand.U32(vectors*s.VectorBytes), regImaginary)
		s.ADDQ(operand.U32(2*vectors*s.VectorBytes), regPairs)
	})
	s.JMP(operand.LabelRef("done"))
}

// pairsOf sets t to half i of the pairs whose 16 bytes are in low and in high by turns.
func (s set) pairsOf(low, high reg.VecPhysical, i int, t reg.VecPhysical) {
	if !s.Wide {
		halves := []uint64{0x20, 0x31} // the lower halves of both, the upper halves
		s.VPERM2F128(operand.Imm(halves[i]), high, low, t)
		return
	}
	const alternate = 0b11_01_10_00
	halves := []uint64{0b01_00_01_00, 0b11_10_11_10}
	s.VSHUFF64X2(operand.Imm(halves[i]), high, low, t)
	s.VSHUFF64X2(operand.Imm(alternate), t, t, t)
}
