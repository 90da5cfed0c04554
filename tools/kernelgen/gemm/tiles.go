package gemm

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var tilesBlock = x86.NewBlock("tilesArgs", "is the block of arguments of the GEMM micro-kernels.", []x86.Field{
	{"a", "unsafe.Pointer", "first element of A"},
	{"b", "unsafe.Pointer", "first element of B"},
	{"c", "unsafe.Pointer", "first element of C"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the elements that the last vector of a row has"},
	{"mask", "uint64", "AVX-512: one bit for each element that the last vector of a row has"},
	{"partial", "uint64", "0 if the last vector of a row is whole"},
	{"tiles", "int", "tiles of a strip"},
	{"count", "int", "tiles of the strip that are left"},
	{"strips", "int", "strips of a product"},
	{"left", "int", "strips of the product that are left"},
	{"products", "int", "products; used up by the kernel"},
	{"productA", "int", "bytes from A of a product to A of the next product"},
	{"productB", "int", "bytes from B of a product to B of the next product"},
	{"productC", "int", "bytes from C of a product to C of the next product"},
	{"originA", "int", "bytes from a to A of the product being computed; starts at 0, as the next two"},
	{"originB", "int", "bytes from b to B of the product being computed"},
	{"originC", "int", "bytes from c to C of the product being computed"},
	{"stepA", "int", "bytes from A of a strip to A of the next strip"},
	{"offsetA", "int", "bytes from a to A of the strip being computed; starts at 0"},
	{"stripC", "int", "bytes from C of a strip to C of the next strip"},
	{"offsetC", "int", "bytes from c to C of the strip being computed; starts at 0"},
	{"k", "int", "length of the sums"},
	{"rowA", "int", "bytes from a row of A to the next"},
	{"colA", "int", "bytes from a column of A to the next"},
	{"rowB", "int", "bytes from a row of B to the next"},
	{"stepB", "int", "bytes from B of a tile to B of the next tile"},
	{"offsetB", "int", "bytes from b to B of the tile being computed; starts at 0"},
	{"prefetch", "unsafe.Pointer", "what is prefetched; never read"},
	{"prefetchCol", "int", "bytes between two prefetches"},
	{"prefetchStep", "int", "bytes from the first prefetch of a tile to that of the next tile of its strip"},
	{"offsetPrefetch", "int", "bytes from next to the first prefetch of the tile being computed; starts at 0"},
	{"prefetchStrip", "int", "bytes from the first prefetch of a strip to that of the next strip"},
	{"offsetStrip", "int", "bytes from next to the first prefetch of the strip being computed; starts at 0"},
	{"rowC", "int", "bytes from a row of C to the next"},
	{"stepC", "int", "bytes from C of a tile to C of the next tile"},
	{"rows", "int", "rows of a tile"},
	{"vectors", "int", "vectors in a row of a tile"},
	{"accumulate", "uint64", "0: C is overwritten and not read"},
	{"cInCache", "uint64", "0: C is brought near before it is needed"},
	{"alpha", "uint64", "the bits of alpha"},
})

// General registers of the micro-kernels. RegA points to column p of A, StridesA are the multiples of its row stride.
var (
	regB           = reg.RBX // row p of B; row i of C in the update
	regK           = reg.RCX // rows of B that are left
	regColA        = reg.RDX
	regRowB        = reg.RSI
	regC           = reg.RDI // C of the tile
	regRowC        = reg.R12
	regPrefetchCol = reg.R14
	regPrefetch    = reg.R15 // address to prefetch; AVX2, partial tiles: the lanes of the last vector
)

// field returns the memory operand of a field of the arguments.
func field(name string) operand.Mem { return tilesBlock.Arg(name) }

// gemm generates one function, with a variant for each number of rows and vectors of a tile.
type gemm struct {
	x86.Set
	maxVectors, maxRows int
}

// variant is the code for tiles of the given rows and vectors. Registers 0 to rows*vectors-1 are the sums, row by row,
// then come a row of B and broadcasts of elements of A. The largest tiles, 6x2 with AVX2 and 8x3 with AVX-512, have
//
//	                    AVX2                        AVX-512
//	row p of B          12  13                      24  25  26
//	A(0,p) in 14 or 15   0   1    A(0,p) in 27...31  0   1   2
//	A(1,p)               2   3    A(1,p)             3   4   5
//	  ...                           ...
//	A(5,p)              10  11    A(7,p)            21  22  23
type variant struct {
	gemm
	rows, vectors int
}

func (v variant) label(name string) string { return fmt.Sprintf("%s_%dx%d", name, v.vectors, v.rows) }

func (v variant) sum(i, j int) reg.VecPhysical { return v.Registers[i*v.vectors+j] }

func (v variant) rowB(j int) reg.VecPhysical { return v.Registers[v.rows*v.vectors+j] }

// spare returns the registers that are left for broadcasts.
func (v variant) spare() []reg.VecPhysical { return v.Registers[v.rows*v.vectors+v.vectors:] }

func (g gemm) at(base reg.Register, vector int) operand.Mem {
	return operand.Mem{Base: base, Disp: g.VectorBytes * vector}
}

// open begins a micro-kernel: it loads the registers that all variants share and jumps to the right one.
func (g gemm) open() {
	g.Begin("tiles", false, tilesBlock, "computes a run of tiles, see Tiles.")
	g.Label("product")
	g.MOVQ(field("a"), x86.RegA)
	g.ADDQ(field("originA"), x86.RegA)
	g.MOVQ(field("b"), regB)
	g.ADDQ(field("originB"), regB)
	g.MOVQ(field("c"), regC)
	g.ADDQ(field("originC"), regC)
	g.MOVQ(field("rowA"), x86.RegRowA)
	g.MOVQ(field("colA"), regColA)
	g.MOVQ(field("rowB"), regRowB)
	g.MOVQ(field("rowC"), regRowC)
	x86.StridesA.Multiply(g.Context)
	for vectors := g.maxVectors; vectors >= 1; vectors-- {
		next := fmt.Sprintf("vectors_%d", vectors-1)
		if vectors > 1 {
			g.CMPQ(field("vectors"), operand.Imm(uint64(vectors)))
			g.JNE(operand.LabelRef(next))
		}
		for rows := g.maxRows; rows > 1; rows-- {
			v := variant{g, rows, vectors}
			g.CMPQ(field("rows"), operand.Imm(uint64(rows)))
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
	v.DECQ(field("count"))
	v.JZ(operand.LabelRef(v.label("strip")))
	v.ADDQ(field("stepC"), regC)
	v.MOVQ(field("offsetB"), regB)
	v.ADDQ(field("stepB"), regB)
	v.MOVQ(regB, field("offsetB"))
	v.ADDQ(field("b"), regB)
	v.MOVQ(field("a"), x86.RegA)
	v.ADDQ(field("offsetA"), x86.RegA)
	v.JMP(operand.LabelRef(v.label("tile")))

	v.Label(v.label("strip"))
	v.DECQ(field("left"))
	v.JZ(operand.LabelRef("next_product"))
	v.MOVQ(field("tiles"), regK)
	v.MOVQ(regK, field("count"))
	v.MOVQ(field("offsetA"), x86.RegA)
	v.ADDQ(field("stepA"), x86.RegA)
	v.MOVQ(x86.RegA, field("offsetA"))
	v.ADDQ(field("a"), x86.RegA)
	v.MOVQ(field("offsetStrip"), regC)
	v.ADDQ(field("prefetchStrip"), regC)
	v.MOVQ(regC, field("offsetStrip"))
	v.MOVQ(regC, field("offsetPrefetch"))
	v.MOVQ(field("offsetC"), regC)
	v.ADDQ(field("stripC"), regC)
	v.MOVQ(regC, field("offsetC"))
	v.ADDQ(field("c"), regC)
	v.MOVQ(field("originB"), regB)
	v.MOVQ(regB, field("offsetB"))
	v.ADDQ(field("b"), regB)
	v.JMP(operand.LabelRef(v.label("tile")))
}

// close moves on to the next product, if there is one, and ends the function.
func (g gemm) close() {
	g.Label("next_product")
	g.DECQ(field("products"))
	g.JZ(operand.LabelRef("done"))
	// No pointer is stored: one behind the end of an allocation would mislead the garbage collector.
	for _, move := range []struct{ step, origin string }{
		{"productA", "originA"}, {"productB", "originB"}, {"productC", "originC"},
	} {
		g.MOVQ(field(move.step), regK)
		g.ADDQ(regK, field(move.origin))
	}
	for _, offset := range []struct{ of, origin string }{
		{"offsetA", "originA"}, {"offsetB", "originB"}, {"offsetC", "originC"},
		{"offsetPrefetch", "originA"}, {"offsetStrip", "originA"},
	} {
		g.MOVQ(field(offset.origin), regK)
		g.MOVQ(regK, field(offset.of))
	}
	for _, count := range []struct{ left, all string }{{"count", "tiles"}, {"left", "strips"}} {
		g.MOVQ(field(count.all), regK)
		g.MOVQ(regK, field(count.left))
	}
	g.JMP(operand.LabelRef("product"))
	g.Label("done")
	g.Finish()
}

// prefetchC asks for the lines of C that the update will need, unless they are near.
func (v variant) prefetchC() {
	v.CMPQ(field("cInCache"), operand.Imm(0))
	v.JNE(operand.LabelRef(v.label("near")))
	v.MOVQ(regC, regK)
	for i := range v.rows {
		for offset := 0; offset < v.vectors*v.VectorBytes; offset += x86.LineBytes {
			v.PREFETCHT0(operand.Mem{Base: regK, Disp: offset})
		}
		if i+1 < v.rows {
			v.ADDQ(regRowC, regK)
		}
	}
	v.Label(v.label("near"))
}
