//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var secularBlock = block{"secularArgs", "is the block of arguments of the kernels of secular functions in assembly.", []argument{
	{"at", "unsafe.Pointer", "the poles"},
	{"weights", "unsafe.Pointer", "the weights; products of a group are written to its first place"},
	{"x", "unsafe.Pointer", "vector: the result; weights: the poles of the group"},
	{"origins", "unsafe.Pointer", "one origin, or those of all roots"},
	{"shifts", "unsafe.Pointer", "one shift, or those of all roots"},
	{"sums", "unsafe.Pointer", "the sum of squares"},
	{"one", "uint64", "the bits of 1"},
	{"steps", "int", "whole vectors of poles; weights: roots"},
}}

func secularField(name string) operand.Mem { return secularBlock.at(regArgs, name) }

// Operands of VCMPPD.
const compareEqual, compareLess, compareLessEqual, compareNotLess = 0, 1, 2, 5

// General registers of the kernels of secular functions.
var (
	regPoles   = reg.RAX
	regWeights = reg.RBX
	regResult  = reg.RSI
	regOrigins = reg.RDI
	regShifts  = reg.R8
)

// secular generates the kernels of secular functions, which exist for doubles alone. A quotient is a product with the reciprocal, which AVX-512 makes
// from an estimate of 14 bits by two of Newton's steps: half the time of a division.
type secular struct {
	vectorSet
	origin, shift, one, zeros reg.VecPhysical
	x, inverse, error, term   reg.VecPhysical
	sums                      []reg.VecPhysical
	negative, positive        reg.Register // masks of AVX-512
}

func newSecular(s vectorSet) secular {
	r := s.registers
	return secular{
		vectorSet: s, sums: r[:4], x: r[4], inverse: r[5], error: r[6], term: r[7],
		origin: r[8], shift: r[9], one: r[10], zeros: r[11], negative: reg.K2, positive: reg.K3,
	}
}

// open begins a kernel.
func (k secular) open(name, doc string) {
	k.begin(name+k.name+k.set(), doc)
	k.MOVQ(secularField("at"), regPoles)
	k.MOVQ(secularField("weights"), regWeights)
	k.MOVQ(secularField("x"), regResult)
	k.MOVQ(secularField("origins"), regOrigins)
	k.MOVQ(secularField("shifts"), regShifts)
	k.MOVQ(secularField("steps"), regLeft)
	k.broadcast(k.Context, secularField("one"), k.one)
	k.zero(k.zeros)
	k.broadcast(k.Context, operand.Mem{Base: regOrigins}, k.origin)
	k.broadcast(k.Context, operand.Mem{Base: regShifts}, k.shift)
}

// loop generates a loop over steps.
func (k secular) loop(body func()) {
	k.XORQ(regCol, regCol)
	k.Label("step")
	body()
	k.DECQ(regLeft)
	k.JNZ(operand.LabelRef("step"))
}

func (k secular) finish() {
	k.VZEROUPPER()
	k.RET()
}

// reciprocal computes inverse = 1 / x; x and error are spoilt.
func (k secular) reciprocal(x reg.VecPhysical) {
	if !k.wide {
		k.VDIVPD(x, k.one, k.inverse)
		return
	}
	k.VRCP14PD(x, k.inverse)
	k.move(k.Context, k.inverse, k.error)
	k.scaleSubtract(k.Context, k.one, x, k.error)
	k.multiplyAdd(k.Context, k.error, k.inverse, k.inverse)
	k.scaleSubtract(k.Context, k.one, k.inverse, x)
	k.multiplyAdd(k.Context, x, k.inverse, k.inverse)
}

// quotient loads the next poles and weights and computes term = weight / difference.
func (k secular) quotient() {
	at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: regCol, Scale: 1} }
	k.move(k.Context, at(regPoles), k.x)
	k.VSUBPD(k.origin, k.x, k.x)
	k.VSUBPD(k.shift, k.x, k.x)
	k.reciprocal(k.x)
	k.multiply(k.Context, at(regWeights), k.inverse, k.term)
}

// vector generates the kernel of SecularVector.
func (k secular) vector() {
	k.open("secularVector", "computes a vector, see SecularVector.")
	squares := k.sums[0]
	k.zero(squares)
	k.loop(func() {
		k.quotient()
		k.move(k.Context, k.term, operand.Mem{Base: regResult, Index: regCol, Scale: 1})
		k.multiplyAdd(k.Context, k.term, k.term, squares)
		k.ADDQ(operand.U32(k.vectorBytes), regCol)
	})
	k.MOVQ(secularField("sums"), regResult)
	k.fold(k.add, squares, squares, k.x, k.term)
	k.storeScalar(k.Context, k.x.AsX(), operand.Mem{Base: regResult})
	k.finish()
}

// products generates the kernel of SecularWeights: one vector of poles, or two, for all roots.
func (k secular) products() {
	const groupBytes = 64
	k.open("secularWeights", "computes weights, see SecularWeights.")
	vectors := groupBytes / k.vectorBytes
	own := k.registers[len(k.registers)-vectors:]
	for v := range vectors {
		k.move(k.Context, operand.Mem{Base: regResult, Disp: v * k.vectorBytes}, own[v])
		k.move(k.Context, k.one, k.sums[v])
	}
	pole := k.sums[vectors]
	k.loop(func() {
		at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: regCol, Scale: 1} }
		k.broadcast(k.Context, at(regOrigins), k.origin)
		k.broadcast(k.Context, at(regShifts), k.shift)
		k.broadcast(k.Context, at(regPoles), pole)
		k.ADDQ(operand.Imm(uint64(k.bytes)), regCol)
		for v := range vectors {
			k.VSUBPD(k.origin, own[v], k.term)
			k.VSUBPD(k.shift, k.term, k.term)
			k.VSUBPD(pole, own[v], k.x)
			k.nonzero(k.x)
			k.reciprocal(k.x)
			k.multiply(k.Context, k.inverse, k.term, k.term)
			k.multiply(k.Context, k.term, k.sums[v], k.sums[v])
		}
	})
	for v := range vectors {
		k.move(k.Context, k.sums[v], operand.Mem{Base: regWeights, Disp: v * k.vectorBytes})
	}
	k.finish()
}

// nonzero replaces zeros by 1.
func (k secular) nonzero(x reg.VecPhysical) {
	if k.wide {
		k.VCMPPD(operand.Imm(compareEqual), k.zeros, x, k.negative)
		k.move(k.Context, k.one, k.negative, x)
		return
	}
	k.VCMPPD(operand.Imm(compareEqual), k.zeros, x, k.error)
	k.VBLENDVPD(k.error, k.one, x, x)
}

// writeSecular writes the kernels of secular functions and their arguments.
func writeSecular(dir string) {
	avx512, avx2 := newFile(), newFile()
	for _, s := range []vectorSet{
		{Context: avx512, element: float64s, vectorBytes: 64, registers: zmm, wide: true},
		{Context: avx2, element: float64s, vectorBytes: 32, registers: ymm},
	} {
		k := newSecular(s)
		k.vector()
		k.products()
		newSecularRoots(s).function()
	}
	write(dir, "gen_secular_avx512_amd64", compile(avx512))
	write(dir, "gen_secular_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_secular_args_amd64.go", secularBlock.source())
	writeFile(dir, "gen_secular_roots_args_amd64.go", rootsBlock.source())
}
