package x86

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// LineBytes is the size of a cache line.
const LineBytes = 64

// Set generates code for one instruction set and one element type. The elements that are left behind the last whole
// vector are selected by RestMask with AVX-512 and by the vector register RestLanes with AVX2.
type Set struct {
	*build.Context
	Element
	VectorBytes int
	Registers   []reg.VecPhysical
	Wide        bool // AVX-512
	target      *Package
}

// With returns the set with another element type.
func (s Set) With(e Element) Set {
	s.Element = e
	return s
}

// Name returns the name of the instruction set.
func (s Set) SetName() string {
	if s.Wide {
		return "AVX512"
	}
	return "AVX2"
}

// TypeName returns the name of the element type, of real or of complex elements.
func (s Set) TypeName(isComplex bool) string {
	switch {
	case !isComplex:
		return s.Element.Name
	case s.Double:
		return "C128"
	}
	return "C64"
}

// LoopLabel begins a loop at a cache line: without, its speed depends on what code happens to lie before it.
func (s Set) LoopLabel(name string) {
	s.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []operand.Op{operand.U8(LineBytes)}})
	s.Label(name)
}

func (s Set) emit(o opcode, ops ...operand.Op) {
	if s.Double {
		o.double(s.Context, ops...)
	} else {
		o.single(s.Context, ops...)
	}
}

// Move loads, stores or copies a vector.
func (s Set) Move(ops ...operand.Op) { s.emit(move, ops...) }

// LoadMasked loads the elements that the AVX-512 mask k selects, and zeros elsewhere. Elements that are not selected
// are not read.
func (s Set) LoadMasked(m operand.Mem, k, dst operand.Op) { s.emit(loadMasked, m, k, dst) }

// MoveLanes is AVX2's masked load or store.
func (s Set) MoveLanes(src, lanes, dst operand.Op) { s.emit(moveLanes, src, lanes, dst) }

// Broadcast fills dst with an element in memory, or with the first one of a register of 128 bits.
func (s Set) Broadcast(m, dst operand.Op) { s.emit(broadcast, m, dst) }

// BroadcastPair fills dst with a pair of elements in memory.
func (s Set) BroadcastPair(m, dst operand.Op) {
	switch {
	case !s.Double:
		s.VBROADCASTSD(m, dst)
	case s.Wide:
		s.VBROADCASTF32X4(m, dst)
	default:
		s.VBROADCASTF128(m, dst)
	}
}

// Add computes z = x + y, with operands x, y, z, or x, y, k, z in the elements that the AVX-512 mask k selects.
func (s Set) Add(ops ...operand.Op) { s.emit(add, ops...) }

// Subtract computes z = y - x.
func (s Set) Subtract(ops ...operand.Op) { s.emit(subtract, ops...) }

// Multiply computes z = x y.
func (s Set) Multiply(ops ...operand.Op) { s.emit(multiply, ops...) }

// Divide computes z = y / x.
func (s Set) Divide(ops ...operand.Op) { s.emit(divide, ops...) }

// SquareRoot computes the square roots y of x.
func (s Set) SquareRoot(x, y operand.Op) { s.emit(squareRoot, x, y) }

// Maximum computes z = max(x, y); x where either is NaN.
func (s Set) Maximum(ops ...operand.Op) { s.emit(maximum, ops...) }

// MultiplyAdd computes z = z + x y, with operands x, y, z, or x, y, k, z in the elements that the AVX-512 mask k
// selects.
func (s Set) MultiplyAdd(ops ...operand.Op) { s.emit(multiplyAdd, ops...) }

// MultiplySubtract computes z = z - x y.
func (s Set) MultiplySubtract(ops ...operand.Op) { s.emit(multiplySubtract, ops...) }

// SubtractBroadcast computes z = z - x y with AVX-512, where x is one element in memory.
func (s Set) SubtractBroadcast(x operand.Mem, y, z operand.Op) { s.emit(subtractBroadcast, x, y, z) }

// ScaleAdd computes z = y z + x.
func (s Set) ScaleAdd(ops ...operand.Op) { s.emit(scaleAdd, ops...) }

// ScaleSubtract computes z = x - y z.
func (s Set) ScaleSubtract(ops ...operand.Op) { s.emit(scaleSubtract, ops...) }

// ScaleSubtractAdd computes z = y z - x in the odd elements, counted from 0, and z = y z + x in the even ones.
func (s Set) ScaleSubtractAdd(x, y, z operand.Op) { s.emit(scaleSubtractAdd, x, y, z) }

// UnpackLow interleaves the lower halves of every 128 bits of y and x, y first.
func (s Set) UnpackLow(ops ...operand.Op) { s.emit(unpackLow, ops...) }

// UnpackHigh does so for the upper halves.
func (s Set) UnpackHigh(ops ...operand.Op) { s.emit(unpackHigh, ops...) }

