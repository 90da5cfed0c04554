package programs

import (
	"fmt"

	"trnsci/core/dense"
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
		Precision: p, Batch: stackBucket(batch), M: bucket(m), N: bucket(n), K: bucket(k), TransA: transA, TransB: transB, Adds: adds,
	}
	g, err := plan.build()
	if err != nil {
		return nil, err
	}
	plan.Graph = g
	plan.BytesIn, plan.BytesOut = traffic(g)
	return plan, nil
}

// String returns the plan in words.
func (p *GemmPlan) String() string {
	return fmt.Sprintf("gemm %s: 1 graph, 1 dispatch, %d x (%d x %d x %d), %d bytes in, %d out, %.3g flops",
		p.Precision, p.Batch, p.M, p.N, p.K, p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
}

// operands returns the shapes of A and B.
func (p *GemmPlan) operands() (a, b graph.Shape) {
	return stackShape(p.Precision, p.Batch, p.M, p.K, p.TransA), stackShape(p.Precision, p.Batch, p.K, p.N, p.TransB)
}

func (p *GemmPlan) build() (*graph.Graph, error) {
	const rows, cols = 1, 2
	b := graph.NewBuilder("gemm " + string(p.Precision))
	shapeA, shapeB := p.operands()
	x, y := b.Parameter("a", shapeA), b.Parameter("b", shapeB)
	d := graph.Dimensions{Batch: [2][]int{{0}, {0}}, Contract: [2][]int{{cols}, {rows}}}
	if p.TransA {
		d.Contract[0] = []int{rows}
	}
	if p.TransB {
		d.Contract[1] = []int{cols}
	}
	update(b, product(b, p.Precision, x, y, d), p.Adds)
	return b.Build()
}

// Gemm computes C_i = alpha op(A_i) op(B_i) + beta C_i for stacks of row-major matrices of one length on a device; op transposes where asked. C is not
// read where beta is 0, A and B are not where alpha is 0: zeros go to the device in their place. The report's error bound is for every element,
// against exact arithmetic of the given numbers: see updateBound and returnedBound.
func Gemm[T dense.Float](call *device.Call, precision Precision, transA, transB bool, alpha T, a, b []dense.Matrix[T], beta T, c []dense.Matrix[T]) error {
	m, n, k := c[0].Rows, c[0].Cols, a[0].Cols
	if transA {
		k = a[0].Rows
	}
	plan, err := PlanGemm(precision, len(c), m, n, k, transA, transB, beta != 0)
	if err != nil {
		return err
	}
	if err := call.Fits(plan.Graph); err != nil {
		return err
	}
	if alpha == 0 {
		a, b = nil, nil
	}
	p := newPace(call)
	rowA, err := longest(p, a, !transA)
	if err != nil {
		return err
	}
	colB, err := longest(p, b, transB)
	if err != nil {
		return err
	}
	shapeA, shapeB := plan.operands()
	u := updating[T]{
		precision: precision, graph: plan.Graph, operands: []operand[T]{{shapeA, a}, {shapeB, b}}, size: productSize{plan.K, rowA, colB},
		alpha: alpha, beta: beta, c: c, triangle: whole,
	}
	return u.run(call, p)
}
