package programs

import (
	"fmt"
	"math"

	"trnsci/core/dense"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// Figures of the scaled Newton-Schulz iteration, for the numbers s with squares s^2 that are the eigenvalues of Z Y: a step replaces s by
// rho s (3 - rho^2 s^2) / 2, which is at most 1 for s up to 1 and rho up to sqrt(3).
const (
	// What the smallest s is taken to be at first: it suits condition numbers of about 100, and a wrong guess costs two or three steps.
	firstLow = 0.1
	// A smaller low is used as this, so that rho is at most 1.7 and s = 1 becomes 0.1 at least: what comes near 0 loses its digits.
	leastLow = 0.04
	// Below this residual rho is 1, since then it only gets in the way of quadratic convergence.
	nearResidual = 0.25
	// A residual this many times what a positive definite matrix can have says that the matrix is none, whatever was rounded.
	divergedBy = 2
)

// newtonSteps is how many steps one run of the graph does: more would be wasted on well-conditioned matrices.
const newtonSteps = 4

// InvSqrtPlan is how the inverse square root of a symmetric positive definite matrix is computed: by runs of one graph that keep their state
// on the device. The matrix has the bucket's size there, with a multiple of the identity behind the caller's elements.
type InvSqrtPlan struct {
	Precision         Precision
	N                 int     // the bucket's order
	Steps             int     // of the iteration in a run
	MostRuns          int     // runs after which an eigenvalue that has not come up is zero to the precision
	Tolerance         float64 // residual from which on one more step leads to rounding errors
	Graph             *graph.Graph
	BytesIn, BytesOut int64 // at most
}

// ConvergenceError says that the Newton-Schulz iteration found no inverse square root: the matrix is indefinite, or singular to the precision. Either
// the iteration was given up, or what it found is so far from a root that nothing is known of its error; see rootError.
type ConvergenceError struct {
	Steps     int       // that were done when it was given up
	Residual  float64   // |Z Y - I|_F of the last one
	Ended     bool      // it was not given up, there is a result X
	Off       float64   // the estimate of |X A X - I|_F then
	Precision Precision // of the products
}

func (e *ConvergenceError) Error() string {
	if e.Ended {
		return fmt.Sprintf("a: the Newton-Schulz iteration ended, but |X A X - I| of its result X is about %.2g: the matrix is singular to %s",
			e.Off, e.Precision)
	}
	return fmt.Sprintf("a: the Newton-Schulz iteration was given up after %d steps, |Z Y - I| is %.2g: the matrix is not positive definite, or singular to %s",
		e.Steps, e.Residual, e.Precision)
}

// PlanInvSqrt returns the plan for matrices of order n. Products of plain bf16 are refused with an UnsupportedError: the iteration converges
// no further than to the errors of its products times the square root of the condition number.
func PlanInvSqrt(caps trnbackend.Caps, p Precision, n int) (*InvSqrtPlan, error) {
	if p == BF16 {
		return nil, &trnbackend.UnsupportedError{Device: caps.Device, What: "an inverse square root with precision bf16; bf16x2 and bf16x3 keep enough digits"}
	}
	plan := &InvSqrtPlan{Precision: p, N: bucket(n), Steps: newtonSteps}
	eps := max(p.dtype().Eps(), 2*p.unit())
	plan.Tolerance = math.Min(math.Sqrt(float64(plan.N)*eps), nearResidual/4)
	// The s of an eigenvalue above eps times the largest one grows by 3/2 in every step until it is near 1.
	const growth, last = 1.5, 2 * newtonSteps
	steps := math.Log(1/math.Sqrt(eps))/math.Log(growth) + last
	plan.MostRuns = int(math.Ceil(steps / newtonSteps))
	g, err := plan.build()
	if err != nil {
		return nil, err
	}
	plan.Graph = g
	for _, s := range g.ParameterShapes() {
		plan.BytesIn += s.Bytes()
	}
	plan.BytesOut = plan.square().Bytes() + int64(plan.MostRuns)*plan.residuals().Bytes()
	return plan, nil
}

// String returns the plan in words.
func (p *InvSqrtPlan) String() string {
	return fmt.Sprintf("inverse square root %s: 1 graph, at most %d dispatches of %d steps, order %d, %d bytes in, at most %d out, %.3g flops a dispatch",
		p.Precision, p.MostRuns, p.Steps, p.N, p.BytesIn, p.BytesOut, float64(p.Graph.Cost().Flops))
}

// square returns the shape of Y and Z.
func (p *InvSqrtPlan) square() graph.Shape { return graph.Of(p.Precision.dtype(), p.N, p.N) }

// residuals returns the shape of the residuals of a run.
func (p *InvSqrtPlan) residuals() graph.Shape { return graph.Of(p.Precision.dtype(), p.Steps) }

// build makes the graph (y, z, low) -> (y, z, low, residuals) of some steps. Element k of residuals is |Z Y - I|_F before step k.
func (p *InvSqrtPlan) build() (*graph.Graph, error) {
	b := graph.NewBuilder("newton-schulz " + string(p.Precision))
	s := newtonState{
		b: b, precision: p.Precision,
		y: b.Donated("y", p.square()), z: b.Donated("z", p.square()), low: b.Donated("low", graph.Of(p.Precision.dtype())),
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

// newtonState is the state of the iteration within a graph: Y and Z, which go to A^(1/2) and A^(-1/2), and what the roots of the eigenvalues of Z Y
// are thought to be at least.
type newtonState struct {
	b         *graph.Builder
	precision Precision
	identity  graph.Value
	y, z, low graph.Value
}

// step adds one step, Y <- Y W and Z <- W Z with W = rho (3 I - rho^2 Z Y) / 2, and returns |Z Y - I|_F from before it (N. J. Higham, Functions of
// Matrices, 2008, section 6.7; rho as in J. Chen and E. Chow, A stable scaling of Newton-Schulz for improving the sign function
// computation of a Hermitian matrix, Argonne National Laboratory, 2014). The order of the factors is what makes it stable.
func (s *newtonState) step() graph.Value {
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

// correctLow makes low agree with a residual r = |Z Y - I|_F: s^2 is at least 1 - r, and r is at most sqrt(N) (1 - low^2). If it is more, low was
// guessed too large, and there are small s yet to bring up.
func (s *newtonState) correctLow(residual graph.Value) {
	b := s.b
	root := math.Sqrt(float64(s.identity.Shape().Dims[0]))
	most := b.Multiply(s.scalar(root), b.Subtract(s.scalar(1), b.Multiply(s.low, s.low)))
	guess := b.Select(b.Compare(graph.LE, residual, most), s.low, s.scalar(leastLow))
	sure := b.Sqrt(b.Maximum(b.Subtract(s.scalar(1), residual), s.scalar(0)))
	s.low = b.Maximum(guess, sure)
}

// times adds the product of two matrices.
func (s *newtonState) times(x, y graph.Value) graph.Value {
	return product(s.b, s.precision, x, y, graph.Dimensions{Contract: [2][]int{{1}, {0}}})
}

func (s *newtonState) scalar(x float64) graph.Value { return s.b.Scalar(s.precision.dtype(), x) }

// InvSqrtSPD sets x to the inverse square root A^(-1/2) of a symmetric positive definite n x n matrix, computed on a device; x has the shape of a and may
// be a itself. Only the lower triangle of a is read.
//
// The coupled Newton-Schulz iteration starts with Y = A / sqrt(c) and Z = I / sqrt(c), c a norm of A and so not below its largest eigenvalue. Three products
// of n x n matrices are a step; a condition number of 1e4 takes about 11 steps, one of 1e6 about 14. |X A X - I| is of the order of the precision's unit times
// the condition number of A. The report's error bound is what rootError estimates.
//
// Errors: *dense.ArgumentError for shapes that do not fit and for infinities and NaNs, *trnbackend.UnsupportedError for plain bf16, *ConvergenceError, and
// those of the device. x is not touched then.
func InvSqrtSPD[T dense.Float](call *device.Call, precision Precision, a, x dense.Matrix[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if x.Rows != n || x.Cols != n {
		return dense.BadArgument("x", "expected shape (%d, %d), got (%d, %d)", n, n, x.Rows, x.Cols)
	}
	plan, err := PlanInvSqrt(call.Caps(), precision, n)
	if err != nil || n == 0 {
		return err
	}
	p := newPace(call)
	start, exponent, err := scaledSPD(p, a, plan.N)
	if err != nil {
		return err
	}
	call.OnHost("a was scaled by its norms, which takes n^2 operations")
	z, err := plan.run(call, p, start)
	if err != nil {
		return err
	}
	root, err := symmetricRoot[T](p, z, plan.N, n, math.Ldexp(1, -exponent/2))
	if err != nil {
		return err
	}
	return finishRoot(call, p, precision, start.matrix(n), root, exponent, x)
}

// finishRoot estimates the error of a root in its scale, and writes it to x in that of the caller's matrix. A root of which nothing is known is a
// ConvergenceError.
func finishRoot[T dense.Float](
	call *device.Call, p *pace, precision Precision, a, root dense.Matrix[float64], exponent int, x dense.Matrix[T],
) error {
	bound, off, err := rootError(p, a, root)
	if err != nil {
		return err
	}
	if math.IsInf(bound, 1) {
		return &ConvergenceError{Ended: true, Off: off, Precision: precision}
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

// symmetricRoot returns the mean of Z and its transpose, cut to n x n and rounded so that scale times it are numbers of type T.
func symmetricRoot[T dense.Float](p *pace, z []float64, order, n int, scale float64) (dense.Matrix[float64], error) {
	root := dense.New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v := float64(T((z[i*order+j]+z[j*order+i])/2*scale)) / scale
			root.Set(i, j, v)
			root.Set(j, i, v)
		}
		if err := p.did(i + 1); err != nil {
			return root, err
		}
	}
	return root, nil
}

// newtonStart is the matrix that the iteration is done with, of the bucket's order.
type newtonStart struct {
	a     []float64
	order int
	norm  float64 // not below its largest eigenvalue, if it is positive definite
}

// matrix returns the first n rows and columns, which are the caller's.
func (s newtonStart) matrix(n int) dense.Matrix[float64] {
	return dense.Matrix[float64]{Rows: n, Cols: n, Stride: s.order, Data: s.a}
}

// scaledSPD returns a, divided by 2^exponent with an even exponent so that the largest element is near 1, continued by zeros and, on the
// diagonal, by the largest modulus of an element. In a positive definite matrix that is an element of the diagonal, so it is between the smallest
// and the largest eigenvalue and makes the condition no worse.
func scaledSPD[T dense.Float](p *pace, a dense.Matrix[T], order int) (s newtonStart, exponent int, err error) {
	largest := 0.0
	for i := range a.Rows {
		for _, v := range a.Row(i)[:i+1] {
			if !dense.IsFinite(v) {
				return s, 0, dense.NotFinite("a")
			}
			largest = math.Max(largest, math.Abs(float64(v)))
		}
		if err := p.did(i + 1); err != nil {
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
		if err := p.did(i + 1); err != nil {
			return s, 0, err
		}
	}
	behind := math.Ldexp(largest, -exponent)
	for i := a.Rows; i < order; i++ {
		s.a[i*order+i] = behind
	}
	norm, err := smallerNorm(p, s.matrix(a.Rows))
	s.norm = math.Max(behind, norm)
	return s, exponent, err
}

// smallerNorm returns the smaller one of the largest sum of moduli in a row and the Frobenius norm. Neither is below the largest modulus of an
// eigenvalue.
func smallerNorm(p *pace, a dense.Matrix[float64]) (float64, error) {
	rows, squares := 0.0, 0.0
	for i := range a.Rows {
		sum := 0.0
		for _, v := range a.Row(i) {
			sum += math.Abs(v)
			squares += v * v
		}
		rows = math.Max(rows, sum)
		if err := p.did(a.Cols); err != nil {
			return 0, err
		}
	}
	return math.Min(rows, math.Sqrt(squares)), nil
}

// run iterates until the residual is below the tolerance and returns Z.
func (p *InvSqrtPlan) run(call *device.Call, host *pace, start newtonStart) ([]float64, error) {
	program, err := call.Program(p.Graph)
	if err != nil {
		return nil, err
	}
	state, err := p.upload(call, host, start)
	if err != nil {
		return nil, err
	}
	e := &ConvergenceError{Precision: p.Precision}
	for range p.MostRuns {
		results, err := call.Run(program, state...)
		if err != nil {
			return nil, err
		}
		state = results[:len(state)]
		data, err := call.Download(results[len(state)])
		if err != nil {
			return nil, err
		}
		for _, e.Residual = range trnbackend.Decode(p.Precision.dtype(), data) {
			if !(e.Residual <= divergedBy*math.Sqrt(float64(p.N))) {
				return nil, e
			}
			if e.Steps++; e.Residual <= p.Tolerance {
				return p.download(call, host, state)
			}
		}
	}
	return nil, e
}

// upload returns the first state on the device: Y, Z and low.
func (p *InvSqrtPlan) upload(call *device.Call, host *pace, start newtonStart) ([]trnbackend.Buffer, error) {
	root := math.Sqrt(start.norm)
	y, z := make([]float64, len(start.a)), make([]float64, len(start.a))
	for i := range p.N {
		for j := i * p.N; j < (i+1)*p.N; j++ {
			y[j] = start.a[j] / root
		}
		z[i*p.N+i] = 1 / root
		if err := host.did(p.N); err != nil {
			return nil, err
		}
	}
	state := make([]trnbackend.Buffer, 0, 3)
	for i, elements := range [][]float64{y, z, {firstLow}} {
		shape := p.Graph.ParameterShapes()[i]
		data, err := host.encode(shape.DType, elements)
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
func (p *InvSqrtPlan) download(call *device.Call, host *pace, state []trnbackend.Buffer) ([]float64, error) {
	data, err := call.Download(state[1])
	if err != nil {
		return nil, err
	}
	return host.decode(p.Precision.dtype(), data)
}
