package condense

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

var tridiagBlock = x86.NewBlock("tridiagArgs", "is the block of arguments of the kernels of TridiagStep.", []x86.Field{
	{"a", "unsafe.Pointer", "first element of the rows"},
	{"v", "unsafe.Pointer", "the vectors, from column 0 on"},
	{"w", "unsafe.Pointer", ""},
	{"x", "unsafe.Pointer", ""},
	{"y", "unsafe.Pointer", ""},
	{"lanes", "unsafe.Pointer", "AVX2: what begins n bytes before selects the first n bytes of a vector"},
	{"signs", "unsafe.Pointer", "complex: a vector of the sign bits of imaginary parts"},
	{"stride", "int", "bytes from a row to the next"},
	{"first", "int", "bytes from column 0 to the diagonal element of the first row"},
	{"groups", "int", "groups of rows; used up by the kernel"},
})

func tridiagField(name string) operand.Mem { return tridiagBlock.Arg(name) }

// General registers of the kernels of reductions.
var (
	regEnd   = reg.R15 // bytes from column 0 to the part of the diagonal that the group has
	regMasks = reg.RCX // AVX2: the lanes
)

// tridiagStep generates the pass over a triangle, see TridiagStep. It takes a few rows together, a group, and works
// through their columns by vectors. Some groups share the columns of a vector: their parts of the diagonal have
// different places in it, and there is a piece of code for each place.
//
// A complex matrix is taken as rows of pairs of real numbers. With the broadcasts of the parts of v_i, w_i and x_i,
// with conj(v) = (re, -im) and v' = (im, re),
//
//	a -= re(v_i) conj(w) + im(v_i) w' + re(w_i) conj(v) + im(w_i) v'
//	y += conj(sum_i re(x_i) a) + (sum_i im(x_i) a)'
//
// and the parts of sum_j a_j x_j are sums over the products of all pairs with conj(x) and x'.
//
//	registers           AVX2   complex  AVX-512  complex
//	spare                  0      0        0        0
//	sums, one per number  1-4    1-4      1-8      1-8     sum_j a_j x_j of each row of the group
//	x, v, w of columns    5-7    5-10     9-11     9-14
//	y of columns          8, 9   11, 12  12, 13   15, 16
//	sign                         13                17
//	x of the rows        10-13           14-21    18-25    broadcast; v and w of the rows stay in memory
//	selected lanes        14     14
//	a, rows in turn       15     15      22-31    26-31
type tridiagStep struct {
	set
	complex bool
	rows    int // of a group
	parts   int // real numbers of an element
	lanes   int // real numbers of a vector

	sums     []reg.VecPhysical // one for each real number that a vector of the matrix's order has for the rows
	ofX      []reg.VecPhysical // those numbers of x; nil if registers do not suffice
	x, v, w  []reg.VecPhysical // a vector; complex: the two made of it
	y0, y1   reg.VecPhysical   // two sums for y
	sign     reg.VecPhysical   // complex: the sign bits of the imaginary parts
	selected reg.VecPhysical   // AVX2: lanes of a row
	a        []reg.VecPhysical // rows in turn
	spare    reg.VecPhysical
	masks    int // AVX-512: masks that have been made
}

func newTridiagStep(s set, isComplex bool) *tridiagStep {
	count := 4 // registers for the sums of a group
	if s.Wide {
		count = 8
	}
	r := &tridiagStep{set: s, complex: isComplex, parts: 1, lanes: s.VectorBytes / s.Bytes}
	if isComplex {
		r.parts = 2
	}
	r.rows = count / r.parts
	free := s.Registers
	take := func(n int) []reg.VecPhysical {
		taken := free[:n]
		free = free[n:]
		return taken
	}
	r.spare = take(1)[0]
	r.sums, r.x, r.v, r.w = take(count), take(r.parts), take(r.parts), take(r.parts)
	r.y0, r.y1 = take(1)[0], take(1)[0]
	if isComplex {
		r.sign = take(1)[0]
	}
	if s.Wide || !isComplex {
		r.ofX = take(count)
	}
	if !s.Wide {
		r.selected = take(1)[0]
	}
	r.a = free
	return r
}

