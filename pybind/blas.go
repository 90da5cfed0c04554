package pybind

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// scalar returns z, whose imaginary part is zero for a real T.
func scalar[T dense.Scalar](z complex128) T { return dense.FromParts[T](real(z), imag(z)) }

// strided returns a one-dimensional array as a vector with any stride.
func strided[T dense.Scalar](a *record.Array) dense.Vector[T] {
	if len(a.Shape) != 1 {
		panic(fmt.Sprintf("array of shape %v is not a vector", a.Shape))
	}
	data, _ := record.Elements[T](a)
	v := dense.Vector[T]{N: a.Shape[0], Inc: a.Strides[0], Data: data}
	if v.N <= 1 {
		v.Inc = 1 // NumPy's strides are arbitrary here
	}
	if v.Inc == 0 {
		panic("vector of stride 0")
	}
	return v
}

// operands says which arrays a function of the BLAS needs.
type operands int

const (
	needA operands = 1 << iota
	needB
	needC
)

// blasAt returns the call of a function of the BLAS. It panics where an operand is missing, which is a bug of the
// Python side.
func blasAt(address uint64, need operands) *record.BLAS {
	c := record.At[record.BLAS](address)
	for k, operand := range []*record.Array{c.A, c.B, c.C} {
		if need>>k&1 != 0 && operand == nil {
			panic(fmt.Sprintf("no operand %c", 'a'+k))
		}
	}
	return c
}

// rowMajor returns matrix k of a stack.
func (b batch[T]) rowMajor(k int) dense.Matrix[T] {
	m, ok := b.at(k).Matrix()
	if !ok {
		panic(fmt.Sprintf("array of shape %v and strides %v is not a stack of row-major matrices", b.Shape, b.Strides))
	}
	return m
}

// first returns the first matrix of the stack, with data that reaches to the end of the last one.
func (b batch[T]) first() dense.Matrix[T] {
	m := b.rowMajor(0)
	m.Data = m.Data[:cap(m.Data)]
	return m
}

// step returns the distance in elements between successive matrices of the stack, and whether it is constant and not
// negative.
func (b batch[T]) step() (elements int, regular bool) {
	next, seen := 0, false // what the step of the next dimension outwards must be
	for d := len(b.Shape) - 3; d >= 0; d-- {
		switch {
		case b.Shape[d] == 1:
			continue
		case !seen:
			elements, seen = b.Strides[d], true
		case b.Strides[d] != next:
			return 0, false
		}
		next = b.Strides[d] * b.Shape[d]
	}
	return elements, elements >= 0
}

// runBLAS runs op on a team and returns an error if the team was cancelled.
func runBLAS(jobID int64, c *record.BLAS, op func(team *sched.Team)) (int64, error) {
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		op(team)
		return 0, team.Err()
	})
}
