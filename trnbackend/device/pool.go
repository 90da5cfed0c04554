package device

import (
	"sync"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// Limits of what a pool keeps.
const (
	keptShare   = 8        // one part in eight of the device's memory
	keptUnknown = 64 << 20 // bytes, where the memory is not known
	keptBuffers = 64       // few enough for a search in a fraction of a microsecond
)

// pool keeps buffers that are no longer in use, as places for the results of later runs. It may be used by many
// goroutines.
type pool struct {
	most int64 // bytes; 0 if nothing is kept

	mu    sync.Mutex
	held  []trnbackend.Buffer // the oldest first
	bytes int64
}

// newPool returns the pool for a device. It keeps nothing if the executor does not write into places.
func newPool(caps trnbackend.Caps) *pool {
	switch {
	case !caps.Reuses:
		return &pool{}
	case caps.Memory == 0:
		return &pool{most: keptUnknown}
	}
	return &pool{most: caps.Memory / keptShare}
}

// put takes over a buffer and frees the oldest ones while the limits are exceeded.
func (p *pool) put(b trnbackend.Buffer) {
	if b.Shape().Bytes() > p.most {
		b.Free()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = append(p.held, b)
	p.bytes += b.Shape().Bytes()
	for p.bytes > p.most || len(p.held) > keptBuffers {
		p.remove(0).Free()
	}
}

// take returns the newest buffer of a shape, which leaves the pool; nil if there is none.
func (p *pool) take(shape graph.Shape) trnbackend.Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.held) - 1; i >= 0; i-- {
		if p.held[i].Shape().Equal(shape) {
			return p.remove(i)
		}
	}
	return nil
}

// remove takes buffer i out of the list. The lock must be held.
func (p *pool) remove(i int) trnbackend.Buffer {
	b := p.held[i]
	p.held = append(p.held[:i], p.held[i+1:]...)
	p.bytes -= b.Shape().Bytes()
	return b
}

// drain frees all buffers and reports whether there were any.
func (p *pool) drain() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	any := len(p.held) > 0
	for len(p.held) > 0 {
		p.remove(len(p.held) - 1).Free()
	}
	return any
}

// size returns the bytes that are kept.
func (p *pool) size() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}
