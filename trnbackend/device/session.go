package device

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Session is an open device. Programs are compiled once and kept until Close, and on disk where the executor can write
// them. Buffers of results are kept for later runs where the executor writes into them.
type Session struct {
	executor trnbackend.Executor
	caps     trnbackend.Caps
	disk     *diskCache // nil if nothing is kept on disk
	pool     *pool

	mu       sync.Mutex
	closed   bool
	calls    sync.WaitGroup
	programs map[string]*entry
}

// entry is a program that has been made or is being made. Its fields are set before ready is closed.
type entry struct {
	ready   chan struct{}
	program trnbackend.Program
	err     error
}

// origin says where a program came from.
type origin int

const (
	compiled origin = iota
	fromMemory
	fromDisk
)

// NewSession returns a session on an executor; closing the session closes the executor. Compiled programs are kept in
// the folder cacheDir, if that is not empty and the executor is a Serializer.
func NewSession(executor trnbackend.Executor, cacheDir string) *Session {
	s := &Session{executor: executor, caps: executor.Caps(), programs: map[string]*entry{}}
	s.pool = newPool(s.caps)
	if serializer, ok := executor.(trnbackend.Serializer); ok && cacheDir != "" {
		s.disk = newDiskCache(cacheDir, s.caps.CacheKey, serializer)
	}
	return s
}

// Name returns the device's name.
func (s *Session) Name() string { return s.executor.Name() }

// Caps returns what the device can do.
func (s *Session) Caps() trnbackend.Caps { return s.caps }

// Memory returns the state of the device's memory. Buffers that are kept for later runs count as free, since they are
// freed when their memory is needed.
func (s *Session) Memory() (trnbackend.Memory, error) {
	m, err := s.executor.Memory()
	m.Used = max(0, m.Used-s.pool.size())
	return m, err
}

// Kept returns the bytes of buffers that are kept for later runs.
func (s *Session) Kept() int64 { return s.pool.size() }

// Close waits for the calls in progress and closes the device. A second call does nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.calls.Wait()
	s.pool.drain()
	var failed []error
	for _, e := range s.programs {
		if e.program != nil {
			failed = append(failed, e.program.Close())
		}
	}
	return errors.Join(append(failed, s.executor.Close())...)
}

// begin counts a new call, unless the session is closed.
func (s *Session) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("device %s: %w", s.Name(), trnbackend.ErrFreed)
	}
	s.calls.Add(1)
	return nil
}

// program returns the program of a graph. If several goroutines ask for a new one at once, one of them makes it and the
// others wait. A failure is not kept: the next caller tries again.
func (s *Session) program(ctx context.Context, g *graph.Graph) (trnbackend.Program, origin, error) {
	if err := s.caps.Check(g); err != nil {
		return nil, compiled, err
	}
	s.mu.Lock()
	e, found := s.programs[g.Key()]
	if !found {
		e = &entry{ready: make(chan struct{})}
		s.programs[g.Key()] = e
	}
	s.mu.Unlock()
	if found {
		select {
		case <-e.ready:
			return e.program, fromMemory, e.err
		case <-ctx.Done():
			return nil, fromMemory, context.Cause(ctx)
		}
	}
	from, err := compiled, error(nil)
	defer func() { // also after a panic of the executor, so that nobody waits forever
		if e.program == nil {
			if e.err == nil {
				e.err = errors.New("the program could not be made")
			}
			s.mu.Lock()
			delete(s.programs, g.Key())
			s.mu.Unlock()
		}
		close(e.ready)
	}()
	e.program, from, err = s.make(ctx, g)
	e.err = err
	return e.program, from, err
}

// make loads a program from disk, or compiles it and writes it there.
func (s *Session) make(ctx context.Context, g *graph.Graph) (trnbackend.Program, origin, error) {
	if s.disk != nil {
		if p := s.disk.load(g); p != nil {
			return p, fromDisk, nil
		}
	}
	p, err := s.executor.Compile(ctx, g)
	if err != nil {
		return nil, compiled, err
	}
	if s.disk != nil {
		s.disk.store(p)
	}
	return p, compiled, nil
}
