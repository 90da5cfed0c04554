package pybind

import (
	"context"
	"encoding/json"
	"runtime"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// feed hands questions for integrals from an operation to the Python thread that waits for its job, one at a time: nothing of Go calls
// Python. A nil feed has no questions.
type feed struct {
	turn     chan struct{} // holds a token while no question is open
	pending  question      // set before called is
	called   chan struct{} // receives where Python takes the question
	answered chan struct{}
}

// question is for the integrals of the occupied orbitals first <= i < end of a spin, or of another set of integrals by its number, which go to address in the order of their indices.
type question struct {
	Spin    int     `json:"spin"`
	First   int     `json:"first"`
	End     int     `json:"end"`
	Address uintptr `json:"address"`
}

func newFeed() *feed {
	f := &feed{turn: make(chan struct{}, 1), called: make(chan struct{}), answered: make(chan struct{})}
	f.turn <- struct{}{}
	return f
}

// asked is ready to receive while a question is open. That of a nil feed never is.
func (f *feed) asked() chan<- struct{} {
	if f == nil {
		return nil
	}
	return f.called
}

// ask asks a question and waits for the answer. Of a cancelled call Python does not answer any more.
func (f *feed) ask(ctx context.Context, q question) error {
	select {
	case <-f.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { f.turn <- struct{}{} }()
	f.pending = q
	for _, step := range []<-chan struct{}{f.called, f.answered} {
		select {
		case <-step:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// loader returns the function that asks for the integrals of a spin, or of what else the number means.
func loader[T dense.Scalar](f *feed, spin int) func(*sched.Team, int, int, []T) error {
	return func(team *sched.Team, first, end int, dst []T) error {
		defer runtime.KeepAlive(dst)
		return f.ask(team.Context(), question{spin, first, end, uintptr(unsafe.Pointer(unsafe.SliceData(dst)))})
	}
}

// JobAsked returns the question of a job for which JobWait returned jobAsks, as a JSON object.
func JobAsked(id int64) (text string, err error) {
	defer guard(&err)
	encoded, err := json.Marshal(jobs.get(id).feed.pending)
	return string(encoded), err
}

// JobAnswered tells the job that its question has been answered.
func JobAnswered(id int64) (zero int64, err error) {
	defer guard(&err)
	j := jobs.get(id)
	select {
	case j.feed.answered <- struct{}{}:
	case <-j.done:
	}
	return 0, nil
}
