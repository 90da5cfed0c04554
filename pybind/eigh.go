package pybind

import (
	"errors"
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/eigen"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// Subset kinds; the Python side has the same list.
const (
	subsetAll = iota
	subsetByIndex
	subsetByValue
)

// wanted returns the subset of a record.
func wanted(s record.Subset) eigen.Subset {
	switch s.Kind {
	case subsetByIndex:
		return eigen.ByIndex(s.First, s.Last)
	case subsetByValue:
		return eigen.ByValue(s.Above, s.UpTo)
	}
	return eigen.Subset{}
}

// eighOptions returns the options of a dense problem on a team.
func eighOptions(c *record.Eigh, team *sched.Team) eigen.Options {
	return eigen.Options{
		Team: team, Upper: !c.Lower, ValuesOnly: c.V == nil, SkipFiniteCheck: !c.CheckFinite, Overwrite: c.Overwrite,
		Jacobi: c.Jacobi, Subset: wanted(c.Subset),
	}
}

// Eigh computes eigenvalues, and eigenvectors if V is present, of every matrix of the stack A: of the standard problem
// if B is absent, otherwise of the generalized problem of the given type with B of A's shape and dtype. W has the real
// dtype of A and room for the wanted eigenvalues of each member; V has as many columns. For a single matrix it returns
// the number of eigenvalues, which may be less than the length of W for subsetByValue. For a stack it returns 0, since
// members may differ.
func Eigh(jobID int64, address uint64) (count int64, err error) {
	defer guard(&err)
	c := record.At[record.Eigh](address)
	return eigensolversByDtype[c.A.Dtype].dense(jobID, c)
}

// EighCanonical is Eigh for the generalized problem of type 1 in the space of the eigenvectors of B with eigenvalues
// above Lindep. It writes the number of dropped eigenvectors of each member to Dropped, and returns the number of
// eigenvalues, which has to be the same for all members.
func EighCanonical(jobID int64, address uint64) (count int64, err error) {
	defer guard(&err)
	c := record.At[record.Eigh](address)
	if c.B == nil || c.Dropped == nil {
		panic("no metric")
	}
	return eigensolversByDtype[c.A.Dtype].canonical(jobID, c)
}

// eigensolvers holds, for one dtype of matrices, the solvers whose values are real.
type eigensolvers interface {
	dense(jobID int64, c *record.Eigh) (int64, error)
	small(a, w, v uint64, n int, options eigen.Options) (int64, error)
	smallGeneralized(problem eigen.Problem, a, b, w, v uint64, n int, options eigen.Options) (int64, error)
	canonical(jobID int64, c *record.Eigh) (int64, error)
	banded(jobID int64, c *record.EighStructured) (int64, error)
	svd(jobID int64, c *record.SVD) (int64, error)
}

// eigensolversOf implements eigensolvers; R is the real type of T.
type eigensolversOf[T dense.Scalar, R dense.Float] struct{}

// eigensolversByDtype holds the eigensolvers by dtype code.
var eigensolversByDtype = [...]eigensolvers{
	record.Float32:    eigensolversOf[float32, float32]{},
	record.Float64:    eigensolversOf[float64, float64]{},
	record.Complex64:  eigensolversOf[complex64, float32]{},
	record.Complex128: eigensolversOf[complex128, float64]{},
}

func (eigensolversOf[T, R]) dense(jobID int64, c *record.Eigh) (int64, error) {
	a, values, vectors := newBatch[T](c.A), newRows[R](c.W), vectorsOf[T](c.V)
	if c.B == nil {
		return eighBatch(jobID, c, a, values, vectors)
	}
	b, problem := newBatch[T](c.B), eigen.Problem(c.Problem)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		found := 0
		if err := reserveEach(team, a.count(), "eigh", c.W.Bytes()+c.V.Bytes(), func(team *sched.Team) int64 {
			return eigen.Workspace[T](a.order(), true, eighOptions(c, team))
		}); err != nil {
			return 0, err
		}
		err := forEach(team, a.count(), func(team *sched.Team, k int) error {
			count, err := eigen.EighGeneralized(problem, a.at(k), b.at(k), values.at(k), vectors(k), eighOptions(c, team))
			if a.count() == 1 {
				found = count
			}
			return withRemedy(err, problem)
		})
		return int64(found), err
	})
}

// eighBatch is dense for the standard problem.
func eighBatch[T dense.Scalar, R dense.Float](jobID int64, c *record.Eigh, a batch[T], values rows[R],
	vectors func(k int) dense.View[T]) (int64, error) {
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		options := eighOptions(c, team)
		workspace := eigen.BatchWorkspace[T](a.order(), a.count(), options)
		if err := reserve("eigh", workspace, c.W.Bytes()+c.V.Bytes()); err != nil {
			return 0, err
		}
		var found [1]int
		counts := found[:]
		if a.count() != 1 {
			counts = nil // the members of a stack may differ
		}
		err := eigen.EighBatch(a.count(), func(k int) eigen.Member[T, R] {
			return eigen.Member[T, R]{A: a.at(k), W: values.at(k), V: vectors(k)}
		}, counts, options)
		return int64(found[0]), err
	})
}

func (eigensolversOf[T, R]) canonical(jobID int64, c *record.Eigh) (int64, error) {
	a, b, values, vectors := newBatch[T](c.A), newBatch[T](c.B), newRows[R](c.W), vectorsOf[T](c.V)
	dropped := vector[int64](c.Dropped)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, a.count(), "eigh", c.W.Bytes()+c.V.Bytes(), func(team *sched.Team) int64 {
			return eigen.WorkspaceCanonical[T](a.order(), eighOptions(c, team))
		}); err != nil {
			return 0, err
		}
		counts := make([]int, a.count())
		if err := forEach(team, a.count(), func(team *sched.Team, k int) error {
			count, left, err := eigen.EighCanonical(a.at(k), b.at(k), c.Lindep, values.at(k), vectors(k), eighOptions(c, team))
			counts[k], dropped[k] = count, int64(left)
			return err
		}); err != nil {
			return 0, err
		}
		for k, count := range counts {
			if count != counts[0] {
				return 0, dense.BadArgument("lindep",
					"the members of the stack are left with different numbers of eigenpairs: %d of member 0, %d of member %d",
					counts[0], count, k)
			}
		}
		return int64(counts[0]), nil
	})
}

// withRemedy adds a hint at lindep= to the error of a metric without a Cholesky factor, if the problem is of type 1.
func withRemedy(err error, problem eigen.Problem) error {
	var minor *factor.NotPositiveDefiniteError
	if problem != eigen.AXEqualsLambdaBX || !errors.As(err, &minor) {
		return err
	}
	return fmt.Errorf("%w; lindep= solves in the space of its eigenvectors with larger eigenvalues", err)
}

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
