package pybind

import (
	"context"
	"runtime"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// A callback passes requests for data from an operation to the Python thread that waits for its job, one at a time: Go
// never calls Python. A nil callback makes no requests.
type callback struct {
	idle     chan struct{} // holds a token while no request is open
	pending  dataRequest   // set before requested is ready
	taken    chan struct{} // receives when Python takes the request
	answered chan struct{}
}

// A dataRequest asks for the part first <= i < end of a set of integrals, where i is an occupied orbital or a row of a
// tensor. Python writes them to address in the order of their indices.
type dataRequest struct {
	set, first, end int // set is a spin, or the number of a pair of k-points
	address         uintptr
}

func newCallback() *callback {
	f := &callback{idle: make(chan struct{}, 1), taken: make(chan struct{}), answered: make(chan struct{})}
	f.idle <- struct{}{}
	return f
}

// requests returns a channel that is ready while a request is open, and never for a nil callback.
func (f *callback) requests() chan<- struct{} {
	if f == nil {
		return nil
	}
	return f.taken
}

// request passes a request to Python and waits for the answer. Python does not answer requests of a cancelled call.
func (f *callback) request(ctx context.Context, q dataRequest) error {
	select {
	case <-f.idle:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { f.idle <- struct{}{} }()
	f.pending = q
	for _, step := range []<-chan struct{}{f.taken, f.answered} {
		select {
		case <-step:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// loader returns the function that requests parts of a set of integrals.
func loader[T dense.Scalar](f *callback, set int) func(*sched.Team, int, int, []T) error {
	return func(team *sched.Team, first, end int, dst []T) error {
		defer runtime.KeepAlive(dst)
		return f.request(team.Context(), dataRequest{set, first, end, uintptr(unsafe.Pointer(unsafe.SliceData(dst)))})
	}
}
