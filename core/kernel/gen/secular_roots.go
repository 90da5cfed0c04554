//go:build ignore

package main

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var rootsBlock = block{"rootsArgs", "is the block of arguments of the kernels of roots of secular functions in assembly.", []argument{
	{"at", "unsafe.Pointer", "the poles"},
	{"weights", "unsafe.Pointer", "the weights"},
	{"searches", "unsafe.Pointer", "what belongs to the roots, rootSearch after rootSearch"},
	{"count", "int", "how many of them"},
	{"inverse", "float64", "the constant of the function"},
	{"tolerance", "float64", "a value below this part of the moduli of all terms is zero"},
	{"unit", "float64", "the unit roundoff"},
	{"one", "float64", ""},
	{"half", "float64", ""},
	{"modulus", "uint64", "all bits but that of the sign"},
}}

// What is in memory for the roots that are sought together: vectors in this order, a root in each lane, and then numbers. The declaration
// of rootSearch in Go has the same order.
var (
	searchVectors = []string{"origin", "x", "other", "near", "next", "nextWeight", "low", "high", "previous", "done"}
	searchNumbers = []string{"below", "between", "above", "stepsLeft", "started"}
)

// searchVectorBytes is the size of one of these vectors, and of all of the numbers.
const searchVectorBytes = 64

// General registers of the kernels of roots.
var (
	regSearch   = regResult
	regSearches = regOrigins
	regBusy     = regShifts // searches that had work to do
)

// secularRoots generates the kernel of SecularRoots.
type secularRoots struct {
	secular
	done, rejected, maybe, outside reg.Register // masks
}

func newSecularRoots(s vectorSet) secularRoots {
	k := secularRoots{secular: newSecular(s), done: reg.K1, rejected: reg.K2, maybe: reg.K3, outside: reg.K4}
	if !s.wide {
		k.done, k.rejected, k.maybe, k.outside = s.registers[15], s.registers[14], s.registers[13], s.registers[12]
	}
	return k
}

func (k secularRoots) field(name string) operand.Mem {
	if i := slices.Index(searchVectors, name); i >= 0 {
		return operand.Mem{Base: regSearch, Disp: i * searchVectorBytes}
	}
	i := slices.Index(searchNumbers, name)
	if i < 0 {
		panic("no field " + name)
	}
	return operand.Mem{Base: regSearch, Disp: len(searchVectors)*searchVectorBytes + i*fieldBytes}
}

// take loads a vector of the search into x.
func (k secularRoots) take(name string, x reg.VecPhysical) reg.VecPhysical {
	k.move(k.Context, k.field(name), x)
	return x
}

func (k secularRoots) keep(x reg.VecPhysical, name string) { k.move(k.Context, x, k.field(name)) }

func (k secularRoots) constant(name string, x reg.VecPhysical) {
	k.broadcast(k.Context, rootsBlock.at(regArgs, name), x)
}

// compare sets mask where x has the relation to y.
func (k secularRoots) compare(x reg.VecPhysical, relation uint64, y reg.VecPhysical, mask reg.Register) {
	k.VCMPPD(operand.Imm(relation), y, x, mask)
}

// choose moves x to y where mask is set.
func (k secularRoots) choose(mask reg.Register, x, y reg.VecPhysical) {
	if k.wide {
		k.move(k.Context, x, mask, y)
		return
	}
	k.VBLENDVPD(mask, x, y, y)
}

// join sets y where x is set.
func (k secularRoots) join(x, y reg.Register) {
	if k.wide {
		k.KORW(x, y, y)
		return
	}
	k.VORPD(x, y, y)
}

// without clears y where x is set.
func (k secularRoots) without(x, y reg.Register) {
	if k.wide {
		k.KANDNW(y, x, y)
		return
	}
	k.VANDNPD(y, x, y)
}

// bits moves a mask to a general register.
func (k secularRoots) bits(mask reg.Register, x reg.Register) {
	if k.wide {
		k.KMOVW(mask, x.(reg.GPPhysical).As32())
		return
	}
	k.VMOVMSKPD(mask, x.(reg.GPPhysical).As32())
}

// moveMask loads or stores a mask.
func (k secularRoots) moveMask(from, to operand.Op) {
	if k.wide {
		k.KMOVW(from, to)
		return
	}
	k.VMOVUPD(from, to)
}