// Permute moves elements within every 128 bits as VPERMILPD or VPERMILPS does.
func (s Set) Permute(order, x, y operand.Op) { s.emit(permute, order, x, y) }

// Exchange exchanges the two elements of every pair.
func (s Set) Exchange(x, y operand.Op) {
	order := operand.Imm(0b10_11_00_01)
	if s.Double {
		order = operand.Imm(0b01010101)
	}
	s.Permute(order, x, y)
}

// MoveScalar loads or stores one element.
func (s Set) MoveScalar(src, dst operand.Op) { s.emit(moveScalar, src, dst) }

// MoveTwo loads or stores two elements at the low end of a register.
func (s Set) MoveTwo(src, dst operand.Op) { s.emit(moveTwo, src, dst) }

// AddScalar computes z = x + y for the first elements, as all operations named so.
func (s Set) AddScalar(x, y, z operand.Op) { s.emit(addScalar, x, y, z) }

// SubtractScalar computes z = y - x.
func (s Set) SubtractScalar(x, y, z operand.Op) { s.emit(subtractScalar, x, y, z) }

// MultiplyScalar computes z = x y.
func (s Set) MultiplyScalar(x, y, z operand.Op) { s.emit(multiplyScalar, x, y, z) }

// DivideScalar computes z = y / x.
func (s Set) DivideScalar(x, y, z operand.Op) { s.emit(divideScalar, x, y, z) }

// SquareRootScalar computes the square root y of x.
func (s Set) SquareRootScalar(x, y operand.Op) { s.emit(squareRootScalar, x, x, y) }

// CompareScalar compares y with x.
func (s Set) CompareScalar(x, y operand.Op) { s.emit(compareScalar, x, y) }

// MultiplyAddScalar computes z = z + x y.
func (s Set) MultiplyAddScalar(x, y, z operand.Op) { s.emit(multiplyAddScalar, x, y, z) }

// MultiplySubtractScalar computes z = z - x y.
func (s Set) MultiplySubtractScalar(x, y, z operand.Op) { s.emit(multiplySubtractScalar, x, y, z) }

// Zero clears a register.
func (s Set) Zero(x operand.Op) { s.ExclusiveOr(x, x) }

// ExclusiveOr flips the bits of y that are set in x.
func (s Set) ExclusiveOr(x, y operand.Op) {
	if s.Wide {
		s.VPXORQ(x, y, y)
	} else {
		s.VXORPS(x, y, y)
	}
}

// LoadVector loads a vector, or the rest of a row and zeros.
func (s Set) LoadVector(m operand.Mem, rest bool, dst operand.Op) {
	switch {
	case !rest:
		s.Move(m, dst)
	case s.Wide:
		s.LoadMasked(m, RestMask, dst)
	default:
		s.MoveLanes(m, RestLanes, dst)
	}
}

// StoreVector stores a vector, or the rest of a row.
func (s Set) StoreVector(src operand.Op, rest bool, m operand.Mem) {
	switch {
	case !rest:
		s.Move(src, m)
	case s.Wide:
		s.Move(src, RestMask, m)
	default:
		s.MoveLanes(src, RestLanes, m)
	}
}

// Vector returns m moved on by v vectors.
func (s Set) Vector(m operand.Mem, v int) operand.Mem { return m.Offset(v * s.VectorBytes) }

// Combine computes z from x and y.
type Combine func(ops ...operand.Op)

// Fold combines the elements of x into one, those of y into another, and leaves the two at the low end of dst. x and y
// may be the same; t is overwritten. dst and t are among the first 16 registers.
func (s Set) Fold(op Combine, x, y, dst, t reg.VecPhysical) {
	s.UnpackLow(y, x, t)
	s.UnpackHigh(y, x, dst)
	op(t, dst, dst)
	if s.Wide {
		s.VEXTRACTF64X4(operand.Imm(1), dst, t.AsY())
		op(t.AsY(), dst.AsY(), dst.AsY())
	}
	s.VEXTRACTF128(operand.Imm(1), dst.AsY(), t.AsX())
	op(t.AsX(), dst.AsX(), dst.AsX())
	if !s.Double {
		s.VMOVHLPS(dst.AsX(), dst.AsX(), t.AsX())
		op(t.AsX(), dst.AsX(), dst.AsX())
	}
}

// begin begins a function whose only argument is the address of a block of arguments, which goes to RegArgs.
func (s Set) begin(name, doc string) {
	s.Function(name)
	s.Attributes(attr.NOSPLIT)
	s.Pragma("noescape")
	s.SignatureExpr("func(args *byte)")
	s.Doc(name + " " + doc + " It reads and writes no element outside of the operands.")
	s.Load(s.Param("args"), RegArgs)
}

// Finish ends a function.
func (s Set) Finish() {
	s.VZEROUPPER()
	s.RET()
}
