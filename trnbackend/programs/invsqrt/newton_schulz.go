// Package invsqrt computes inverse square roots of symmetric positive definite matrices on a device by the scaled
// Newton-Schulz iteration, and estimates their errors.
package invsqrt

import (
	"fmt"
	"math"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
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
		"%d bytes in, at most %d out, %.3g flops a dispatch", p.Precision, p.MaxRuns, p.Steps, p.N, p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
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

// NewtonSchulz sets x to the inverse square root A^(-1/2) of a symmetric positive definite n x n matrix, computed on a
// device; x has the shape of a and may be a itself. Only the lower triangle of a is read.
//
// The coupled Newton-Schulz iteration starts with Y = A / sqrt(c) and Z = I / sqrt(c), where c is a norm of A and so
// not below its largest eigenvalue. A step takes three products of n x n matrices; a condition number of 1e4 takes
// about 11 steps, one of 1e6 about 14. |X A X - I| is of the order of the precision's unit roundoff times the condition
// number of A. The report's error bound is what rootError estimates.
//
// Errors: *dense.ArgumentError for shapes that do not fit and for infinities and NaNs, *trnbackend.UnsupportedError for
// plain bf16, *ConvergenceError, and those of the device. After an error x is unchanged.
func NewtonSchulz[T dense.Float](call *device.Call, p precision.Precision, a, x dense.Matrix[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if x.Rows != n || x.Cols != n {
		return dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", n, n, x.Rows, x.Cols)
	}
	plan, err := NewPlan(call.Caps(), p, n)
	if err != nil || n == 0 {
		return err
	}
	check := staging.NewCancelCheck(call)
	start, exponent, err := scaleSPD(check, a, plan.N)
	if err != nil {
		return err
	}
	call.OnHost("a was scaled by its norms, which takes n^2 operations")
	z, err := plan.run(call, check, start)
	if err != nil {
		return err
	}
	root, err := symmetricRoot[T](check, z, plan.N, n, math.Ldexp(1, -exponent/2))
	if err != nil {
		return err
	}
	return finishRoot(call, check, p, start.matrix(n), root, exponent, x)
}

// finishRoot estimates the error of a root of the scaled matrix and writes the root of the caller's matrix to x. The
// error is a ConvergenceError if the error of the root cannot be bounded.
func finishRoot[T dense.Float](
	call *device.Call, check *staging.CancelCheck, p precision.Precision, a, root dense.Matrix[float64], exponent int,
	x dense.Matrix[T],
) error {
	bound, off, err := rootError(check, a, root)
	if err != nil {
		return err
	}
	if math.IsInf(bound, 1) {
		return &ConvergenceError{Ended: true, Off: off, Precision: p}
	}
	call.OnHost("the error was estimated from a, the result and random vectors, which takes 200 n^2 operations")
	call.Bound(math.Ldexp(bound, -exponent/2))
	scale := T(math.Ldexp(1, -exponent/2))
	for i := range x.Rows {
		row := x.Row(i)
		for j, v := range root.Row(i) {
			row[j] = T(v) * scale
		}
	}
	return nil
}

// symmetricRoot returns the mean of Z and its transpose, cut to n x n and rounded so that scale times it are numbers of
// type T.
func symmetricRoot[T dense.Float](
	check *staging.CancelCheck, z []float64, order, n int, scale float64,
) (dense.Matrix[float64], error) {
	root := dense.New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v := float64(T((z[i*order+j]+z[j*order+i])/2*scale)) / scale
			root.Set(i, j, v)
			root.Set(j, i, v)
		}
		if err := check.Step(i + 1); err != nil {
			return root, err
		}
	}
	return root, nil
}

// scaledMatrix is the matrix of the iteration, scaled and padded.
type scaledMatrix struct {
	a     []float64
	order int
	norm  float64 // an upper bound of its largest eigenvalue, if it is positive definite
}

// matrix returns the first n rows and columns, without the padding.
func (s scaledMatrix) matrix(n int) dense.Matrix[float64] {
	return dense.Matrix[float64]{Rows: n, Cols: n, Stride: s.order, Data: s.a}
}

