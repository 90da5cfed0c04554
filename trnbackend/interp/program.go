package interp

import (
	"context"
	"fmt"
	"sync/atomic"

	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

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
	defer team.StopWorkers()
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
