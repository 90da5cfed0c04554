//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var reductionBlock = block{"reductionArgs", "is the block of arguments of the kernels of reductions in assembly.", []argument{
	{"a", "unsafe.Pointer", "first element of the rows"},
	{"v", "unsafe.Pointer", "the vectors, from column 0 on"},
	{"w", "unsafe.Pointer", ""},
	{"x", "unsafe.Pointer", ""},
	{"y", "unsafe.Pointer", ""},
	{"lanes", "unsafe.Pointer", "AVX2: what begins n bytes before selects the first n bytes of a vector"},
	{"signs", "unsafe.Pointer", "complex: a vector of the sign bits of imaginary parts"},
	{"stride", "int", "bytes from a row to the next"},
	{"first", "int", "bytes from column 0 to the diagonal element of the first row"},
	{"groups", "int", "groups of rows that are as many as a vector has columns; used up by the kernel"},
}}

func reductionField(name string) operand.Mem { return reductionBlock.at(regArgs, name) }

// General registers of the kernels of reductions.
var (
	regV, regW, regX, regY = reg.RSI, reg.RDI, reg.R12, reg.R14
	regEnd                 = reg.R15 // bytes from column 0 to the part of the diagonal that the group has
	regMasks               = reg.RCX // AVX2: the lanes
)

// reduction generates the pass over a triangle, see Reduction. It takes as many rows together as a vector has columns, so that their part of
// the diagonal is one vector in each of them.
//
// A complex matrix is taken as rows of pairs of real numbers. With the broadcasts of the parts of v_i, w_i and x_i, with conj(v) = (re, -im) and
// v' = (im, re),
//
//	a -= re(v_i) conj(w) + im(v_i) w' + re(w_i) conj(v) + im(w_i) v'
//	y += conj(sum_i re(x_i) a) + (sum_i im(x_i) a)'
//
// and the parts of sum_j a_j x_j are sums over the products of all pairs with conj(x) and x'.
type reduction struct {
	vectorSet
	complex bool
	name    string

	sums           []reg.VecPhysical // one for each element of a vector
	factors        []reg.VecPhysical // parts of x_i of each row where registers suffice
	x, v, w        []reg.VecPhysical // a vector; complex: the two made of it
	y0, y1         reg.VecPhysical   // two sums for y
	sign           reg.VecPhysical   // complex: the sign bits of the imaginary parts
	selected       reg.VecPhysical   // AVX2: lanes of a row
	a              []reg.VecPhysical // rows in turn
	spare          reg.VecPhysical
	parts, columns int // real numbers of an element; elements of a vector
}

func newReduction(s vectorSet, isComplex bool) *reduction {
	r := &reduction{vectorSet: s, complex: isComplex, name: "reduce" + s.name + s.set(), parts: 1, columns: s.vectorBytes / s.bytes}
	if isComplex {
		r.name = "reduceC128" + s.set()
		r.parts, r.columns = 2, r.columns/2
	}
	free := s.registers
	take := func(n int) []reg.VecPhysical {
		taken := free[:n]
		free = free[n:]
		return taken
	}
	lanes := r.parts * r.columns
	r.spare = take(1)[0]
	r.sums, r.x, r.v, r.w = take(lanes), take(r.parts), take(r.parts), take(r.parts)
	r.y0, r.y1 = take(1)[0], take(1)[0]
	if isComplex {
		r.sign = take(1)[0]
	}
	if s.wide || !isComplex {
		r.factors = take(lanes)
	}
	if !s.wide {
		r.selected = take(1)[0]
	}
	r.a = free
	return r
}