// absolute computes y = |x|.
func (k secularRoots) absolute(x, y reg.VecPhysical) {
	k.constant("modulus", y)
	if k.wide {
		k.VPANDQ(x, y, y)
		return
	}
	k.VANDPD(x, y, y)
}

// function generates the kernel. All searches that are not done take a step each in turn, so that one can begin to add up terms while the
// step of the one before still waits for its root and quotients.
func (k secularRoots) function() {
	k.begin("secularRoots"+k.name+k.set(), "finds roots of a secular function, see SecularRoots.")
	k.MOVQ(rootsBlock.at(regArgs, "at"), regPoles)
	k.MOVQ(rootsBlock.at(regArgs, "weights"), regWeights)
	k.constant("one", k.one)
	k.zero(k.zeros)

	k.Label("round")
	k.MOVQ(rootsBlock.at(regArgs, "searches"), regSearch)
	k.MOVQ(rootsBlock.at(regArgs, "count"), regSearches)
	k.XORQ(regBusy, regBusy)
	k.Label("search")
	k.CMPQ(k.field("stepsLeft"), operand.Imm(0))
	k.JE(operand.LabelRef("next"))
	k.INCQ(regBusy)
	k.take("origin", k.origin)
	k.take("x", k.shift)
	k.evaluate()
	k.CMPQ(k.field("started"), operand.Imm(0))
	k.JNE(operand.LabelRef("step"))
	k.start()
	k.INCQ(k.field("started"))
	k.JMP(operand.LabelRef("next"))
	k.Label("step")
	k.step()
	k.DECQ(k.field("stepsLeft"))
	k.allDone("found")
	k.JMP(operand.LabelRef("next"))
	k.Label("found")
	k.MOVQ(operand.U32(0), k.field("stepsLeft"))
	k.Label("next")
	k.ADDQ(operand.U32((len(searchVectors)+1)*searchVectorBytes), regSearch)
	k.DECQ(regSearches)
	k.JNZ(operand.LabelRef("search"))
	k.TESTQ(regBusy, regBusy)
	k.JNZ(operand.LabelRef("round"))
	k.finish()
}

// allDone jumps if all roots are found.
func (k secularRoots) allDone(label string) {
	k.bits(k.done, regLeft)
	k.CMPL(regLeft.As32(), operand.U32(1<<k.lanes()-1))
	k.JEQ(operand.LabelRef(label))
}

// evaluate generates the sums over the poles: first of weight / (x - pole) below and above, then of their slopes. The signs are those of
// x - pole since AVX-512 subtracts what it broadcasts.
func (k secularRoots) evaluate() {
	for _, sum := range k.sums {
		k.zero(sum)
	}
	k.XORQ(regCol, regCol)
	for _, part := range []string{"below", "between", "above"} {
		k.MOVQ(k.field(part), regLeft)
		k.TESTQ(regLeft, regLeft)
		k.JZ(operand.LabelRef(part + "_end"))
		k.Label(part)
		switch inverses := k.inverses(); part {
		case "below":
			k.addTerms(inverses, k.sums[0], k.sums[2])
		case "above":
			k.addTerms(inverses, k.sums[1], k.sums[3])
		default:
			k.addBySign(inverses)
		}
		k.ADDQ(operand.Imm(uint64(polesTogether*k.bytes)), regCol)
		k.SUBQ(operand.Imm(polesTogether), regLeft)
		k.JNZ(operand.LabelRef(part))
		k.Label(part + "_end")
	}
}

// nextPole returns the memory of one of the poles, or weights, that come next.
func (k secularRoots) nextPole(base reg.Register, pole int) operand.Mem {
	return operand.Mem{Base: base, Index: regCol, Scale: 1, Disp: pole * k.bytes}
}

// inverses generates 1 / (x - pole) for the next four poles, with one division, and returns where they are.
func (k secularRoots) inverses() [polesTogether]reg.VecPhysical {
	r := k.registers
	x := [polesTogether]reg.VecPhysical{r[4], r[5], r[6], r[7]}
	for pole := range x {
		if k.wide {
			k.VSUBPD_BCST(k.nextPole(regPoles, pole), k.origin, x[pole])
		} else {
			k.broadcast(k.Context, k.nextPole(regPoles, pole), x[pole])
			k.VSUBPD(x[pole], k.origin, x[pole])
		}
		k.add(k.Context, k.shift, x[pole], x[pole])
	}
	return k.invertFour(k.one, x, r[12], r[13], r[14])
}

