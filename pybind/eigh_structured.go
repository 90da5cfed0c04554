package pybind

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// EighTridiagonal is Eigh for real symmetric tridiagonal matrices. Matrix is the stack of diagonals; the subdiagonals
// have its dtype.
func EighTridiagonal(jobID int64, address uint64) (count int64, err error) {
	defer guard(&err)
	c := record.At[record.EighStructured](address)
	switch c.Matrix.Dtype {
	case record.Float32:
		return eighTridiagonal[float32](jobID, c)
	case record.Float64:
		return eighTridiagonal[float64](jobID, c)
	}
	panic(fmt.Sprintf("tridiagonal matrices of %v", c.Matrix.Dtype))
}

// EighBanded is Eigh for band matrices. Each one is stored as a matrix of the stack with one row per diagonal.
func EighBanded(jobID int64, address uint64) (count int64, err error) {
	defer guard(&err)
	c := record.At[record.EighStructured](address)
	return eigensolversByDtype[c.Matrix.Dtype].banded(jobID, c)
}

func eighTridiagonal[R dense.Float](jobID int64, c *record.EighStructured) (int64, error) {
	diagonals, subdiagonals := newRows[R](c.Matrix), newRows[R](c.Subdiagonals)
	workspace := func(options eigen.Options) int64 {
		return eigen.BandWorkspace[R](2, diagonals.Shape[len(diagonals.Shape)-1], options)
	}
	return solveStructured(jobID, c, "eigh_tridiagonal", diagonals.count(), workspace,
		func(k int, w []R, v dense.View[R], options eigen.Options) (int, error) {
			return eigen.EighTridiagonal(diagonals.at(k), subdiagonals.at(k), w, v, options)
		})
}

func (eigensolversOf[T, R]) banded(jobID int64, c *record.EighStructured) (int64, error) {
	bands := newBatch[T](c.Matrix)
	workspace := func(options eigen.Options) int64 {
		return eigen.BandWorkspace[T](bands.order(), bands.Shape[len(bands.Shape)-1], options)
	}
	return solveStructured(jobID, c, "eig_banded", bands.count(), workspace,
		func(k int, w []R, v dense.View[T], options eigen.Options) (int, error) {
			return eigen.EighBanded(bands.at(k), w, v, options)
		})
}

// solveStructured solves count problems. It returns the number of eigenvalues of a single problem, 0 for a stack.
func solveStructured[T dense.Scalar, R dense.Float](jobID int64, c *record.EighStructured, name string, count int,
	workspace func(eigen.Options) int64,
	solve func(k int, w []R, v dense.View[T], options eigen.Options) (int, error)) (int64, error) {
	values, vectors := newRows[R](c.W), vectorsOf[T](c.V)
	with := func(team *sched.Team) eigen.Options {
		return eigen.Options{
			Team: team, Upper: !c.Lower, ValuesOnly: c.V == nil, SkipFiniteCheck: !c.CheckFinite, Subset: wanted(c.Subset),
		}
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, count, name, c.W.Bytes()+c.V.Bytes(), func(team *sched.Team) int64 {
			return workspace(with(team))
		}); err != nil {
			return 0, err
		}
		found := 0
		err := forEach(team, count, func(team *sched.Team, k int) error {
			n, err := solve(k, values.at(k), vectors(k), with(team))
			if count == 1 {
				found = n
			}
			return err
		})
		return int64(found), err
	})
}
