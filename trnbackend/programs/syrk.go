package programs

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// SyrkPlan is how products of matrices with their own transposes are computed: by one run of one graph for matrices of the bucket's sizes, to which A goes
// once. The graph computes both triangles; it is the same for either. What is beyond the matrices is zero and is cut off.
type SyrkPlan struct {
	Precision         Precision
	Batch             int // products; the bucket's
	N, K              int // the bucket's sizes
	Trans, Adds       bool
	Graph             *graph.Graph
	BytesIn, BytesOut int64
}

// PlanSyrk returns the plan of batch products C = alpha A A^T, or alpha A^T A with trans, of order n with sums of k products, plus beta C if adds is set.
func PlanSyrk(p Precision, batch, n, k int, trans, adds bool) (*SyrkPlan, error) {
	plan := &SyrkPlan{Precision: p, Batch: stackBucket(batch), N: bucket(n), K: bucket(k), Trans: trans, Adds: adds}
	g, err := plan.build()
	if err != nil {
		return nil, err
	}
	plan.Graph = g
	plan.BytesIn, plan.BytesOut = traffic(g)
	return plan, nil
}

// String returns the plan in words.
func (p *SyrkPlan) String() string {
	return fmt.Sprintf("syrk %s: 1 graph, 1 dispatch, %d x (%d x %d x %d), %d bytes in, %d out, %.3g flops",
		p.Precision, p.Batch, p.N, p.N, p.K, p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
}

// operand returns the shape of A.
func (p *SyrkPlan) operand() graph.Shape { return stackShape(p.Precision, p.Batch, p.N, p.K, p.Trans) }

func (p *SyrkPlan) build() (*graph.Graph, error) {
	b := graph.NewBuilder("syrk " + string(p.Precision))
	x := b.Parameter("a", p.operand())
	update(b, productWithItself(b, p.Precision, x, p.Trans), p.Adds)
	return b.Build()
}

// Syrk computes the triangle uplo of C_i = alpha op(A_i) op(A_i)^T + beta C_i for stacks of row-major matrices of one length on a device; op transposes
// with trans. A_i is n x k, with trans k x n, and C_i is n x n. The other triangle of C is neither read nor written, and the triangle is not read
// where beta is 0, nor A where alpha is 0: zeros go to the device in its place. With n = 0 and with empty stacks nothing is run.
//
// The report's error bound is that of Gemm.
//
// Errors: *dense.ArgumentError for shapes that do not fit, and those of the device.
//
// Cost: 2 n^2 k operations for each product of parts, in one run: of 1, 1, 1, 2 and 4 for fp32, fp64, bf16, bf16x2 and bf16x3.
func Syrk[T dense.Float](call *device.Call, precision Precision, uplo Triangle, trans bool, alpha T, a []dense.Matrix[T], beta T, c []dense.Matrix[T]) error {
	n, k, err := checkSyrk(uplo, trans, a, c)
	if err != nil || n == 0 {
		return err
	}
	plan, err := PlanSyrk(precision, len(c), n, k, trans, beta != 0)
	if err != nil {
		return err
	}
	if err := call.Fits(plan.Graph); err != nil {
		return err
	}
	if alpha == 0 {
		a = nil
	}
	p := newPace(call)
	length, err := longest(p, a, !trans)
	if err != nil {
		return err
	}
	u := updating[T]{
		precision: precision, graph: plan.Graph, operands: []operand[T]{{plan.operand(), a}}, size: productSize{plan.K, length, length},
		alpha: alpha, beta: beta, c: c, triangle: uplo,
	}
	return u.run(call, p)
}

// checkSyrk returns the order n and the number k of products of each sum; n is 0 for empty stacks too.
func checkSyrk[T dense.Float](uplo Triangle, trans bool, a, c []dense.Matrix[T]) (n, k int, err error) {
	if uplo != Upper && uplo != Lower {
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
			return 0, 0, dense.BadArgument("a", "the matrices differ: shapes (%d, %d) and (%d, %d)", a[0].Rows, a[0].Cols, x.Rows, x.Cols)
		}
		if c[i].Rows != n || c[i].Cols != n {
			return 0, 0, dense.BadArgument("c", "expected shape (%d, %d), got (%d, %d)", n, n, c[i].Rows, c[i].Cols)
		}
	}
	return n, k, nil
}
