package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var singleShiftBlock = x86.NewBlock("singleShiftArgs",
	"is the block of arguments of singleShift. Counts of columns are of real numbers, two for an element.", []x86.Field{
		{"a", "unsafe.Pointer", "the first element of the first reflector's diagonal block"},
		{"reflectors", "unsafe.Pointer", "the first reflector"},
		{"column", "unsafe.Pointer", "the two elements that the first reflector is made of"},
		{"signs", "unsafe.Pointer", "a vector of the sign bits of imaginary parts"},
		{"negated", "unsafe.Pointer", "a pair of elements with the sign bits of the first one"},
		{"crossed", "unsafe.Pointer", "a pair of elements with the sign bits of the inner two of its four numbers"},
		{"stride", "int", "bytes from a row to the next"},
		{"start", "int", "not 0: the first column is not stored; used up by the kernel"},
		{"steps", "int", "steps; used up by the kernel"},
		{"below", "int", "steps that have a row below the reflector's; used up by the kernel"},
		{"cols", "int", "columns right of the first reflector's, but for the next one"},
		{"above", "int", "rows above the first reflector's"},
		{"phase", "int", "columns from the last multiple of a vector to the first one that is counted"},
		{"one", "uint64", "the bits of 1 and 1/2"},
		{"half", "uint64", ""},
		{"least", "uint64", "the bits of the smallest and the largest square that are safe"},
		{"most", "uint64", ""},
	})

func singleShiftField(name string) operand.Mem { return singleShiftBlock.Arg(name) }

// singleShift generates the kernel of SingleShiftChase. Each reflector depends on the one before it through the column
// that it eliminates. The elements of that column therefore stay in registers from where they are computed, and all
// other work is done while the next reflector waits for its square roots and divisions.
//
// Step k has these complex elements in registers (128 bits hold one of complex128, 256 bits a pair of them):
//
//	column    k     k+1 k+2   k+3      k+4 ... End-1
//	row k+1   0     [  6  ]   free     free    block from both sides, column k+3 from the left, scalar; right()
//	row k+2   1     [  7  ]   free     free
//	row k+3         [ free]                    from the right only
//
//	register   contents
//	0, 1       column k; reflectBlock replaces it by column k+1
//	2-5        free: two rows of right(), the pair of above(), scratch
//	6, 7       the 2x2 block by rows; reflectBlock replaces it by the block of the next step
//	8-12       planar: V, i V, T1, i T1, T0 in all elements, for products with vectors of a row (from the left)
//	13-15      ratio, outer, cross: for products with pairs of neighbouring columns (from the right)
type singleShift struct {
	set
	column [2]reg.VecPhysical // 128 bits each
	free   []reg.VecPhysical
	// The rows of the next diagonal block, pairs of elements. Its elements come from two stores. They are kept, since a
	// load that needs data of two stores waits until both have left the store buffer.
	block [2]reg.VecPhysical
	planar
	// A reflection is also the matrix [c -T1; -conj(T1) -c]; it takes pairs of elements, of two columns in a row, as
	//
	//	outer (x, y) - t1 (y, x) + cross (i y, i x)
	//
	// with i z the exchanged parts of z. ratio is -c.
	ratio, outer, cross reg.VecPhysical
}

func newSingleShift(s set) *singleShift {
	r := s.Registers
	b := &singleShift{
		set: s, column: [2]reg.VecPhysical{x86.Low(r[0]), x86.Low(r[1])}, free: r[2:6],
		planar: planar{r[8], r[9], r[10], r[11], r[12]},
		ratio:  r[13], outer: r[14], cross: r[15],
	}
	b.block = [2]reg.VecPhysical{b.pair(r[6]), b.pair(r[7])}
	return b
}

// pair returns the part of a register that two elements fill.
func (b *singleShift) pair(r reg.VecPhysical) reg.VecPhysical {
	if b.Double {
		return r.AsY().(reg.VecPhysical)
	}
	return x86.Low(r)
}

