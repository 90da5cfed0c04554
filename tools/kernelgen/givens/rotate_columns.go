package givens

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var columnsBlock = x86.NewBlock("columnsArgs", "is the block of arguments of the kernels that rotate columns.",
	[]x86.Field{
		{"a", "unsafe.Pointer", "last element of the first row"},
		{"rotations", "unsafe.Pointer", "last rotation"},
		{"stride", "int", "bytes from a row to the next"},
		{"squares", "int", "squares beside one another"},
		{"rest", "int", "rotations left of the squares"},
		{"count", "int", "rotateColumns: groups of rows; used up by the kernel"},
		{"offsets", "[3]int", "rotateFewColumns: bytes from the first row to the others"},
	})

const (
	squareSide    = 4  // rows, and rotations, of a square
	squareBytes   = 32 // of a row of a square
	rotationBytes = 16
	inGroup       = 4 // squares above one another, so that none has to wait for its own last rotation
)

// General registers of the kernels that rotate columns: the first rows of squares, or the rows of one.
var (
	regsFrom = [inGroup]reg.Register{reg.RAX, reg.RDX, reg.RSI, reg.RDI}
	regAbove = reg.R15 // the first row of the group
)

// rotateColumns generates the kernels of rotations of columns, from the last to the first, for vectors of 32 bytes.
// Squares of 4 rows and 4 columns are transposed in registers, where a vector holds four elements of a column. The
// column that the last rotation of a square and the first one of the next share stays in a register; it is right of the
// square that begins where the pointers to the rows are. The rotations left of all squares take a column at a time.
func (s set) rotateColumns() {
	s.beginColumns("rotateColumns", "rotates columns of groups of rows, see RotateColumns.")
	s.MOVQ(columnsBlock.Arg("a"), regAbove)
	s.MOVQ(columnsBlock.Arg("stride"), x86.StridesA[0])
	x86.StridesA.Multiply(s.Context)
	s.Label("group")
	s.MOVQ(regAbove, regsFrom[0])
	for i := 1; i < inGroup; i++ {
		s.LEAQ(operand.Mem{Base: regsFrom[i-1], Index: x86.StridesA[0], Scale: squareSide}, regsFrom[i])
	}
	rows := func(i int) func(k int) operand.Mem {
		return func(k int) operand.Mem { return x86.StridesA.After(regsFrom[i], k) }
	}
	s.columnsOfSquares("group", inGroup, rows)
	s.LEAQ(operand.Mem{Base: regAbove, Index: x86.StridesA[0], Scale: 2 * squareSide}, regAbove)
	s.LEAQ(operand.Mem{Base: regAbove, Index: x86.StridesA[0], Scale: 2 * squareSide}, regAbove)
	s.DECQ(columnsBlock.Arg("count"))
	s.JNZ(operand.LabelRef("group"))
	s.Finish()

	s.beginColumns("rotateFewColumns", "rotates columns of up to four rows, see RotateColumns.")
	s.MOVQ(columnsBlock.Arg("a"), regsFrom[0])
	for i := 1; i < squareSide; i++ {
		s.MOVQ(regsFrom[0], regsFrom[i])
		s.ADDQ(columnsBlock.Arg("offsets").Offset((i-1)*x86.FieldBytes), regsFrom[i])
	}
	s.columnsOfSquares("few", 1, func(int) func(k int) operand.Mem {
		return func(k int) operand.Mem { return operand.Mem{Base: regsFrom[k]} }
	})
	s.Finish()
}

func (s set) beginColumns(base, doc string) {
	s.BeginKernel(x86.Kernel{
		Base: base, Suffix: s.Name + s.SetName(), Block: columnsBlock, Doc: doc, Params: "s kernel.Set",
		Condition: "s != kernel.Go",
	})
}

// columnsOfSquares rotates all columns of some squares above one another. rows(i)(k) is row k of square i.
func (s set) columnsOfSquares(label string, squares int, rows func(i int) func(k int) operand.Mem) {
	s.MOVQ(columnsBlock.Arg("rotations"), x86.RegFactors)
	s.back(squareBytes, (squareSide-1)*rotationBytes)
	kept := func(i int) reg.VecPhysical { return s.Registers[i] }
	for i := range squares {
		s.loadColumn(rows(i), squareBytes, kept(i))
	}
	s.loop(label+"_square", "squares", func() {
		for i := range squares {
			s.rotateSquare(rows(i), kept(i))
		}
		s.back(squareBytes, squareSide*rotationBytes)
	})
	s.loop(label+"_rest", "rest", func() {
		left := squareBytes - s.Bytes
		for i := range squares {
			column, finished := s.Registers[inGroup+1], s.Registers[inGroup+2]
			s.loadColumn(rows(i), left, column)
			s.turn(squareSide-1, column, kept(i), finished)
			s.storeColumn(finished, rows(i), squareBytes)
		}
		s.back(s.Bytes, rotationBytes)
	})
	for i := range squares {
		s.storeColumn(kept(i), rows(i), squareBytes)
	}
}

