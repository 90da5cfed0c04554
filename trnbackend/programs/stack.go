package programs

import (
	"encoding/binary"
	"math"

	"trnsci/core/dense"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// Triangle is a half of a square matrix, its diagonal included.
type Triangle int

// The triangles. The zero value is none of them: it stands for all of a matrix, also of one that is not square.
const (
	whole Triangle = iota
	Upper
	Lower
)

// columns returns the first column, and the one behind the last, that row i of a matrix of so many columns has in the triangle.
func (t Triangle) columns(i, cols int) (first, end int) {
	switch t {
	case Upper:
		return i, cols
	case Lower:
		return 0, i + 1
	}
	return 0, cols
}

// stackShape returns the shape in memory of a stack of matrices rows x cols, or of their transposes.
func stackShape(p Precision, batch, rows, cols int, trans bool) graph.Shape {
	if trans {
		rows, cols = cols, rows
	}
	return graph.Of(p.dtype(), batch, rows, cols)
}

// stackBucket returns the number of matrices that a graph for so many has.
func stackBucket(batch int) int {
	if batch <= 1 {
		return batch
	}
	return bucket(batch)
}

// traffic returns the bytes of all parameters, and of all results, of a graph.
func traffic(g *graph.Graph) (in, out int64) {
	for _, s := range g.ParameterShapes() {
		in += s.Bytes()
	}
	for _, s := range g.ResultShapes() {
		out += s.Bytes()
	}
	return in, out
}

// update adds what the BLAS makes of a product Z: the result "c" = alpha Z, plus beta C if adds is set. The factors and C are further parameters; C,
// of Z's shape, is donated.
func update(b *graph.Builder, z graph.Value, adds bool) {
	shape := z.Shape()
	scalar := graph.Of(shape.DType)
	alpha := b.Parameter("alpha", scalar)
	z = b.Multiply(b.Broadcast(alpha, shape.Dims), z)
	if adds {
		beta := b.Parameter("beta", scalar)
		c := b.Donated("c", shape)
		z = b.Add(z, b.Multiply(b.Broadcast(beta, shape.Dims), c))
	}
	b.Result("c", z)
}

// operand is a stack of matrices that a graph takes in a shape; an empty stack stands for zeros.
type operand[T dense.Float] struct {
	shape    graph.Shape
	matrices []dense.Matrix[T]
}

// updating is the work on C = alpha Z + beta C for stacks, with a graph that update ends. operands are the parameters of the product Z; of C the triangle
// is set, and read where beta is not 0.
type updating[T dense.Float] struct {
	precision   Precision
	graph       *graph.Graph
	operands    []operand[T]
	size        productSize
	alpha, beta T
	c           []dense.Matrix[T]
	triangle    Triangle
}

// run computes C and enters its error bound.
func (u *updating[T]) run(call *device.Call, p *pace) error {
	program, err := call.Program(u.graph)
	if err != nil {
		return err
	}
	result := u.graph.ResultShapes()[0]
	inputs, err := u.inputs(p, result)
	if err != nil {
		return err
	}
	largestC := 0.0
	if u.beta != 0 {
		if largestC, err = largestModulus(p, u.c, u.triangle); err != nil {
			return err
		}
	}
	data, err := runOnce(call, program, inputs)
	if err != nil {
		return err
	}
	if err := unpack(p, result, data, u.c, u.triangle); err != nil {
		return err
	}
	largest, err := largestModulus(p, u.c, u.triangle)
	if err != nil {
		return err
	}
	bound := updateBound(u.precision, u.size, float64(u.alpha), float64(u.beta), largestC)
	call.Bound(returnedBound[T](u.precision, bound, largest))
	return nil
}

// inputs returns the parameters of the graph, whose result has this shape.
func (u *updating[T]) inputs(p *pace, result graph.Shape) ([][]byte, error) {
	scalar := func(x T) []byte { return trnbackend.Encode(result.DType, []float64{float64(x)}) }
	var inputs [][]byte
	for _, o := range u.operands {
		data, err := packed(p, o.shape, o.matrices, whole)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, data)
	}
	inputs = append(inputs, scalar(u.alpha))
	if u.beta == 0 {
		return inputs, nil
	}
	data, err := packed(p, result, u.c, u.triangle)
	return append(inputs, scalar(u.beta), data), err
}

// runOnce runs a program of one result on these parameters.
func runOnce(call *device.Call, program trnbackend.Program, inputs [][]byte) ([]byte, error) {
	buffers := make([]trnbackend.Buffer, len(inputs))
	for i, shape := range program.Graph().ParameterShapes() {
		var err error
		if buffers[i], err = call.Upload(shape, inputs[i]); err != nil {
			return nil, err
		}
	}
	results, err := call.Run(program, buffers...)
	if err != nil {
		return nil, err
	}
	return call.Download(results[0])
}

// packed returns the triangle of each matrix of a stack in the shape, with zeros elsewhere; all of it is zero if the stack is empty.
func packed[T dense.Float](p *pace, shape graph.Shape, stack []dense.Matrix[T], t Triangle) ([]byte, error) {
	data := make([]byte, shape.Bytes())
	for s, x := range stack {
		if err := pack(p, shape, data, s, x.View(), t); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// pack puts the triangle of a matrix in its place of a stack in the shape.
func pack[T dense.Float](p *pace, shape graph.Shape, data []byte, place int, x dense.View[T], t Triangle) error {
	each, width := shape.Dims[1], shape.Dims[2]
	size := shape.DType.Bytes()
	for i := range x.Rows {
		at := data[((place*each)+i)*width*size:]
		from := x.Offset + i*x.RowStride
		first, end := t.columns(i, x.Cols)
		for j := first; j < end; j++ {
			v := x.Data[from+j*x.ColStride]
			if size == 8 {
				binary.LittleEndian.PutUint64(at[j*size:], math.Float64bits(float64(v)))
			} else {
				binary.LittleEndian.PutUint32(at[j*size:], math.Float32bits(float32(v)))
			}
		}
		if err := p.did(x.Cols); err != nil {
			return err
		}
	}
	return nil
}

// unpack sets the triangle of each matrix of a stack to what packed would have made of it.
func unpack[T dense.Float](p *pace, shape graph.Shape, data []byte, stack []dense.Matrix[T], t Triangle) error {
	each, width := shape.Dims[1], shape.Dims[2]
	size := shape.DType.Bytes()
	for s, x := range stack {
		for i := range x.Rows {
			at, row := data[((s*each)+i)*width*size:], x.Row(i)
			first, end := t.columns(i, x.Cols)
			for j := first; j < end; j++ {
				if size == 8 {
					row[j] = T(math.Float64frombits(binary.LittleEndian.Uint64(at[j*size:])))
				} else {
					row[j] = T(math.Float32frombits(binary.LittleEndian.Uint32(at[j*size:])))
				}
			}
			if err := p.did(x.Cols); err != nil {
				return err
			}
		}
	}
	return nil
}
