package pybind

import (
	"sync/atomic"

	"trnsci/core/sched"
	"trnsci/core/sylvester"
	"trnsci/pybind/record"
)

// Sylvester writes the solution X of A X + X B = Q for every set of matrices of the stacks A, B and Q into the stack X.
// All have one dtype and the same leading dimensions. It returns the number of equations that were singular to working
// precision and were perturbed.
func Sylvester(jobID int64, address uint64) (perturbed int64, err error) {
	defer guard(&err)
	c := record.At[record.Equation](address)
	if c.B == nil {
		panic("no second coefficient")
	}
	return byDtype[c.X.Dtype].solveEquations(jobID, "solve_sylvester", c, sylvesterEquation)
}

// Lyapunov is Sylvester for A X + X A^H = Q.
func Lyapunov(jobID int64, address uint64) (perturbed int64, err error) {
	defer guard(&err)
	c := record.At[record.Equation](address)
	return byDtype[c.X.Dtype].solveEquations(jobID, "solve_continuous_lyapunov", c, lyapunovEquation)
}

// DiscreteLyapunov is Sylvester for A X A^H - X + Q = 0.
func DiscreteLyapunov(jobID int64, address uint64) (perturbed int64, err error) {
	defer guard(&err)
	c := record.At[record.Equation](address)
	return byDtype[c.X.Dtype].solveEquations(jobID, "solve_discrete_lyapunov", c, discreteLyapunovEquation)
}

func (routinesOf[T]) solveEquations(jobID int64, name string, c *record.Equation, of equation) (int64, error) {
	a, q, x := newBatch[T](c.A), newBatch[T](c.Q), newBatch[T](c.X)
	b := a
	if of == sylvesterEquation {
		b = newBatch[T](c.B)
	}
	var perturbed atomic.Int64
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, x.count(), name, c.X.Bytes(), func(team *sched.Team) int64 {
			return sylvester.Workspace[T](team, a.order(), b.order())
		}); err != nil {
			return 0, err
		}
		err := forEach(team, x.count(), func(team *sched.Team, k int) error {
			opt := sylvester.Options{Team: team}
			var changed bool
			var err error
			switch of {
			case sylvesterEquation:
				changed, err = sylvester.Sylvester(a.at(k), b.at(k), q.at(k), x.at(k), opt)
			case lyapunovEquation:
				changed, err = sylvester.Lyapunov(a.at(k), q.at(k), x.at(k), opt)
			case discreteLyapunovEquation:
				changed, err = sylvester.DiscreteLyapunov(a.at(k), q.at(k), x.at(k), opt)
			}
			if changed {
				perturbed.Add(1)
			}
			return err
		})
		return perturbed.Load(), err
	})
}
