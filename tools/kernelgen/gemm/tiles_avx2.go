package gemm

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// tilesAVX2 generates tiles of 12 sums of 32 bytes, up to 6 rows of 2 vectors: 4 rows of 3 would take half as much
// again of B for each sum. The other 4 registers hold a row of B and elements of A, so that a last vector which is not
// whole has its mask loaded anew for each row of B.
func tilesAVX2(set x86.Set) {
	g := gemm{Set: set, maxVectors: 2, maxRows: 6}
	g.open()
	for vectors := 1; vectors <= g.maxVectors; vectors++ {
		for rows := 1; rows <= g.maxRows; rows++ {
			variant{g, rows, vectors}.tilesAVX2()
		}
	}
	g.close()
}

func (v variant) tilesAVX2() {
	v.Label(v.label("first"))
	v.Label(v.label("tile"))
	v.prefetchC()
	for i := range v.rows * v.vectors {
		v.VXORPS(v.Registers[i], v.Registers[i], v.Registers[i])
	}
	v.MOVQ(field("k"), regK)
	v.CMPQ(field("partial"), operand.Imm(0))
	v.JNE(operand.LabelRef(v.label("partial")))

	// A whole tile prefetches data that is needed after the run. The addresses are never loaded from.
	prefetches := v.vectors == v.maxVectors
	if prefetches {
		v.MOVQ(field("prefetch"), regPrefetch)
		v.ADDQ(field("offsetPrefetch"), regPrefetch)
		v.MOVQ(field("prefetchCol"), regPrefetchCol)
	}
	v.LoopLabel(v.label("k"))
	if prefetches {
		v.PREFETCHT0(operand.Mem{Base: regPrefetch})
		v.ADDQ(regPrefetchCol, regPrefetch)
	}
	v.stepAVX2(false)
	v.JNZ(operand.LabelRef(v.label("k")))
	v.updateAVX2("whole", false)

	v.Label(v.label("partial"))
	v.MOVQ(field("lanes"), regPrefetch)
	v.Label(v.label("k_partial"))
	v.stepAVX2(true)
	v.JNZ(operand.LabelRef(v.label("k_partial")))
	v.updateAVX2("some", true)

	v.Label(v.label("next"))
	if prefetches {
		v.MOVQ(field("offsetPrefetch"), regPrefetch)
		v.ADDQ(field("prefetchStep"), regPrefetch)
		v.MOVQ(regPrefetch, field("offsetPrefetch"))
	}
	v.nextTile()
}

// stepAVX2 adds the products of a column of A and a row of B and counts down.
func (v variant) stepAVX2(partial bool) {
	x := v.spare()[0]
	for j := range v.vectors {
		if partial && j == v.vectors-1 {
			v.Move(operand.Mem{Base: regPrefetch}, x)
			v.MoveLanes(v.at(regB, j), x, v.rowB(j))
		} else {
			v.Move(v.at(regB, j), v.rowB(j))
		}
	}
	for i := range v.rows {
		x := v.spare()[i%len(v.spare())]
		v.Broadcast(x86.ElementA(i), x)
		for j := range v.vectors {
			v.MultiplyAdd(v.rowB(j), x, v.sum(i, j))
		}
	}
	v.ADDQ(regColA, x86.RegA)
	v.ADDQ(regRowB, regB)
	v.DECQ(regK)
}

// updateAVX2 stores the sums times alpha, plus C if the arguments say so, and jumps to the next tile.
func (v variant) updateAVX2(name string, partial bool) {
	// Two registers of the row of B at least and one broadcast are free now, or more than that.
	free := v.Registers[v.rows*v.vectors:]
	alpha, old, lanes := free[0], free[1], reg.VecPhysical(nil)
	v.Broadcast(field("alpha"), alpha)
	if partial {
		lanes = free[2]
		v.Move(operand.Mem{Base: regPrefetch}, lanes)
	}
	masked := func(j int) bool { return partial && j == v.vectors-1 }
	store := func(i, j int) {
		if masked(j) {
			v.MoveLanes(v.sum(i, j), lanes, v.at(regB, j))
		} else {
			v.Move(v.sum(i, j), v.at(regB, j))
		}
		if j == v.vectors-1 && i+1 < v.rows {
			v.ADDQ(regRowC, regB)
		}
	}
	v.MOVQ(regC, regB)
	v.CMPQ(field("accumulate"), operand.Imm(0))
	v.JEQ(operand.LabelRef(v.label("overwrite_" + name)))
	for i := range v.rows {
		for j := range v.vectors {
			if masked(j) {
				v.MoveLanes(v.at(regB, j), lanes, old)
			} else {
				v.Move(v.at(regB, j), old)
			}
			v.ScaleAdd(old, alpha, v.sum(i, j))
			store(i, j)
		}
	}
	v.JMP(operand.LabelRef(v.label("next")))
	v.Label(v.label("overwrite_" + name))
	for i := range v.rows {
		for j := range v.vectors {
			v.Multiply(alpha, v.sum(i, j), v.sum(i, j))
			store(i, j)
		}
	}
	v.JMP(operand.LabelRef(v.label("next")))
}
