package tridiag

import (
	"slices"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// Divide and conquer is faster than the QL iteration for the eigenvalues of blocks from this order on.
const minBoundaryOrder = 32

// Eigenvalues overwrites D by the eigenvalues of t in ascending order; E is undefined on return.
//
// Every unreduced block is scaled so that its largest element is near 1, where underflow of squares does not matter.
// Small blocks are solved by the root-free QL iteration, large ones by divide and conquer without eigenvectors.
//
// It returns a *ConvergenceError or the team's error after cancellation.
//
// Cost: about 10 n^2 terms of secular functions, which threads share; below order 32 about 1.7 sweeps per eigenvalue,
// with two divisions per remaining row, each of which waits for the one before it.
func Eigenvalues(team *sched.Team, t Matrix) error {
	n := len(t.D)
	ends := t.blockEnds()
	team = team.Plan(blocksCost(ends, EigenvaluesCost))
	start := 0
	for _, end := range ends {
		phase := team.Phase(EigenvaluesCost(end - start))
		if end-start < minBoundaryOrder {
			ql := qlIteration{Matrix: t}
			if err := ql.blockValues(phase, start, end); err != nil {
				return err
			}
		} else if err := newBoundaryRowsDC(t.block(start, end), team.Threads()).solve(phase); err != nil {
			return notConverged(err, start, n)
		}
		phase.End()
		start = end
	}
	slices.Sort(t.D)
	return nil
}

// EigenvaluesBytes bounds the memory that Eigenvalues allocates for order n.
func EigenvaluesBytes(n, threads int) int {
	const vectors = 8 // of couplings, indices and the like
	return realBytes * (vectors*n + boundaryWords(n, threads))
}

// Eigenpairs finds all eigenvalues of t and the selected ones of its eigenvectors, at most the given number of them. On
// return D holds all eigenvalues in ascending order, and the first count rows of vectors, an n x n matrix of arbitrary
// numbers on entry, are the orthonormal eigenvectors of D[first], D[first+1] and so on. Further rows and E are
// undefined on return. memory has WorkElements[R](n) numbers of arbitrary values.
//
// Secular equations and leaves are solved in double precision for every R. The errors of eigenvalues and vectors are a
// few units of R's roundoff.
//
// It returns a *ConvergenceError or the team's error after cancellation.
//
// Cost: up to 2/3 n^3 multiply-adds, three quarters of them in the last merge, which computes only the wanted vectors;
// n^2 if most pairs deflate.
func Eigenpairs[R dense.Float](
	team *sched.Team, t Matrix, vectors dense.Matrix[R], wanted Selection, most int, memory []float64,
) (first, count int, err error) {
	n := len(t.D)
	ends := t.blockEnds()
	if len(ends) == 1 {
		c := newDivideAndConquer(t, vectors, wanted, most, memory)
		err = c.solve(team)
		return c.first, c.count, err
	}
	if err := clearRows(team, vectors); err != nil {
		return 0, 0, err
	}
	allPairsCost := func(n int) int { return EigenpairsCost(n, n) }
	team = team.Plan(blocksCost(ends, allPairsCost))
	start := 0
	for _, end := range ends {
		phase := team.Phase(allPairsCost(end - start))
		c := newDivideAndConquer(t.block(start, end), vectors.Slice(start, end, start, end), nil, end-start, memory)
		if err := c.solve(phase); err != nil {
			return 0, 0, notConverged(err, start, n)
		}
		phase.End()
		start = end
	}
	return sortBlocks(team, t.D, vectors, wanted, memory)
}

// WorkElements returns how many numbers of memory Eigenpairs takes for vectors of type R and order n.
func WorkElements[R dense.Float](n int) int {
	return scratch.Count(func(a *scratch.Arena) { new(nodeMerger[R]).take(a, n) })
}

// EigenpairsBytes bounds the memory that Eigenpairs allocates beyond its arguments: indices, couplings and a sort.
func EigenpairsBytes(n int) int {
	const vectors = 9
	return realBytes * vectors * n
}

// sortBlocks sorts the eigenpairs of all blocks and selects the wanted ones.
func sortBlocks[R dense.Float](
	team *sched.Team, d []float64, vectors dense.Matrix[R], wanted Selection, memory []float64,
) (first, count int, err error) {
	from := make([]int, len(d))
	SortIndices(d, from)
	applyOrder(d, from, memory)
	first, end := wanted.Within(d)
	from = append(from[first:], from[:first]...)
	return first, end - first, permuteRows(team, vectors, from, scratch.Numbers[R](memory, len(d)))
}

// clearRows sets all elements to zero.
func clearRows[R dense.Float](team *sched.Team, rows dense.Matrix[R]) error {
	return team.For(ceilDiv(rows.Rows, groupRows), func(_, group int) error {
		for i := group * groupRows; i < min(rows.Rows, (group+1)*groupRows); i++ {
			clear(rows.Row(i))
		}
		return nil
	})
}
