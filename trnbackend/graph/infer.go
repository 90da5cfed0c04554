package graph

import (
	"fmt"
	"math"
	"slices"
)

// infer returns the shape of a node's result from those of its operands, or what is wrong with the node. Where the caller chooses a part of the
// shape, n.Shape has it.
func (n *Node) infer(in []Shape) (Shape, error) {
	if err := n.checkCount(len(in)); err != nil {
		return Shape{}, err
	}
	switch {
	case n.Op == Parameter || n.Op == Constant || n.Op == Iota:
		return n.inferSource()
	case n.Op.IsUnary():
		return n.inferUnary(in[0])
	case n.Op.IsBinary():
		return n.inferBinary(in[0], in[1])
	case n.Op.IsReduce():
		return n.inferReduce(in[0])
	}
	switch n.Op {
	case Select:
		return inferSelect(in[0], in[1], in[2])
	case Dot:
		return n.inferDot(in[0], in[1])
	case Broadcast:
		return n.inferBroadcast(in[0])
	case Reshape:
		return n.inferReshape(in[0])
	case Transpose:
		return n.inferTranspose(in[0])
	case Slice:
		return n.inferSlice(in[0])
	case DynamicSlice:
		return n.inferDynamicSlice(in[0], in[1:])
	case DynamicUpdateSlice:
		return inferDynamicUpdate(in[0], in[1], in[2:])
	case GatherRows:
		return inferGather(in[0], in[1])
	case Concatenate:
		return n.inferConcatenate(in)
	case Pad:
		return n.inferPad(in[0], in[1])
	}
	return Shape{}, fmt.Errorf("there is no such operation")
}

func (n *Node) checkCount(operands int) error {
	want := operands
	switch {
	case n.Op <= Iota:
		want = 0
	case n.Op.IsUnary() || n.Op.IsReduce() || n.Op == Broadcast || n.Op == Reshape || n.Op == Transpose || n.Op == Slice:
		want = 1
	case n.Op.IsBinary() || n.Op == Dot || n.Op == GatherRows || n.Op == Pad:
		want = 2
	case n.Op == Select:
		want = 3
	case operands == 0 || operands == 1 && n.Op == DynamicUpdateSlice:
		return fmt.Errorf("%d operands", operands)
	}
	if operands != want {
		return fmt.Errorf("%d operands, not %d", operands, want)
	}
	return nil
}

// mostElements is the limit of an array's size, and of a dimension: bytes and sums of a few such numbers fit an int64.
const mostElements = 1 << 48

// Check refuses types that do not exist, negative dimensions and more elements than any memory holds.
func (s Shape) Check() error {
	if s.DType >= dtypeCount {
		return fmt.Errorf("type %d does not exist", s.DType)
	}
	return checkDims(s)
}

func checkDims(s Shape) error {
	size := 1
	for _, d := range s.Dims {
		if d < 0 || d > mostElements {
			return fmt.Errorf("the dimensions %v", s.Dims)
		}
		if max(d, 1) > mostElements/size {
			return fmt.Errorf("the dimensions %v give too many elements", s.Dims)
		}
		size *= max(d, 1)
	}
	return nil
}

func (n *Node) inferSource() (Shape, error) {
	if err := n.Shape.Check(); err != nil {
		return Shape{}, err
	}
	switch {
	case n.Op == Constant && len(n.Literal) != n.Shape.Size():
		return Shape{}, fmt.Errorf("%d elements for %s", len(n.Literal), n.Shape)
	case n.Op == Iota && (len(n.Dims) != 1 || n.Dims[0] < 0 || n.Dims[0] >= n.Shape.Rank()):
		return Shape{}, fmt.Errorf("dimension %v of %s", n.Dims, n.Shape)
	case n.Op == Iota && !n.Shape.DType.IsNumber():
		return Shape{}, fmt.Errorf("indices of type %s", n.Shape.DType)
	case n.Op == Iota && n.Shape.DType == S32 && n.Shape.Dims[n.Dims[0]] > math.MaxInt32+1:
		return Shape{}, fmt.Errorf("indices of %s pass the largest integer", n.Shape)
	}
	return n.Shape, nil
}

func (n *Node) inferUnary(x Shape) (Shape, error) {
	d := x.DType
	switch n.Op {
	case Convert:
		if n.Shape.DType >= dtypeCount {
			return Shape{}, fmt.Errorf("type %d does not exist", n.Shape.DType)
		}
		return x.As(n.Shape.DType), nil
	case Not:
		return x, need(d == Pred, "%s is not a predicate", x)
	case Negate, Abs, Sign:
		return x, need(d.IsNumber(), "%s has no arithmetic", x)
	}
	return x, need(d.IsFloat(), "%s is not of a floating-point type", x)
}