func (r *tridiagStep) function() {
	r.Begin("tridiagStep", r.complex, tridiagBlock, "does the work of TridiagStep.")
	r.MOVQ(tridiagField("a"), x86.RegGroup)
	r.MOVQ(tridiagField("v"), regV)
	r.MOVQ(tridiagField("w"), regW)
	r.MOVQ(tridiagField("x"), regX)
	r.MOVQ(tridiagField("y"), regY)
	r.MOVQ(tridiagField("first"), regEnd)
	r.MOVQ(tridiagField("stride"), x86.RegRowA)
	x86.StridesA.Multiply(r.Context)
	if !r.Wide {
		r.MOVQ(tridiagField("lanes"), regMasks)
	}
	if r.complex {
		r.MOVQ(tridiagField("signs"), x86.RegA)
		r.Move(operand.Mem{Base: x86.RegA}, r.sign)
	}
	count := len(r.sums)
	for place := 0; place < r.lanes; place += count {
		r.group(place)
		r.LEAQ(operand.Mem{Base: x86.RegGroup, Index: x86.RegRowA, Scale: uint8(r.rows)}, x86.RegGroup)
		if place+count == r.lanes {
			r.ADDQ(operand.U32(r.VectorBytes), regEnd)
			r.DECQ(tridiagField("groups"))
			r.JNZ(operand.LabelRef(groupLabel(0)))
		} else {
			r.DECQ(tridiagField("groups"))
			r.JZ(operand.LabelRef("done"))
		}
	}
	r.Label("done")
	r.Finish()
}

func groupLabel(place int) string { return fmt.Sprintf("group%d", place) }

// group generates the work on a group whose part of the diagonal begins in a lane of the vector at regEnd.
func (r *tridiagStep) group(place int) {
	label := groupLabel(place)
	r.Label(label)
	for _, sum := range r.sums {
		r.Zero(sum)
	}
	for k, factor := range r.ofX {
		r.Broadcast(r.ofRow(regX, place+k), factor)
	}
	r.MOVQ(x86.RegGroup, x86.RegA)
	r.XORQ(x86.RegCol, x86.RegCol)
	r.TESTQ(regEnd, regEnd)
	r.JZ(operand.LabelRef(label + "_diagonal"))
	r.Label(label + "_beside")
	r.step(place, false)
	r.StoreVector(r.y0, false, r.ofColumns(regY))
	r.ADDQ(operand.U32(r.VectorBytes), x86.RegA)
	r.ADDQ(operand.U32(r.VectorBytes), x86.RegCol)
	r.CMPQ(x86.RegCol, regEnd)
	r.JLT(operand.LabelRef(label + "_beside"))
	r.Label(label + "_diagonal")
	r.step(place, true)
	r.addSums(place)
	r.StoreVector(r.y0, false, r.ofColumns(regY))
}

// ofRow returns element k, counted in real numbers from regEnd on, of the vector at base.
func (r *tridiagStep) ofRow(base reg.Register, k int) operand.Mem {
	return operand.Mem{Base: base, Index: regEnd, Scale: 1, Disp: k * r.Bytes}
}

// ofColumns returns what such a vector has for the columns being worked on.
func (r *tridiagStep) ofColumns(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: x86.RegCol, Scale: 1}
}

// step works on one vector of columns of all rows and leaves the new y in y0. On the diagonal, elements above it are
// updated like the others, but have no part in sums and y.
func (r *tridiagStep) step(place int, diagonal bool) {
	const ahead = 128 // bytes to the right in a row that are prefetched
	r.loadVectors()
	for i := range r.rows {
		a, row := r.a[i%len(r.a)], x86.ElementA(i)
		if !diagonal {
			r.PREFETCHT0(row.Offset(ahead)) // only an address is formed
		}
		r.LoadVector(row, false, a)
		for part := range r.parts {
			k := r.parts*i + part
			r.subtractMultiple(r.ofRow(regV, place+k), r.w[part], a)
			r.subtractMultiple(r.ofRow(regW, place+k), r.v[part], a)
		}
		r.StoreVector(a, false, row)
		end := r.lanes // of the lanes that are left of the diagonal
		if diagonal {
			end = place + r.parts*i
		}
		for part, x := range r.x {
			k := r.parts*i + part
			r.accumulate(min(end+1, r.lanes), a, x, r.sums[k])
			r.accumulate(end, a, r.factor(place, k), []reg.VecPhysical{r.y0, r.y1}[k%2])
		}
	}
	r.mergeY()
}

// loadVectors loads or makes x, v and w of the columns and begins the two sums for y.
func (r *tridiagStep) loadVectors() {
	r.LoadVector(r.ofColumns(regX), false, r.x[0])
	r.LoadVector(r.ofColumns(regV), false, r.v[0])
	r.LoadVector(r.ofColumns(regW), false, r.w[0])
	r.Zero(r.y1)
	if !r.complex {
		r.LoadVector(r.ofColumns(regY), false, r.y0)
		return
	}
	r.Zero(r.y0)
	for _, pair := range [][]reg.VecPhysical{r.x, r.v, r.w} {
		r.Exchange(pair[0], pair[1])
		r.ExclusiveOr(r.sign, pair[0])
	}
}

