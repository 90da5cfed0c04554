package pjrt

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"trnsci/trnbackend"
)

// Executor is a client of a plugin, on its first device. It is a trnbackend.Executor and a trnbackend.Serializer.
type Executor struct {
	name    string
	driver  driver
	caps    trnbackend.Caps
	options []byte // for every program
	counts  bool   // whether the plugin reports the memory in use

	// Every call of the driver holds this lock for reading: Close, which locks for writing, waits for all of them.
	mu     sync.RWMutex
	closed bool
	live   live
}

// Open loads a plugin and makes a client. A plugin is loaded once in a process and never unloaded, but each executor
// has its own client: closing one, and what it counts, does not affect others. Every error is a trnbackend.DeviceError.
func Open(o Options) (*Executor, error) {
	if err := Loadable(o.Name); err != nil {
		return nil, err
	}
	if o.Client == nil {
		o.Client = DefaultClient(o.Name)
	}
	fail := func(err error) error {
		return &trnbackend.DeviceError{Device: o.Name, Doing: "opening the plugin " + o.Path,
			Err: withAdvice(o.Name, err)}
	}
	if !filepath.IsAbs(o.Path) {
		return nil, fail(fmt.Errorf("the path is not absolute"))
	}
	if err := o.Client.check(); err != nil {
		return nil, fail(err)
	}
	d, err := newDriver(o.Path, o.Client)
	if err != nil {
		return nil, fail(err)
	}
	e, err := newExecutor(o, d)
	if err != nil {
		_ = d.close() // the first error is returned
		return nil, fail(err)
	}
	return e, nil
}

// newExecutor returns an executor that owns the driver.
func newExecutor(o Options, d driver) (*Executor, error) {
	about, err := d.describe()
	if err != nil {
		return nil, err
	}
	memory, err := d.memory()
	counts := err == nil
	if err != nil && !isUnimplemented(err) {
		return nil, fmt.Errorf("asking for the memory: %w", err)
	}
	key, err := about.cacheKey(o.Path)
	if err != nil {
		return nil, err
	}
	caps := trnbackend.Caps{
		Device: o.Name, Version: about.title(), CacheKey: key, DTypes: about.dtypes(), Memory: memory.Limit,
		Dispatch: about.dispatch(),
	}
	return &Executor{name: o.Name, driver: d, caps: caps, options: about.compileOptions(), counts: counts,
		live: newLive()}, nil
}

// Name returns the device's name.
func (e *Executor) Name() string { return e.name }

// Caps returns the types, and the memory if the plugin reports it.
func (e *Executor) Caps() trnbackend.Caps {
	caps := e.caps
	caps.DTypes = slices.Clone(caps.DTypes)
	return caps
}

// enter begins a call of the driver, which leave ends. If the executor is closed the error is ErrFreed, with the
// operation.
func (e *Executor) enter(doing string) error {
	e.mu.RLock()
	if e.closed {
		e.mu.RUnlock()
		return freed(doing)
	}
	return nil
}

func (e *Executor) leave() { e.mu.RUnlock() }

func freed(doing string) error { return fmt.Errorf("%s: %w", doing, trnbackend.ErrFreed) }

// failure converts an error of the driver to one of the device.
func (e *Executor) failure(doing string, err error) error {
	if isUnimplemented(err) {
		return &trnbackend.UnsupportedError{Device: e.name, What: fmt.Sprintf("%s: the plugin cannot: %v", doing, err)}
	}
	return &trnbackend.DeviceError{Device: e.name, Doing: doing, Err: err}
}

// Memory returns what the plugin reports, or else the bytes of live buffers.
func (e *Executor) Memory() (trnbackend.Memory, error) {
	const doing = "asking for the memory"
	if err := e.enter(doing); err != nil {
		return trnbackend.Memory{}, err
	}
	defer e.leave()
	if !e.counts {
		return trnbackend.Memory{Used: e.live.bytes()}, nil
	}
	m, err := e.driver.memory()
	if err != nil {
		return trnbackend.Memory{}, e.failure(doing, err)
	}
	return m, nil
}

// Close waits for the calls in progress and frees all buffers, programs and the client. A second call does nothing.
func (e *Executor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	var failed error
	note := func(err error) {
		if err != nil && failed == nil {
			failed = e.failure("closing", err)
		}
	}
	for _, p := range e.live.takePrograms() {
		note(e.driver.freeProgram(p))
	}
	for _, b := range e.live.takeArrays() {
		note(e.driver.freeBuffer(b))
	}
	note(e.driver.close())
	return failed
}
