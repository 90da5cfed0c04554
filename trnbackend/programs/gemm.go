package programs

import (
	"encoding/binary"
	"fmt"
	"math"

	"trnsci/core/dense"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// GemmPlan is how a product, or a batch of them, is computed: by one run of one graph for matrices of the bucket's sizes. What is beyond the matrices
// is zero and is cut off.
type GemmPlan struct {
	Precision            Precision
	Batch                int // products; the bucket's
	M, N, K              int // the bucket's sizes
	TransA, TransB, Adds bool
	Graph                *graph.Graph
	BytesIn, BytesOut    int64
}

// PlanGemm returns the plan of batch products C = alpha op(A) op(B) of m x k by k x n matrices, plus beta C if adds is set.
func PlanGemm(p Precision, batch, m, n, k int, transA, transB, adds bool) (*GemmPlan, error) {
	plan := &GemmPlan{
		Precision: p, Batch: batch, M: bucket(m), N: bucket(n), K: bucket(k), TransA: transA, TransB: transB, Adds: adds,
	}
	if batch > 1 {
		plan.Batch = bucket(batch)
	}
	g, err := plan.build()
	if err != nil {
		return nil, err
	}
	plan.Graph = g
	for _, s := range g.ParameterShapes() {
		plan.BytesIn += s.Bytes()
	}
	plan.BytesOut = g.ResultShapes()[0].Bytes()
	return plan, nil
}

// String returns the plan in words.
func (p *GemmPlan) String() string {
	return fmt.Sprintf("gemm %s: 1 graph, 1 dispatch, %d x (%d x %d x %d), %d bytes in, %d out, %.3g flops",
		p.Precision, p.Batch, p.M, p.N, p.K, p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
}

// stored returns the shape of a stack of matrices in memory.
func (p *GemmPlan) stored(rows, cols int, trans bool) graph.Shape {
	if trans {
		rows, cols = cols, rows
	}
	return graph.Of(p.Precision.dtype(), p.Batch, rows, cols)
}

func (p *GemmPlan) build() (*graph.Graph, error) {
	const rows, cols = 1, 2
	b := graph.NewBuilder("gemm " + string(p.Precision))
	scalar := graph.Of(p.Precision.dtype())
	x := b.Parameter("a", p.stored(p.M, p.K, p.TransA))
	y := b.Parameter("b", p.stored(p.K, p.N, p.TransB))
	alpha := b.Parameter("alpha", scalar)
	d := graph.Dimensions{Batch: [2][]int{{0}, {0}}, Contract: [2][]int{{cols}, {rows}}}
	if p.TransA {
		d.Contract[0] = []int{rows}
	}
	if p.TransB {
		d.Contract[1] = []int{cols}
	}
	shape := p.stored(p.M, p.N, false)
	z := b.Multiply(b.Broadcast(alpha, shape.Dims), product(b, p.Precision, x, y, d))
	if p.Adds {
		beta := b.Parameter("beta", scalar)
		c := b.Donated("c", shape)
		z = b.Add(z, b.Multiply(b.Broadcast(beta, shape.Dims), c))
	}
	b.Result("c", z)
	return b.Build()
}

// Gemm computes C_i = alpha op(A_i) op(B_i) + beta C_i for stacks of row-major matrices of one length on a device; op transposes where asked. C is not
// read where beta is 0. The report's error bound is that of gemmBound, in exact terms for every element of the products.
func Gemm[T dense.Float](call *device.Call, precision Precision, transA, transB bool, alpha T, a, b []dense.Matrix[T], beta T, c []dense.Matrix[T]) error {
	m, n, k := c[0].Rows, c[0].Cols, a[0].Cols
	if transA {
		k = a[0].Rows
	}
	plan, err := PlanGemm(precision, len(c), m, n, k, transA, transB, beta != 0)
	if err != nil {
		return err
	}
	program, err := call.Program(plan.Graph)
	if err != nil {
		return err
	}
	p := newPace(call)
	inputs, err := gemmInputs(p, plan, alpha, a, b, beta, c)
	if err != nil {
		return err
	}
	buffers := make([]trnbackend.Buffer, len(inputs))
	for i, shape := range plan.Graph.ParameterShapes() {
		if buffers[i], err = call.Upload(shape, inputs[i]); err != nil {
			return err
		}
	}
	results, err := call.Run(program, buffers...)
	if err != nil {
		return err
	}
	data, err := call.Download(results[0])
	if err != nil {
		return err
	}
	rowA, err := longest(p, a, !transA)
	if err != nil {
		return err
	}
	colB, err := longest(p, b, transB)
	if err != nil {
		return err
	}
	call.Bound(gemmBound(plan, float64(alpha), rowA, colB))
	return unpack(p, plan.stored(plan.M, plan.N, false), data, c)
}

// gemmInputs returns what the plan's graph takes, as bytes.
func gemmInputs[T dense.Float](p *pace, plan *GemmPlan, alpha T, a, b []dense.Matrix[T], beta T, c []dense.Matrix[T]) ([][]byte, error) {
	scalar := func(x T) []byte { return trnbackend.Encode(plan.Precision.dtype(), []float64{float64(x)}) }
	packedA, err := packed(p, plan.stored(plan.M, plan.K, plan.TransA), a)
	if err != nil {
		return nil, err
	}
	packedB, err := packed(p, plan.stored(plan.K, plan.N, plan.TransB), b)
	if err != nil || !plan.Adds {
		return [][]byte{packedA, packedB, scalar(alpha)}, err
	}
	packedC, err := packed(p, plan.stored(plan.M, plan.N, false), c)
	return [][]byte{packedA, packedB, scalar(alpha), scalar(beta), packedC}, err
}

// gemmBound returns a bound of |C - alpha A B| for every element, beside the rounding of beta C: with the lengths of the longest row of A and the
// longest column of B, by the inequality of Cauchy and Schwarz, the sum of the moduli of the products is at most their product, and each product
// carries the error of its two operands and of the sums (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
func gemmBound(plan *GemmPlan, alpha, rowA, colB float64) float64 {
	return math.Abs(alpha) * rowA * colB * plan.Precision.productError(plan.K)
}

// longest returns the largest Euclidean length of a row, or of a column, of any matrix of a stack.
func longest[T dense.Float](p *pace, stack []dense.Matrix[T], byRows bool) (float64, error) {
	largest := 0.0
	for _, x := range stack {
		squares := make([]float64, x.Cols)
		for i := range x.Rows {
			sum := 0.0
			for j, v := range x.Row(i) {
				square := float64(v) * float64(v)
				squares[j] += square
				sum += square
			}
			if byRows {
				largest = math.Max(largest, sum)
			}
			if err := p.did(x.Cols); err != nil {
				return 0, err
			}
		}
		if !byRows {
			for _, s := range squares {
				largest = math.Max(largest, s)
			}
		}
	}
	return math.Sqrt(largest), nil
}

// packed returns a stack of matrices in the shape, with zeros where they have no elements.
func packed[T dense.Float](p *pace, shape graph.Shape, stack []dense.Matrix[T]) ([]byte, error) {
	data := make([]byte, shape.Bytes())
	for s, x := range stack {
		if err := pack(p, shape, data, s, x.View()); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// pack puts a matrix in its place of a stack in the shape.
func pack[T dense.Float](p *pace, shape graph.Shape, data []byte, place int, x dense.View[T]) error {
	each, width := shape.Dims[1], shape.Dims[2]
	size := shape.DType.Bytes()
	for i := range x.Rows {
		at := data[((place*each)+i)*width*size:]
		from := x.Offset + i*x.RowStride
		for j := range x.Cols {
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

// unpack sets a stack of matrices to what packed would have made of them.
func unpack[T dense.Float](p *pace, shape graph.Shape, data []byte, stack []dense.Matrix[T]) error {
	each, width := shape.Dims[1], shape.Dims[2]
	size := shape.DType.Bytes()
	for s, x := range stack {
		for i := range x.Rows {
			at, row := data[((s*each)+i)*width*size:], x.Row(i)
			for j := range row {
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
