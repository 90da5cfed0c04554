package graph

import "slices"

// Negate adds -x.
func (b *Builder) Negate(x Value) Value { return b.add(Node{Op: Negate}, x) }

// Abs adds |x|; the smallest integer is its own absolute value.
func (b *Builder) Abs(x Value) Value { return b.add(Node{Op: Abs}, x) }

// Sign adds -1, 0 or 1; a zero keeps its sign and NaN stays NaN.
func (b *Builder) Sign(x Value) Value { return b.add(Node{Op: Sign}, x) }

// Exp adds e to the power x. It is for floats, as are Log, Sqrt, Rsqrt and Tanh.
func (b *Builder) Exp(x Value) Value { return b.add(Node{Op: Exp}, x) }

// Log adds the natural logarithm.
func (b *Builder) Log(x Value) Value { return b.add(Node{Op: Log}, x) }

// Sqrt adds the square root.
func (b *Builder) Sqrt(x Value) Value { return b.add(Node{Op: Sqrt}, x) }

// Rsqrt adds the reciprocal of the square root.
func (b *Builder) Rsqrt(x Value) Value { return b.add(Node{Op: Rsqrt}, x) }

// Tanh adds the hyperbolic tangent.
func (b *Builder) Tanh(x Value) Value { return b.add(Node{Op: Tanh}, x) }

// Not adds the opposite of a predicate.
func (b *Builder) Not(x Value) Value { return b.add(Node{Op: Not}, x) }

// Convert adds x in another type: see DType.Round.
func (b *Builder) Convert(x Value, d DType) Value {
	return b.add(Node{Op: Convert, Shape: Shape{DType: d}}, x)
}

// Add adds x + y; integers wrap around. The operands of two-operand operations must have one shape: there is no
// implicit broadcasting.
func (b *Builder) Add(x, y Value) Value { return b.add(Node{Op: Add}, x, y) }

// Subtract adds x - y.
func (b *Builder) Subtract(x, y Value) Value { return b.add(Node{Op: Subtract}, x, y) }

// Multiply adds x y.
func (b *Builder) Multiply(x, y Value) Value { return b.add(Node{Op: Multiply}, x, y) }

// Divide adds x / y. An integer divided by 0 gives -1.
func (b *Builder) Divide(x, y Value) Value { return b.add(Node{Op: Divide}, x, y) }

// Maximum adds the larger of x and y; NaN where one is NaN.
func (b *Builder) Maximum(x, y Value) Value { return b.add(Node{Op: Maximum}, x, y) }

// Minimum adds the smaller of x and y; NaN where one is NaN.
func (b *Builder) Minimum(x, y Value) Value { return b.add(Node{Op: Minimum}, x, y) }

// And adds the conjunction of predicates.
func (b *Builder) And(x, y Value) Value { return b.add(Node{Op: And}, x, y) }

// Or adds the disjunction of predicates.
func (b *Builder) Or(x, y Value) Value { return b.add(Node{Op: Or}, x, y) }

// Compare adds a predicate for each pair of elements.
func (b *Builder) Compare(d Direction, x, y Value) Value {
	return b.add(Node{Op: Compare, Attributes: d}, x, y)
}

// Select adds the elements of x where p holds and those of y elsewhere. All three have the same dimensions.
func (b *Builder) Select(p, x, y Value) Value { return b.add(Node{Op: Select}, p, x, y) }

// Dot adds a product of arrays. The result has the batch dimensions, then the remaining ones of x, then those of y.
// Products of f32 and f64 have that type. Elements of bf16 are multiplied exactly and added in f32, the type of the
// result.
func (b *Builder) Dot(x, y Value, d Dimensions) Value {
	return b.add(Node{Op: Dot, Attributes: d.clone()}, x, y)
}

// MatMul adds the matrix product of x and y, over the last dimension of x and the last but one of y; dimensions before
// these are batches.
func (b *Builder) MatMul(x, y Value) Value {
	if x.b != b || y.b != b {
		return b.fail(Dot.String(), foreign)
	}
	rank := x.Shape().Rank()
	if rank < 2 || y.Shape().Rank() != rank {
		return b.fail(Dot.String(), "matrices of shapes %s and %s", x.Shape(), y.Shape())
	}
	batch := make([]int, rank-2)
	for i := range batch {
		batch[i] = i
	}
	return b.Dot(x, y, Dimensions{Contract: [2][]int{{rank - 1}, {rank - 2}}, Batch: [2][]int{batch, batch}})
}