// mergeY makes the new y of its two sums.
func (r *tridiagStep) mergeY() {
	if r.complex {
		r.ExclusiveOr(r.sign, r.y0)
		r.Exchange(r.y1, r.y1)
		r.LoadVector(r.ofColumns(regY), false, r.spare)
		r.Add(r.spare, r.y0, r.y0)
	}
	r.Add(r.y1, r.y0, r.y0)
}

// factor returns a register with the broadcast real number k of x for the rows.
func (r *tridiagStep) factor(place, k int) reg.VecPhysical {
	if r.ofX != nil {
		return r.ofX[k]
	}
	r.Broadcast(r.ofRow(regX, place+k), r.spare)
	return r.spare
}

// subtractMultiple computes a -= factor x for a factor in memory.
func (r *tridiagStep) subtractMultiple(factor operand.Mem, x, a reg.VecPhysical) {
	if r.Wide {
		r.SubtractBroadcast(factor, x, a)
		return
	}
	r.Broadcast(factor, r.spare)
	r.MultiplySubtract(r.spare, x, a)
}

// firstLanes returns a mask of AVX-512 for the first lanes of a vector.
func (r *tridiagStep) firstLanes(count int) reg.Register {
	mask := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}[r.masks%7]
	r.masks++
	r.MOVL(operand.U32(1<<count-1), regMasks.As32())
	r.KMOVW(regMasks.As32(), mask)
	return mask
}

// accumulate computes sum += a x in the first lanes.
func (r *tridiagStep) accumulate(lanes int, a, x, sum reg.VecPhysical) {
	switch {
	case lanes == r.lanes:
		r.MultiplyAdd(a, x, sum)
	case lanes == 0:
	case r.Wide:
		r.MultiplyAdd(a, x, r.firstLanes(lanes), sum)
	default:
		r.VANDPD(operand.Mem{Base: regMasks, Disp: -lanes * r.Bytes}, a, r.selected)
		r.MultiplyAdd(r.selected, x, sum)
	}
}

// addSums adds the sums of the rows to y0, in the lanes from place on.
func (r *tridiagStep) addSums(place int) {
	sums := r.sumsInLanes()
	if r.Wide {
		const even, odd = 0b10_00_10_00, 0b11_01_11_01
		for range 2 { // four times 128 bits become two, and one
			var next []reg.VecPhysical
			for k := 0; k < len(sums); k += 2 {
				x, y := sums[k], sums[min(k+1, len(sums)-1)]
				r.VSHUFF64X2(operand.Imm(even), y, x, r.spare)
				r.VSHUFF64X2(operand.Imm(odd), y, x, x)
				r.Add(r.spare, x, x)
				next = append(next, x)
			}
			sums = next
		}
	} else {
		const low, high = 0x20, 0x31
		x, y := sums[0], sums[len(sums)-1]
		r.VPERM2F128(operand.Imm(low), y, x, r.spare)
		r.VPERM2F128(operand.Imm(high), y, x, x)
		r.Add(r.spare, x, x)
	}
	// The sums stand there once or, in turn, some times.
	x, count := sums[0], len(r.sums)
	switch bits := (1<<count - 1) << place; {
	case count == r.lanes:
		r.Add(x, r.y0, r.y0)
	case r.Wide:
		r.MOVL(operand.U32(uint32(bits)), regMasks.As32())
		r.KMOVW(regMasks.As32(), reg.K1)
		r.Add(x, r.y0, reg.K1, r.y0)
	default:
		r.Zero(r.spare)
		r.VBLENDPS(operand.Imm(uint64(bits)), x, r.spare, x)
		r.Add(x, r.y0, r.y0)
	}
}

// sumsInLanes adds up the elements of each sum until every 128 bits of the registers that it returns are full of
// different sums.
func (r *tridiagStep) sumsInLanes() []reg.VecPhysical {
	pairs := func(sums []reg.VecPhysical, e x86.Element) (half []reg.VecPhysical) {
		for k := 0; k < len(sums); k += 2 {
			x, y := sums[k], sums[k+1]
			r.With(e).UnpackLow(y, x, r.spare)
			r.With(e).UnpackHigh(y, x, x)
			r.Add(r.spare, x, x)
			half = append(half, x)
		}
		return half
	}
	half := pairs(r.sums, r.Element)
	if r.Double {
		return half
	}
	return pairs(half, x86.Float64) // two singles are moved like one double
}
