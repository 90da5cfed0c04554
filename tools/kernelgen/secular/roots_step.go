package secular

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// step generates one step from the sums at x.
func (k secularRoots) step() {
	r := k.Registers
	f, modulus, slope, bound, distance := r[0], r[1], r[2], r[3], r[12]
	k.moveMask(k.field("done"), k.done)
	k.slopeAndValue(bound)
	k.constant("tolerance", r[4])
	k.Multiply(r[4], bound, bound)
	k.absolute(f, modulus)
	k.absolute(k.shift, distance)
	k.constant("unit", r[4])
	k.Multiply(distance, r[4], r[4])
	k.Multiply(slope, r[4], r[4])
	k.compare(modulus, x86.CompareLessEqual, bound, k.maybe)
	k.join(k.maybe, k.done)
	k.compare(modulus, x86.CompareLessEqual, r[4], k.maybe)
	k.join(k.maybe, k.done)
	k.allDone("found")
	k.Multiply(distance, bound, bound)

	k.compare(f, x86.CompareLess, k.zeros, k.maybe)
	low := k.take("low", r[4])
	k.choose(k.maybe, k.shift, low)
	k.keep(low, "low")
	k.Move(k.shift, r[5])
	k.choose(k.maybe, k.take("high", r[6]), r[5])
	k.keep(r[5], "high")

	k.interpolate(f, slope)
	k.advance(modulus, slope, bound)
}

// interpolate generates the step from x, to r[4]: to the root of a constant, the near pole with its weight, and the
// other pole.
func (k secularRoots) interpolate(f, slope reg.VecPhysical) {
	r := k.Registers
	otherDistance, distance, far, constant := r[4], r[5], r[6], r[7]
	k.VSUBPD(k.shift, k.take("other", r[4]), otherDistance)
	k.VSUBPD(k.shift, k.zeros, distance)
	k.VDIVPD(distance, k.one, far)
	nearTerm := r[12]
	k.Multiply(k.take("near", r[12]), far, nearTerm)
	k.ScaleSubtract(slope, nearTerm, far)
	k.VSUBPD(nearTerm, f, constant)
	k.MultiplySubtract(otherDistance, far, constant)

	product, a := r[6], r[4]
	k.Multiply(distance, otherDistance, product)
	k.Add(distance, otherDistance, a)
	k.Multiply(f, a, a)
	k.MultiplySubtract(slope, product, a)
	k.Multiply(f, product, product)
	k.quadratic(constant, a, product, r[5], r[12])

	// Rounding errors may give the step the wrong sign; Newton's has the right one.
	k.Multiply(a, f, r[5])
	k.Multiply(constant, r[5], r[5])
	k.compare(r[5], x86.CompareNotLess, k.zeros, k.maybe)
	k.VSUBPD(f, k.zeros, r[5])
	k.choose(k.maybe, r[5], a)
	k.choose(k.maybe, slope, constant)
	k.VDIVPD(constant, a, a)
}

// advance generates the end of a step: it takes the step in r[4], or halves the bracket, and decides whether that is
// the last.
func (k secularRoots) advance(modulus, slope, bound reg.VecPhysical) {
	r := k.Registers
	step, next := r[4], r[5]
	k.Add(step, k.shift, next)
	k.compare(k.take("low", r[6]), x86.CompareNotLess, next, k.rejected)
	k.compare(next, x86.CompareNotLess, k.take("high", r[6]), k.maybe)
	k.join(k.maybe, k.rejected)
	k.Add(modulus, modulus, r[6])
	k.compare(k.take("previous", r[7]), x86.CompareLess, r[6], k.maybe)
	k.join(k.maybe, k.rejected)
	k.keep(modulus, "previous")

	k.Multiply(step, step, step)
	k.Multiply(slope, step, step)
	k.Add(step, step, step)
	k.compare(step, x86.CompareLessEqual, bound, k.maybe)
	k.without(k.rejected, k.maybe)
	k.bits(k.rejected, x86.RegLeft)
	k.TESTL(x86.RegLeft.As32(), x86.RegLeft.As32())
	k.JZ(operand.LabelRef("accepted"))
	k.halve(next)
	k.Label("accepted")
	k.compare(next, x86.CompareEqual, k.shift, k.rejected)
	k.join(k.rejected, k.maybe)
	k.choose(k.done, k.shift, next)
	k.keep(next, "x")
	k.join(k.maybe, k.done)
	k.moveMask(k.done, k.field("done"))
}

// halve replaces next where it was rejected by the geometric mean of the ends of the bracket, or by the arithmetic
// mean.
func (k secularRoots) halve(next reg.VecPhysical) {
	r := k.Registers
	low, high, middle, mean := k.take("low", r[0]), k.take("high", r[1]), r[4], r[7]
	k.middle(low, high, middle)
	k.VDIVPD(low, high, mean)
	k.VSQRTPD(mean, mean)
	k.Multiply(low, mean, mean)
	k.compare(low, x86.CompareNotLess, mean, k.outside)
	k.choose(k.outside, middle, mean)
	k.compare(mean, x86.CompareNotLess, high, k.outside)
	k.choose(k.outside, middle, mean)
	k.choose(k.rejected, mean, next)
}
