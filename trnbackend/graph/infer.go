package graph

import (
	"fmt"
	"math"
	"slices"
)

// infer returns the shape of a node's result from those of its operands, or an error that says what is wrong. Where the
// caller chooses a part of the shape, n.Shape has it.
func (n *Node) infer(in []Shape) (Shape, error) {
	if err := n.check(len(in)); err != nil {
		return Shape{}, err
	}
	return n.Op.entry().infer(n, in)
}

// mostElements is the limit of the size of an array and of a dimension: numbers of bytes, and sums of a few of them,
// fit into an int64.
const mostElements = 1 << 48

// Check refuses types that do not exist, negative dimensions, and more than mostElements elements.
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

func (n *Node) inferSource([]Shape) (Shape, error) { return n.Shape, n.Shape.Check() }

func (n *Node) inferConstant([]Shape) (Shape, error) {
	if err := n.Shape.Check(); err != nil {
		return Shape{}, err
	}
	elements := len(n.Attributes.(Literal))
	return n.Shape, need(elements == n.Shape.Size(), "%d elements for %s", elements, n.Shape)
}

func (n *Node) inferIota([]Shape) (Shape, error) {
	if err := n.Shape.Check(); err != nil {
		return Shape{}, err
	}
	axes := n.Attributes.(Axes)
	switch {
	case len(axes) != 1 || axes[0] < 0 || axes[0] >= n.Shape.Rank():
		return Shape{}, fmt.Errorf("dimension %v of %s", axes, n.Shape)
	case !n.Shape.DType.IsNumber():
		return Shape{}, fmt.Errorf("indices of type %s", n.Shape.DType)
	case n.Shape.DType == S32 && n.Shape.Dims[axes[0]] > math.MaxInt32+1:
		return Shape{}, fmt.Errorf("indices of %s pass the largest integer", n.Shape)
	}
	return n.Shape, nil
}

// inferSame returns the infer function of operations whose result has the shape of the operand, for types that fit.
func inferSame(fits func(DType) bool, message string) func(*Node, []Shape) (Shape, error) {
	return func(_ *Node, in []Shape) (Shape, error) { return in[0], need(fits(in[0].DType), message, in[0]) }
}

func (n *Node) inferConvert(in []Shape) (Shape, error) {
	if n.Shape.DType >= dtypeCount {
		return Shape{}, fmt.Errorf("type %d does not exist", n.Shape.DType)
	}
	return in[0].As(n.Shape.DType), nil
}

