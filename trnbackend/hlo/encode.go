package hlo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trnsci/trnbackend/graph"
)

const nameSeparator = "," // no name contains it

// Lowering is the version of the translation of graphs to instructions. It is part of the key of compiled programs, so
// that programs compiled from older instructions are not used.
const Lowering = 5

// Encode returns the graph as a serialized HloModuleProto; the same graph always gives the same bytes.
//
// The entry computation has the graph's parameters in their order. A single result is the root, as a copy, so that the
// root is a separate instruction. Several results are a tuple, none of whose elements is a parameter, a constant or the
// same as another element. A donated parameter may give its buffer to the result that Graph.Donation names. The
// attribute neff_input_names of a parameter is its name; the attribute neff_output_names of the root is the list of the
// names of the results, separated by commas.
//
// It is an error if constants make the message larger than readers of such messages accept.
func Encode(g *graph.Graph) ([]byte, error) {
	data := lower(g).marshal()
	if err := checkSize(g.Name(), len(data)); err != nil {
		return nil, err
	}
	return data, nil
}

func checkSize(name string, size int) error {
	const most = math.MaxInt32 // limit of implementations of Protocol Buffers, in bytes
	if size > most {
		return fmt.Errorf("hlo: graph %s has %d bytes, the limit is %d: make large constants parameters", name, size,
			most)
	}
	return nil
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

// moduleNameOf replaces characters that names in XLA's texts and file names cannot have.
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

// result returns the instruction of a result: that of its node, or a copy where one is needed.
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
