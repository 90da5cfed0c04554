package graph

import (
	"fmt"
	"slices"
	"strconv"
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

// scanner takes words from the front of a line. After the first mistake the line is empty and results have no meaning.
type scanner struct {
	rest string
	err  error
}

// fail keeps a message that something is missing here.
func (s *scanner) fail(wanted string) {
	if s.err == nil {
		s.err = fmt.Errorf("%s is missing before %q", wanted, s.rest)
	}
	s.rest = ""
}

// take removes a word that may be there and reports whether it was.
func (s *scanner) take(word string) bool {
	rest, found := strings.CutPrefix(s.rest, word)
	s.rest = rest
	return found
}

func (s *scanner) expect(word string) {
	if !s.take(word) {
		s.fail(strconv.Quote(word))
	}
}

// until removes and returns the text before end, a character that must follow.
func (s *scanner) until(end string) string {
	word, rest, found := strings.Cut(s.rest, end)
	if !found {
		s.fail(strconv.Quote(end))
		return ""
	}
	s.rest = end + rest
	return word
}

func (s *scanner) quoted() string {
	word, err := strconv.QuotedPrefix(s.rest)
	if err != nil || word[0] != '"' {
		s.fail("a name in double quotes")
		return ""
	}
	s.rest = s.rest[len(word):]
	name, _ := strconv.Unquote(word) // QuotedPrefix has checked it
	return name
}

// integer removes and returns a number without a sign.
func (s *scanner) integer() int {
	digits := s.rest[:len(s.rest)-len(strings.TrimLeft(s.rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		s.fail("an integer")
		return 0
	}
	s.rest = s.rest[len(digits):]
	return n
}

// integers removes and returns a list: [1,2].
func (s *scanner) integers() []int {
	list := []int{}
	s.expect("[")
	if s.take("]") {
		return list
	}
	for {
		list = append(list, s.integer())
		if !s.take(",") {
			s.expect("]")
			return list
		}
	}
}

// name removes a word of a table that ends before end and returns its index.
func (s *scanner) name(table []string, end, kind string) uint8 {
	start := s.rest
	i := slices.Index(table, s.until(end))
	if i < 0 {
		s.rest = start
		s.fail(kind)
		return 0
	}
	return uint8(i)
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

func (s *scanner) direction() Direction {
	for i, name := range directionNames {
		if s.take(name) {
			return Direction(i)
		}
	}
	s.fail("a direction")
	return 0
}

// literal reads the elements of a constant of type d: {1 2}.
func (s *scanner) literal(d DType) []float64 {
	s.expect(" {")
	words := s.until("}")
	if s.expect("}"); words == "" {
		return nil
	}
	var elements []float64
	for word := range strings.SplitSeq(words, " ") {
		x, err := strconv.ParseFloat(word, d.textBits())
		if err != nil {
			s.rest = word
			s.fail("a number of type " + d.String())
			return nil
		}
		elements = append(elements, x)
	}
	return elements
}
