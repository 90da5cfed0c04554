//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemmAVX512 generates tiles of up to 8 rows and 3 vectors of 64 bytes: 24 sums, 3 registers for a row of B and 5 for
// elements of A. The last vector of a row is always loaded masked, which costs nothing.
func gemmAVX512(ctx *build.Context, e element) {
	g := gemm{Context: ctx, element: e, vectorBytes: 64, maxVectors: 3, maxRows: 8, registers: zmm}
	name := "gemm" + e.name + "AVX512"
	g.function(name)
	ctx.Doc(name + " computes a run of tiles, see Tiles. It reads and writes no element outside of them. It needs AVX512F.")
	for vectors := 1; vectors <= g.maxVectors; vectors++ {
		for rows := 1; rows <= g.maxRows; rows++ {
			variant{g, rows, vectors}.tilesAVX512()
		}
	}
	g.close()
}

const lastVector = "mask"

func (v variant) tilesAVX512() {
	last := reg.K1
	v.Label(v.label("first"))
	v.KMOVW(field(regArgs, lastVector), last)
	// While a tile is computed, part of what comes after the run is brought near. Only addresses are formed.
	prefetches := true
	if prefetches {
		v.MOVQ(field(regArgs, "nextCol"), regNextCol)
	}

	v.Label(v.label("tile"))
	if prefetches {
		v.MOVQ(field(regArgs, "next"), regPrefetch)
		v.ADDQ(field(regArgs, "offsetNext"), regPrefetch)
	}
	v.prefetchC()
	for i := range v.rows * v.vectors {
		v.VPXORQ(v.registers[i], v.registers[i], v.registers[i])
	}
	v.MOVQ(field(regArgs, "k"), regK)

	v.Label(v.label("k"))
	for j := range v.vectors - 1 {
		v.move(v.Context, v.at(regB, j), v.rowB(j))
	}
	v.loadMasked(v.Context, v.at(regB, v.vectors-1), last, v.rowB(v.vectors-1))
	for i := range v.rows {
		x := v.spare()[i%min(8, len(v.spare()))]
		v.broadcast(v.Context, elementA(i), x)
		for j := range v.vectors {
			v.multiplyAdd(v.Context, v.rowB(j), x, v.sum(i, j))
		}
	}
	v.ADDQ(regColA, regA)
	v.ADDQ(regRowB, regB)
	if prefetches {
		v.PREFETCHT0(operand.Mem{Base: regPrefetch})
		v.ADDQ(regNextCol, regPrefetch)
	}
	v.DECQ(regK)
	v.JNZ(operand.LabelRef(v.label("k")))

	v.updateAVX512(last)
	if prefetches {
		v.MOVQ(field(regArgs, "offsetNext"), regPrefetch)
		v.ADDQ(field(regArgs, "nextStep"), regPrefetch)
		v.MOVQ(regPrefetch, field(regArgs, "offsetNext"))
	}
	v.nextTile()
}

// updateAVX512 stores the sums times alpha, plus C if the arguments say so. A masked store takes many times as long as another one, so
// that a last vector that is whole has code of its own.
func (v variant) updateAVX512(last reg.Register) {
	alpha := v.rowB(0)
	v.broadcast(v.Context, field(regArgs, "alpha"), alpha)
	v.MOVQ(regC, regB)
	for _, masked := range []bool{false, true} {
		name := "whole"
		if masked {
			name = "some"
			v.Label(v.label(name))
		} else {
			v.CMPQ(field(regArgs, "partial"), operand.Imm(0))
			v.JNE(operand.LabelRef(v.label("some")))
		}
		v.CMPQ(field(regArgs, "accumulate"), operand.Imm(0))
		v.JEQ(operand.LabelRef(v.label("overwrite_" + name)))
		v.storeAVX512(last, alpha, masked, true)
		v.JMP(operand.LabelRef(v.label("next")))
		v.Label(v.label("overwrite_" + name))
		v.storeAVX512(last, alpha, masked, false)
		if !masked {
			v.JMP(operand.LabelRef(v.label("next")))
		}
	}
	v.Label(v.label("next"))
}

// storeAVX512 stores the sums times alpha, plus C if accumulate is set.
func (v variant) storeAVX512(last, alpha reg.Register, masked, accumulate bool) {
	old := v.spare()[0]
	for i := range v.rows {
		for j := range v.vectors {
			rest := masked && j == v.vectors-1
			switch {
			case !accumulate:
				v.multiply(v.Context, alpha, v.sum(i, j), v.sum(i, j))
			case rest:
				v.loadMasked(v.Context, v.at(regB, j), last, old)
				v.scaleAdd(v.Context, old, alpha, v.sum(i, j))
			default:
				v.scaleAdd(v.Context, v.at(regB, j), alpha, v.sum(i, j))
			}
			if rest {
				v.move(v.Context, v.sum(i, j), last, v.at(regB, j))
			} else {
				v.move(v.Context, v.sum(i, j), v.at(regB, j))
			}
		}
		if i+1 < v.rows {
			v.ADDQ(regRowC, regB)
		}
	}
}
