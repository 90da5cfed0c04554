// Package matmul computes the updates C = alpha op(A) op(B) + beta C and C = alpha op(A) op(A)^T + beta C of the BLAS,
// GEMM and SYRK, for stacks of matrices on a device, in any precision of package core/precision, and bounds their
// errors.
package matmul

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// Plan is what the plans of GEMM and SYRK have in common: one run of one graph for a stack of matrices of padded sizes.
// What is beyond the caller's matrices is zero and is cut off.
type Plan struct {
	Precision         precision.Precision
	Batch             int // number of products, padded
	Graph             *graph.Graph
	BytesIn, BytesOut int64 // to and from the device
}

func newPlan(p precision.Precision, batch int) Plan {
	if batch > 1 {
		batch = staging.Bucket(batch)
	}
	return Plan{Precision: p, Batch: batch}
}

// build ends a graph with C = alpha Z + beta C and sets what follows from it.
func (p *Plan) build(b *graph.Builder, z graph.Value, adds bool) error {
	update(b, z, adds)
	g, err := b.Build()
	if err != nil {
		return err
	}
	p.Graph = g
	for _, s := range g.ParameterShapes() {
		p.BytesIn += s.Bytes()
	}
	for _, s := range g.ResultShapes() {
		p.BytesOut += s.Bytes()
	}
	return nil
}

// describe returns a plan of products of m x k by k x n matrices in words.
func (p *Plan) describe(name string, m, n, k int) string {
	return fmt.Sprintf("%s %s: 1 graph, 1 dispatch, %d x (%d x %d x %d), %d bytes in, %d out, %.3g flops",
		name, p.Precision, p.Batch, m, n, k, p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
}

// stack returns the shape of a stack of rows x cols matrices, or of their transposes.
func (p *Plan) stack(rows, cols int, trans bool) graph.Shape {
	if trans {
		rows, cols = cols, rows
	}
	return graph.Of(product.DType(p.Precision), p.Batch, rows, cols)
}

// update adds the result "c" = alpha Z, plus beta C if adds is set. The factors and C are further parameters; C, of Z's
// shape, is donated.
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
	byRows   bool // the sums of the product run along the rows, not along the columns
}

// updateCall is one update C = alpha Z + beta C for stacks, with the operands of the product Z. Of C the triangle is
// set, and it is read where beta is not 0. The first operand is the left factor of Z, the last one the right.
type updateCall[T dense.Float] struct {
	plan        *Plan
	operands    []operand[T]
	terms       int // of each sum in Z
	alpha, beta T
	c           []dense.Matrix[T]
	triangle    staging.Triangle
}

// run computes C and enters its error bound in the report.
func (u *updateCall[T]) run(call *device.Call) error {
	program, err := call.Program(u.plan.Graph)
	if err != nil {
		return err
	}
	check := staging.NewCancelCheck(call)
	inputs, bound, err := u.inputs(check)
	if err != nil {
		return err
	}
	data, err := runOnce(call, program, inputs)
	if err != nil {
		return err
	}
	largest, err := staging.Unpack(check, u.plan.Graph.ResultShapes()[0], data, u.c, u.triangle)
	if err != nil {
		return err
	}
	call.Bound(returnedBound[T](u.plan.Precision, bound, largest))
	return nil
}

// inputs returns the parameters of the graph and the bound of the error of what the device computes from them.
func (u *updateCall[T]) inputs(check *staging.CancelCheck) (inputs [][]byte, bound float64, err error) {
	result := u.plan.Graph.ResultShapes()[0]
	scalar := func(x T) []byte { return trnbackend.Encode(result.DType, []float64{float64(x)}) }
	lengths := make([]float64, len(u.operands))
	for i, o := range u.operands {
		data, largest, err := staging.Packed(check, o.shape, o.matrices, staging.Whole)
		if err != nil {
			return nil, 0, err
		}
		if lengths[i], err = longest(check, o.matrices, largest, o.byRows); err != nil {
			return nil, 0, err
		}
		inputs = append(inputs, data)
	}
	inputs = append(inputs, scalar(u.alpha))
	largestC := 0.0
	if u.beta != 0 {
		var data []byte
		if data, largestC, err = staging.Packed(check, result, u.c, u.triangle); err != nil {
			return nil, 0, err
		}
		inputs = append(inputs, scalar(u.beta), data)
	}
	size := productSize{u.terms, lengths[0], lengths[len(lengths)-1]}
	return inputs, updateBound(u.plan.Precision, size, float64(u.alpha), float64(u.beta), largestC), nil
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
