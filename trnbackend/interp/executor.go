// Package interp runs graphs in Go. It defines the meaning of every operation, by which other executors are judged.
// Each element is computed in float64 and rounded to the type of its array after every operation; sums are accumulated
// in float64. Dots use core/blas, which makes it fast enough for real programs.
package interp

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Name is the device's name.
const Name = "interp"

// version changes when results change.
const version = "interp 1"

// Executor is the device. Its memory is the host's.
type Executor struct {
	used    atomic.Int64 // bytes of live buffers
	closed  atomic.Bool
	threads int // that a run may use
}

// New opens the device, whose runs may use all processors.
func New() *Executor { return &Executor{threads: runtime.GOMAXPROCS(0)} }

// Name returns "interp".
func (e *Executor) Name() string { return Name }

// memoryBytes is the memory of the device, counted by the sizes of the types. Programs then choose blocks that fit
// several times into the memory of a usual host, since an element takes eight bytes while it is computed and dead
// arrays wait for the garbage collector.
const memoryBytes = 512 << 20

// Caps says that the device has all types and operations.
func (e *Executor) Caps() trnbackend.Caps {
	return trnbackend.Caps{
		Device: Name, Version: version, CacheKey: version,
		DTypes: []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64},
		Reuses: true, Memory: memoryBytes,
	}
}

// Compile returns the graph as a program, with a plan of its memory.
func (e *Executor) Compile(ctx context.Context, g *graph.Graph) (trnbackend.Program, error) {
	if e.closed.Load() {
		return nil, fmt.Errorf("compiling graph %s: %w", g.Name(), trnbackend.ErrFreed)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	caps := e.Caps()
	if err := caps.Check(g); err != nil {
		return nil, err
	}
	return &program{executor: e, graph: g, memory: planMemory(g)}, nil
}

// Upload copies an array.
func (e *Executor) Upload(shape graph.Shape, data []byte) (trnbackend.Buffer, error) {
	if e.closed.Load() {
		return nil, fmt.Errorf("uploading %s: %w", shape, trnbackend.ErrFreed)
	}
	if err := shape.Check(); err != nil {
		return nil, fmt.Errorf("uploading: %w", err)
	}
	if int64(len(data)) != shape.Bytes() {
		return nil, fmt.Errorf("uploading %s: data has %d bytes, not %d", shape, len(data), shape.Bytes())
	}
	return e.newBuffer(shape, trnbackend.Decode(shape.DType, data)), nil
}

// Memory returns the bytes of the live buffers, counted by the sizes of their types.
func (e *Executor) Memory() (trnbackend.Memory, error) {
	if e.closed.Load() {
		return trnbackend.Memory{}, fmt.Errorf("asking for memory: %w", trnbackend.ErrFreed)
	}
	return trnbackend.Memory{Used: e.used.Load(), Limit: memoryBytes}, nil
}

// Close makes every later call fail, except another Close. Runs in progress end as usual.
func (e *Executor) Close() error {
	e.closed.Store(true)
	return nil
}

// buffer is an array that belongs to no other buffer. Runs in other goroutines can still read its elements after it is
// freed, since freeing only drops a reference. Only a run that has the buffer as a place changes them.
type buffer struct {
	executor *Executor
	shape    graph.Shape
	elements atomic.Pointer[[]float64] // nil once it is freed
}

func (e *Executor) newBuffer(shape graph.Shape, elements []float64) *buffer {
	b := &buffer{executor: e, shape: graph.Of(shape.DType, slices.Clone(shape.Dims)...)}
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
		return fmt.Errorf("downloading %s: data has %d bytes, not %d", b.shape, len(data), b.shape.Bytes())
	}
	copy(data, trnbackend.Encode(b.shape.DType, *elements))
	return nil
}

// Free drops the reference to the array.
func (b *buffer) Free() { b.take() }

// take frees the buffer and returns what it held; nil if it was free.
func (b *buffer) take() *[]float64 {
	elements := b.elements.Swap(nil)
	if elements != nil {
		b.executor.used.Add(-b.shape.Bytes())
	}
	return elements
}

// write gives the buffer new elements. It reports whether the buffer was live.
func (b *buffer) write(elements []float64) bool {
	for {
		old := b.elements.Load()
		if old == nil {
			return false
		}
		if b.elements.CompareAndSwap(old, &elements) {
			return true
		}
	}
}

// program is a graph and the plan of its memory. A run changes neither.
type program struct {
	executor *Executor
	graph    *graph.Graph
	memory   memoryPlan
	closed   atomic.Bool
}

// Graph returns the graph.
func (p *program) Graph() *graph.Graph { return p.graph }

// Close makes later runs fail.
func (p *program) Close() error {
	p.closed.Store(true)
	return nil
}

// Run evaluates the graph. It returns when all results are there.
func (p *program) Run(in, out []trnbackend.Buffer) error {
	if p.closed.Load() || p.executor.closed.Load() {
		return fmt.Errorf("running graph %s: %w", p.graph.Name(), trnbackend.ErrFreed)
	}
	if err := trnbackend.CheckRun(p.graph, in, out); err != nil {
		return err
	}
	places, spare, err := p.places(out)
	if err != nil {
		return err
	}
	arguments, err := p.arguments(in)
	if err != nil {
		return err
	}
	team := sched.NewTeam(context.Background(), p.executor.threads, nil)
	defer team.ReleaseWorkers()
	results := evaluate(team, p.graph, p.memory, arguments, spare)
	for i, shape := range p.graph.ResultShapes() {
		if places[i] == nil || !places[i].write(results[i]) {
			out[i] = p.executor.newBuffer(shape, results[i])
		}
	}
	return nil
}

// places returns the buffers to be written, nil for new ones, and their arrays.
func (p *program) places(out []trnbackend.Buffer) (places []*buffer, spare [][]float64, err error) {
	places = make([]*buffer, len(out))
	for i, given := range out {
		if given == nil {
			continue
		}
		b, elements, err := p.own(given)
		if err != nil {
			return nil, nil, fmt.Errorf("graph %s: place of result %q: %w", p.graph.Name(), p.graph.Results()[i].Name,
				err)
		}
		places[i], spare = b, append(spare, elements)
	}
	return places, spare, nil
}

// arguments returns the elements of the buffers and, if all are valid, takes those of donated ones away.
func (p *program) arguments(in []trnbackend.Buffer) ([][]float64, error) {
	buffers, arguments := make([]*buffer, len(in)), make([][]float64, len(in))
	for i, given := range in {
		b, elements, err := p.own(given)
		if err != nil {
			return nil, fmt.Errorf("graph %s: buffer of parameter %q: %w", p.graph.Name(), p.graph.Input(i).Name, err)
		}
		buffers[i], arguments[i] = b, elements
	}
	for i, b := range buffers {
		if p.graph.Input(i).Donated && b.take() == nil {
			return nil, fmt.Errorf("graph %s: buffer of parameter %q: %w", p.graph.Name(), p.graph.Input(i).Name,
				trnbackend.ErrFreed)
		}
	}
	return arguments, nil
}

// own returns a buffer of this executor and its elements.
func (p *program) own(given trnbackend.Buffer) (*buffer, []float64, error) {
	b, ok := given.(*buffer)
	if !ok || b.executor != p.executor {
		return nil, nil, fmt.Errorf("it is of another device")
	}
	elements := b.elements.Load()
	if elements == nil {
		return nil, nil, trnbackend.ErrFreed
	}
	return b, *elements, nil
}
