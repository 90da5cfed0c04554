package bulge

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// squares generates code for squares of a group of reflectColumns, with as many columns as the group has rows. side is
// 4 with AVX2 and 8 with AVX-512. A square is loaded by rows, transposed, reflected by columns, and transposed back:
//
//	column            j  j+1   j+2 ... j+side+1
//	                  pending  columns of the square
//	reflector 0       *  *     *
//	reflector 1          *     *  *
//	reflector side-1                    *  *  *
//	stored            j ...    j+side-1            the last two columns wait for the next square
//
//	registers              AVX2    AVX-512
//	rows, columns          0-3     0-7
//	scratch of transposes  4-7     8-15
//	pending columns        8, 9    16, 17
//	v^T times columns      10      18
//	V1 V2 T0 T1 T2         11-15   19-23
//
// Between reflectSquare and the next square, registers 10 and 11 (18 and 19) save the columns that will be pending.
type squares struct {
	set
	side int
	// A square by rows, another one, the two columns that wait for the next square, the rest.
	rows, free, pending, others []reg.VecPhysical
}

// newSquares takes the registers that hold a row of a square: half of those of AVX-512 for single precision, half of
// those of AVX2 for that, too.
func newSquares(s set) squares {
	side := s.groupRows()
	registers := make([]reg.VecPhysical, len(s.Registers))
	for i, r := range s.Registers {
		switch side * s.Bytes {
		case 64:
			registers[i] = r
		case 32:
			registers[i] = r.AsY().(reg.VecPhysical)
		default:
			registers[i] = x86.Low(r)
		}
	}
	return squares{s, side, registers[:side], registers[side : 2*side], registers[2*side : 2*side+2],
		registers[2*side+2:]}
}

// reflectColumns generates the kernel that applies a run of reflectors to the columns of a group of rows. Squares of
// the group are transposed in registers, so that the elements of a column are in one of them; the last two columns of a
// square wait for the next one.
func (s set) reflectColumns() {
	q := s.openColumns(x86.RegA)
	saved := q.others[:2] // of the registers that reflectors take
	keep := func(columns []reg.VecPhysical) {
		for k, to := range saved {
			q.VMOVAPS(columns[q.side-2+k], to)
		}
	}
	wait := func() {
		for k, from := range saved {
			q.VMOVAPS(from, q.pending[k])
		}
	}
	columns := q.loadFirst()
	for k, to := range q.pending {
		q.VMOVAPS(columns[k], to)
	}
	q.CMPQ(chaseField("chunks"), operand.Imm(0))
	q.JEQ(operand.LabelRef("rest"))
	q.Label("chunk")
	columns = q.loadColumns("")
	q.reflectSquare(columns, "")
	keep(columns)
	q.storeColumns(columns, "")
	wait()
	q.ADDQ(operand.Imm(uint64(q.side*q.Bytes)), x86.RegA)
	q.ADDQ(operand.U32(5*q.side*q.Bytes), x86.RegFactors)
	q.DECQ(chaseField("chunks"))
	q.JNZ(operand.LabelRef("chunk"))
	q.Label("rest")
	q.MOVQ(chaseField("rest"), regTimes)
	q.TESTQ(regTimes, regTimes)
	q.JZ(operand.LabelRef("final"))
	columns = q.loadColumns("rest")
	q.reflectSquare(columns, "reflected")
	q.Label("reflected")
	keep(columns)
	q.storeColumns(columns, "last")
	wait()
	q.ADDQ(operand.Imm(uint64(q.side*q.Bytes)), x86.RegA)
	q.Label("final")
	q.storeColumns(columns, "final")
	q.Finish()
}