// exchangePair sets y to the pair x with its elements exchanged, or with its four numbers in the opposite order.
func (b *singleShift) exchangePair(reversed bool, x, y operand.Op) {
	order := operand.Imm(0b01_00_11_10)
	if reversed {
		order = operand.Imm(0b00_01_10_11)
	}
	if b.Double {
		b.VPERMPD(order, x, y)
	} else {
		b.VPERMILPS(order, x, y)
	}
}

// loadElement and storeElement move a complex number.
func (b *singleShift) loadElement(m operand.Mem, x reg.VecPhysical) { b.MoveTwo(m, x) }

func (b *singleShift) storeElement(x reg.VecPhysical, m operand.Mem) { b.MoveTwo(x, m) }

func (b *singleShift) function() {
	b.Begin("singleShift", true, singleShiftBlock, "chases a bulge of two rows, see SingleShiftChase.")
	b.MOVQ(singleShiftField("a"), regBlock)
	b.MOVQ(singleShiftField("stride"), x86.RegRowA)
	b.MOVQ(singleShiftField("reflectors"), x86.RegFactors)
	b.MOVQ(singleShiftField("cols"), regWidth)
	b.MOVQ(singleShiftField("above"), regAbove)
	b.MOVQ(singleShiftField("phase"), regPhase)
	b.MOVQ(singleShiftField("column"), regColumn)
	b.loadElement(operand.Mem{Base: regColumn}, b.column[0])
	b.loadElement(operand.Mem{Base: regColumn, Disp: 2 * b.Bytes}, b.column[1])
	for k, r := range b.block {
		b.Move(b.at(k, 0), r)
	}
	b.Label("step")
	b.makeReflector("done")
	b.MOVQ(regBlock, x86.RegA)
	b.reflectBlock()
	b.right()
	b.above()
	b.LEAQ(operand.Mem{Base: x86.RegA, Index: x86.RegRowA, Scale: 1, Disp: 2 * b.Bytes}, regBlock)
	b.ADDQ(operand.Imm(uint64(reflectorNumbers*b.Bytes)), x86.RegFactors)
	b.SUBQ(operand.Imm(2), regWidth)
	b.INCQ(regAbove)
	b.ADDQ(operand.Imm(2), regPhase)
	b.ANDQ(operand.Imm(uint64(b.VectorBytes/b.Bytes-1)), regPhase)
	b.DECQ(singleShiftField("steps"))
	b.JNZ(operand.LabelRef("step"))
	b.Label("done")
	b.Finish()
}

// twoColumns applies the reflector from the right to a pair of elements.
func (b *singleShift) twoColumns(x, swapped, reversed reg.VecPhysical) {
	b.exchangePair(false, x, swapped)
	b.exchangePair(true, x, reversed)
	b.Multiply(x, b.pair(b.outer), x)
	b.MultiplySubtract(swapped, b.pair(b.t1), x)
	b.MultiplyAdd(reversed, b.pair(b.cross), x)
}

// at is element (row, col) of the diagonal block, which may lie outside of it.
func (b *singleShift) at(row, col int) operand.Mem {
	m := operand.Mem{Base: regBlock, Disp: 2 * col * b.Bytes}
	if row > 0 {
		m.Index, m.Scale = x86.RegRowA, uint8(row)
	}
	return m
}

// twoRows applies the reflector from the left, as -(r x + conj(T1) y) and r y - T1 x with r = -c, to the elements of
// two registers. It leaves the first result in the last one.
func (b *singleShift) twoRows(part func(reg.VecPhysical) reg.VecPhysical, x, y, turned, negative reg.VecPhysical) {
	ratio, t1, t1i := part(b.ratio), part(b.t1), part(b.t1i)
	b.Exchange(x, turned)
	b.Exchange(y, negative)
	b.Multiply(negative, t1i, negative)
	b.MultiplyAdd(y, t1, negative)
	b.MultiplyAdd(x, ratio, negative)
	b.Multiply(y, ratio, y)
	b.MultiplySubtract(x, t1, y)
	b.MultiplyAdd(turned, t1i, y)
	b.VXORPS(turned, turned, turned)
	b.Subtract(negative, turned, negative)
}

