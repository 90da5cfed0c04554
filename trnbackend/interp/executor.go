// Package interp runs graphs in Go: it is the meaning of every operation, by which other executors are judged. Each element is computed in
// float64 and rounded to the type of its array after every operation; sums are accumulated in float64. Dots run on core/blas, so that real
// programs can be run in it.
package interp

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Name is the device's name.
const Name = "interp"

// version changes when results do.
const version = "interp 1"

// Executor is the device. Its memory is the host's.
type Executor struct {
	used   atomic.Int64 // bytes of live buffers
	closed atomic.Bool
}

// New opens the device.
func New() *Executor { return &Executor{} }

// Name returns "interp".
func (e *Executor) Name() string { return Name }

// Caps returns that all types and operations are there.
func (e *Executor) Caps() trnbackend.Caps {
	return trnbackend.Caps{
		Device: Name, Version: version,
		DTypes: []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64},
	}
}

// Compile returns the graph as a program; there is nothing to do.
func (e *Executor) Compile(_ context.Context, g *graph.Graph) (trnbackend.Program, error) {
	if e.closed.Load() {
		return nil, fmt.Errorf("compiling graph %s: %w", g.Name(), trnbackend.ErrFreed)
	}
	caps := e.Caps()
	if err := caps.Check(g); err != nil {
		return nil, err
	}
	return &program{executor: e, graph: g}, nil
}

// Upload copies an array.
func (e *Executor) Upload(shape graph.Shape, data []byte) (trnbackend.Buffer, error) {
	if e.closed.Load() {
		return nil, fmt.Errorf("uploading %s: %w", shape, trnbackend.ErrFreed)
	}
	if int64(len(data)) != shape.Bytes() {
		return nil, fmt.Errorf("uploading %s: %d bytes", shape, len(data))
	}
	return e.newBuffer(shape, trnbackend.Decode(shape.DType, data)), nil
}

// Memory returns the bytes of the live buffers, as their types have them.
func (e *Executor) Memory() (trnbackend.Memory, error) {
	return trnbackend.Memory{Used: e.used.Load()}, nil
}

// Close makes every later call fail.
func (e *Executor) Close() error {
	e.closed.Store(true)
	return nil
}

// buffer is an array. Its elements are never changed, so that runs in other goroutines may go on reading them when it is freed.
type buffer struct {
	executor *Executor
	shape    graph.Shape
	elements atomic.Pointer[[]float64] // nil once it is freed
}

func (e *Executor) newBuffer(shape graph.Shape, elements []float64) *buffer {
	b := &buffer{executor: e, shape: shape}
	b.elements.Store(&elements)
	e.used.Add(shape.Bytes())
	return b
}

// Shape returns the shape.
func (b *buffer) Shape() graph.Shape { return b.shape }

// Download copies the array.
func (b *buffer) Download(data []byte) error {
	elements := b.elements.Load()
	if elements == nil || b.executor.closed.Load() {
		return fmt.Errorf("downloading %s: %w", b.shape, trnbackend.ErrFreed)
	}
	if int64(len(data)) != b.shape.Bytes() {
		return fmt.Errorf("downloading %s into %d bytes", b.shape, len(data))
	}
	copy(data, trnbackend.Encode(b.shape.DType, *elements))
	return nil
}

// Free lets go of the array.
func (b *buffer) Free() { b.take() }

// take frees the buffer and returns what it held; nil if it was free.
func (b *buffer) take() *[]float64 {
	elements := b.elements.Swap(nil)
	if elements != nil {
		b.executor.used.Add(-b.shape.Bytes())
	}
	return elements
}

// program is a graph.
type program struct {
	executor *Executor
	graph    *graph.Graph
	closed   atomic.Bool
}

// Graph returns the graph.
func (p *program) Graph() *graph.Graph { return p.graph }

// Close makes later runs fail.
func (p *program) Close() error {
	p.closed.Store(true)
	return nil
}

// Run evaluates the graph.
func (p *program) Run(in, out []trnbackend.Buffer) error {
	if p.closed.Load() || p.executor.closed.Load() {
		return fmt.Errorf("running graph %s: %w", p.graph.Name(), trnbackend.ErrFreed)
	}
	if err := trnbackend.CheckRun(p.graph, in, out); err != nil {
		return err
	}
	arguments, err := p.arguments(in)
	if err != nil {
		return err
	}
	team := sched.NewTeam(context.Background(), runtime.GOMAXPROCS(0), nil)
	defer team.Rest()
	results := evaluate(team, p.graph, arguments)
	for i, n := range p.graph.Parameters() {
		if p.graph.Nodes()[n].Donated {
			in[i].Free()
		}
	}
	for i, shape := range p.graph.ResultShapes() {
		if out[i] != nil {
			out[i].Free()
		}
		out[i] = p.executor.newBuffer(shape, results[i])
	}
	return nil
}

// arguments returns the elements of the buffers.
func (p *program) arguments(in []trnbackend.Buffer) ([][]float64, error) {
	arguments := make([][]float64, len(in))
	for i, given := range in {
		b, ok := given.(*buffer)
		if !ok || b.executor != p.executor {
			return nil, fmt.Errorf("graph %s: buffer %d is of another device", p.graph.Name(), i)
		}
		elements := b.elements.Load()
		if elements == nil {
			return nil, fmt.Errorf("graph %s: buffer %d: %w", p.graph.Name(), i, trnbackend.ErrFreed)
		}
		arguments[i] = *elements
	}
	return arguments, nil
}
