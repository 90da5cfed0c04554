package gemm

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var packBlock = x86.NewBlock("packArgs", "is the block of arguments of the packing kernels.", []x86.Field{
	{"src", "unsafe.Pointer", "first element of what is copied"},
	{"dst", "unsafe.Pointer", "first element of the copy"},
	{"lanes", "unsafe.Pointer", "AVX2: a vector with all bits set in the words that the last vector of a row has"},
	{"mask", "uint64", "AVX-512: one bit for each word that the last vector of a row has"},
	{"kind", "int", "twice the vectors in a row of a tile, plus 1 if the last one is masked"},
	{"rows", "int", "rows; used up by the kernel"},
	{"count", "int", "tiles beside one another"},
	{"srcRow", "int", "bytes from a row to the next"},
	{"srcStep", "int", "bytes from a tile to the next"},
	{"dstRow", "int", ""},
	{"dstStep", "int", ""},
	{"lowerRow", "int", "pairs: bytes from the copy of a row to the row of pairs below"},
	{"upperSigns", "unsafe.Pointer", "pairs: a vector of the sign bits that the copy changes"},
	{"lowerSigns", "unsafe.Pointer", "pairs: a vector of the sign bits that the row below changes"},
})

func packField(name string) operand.Mem { return packBlock.Arg(name) }

// General registers of the packing kernels.
var (
	regFrom     = reg.RAX // row of the first tile
	regInto     = reg.RDI
	regFromTile = reg.RBX // row of the current tile
	regIntoTile = reg.RSI
	regFromStep = reg.R8
	regIntoStep = reg.R9
	regLowerRow = reg.R10
)

// mostVectors is the number of vectors in a row of a tile at most.
const mostVectors = 3

// packer generates a kernel that copies rows of words of four bytes, of all tiles before it goes on to the next row.
// With AVX-512 the last vector of a row is always masked, with AVX2, where such stores are slow, only if it is not
// whole. With pairs, the words are pairs of elements, signs are changed, and a row of exchanged pairs is written below
// each row.
type packer struct {
	x86.Set
	pairs bool
}

func (s packer) function() {
	if s.pairs {
		s.Begin("packExpanded", false, packBlock, "packs tiles of complex numbers, see PackExpanded.")
	} else {
		s.BeginForSet("pack", packBlock, "packs tiles, see Pack.")
	}
	for _, r := range []struct {
		name string
		to   reg.Register
	}{{"src", regFrom}, {"dst", regInto}, {"srcStep", regFromStep}, {"dstStep", regIntoStep}} {
		s.MOVQ(packField(r.name), r.to)
	}
	if s.pairs {
		s.MOVQ(packField("lowerRow"), regLowerRow)
		s.MOVQ(packField("upperSigns"), x86.RegLeft)
		s.Move(operand.Mem{Base: x86.RegLeft}, s.upperSigns())
		s.MOVQ(packField("lowerSigns"), x86.RegLeft)
		s.Move(operand.Mem{Base: x86.RegLeft}, s.lowerSigns())
	}
	if s.Wide {
		s.KMOVW(packField("mask"), x86.RestMask)
	} else {
		s.MOVQ(packField("lanes"), x86.RegLeft)
		s.Move(operand.Mem{Base: x86.RegLeft}, x86.RestLanes)
	}
	for vectors := 1; vectors <= mostVectors; vectors++ {
		if !s.Wide {
			s.packRows(vectors, false)
		}
		s.packRows(vectors, true)
	}
	s.Label("done")
	s.Finish()
}

func (s packer) upperSigns() reg.VecPhysical { return s.Registers[2*mostVectors] }
func (s packer) lowerSigns() reg.VecPhysical { return s.Registers[2*mostVectors+1] }

// packRows generates the loops for the given number of vectors in a row of a tile.
func (s packer) packRows(vectors int, masked bool) {
	kind := 2 * vectors
	if masked {
		kind++
	}
	row, next := fmt.Sprintf("row_%d", kind), fmt.Sprintf("after_%d", kind)
	s.CMPQ(packField("kind"), operand.Imm(uint64(kind)))
	s.JNE(operand.LabelRef(next))
	s.Label(row)
	s.MOVQ(regFrom, regFromTile)
	s.MOVQ(regInto, regIntoTile)
	s.MOVQ(packField("count"), x86.RegLeft)
	s.Label(row + "_tile")
	for v := range vectors {
		s.LoadVector(s.Vector(operand.Mem{Base: regFromTile}, v), masked && v == vectors-1, s.Registers[v])
	}
	if s.pairs {
		for v := range vectors {
			lower := s.Registers[mostVectors+v]
			s.Exchange(s.Registers[v], lower)
			s.ExclusiveOr(s.upperSigns(), s.Registers[v])
			s.ExclusiveOr(s.lowerSigns(), lower)
			s.StoreVector(lower, masked && v == vectors-1,
				s.Vector(operand.Mem{Base: regIntoTile, Index: regLowerRow, Scale: 1}, v))
		}
	}
	for v := range vectors {
		s.StoreVector(s.Registers[v], masked && v == vectors-1, s.Vector(operand.Mem{Base: regIntoTile}, v))
	}
	s.ADDQ(regFromStep, regFromTile)
	s.ADDQ(regIntoStep, regIntoTile)
	s.DECQ(x86.RegLeft)
	s.JNZ(operand.LabelRef(row + "_tile"))
	s.ADDQ(packField("srcRow"), regFrom)
	s.ADDQ(packField("dstRow"), regInto)
	s.DECQ(packField("rows"))
	s.JNZ(operand.LabelRef(row))
	s.JMP(operand.LabelRef("done"))
	s.Label(next)
}
