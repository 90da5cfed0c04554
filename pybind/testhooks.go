//go:build testhooks

package pybind

import (
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// PanicOnPurpose exists only in the build that tests the border. It panics on the calling goroutine or, if the record's
// Solve is set, in a worker of a team.
func PanicOnPurpose(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.BLAS](address)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if !c.Solve {
			panic("on purpose")
		}
		return 0, team.For(team.Threads(), func(worker, _ int) error {
			panic("on purpose, in a worker")
		})
	})
}
