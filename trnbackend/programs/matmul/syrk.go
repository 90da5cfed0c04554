package matmul

import (
	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// SyrkPlan is how products of matrices with their own transposes are computed. A goes to the device once. The graph
// computes both triangles; it is the same for either.
type SyrkPlan struct {
	Plan
	N, K        int // padded sizes
	Trans, Adds bool
}

// PlanSyrk returns the plan of batch products C = alpha A A^T, or alpha A^T A with trans, of order n with sums of k
// terms, plus beta C if adds is set.
func PlanSyrk(p precision.Precision, batch, n, k int, trans, adds bool) (*SyrkPlan, error) {
	plan := &SyrkPlan{Plan: newPlan(p, batch), N: staging.Bucket(n), K: staging.Bucket(k), Trans: trans, Adds: adds}
	b := graph.NewBuilder("syrk " + string(p))
	x := b.Parameter("a", plan.operand())
	if err := plan.build(b, product.WithItself(b, p, x, trans), adds); err != nil {
		return nil, err
	}
	return plan, nil
}

// String returns the plan in words.
func (p *SyrkPlan) String() string { return p.describe("syrk", p.N, p.N, p.K) }

// operand returns the shape of A.
func (p *SyrkPlan) operand() graph.Shape { return p.stack(p.N, p.K, p.Trans) }

// Syrk computes the triangle uplo of C_i = alpha op(A_i) op(A_i)^T + beta C_i for stacks of row-major matrices of one
// length on a device; op transposes with trans. A_i is n x k, with trans k x n, and C_i is n x n. The other triangle of
// C is neither read nor written. The triangle is not read where beta is 0, nor A where alpha is 0: zeros go to the
// device in its place. With n = 0 and with empty stacks nothing is run.
//
// The report's error bound is that of Gemm.
//
// Errors: *dense.ArgumentError for shapes that do not fit, and those of the device.
//
// Cost: 2 n^2 k operations for each product of parts, in one run: 1 product for fp32, fp64 and bf16, 2 for bf16x2 and 4
// for bf16x3.
func Syrk[T dense.Float](
	call *device.Call, p precision.Precision, uplo staging.Triangle, trans bool,
	alpha T, a []dense.Matrix[T], beta T, c []dense.Matrix[T],
) error {
	n, k, err := checkSyrk(uplo, trans, a, c)
	if err != nil || n == 0 {
		return err
	}
	plan, err := PlanSyrk(p, len(c), n, k, trans, beta != 0)
	if err != nil {
		return err
	}
	if err := call.Fits(plan.Graph); err != nil {
		return err
	}
	if alpha == 0 {
		a = nil
	}
	u := updateCall[T]{
		plan: &plan.Plan, operands: []operand[T]{{plan.operand(), a, !trans}}, terms: plan.K,
		alpha: alpha, beta: beta, c: c, triangle: uplo,
	}
	return u.run(call)
}

// checkSyrk returns the order n and the number k of terms of each sum; n is 0 for empty stacks too.
func checkSyrk[T dense.Float](uplo staging.Triangle, trans bool, a, c []dense.Matrix[T]) (n, k int, err error) {
	if uplo != staging.Upper && uplo != staging.Lower {
		return 0, 0, dense.BadArgument("uplo", "expected Upper or Lower, got %d", int(uplo))
	}
	if len(a) != len(c) {
		return 0, 0, dense.BadArgument("a", "expected %d matrices, as many as there are of c, got %d", len(c), len(a))
	}
	for i, x := range a {
		rows, cols := x.Rows, x.Cols
		if trans {
			rows, cols = cols, rows
		}
		if i == 0 {
			n, k = rows, cols
		}
		if rows != n || cols != k {
			return 0, 0, dense.BadArgument("a", "the matrices differ: shapes (%d, %d) and (%d, %d)",
				a[0].Rows, a[0].Cols, x.Rows, x.Cols)
		}
		if c[i].Rows != n || c[i].Cols != n {
			return 0, 0, dense.BadArgument("c", "expected shape (%d, %d), got (%d, %d)", n, n, c[i].Rows, c[i].Cols)
		}
	}
	return n, k, nil
}
