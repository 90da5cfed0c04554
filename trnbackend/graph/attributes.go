package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Attributes is what an operation needs beside its operands: an Input, a Literal, Axes, Dimensions, Ranges, a Padding
// or a Direction. Operations that need nothing have nil.
type Attributes interface {
	// write appends the attributes to the text of a node whose result has the type d.
	write(b *strings.Builder, d DType)
	// read returns attributes of the same kind from the text of such a node.
	read(s *scanner, d DType) Attributes
	clone() Attributes
}

// Input has the attributes of Parameter.
type Input struct {
	Name    string
	Donated bool // a result may overwrite the buffer
}

// Literal has the attributes of Constant: the elements in row-major order, exact in the constant's type.
type Literal []float64

// Axes has the dimensions of an operation. Broadcast: the dimension of the result that each dimension of the operand
// becomes. Transpose: the dimension of the operand that each dimension of the result was. Reductions: the dimensions
// that are removed. Iota, Concatenate: one dimension.
type Axes []int

// Dimensions has the attributes of Dot: the dimensions of each operand that are summed over (Contract) and kept side by
// side (Batch), in pairs of equal length.
type Dimensions struct{ Contract, Batch [2][]int }

// Ranges has the attributes of Slice, for each dimension.
type Ranges struct{ Start, Limit, Stride []int }

// Padding has the attributes of Pad: the numbers of elements before and behind each dimension.
type Padding struct{ Before, Behind []int }

// Direction is the relation that Compare asks for.
type Direction uint8

// The directions. A comparison with NaN is false, except for NE.
const (
	EQ Direction = iota
	NE
	LT
	LE
	GT
	GE
	directionCount
)

var directionNames = [directionCount]string{"EQ", "NE", "LT", "LE", "GT", "GE"}

func (d Direction) String() string { return nameOf(directionNames[:], uint8(d), "direction") }

func (a Input) write(b *strings.Builder, _ DType) {
	fmt.Fprintf(b, " %q", a.Name)
	if a.Donated {
		b.WriteString(" donated")
	}
}

func (Input) read(s *scanner, _ DType) Attributes {
	s.expect(" ")
	name := s.quoted()
	return Input{name, s.take(" donated")}
}

func (a Input) clone() Attributes { return a }

func (a Literal) write(b *strings.Builder, d DType) {
	b.WriteString(" {")
	for i, x := range a {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(number(d, x))
	}
	b.WriteByte('}')
}

func (Literal) read(s *scanner, d DType) Attributes { return Literal(s.literal(d)) }

func (a Literal) clone() Attributes { return slices.Clone(a) }

// number returns the shortest decimal that gives back x, a number of type d: integers without an exponent.
func number(d DType, x float64) string {
	format := byte('g')
	if d == S32 {
		format = 'f'
	}
	return strconv.FormatFloat(x, format, -1, d.textBits())
}

// textBits returns the size of the IEEE type as which numbers of type d are written and read: a single holds every bf16
// number, a double all others.
func (d DType) textBits() int {
	const single, double = 32, 64
	if d == F32 || d == BF16 {
		return single
	}
	return double
}

// writeLists appends a named attribute of one or two lists: " dims=[0]".
func writeLists(b *strings.Builder, name string, lists ...[]int) {
	fmt.Fprintf(b, " %s=", name)
	for _, list := range lists {
		b.WriteString(dimsText(list))
	}
}

// lists reads what writeLists wrote.
func (s *scanner) lists(name string, lists ...*[]int) {
	s.expect(" " + name + "=")
	for _, list := range lists {
		*list = s.integers()
	}
}

func (a Axes) write(b *strings.Builder, _ DType) { writeLists(b, "dims", a) }

func (a Axes) read(s *scanner, _ DType) Attributes {
	s.lists("dims", (*[]int)(&a))
	return a
}

func (a Axes) clone() Attributes { return slices.Clone(a) }

func (a Dimensions) write(b *strings.Builder, _ DType) {
	writeLists(b, "contract", a.Contract[0], a.Contract[1])
	writeLists(b, "batch", a.Batch[0], a.Batch[1])
}

func (a Dimensions) read(s *scanner, _ DType) Attributes {
	s.lists("contract", &a.Contract[0], &a.Contract[1])
	s.lists("batch", &a.Batch[0], &a.Batch[1])
	return a
}

func (a Dimensions) clone() Attributes {
	for i := range a.Contract {
		a.Contract[i], a.Batch[i] = slices.Clone(a.Contract[i]), slices.Clone(a.Batch[i])
	}
	return a
}

func (a Ranges) write(b *strings.Builder, _ DType) {
	writeLists(b, "start", a.Start)
	writeLists(b, "limit", a.Limit)
	writeLists(b, "stride", a.Stride)
}

func (a Ranges) read(s *scanner, _ DType) Attributes {
	s.lists("start", &a.Start)
	s.lists("limit", &a.Limit)
	s.lists("stride", &a.Stride)
	return a
}

func (a Ranges) clone() Attributes {
	return Ranges{slices.Clone(a.Start), slices.Clone(a.Limit), slices.Clone(a.Stride)}
}

func (a Padding) write(b *strings.Builder, _ DType) {
	writeLists(b, "before", a.Before)
	writeLists(b, "behind", a.Behind)
}

func (a Padding) read(s *scanner, _ DType) Attributes {
	s.lists("before", &a.Before)
	s.lists("behind", &a.Behind)
	return a
}

func (a Padding) clone() Attributes { return Padding{slices.Clone(a.Before), slices.Clone(a.Behind)} }

func (d Direction) write(b *strings.Builder, _ DType) { fmt.Fprintf(b, " direction=%s", d) }

func (Direction) read(s *scanner, _ DType) Attributes {
	s.expect(" direction=")
	return s.direction()
}

func (d Direction) clone() Attributes { return d }

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