// weigh computes term = weight * inverse for one of the next poles.
func (k secularRoots) weigh(pole int, inverse, term reg.VecPhysical) {
	if k.wide {
		k.VMULPD_BCST(k.nextPole(regWeights, pole), inverse, term)
		return
	}
	k.broadcast(k.Context, k.nextPole(regWeights, pole), term)
	k.multiply(k.Context, inverse, term, term)
}

// addTerms adds the terms of the next poles, which are on the same side of all roots, and their slopes. They are added to one another first: sums that
// wait for one another take longer than the terms.
func (k secularRoots) addTerms(inverses [polesTogether]reg.VecPhysical, sum, slope reg.VecPhysical) {
	term, terms, slopes := k.registers[7], k.registers[12], k.registers[13]
	for pole, inverse := range inverses {
		if pole == 0 {
			k.weigh(pole, inverse, terms)
			k.multiply(k.Context, terms, inverse, slopes)
			continue
		}
		k.weigh(pole, inverse, term)
		k.add(k.Context, term, terms, terms)
		k.multiplyAdd(k.Context, term, inverse, slopes)
	}
	k.add(k.Context, terms, sum, sum)
	k.add(k.Context, slopes, slope, slope)
}

// addBySign adds the terms of the next poles, and their slopes, to the sums below or above.
func (k secularRoots) addBySign(inverses [polesTogether]reg.VecPhysical) {
	term, above := k.registers[7], k.registers[12]
	for pole, inverse := range inverses {
		k.weigh(pole, inverse, term)
		if k.wide {
			k.VCMPPD(operand.Imm(compareLess), k.zeros, inverse, k.negative)
			k.VCMPPD(operand.Imm(compareNotLess), k.zeros, inverse, k.positive)
			k.VADDPD(term, k.sums[0], k.positive, k.sums[0])
			k.VADDPD(term, k.sums[1], k.negative, k.sums[1])
			k.multiplyAddMasked(k.Context, term, inverse, k.positive, k.sums[2])
			k.multiplyAddMasked(k.Context, term, inverse, k.negative, k.sums[3])
			continue
		}
		k.VBLENDVPD(inverse, term, k.zeros, above)
		k.VSUBPD(above, term, term)
		k.add(k.Context, term, k.sums[0], k.sums[0])
		k.add(k.Context, above, k.sums[1], k.sums[1])
		k.multiplyAdd(k.Context, term, inverse, k.sums[2])
		k.multiplyAdd(k.Context, above, inverse, k.sums[3])
	}
}

// slopeAndValue leaves the slope in the third of sums and the value of the function in the first. The sum of the moduli of its terms comes
// to moduli, if that is not nil.
func (k secularRoots) slopeAndValue(moduli reg.VecPhysical) {
	value, above, slope := k.sums[0], k.sums[1], k.sums[2]
	k.add(k.Context, k.sums[3], slope, slope)
	if moduli != nil {
		k.VSUBPD(above, value, moduli)
	}
	k.add(k.Context, above, value, value)
	k.constant("inverse", above)
	if moduli != nil {
		k.add(k.Context, above, moduli, moduli)
	}
	k.VSUBPD(value, above, value)
}

