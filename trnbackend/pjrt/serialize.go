package pjrt

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// seal returns a sum over a serialized program, the device's version and the graph. It stands before the bytes, since
// XLA runs whatever it is given.
func (e *Executor) seal(g *graph.Graph, code []byte) []byte {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %s\n", e.caps.CacheKey, g.Key())
	sum.Write(code)
	return sum.Sum(nil)
}

// Serialize returns a program as bytes; an UnsupportedError if the plugin cannot.
func (e *Executor) Serialize(given trnbackend.Program) ([]byte, error) {
	const doing = "serializing a program"
	p, ok := given.(*program)
	if !ok || p.executor != e {
		return nil, fmt.Errorf("%s: it is of another device", doing)
	}
	if err := e.enter(doing); err != nil {
		return nil, err
	}
	defer e.leave()
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.handle == nil {
		return nil, freed(doing)
	}
	code, err := e.driver.serialize(p.handle)
	if err != nil {
		return nil, e.failure(doing, err)
	}
	return append(e.seal(p.graph, code), code...), nil
}

// Load makes a program of what Serialize returned for the same graph, with the same plugin on a machine of the same
// kind.
func (e *Executor) Load(g *graph.Graph, data []byte) (trnbackend.Program, error) {
	doing := "loading graph " + g.Name()
	if err := e.enter(doing); err != nil {
		return nil, err
	}
	defer e.leave()
	if len(data) < sha256.Size || !bytes.Equal(data[:sha256.Size], e.seal(g, data[sha256.Size:])) {
		return nil, &trnbackend.DeviceError{Device: e.name, Doing: doing,
			Err: fmt.Errorf("data is not of this graph and this version, or is damaged")}
	}
	h, err := e.driver.deserialize(data[sha256.Size:])
	if err != nil {
		return nil, e.failure(doing, err)
	}
	return e.newProgram(g, h, doing)
}
