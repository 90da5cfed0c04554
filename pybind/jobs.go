package pybind

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// job is one long call. It runs in its own goroutine, so that the Python thread that started it can handle signals and
// report progress in the meantime.
type job struct {
	ctx      context.Context
	cancel   context.CancelFunc
	progress sched.Progress
	team     *sched.Team // set when the operation begins
	callback *callback
	done     chan struct{} // closed when the operation has let go of every array
	value    int64
	err      error
}

// jobTable maps the ids that Python chose to jobs.
type jobTable struct {
	mu   sync.Mutex
	jobs map[int64]*job
}

var jobs = jobTable{jobs: map[int64]*job{}}

func (t *jobTable) add(id int64, f *callback) *job {
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{ctx: ctx, cancel: cancel, callback: f, done: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.jobs[id] != nil {
		panic(fmt.Sprintf("there is a job with id %d already", id))
	}
	t.jobs[id] = j
	return j
}

func (t *jobTable) get(id int64) *job {
	t.mu.Lock()
	defer t.mu.Unlock()
	j, ok := t.jobs[id]
	if !ok {
		panic(fmt.Sprintf("no job with id %d", id))
	}
	return j
}

func (t *jobTable) remove(id int64) *job {
	t.mu.Lock()
	defer t.mu.Unlock()
	j := t.jobs[id]
	delete(t.jobs, id)
	return j
}

// run executes op on a team of at most the given number of threads and at most one per CPU. If jobID is 0 it returns
// when op has ended; otherwise it starts the job of that new id and returns 0 while op runs. JobEnd releases the id.
func run(jobID int64, threads record.Team, op func(*sched.Team) (int64, error)) (int64, error) {
	return runWithCallback(jobID, threads, nil, op)
}

// runWithCallback is run for an operation that requests data from Python. It has to be a job unless f is nil.
func runWithCallback(jobID int64, threads record.Team, f *callback,
	op func(*sched.Team) (int64, error)) (int64, error) {
	size := teamSize(threads.Threads)
	if jobID == 0 {
		return onTeam(context.Background(), size, nil, op)
	}
	j := jobs.add(jobID, f)
	go func() {
		defer close(j.done)
		defer func() {
			if v := recover(); v != nil {
				j.err = &sched.PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
		j.value, j.err = onTeam(j.ctx, size, &j.progress, func(team *sched.Team) (int64, error) {
			j.team = team
			return op(team)
		})
	}()
	return 0, nil
}

// teamSize returns the size of a team for a call that may use the given number of threads.
func teamSize(threads int) int { return min(threads, runtime.GOMAXPROCS(0)) }

// onTeam executes op on a new team, whose workers wait a moment for the next call when it returns.
func onTeam(ctx context.Context, size int, progress *sched.Progress,
	op func(*sched.Team) (int64, error)) (int64, error) {
	team := sched.NewTeam(ctx, size, progress)
	defer team.ReleaseWorkers()
	value, err := op(team)
	if progress != nil && err == nil {
		progress.Finish()
	}
	return value, err
}

// States that JobWait returns.
const (
	jobRuns = iota
	jobEnded
	jobRequests // data: see JobRequest
)

// JobWait waits at most the given time for the operation to end or to request data, and returns the state of the job.
func JobWait(id, milliseconds int64) (state int64, err error) {
	defer guard(&err)
	j := jobs.get(id)
	timer := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-j.done:
		return jobEnded, nil
	case j.callback.requests() <- struct{}{}:
		return jobRequests, nil
	case <-timer.C:
		return jobRuns, nil
	}
}

// JobRequest writes the request of a job for which JobWait returned jobRequests into four int64 at an address: the set
// of integrals, the first index, the end of the indices, and the address that the integrals are written to.
func JobRequest(id int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	q := jobs.get(id).callback.pending
	words := unsafe.Slice((*int64)(record.Pointer(address)), 4)
	words[0], words[1], words[2], words[3] = int64(q.set), int64(q.first), int64(q.end), int64(q.address)
	return 0, nil
}

// JobAnswered tells the job that its request has been answered.
func JobAnswered(id int64) (zero int64, err error) {
	defer guard(&err)
	j := jobs.get(id)
	select {
	case j.callback.answered <- struct{}{}:
	case <-j.done:
	}
	return 0, nil
}

// JobResult returns what the ended operation returned.
func JobResult(id int64) (value int64, err error) {
	defer guard(&err)
	j := jobs.get(id)
	<-j.done
	return j.value, j.err
}

// JobDone returns the number of steps done.
func JobDone(id int64) (steps int64, err error) {
	defer guard(&err)
	steps, _ = jobs.get(id).progress.Read()
	return steps, nil
}

// JobTotal returns the number of steps planned, 0 while unknown.
func JobTotal(id int64) (steps int64, err error) {
	defer guard(&err)
	_, steps = jobs.get(id).progress.Read()
	return steps, nil
}

// JobEnd cancels the job, waits until its operation has let go of every array, and forgets the id. An unknown id is no
// error, so that clean-up may be repeated and may follow a start that failed. It returns, for tests, how many parts of
// the operation's loops were due after the job had been cancelled.
func JobEnd(id int64) (late int64, err error) {
	defer guard(&err)
	j := jobs.remove(id)
	if j == nil {
		return 0, nil
	}
	j.cancel()
	<-j.done
	return j.team.PartsAfterCancel(), nil
}

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
