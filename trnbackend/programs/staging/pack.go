package staging

import (
	"encoding/binary"
	"math"
	"math/bits"

	"trnsci/core/dense"
	"trnsci/trnbackend/graph"
)

// Bucket returns the padded size for n: one of four sizes between two powers of two. There are then few shapes, so few
// graphs to compile, for at most a quarter more work.
func Bucket(n int) int {
	const smallest = 8
	if n <= smallest {
		return smallest
	}
	step := 1 << (bits.Len(uint(n-1)) - 3)
	return (n + step - 1) / step * step
}

// Triangle is a half of a square matrix, its diagonal included.
type Triangle int

// The triangles. Whole, the zero value, is all of a matrix, which need not be square.
const (
	Whole Triangle = iota
	Upper
	Lower
)

// Columns returns the first column of row i in the triangle and the one behind the last, for matrices of cols columns.
func (t Triangle) Columns(i, cols int) (first, end int) {
	switch t {
	case Upper:
		return i, cols
	case Lower:
		return 0, i + 1
	}
	return 0, cols
}

// Packed returns the triangle of each matrix of a stack as an array of the shape, with zeros elsewhere, and the largest
// modulus of the elements, NaN or an infinity if there is one. An empty stack gives zeros. The shape is stack x rows x
// columns of f32 or f64.
func Packed[T dense.Float](
	c *CancelCheck, shape graph.Shape, stack []dense.Matrix[T], t Triangle,
) (data []byte, largest float64, err error) {
	data = make([]byte, shape.Bytes())
	for s, x := range stack {
		for i := range x.Rows {
			first, end := t.Columns(i, x.Cols)
			row := x.Row(i)[first:end]
			packRow(shape.DType, data[offset(shape, s, i, first):], row, 0, 1, len(row))
			largest = largestModulus(row, largest)
			if err := c.Step(x.Cols); err != nil {
				return nil, 0, err
			}
		}
	}
	return data, largest, nil
}

// Pack writes x into an array of the shape, as matrix number place of the stack.
func Pack[T dense.Float](c *CancelCheck, shape graph.Shape, data []byte, place int, x dense.View[T]) error {
	for i := range x.Rows {
		packRow(shape.DType, data[offset(shape, place, i, 0):], x.Data, x.Offset+i*x.RowStride, x.ColStride, x.Cols)
		if err := c.Step(x.Cols); err != nil {
			return err
		}
	}
	return nil
}

// Unpack sets the triangle of each matrix of a stack to the elements of an array of the shape, the inverse of Packed,
// and returns the largest modulus of the elements.
func Unpack[T dense.Float](
	c *CancelCheck, shape graph.Shape, data []byte, stack []dense.Matrix[T], t Triangle,
) (largest float64, err error) {
	for s, x := range stack {
		for i := range x.Rows {
			first, end := t.Columns(i, x.Cols)
			row := x.Row(i)[first:end]
			unpackRow(shape.DType, row, data[offset(shape, s, i, first):])
			largest = largestModulus(row, largest)
			if err := c.Step(x.Cols); err != nil {
				return 0, err
			}
		}
	}
	return largest, nil
}

// offset returns the first byte of an element of matrix number place of a stack.
func offset(shape graph.Shape, place, row, col int) int {
	return ((place*shape.Dims[1]+row)*shape.Dims[2] + col) * shape.DType.Bytes()
}

// packRow writes n elements of x, from index first on in steps of stride.
func packRow[T dense.Float](d graph.DType, to []byte, x []T, first, stride, n int) {
	size := d.Bytes()
	for j := range n {
		v := x[first+j*stride]
		if d == graph.F64 {
			binary.LittleEndian.PutUint64(to[j*size:], math.Float64bits(float64(v)))
		} else {
			binary.LittleEndian.PutUint32(to[j*size:], math.Float32bits(float32(v)))
		}
	}
}

func unpackRow[T dense.Float](d graph.DType, row []T, from []byte) {
	size := d.Bytes()
	for j := range row {
		if d == graph.F64 {
			row[j] = T(math.Float64frombits(binary.LittleEndian.Uint64(from[j*size:])))
		} else {
			row[j] = T(math.Float32frombits(binary.LittleEndian.Uint32(from[j*size:])))
		}
	}
}

// largestModulus returns the largest of a number and of the moduli of a row, NaN or an infinity if there is one.
func largestModulus[T dense.Float](row []T, largest float64) float64 {
	for _, v := range row {
		largest = math.Max(largest, math.Abs(float64(v)))
	}
	return largest
}
