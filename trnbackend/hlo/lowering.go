package hlo

import (
	"fmt"

	"trnsci/trnbackend/graph"
)

// Attributes from which compilers for accelerators take the names of inputs and outputs.
const (
	inputNames  = "neff_input_names"
	outputNames = "neff_output_names" // of all results, separated by nameSeparator
)

// lowering is the translation of a graph to a module.
type lowering struct {
	graph      *graph.Graph
	module     *Module
	entry      Computation
	at         []int           // the instruction with the value of each node
	reducers   map[reducer]int // computations that reductions call
	parameters int             // of the entry so far
	lastID     int
}

// reducer names a computation of two scalars.
type reducer struct {
	opcode string
	dtype  graph.DType
}

func (l *lowering) nextID() int {
	l.lastID++
	return l.lastID
}

// add appends an instruction to the entry, gives it a number and a name, and returns the number.
func (l *lowering) add(i Instruction) int {
	l.appendTo(&l.entry, i)
	return l.lastID
}

// appendTo appends an instruction to a computation and makes it the root.
func (l *lowering) appendTo(c *Computation, i Instruction) {
	i.ID = l.nextID()
	i.Name = fmt.Sprintf("%s.%d", i.Opcode, i.ID)
	c.Instructions = append(c.Instructions, i)
	c.Root = i.ID
}

// finished returns the computation with its program shape.
func finished(c Computation) Computation {
	for _, i := range c.Instructions {
		if i.Opcode == "parameter" {
			c.Program.Parameters = append(c.Program.Parameters, i.Shape)
			c.Program.Names = append(c.Program.Names, i.Name)
		}
		if i.ID == c.Root {
			c.Program.Result = i.Shape
		}
	}
	return c
}

// filled appends an array whose elements are all x.
func (l *lowering) filled(s graph.Shape, x float64) int {
	return l.add(Instruction{Opcode: "broadcast", Shape: array(s), Operands: []int{l.scalar(s.DType, x)}})
}

func (l *lowering) scalar(d graph.DType, x float64) int {
	shape := array(graph.Of(d))
	return l.add(Instruction{Opcode: "constant", Shape: shape, Literal: &Literal{shape, []float64{x}}})
}
