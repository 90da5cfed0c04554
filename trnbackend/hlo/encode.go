package hlo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trnsci/trnbackend/graph"
)

// Attributes by which compilers for accelerators name the inputs and outputs of what they make.
const (
	inputNames  = "neff_input_names"
	outputNames = "neff_output_names" // of all results, with a nameSeparator between them
)

const nameSeparator = "," // which is in no name

// Lowering counts the ways in which graphs have been written: it changes when a graph is given other instructions, so
// that programs compiled from the former ones are not taken for its own.
const Lowering = 5

// Encode returns the graph as a serialized HloModuleProto; the same graph always gives the same bytes.
//
// The entry computation has the graph's parameters in their order. One result is the root, as a copy, so that the root
// is an instruction of its own; of several results the root is a tuple, of whose elements none is a parameter, a
// constant or another element. A donated parameter may give its buffer to the result that Graph.Donation names. The
// attribute neff_input_names of a parameter is its name, the attribute neff_output_names of the root the names of the
// results with commas between them.
//
// The error is that of a graph with so large constants that readers of such messages refuse it.
func Encode(g *graph.Graph) ([]byte, error) {
	data := lower(g).marshal()
	if err := checkSize(g.Name(), len(data)); err != nil {
		return nil, err
	}
	return data, nil
}

func checkSize(name string, size int) error {
	const most = math.MaxInt32 // bytes of a message that implementations of Protocol Buffers read
	if size > most {
		return fmt.Errorf("hlo: graph %s has %d bytes, the limit is %d: make large constants parameters", name, size, most)
	}
	return nil
}

// lowering is a graph on its way to a module.
type lowering struct {
	graph      *graph.Graph
	module     *Module
	entry      Computation
	at         []int           // the instruction that each node has become
	reducers   map[reducer]int // computations that reductions call
	parameters int             // how many the entry has so far
	lastID     int
}

// reducer names a computation of two scalars.
type reducer struct {
	opcode string
	dtype  graph.DType
}

func lower(g *graph.Graph) *Module {
	l := lowering{graph: g, module: &Module{Name: moduleNameOf(g.Name())}, reducers: map[reducer]int{}}
	l.entry.Name = "main"
	for i := range g.Nodes() {
		l.at = append(l.at, l.node(&g.Nodes()[i]))
	}
	l.root()
	l.aliases()
	l.entry.ID = l.nextID()
	l.module.Computations = append(l.module.Computations, finished(l.entry))
	entry := l.module.Computations[len(l.module.Computations)-1]
	l.module.EntryName, l.module.EntryID, l.module.Program = entry.Name, entry.ID, entry.Program
	return l.module
}

// moduleNameOf replaces what names in XLA's texts and names of files do not have.
func moduleNameOf(name string) string {
	if name == "" {
		return "graph"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, name)
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

// appendTo appends an instruction to a computation, of which it becomes the root.
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

// root appends the result of the entry.
func (l *lowering) root() {
	var elements []int
	var names []string
	for _, r := range l.graph.Results() {
		names = append(names, r.Name)
		elements = append(elements, l.result(r.Node, elements))
	}
	if len(elements) > 1 {
		l.add(Instruction{Opcode: "tuple", Shape: Shape{Tuple: l.graph.ResultShapes()}, Operands: elements})
	}
	root := &l.entry.Instructions[len(l.entry.Instructions)-1]
	root.Attributes = []Attribute{{outputNames, strings.Join(names, nameSeparator)}}
}

// result returns the instruction for a result that is the value of a node: that of the node, or a copy where it has to
// be one.
func (l *lowering) result(node int, taken []int) int {
	n := &l.graph.Nodes()[node]
	at := l.at[node]
	one := len(l.graph.Results()) == 1
	given := n.Op == graph.Parameter || n.Op == graph.Constant || slices.Contains(taken, at)
	if !one && !given {
		return at
	}
	return l.add(Instruction{Opcode: "copy", Shape: array(n.Shape), Operands: []int{at}})
}

func (l *lowering) aliases() {
	for parameter, result := range l.graph.Donation() {
		if result < 0 {
			continue
		}
		a := Alias{Parameter: parameter, Kind: mayAlias}
		if len(l.graph.Results()) > 1 {
			a.Output = []int{result}
		}
		l.module.Aliases = append(l.module.Aliases, a)
	}
}
