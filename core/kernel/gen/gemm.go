//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// General registers of the GEMM kernels.
var (
	regA        = reg.RAX // column p of A
	regB        = reg.RBX // row p of B; row i of C in the update
	regK        = reg.RCX // rows of B that are left
	regColA     = reg.RDX
	regRowB     = reg.RSI
	regC        = reg.RDI // C of the tile
	regRowA     = reg.R8
	regRowA3    = reg.R9
	regRowA5    = reg.R10
	regRowA7    = reg.R11
	regRowC     = reg.R12
	regArgs     = reg.R13
	regNextCol  = reg.R14
	regPrefetch = reg.R15 // what is prefetched; AVX2: the lanes of the last vector
)

// gemm holds what is being generated: one function with a variant for each number of rows and vectors of a tile.
type gemm struct {
	*build.Context
	element
	vectorBytes         int
	maxVectors, maxRows int
	registers           []reg.VecPhysical
}

// variant is the code for tiles of the given rows and vectors. Registers 0 to rows*vectors-1 are the sums, row by row,
// then come a row of B and broadcasts of elements of A.
type variant struct {
	gemm
	rows, vectors int
}

func (v variant) label(name string) string { return fmt.Sprintf("%s_%dx%d", name, v.vectors, v.rows) }

func (v variant) sum(i, j int) reg.VecPhysical { return v.registers[i*v.vectors+j] }

func (v variant) rowB(j int) reg.VecPhysical { return v.registers[v.rows*v.vectors+j] }

// spare returns the registers that are left for broadcasts.
func (v variant) spare() []reg.VecPhysical { return v.registers[v.rows*v.vectors+v.vectors:] }

func (g gemm) at(base reg.Register, vector int) operand.Mem {
	return operand.Mem{Base: base, Disp: g.vectorBytes * vector}
}

// elementA is element i of the column of A that regA points to: i row strides further.
func elementA(i int) operand.Mem {
	return stridesA.after(regA, i)
}

var stridesA = multiples{regRowA, regRowA3, regRowA5, regRowA7}

// multiples are registers that hold a stride, three, five and seven times the stride.
type multiples [4]reg.Register

// after is the memory i strides after base, for i < 8.
func (m multiples) after(base reg.Register, i int) operand.Mem {
	if i == 0 {
		return operand.Mem{Base: base}
	}
	power := 1
	for i%2 == 0 {
		i, power = i/2, 2*power
	}
	return operand.Mem{Base: base, Index: m[i/2], Scale: uint8(power)}
}

// multiply sets the others to multiples of the first.
func (m multiples) multiply(ctx *build.Context) {
	ctx.LEAQ(operand.Mem{Base: m[0], Index: m[0], Scale: 2}, m[1])
	ctx.LEAQ(operand.Mem{Base: m[0], Index: m[0], Scale: 4}, m[2])
	ctx.LEAQ(operand.Mem{Base: m[1], Index: m[0], Scale: 4}, m[3])
}

// function opens a GEMM kernel: it loads the registers that all variants share and jumps to the right one.
func (g gemm) function(name string) {
	g.Function(name)
	g.Attributes(attr.NOSPLIT)
	g.Pragma("noescape")
	g.SignatureExpr("func(args *byte)")
	g.Load(g.Param("args"), regArgs)
	g.MOVQ(field(regArgs, "a"), regA)
	g.MOVQ(field(regArgs, "b"), regB)
	g.MOVQ(field(regArgs, "c"), regC)
	g.MOVQ(field(regArgs, "rowA"), regRowA)
	g.MOVQ(field(regArgs, "colA"), regColA)
	g.MOVQ(field(regArgs, "rowB"), regRowB)
	g.MOVQ(field(regArgs, "rowC"), regRowC)
	stridesA.multiply(g.Context)
	for vectors := g.maxVectors; vectors >= 1; vectors-- {
		next := fmt.Sprintf("vectors_%d", vectors-1)
		if vectors > 1 {
			g.CMPQ(field(regArgs, "vectors"), operand.Imm(uint64(vectors)))
			g.JNE(operand.LabelRef(next))
		}
		for rows := g.maxRows; rows > 1; rows-- {
			v := variant{g, rows, vectors}
			g.CMPQ(field(regArgs, "rows"), operand.Imm(uint64(rows)))
			g.JEQ(operand.LabelRef(v.label("first")))
		}
		g.JMP(operand.LabelRef(variant{g, 1, vectors}.label("first")))
		if vectors > 1 {
			g.Label(next)
		}
	}
}

// nextTile moves on to the next tile, of the next strip behind the last of one, if there is one, and else leaves.
func (v variant) nextTile() {
	v.DECQ(field(regArgs, "count"))
	v.JZ(operand.LabelRef(v.label("strip")))
	v.ADDQ(field(regArgs, "stepC"), regC)
	v.MOVQ(field(regArgs, "offsetB"), regB)
	v.ADDQ(field(regArgs, "stepB"), regB)
	v.MOVQ(regB, field(regArgs, "offsetB"))
	v.ADDQ(field(regArgs, "b"), regB)
	v.MOVQ(field(regArgs, "a"), regA)
	v.ADDQ(field(regArgs, "offsetA"), regA)
	v.JMP(operand.LabelRef(v.label("tile")))

	v.Label(v.label("strip"))
	v.DECQ(field(regArgs, "strips"))
	v.JZ(operand.LabelRef("done"))
	v.MOVQ(field(regArgs, "tiles"), regK)
	v.MOVQ(regK, field(regArgs, "count"))
	v.MOVQ(field(regArgs, "offsetA"), regA)
	v.ADDQ(field(regArgs, "stepA"), regA)
	v.MOVQ(regA, field(regArgs, "offsetA"))
	v.ADDQ(field(regArgs, "a"), regA)
	v.MOVQ(field(regArgs, "offsetStrip"), regC)
	v.ADDQ(field(regArgs, "stripNext"), regC)
	v.MOVQ(regC, field(regArgs, "offsetStrip"))
	v.MOVQ(regC, field(regArgs, "offsetNext"))
	v.MOVQ(field(regArgs, "offsetC"), regC)
	v.ADDQ(field(regArgs, "stripC"), regC)
	v.MOVQ(regC, field(regArgs, "offsetC"))
	v.ADDQ(field(regArgs, "c"), regC)
	v.MOVQ(operand.U32(0), field(regArgs, "offsetB"))
	v.MOVQ(field(regArgs, "b"), regB)
	v.JMP(operand.LabelRef(v.label("tile")))
}

// close ends the function.
func (g gemm) close() {
	g.Label("done")
	g.VZEROUPPER()
	g.RET()
}

// prefetchC asks for the lines of C that the update will need, unless they are near.
func (v variant) prefetchC() {
	const lineBytes = 64
	v.CMPQ(field(regArgs, "near"), operand.Imm(0))
	v.JNE(operand.LabelRef(v.label("near")))
	v.MOVQ(regC, regK)
	for i := range v.rows {
		for offset := 0; offset < v.vectors*v.vectorBytes; offset += lineBytes {
			v.PREFETCHT0(operand.Mem{Base: regK, Disp: offset})
		}
		if i+1 < v.rows {
			v.ADDQ(regRowC, regK)
		}
	}
	v.Label(v.label("near"))
}
