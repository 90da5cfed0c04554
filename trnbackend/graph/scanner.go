package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
