package matmul

import (
	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// GemmPlan is how a product, or a stack of them, is computed.
type GemmPlan struct {
	Plan
	M, N, K              int // padded sizes
	TransA, TransB, Adds bool
}

// PlanGemm returns the plan of batch products C = alpha op(A) op(B) of m x k by k x n matrices, plus beta C if adds is
// set.
func PlanGemm(p precision.Precision, batch, m, n, k int, transA, transB, adds bool) (*GemmPlan, error) {
	const rows, cols = 1, 2
	plan := &GemmPlan{
		Plan: newPlan(p, batch), M: staging.Bucket(m), N: staging.Bucket(n), K: staging.Bucket(k),
		TransA: transA, TransB: transB, Adds: adds,
	}
	b := graph.NewBuilder("gemm " + string(p))
	shapeA, shapeB := plan.operands()
	x, y := b.Parameter("a", shapeA), b.Parameter("b", shapeB)
	d := graph.Dimensions{Batch: [2][]int{{0}, {0}}, Contract: [2][]int{{cols}, {rows}}}
	if transA {
		d.Contract[0] = []int{rows}
	}
	if transB {
		d.Contract[1] = []int{cols}
	}
	if err := plan.build(b, product.Dot(b, p, x, y, d), adds); err != nil {
		return nil, err
	}
	return plan, nil
}

// String returns the plan in words.
func (p *GemmPlan) String() string { return p.describe("gemm", p.M, p.N, p.K) }

// operands returns the shapes of A and B.
func (p *GemmPlan) operands() (a, b graph.Shape) {
	return p.stack(p.M, p.K, p.TransA), p.stack(p.K, p.N, p.TransB)
}

// Gemm computes C_i = alpha op(A_i) op(B_i) + beta C_i for stacks of row-major matrices of one length on a device; op
// transposes where asked. C is not read where beta is 0. A and B are not read where alpha is 0: zeros go to the device
// in their place. The report's error bound holds for every element, against exact arithmetic on the given numbers: see
// updateBound and returnedBound.
func Gemm[T dense.Float](
	call *device.Call, p precision.Precision, transA, transB bool,
	alpha T, a, b []dense.Matrix[T], beta T, c []dense.Matrix[T],
) error {
	m, n, k := c[0].Rows, c[0].Cols, a[0].Cols
	if transA {
		k = a[0].Rows
	}
	plan, err := PlanGemm(p, len(c), m, n, k, transA, transB, beta != 0)
	if err != nil {
		return err
	}
	if err := call.Fits(plan.Graph); err != nil {
		return err
	}
	if alpha == 0 {
		a, b = nil, nil
	}
	shapeA, shapeB := plan.operands()
	u := updateCall[T]{
		plan: &plan.Plan, operands: []operand[T]{{shapeA, a, !transA}, {shapeB, b, transB}}, terms: plan.K,
		alpha: alpha, beta: beta, c: c, triangle: staging.Whole,
	}
	return u.run(call)
}
