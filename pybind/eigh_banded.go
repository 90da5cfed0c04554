package pybind

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/sched"
)

// EighTridiagonal is Eigh for real symmetric tridiagonal matrices: d is the stack of the diagonals, e, of d's dtype, that of the elements
// beside them.
func EighTridiagonal(jobID, threads int64, d, e, w, v uint64, checkFinite bool,
	subset, first, last int64, above, upTo float64) (count int64, err error) {
	defer guard(&err)
	c := structuredCall{
		jobID: jobID, threads: threads, name: "eigh_tridiagonal", matrix: descriptor(d), couplings: descriptor(e), w: descriptor(w), v: descriptor(v),
		options: eigen.Options{ValuesOnly: v == 0, SkipFiniteCheck: !checkFinite, Subset: wanted(subset, first, last, above, upTo)},
	}
	switch c.matrix.dtype {
	case float32Code:
		return eighTridiagonal[float32](c)
	case float64Code:
		return eighTridiagonal[float64](c)
	}
	panic(fmt.Sprintf("tridiagonal matrices with dtype code %d", c.matrix.dtype))
}

// EighBanded is Eigh for band matrices, each of which is stored in a matrix of the stack aBand, a row for each diagonal.
func EighBanded(jobID, threads int64, aBand, w, v uint64, lower, checkFinite bool,
	subset, first, last int64, above, upTo float64) (count int64, err error) {
	defer guard(&err)
	c := structuredCall{
		jobID: jobID, threads: threads, name: "eig_banded", matrix: descriptor(aBand), w: descriptor(w), v: descriptor(v),
		options: eigen.Options{Upper: !lower, ValuesOnly: v == 0, SkipFiniteCheck: !checkFinite, Subset: wanted(subset, first, last, above, upTo)},
	}
	return eigensolversByDtype[c.matrix.dtype].banded(c)
}

// structuredCall is the decoded argument list of EighTridiagonal or EighBanded.
type structuredCall struct {
	jobID, threads int64
	name           string
	matrix         *array // the diagonals or the bands
	couplings      *array // nil for bands
	w, v           *array // v is nil when no vectors are wanted
	options        eigen.Options
}

func eighTridiagonal[R dense.Float](c structuredCall) (int64, error) {
	diagonals, couplings := newRows[R](c.matrix), newRows[R](c.couplings)
	workspace := func(options eigen.Options) int64 {
		return eigen.BandWorkspace[R](2, diagonals.shape[len(diagonals.shape)-1], options)
	}
	return solveStructured(c, diagonals.count(), workspace, func(k int, w []R, v dense.View[R], options eigen.Options) (int, error) {
		return eigen.EighTridiagonal(diagonals.at(k), couplings.at(k), w, v, options)
	})
}

func (eigensolversOf[T, R]) banded(c structuredCall) (int64, error) {
	bands := newBatch[T](c.matrix)
	workspace := func(options eigen.Options) int64 {
		return eigen.BandWorkspace[T](bands.order(), bands.shape[len(bands.shape)-1], options)
	}
	return solveStructured(c, bands.count(), workspace, func(k int, w []R, v dense.View[T], options eigen.Options) (int, error) {
		return eigen.EighBanded(bands.at(k), w, v, options)
	})
}

// solveStructured solves count problems. It returns the number of eigenvalues of a single one, 0 for a stack.
func solveStructured[T dense.Scalar, R dense.Float](c structuredCall, count int, workspace func(eigen.Options) int64,
	solve func(k int, w []R, v dense.View[T], options eigen.Options) (int, error)) (int64, error) {
	values := newRows[R](c.w)
	var vectors batch[T]
	if c.v != nil {
		vectors = newBatch[T](c.v)
	}
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		with := func(team *sched.Team) eigen.Options {
			options := c.options
			options.Team = team
			return options
		}
		if err := reserveEach(team, count, c.name, c.w.bytes()+c.v.bytes(), func(team *sched.Team) int64 { return workspace(with(team)) }); err != nil {
			return 0, err
		}
		found := 0
		err := forEach(team, count, func(team *sched.Team, k int) error {
			var v dense.View[T]
			if c.v != nil {
				v = vectors.at(k)
			}
			n, err := solve(k, values.at(k), v, with(team))
			if count == 1 {
				found = n
			}
			return err
		})
		return int64(found), err
	})
}