func need(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (n *Node) inferBinary(x, y Shape) (Shape, error) {
	if !x.Equal(y) {
		return Shape{}, fmt.Errorf("operands %s and %s differ", x, y)
	}
	switch n.Op {
	case And, Or:
		return x, need(x.DType == Pred, "%s is not a predicate", x)
	case Compare:
		return x.As(Pred), need(n.Direction < directionCount, "direction %d does not exist", n.Direction)
	}
	return x, need(x.DType.IsNumber(), "%s has no arithmetic", x)
}

func inferSelect(p, x, y Shape) (Shape, error) {
	if p.DType != Pred || !x.Equal(y) || !slices.Equal(p.Dims, x.Dims) {
		return Shape{}, fmt.Errorf("cannot choose between %s and %s by %s", x, y, p)
	}
	return x, nil
}

func (n *Node) inferReduce(x Shape) (Shape, error) {
	if err := checkAxes(n.Dims, x); err != nil {
		return Shape{}, err
	}
	if !slices.IsSorted(n.Dims) {
		return Shape{}, fmt.Errorf("dimensions %v of %s do not increase", n.Dims, x)
	}
	return without(x, n.Dims), need(x.DType.IsNumber(), "%s has no arithmetic", x)
}

// checkAxes requires different dimensions of x.
func checkAxes(axes []int, x Shape) error {
	for i, a := range axes {
		if a < 0 || a >= x.Rank() || slices.Contains(axes[:i], a) {
			return fmt.Errorf("dimensions %v of %s", axes, x)
		}
	}
	return nil
}

// without returns x without some dimensions.
func without(x Shape, axes []int) Shape {
	result := Shape{x.DType, []int{}}
	for i, d := range x.Dims {
		if !slices.Contains(axes, i) {
			result.Dims = append(result.Dims, d)
		}
	}
	return result
}

func (n *Node) inferDot(x, y Shape) (Shape, error) {
	in := [2]Shape{x, y}
	if x.DType != y.DType || !x.DType.IsFloat() {
		return Shape{}, fmt.Errorf("no product of %s and %s", x, y)
	}
	var used [2][]int
	for i := range in {
		used[i] = slices.Concat(n.Batch[i], n.Contract[i])
		if err := checkAxes(used[i], in[i]); err != nil {
			return Shape{}, err
		}
	}
	if len(n.Batch[0]) != len(n.Batch[1]) || len(n.Contract[0]) != len(n.Contract[1]) {
		return Shape{}, fmt.Errorf("dimensions %v and %v do not pair", used[0], used[1])
	}
	result := Shape{x.DType, []int{}}
	if x.DType == BF16 {
		result.DType = F32
	}
	for k := range used[0] {
		if x.Dims[used[0][k]] != y.Dims[used[1][k]] {
			return Shape{}, fmt.Errorf("dimension %d of %s and %d of %s differ", used[0][k], x, used[1][k], y)
		}
	}
	for _, b := range n.Batch[0] {
		result.Dims = append(result.Dims, x.Dims[b])
	}
	for i := range in {
		result.Dims = append(result.Dims, without(in[i], used[i]).Dims...)
	}
	return result, checkDims(result)
}

func (n *Node) inferBroadcast(x Shape) (Shape, error) {
	result := Shape{x.DType, n.Shape.Dims}
	if err := checkDims(result); err != nil {
		return Shape{}, err
	}
	if len(n.Dims) != x.Rank() {
		return Shape{}, fmt.Errorf("%d dimensions named for %s", len(n.Dims), x)
	}
	for k, to := range n.Dims {
		if to < 0 || to >= result.Rank() || k > 0 && to <= n.Dims[k-1] || result.Dims[to] != x.Dims[k] {
			return Shape{}, fmt.Errorf("%s does not fit dimensions %v of %s", x, n.Dims, result)
		}
	}
	return result, nil
}

func (n *Node) inferReshape(x Shape) (Shape, error) {
	result := Shape{x.DType, n.Shape.Dims}
	if err := checkDims(result); err != nil {
		return Shape{}, err
	}
	return result, need(result.Size() == x.Size(), "%s has %d elements, %s has %d", x, x.Size(), result, result.Size())
}

func (n *Node) inferTranspose(x Shape) (Shape, error) {
	if err := checkAxes(n.Dims, x); err != nil || len(n.Dims) != x.Rank() {
		return Shape{}, fmt.Errorf("%v is not an order of the dimensions of %s", n.Dims, x)
	}
	result := Shape{x.DType, make([]int, x.Rank())}
	for k, from := range n.Dims {
		result.Dims[k] = x.Dims[from]
	}
	return result, nil
}

func (n *Node) inferSlice(x Shape) (Shape, error) {
	rank := x.Rank()
	if len(n.Start) != rank || len(n.Limit) != rank || len(n.Stride) != rank {
		return Shape{}, fmt.Errorf("ranges %v %v %v for %s", n.Start, n.Limit, n.Stride, x)
	}
	result := Shape{x.DType, make([]int, rank)}
	for k, d := range x.Dims {
		if n.Start[k] < 0 || n.Limit[k] < n.Start[k] || n.Limit[k] > d || n.Stride[k] < 1 {
			return Shape{}, fmt.Errorf("range %d:%d:%d of dimension %d of %s", n.Start[k], n.Limit[k], n.Stride[k], k, x)
		}
		if n.Limit[k] > n.Start[k] {
			result.Dims[k] = (n.Limit[k]-n.Start[k]-1)/n.Stride[k] + 1
		}
	}
	return result, nil
}

// checkStarts requires one scalar integer for each dimension of x.
func checkStarts(x Shape, starts []Shape) error {
	if len(starts) != x.Rank() {
		return fmt.Errorf("%d starts for %s", len(starts), x)
	}
	for _, s := range starts {
		if s.DType != S32 || s.Rank() != 0 {
			return fmt.Errorf("a start is %s, not s32[]", s)
		}
	}
	return nil
}

// checkPart requires dimensions of a part of x.
func checkPart(dims []int, x Shape) error {
	if len(dims) != x.Rank() {
		return fmt.Errorf("a part %v of %s", dims, x)
	}
	for k, d := range dims {
		if d < 0 || d > x.Dims[k] {
			return fmt.Errorf("a part %v of %s", dims, x)
		}
	}
	return nil
}

func (n *Node) inferDynamicSlice(x Shape, starts []Shape) (Shape, error) {
	if err := checkStarts(x, starts); err != nil {
		return Shape{}, err
	}
	return Shape{x.DType, n.Shape.Dims}, checkPart(n.Shape.Dims, x)
}

func inferDynamicUpdate(x, y Shape, starts []Shape) (Shape, error) {
	if err := checkStarts(x, starts); err != nil {
		return Shape{}, err
	}
	if x.DType != y.DType {
		return Shape{}, fmt.Errorf("%s and %s have different types", x, y)
	}
	return x, checkPart(y.Dims, x)
}

func inferGather(x, rows Shape) (Shape, error) {
	if x.Rank() == 0 || x.Dims[0] == 0 || rows.DType != S32 || rows.Rank() != 1 {
		return Shape{}, fmt.Errorf("rows %s of %s", rows, x)
	}
	result := Shape{x.DType, slices.Concat(rows.Dims, x.Dims[1:])}
	return result, checkDims(result)
}

func (n *Node) inferConcatenate(in []Shape) (Shape, error) {
	first := in[0]
	if len(n.Dims) != 1 || checkAxes(n.Dims, first) != nil {
		return Shape{}, fmt.Errorf("dimension %v of %s", n.Dims, first)
	}
	dim := n.Dims[0]
	result := Shape{first.DType, slices.Clone(first.Dims)}
	for _, x := range in[1:] {
		if x.DType != first.DType || x.Rank() != first.Rank() || !slices.Equal(without(x, n.Dims).Dims, without(first, n.Dims).Dims) {
			return Shape{}, fmt.Errorf("%s and %s do not fit along dimension %d", first, x, dim)
		}
		result.Dims[dim] += x.Dims[dim]
	}
	return result, checkDims(result)
}

func (n *Node) inferPad(x, value Shape) (Shape, error) {
	if value.DType != x.DType || value.Rank() != 0 || len(n.Start) != x.Rank() || len(n.Limit) != x.Rank() {
		return Shape{}, fmt.Errorf("%s with %s, %v before and %v behind", x, value, n.Start, n.Limit)
	}
	result := Shape{x.DType, make([]int, x.Rank())}
	for k, d := range x.Dims {
		if min(n.Start[k], n.Limit[k]) < 0 || max(n.Start[k], n.Limit[k]) > mostElements {
			return Shape{}, fmt.Errorf("negative or too many elements, %v before or %v behind %s", n.Start, n.Limit, x)
		}
		result.Dims[k] = n.Start[k] + d + n.Limit[k]
	}
	return result, checkDims(result)
}