// scaleSPD returns a divided by 2^exponent, with an even exponent for which the largest element is near 1. The padding
// is zero, but for the largest modulus of an element on the diagonal. In a positive definite matrix that modulus is a
// diagonal element, so it lies between the smallest and the largest eigenvalue and leaves the condition number as it
// is.
func scaleSPD[T dense.Float](
	check *staging.CancelCheck, a dense.Matrix[T], order int,
) (s scaledMatrix, exponent int, err error) {
	largest := 0.0
	for i := range a.Rows {
		for _, v := range a.Row(i)[:i+1] {
			if !dense.IsFinite(v) {
				return s, 0, dense.NotFinite("a")
			}
			largest = math.Max(largest, math.Abs(float64(v)))
		}
		if err := check.Step(i + 1); err != nil {
			return s, 0, err
		}
	}
	if largest == 0 {
		largest = 1
	}
	_, exponent = math.Frexp(largest)
	exponent += exponent & 1
	s.a, s.order = make([]float64, order*order), order
	for i := range a.Rows {
		for j, v := range a.Row(i)[:i+1] {
			scaled := math.Ldexp(float64(v), -exponent)
			s.a[i*order+j], s.a[j*order+i] = scaled, scaled
		}
		if err := check.Step(i + 1); err != nil {
			return s, 0, err
		}
	}
	padding := math.Ldexp(largest, -exponent)
	for i := a.Rows; i < order; i++ {
		s.a[i*order+i] = padding
	}
	norm, err := smallerNorm(check, s.matrix(a.Rows))
	s.norm = math.Max(padding, norm)
	return s, exponent, err
}

// smallerNorm returns the smaller one of the infinity norm and the Frobenius norm. Both are upper bounds of the moduli
// of eigenvalues.
func smallerNorm(check *staging.CancelCheck, a dense.Matrix[float64]) (float64, error) {
	rows, squares := 0.0, 0.0
	for i := range a.Rows {
		sum := 0.0
		for _, v := range a.Row(i) {
			sum += math.Abs(v)
			squares += v * v
		}
		rows = math.Max(rows, sum)
		if err := check.Step(a.Cols); err != nil {
			return 0, err
		}
	}
	return math.Min(rows, math.Sqrt(squares)), nil
}

// run iterates until the residual is at most the tolerance and returns Z.
func (p *Plan) run(call *device.Call, check *staging.CancelCheck, start scaledMatrix) ([]float64, error) {
	program, err := call.Program(p.Graph)
	if err != nil {
		return nil, err
	}
	state, err := p.upload(call, check, start)
	if err != nil {
		return nil, err
	}
	e := &ConvergenceError{Precision: p.Precision}
	for range p.MaxRuns {
		results, err := call.Run(program, state...)
		if err != nil {
			return nil, err
		}
		state = results[:len(state)]
		data, err := call.Download(results[len(state)])
		if err != nil {
			return nil, err
		}
		for _, e.Residual = range trnbackend.Decode(product.DType(p.Precision), data) {
			if !(e.Residual <= divergedBy*math.Sqrt(float64(p.N))) {
				return nil, e
			}
			if e.Steps++; e.Residual <= p.Tolerance {
				return p.download(call, check, state)
			}
		}
	}
	return nil, e
}

// upload returns the first state on the device: Y, Z and low.
func (p *Plan) upload(call *device.Call, check *staging.CancelCheck, start scaledMatrix) ([]trnbackend.Buffer, error) {
	root := math.Sqrt(start.norm)
	y, z := make([]float64, len(start.a)), make([]float64, len(start.a))
	for i := range p.N {
		for j := i * p.N; j < (i+1)*p.N; j++ {
			y[j] = start.a[j] / root
		}
		z[i*p.N+i] = 1 / root
		if err := check.Step(p.N); err != nil {
			return nil, err
		}
	}
	state := make([]trnbackend.Buffer, 0, 3)
	for i, elements := range [][]float64{y, z, {firstLow}} {
		shape := p.Graph.ParameterShapes()[i]
		data, err := check.Encode(shape.DType, elements)
		if err != nil {
			return nil, err
		}
		buffer, err := call.Upload(shape, data)
		if err != nil {
			return nil, err
		}
		state = append(state, buffer)
	}
	return state, nil
}

// download returns Z.
func (p *Plan) download(call *device.Call, check *staging.CancelCheck, state []trnbackend.Buffer) ([]float64, error) {
	data, err := call.Download(state[1])
	if err != nil {
		return nil, err
	}
	return check.Decode(product.DType(p.Precision), data)
}
