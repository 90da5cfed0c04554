package invsqrt

import (
	"fmt"
	"math"

	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// Parameters of the scaled Newton-Schulz iteration. Let s^2 be the eigenvalues of Z Y, s > 0: a step replaces s by
// rho s (3 - rho^2 s^2) / 2, which is at most 1 for s up to 1 and rho up to sqrt(3).
const (
	// First estimate of the smallest s: it suits condition numbers of about 100, and a wrong one costs two or three
	// steps.
	firstLow = 0.1
	// Lower limit of low where it is used, so that rho is at most 1.7 and s = 1 becomes at least 0.1: numbers near 0
	// lose their digits.
	leastLow = 0.04
	// Below this residual rho is 1, since scaling would only slow down quadratic convergence.
	nearResidual = 0.25
	// A residual this many times the largest one of positive definite matrices shows that the matrix is not one,
	// despite rounding.
	divergedBy = 2
)

// stepsPerRun is the number of steps in one run of the graph: more would be wasted on well-conditioned matrices.
const stepsPerRun = 4

// Plan is how the inverse square root of a symmetric positive definite matrix is computed: by runs of one graph that
// keep their state on the device. The matrix is padded there with a multiple of the identity.
type Plan struct {
	Precision         precision.Precision
	N                 int     // padded order
	Steps             int     // of the iteration in a run
	MaxRuns           int     // after so many runs an eigenvalue whose s has not grown is zero to the precision
	Tolerance         float64 // a residual below which one more step only leaves rounding errors
	Graph             *graph.Graph
	BytesIn, BytesOut int64 // at most
}

// ConvergenceError reports that the Newton-Schulz iteration found no inverse square root: the matrix is indefinite, or
// singular to the precision. Either the iteration was given up, or its result is so far from a root that its error
// cannot be bounded; see rootError.
type ConvergenceError struct {
	Steps     int                 // done when the iteration was given up
	Residual  float64             // |Z Y - I|_F of the last step
	Ended     bool                // the iteration converged to a result X
	Off       float64             // then the estimate of |X A X - I|_F
	Precision precision.Precision // of the products
}

func (e *ConvergenceError) Error() string {
	if e.Ended {
		return fmt.Sprintf("a: the Newton-Schulz iteration ended, but |X A X - I| of its result X is about %.2g: "+
			"the matrix is singular to %s", e.Off, e.Precision)
	}
	return fmt.Sprintf("a: the Newton-Schulz iteration was given up after %d steps, |Z Y - I| is %.2g: "+
		"the matrix is not positive definite, or singular to %s", e.Steps, e.Residual, e.Precision)
}

// NewPlan returns the plan for matrices of order n. Products in plain bf16 are refused with an UnsupportedError: the
// iteration is no more accurate than the errors of its products times the square root of the condition number.
func NewPlan(caps trnbackend.Caps, p precision.Precision, n int) (*Plan, error) {
	if p == precision.BF16 {
		return nil, &trnbackend.UnsupportedError{
			Device: caps.Device,
			What:   "an inverse square root with precision bf16; bf16x2 and bf16x3 keep enough digits",
		}
	}
	plan := &Plan{Precision: p, N: staging.Bucket(n), Steps: stepsPerRun}
	eps := p.Eps()
	plan.Tolerance = math.Min(math.Sqrt(float64(plan.N)*eps), nearResidual/4)
	// The s of an eigenvalue above eps times the largest one grows by 3/2 in every step until it is near 1.
	const growth, last = 1.5, 2 * stepsPerRun
	steps := math.Log(1/math.Sqrt(eps))/math.Log(growth) + last
	plan.MaxRuns = int(math.Ceil(steps / stepsPerRun))
	g, err := plan.build()
	if err != nil {
		return nil, err
	}
	plan.Graph = g
	for _, s := range g.ParameterShapes() {
		plan.BytesIn += s.Bytes()
	}
	plan.BytesOut = plan.square().Bytes() + int64(plan.MaxRuns)*plan.residuals().Bytes()
	return plan, nil
}

// String returns the plan in words.
func (p *Plan) String() string {
	return fmt.Sprintf("inverse square root %s: 1 graph, at most %d dispatches of %d steps, order %d, "+
		"%d bytes in, at most %d out, %.3g flops a dispatch", p.Precision, p.MaxRuns, p.Steps, p.N,
		p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
}

// square returns the shape of Y and Z.
func (p *Plan) square() graph.Shape { return graph.Of(product.DType(p.Precision), p.N, p.N) }

// residuals returns the shape of the residuals of a run.
func (p *Plan) residuals() graph.Shape { return graph.Of(product.DType(p.Precision), p.Steps) }

// build makes the graph (y, z, low) -> (y, z, low, residuals) of p.Steps steps. Element k of residuals is |Z Y - I|_F
// before step k.
func (p *Plan) build() (*graph.Graph, error) {
	b := graph.NewBuilder("newton-schulz " + string(p.Precision))
	s := iteration{
		b: b, precision: p.Precision,
		y: b.Donated("y", p.square()), z: b.Donated("z", p.square()),
		low: b.Donated("low", graph.Of(product.DType(p.Precision))),
	}
	index := p.square().As(graph.S32)
	diagonal := b.Compare(graph.EQ, b.Iota(index, 0), b.Iota(index, 1))
	s.identity = b.Select(diagonal, b.Fill(p.square(), 1), b.Fill(p.square(), 0))
	residuals := make([]graph.Value, p.Steps)
	for k := range residuals {
		residuals[k] = b.Reshape(s.step(), 1)
	}
	b.Result("y", s.y)
	b.Result("z", s.z)
	b.Result("low", s.low)
	b.Result("residuals", b.Concatenate(0, residuals...))
	return b.Build()
}

// iteration is the state of the iteration within a graph: Y and Z, which converge to A^(1/2) and A^(-1/2), and low, an
// estimate of the smallest s.
type iteration struct {
	b         *graph.Builder
	precision precision.Precision
	identity  graph.Value
	y, z, low graph.Value
}

// step adds one step, Y <- Y W and Z <- W Z with W = rho (3 I - rho^2 Z Y) / 2, and returns |Z Y - I|_F from before it
// (N. J. Higham, Functions of Matrices, 2008, section 6.7; rho as in J. Chen and E. Chow, A stable scaling of
// Newton-Schulz for improving the sign function computation of a Hermitian matrix, Argonne National Laboratory, 2014).
// The order of the factors is what makes it stable.
func (s *iteration) step() graph.Value {
	b, dims := s.b, s.identity.Shape().Dims
	zy := s.times(s.z, s.y)
	off := b.Subtract(zy, s.identity)
	residual := b.Sqrt(b.ReduceSum(b.Multiply(off, off), 0, 1))
	s.correctLow(residual)
	// Both ends of [low, 1] go to the same number if rho^2 = 3 / (1 + low + low^2).
	l := b.Maximum(s.low, s.scalar(leastLow))
	square := b.Divide(s.scalar(3), b.Add(s.scalar(1), b.Add(l, b.Multiply(l, l))))
	square = b.Select(b.Compare(graph.LT, residual, s.scalar(nearResidual)), s.scalar(1), square)
	linear := b.Multiply(s.scalar(1.5), b.Sqrt(square))
	cubic := b.Multiply(b.Multiply(s.scalar(0.5), square), b.Sqrt(square))
	w := b.Subtract(b.Multiply(b.Broadcast(linear, dims), s.identity), b.Multiply(b.Broadcast(cubic, dims), zy))
	s.y, s.z = s.times(s.y, w), s.times(w, s.z)
	s.low = b.Multiply(s.low, b.Subtract(linear, b.Multiply(cubic, b.Multiply(s.low, s.low))))
	return residual
}

// correctLow makes low agree with a residual r = |Z Y - I|_F: s^2 is at least 1 - r, and r is at most sqrt(N) (1 -
// low^2). If r is larger, low was too large, and there are small s that still have to grow.
func (s *iteration) correctLow(residual graph.Value) {
	b := s.b
	root := math.Sqrt(float64(s.identity.Shape().Dims[0]))
	most := b.Multiply(s.scalar(root), b.Subtract(s.scalar(1), b.Multiply(s.low, s.low)))
	guess := b.Select(b.Compare(graph.LE, residual, most), s.low, s.scalar(leastLow))
	sure := b.Sqrt(b.Maximum(b.Subtract(s.scalar(1), residual), s.scalar(0)))
	s.low = b.Maximum(guess, sure)
}

// times adds the product of two matrices.
func (s *iteration) times(x, y graph.Value) graph.Value {
	return product.Dot(s.b, s.precision, x, y, graph.Dimensions{Contract: [2][]int{{1}, {0}}})
}

func (s *iteration) scalar(x float64) graph.Value { return s.b.Scalar(product.DType(s.precision), x) }
