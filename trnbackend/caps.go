package trnbackend

import (
	"fmt"
	"slices"

	"trnsci/trnbackend/graph"
)

// Caps describes what a device can do, with the figures by which programs choose their block sizes.
type Caps struct {
	Device   string        // the executor's name
	Version  string        // of the compiler and the runtime, as users read it
	CacheKey string        // identifies the compiler: programs on disk are valid only for the same key
	DTypes   []graph.DType // types that it has
	NoOps    []graph.Op    // operations that it lacks
	MostOps  int           // limit of the operations of a graph; 0 means graph.MaxOps
	Reuses   bool          // whether runs write into the live buffers of places instead of replacing them
	Memory   int64         // bytes of its memory; 0 if that is not known
	Dispatch float64       // overhead of a run in seconds
	Flops    float64       // multiplications and additions of f32 a second in large products
	Bytes    float64       // bytes a second between host and device
}

// Has reports whether the device has the type.
func (c *Caps) Has(d graph.DType) bool { return slices.Contains(c.DTypes, d) }

// Check returns an UnsupportedError if the device cannot run the graph.
func (c *Caps) Check(g *graph.Graph) error {
	refuse := func(format string, args ...any) error {
		return &UnsupportedError{c.Device, fmt.Sprintf("graph %s: ", g.Name()) + fmt.Sprintf(format, args...)}
	}
	if c.MostOps > 0 && len(g.Nodes()) > c.MostOps {
		return refuse("%d operations, the device takes %d", len(g.Nodes()), c.MostOps)
	}
	for i := range g.Nodes() {
		n := &g.Nodes()[i]
		if !c.Has(n.Shape.DType) {
			return refuse("the device has no type %s (it has %v)", n.Shape.DType, c.DTypes)
		}
		if slices.Contains(c.NoOps, n.Op) {
			return refuse("the device has no operation %s", n.Op)
		}
	}
	return nil
}
