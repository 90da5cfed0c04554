// Package batch generates the kernels of core/kernel/batch.
//
// A vector register holds one number of all matrices of a batch, one in each lane. In memory these numbers are
// neighbours, and the next number follows a place (64 or 16 bytes) further:
//
//	memory     number 0 of lanes 0 ... 7 | number 1 of lanes 0 ... 7 | ...
//	AVX-512    one register                one register
//	AVX2       lanes 0-3, lanes 4-7 in a second call
//	pairs      memory of two lanes, registers of 128 bits
//
// Control flow is common to all lanes; where they differ, truth values choose between old and new numbers.
package batch

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var batchBlock = x86.NewBlock("batchArgs", "is the block of arguments of the kernels.", []x86.Field{
	{"a", "unsafe.Pointer", "the matrices, later their reflections"},
	{"vectors", "unsafe.Pointer", "rows that are rotated"},
	{"d", "unsafe.Pointer", "diagonals"},
	{"e", "unsafe.Pointer", "couplings"},
	{"tau", "unsafe.Pointer", "factors of the reflections"},
	{"phases", "unsafe.Pointer", "phases of the rows of complex matrices"},
	{"work", "unsafe.Pointer", "scratch memory"},
	{"constants", "unsafe.Pointer", "constants"},
	{"state", "unsafe.Pointer", "an iterationState"},
	{"order", "int", "rows of a matrix"},
	{"rowA", "int", "bytes from a row of a to the next"},
	{"rowVectors", "int", "bytes from a row of vectors to the next"},
	{"cols", "int", "columns of vectors"},
	{"sweepsLeft", "int", "sweeps before the iteration is given up; used up by the kernel"},
})

// laneConstant are vectors of equal numbers, in the order of constants.
const (
	laneOne = iota
	laneHalf
	laneTiny
	laneRelative
	lanePatience
	laneModulus
	laneSign
	laneSlack
	laneSlackSquare
)

// laneVariable are vectors that iterationState keeps for the iteration.
const (
	laneFirst = iota
	laneLast
	laneCount
	laneFloor
	laneShift
	laneLateFloor
	laneTurns // the sign of the coupling of the first row
	laneCosine
	laneSine
)

// The cosine and sine of the next row are laneNext variables behind laneCosine and laneSine.
const laneNext = 2

// Bytes from a constant or variable to the next.
const laneBytes = 64

// place returns the bytes from a number of a lane to the next, and its logarithm to the base 2. The kernels of AVX2
// take half of eight lanes at a time, those for pairs work on two lanes alone.
func (k laneSet) place() (bytes int, shift operand.Constant) {
	if k.VectorBytes == pairBytes {
		return pairBytes, operand.Imm(4)
	}
	return 64, operand.Imm(6)
}

// placeBytes is the first result of place.
func (k laneSet) placeBytes() int {
	bytes, _ := k.place()
	return bytes
}

// scale turns a number of places into bytes.
func (k laneSet) scale(r reg.Register) {
	_, shift := k.place()
	k.SHLQ(shift, r)
}

// General registers of the kernels for interleaved matrices.
var (
	regD             = reg.RAX
	regE             = reg.RBX
	regIndex         = reg.RCX // the row that a loop is at
	regOffset        = reg.RDX // bytes from row 0 to the element of d and e of that row
	regLaneConstants = reg.RSI
	regState         = reg.RDI
	regTop           = reg.R8 // no lane has work in front of this row
	regBottom        = reg.R9 // the last row of a sweep, -1 if none has work
	regUpper         = reg.R10
	regLower         = reg.R11
	regCount         = reg.R12
	regTurned        = reg.R14 // 0 unless the rotation that is left to do turns something
	regFlag          = reg.R15
)

// laneSet generates the kernels that work on interleaved matrices. A truth value of each lane is a mask register of
// AVX-512, or a vector register with all bits of a lane set or none.
type laneSet struct{ x86.Set }

func field(name string) operand.Mem { return batchBlock.Arg(name) }