// behind sets z to the second element of the pair x and, behind it, the element y.
func (b *singleShift) behind(x, y, z reg.VecPhysical) {
	if b.Double {
		const secondAndFirst = 0x21
		b.VPERM2F128(operand.Imm(secondAndFirst), b.pair(y), x, z)
	} else {
		b.VSHUFPD(operand.Imm(1), y, x, z)
	}
}

// reflectBlock applies the reflector from both sides to the elements in its own rows and columns, from the right to
// those of the row below, and from the left to the column behind. It leaves the next column and the next block in
// registers.
func (b *singleShift) reflectBlock() {
	f := make([]reg.VecPhysical, len(b.free))
	for i, r := range b.free {
		f[i] = b.pair(r)
	}
	second, first := b.block[1], f[2]
	b.twoRows(b.pair, b.block[0], second, f[0], first)
	b.twoColumns(second, f[0], f[1])
	b.VMOVAPS(x86.Low(second), b.column[0])
	b.Move(second, b.at(1, 0))
	row := f[3]
	b.DECQ(singleShiftField("below"))
	b.JLT(operand.LabelRef("no_row"))
	b.Move(b.at(2, 0), row)
	b.twoColumns(row, f[0], f[1])
	b.VMOVAPS(x86.Low(row), b.column[1])
	b.Move(row, b.at(2, 0))
	b.Label("no_row")
	b.twoColumns(first, f[0], f[1])
	b.Move(first, b.at(0, 0))
	b.TESTQ(regWidth, regWidth)
	b.JLT(operand.LabelRef("no_column"))
	x, y, turned, negative := x86.Low(f[0]), x86.Low(f[1]), x86.Low(b.block[0]), x86.Low(f[2])
	b.loadElement(b.at(0, 2), x)
	b.loadElement(b.at(1, 2), y)
	b.twoRows(x86.Low, x, y, turned, negative)
	b.storeElement(negative, b.at(0, 2))
	b.storeElement(y, b.at(1, 2))
	b.behind(second, y, b.block[0])
	b.CMPQ(singleShiftField("below"), operand.Imm(0))
	b.JLT(operand.LabelRef("no_column"))
	b.loadElement(b.at(2, 2), x)
	b.behind(row, x, b.block[1])
	b.Label("no_column")
}

// right applies the reflector to the columns behind the one right of its own.
func (b *singleShift) right() {
	s := rightSide{set: b.set, numbers: 2, before: 6}
	s.columns = func(single bool, _ reg.Register) {
		f, p := b.free, b.planar
		if single {
			f = nil
			for _, r := range b.free {
				f = append(f, x86.Low(r))
			}
			p = planar{x86.Low(p.v), x86.Low(p.vi), x86.Low(p.t1), x86.Low(p.t1i), x86.Low(p.t0)}
		}
		x, y := f[0], f[1]
		at := []operand.Mem{{Base: regColumn}, {Base: regColumn, Index: x86.RegRowA, Scale: 1}}
		for k, r := range f[:2] {
			if single {
				b.loadElement(at[k], r)
			} else {
				b.Move(at[k], r)
			}
		}
		b.reflectTwo(p, x, y, f[2], f[3])
		for k, r := range f[:2] {
			if single {
				b.storeElement(r, at[k])
			} else {
				b.Move(r, at[k])
			}
		}
	}
	s.generate()
}

// above applies the reflector from the right to the rows above its own.
func (b *singleShift) above() {
	x, swapped, reversed := b.pair(b.free[0]), b.pair(b.free[1]), b.pair(b.free[2])
	b.MOVQ(regAbove, regTimes)
	b.TESTQ(regTimes, regTimes)
	b.JZ(operand.LabelRef("above_done"))
	b.Label("above")
	b.SUBQ(x86.RegRowA, regBlock)
	b.loadElement(b.at(0, 0), x86.Low(x))
	if b.Double {
		b.VINSERTF128(operand.Imm(1), b.at(0, 1), x, x)
	} else {
		b.VMOVHPD(b.at(0, 1), x, x)
	}
	b.twoColumns(x, swapped, reversed)
	b.Move(x, b.at(0, 0))
	b.DECQ(regTimes)
	b.JNZ(operand.LabelRef("above"))
	b.Label("above_done")
}