func need(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// inferPair returns the infer function of operations on two operands of one shape, for types that fit.
func inferPair(fits func(DType) bool, message string) func(*Node, []Shape) (Shape, error) {
	return func(_ *Node, in []Shape) (Shape, error) {
		if err := checkEqual(in); err != nil {
			return Shape{}, err
		}
		return in[0], need(fits(in[0].DType), message, in[0])
	}
}

func checkEqual(in []Shape) error {
	return need(in[0].Equal(in[1]), "operands %s and %s differ", in[0], in[1])
}

func (n *Node) inferCompare(in []Shape) (Shape, error) {
	if err := checkEqual(in); err != nil {
		return Shape{}, err
	}
	d := n.Attributes.(Direction)
	return in[0].As(Pred), need(d < directionCount, "direction %d does not exist", d)
}

func inferSelect(_ *Node, in []Shape) (Shape, error) {
	p, x, y := in[0], in[1], in[2]
	if p.DType != Pred || !x.Equal(y) || !slices.Equal(p.Dims, x.Dims) {
		return Shape{}, fmt.Errorf("cannot choose between %s and %s by %s", x, y, p)
	}
	return x, nil
}

func (n *Node) inferReduce(in []Shape) (Shape, error) {
	x, axes := in[0], n.Attributes.(Axes)
	if err := checkAxes(axes, x); err != nil {
		return Shape{}, err
	}
	if !slices.IsSorted(axes) {
		return Shape{}, fmt.Errorf("dimensions %v of %s do not increase", axes, x)
	}
	return without(x, axes), need(x.DType.IsNumber(), "%s has no arithmetic", x)
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

func (n *Node) inferDot(in []Shape) (Shape, error) {
	x, y, d := in[0], in[1], n.Attributes.(Dimensions)
	if x.DType != y.DType || !x.DType.IsFloat() {
		return Shape{}, fmt.Errorf("no product of %s and %s", x, y)
	}
	var used [2][]int
	for i := range in {
		used[i] = slices.Concat(d.Batch[i], d.Contract[i])
		if err := checkAxes(used[i], in[i]); err != nil {
			return Shape{}, err
		}
	}
	if len(d.Batch[0]) != len(d.Batch[1]) || len(d.Contract[0]) != len(d.Contract[1]) {
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
	for _, b := range d.Batch[0] {
		result.Dims = append(result.Dims, x.Dims[b])
	}
	for i := range in {
		result.Dims = append(result.Dims, without(in[i], used[i]).Dims...)
	}
	return result, checkDims(result)
}

func (n *Node) inferBroadcast(in []Shape) (Shape, error) {
	x, axes := in[0], n.Attributes.(Axes)
	result := Shape{x.DType, n.Shape.Dims}
	if err := checkDims(result); err != nil {
		return Shape{}, err
	}
	if len(axes) != x.Rank() {
		return Shape{}, fmt.Errorf("%d dimensions named for %s", len(axes), x)
	}
	for k, to := range axes {
		if to < 0 || to >= result.Rank() || k > 0 && to <= axes[k-1] || result.Dims[to] != x.Dims[k] {
			return Shape{}, fmt.Errorf("%s does not fit dimensions %v of %s", x, axes, result)
		}
	}
	return result, nil
}

func (n *Node) inferReshape(in []Shape) (Shape, error) {
	x := in[0]
	result := Shape{x.DType, n.Shape.Dims}
	if err := checkDims(result); err != nil {
		return Shape{}, err
	}
	return result, need(result.Size() == x.Size(), "%s has %d elements, %s has %d", x, x.Size(), result, result.Size())
}

func (n *Node) inferTranspose(in []Shape) (Shape, error) {
	x, axes := in[0], n.Attributes.(Axes)
	if err := checkAxes(axes, x); err != nil || len(axes) != x.Rank() {
		return Shape{}, fmt.Errorf("%v is not an order of the dimensions of %s", axes, x)
	}
	result := Shape{x.DType, make([]int, x.Rank())}
	for k, from := range axes {
		result.Dims[k] = x.Dims[from]
	}
	return result, nil
}

func (n *Node) inferSlice(in []Shape) (Shape, error) {
	x, r := in[0], n.Attributes.(Ranges)
	rank := x.Rank()
	if len(r.Start) != rank || len(r.Limit) != rank || len(r.Stride) != rank {
		return Shape{}, fmt.Errorf("ranges %v %v %v for %s", r.Start, r.Limit, r.Stride, x)
	}
	result := Shape{x.DType, make([]int, rank)}
	for k, d := range x.Dims {
		if r.Start[k] < 0 || r.Limit[k] < r.Start[k] || r.Limit[k] > d || r.Stride[k] < 1 {
			return Shape{}, fmt.Errorf("range %d:%d:%d of dimension %d of %s", r.Start[k], r.Limit[k], r.Stride[k], k,
				x)
		}
		if r.Limit[k] > r.Start[k] {
			result.Dims[k] = (r.Limit[k]-r.Start[k]-1)/r.Stride[k] + 1
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

// checkPart requires the dimensions of a part of x.
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

func (n *Node) inferDynamicSlice(in []Shape) (Shape, error) {
	x := in[0]
	if err := checkStarts(x, in[1:]); err != nil {
		return Shape{}, err
	}
	return Shape{x.DType, n.Shape.Dims}, checkPart(n.Shape.Dims, x)
}

func inferDynamicUpdate(_ *Node, in []Shape) (Shape, error) {
	x, y := in[0], in[1]
	if err := checkStarts(x, in[2:]); err != nil {
		return Shape{}, err
	}
	if x.DType != y.DType {
		return Shape{}, fmt.Errorf("%s and %s have different types", x, y)
	}
	return x, checkPart(y.Dims, x)
}

func inferGather(_ *Node, in []Shape) (Shape, error) {
	x, rows := in[0], in[1]
	if x.Rank() == 0 || x.Dims[0] == 0 || rows.DType != S32 || rows.Rank() != 1 {
		return Shape{}, fmt.Errorf("rows %s of %s", rows, x)
	}
	result := Shape{x.DType, slices.Concat(rows.Dims, x.Dims[1:])}
	return result, checkDims(result)
}

func (n *Node) inferConcatenate(in []Shape) (Shape, error) {
	first, axes := in[0], n.Attributes.(Axes)
	if len(axes) != 1 || checkAxes(axes, first) != nil {
		return Shape{}, fmt.Errorf("dimension %v of %s", axes, first)
	}
	dim := axes[0]
	result := Shape{first.DType, slices.Clone(first.Dims)}
	for _, x := range in[1:] {
		if x.DType != first.DType || x.Rank() != first.Rank() ||
			!slices.Equal(without(x, axes).Dims, without(first, axes).Dims) {
			return Shape{}, fmt.Errorf("%s and %s do not fit along dimension %d", first, x, dim)
		}
		result.Dims[dim] += x.Dims[dim]
	}
	return result, checkDims(result)
}

func (n *Node) inferPad(in []Shape) (Shape, error) {
	x, value, p := in[0], in[1], n.Attributes.(Padding)
	if value.DType != x.DType || value.Rank() != 0 || len(p.Before) != x.Rank() || len(p.Behind) != x.Rank() {
		return Shape{}, fmt.Errorf("%s with %s, %v before and %v behind", x, value, p.Before, p.Behind)
	}
	result := Shape{x.DType, make([]int, x.Rank())}
	for k, d := range x.Dims {
		if min(p.Before[k], p.Behind[k]) < 0 || max(p.Before[k], p.Behind[k]) > mostElements {
			return Shape{}, fmt.Errorf("negative or too many elements, %v before or %v behind %s", p.Before, p.Behind,
				x)
		}
		result.Dims[k] = p.Before[k] + d + p.Behind[k]
	}
	return result, checkDims(result)
}
