package gemm

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// tilesAVX512 generates tiles of up to 8 rows and 3 vectors of 64 bytes: 24 sums, 3 registers for a row of B and 5 for
// elements of A. The last vector of a row is always loaded masked, which costs nothing.
func tilesAVX512(set x86.Set) {
	g := gemm{Set: set, maxVectors: 3, maxRows: 8}
	g.open()
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
	v.KMOVW(field(lastVector), last)
	// A tile prefetches data that is needed after the run. The addresses are never loaded from.
	v.MOVQ(field("prefetchCol"), regPrefetchCol)

	v.Label(v.label("tile"))
	v.MOVQ(field("prefetch"), regPrefetch)
	v.ADDQ(field("offsetPrefetch"), regPrefetch)
	v.prefetchC()
	for i := range v.rows * v.vectors {
		v.VPXORQ(v.Registers[i], v.Registers[i], v.Registers[i])
	}
	v.MOVQ(field("k"), regK)

	v.LoopLabel(v.label("k"))
	for j := range v.vectors - 1 {
		v.Move(v.at(regB, j), v.rowB(j))
	}
	v.LoadMasked(v.at(regB, v.vectors-1), last, v.rowB(v.vectors-1))
	for i := range v.rows {
		x := v.spare()[i%min(8, len(v.spare()))]
		v.Broadcast(x86.ElementA(i), x)
		for j := range v.vectors {
			v.MultiplyAdd(v.rowB(j), x, v.sum(i, j))
		}
	}
	v.ADDQ(regColA, x86.RegA)
	v.ADDQ(regRowB, regB)
	v.PREFETCHT0(operand.Mem{Base: regPrefetch})
	v.ADDQ(regPrefetchCol, regPrefetch)
	v.DECQ(regK)
	v.JNZ(operand.LabelRef(v.label("k")))

	v.updateAVX512(last)
	v.MOVQ(field("offsetPrefetch"), regPrefetch)
	v.ADDQ(field("prefetchStep"), regPrefetch)
	v.MOVQ(regPrefetch, field("offsetPrefetch"))
	v.nextTile()
}

// updateAVX512 stores the sums times alpha, plus C if the arguments say so. A masked store takes many times as long as
// another one, so that a last vector that is whole has code of its own.
func (v variant) updateAVX512(last reg.Register) {
	alpha := v.rowB(0)
	v.Broadcast(field("alpha"), alpha)
	v.MOVQ(regC, regB)
	for _, masked := range []bool{false, true} {
		name := "whole"
		if masked {
			name = "some"
			v.Label(v.label(name))
		} else {
			v.CMPQ(field("partial"), operand.Imm(0))
			v.JNE(operand.LabelRef(v.label("some")))
		}
		v.CMPQ(field("accumulate"), operand.Imm(0))
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
				v.Multiply(alpha, v.sum(i, j), v.sum(i, j))
			case rest:
				v.LoadMasked(v.at(regB, j), last, old)
				v.ScaleAdd(old, alpha, v.sum(i, j))
			default:
				v.ScaleAdd(v.at(regB, j), alpha, v.sum(i, j))
			}
			if rest {
				v.Move(v.sum(i, j), last, v.at(regB, j))
			} else {
				v.Move(v.sum(i, j), v.at(regB, j))
			}
		}
		if i+1 < v.rows {
			v.ADDQ(regRowC, regB)
		}
	}
}