// start generates the choice of the origin, the bracket and a first x from the values in the middle.
func (k secularRoots) start() {
	r := k.registers
	f, high, slope, t := r[0], r[1], r[2], r[3]
	nextWeight, near, low, other := r[4], r[5], r[6], r[7]
	upper, beyond := k.maybe, k.rejected
	k.slopeAndValue(nil)

	// The root is closer to the pole above, which the last root does not have.
	k.take("nextWeight", nextWeight)
	k.compare(f, compareLess, k.zeros, upper)
	k.compare(nextWeight, compareEqual, k.zeros, beyond)
	k.without(beyond, upper)
	k.take("near", near)
	k.choose(upper, nextWeight, near)
	k.keep(near, "near")
	k.choose(upper, k.take("next", t), k.origin)
	k.keep(k.origin, "origin")
	k.take("other", other)
	k.VSUBPD(other, k.zeros, t)
	k.choose(upper, t, other)
	k.keep(other, "other")

	// It is between that pole and the middle, the last root maybe behind the middle.
	k.compare(f, compareLess, k.zeros, beyond)
	k.without(upper, beyond)
	k.zero(low)
	k.move(k.Context, k.shift, high)
	k.choose(beyond, k.shift, low)
	k.choose(beyond, other, high)
	k.VSUBPD(k.shift, k.zeros, t)
	k.choose(upper, t, low)
	k.choose(upper, k.zeros, high)
	k.keep(low, "low")
	k.keep(high, "high")
	k.guess(f, slope, nextWeight, near, other)
}

// guess generates the first x: with the weight of the near pole, and that for the other pole which makes the slope right.
func (k secularRoots) guess(f, slope, nextWeight, near, other reg.VecPhysical) {
	r := k.registers
	constant, a, b, far := r[1], r[3], r[6], slope
	k.multiply(k.Context, k.shift, far, far)
	k.multiply(k.Context, k.shift, far, far)
	k.VSUBPD(near, far, far)
	k.maximum(k.Context, k.zeros, far, far)
	k.compare(nextWeight, compareEqual, k.zeros, k.maybe)
	k.choose(k.maybe, k.zeros, far)
	k.constant("half", b)
	k.multiply(k.Context, other, b, b)
	k.VSUBPD(far, near, constant)
	k.VDIVPD(b, constant, constant)
	k.add(k.Context, f, constant, constant)
	k.add(k.Context, near, far, a)
	k.multiplyAdd(k.Context, constant, other, a)
	k.multiply(k.Context, near, other, b)
	k.quadratic(constant, a, b, r[4], r[5])
	k.VDIVPD(constant, a, k.shift)

	low, high := k.take("low", r[4]), k.take("high", r[5])
	middle := r[7]
	k.middle(low, high, middle)
	k.compare(low, compareNotLess, k.shift, k.maybe)
	k.compare(k.shift, compareNotLess, high, k.rejected)
	k.join(k.rejected, k.maybe)
	k.choose(k.maybe, middle, k.shift)
	k.keep(k.shift, "x")
}

// middle computes x = (low + high) / 2.
func (k secularRoots) middle(low, high, x reg.VecPhysical) {
	k.constant("half", x)
	k.VSUBPD(low, high, k.registers[6])
	k.scaleAdd(k.Context, low, k.registers[6], x)
}

// quadratic leaves numerator and denominator of the root of c x^2 - a x + b, see quadraticRoot in core/kernel, in a and c. b, s and t are spoilt.
func (k secularRoots) quadratic(c, a, b, s, t reg.VecPhysical) {
	k.add(k.Context, c, c, c)
	k.add(k.Context, b, b, b)
	k.multiply(k.Context, a, a, s)
	k.multiplySubtract(k.Context, b, c, s)
	k.maximum(k.Context, k.zeros, s, s)
	k.VSQRTPD(s, s)
	k.add(k.Context, s, a, t)
	k.compare(k.zeros, compareLess, a, k.maybe)
	k.VSUBPD(s, a, a)
	k.choose(k.maybe, b, a)
	k.choose(k.maybe, t, c)
}

// step generates one step from the sums at x.
func (k secularRoots) step() {
	r := k.registers
	f, modulus, slope, bound, distance := r[0], r[1], r[2], r[3], r[12]
	k.moveMask(k.field("done"), k.done)
	k.slopeAndValue(bound)
	k.constant("tolerance", r[4])
	k.multiply(k.Context, r[4], bound, bound)
	k.absolute(f, modulus)
	k.absolute(k.shift, distance)
	k.constant("unit", r[4])
	k.multiply(k.Context, distance, r[4], r[4])
	k.multiply(k.Context, slope, r[4], r[4])
	k.compare(modulus, compareLessEqual, bound, k.maybe)
	k.join(k.maybe, k.done)
	k.compare(modulus, compareLessEqual, r[4], k.maybe)
	k.join(k.maybe, k.done)
	k.allDone("found")
	k.multiply(k.Context, distance, bound, bound)

	k.compare(f, compareLess, k.zeros, k.maybe)
	low := k.take("low", r[4])
	k.choose(k.maybe, k.shift, low)
	k.keep(low, "low")
	k.move(k.Context, k.shift, r[5])
	k.choose(k.maybe, k.take("high", r[6]), r[5])
	k.keep(r[5], "high")

	k.interpolate(f, slope)
	k.advance(modulus, slope, bound)
}