// reflectColumnsOfGroups generates reflectColumns for several groups of rows, which take turns with each square, so
// that one group can go on while another waits for the reflector before. Their pending columns are in memory meanwhile.
func (s set) reflectColumnsOfGroups() {
	q := s.openColumns(regTopRow)
	waiting := func(k int) operand.Mem { return operand.Mem{Base: regPending, Disp: k * q.VectorBytes} }
	wait := func(columns []reg.VecPhysical) {
		for k := range q.pending {
			q.Move(columns[k], waiting(k))
		}
	}
	goOn := func() {
		for k, column := range q.pending {
			q.Move(waiting(k), column)
		}
	}
	square := func(name, store string) {
		goOn()
		columns := q.loadColumns(name)
		if name == "" {
			q.reflectSquare(columns, "")
		} else {
			q.reflectSquare(columns, "reflected")
			q.Label("reflected")
		}
		wait(columns[q.side-2:])
		q.storeColumns(columns, store)
	}
	next := func() { q.ADDQ(operand.Imm(uint64(q.side*q.Bytes)), regTopRow) }
	begin := func() { wait(q.loadFirst()) }
	q.MOVQ(chaseField("atFirst"), regBegun)
	q.eachGroup("first", begin)
	q.CMPQ(chaseField("chunks"), operand.Imm(0))
	q.JEQ(operand.LabelRef("rest"))
	q.Label("chunk")
	q.eachGroup("whole", func() { square("", "") })
	next()
	q.ADDQ(operand.U32(5*q.side*q.Bytes), x86.RegFactors)
	q.CMPQ(regBegun, chaseField("groups"))
	q.JEQ(operand.LabelRef("begun"))
	q.ADDQ(operand.Imm(uint64(q.side*q.Bytes)), x86.RegA) // which has come to the next group
	begin()
	q.INCQ(regBegun)
	q.Label("begun")
	q.DECQ(chaseField("chunks"))
	q.JNZ(operand.LabelRef("chunk"))
	q.Label("rest")
	q.CMPQ(chaseField("rest"), operand.Imm(0))
	q.JEQ(operand.LabelRef("final"))
	q.eachGroup("part", func() {
		q.MOVQ(chaseField("rest"), regTimes)
		square("rest", "last")
	})
	next()
	q.Label("final")
	q.eachGroup("end", func() {
		goOn()
		q.storeColumns(q.rows, "final")
	})
	q.Finish()
}

// openColumns begins the kernel; the first row goes to the given register.
func (s set) openColumns(first reg.Register) squares {
	q := newSquares(s)
	q.Begin("reflectColumns", false, chaseBlock, "applies reflectors to columns, see ReflectColumns.")
	q.MOVQ(chaseField("a"), first)
	q.MOVQ(chaseField("stride"), x86.RegRowA)
	q.MOVQ(chaseField("reflectors"), x86.RegFactors)
	x86.StridesA.Multiply(q.Context)
	return q
}

// loadFirst returns registers with the two columns that regA points to.
func (q squares) loadFirst() []reg.VecPhysical {
	for i, r := range q.rows {
		q.MoveTwo(x86.ElementA(i), r.AsX())
	}
	columns, _ := q.transposed(q.rows, q.free)
	return columns
}

// eachGroup generates a loop over the groups that have begun.
func (q squares) eachGroup(label string, body func()) {
	q.MOVQ(regTopRow, x86.RegA)
	q.MOVQ(chaseField("pending"), regPending)
	q.MOVQ(regBegun, regGroups)
	q.Label("group_" + label)
	body()
	q.LEAQ(operand.Mem{Base: x86.RegA, Index: x86.RegRowA, Scale: uint8(q.side)}, x86.RegA)
	q.ADDQ(operand.Imm(uint64(len(q.pending)*q.VectorBytes)), regPending)
	q.DECQ(regGroups)
	q.JNZ(operand.LabelRef("group_" + label))
}

// selected prepares loads or stores of the elements that the fields of that name select; all are for no name.
func (q squares) selected(name string) (rest bool) {
	if name == "" {
		return false
	}
	if q.Wide {
		q.KMOVW(chaseField(name+"Mask"), x86.RestMask)
		return true
	}
	q.MOVQ(chaseField(name+"Lanes"), x86.RegLeft)
	q.Move(operand.Mem{Base: x86.RegLeft}, q.laneRegister(x86.RestLanes))
	return true
}

// laneRegister returns the part of the register that masks a row of a square.
func (q squares) laneRegister(r reg.VecPhysical) reg.VecPhysical {
	if q.side*q.Bytes == 16 {
		return x86.Low(r)
	}
	return r
}

