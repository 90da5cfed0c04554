package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// rightSide generates the application of a reflector from the left to the columns right of its diagonal block: regWidth
// real numbers of each row, the first of which is number before of the row that begins at regBlock. Vectors begin at
// the same columns in every step, at multiples of their length:
//
//	step k      ..xx|xxxx|xxxx|x...    first part, whole vectors, last part
//	step k+1    ...x|xxxx|xxxx|x...
//
// A vector that began one column further in every step would be loaded from two stores of the step before, and would
// wait for both.
type rightSide struct {
	set
	label           string // in front of the names of labels
	numbers, before int    // real numbers of an element, and in front of the first one
	// columns generates the work on the vector of columns, or with a mask on some of them, or on one element, at
	// regColumn.
	columns func(single bool, mask reg.Register)
}

// to returns the label of that name.
func (s rightSide) to(name string) operand.Op { return operand.LabelRef(s.label + name) }

func (s rightSide) generate() {
	s.TESTQ(regWidth, regWidth)
	s.JLE(s.to("right_done"))
	if s.Wide && s.numbers == 1 {
		s.masked()
	} else {
		s.byElements()
	}
	s.Label(s.label + "right_done")
}

// masked takes whole vectors and masks the elements of the first and of the last one that lie outside.
func (s rightSide) masked() {
	lanes := s.VectorBytes / s.Bytes
	shift := operand.Imm(uint64(log2(lanes)))
	s.MOVQ(regPhase, regTimes)
	s.NEGQ(regTimes)
	s.LEAQ(operand.Mem{Base: regBlock, Index: regTimes, Scale: uint8(s.Bytes), Disp: s.before * s.Bytes}, regColumn)
	s.MOVQ(operand.U32(1<<lanes-1), x86.RegLeft)
	s.SHLXQ(regPhase, x86.RegLeft, x86.RegLeft)
	s.KMOVW(x86.RegLeft.As32(), firstMask)
	s.LEAQ(operand.Mem{Base: regWidth, Index: regPhase, Scale: 1, Disp: lanes - 1}, regTimes)
	s.SHRQ(shift, regTimes)
	s.DECQ(regTimes)
	s.JNZ(s.to("right_many"))
	s.KANDW(firstMask, endMask, firstMask)
	s.columns(false, firstMask)
	s.JMP(s.to("right_done"))
	s.Label(s.label + "right_many")
	s.columns(false, firstMask)
	s.ADDQ(operand.Imm(uint64(s.VectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JZ(s.to("right_last"))
	s.Label(s.label + "right_vector")
	s.columns(false, nil)
	s.ADDQ(operand.Imm(uint64(s.VectorBytes)), regColumn)
	s.DECQ(regTimes)
	s.JNZ(s.to("right_vector"))
	s.Label(s.label + "right_last")
	s.columns(false, endMask)
}

// byElements takes the first part and the last part element by element. Masked stores are slow with AVX2. With AVX-512
// and complex numbers these parts are short, and loads would wait for the masked stores of the step before.
func (s rightSide) byElements() {
	lanes := s.VectorBytes / s.Bytes
	elements := func() { // numbers to elements
		if s.numbers > 1 {
			s.SHRQ(operand.Imm(uint64(log2(s.numbers))), regTimes)
		}
	}
	step := func(label string, single bool) {
		bytes := s.VectorBytes
		if single {
			bytes = s.numbers * s.Bytes
		}
		s.Label(s.label + label)
		s.columns(single, nil)
		s.ADDQ(operand.Imm(uint64(bytes)), regColumn)
		s.DECQ(regTimes)
		s.JNZ(s.to(label))
	}
	s.LEAQ(operand.Mem{Base: regBlock, Disp: s.before * s.Bytes}, regColumn)
	s.MOVQ(regWidth, x86.RegLeft) // columns that are left
	s.MOVQ(operand.U32(lanes), regTimes)
	s.SUBQ(regPhase, regTimes)
	s.ANDQ(operand.Imm(uint64(lanes-1)), regTimes)
	s.CMPQ(regTimes, x86.RegLeft)
	s.CMOVQGT(x86.RegLeft, regTimes)
	s.SUBQ(regTimes, x86.RegLeft)
	elements()
	s.TESTQ(regTimes, regTimes)
	s.JZ(s.to("right_begun"))
	step("right_first", true)
	s.Label(s.label + "right_begun")
	s.MOVQ(x86.RegLeft, regTimes)
	s.SHRQ(operand.Imm(uint64(log2(lanes))), regTimes)
	s.JZ(s.to("right_rest"))
	step("right_vector", false)
	s.Label(s.label + "right_rest")
	s.MOVQ(x86.RegLeft, regTimes)
	s.ANDQ(operand.Imm(uint64(lanes-1)), regTimes)
	s.JZ(s.to("right_done"))
	elements()
	step("right_last", true)
}

func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}