func (r *reduction) function() {
	r.begin(r.name, "does the work of Reduction.")
	r.MOVQ(reductionField("a"), regGroup)
	r.MOVQ(reductionField("v"), regV)
	r.MOVQ(reductionField("w"), regW)
	r.MOVQ(reductionField("x"), regX)
	r.MOVQ(reductionField("y"), regY)
	r.MOVQ(reductionField("first"), regEnd)
	r.MOVQ(reductionField("stride"), regRowA)
	stridesA.multiply(r.Context)
	r.masks()
	if r.complex {
		r.MOVQ(reductionField("signs"), regA)
		r.move(r.Context, operand.Mem{Base: regA}, r.sign)
	}
	r.Label("group")
	for _, sum := range r.sums {
		r.zero(sum)
	}
	for k, factor := range r.factors {
		r.broadcast(r.Context, r.ofRow(regX, k), factor)
	}
	r.MOVQ(regGroup, regA)
	r.XORQ(regCol, regCol)
	r.TESTQ(regEnd, regEnd)
	r.JZ(operand.LabelRef("diagonal"))
	r.Label("beside")
	r.step(false)
	r.store(r.y0, false, r.ofColumns(regY))
	r.ADDQ(operand.U32(r.vectorBytes), regA)
	r.ADDQ(operand.U32(r.vectorBytes), regCol)
	r.CMPQ(regCol, regEnd)
	r.JLT(operand.LabelRef("beside"))
	r.Label("diagonal")
	r.step(true)
	r.addSums()
	r.store(r.y0, false, r.ofColumns(regY))
	r.LEAQ(operand.Mem{Base: regGroup, Index: regRowA, Scale: uint8(r.columns)}, regGroup)
	r.ADDQ(operand.U32(r.vectorBytes), regEnd)
	r.DECQ(reductionField("groups"))
	r.JNZ(operand.LabelRef("group"))
	r.VZEROUPPER()
	r.RET()
}

// ofRow returns the real number k of those that a vector of the matrix's order has for the rows of the group.
func (r *reduction) ofRow(base reg.Register, k int) operand.Mem {
	return operand.Mem{Base: base, Index: regEnd, Scale: 1, Disp: k * r.bytes}
}

// ofColumns returns what such a vector has for the columns being worked on.
func (r *reduction) ofColumns(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: regCol, Scale: 1}
}

// step works on one vector of columns of all rows and leaves the new y in y0. On the diagonal, elements above it are updated like the others,
// but have no part in sums and y.
func (r *reduction) step(diagonal bool) {
	const ahead = 128 // bytes in a row, where it is brought near
	r.loadVectors()
	for i := range r.columns {
		a, row := r.a[i%len(r.a)], elementA(i)
		if !diagonal {
			r.PREFETCHT0(row.Offset(ahead)) // only an address is formed
		}
		r.load(row, false, a)
		for part := range r.parts {
			k := r.parts*i + part
			r.subtractMultiple(r.ofRow(regV, k), r.w[part], a)
			r.subtractMultiple(r.ofRow(regW, k), r.v[part], a)
		}
		r.store(a, false, row)
		for part, x := range r.x {
			k := r.parts*i + part
			r.accumulate(diagonal, r.parts*i+1, a, x, r.sums[k])
			r.accumulate(diagonal, r.parts*i, a, r.factor(k), []reg.VecPhysical{r.y0, r.y1}[k%2])
		}
	}
	r.mergeY()
}

// loadVectors loads or makes x, v and w of the columns and begins the two sums for y.
func (r *reduction) loadVectors() {
	r.load(r.ofColumns(regX), false, r.x[0])
	r.load(r.ofColumns(regV), false, r.v[0])
	r.load(r.ofColumns(regW), false, r.w[0])
	r.zero(r.y1)
	if !r.complex {
		r.load(r.ofColumns(regY), false, r.y0)
		return
	}
	r.zero(r.y0)
	for _, pair := range [][]reg.VecPhysical{r.x, r.v, r.w} {
		r.exchange(r.Context, pair[0], pair[1])
		r.exclusiveOr(r.sign, pair[0])
	}
}

// mergeY makes the new y of its two sums.
func (r *reduction) mergeY() {
	if r.complex {
		r.exclusiveOr(r.sign, r.y0)
		r.exchange(r.Context, r.y1, r.y1)
		r.load(r.ofColumns(regY), false, r.spare)
		r.add(r.Context, r.spare, r.y0, r.y0)
	}
	r.add(r.Context, r.y1, r.y0, r.y0)
}

