package trnbackend

import (
	"context"
	"fmt"

	"trnsci/trnbackend/graph"
)

// Executor runs graphs on one device. All methods may be called from many goroutines at once. None of them moves work
// to the host: an executor refuses what it cannot do with an UnsupportedError before it does any work.
type Executor interface {
	// Name returns the device as users write it: "interp", "pjrt:cpu".
	Name() string
	// Caps returns what the device can do.
	Caps() Caps
	// Compile makes a program of a graph that Caps.Check accepts. It may take minutes; cancelling the context ends it
	// where the compiler can be interrupted.
	Compile(ctx context.Context, g *graph.Graph) (Program, error)
	// Upload copies an array, row-major elements as Encode writes them, into a new buffer. data may be changed
	// afterwards.
	Upload(shape graph.Shape, data []byte) (Buffer, error)
	// Memory returns the state of the device's memory.
	Memory() (Memory, error)
	// Close frees the device. Programs and buffers are dead afterwards; freeing them or closing again does nothing.
	Close() error
}

// Program is a graph that an executor has compiled.
type Program interface {
	// Graph returns what was compiled.
	Graph() *graph.Graph
	// Run runs the program. in has a buffer of the right shape for each parameter, out a place for each result. A place
	// is nil or holds a live buffer of the result's shape, which is overwritten, or freed and replaced, as Caps.Reuses
	// says; its old contents do not affect the result. Run sets all places. Buffers of donated parameters are dead
	// afterwards, others keep their contents. Run may return before the device has finished: Download waits, and may be
	// the first to report an error of the device. A buffer that is donated or written occurs once in a run, and until
	// Run returns other goroutines do nothing with it except free it. After an error donated buffers may be dead, and
	// the contents of places are undefined.
	Run(in, out []Buffer) error
	// Close frees the program.
	Close() error
}

// Buffer is an array in the memory of a device.
type Buffer interface {
	Shape() graph.Shape
	// Download waits until the array is there and copies it to data, which has Shape().Bytes() bytes.
	Download(data []byte) error
	// Free releases the memory. Any goroutine may call it at any time, also directly after a Run that reads or writes
	// the buffer and while a Download copies it: calls in progress end as if Free had not been called, and the memory
	// is released when the last of them and the last queued run have ended. A second call does nothing, nor does a call
	// after the executor is closed.
	//
	// The interpreter drops its reference to the array, which the garbage collector keeps for runs that read it. The
	// PJRT executor destroys the plugin's buffer when the last call that uses it returns; the plugin keeps the memory
	// until queued runs have read it.
	Free()
}

// Serializer is an Executor whose programs can be kept on disk.
type Serializer interface {
	// Serialize returns a program of this executor as bytes.
	Serialize(p Program) ([]byte, error)
	// Load makes a program of bytes that Serialize made of the same graph in the same version.
	Load(g *graph.Graph, data []byte) (Program, error)
}

// Memory is the state of a device's memory in bytes. Limit is 0 where it is not known.
type Memory struct {
	Used, Limit int64
}

// CheckRun checks the arguments of Run for any executor: buffers for all parameters and places for all results, of the
// right shapes, and no buffer twice if it is donated or written.
func CheckRun(g *graph.Graph, in, out []Buffer) error {
	params, results := g.ParameterShapes(), g.ResultShapes()
	if len(in) != len(params) || len(out) != len(results) {
		return fmt.Errorf("graph %s takes %d buffers and gives %d, not %d and %d", g.Name(), len(params), len(results),
			len(in), len(out))
	}
	for i, b := range in {
		if b == nil || !b.Shape().Equal(params[i]) {
			given := "there is no buffer"
			if b != nil {
				given = "the buffer is " + b.Shape().String()
			}
			return fmt.Errorf("graph %s: parameter %q is %s, %s", g.Name(), g.Input(i).Name, params[i], given)
		}
	}
	for i, b := range out {
		if b != nil && !b.Shape().Equal(results[i]) {
			return fmt.Errorf("graph %s: result %q is %s, the buffer is %s", g.Name(), g.Results()[i].Name, results[i],
				b.Shape())
		}
	}
	return checkDistinct(g, in, out)
}

// checkDistinct requires that each buffer that is donated or written occurs once.
func checkDistinct(g *graph.Graph, in, out []Buffer) error {
	gone := make(map[Buffer]bool, len(in)+len(out)) // for each buffer, whether one of its uses ends it
	use := func(b Buffer, ends bool) error {
		if before, twice := gone[b]; b != nil && twice && (before || ends) {
			return fmt.Errorf("graph %s: a buffer %s that is donated or written is used twice in one run", g.Name(),
				b.Shape())
		}
		gone[b] = gone[b] || ends
		return nil
	}
	for i, b := range in {
		if err := use(b, g.Input(i).Donated); err != nil {
			return err
		}
	}
	for _, b := range out {
		if err := use(b, true); err != nil {
			return err
		}
	}
	return nil
}