func (k laneSet) constant(i int) operand.Mem {
	return operand.Mem{Base: regLaneConstants, Disp: laneBytes * i}
}

func (k laneSet) variable(i int) operand.Mem { return operand.Mem{Base: regState, Disp: laneBytes * i} }

// truth returns register i for truth values: of the mask registers, or of the last vector registers.
func (k laneSet) truth(i int) reg.Register {
	if k.Wide {
		return []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[i]
	}
	return k.Registers[len(k.Registers)-1-i]
}

// compare sets dst to x op y; x is a register.
func (k laneSet) compare(op uint64, x, y, dst operand.Op) { k.VCMPPD(operand.Imm(op), y, x, dst) }

// compareWithin sets dst to x op y in the lanes of within, which is another register, and to false elsewhere.
func (k laneSet) compareWithin(op uint64, x, y, within, dst operand.Op) {
	if k.Wide {
		k.VCMPPD(operand.Imm(op), y, x, within, dst)
		return
	}
	k.compare(op, x, y, dst)
	k.VANDPD(within, dst, dst)
}

// without sets dst to x and not y.
func (k laneSet) without(x, y, dst operand.Op) {
	if k.Wide {
		k.KANDNW(x, y, dst)
	} else {
		k.VANDNPD(x, y, dst)
	}
}

// choose sets dst to yes in the lanes of truth and to no elsewhere; no is a register.
func (k laneSet) choose(truth, yes, no, dst operand.Op) {
	if k.Wide {
		k.VBLENDMPD(yes, no, truth, dst)
	} else {
		k.VBLENDVPD(truth, yes, no, dst)
	}
}

// any sets the flag of zero unless truth holds in some lane.
func (k laneSet) any(truth operand.Op) {
	if k.Wide {
		k.KMOVW(truth, regFlag.As32())
	} else {
		k.VMOVMSKPD(truth, regFlag.As32())
	}
	k.TESTL(regFlag.As32(), regFlag.As32())
}

// and computes z = x and y, bit by bit.
func (k laneSet) and(x, y, z operand.Op) {
	if k.Wide {
		k.VPANDQ(x, y, z)
	} else {
		k.VANDPD(x, y, z)
	}
}

// or computes z = x or y, bit by bit.
func (k laneSet) or(x, y, z operand.Op) {
	if k.Wide {
		k.VPORQ(x, y, z)
	} else {
		k.VORPD(x, y, z)
	}
}

// number sets every lane of x to the integer in r.
func (k laneSet) number(r reg.Register, x reg.VecPhysical) {
	k.VXORPS(x.AsX(), x.AsX(), x.AsX())
	k.VCVTSI2SDQ(r, x.AsX(), x.AsX())
	if k.VectorBytes == pairBytes {
		k.VUNPCKLPD(x, x, x)
	} else {
		k.VBROADCASTSD(x.AsX(), x)
	}
}

// Bytes of a vector of two lanes, the shortest, whose square roots and divisions are the quickest.
const pairBytes = 16

func (k laneSet) label(name string) operand.LabelRef { return operand.LabelRef(name) }

// begin begins a kernel for a width and a number of parts, or for any number if it is 0.
func (k laneSet) begin(base string, parts int, doc string) {
	width := k.VectorBytes / k.Bytes
	suffix := map[int]string{0: "", 1: "Real", 2: "Complex"}[parts] + fmt.Sprint(width) + k.SetName()
	condition := fmt.Sprintf("width == %d", width)
	if parts > 0 {
		condition += fmt.Sprintf(" && parts == %d", parts)
	}
	k.BeginKernel(x86.Kernel{
		Base: base, Suffix: suffix, Block: batchBlock, Doc: doc, Params: "s kernel.Set, width, parts int",
		Condition: condition,
	})
}

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, s := range []x86.Set{p.AVX512(x86.Float64), p.AVX2(x86.Float64), p.AVX2Half(x86.Float64)} {
		k := laneSet{s}
		k.diagonalize()
		for _, parts := range []int{1, 2} {
			k.reduce(parts)
			k.formQ(parts)
			k.fixPhases(parts)
		}
	}
}