// factor returns a register with the broadcast real number k of x for the rows.
func (r *reduction) factor(k int) reg.VecPhysical {
	if r.factors != nil {
		return r.factors[k]
	}
	r.broadcast(r.Context, r.ofRow(regX, k), r.spare)
	return r.spare
}

// subtractMultiple computes a -= factor x for a factor in memory.
func (r *reduction) subtractMultiple(factor operand.Mem, x, a reg.VecPhysical) {
	if r.wide {
		r.VFNMADD231PD_BCST(factor, x, a)
		return
	}
	r.broadcast(r.Context, factor, r.spare)
	r.multiplySubtract(r.Context, r.spare, x, a)
}

// Masks of AVX-512 for the first lanes of a vector: K1 for one, K2 for two and so on.
var laneCounts = []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}

// masks prepares what accumulate selects lanes with.
func (r *reduction) masks() {
	if !r.wide {
		r.MOVQ(reductionField("lanes"), regMasks)
		return
	}
	for n, mask := range laneCounts {
		r.MOVL(operand.U32(1<<(n+1)-1), regMasks.As32())
		r.KMOVW(regMasks.As32(), mask)
	}
}

// accumulate computes sum += a x, on the diagonal in the first lanes alone.
func (r *reduction) accumulate(diagonal bool, lanes int, a, x, sum reg.VecPhysical) {
	switch {
	case !diagonal || lanes == len(r.sums):
		r.multiplyAdd(r.Context, a, x, sum)
	case lanes == 0:
	case r.wide:
		r.multiplyAddMasked(r.Context, a, x, laneCounts[lanes-1], sum)
	default:
		r.VANDPD(operand.Mem{Base: regMasks, Disp: -lanes * r.bytes}, a, r.selected)
		r.multiplyAdd(r.Context, r.selected, x, sum)
	}
}

// addSums adds the sums of the rows to y0.
func (r *reduction) addSums() {
	n := len(r.sums)
	// Pairs of neighbouring lanes first: each register of half then has two sums in every 128 bits.
	half := make([]reg.VecPhysical, n/2)
	for k := range half {
		x, y := r.sums[2*k], r.sums[2*k+1]
		r.unpackLow(r.Context, y, x, r.spare)
		r.unpackHigh(r.Context, y, x, x)
		r.add(r.Context, r.spare, x, x)
		half[k] = x
	}
	if !r.wide {
		const low, high = 0x20, 0x31
		r.VPERM2F128(operand.Imm(low), half[1], half[0], r.spare)
		r.VPERM2F128(operand.Imm(high), half[1], half[0], half[0])
		r.add(r.Context, r.spare, r.y0, r.y0)
		r.add(r.Context, half[0], r.y0, r.y0)
		return
	}
	const even, odd = 0b10_00_10_00, 0b11_01_11_01
	for len(half) > 1 {
		for k := range len(half) / 2 {
			x, y := half[2*k], half[2*k+1]
			r.VSHUFF64X2(operand.Imm(even), y, x, r.spare)
			r.VSHUFF64X2(operand.Imm(odd), y, x, x)
			r.add(r.Context, r.spare, x, x)
			half[k] = x
		}
		half = half[:len(half)/2]
	}
	r.add(r.Context, half[0], r.y0, r.y0)
}

// writeReductions writes the kernels of reductions and reflections and their arguments.
func writeReductions(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, isComplex := range []bool{false, true} {
		for _, s := range []vectorSet{
			{Context: avx512, element: float64s, vectorBytes: 64, registers: zmm, wide: true},
			{Context: avx2, element: float64s, vectorBytes: 32, registers: ymm},
		} {
			newReduction(s, isComplex).function()
			newReflection(s, isComplex).function()
		}
	}
	write(dir, "gen_reduction_avx512_amd64", compile(avx512))
	write(dir, "gen_reduction_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_reduction_args_amd64.go", reductionBlock.source())
	writeFile(dir, "gen_reflection_args_amd64.go", reflectionBlock.source())
}
