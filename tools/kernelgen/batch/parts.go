package batch

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partSet generates for real matrices or for complex ones, whose elements are a vector of real parts and one of
// imaginary parts.
type partSet struct {
	laneSet
	parts int
}

// elementBytes returns the bytes from an element of a row to the next.
func (k partSet) elementBytes() int { return k.placeBytes() * k.parts }

// part returns a part of the current element of the row that base points to.
func (k partSet) part(base reg.Register, part int) operand.Mem {
	return operand.Mem{Base: base, Index: regElement, Scale: 1, Disp: k.placeBytes() * part}
}

// places returns a part of the element that regPlace counts the bytes to.
func (k partSet) placed(base reg.Register, part int) operand.Mem {
	return operand.Mem{Base: base, Index: regPlace, Scale: 1, Disp: k.placeBytes() * part}
}

// elements generates a loop over the elements of a row in front of the one that end counts the bytes to; there may be
// none.
func (k partSet) elements(label string, end reg.Register, body func()) {
	k.XORQ(regElement, regElement)
	k.Label(label)
	k.CMPQ(regElement, end)
	k.JGE(k.label(label + "_end"))
	body()
	k.ADDQ(operand.Imm(uint64(k.elementBytes())), regElement)
	k.JMP(k.label(label))
	k.Label(label + "_end")
}
