// Package invsqrt computes inverse square roots of symmetric positive definite matrices on a device by the scaled
// Newton-Schulz iteration, and estimates their errors.
package invsqrt

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

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
