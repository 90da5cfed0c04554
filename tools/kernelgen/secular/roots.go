package secular

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var rootsBlock = x86.NewBlock("rootsArgs", "is the block of arguments of the kernels of roots.", []x86.Field{
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
})

// What is in memory for the roots that are sought together: vectors in this order, a root in each lane, and then
// numbers. The declaration of rootSearch in Go has the same order.
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

func newSecularRoots(s set) secularRoots {
	k := secularRoots{secular: newSecular(s), done: reg.K1, rejected: reg.K2, maybe: reg.K3, outside: reg.K4}
	if !s.Wide {
		k.done, k.rejected, k.maybe, k.outside = s.Registers[15], s.Registers[14], s.Registers[13], s.Registers[12]
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
	return operand.Mem{Base: regSearch, Disp: len(searchVectors)*searchVectorBytes + i*x86.FieldBytes}
}

// take loads a vector of the search into x.
func (k secularRoots) take(name string, x reg.VecPhysical) reg.VecPhysical {
	k.Move(k.field(name), x)
	return x
}

func (k secularRoots) keep(x reg.VecPhysical, name string) { k.Move(x, k.field(name)) }

func (k secularRoots) constant(name string, x reg.VecPhysical) {
	k.Broadcast(rootsBlock.Arg(name), x)
}

// compare sets mask where x has the relation to y.
func (k secularRoots) compare(x reg.VecPhysical, relation uint64, y reg.VecPhysical, mask reg.Register) {
	k.VCMPPD(operand.Imm(relation), y, x, mask)
}

// choose moves x to y where mask is set.
func (k secularRoots) choose(mask reg.Register, x, y reg.VecPhysical) {
	if k.Wide {
		k.Move(x, mask, y)
		return
	}
	k.VBLENDVPD(mask, x, y, y)
}

// join sets y where x is set.
func (k secularRoots) join(x, y reg.Register) {
	if k.Wide {
		k.KORW(x, y, y)
		return
	}
	k.VORPD(x, y, y)
}

// without clears y where x is set.
func (k secularRoots) without(x, y reg.Register) {
	if k.Wide {
		k.KANDNW(y, x, y)
		return
	}
	k.VANDNPD(y, x, y)
}

// bits moves a mask to a general register.
func (k secularRoots) bits(mask reg.Register, x reg.Register) {
	if k.Wide {
		k.KMOVW(mask, x.(reg.GPPhysical).As32())
		return
	}
	k.VMOVMSKPD(mask, x.(reg.GPPhysical).As32())
}

// moveMask loads or stores a mask.
func (k secularRoots) moveMask(from, to operand.Op) {
	if k.Wide {
		k.KMOVW(from, to)
		return
	}
	k.VMOVUPD(from, to)
}

// absolute computes y = |x|.
func (k secularRoots) absolute(x, y reg.VecPhysical) {
	k.constant("modulus", y)
	if k.Wide {
		k.VPANDQ(x, y, y)
		return
	}
	k.VANDPD(x, y, y)
}

// function generates the kernel. All searches that are not done take a step each in turn, so that one can begin to add
// up terms while the step of the one before still waits for its root and quotients.
func (k secularRoots) function() {
	k.BeginForSet("roots", rootsBlock, "finds roots of a secular function, see Roots.")
	k.MOVQ(rootsBlock.Arg("at"), regPoles)
	k.MOVQ(rootsBlock.Arg("weights"), regWeights)
	k.constant("one", k.one)
	k.Zero(k.zeros)

	k.Label("round")
	k.MOVQ(rootsBlock.Arg("searches"), regSearch)
	k.MOVQ(rootsBlock.Arg("count"), regSearches)
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
	k.Finish()
}

// allDone jumps if all roots are found.
func (k secularRoots) allDone(label string) {
	k.bits(k.done, x86.RegLeft)
	k.CMPL(x86.RegLeft.As32(), operand.U32(1<<k.lanes()-1))
	k.JEQ(operand.LabelRef(label))
}

// evaluate generates the sums over the poles: first of weight / (x - pole) below and above, then of their slopes. The
// signs are those of x - pole since AVX-512 subtracts what it broadcasts.
func (k secularRoots) evaluate() {
	for _, sum := range k.sums {
		k.Zero(sum)
	}
	k.XORQ(x86.RegCol, x86.RegCol)
	for _, part := range []string{"below", "between", "above"} {
		k.MOVQ(k.field(part), x86.RegLeft)
		k.TESTQ(x86.RegLeft, x86.RegLeft)
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
		k.ADDQ(operand.Imm(uint64(polesTogether*k.Bytes)), x86.RegCol)
		k.SUBQ(operand.Imm(polesTogether), x86.RegLeft)
		k.JNZ(operand.LabelRef(part))
		k.Label(part + "_end")
	}
}

// nextPole returns the memory of one of the poles, or weights, that come next.
func (k secularRoots) nextPole(base reg.Register, pole int) operand.Mem {
	return operand.Mem{Base: base, Index: x86.RegCol, Scale: 1, Disp: pole * k.Bytes}
}

// inverses generates 1 / (x - pole) for the next four poles, with one division, and returns where they are.
func (k secularRoots) inverses() [polesTogether]reg.VecPhysical {
	r := k.Registers
	x := [polesTogether]reg.VecPhysical{r[4], r[5], r[6], r[7]}
	for pole := range x {
		if k.Wide {
			k.VSUBPD_BCST(k.nextPole(regPoles, pole), k.origin, x[pole])
		} else {
			k.Broadcast(k.nextPole(regPoles, pole), x[pole])
			k.VSUBPD(x[pole], k.origin, x[pole])
		}
		k.Add(k.shift, x[pole], x[pole])
	}
	return k.invertFour(k.one, x, r[12], r[13], r[14])
}

// weigh computes term = weight * inverse for one of the next poles.
func (k secularRoots) weigh(pole int, inverse, term reg.VecPhysical) {
	if k.Wide {
		k.VMULPD_BCST(k.nextPole(regWeights, pole), inverse, term)
		return
	}
	k.Broadcast(k.nextPole(regWeights, pole), term)
	k.Multiply(inverse, term, term)
}

// addTerms adds the terms of the next poles, which are on the same side of all roots, and their slopes. They are added
// to one another first: sums that wait for one another take longer than the terms.
func (k secularRoots) addTerms(inverses [polesTogether]reg.VecPhysical, sum, slope reg.VecPhysical) {
	term, terms, slopes := k.Registers[7], k.Registers[12], k.Registers[13]
	for pole, inverse := range inverses {
		if pole == 0 {
			k.weigh(pole, inverse, terms)
			k.Multiply(terms, inverse, slopes)
			continue
		}
		k.weigh(pole, inverse, term)
		k.Add(term, terms, terms)
		k.MultiplyAdd(term, inverse, slopes)
	}
	k.Add(terms, sum, sum)
	k.Add(slopes, slope, slope)
}

// addBySign adds the terms of the next poles, and their slopes, to the sums below or above.
func (k secularRoots) addBySign(inverses [polesTogether]reg.VecPhysical) {
	term, above := k.Registers[7], k.Registers[12]
	for pole, inverse := range inverses {
		k.weigh(pole, inverse, term)
		if k.Wide {
			k.VCMPPD(operand.Imm(x86.CompareLess), k.zeros, inverse, k.negative)
			k.VCMPPD(operand.Imm(x86.CompareNotLess), k.zeros, inverse, k.positive)
			k.VADDPD(term, k.sums[0], k.positive, k.sums[0])
			k.VADDPD(term, k.sums[1], k.negative, k.sums[1])
			k.MultiplyAdd(term, inverse, k.positive, k.sums[2])
			k.MultiplyAdd(term, inverse, k.negative, k.sums[3])
			continue
		}
		k.VBLENDVPD(inverse, term, k.zeros, above)
		k.VSUBPD(above, term, term)
		k.Add(term, k.sums[0], k.sums[0])
		k.Add(above, k.sums[1], k.sums[1])
		k.MultiplyAdd(term, inverse, k.sums[2])
		k.MultiplyAdd(above, inverse, k.sums[3])
	}
}

// slopeAndValue leaves the slope in the third of sums and the value of the function in the first. The sum of the moduli
// of its terms comes to moduli, if that is not nil.
func (k secularRoots) slopeAndValue(moduli reg.VecPhysical) {
	value, above, slope := k.sums[0], k.sums[1], k.sums[2]
	k.Add(k.sums[3], slope, slope)
	if moduli != nil {
		k.VSUBPD(above, value, moduli)
	}
	k.Add(above, value, value)
	k.constant("inverse", above)
	if moduli != nil {
		k.Add(above, moduli, moduli)
	}
	k.VSUBPD(value, above, value)
}

// start generates the choice of the origin, the bracket and a first x from the values in the middle.
func (k secularRoots) start() {
	r := k.Registers
	f, high, slope, t := r[0], r[1], r[2], r[3]
	nextWeight, near, low, other := r[4], r[5], r[6], r[7]
	upper, beyond := k.maybe, k.rejected
	k.slopeAndValue(nil)

	// The root is closer to the pole above, which the last root does not have.
	k.take("nextWeight", nextWeight)
	k.compare(f, x86.CompareLess, k.zeros, upper)
	k.compare(nextWeight, x86.CompareEqual, k.zeros, beyond)
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
	k.compare(f, x86.CompareLess, k.zeros, beyond)
	k.without(upper, beyond)
	k.Zero(low)
	k.Move(k.shift, high)
	k.choose(beyond, k.shift, low)
	k.choose(beyond, other, high)
	k.VSUBPD(k.shift, k.zeros, t)
	k.choose(upper, t, low)
	k.choose(upper, k.zeros, high)
	k.keep(low, "low")
	k.keep(high, "high")
	k.guess(f, slope, nextWeight, near, other)
}

// guess generates the first x: with the weight of the near pole, and that for the other pole which makes the slope
// right.
func (k secularRoots) guess(f, slope, nextWeight, near, other reg.VecPhysical) {
	r := k.Registers
	constant, a, b, far := r[1], r[3], r[6], slope
	k.Multiply(k.shift, far, far)
	k.Multiply(k.shift, far, far)
	k.VSUBPD(near, far, far)
	k.Maximum(k.zeros, far, far)
	k.compare(nextWeight, x86.CompareEqual, k.zeros, k.maybe)
	k.choose(k.maybe, k.zeros, far)
	k.constant("half", b)
	k.Multiply(other, b, b)
	k.VSUBPD(far, near, constant)
	k.VDIVPD(b, constant, constant)
	k.Add(f, constant, constant)
	k.Add(near, far, a)
	k.MultiplyAdd(constant, other, a)
	k.Multiply(near, other, b)
	k.quadratic(constant, a, b, r[4], r[5])
	k.VDIVPD(constant, a, k.shift)

	low, high := k.take("low", r[4]), k.take("high", r[5])
	middle := r[7]
	k.middle(low, high, middle)
	k.compare(low, x86.CompareNotLess, k.shift, k.maybe)
	k.compare(k.shift, x86.CompareNotLess, high, k.rejected)
	k.join(k.rejected, k.maybe)
	k.choose(k.maybe, middle, k.shift)
	k.keep(k.shift, "x")
}

// middle computes x = (low + high) / 2.
func (k secularRoots) middle(low, high, x reg.VecPhysical) {
	k.constant("half", x)
	k.VSUBPD(low, high, k.Registers[6])
	k.ScaleAdd(low, k.Registers[6], x)
}

// quadratic leaves numerator and denominator of the root of c x^2 - a x + b, see quadraticRoot in core/kernel, in a and
// c. b, s and t are spoilt.
func (k secularRoots) quadratic(c, a, b, s, t reg.VecPhysical) {
	k.Add(c, c, c)
	k.Add(b, b, b)
	k.Multiply(a, a, s)
	k.MultiplySubtract(b, c, s)
	k.Maximum(k.zeros, s, s)
	k.VSQRTPD(s, s)
	k.Add(s, a, t)
	k.compare(k.zeros, x86.CompareLess, a, k.maybe)
	k.VSUBPD(s, a, a)
	k.choose(k.maybe, b, a)
	k.choose(k.maybe, t, c)
}
