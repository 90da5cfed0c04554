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
	{"kind", "int", "five times the vectors in a row of a tile, plus its ending: 0 whole, 1 to 3 quarters, 4 masked"},
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
	regAhead    = reg.R11 // AVX2: bytes from a row to the one that is prefetched
)

// mostVectors is the number of vectors in a row of a tile at most.
const mostVectors = 3

// ending is what there is of the last vector of a row of a tile: all, one to three quarters, or what a mask selects.
type ending int

const (
	whole ending = iota
	quarter
	half
	threeQuarters
	masked
	endings
)

// packer generates a kernel that copies rows of words of four bytes, of all tiles before it goes on to the next row.
// With AVX-512 the last vector of a row is always masked; with AVX2, where such stores are slow, only if it does not
// consist of quarters. With pairs, the words are pairs of elements, signs are changed, and a row of exchanged pairs is
// written below each row.
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
		s.MOVQ(packField("srcRow"), regAhead)
		s.SHLQ(operand.Imm(rowsAheadShift), regAhead)
	}
	for vectors := 1; vectors <= mostVectors; vectors++ {
		first := whole
		if s.Wide {
			first = masked
		}
		for last := first; last < endings; last++ {
			s.packRows(vectors, last)
		}
	}
	s.Label("done")
	s.Finish()
}

// signs is the number of registers with signs.
const signs = 2

func (s packer) upperSigns() reg.VecPhysical { return s.Registers[2*mostVectors] }
func (s packer) lowerSigns() reg.VecPhysical { return s.Registers[2*mostVectors+1] }

// piece is what one instruction copies: a vector, or a part of the last one of a row that begins at byte at.
type piece struct {
	at           int
	upper, lower reg.VecPhysical // the copy, and what goes below it if the words are pairs
	narrow       bool            // at most 16 bytes
	load         func(m, to operand.Op)
	store        func(from, m operand.Op)
}

// sized returns r in the size of the piece.
func (p *piece) sized(r reg.VecPhysical) reg.Register {
	if p.narrow {
		return r.AsX()
	}
	return r
}

// pieces returns the pieces of a row. The second piece of three quarters takes the registers behind the signs.
func (s packer) pieces(vectors int, last ending) []piece {
	const quarterBytes = 8
	var list []piece
	add := func(at, i int, narrow bool, load, store func(x, y operand.Op)) {
		list = append(list, piece{at, s.Registers[i], s.Registers[mostVectors+i], narrow, load, store})
	}
	move := func(from, to operand.Op) { s.Move(from, to) }
	moveQuarter := func(from, to operand.Op) { s.VMOVSD(from, to) }
	for v := range vectors - 1 {
		add(v*s.VectorBytes, v, false, move, move)
	}
	v := vectors - 1
	at := v * s.VectorBytes
	switch last {
	case whole:
		add(at, v, false, move, move)
	case quarter:
		add(at, v, true, moveQuarter, moveQuarter)
	case half:
		add(at, v, true, move, move)
	case threeQuarters:
		add(at, v, true, move, move)
		add(at+2*quarterBytes, 2*mostVectors+signs, true, moveQuarter, moveQuarter)
	case masked:
		add(at, v, false,
			func(m, to operand.Op) { s.LoadVector(m.(operand.Mem), true, to) },
			func(from, m operand.Op) { s.StoreVector(from, true, m.(operand.Mem)) })
	}
	return list
}

// packRows generates the loops for the given number of vectors in a row of a tile.
func (s packer) packRows(vectors int, last ending) {
	kind := int(endings)*vectors + int(last)
	row, next := fmt.Sprintf("row_%d", kind), fmt.Sprintf("after_%d", kind)
	s.CMPQ(packField("kind"), operand.Imm(uint64(kind)))
	s.JNE(operand.LabelRef(next))
	s.Label(row)
	s.MOVQ(regFrom, regFromTile)
	s.MOVQ(regInto, regIntoTile)
	s.MOVQ(packField("count"), x86.RegLeft)
	s.Label(row + "_tile")
	s.prefetch(vectors)
	pieces := s.pieces(vectors, last)
	for _, p := range pieces {
		p.load(operand.Mem{Base: regFromTile, Disp: p.at}, p.sized(p.upper))
	}
	for _, p := range pieces {
		upper, lower := p.sized(p.upper), p.sized(p.lower)
		if s.pairs {
			s.Exchange(upper, lower)
			s.ExclusiveOr(p.sized(s.upperSigns()), upper)
			s.ExclusiveOr(p.sized(s.lowerSigns()), lower)
			p.store(lower, operand.Mem{Base: regIntoTile, Index: regLowerRow, Scale: 1, Disp: p.at})
		}
		p.store(upper, operand.Mem{Base: regIntoTile, Disp: p.at})
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

// rowsAheadShift is the logarithm of the number of rows by which prefetches run ahead. Prefetchers follow no stride
// from one page to another.
const rowsAheadShift = 2

// prefetch brings the same tile of a later row near. It is not measured with AVX-512.
func (s packer) prefetch(vectors int) {
	for v := 0; v < vectors && !s.Wide; v += x86.LineBytes / s.VectorBytes {
		s.PREFETCHT0(s.Vector(operand.Mem{Base: regFromTile, Index: regAhead, Scale: 1}, v))
	}
}