// loadColumns returns registers with the columns of the square that begins two columns after regA.
func (q squares) loadColumns(name string) []reg.VecPhysical {
	rest := q.selected(name)
	for i, r := range q.rows {
		from := x86.ElementA(i).Offset(2 * q.Bytes)
		switch {
		case !rest:
			q.Move(from, r)
		case q.Wide:
			q.LoadMasked(from, x86.RestMask, r)
		default:
			q.MoveLanes(from, q.laneRegister(x86.RestLanes), r)
		}
	}
	columns, _ := q.transposed(q.rows, q.free)
	return columns
}

// reflectSquare applies side reflectors to the pending columns and those of the square. With a label it goes there
// after regTimes reflectors.
func (q squares) reflectSquare(columns []reg.VecPhysical, label string) {
	m := arithmetic{set: q.set}
	run := append(append([]reg.VecPhysical{}, q.pending...), columns...)
	t := q.others[0]
	c := newCoefficients(q.others[1:])
	for k := range q.side {
		for i, x := range c.all() {
			q.Broadcast(operand.Mem{Base: x86.RegFactors, Disp: (5*k + i) * q.Bytes}, x)
		}
		m.reflect(c, run[k], run[k+1], run[k+2], t)
		if label != "" && k+1 < q.side {
			q.DECQ(regTimes)
			q.JZ(operand.LabelRef(label))
		}
	}
}

// storeColumns stores the pending columns and those of the square, all but the last two, as rows from regA on.
func (q squares) storeColumns(columns []reg.VecPhysical, name string) {
	square := append(append([]reg.VecPhysical{}, q.pending...), columns[:q.side-2]...)
	var free []reg.VecPhysical
	for _, r := range append(append([]reg.VecPhysical{}, q.rows...), q.free...) {
		used := false
		for _, x := range square {
			used = used || x == r
		}
		if !used {
			free = append(free, r)
		}
	}
	rows, _ := q.transposed(square, free[:q.side])
	rest := q.selected(name)
	for i, r := range rows {
		to := x86.ElementA(i)
		switch {
		case !rest:
			q.Move(r, to)
		case q.Wide:
			q.Move(r, x86.RestMask, to)
		default:
			q.MoveLanes(r, q.laneRegister(x86.RestLanes), to)
		}
	}
}

// transposed returns registers with the transpose of the square in x, and side other registers. It overwrites x and t.
func (q squares) transposed(x, t []reg.VecPhysical) (result, others []reg.VecPhysical) {
	for i := 0; i < q.side; i += 2 { // interleave two rows
		q.UnpackLow(x[i+1], x[i], t[i])
		q.UnpackHigh(x[i+1], x[i], t[i+1])
	}
	if !q.Double { // interleave four rows
		for i := 0; i < q.side; i += 4 {
			for k := range 2 {
				q.VUNPCKLPD(t[i+k+2], t[i+k], x[i+2*k])
				q.VUNPCKHPD(t[i+k+2], t[i+k], x[i+2*k+1])
			}
		}
		x, t = t, x
	}
	const lowHalves, highHalves = 0x20, 0x31
	const even, odd = 0x88, 0xdd
	switch {
	case q.side == 4 && !q.Double:
		return t, x
	case q.side == 4:
		for k := range 2 {
			q.VPERM2F128(operand.Imm(lowHalves), t[2+k], t[k], x[k])
			q.VPERM2F128(operand.Imm(highHalves), t[2+k], t[k], x[2+k])
		}
		return x, t
	case !q.Double:
		for k := range 4 {
			q.VSHUFF64X2(operand.Imm(0), t[4+k], t[k], x[k])
			q.VSHUFF64X2(operand.Imm(3), t[4+k], t[k], x[4+k])
		}
		return x, t
	}
	for k := range 2 {
		q.VSHUFF64X2(operand.Imm(even), t[2+k], t[k], x[k])
		q.VSHUFF64X2(operand.Imm(odd), t[2+k], t[k], x[2+k])
		q.VSHUFF64X2(operand.Imm(even), t[6+k], t[4+k], x[4+k])
		q.VSHUFF64X2(operand.Imm(odd), t[6+k], t[4+k], x[6+k])
	}
	for k := range 4 { // column k and column k+4, the even and the odd quarters of the pairs
		q.VSHUFF64X2(operand.Imm(even), x[4+k], x[k], t[k])
		q.VSHUFF64X2(operand.Imm(odd), x[4+k], x[k], t[4+k])
	}
	return t, x
}
