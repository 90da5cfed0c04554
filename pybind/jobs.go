package pybind

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"trnsci/core/sched"
)

// job is one long call that runs in its own goroutine, so that the Python thread that asked for it can look for
// signals and report progress meanwhile.
type job struct {
	ctx      context.Context
	cancel   context.CancelFunc
	progress sched.Progress
	started  atomic.Bool
	done     chan struct{} // closed when the operation has let go of every array
	value    int64
	err      error
}

// jobTable maps the ids that Python holds to jobs.
type jobTable struct {
	mu   sync.Mutex
	last int64
	jobs map[int64]*job
}

var jobs = jobTable{jobs: map[int64]*job{}}

func (t *jobTable) add() int64 {
	ctx, cancel := context.WithCancel(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.jobs[t.last] = &job{ctx: ctx, cancel: cancel, done: make(chan struct{})}
	return t.last
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

// run executes op on a team of the given size: at once when jobID is 0, otherwise as that job, in which case run
// returns 0 while op goes on.
func run(jobID, threads int64, op func(*sched.Team) (int64, error)) (int64, error) {
	if jobID == 0 {
		return op(sched.NewTeam(context.Background(), int(threads), nil))
	}
	j := jobs.get(jobID)
	if j.started.Swap(true) {
		panic(fmt.Sprintf("job %d was started twice", jobID))
	}
	go func() {
		defer close(j.done)
		defer func() {
			if v := recover(); v != nil {
				j.err = &sched.PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
		j.value, j.err = op(sched.NewTeam(j.ctx, int(threads), &j.progress))
	}()
	return 0, nil
}

// JobNew returns the id of a new job. JobEnd releases it.
func JobNew() (id int64, err error) {
	defer guard(&err)
	return jobs.add(), nil
}

// JobWait waits at most the given time for the operation to end. It returns 1 when it has ended and 0 when it runs on.
func JobWait(id, milliseconds int64) (ended int64, err error) {
	defer guard(&err)
	j := jobs.get(id)
	timer := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-j.done:
		return 1, nil
	case <-timer.C:
		return 0, nil
	}
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

// JobEnd cancels the job, waits until its operation has let go of every array, and forgets the id. An unknown id is
// no error, so that clean-up may be repeated.
func JobEnd(id int64) (zero int64, err error) {
	defer guard(&err)
	j := jobs.remove(id)
	if j == nil {
		return 0, nil
	}
	j.cancel()
	if j.started.Load() {
		<-j.done
	}
	return 0, nil
}
