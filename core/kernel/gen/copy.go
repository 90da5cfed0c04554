//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var copyBlock = block{"copyArgs", "is the block of arguments of the copying kernels in assembly.", []argument{
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
}}

func copyField(name string) operand.Mem { return copyBlock.at(regArgs, name) }

// General registers of the copying kernels.
var (
	regFrom     = reg.RAX // row of the first tile
	regInto     = reg.RDI
	regFromTile = reg.RBX // row of the current tile
	regIntoTile = reg.RSI
	regFromStep = reg.R8
	regIntoStep = reg.R9
	regLowerRow = reg.R10
)

// mostCopied is the number of vectors in a row of a tile at most.
const mostCopied = 3

// copier generates a kernel that copies rows of words of four bytes, of all tiles before it goes on to the next row. With AVX-512 the
// last vector of a row is always masked, with AVX2, where such stores are slow, only if it is not whole. With pairs, the words are pairs of
// elements, signs are changed, and a row of exchanged pairs is written below each row.
type copier struct {
	vectorSet
	pairs bool
}

func (s copier) function() {
	if s.pairs {
		s.begin("pairs"+s.name+s.set(), "copies tiles of pairs, see copyArgs.")
	} else {
		s.begin("copy"+s.set(), "copies tiles, see copyArgs.")
	}
	for _, r := range []struct {
		name string
		to   reg.Register
	}{{"src", regFrom}, {"dst", regInto}, {"srcStep", regFromStep}, {"dstStep", regIntoStep}} {
		s.MOVQ(copyField(r.name), r.to)
	}
	if s.pairs {
		s.MOVQ(copyField("lowerRow"), regLowerRow)
		s.MOVQ(copyField("upperSigns"), regLeft)
		s.move(s.Context, operand.Mem{Base: regLeft}, s.upperSigns())
		s.MOVQ(copyField("lowerSigns"), regLeft)
		s.move(s.Context, operand.Mem{Base: regLeft}, s.lowerSigns())
	}
	if s.wide {
		s.KMOVW(copyField("mask"), restMask)
	} else {
		s.MOVQ(copyField("lanes"), regLeft)
		s.move(s.Context, operand.Mem{Base: regLeft}, restLanes)
	}
	for vectors := 1; vectors <= mostCopied; vectors++ {
		if !s.wide {
			s.rowsOfTiles(vectors, false)
		}
		s.rowsOfTiles(vectors, true)
	}
	s.Label("done")
	s.VZEROUPPER()
	s.RET()
}

func (s copier) upperSigns() reg.VecPhysical { return s.registers[2*mostCopied] }
func (s copier) lowerSigns() reg.VecPhysical { return s.registers[2*mostCopied+1] }

// rowsOfTiles generates the loops for the given number of vectors in a row of a tile.
func (s copier) rowsOfTiles(vectors int, masked bool) {
	kind := 2 * vectors
	if masked {
		kind++
	}
	row, next := fmt.Sprintf("row_%d", kind), fmt.Sprintf("after_%d", kind)
	s.CMPQ(copyField("kind"), operand.Imm(uint64(kind)))
	s.JNE(operand.LabelRef(next))
	s.Label(row)
	s.MOVQ(regFrom, regFromTile)
	s.MOVQ(regInto, regIntoTile)
	s.MOVQ(copyField("count"), regLeft)
	s.Label(row + "_tile")
	for v := range vectors {
		s.load(s.vector(operand.Mem{Base: regFromTile}, v), masked && v == vectors-1, s.registers[v])
	}
	if s.pairs {
		for v := range vectors {
			lower := s.registers[mostCopied+v]
			s.exchange(s.Context, s.registers[v], lower)
			s.exclusiveOr(s.upperSigns(), s.registers[v])
			s.exclusiveOr(s.lowerSigns(), lower)
			s.store(lower, masked && v == vectors-1, s.vector(operand.Mem{Base: regIntoTile, Index: regLowerRow, Scale: 1}, v))
		}
	}
	for v := range vectors {
		s.store(s.registers[v], masked && v == vectors-1, s.vector(operand.Mem{Base: regIntoTile}, v))
	}
	s.ADDQ(regFromStep, regFromTile)
	s.ADDQ(regIntoStep, regIntoTile)
	s.DECQ(regLeft)
	s.JNZ(operand.LabelRef(row + "_tile"))
	s.ADDQ(copyField("srcRow"), regFrom)
	s.ADDQ(copyField("dstRow"), regInto)
	s.DECQ(copyField("rows"))
	s.JNZ(operand.LabelRef(row))
	s.JMP(operand.LabelRef("done"))
	s.Label(next)
}