// ReduceSum adds sums over dimensions, which are removed. Over no dimension it is x: unlike in NumPy, a full sum names
// all dimensions.
func (b *Builder) ReduceSum(x Value, dims ...int) Value { return b.reduce(ReduceSum, x, dims) }

// ReduceMax adds the largest elements over dimensions, which are removed. That of no elements is minus infinity, or the
// smallest integer.
func (b *Builder) ReduceMax(x Value, dims ...int) Value { return b.reduce(ReduceMax, x, dims) }

// ReduceMin adds the smallest elements over dimensions, which are removed. That of no elements is infinity, or the
// largest integer.
func (b *Builder) ReduceMin(x Value, dims ...int) Value { return b.reduce(ReduceMin, x, dims) }

func (b *Builder) reduce(o Op, x Value, dims []int) Value {
	return b.add(Node{Op: o, Attributes: Axes(sorted(dims))}, x)
}

func sorted(dims []int) []int {
	dims = slices.Clone(dims)
	slices.Sort(dims)
	return dims
}

// Broadcast adds an array of the given dimensions in which x is repeated. Dimension k of x becomes dimension to[k]; to
// increases.
func (b *Builder) Broadcast(x Value, dims []int, to ...int) Value {
	return b.add(Node{Op: Broadcast, Shape: Shape{Dims: slices.Clone(dims)}, Attributes: Axes(slices.Clone(to))}, x)
}

// Reshape adds the elements of x in the same order with other dimensions.
func (b *Builder) Reshape(x Value, dims ...int) Value {
	return b.add(Node{Op: Reshape, Shape: Shape{Dims: slices.Clone(dims)}}, x)
}

// Transpose adds x with its dimensions in another order: dimension k of the result is dimension order[k] of x.
func (b *Builder) Transpose(x Value, order ...int) Value {
	return b.add(Node{Op: Transpose, Attributes: Axes(slices.Clone(order))}, x)
}

// Slice adds the elements start, start+stride, ... below limit of each dimension.
func (b *Builder) Slice(x Value, start, limit, stride []int) Value {
	return b.add(Node{Op: Slice, Attributes: Ranges{start, limit, stride}.clone()}, x)
}

// DynamicSlice adds a part of x with the given dimensions that begins at starts, scalars of type s32, one for each
// dimension. Starts are moved so that the part lies in x.
func (b *Builder) DynamicSlice(x Value, dims []int, starts ...Value) Value {
	return b.add(Node{Op: DynamicSlice, Shape: Shape{Dims: slices.Clone(dims)}}, append([]Value{x}, starts...)...)
}

// DynamicUpdateSlice adds x with the part that begins at starts replaced by y. See DynamicSlice.
func (b *Builder) DynamicUpdateSlice(x, y Value, starts ...Value) Value {
	return b.add(Node{Op: DynamicUpdateSlice}, append([]Value{x, y}, starts...)...)
}

// GatherRows adds the rows of x, its parts along the first dimension, whose indices are in the list rows of type s32.
// An index outside of x is moved to the nearest row.
func (b *Builder) GatherRows(x, rows Value) Value { return b.add(Node{Op: GatherRows}, x, rows) }

// Concatenate adds arrays joined along a dimension.
func (b *Builder) Concatenate(dim int, xs ...Value) Value {
	return b.add(Node{Op: Concatenate, Attributes: Axes{dim}}, xs...)
}

// Pad adds x with elements of the scalar value before and behind it in each dimension.
func (b *Builder) Pad(x, value Value, before, behind []int) Value {
	return b.add(Node{Op: Pad, Attributes: Padding{before, behind}.clone()}, x, value)
}

// Fill adds an array whose elements are all x.
func (b *Builder) Fill(shape Shape, x float64) Value {
	return b.Broadcast(b.Scalar(shape.DType, x), shape.Dims)
}
