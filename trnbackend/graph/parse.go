package graph

import (
	"fmt"
	"strings"
)

// Parse reads a graph from its text, in exactly the form of Graph.Text: one blank between words, attributes in their
// order, a line feed behind every line. Each line is checked as the Builder's methods check their arguments, and a
// shape must be the one that follows from the operands. Build then simplifies the graph, so a text that was not made by
// Graph.Text may give a graph with fewer nodes; a text made by it gives a graph of the same text and key. Errors name
// the line, counted from 1.
func Parse(text string) (*Graph, error) {
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	if lines[last] != "" {
		return nil, fmt.Errorf("text of a graph, line %d: no line feed at its end", last+1)
	}
	var p parser
	for i, line := range lines[:max(1, last)] {
		if err := p.line(i, line); err != nil {
			return nil, fmt.Errorf("text of a graph, line %d: %w", i+1, err)
		}
	}
	return rebuild(p.name, p.nodes, p.results, func(i int) string {
		const header = 1 // lines before the first node
		return fmt.Sprintf("line %d", header+i+1)
	})
}

// parser holds what has been read so far.
type parser struct {
	name    string
	nodes   []Node
	results []Result
}

// line reads line i, counted from 0: the name, then nodes, then results.
func (p *parser) line(i int, line string) error {
	s := scanner{rest: line}
	switch {
	case i == 0:
		s.expect("graph ")
		p.name = s.quoted()
	case strings.HasPrefix(line, "result "):
		s.expect("result ")
		name := s.quoted()
		s.expect(" %")
		p.results = append(p.results, Result{name, s.integer()})
	case len(p.results) > 0:
		s.fail("a result")
	default:
		p.nodes = append(p.nodes, s.node(len(p.nodes)))
	}
	if s.rest != "" {
		s.fail("the end of the line")
	}
	return s.err
}

// node reads the line of node i.
func (s *scanner) node(i int) Node {
	s.expect(fmt.Sprintf("%%%d = ", i))
	n := Node{Op: Op(s.name(opNames(), " ", "an operation"))}
	s.expect(" ")
	n.Shape.DType = DType(s.name(dtypeNames[:], "[", "a type"))
	n.Shape.Dims = s.integers()
	for s.take(" %") {
		n.Operands = append(n.Operands, s.integer())
	}
	if a := n.Op.entry().attributes; a != nil {
		n.Attributes = a.read(s, n.Shape.DType)
	}
	return n
}

func opNames() []string {
	names := make([]string, opCount)
	for i := range names {
		names[i] = ops[i].name
	}
	return names
}