// loop executes body as many times as the field says.
func (s set) loop(label, field string, body func()) {
	s.MOVQ(columnsBlock.Arg(field), x86.RegLeft)
	s.TESTQ(x86.RegLeft, x86.RegLeft)
	s.JEQ(operand.LabelRef(label + "_done"))
	s.Label(label)
	body()
	s.DECQ(x86.RegLeft)
	s.JNZ(operand.LabelRef(label))
	s.Label(label + "_done")
}

// back moves the pointers to the rows and to the rotations to the left.
func (s set) back(bytes, rotations int) {
	for _, from := range regsFrom {
		s.SUBQ(operand.Imm(uint64(bytes)), from)
	}
	s.SUBQ(operand.Imm(uint64(rotations)), x86.RegFactors)
}

// loadColumn loads elements of four rows, at bytes behind the pointers.
func (s set) loadColumn(row func(k int) operand.Mem, at int, to reg.VecPhysical) {
	high := s.Registers[inGroup].AsX()
	for half, to := range []reg.Register{to.AsX(), high} {
		s.VMOVSD(row(2*half).Offset(at), to)
		s.VMOVHPD(row(2*half+1).Offset(at), to, to)
	}
	s.VINSERTF128(operand.Imm(1), high, to, to)
}

// storeColumn is the inverse of loadColumn.
func (s set) storeColumn(from reg.VecPhysical, row func(k int) operand.Mem, at int) {
	high := s.Registers[inGroup].AsX()
	s.VEXTRACTF128(operand.Imm(1), from, high)
	for half, from := range []reg.Register{from.AsX(), high} {
		s.VMOVSD(from, row(2*half).Offset(at))
		s.VMOVHPD(from, row(2*half+1).Offset(at))
	}
}

// turn applies rotation k of those from the pointer on to a column and the kept one.
func (s set) turn(k int, column, kept, finished reg.VecPhysical) {
	last := s.Registers[len(s.Registers)-2:]
	cosine, sine := last[0], last[1]
	factor := operand.Mem{Base: x86.RegFactors, Disp: k * rotationBytes}
	s.Broadcast(factor, cosine)
	s.Broadcast(factor.Offset(s.Bytes), sine)
	s.Multiply(cosine, kept, finished)
	s.MultiplySubtract(sine, column, finished)
	s.Multiply(cosine, column, column)
	s.ScaleAdd(column, sine, kept)
}

// rotateSquare rotates the columns of a square and the kept one, which is right of it.
func (s set) rotateSquare(row func(k int) operand.Mem, kept reg.VecPhysical) {
	const half = squareSide / 2
	free := s.Registers[inGroup:]
	pieces, columns := free[:squareSide], free[squareSide:2*squareSide]
	for k := range half { // a register takes half a row and that of the row half a side further down
		for side := range 2 {
			piece := pieces[half*side+k]
			s.Move(row(k).Offset(side*squareBytes/2), piece.AsX())
			s.VINSERTF128(operand.Imm(1), row(k+half).Offset(side*squareBytes/2), piece, piece)
		}
	}
	s.exchangePairs(pieces, columns)
	finished := pieces
	for k := squareSide - 1; k >= 0; k-- {
		s.turn(k, columns[k], kept, finished[k])
	}
	s.exchangePairs(finished, columns)
	for k := range half { // the columns that are finished are those one further to the right
		for side := range 2 {
			piece, at := columns[half*side+k], side*squareBytes/2+s.Bytes
			s.Move(piece.AsX(), row(k).Offset(at))
			s.VEXTRACTF128(operand.Imm(1), piece, row(k+half).Offset(at))
		}
	}
}

// exchangePairs transposes the squares of two elements in each 16 bytes of two pairs of registers.
func (s set) exchangePairs(from, to []reg.VecPhysical) {
	for k := 0; k < squareSide; k += 2 {
		s.UnpackLow(from[k+1], from[k], to[k])
		s.UnpackHigh(from[k+1], from[k], to[k+1])
	}
}
