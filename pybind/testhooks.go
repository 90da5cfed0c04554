//go:build testhooks

package pybind

import (
	"trnsci/core/sched"
)

// PanicOnPurpose exists only in the build that tests the border. It panics on the calling goroutine, or in a worker of a
// team when inWorker is true.
func PanicOnPurpose(jobID, threads int64, inWorker bool) (zero int64, err error) {
	defer guard(&err)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if !inWorker {
			panic("on purpose")
		}
		return 0, team.For(team.Threads(), func(worker, _ int) error {
			panic("on purpose, in a worker")
		})
	})
}
