package pybind

import (
	"fmt"
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// rows is a stack of contiguous vectors: an array whose last dimension is the vector.
type rows[T record.Element] struct {
	*record.Array
	data   []T
	offset int
}

func newRows[T record.Element](a *record.Array) rows[T] {
	last := len(a.Shape) - 1
	if last < 0 || (!a.IsEmpty() && a.Shape[last] > 1 && a.Strides[last] != 1) {
		panic(fmt.Sprintf("array of shape %v and strides %v is not a stack of contiguous vectors", a.Shape, a.Strides))
	}
	data, offset := record.Elements[T](a)
	return rows[T]{Array: a, data: data, offset: offset}
}

// count returns the number of vectors in the stack.
func (r rows[T]) count() int { return numberOf(r.Shape[:len(r.Shape)-1]) }

// at returns vector k of the stack, counted in C order over the leading dimensions.
func (r rows[T]) at(k int) []T {
	last := len(r.Shape) - 1
	n := r.Shape[last]
	if n == 0 {
		return nil
	}
	first := r.offset + offsetOf(r.Array, last, k)
	return r.data[first : first+n : first+n]
}

// numberOf returns the number of elements of an array of the shape.
func numberOf(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// offsetOf returns the offset of member k from the first one, members being counted in C order over the first lead
// dimensions.
func offsetOf(a *record.Array, lead, k int) int {
	offset := 0
	for d := lead - 1; d >= 0; d-- {
		offset += (k % a.Shape[d]) * a.Strides[d]
		k /= a.Shape[d]
	}
	return offset
}

// vector returns the memory of a contiguous one-dimensional array.
func vector[T record.Element](a *record.Array) []T {
	if len(a.Shape) != 1 || (a.Shape[0] > 1 && a.Strides[0] != 1) {
		panic(fmt.Sprintf("array of shape %v and strides %v is not a contiguous vector", a.Shape, a.Strides))
	}
	data, _ := record.Elements[T](a)
	return data
}

// batch is a stack of matrices: an array of two or more dimensions, of which the last two are the matrix.
type batch[T dense.Scalar] struct {
	*record.Array
	data   []T
	offset int
}

func newBatch[T dense.Scalar](a *record.Array) batch[T] {
	if len(a.Shape) < 2 {
		panic(fmt.Sprintf("array of shape %v is not a stack of matrices", a.Shape))
	}
	data, offset := record.Elements[T](a)
	return batch[T]{Array: a, data: data, offset: offset}
}

// count returns the number of matrices in the stack.
func (b batch[T]) count() int { return numberOf(b.Shape[:len(b.Shape)-2]) }

// matrix returns a two-dimensional array.
func matrix[T dense.Scalar](a *record.Array) dense.View[T] { return newBatch[T](a).at(0) }

// order returns the number of rows of each matrix.
func (b batch[T]) order() int { return b.Shape[len(b.Shape)-2] }

// at returns matrix k of the stack, counted in C order over the leading dimensions.
func (b batch[T]) at(k int) dense.View[T] {
	lead := len(b.Shape) - 2
	offset := b.offset + offsetOf(b.Array, lead, k)
	return dense.View[T]{
		Rows: b.Shape[lead], Cols: b.Shape[lead+1], Offset: offset,
		RowStride: b.Strides[lead], ColStride: b.Strides[lead+1], Data: b.data,
	}
}

// reserveEach checks that the results and the workspace of forEach fit into memory. The workspace is that of one member
// with the whole team, or of all members that run at once.
func reserveEach(team *sched.Team, count int, what string, results int64, workspace func(*sched.Team) int64) error {
	if count == 1 {
		return reserve(what, workspace(team), results)
	}
	atOnce := int64(min(count, team.Threads()))
	each := workspace(team.SerialWithoutProgress())
	if atOnce > 0 && each > math.MaxInt64/atOnce {
		return reserve(what, math.MaxInt64, results)
	}
	return reserve(what, atOnce*each, results)
}

// memberSteps is the number of progress steps of each member of a batch.
const memberSteps = 1000

// forEach runs op for every member of a batch: a single member uses the whole team, several members use one thread
// each. An error names its member if there is more than one.
func forEach(team *sched.Team, count int, op func(team *sched.Team, k int) error) error {
	if count == 1 {
		return op(team, 0)
	}
	team = team.Plan(count * memberSteps)
	return team.For(count, func(_, k int) error {
		member := team.Serial().Phase(memberSteps)
		if err := op(member, k); err != nil {
			return &memberError{member: k, err: err}
		}
		member.End()
		return nil
	})
}