// interpolate generates the step from x, to r[4]: to the root of a constant, the near pole with its weight, and the other pole.
func (k secularRoots) interpolate(f, slope reg.VecPhysical) {
	r := k.registers
	otherDistance, distance, far, constant := r[4], r[5], r[6], r[7]
	k.VSUBPD(k.shift, k.take("other", r[4]), otherDistance)
	k.VSUBPD(k.shift, k.zeros, distance)
	k.VDIVPD(distance, k.one, far)
	nearTerm := r[12]
	k.multiply(k.Context, k.take("near", r[12]), far, nearTerm)
	k.scaleSubtract(k.Context, slope, nearTerm, far)
	k.VSUBPD(nearTerm, f, constant)
	k.multiplySubtract(k.Context, otherDistance, far, constant)

	product, a := r[6], r[4]
	k.multiply(k.Context, distance, otherDistance, product)
	k.add(k.Context, distance, otherDistance, a)
	k.multiply(k.Context, f, a, a)
	k.multiplySubtract(k.Context, slope, product, a)
	k.multiply(k.Context, f, product, product)
	k.quadratic(constant, a, product, r[5], r[12])

	// Rounding errors may give the step the wrong sign; Newton's has the right one.
	k.multiply(k.Context, a, f, r[5])
	k.multiply(k.Context, constant, r[5], r[5])
	k.compare(r[5], compareNotLess, k.zeros, k.maybe)
	k.VSUBPD(f, k.zeros, r[5])
	k.choose(k.maybe, r[5], a)
	k.choose(k.maybe, slope, constant)
	k.VDIVPD(constant, a, a)
}

// advance generates the end of a step: it takes the step in r[4], or halves the bracket, and decides whether that is the last.
func (k secularRoots) advance(modulus, slope, bound reg.VecPhysical) {
	r := k.registers
	step, next := r[4], r[5]
	k.add(k.Context, step, k.shift, next)
	k.compare(k.take("low", r[6]), compareNotLess, next, k.rejected)
	k.compare(next, compareNotLess, k.take("high", r[6]), k.maybe)
	k.join(k.maybe, k.rejected)
	k.add(k.Context, modulus, modulus, r[6])
	k.compare(k.take("previous", r[7]), compareLess, r[6], k.maybe)
	k.join(k.maybe, k.rejected)
	k.keep(modulus, "previous")

	k.multiply(k.Context, step, step, step)
	k.multiply(k.Context, slope, step, step)
	k.add(k.Context, step, step, step)
	k.compare(step, compareLessEqual, bound, k.maybe)
	k.without(k.rejected, k.maybe)
	k.bits(k.rejected, regLeft)
	k.TESTL(regLeft.As32(), regLeft.As32())
	k.JZ(operand.LabelRef("accepted"))
	k.halve(next)
	k.Label("accepted")
	k.compare(next, compareEqual, k.shift, k.rejected)
	k.join(k.rejected, k.maybe)
	k.choose(k.done, k.shift, next)
	k.keep(next, "x")
	k.join(k.maybe, k.done)
	k.moveMask(k.done, k.field("done"))
}

// halve replaces next where it was rejected by the geometric mean of the ends of the bracket, or by the arithmetic mean.
func (k secularRoots) halve(next reg.VecPhysical) {
	r := k.registers
	low, high, middle, mean := k.take("low", r[0]), k.take("high", r[1]), r[4], r[7]
	k.middle(low, high, middle)
	k.VDIVPD(low, high, mean)
	k.VSQRTPD(mean, mean)
	k.multiply(k.Context, low, mean, mean)
	k.compare(low, compareNotLess, mean, k.outside)
	k.choose(k.outside, middle, mean)
	k.compare(mean, compareNotLess, high, k.outside)
	k.choose(k.outside, middle, mean)
	k.choose(k.rejected, mean, next)
}
