package hlo

import "trnsci/trnbackend/graph"

// integerRoundedOnce checks that x of s32 is replaced by a number that f32 holds before it is converted to bf16.
func (w *walk) integerRoundedOnce(n *graph.Node) int {
	x, whole := w.operands(n)[0], n.Shape.As(graph.S32)
	step := func(opcode string, operands ...int) int {
		i := w.next(opcode)
		w.same(i, whole, operands)
		return i.ID
	}
	compare := func(direction string, x, y int) int {
		i := w.next("compare")
		w.same(i, n.Shape.As(graph.Pred), []int{x, y})
		if i.Direction != direction {
			w.t.Errorf("%s compares with %s, not %s", i.Name, i.Direction, direction)
		}
		return i.ID
	}
	zero := w.filled(whole, 0)
	low := step("and", x, w.filled(whole, 255))
	isRest := compare("NE", low, zero)
	middle := step("select", isRest, w.filled(whole, 128), zero)
	floor := step("subtract", x, low)
	held := step("add", floor, middle)
	modulus := step("abs", x)
	large := compare("GE", modulus, w.filled(whole, 1<<24))
	chosen := step("select", large, held, x)
	i := w.next("convert")
	w.same(i, n.Shape, []int{chosen})
	return i.ID
}
