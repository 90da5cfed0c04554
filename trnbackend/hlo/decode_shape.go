package hlo

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// rawShape has the fields of a serialized shape.
type rawShape struct {
	number      int // PrimitiveType
	dims, order []int
	tuple       []graph.Shape
}

func (s *rawShape) read(f field) error {
	switch f.number {
	case shapeType:
		return f.integer(&s.number)
	case shapeDims:
		return f.integers(&s.dims)
	case shapeTuple:
		var element rawShape
		if err := f.message(element.read); err != nil {
			return err
		}
		a, err := element.array()
		s.tuple = append(s.tuple, a)
		return err
	case shapeLayout:
		return f.message(func(f field) error {
			if f.number == layoutOrder {
				return f.integers(&s.order)
			}
			return nil
		})
	}
	return nil
}

// array returns the shape of a row-major array.
func (s *rawShape) array() (graph.Shape, error) {
	for d, t := range elementTypes {
		if t.number != s.number {
			continue
		}
		shape := graph.Shape{DType: d, Dims: s.dims}
		if slices.ContainsFunc(s.dims, func(d int) bool { return d < 0 }) {
			return shape, fmt.Errorf("shape %s has a negative dimension", shape)
		}
		if !slices.Equal(s.order, rowMajor(len(s.dims))) {
			return shape, fmt.Errorf("shape %s has the layout %v, which is not row-major", shape, s.order)
		}
		return shape, nil
	}
	return graph.Shape{}, fmt.Errorf("element type %d is not one of graphs", s.number)
}

// shape reads a shape of an array or of a tuple of arrays.
func (f field) shape(s *Shape) error {
	var raw rawShape
	if err := f.message(raw.read); err != nil {
		return err
	}
	if raw.number == tupleType {
		*s = Shape{Tuple: append([]graph.Shape{}, raw.tuple...)}
		return nil
	}
	a, err := raw.array()
	*s = array(a)
	return err
}

func readShapeInto(list *[]Shape, f field) error {
	var s Shape
	err := f.shape(&s)
	*list = append(*list, s)
	return err
}

// read reads a literal. Its shape must come before its elements.
func (l *Literal) read(f field) error {
	err := f.message(func(f field) error {
		if f.number == literalShape {
			return f.shape(&l.Shape)
		}
		for d, t := range elementTypes {
			if t.literal == f.number {
				return l.readElements(d, f)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if size := l.Shape.Array.Size(); l.Shape.Tuple != nil || len(l.Elements) != size {
		return fmt.Errorf("a literal of shape %s has %d elements", l.Shape.Array, len(l.Elements))
	}
	return nil
}

func (l *Literal) readElements(d graph.DType, f field) error {
	if f.wire != protowire.BytesType || l.Shape.Array.DType != d {
		return fmt.Errorf("a literal of shape %s has elements of another type", l.Shape.Array)
	}
	if d == graph.S32 {
		var list []int
		err := f.integers(&list)
		for _, x := range list {
			if x < math.MinInt32 || x > math.MaxInt32 {
				return fmt.Errorf("a literal of shape %s has the element %d", l.Shape.Array, x)
			}
			l.Elements = append(l.Elements, float64(x))
		}
		return err
	}
	if len(f.bytes)%d.Bytes() != 0 || d == graph.Pred &&
		slices.ContainsFunc(f.bytes, func(b byte) bool { return b > 1 }) {
		return fmt.Errorf("a literal of shape %s has bytes that are not elements", l.Shape.Array)
	}
	l.Elements = append(l.Elements, trnbackend.Decode(d, f.bytes)...)
	return nil
}
