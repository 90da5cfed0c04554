package pybind

import (
	"sync/atomic"

	"trnsci/core/sched"
	"trnsci/core/sylvester"
)

// Sylvester writes the solution X of A X + X B = Q for every set of matrices of the stacks a, b and q into the stack x. All have one
// dtype and the same leading dimensions. It returns how many of the equations were singular to working precision and perturbed.
func Sylvester(jobID, threads int64, a, b, q, x uint64) (perturbed int64, err error) {
	defer guard(&err)
	s := equationStacks{a: descriptor(a), b: descriptor(b), q: descriptor(q), x: descriptor(x)}
	return byDtype[s.x.dtype].solveEquations(jobID, threads, "solve_sylvester", s)
}

// Lyapunov is Sylvester for A X + X A^H = Q.
func Lyapunov(jobID, threads int64, a, q, x uint64) (perturbed int64, err error) {
	defer guard(&err)
	s := equationStacks{a: descriptor(a), q: descriptor(q), x: descriptor(x)}
	return byDtype[s.x.dtype].solveEquations(jobID, threads, "solve_continuous_lyapunov", s)
}

// DiscreteLyapunov is Sylvester for A X A^H - X + Q = 0.
func DiscreteLyapunov(jobID, threads int64, a, q, x uint64) (perturbed int64, err error) {
	defer guard(&err)
	s := equationStacks{a: descriptor(a), q: descriptor(q), x: descriptor(x), discrete: true}
	return byDtype[s.x.dtype].solveEquations(jobID, threads, "solve_discrete_lyapunov", s)
}

// equationStacks are the operands of a matrix equation; b is nil for one with a single coefficient.
type equationStacks struct {
	a, b, q, x *array
	discrete   bool
}

func (routinesOf[T]) solveEquations(jobID, threads int64, name string, s equationStacks) (int64, error) {
	a, q, x := newBatch[T](s.a), newBatch[T](s.q), newBatch[T](s.x)
	b := a
	if s.b != nil {
		b = newBatch[T](s.b)
	}
	var perturbed atomic.Int64
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, x.count(), name, s.x.bytes(), func(team *sched.Team) int64 {
			return sylvester.Workspace[T](team, a.order(), b.order())
		}); err != nil {
			return 0, err
		}
		err := forEach(team, x.count(), func(team *sched.Team, k int) error {
			opt := sylvester.Options{Team: team}
			var changed bool
			var err error
			switch {
			case s.b != nil:
				changed, err = sylvester.Sylvester(a.at(k), b.at(k), q.at(k), x.at(k), opt)
			case s.discrete:
				changed, err = sylvester.DiscreteLyapunov(a.at(k), q.at(k), x.at(k), opt)
			default:
				changed, err = sylvester.Lyapunov(a.at(k), q.at(k), x.at(k), opt)
			}
			if changed {
				perturbed.Add(1)
			}
			return err
		})
		return perturbed.Load(), err
	})
}
