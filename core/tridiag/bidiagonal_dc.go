package tridiag

import (
	"math/bits"
	"slices"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// SingularPairs finds the singular value decomposition B = U diag(d) V^T of a square bidiagonal matrix of order n,
// whose last element of E is 0. On return D holds the singular values in descending order, the rows of ut, an n x n
// matrix, are the left singular vectors, and the first n rows and columns of vt, of order n+1, the right ones. ut and
// vt have arbitrary elements on entry. E is undefined on return. memory has SingularElements numbers for the team's
// threads.
//
// Errors of the values and residuals are a few units of R's roundoff of the largest singular value. Secular equations
// and leaves are solved in double precision for every R. It returns a *ConvergenceError or the team's error.
//
// Cost: 4/3 n^3 multiply-adds, three quarters of them in the last merge; n^2 if most values deflate. Method: divide and
// conquer, see singularMerger, with leaves for singularQR.
func SingularPairs[R dense.Float](team *sched.Team, b Bidiagonal, ut, vt dense.Matrix[R], memory []float64) error {
	n := len(b.D)
	if Matrix(b).MaxAbs() == 0 {
		ut.SetIdentity()
		vt.SetIdentity()
		return team.Err()
	}
	t := &singularTree[R]{Bidiagonal: b, ut: ut, vt: vt, order: make([]int, n)}
	exponent := Matrix(b).normalize(0, n)
	if err := t.solve(team, memory); err != nil {
		return err
	}
	slices.Reverse(t.order)
	applyOrder(b.D, t.order, memory)
	scaleByPower(exponent, b.D)
	row := scratch.Numbers[R](memory, n+1)
	if err := permuteRows(team, ut, slices.Clone(t.order), row); err != nil {
		return err
	}
	return permuteRows(team, vt.Slice(0, n, 0, n+1), t.order, row)
}

// SingularElements returns how many numbers of memory SingularPairs takes.
func SingularElements[R dense.Float](n, threads int) int {
	all := scratch.Count(func(a *scratch.Arena) { new(singularMerger[R]).take(a, n, threads) })
	level := sharedSingularLevel(n, threads)
	subtrees := scratch.Count(func(a *scratch.Arena) {
		for range min(threads, 1<<level) {
			new(singularMerger[R]).take(a, ceilDiv(n, 1<<level), 1)
		}
	})
	return max(all, subtrees, n+1)
}

// singularTree is the tree of divide and conquer. A node is a range of rows: a leaf, or two halves and a row between
// them.
type singularTree[R dense.Float] struct {
	Bidiagonal
	ut, vt  dense.Matrix[R]
	order   []int // for each node its rows, counted from its first one, in ascending order of D
	mergers []singularMerger[R]
}

// sharedSingularLevel returns the level of the tree whose nodes the threads share: it has one for each thread, unless
// these would be too small.
func sharedSingularLevel(n, threads int) int {
	largest := bits.Len(uint(n/minSharedNode)) - 1
	return max(0, min(bits.Len(uint(threads-1)), largest))
}

// solve solves one subtree per thread, then the nodes above them one after another on all threads.
func (t *singularTree[R]) solve(team *sched.Team, memory []float64) error {
	n := len(t.D)
	team = team.Plan(SingularPairsCost(n))
	top := sharedSingularLevel(n, team.Threads())
	var shared []nodeRows
	t.nodesAt(top, nodeRows{end: n}, &shared)
	t.prepare(min(team.Threads(), len(shared)), 1, ceilDiv(n, 1<<top), memory)
	serial := team.Serial()
	err := team.For(len(shared), func(worker, i int) error {
		return t.subtree(serial, worker, shared[i])
	})
	if err != nil || top == 0 {
		return err
	}
	t.prepare(1, team.Threads(), n, memory)
	return t.above(team, top, nodeRows{end: n})
}

// nodesAt appends the nodes that are levels below s.
func (t *singularTree[R]) nodesAt(levels int, s nodeRows, nodes *[]nodeRows) {
	if levels == 0 {
		*nodes = append(*nodes, s)
		return
	}
	cut := middleOf(s)
	t.nodesAt(levels-1, nodeRows{start: s.start, end: cut}, nodes)
	t.nodesAt(levels-1, nodeRows{start: cut + 1, end: s.end}, nodes)
}

func middleOf(s nodeRows) int { return (s.start + s.end) / 2 }

// prepare gives mergers for nodes up to the given order their memory.
func (t *singularTree[R]) prepare(count, threads, order int, memory []float64) {
	t.mergers = make([]singularMerger[R], count)
	arena := scratch.NewArena(memory)
	for i := range t.mergers {
		t.mergers[i].take(&arena, order, threads)
		t.mergers[i].place(order, make([]int, updateIndices*order), make([]uint8, order))
	}
}

// subtree decomposes a node and everything below it.
func (t *singularTree[R]) subtree(team *sched.Team, worker int, s nodeRows) error {
	if err := team.Err(); err != nil {
		return err
	}
	if s.end-s.start <= singularLeafOrder {
		return t.solveLeaf(worker, s)
	}
	cut := middleOf(s)
	if err := t.subtree(team, worker, nodeRows{start: s.start, end: cut}); err != nil {
		return err
	}
	if err := t.subtree(team, worker, nodeRows{start: cut + 1, end: s.end}); err != nil {
		return err
	}
	return t.mergeNode(team, worker, s)
}

// above merges the nodes that are less than the given number of levels below s.
func (t *singularTree[R]) above(team *sched.Team, levels int, s nodeRows) error {
	if levels == 0 {
		return nil
	}
	cut := middleOf(s)
	if err := t.above(team, levels-1, nodeRows{start: s.start, end: cut}); err != nil {
		return err
	}
	if err := t.above(team, levels-1, nodeRows{start: cut + 1, end: s.end}); err != nil {
		return err
	}
	return t.mergeNode(team, 0, s)
}

// mergeNode merges the halves of a node.
func (t *singularTree[R]) mergeNode(team *sched.Team, worker int, s nodeRows) error {
	cut := middleOf(s)
	for i := cut + 1; i < s.end; i++ {
		t.order[i] += cut + 1 - s.start
	}
	at := halves{d: t.D[s.start:s.end], order: t.order[s.start:s.end], cut: cut - s.start}
	phase := team.Phase(singularCost(s.end - s.start))
	err := t.mergers[worker].merge(phase, at, t.D[cut], t.E[cut], t.ut.Slice(s.start, s.end, s.start, s.end),
		t.vt.Slice(s.start, s.end+1, s.start, s.end+1))
	phase.End()
	return err
}

// solveLeaf decomposes a leaf.
func (t *singularTree[R]) solveLeaf(worker int, s nodeRows) error {
	n, leaf := s.end-s.start, &t.mergers[worker].leaf
	square := func(memory []float64, n int) dense.Matrix[float64] {
		m := dense.Matrix[float64]{Rows: n, Cols: n, Stride: n, Data: memory[:n*n]}
		m.SetIdentity()
		return m
	}
	q := singularQR{t.rows(s.start, s.end), square(leaf.ut, n), square(leaf.vt, n+1), leaf.left[:], leaf.right[:]}
	if err := q.iterate(nil); err != nil {
		return notConverged(err, s.start, len(t.D))
	}
	dense.Copy(t.ut.Slice(s.start, s.end, s.start, s.end).View(), q.ut.View())
	dense.Copy(t.vt.Slice(s.start, s.end+1, s.start, s.end+1).View(), q.vt.View())
	SortIndices(t.D[s.start:s.end], t.order[s.start:s.end])
	return nil
}

// SingularValues overwrites D by the singular values of b in descending order; the last element of E is 0, and E is
// undefined on return. Values have small relative errors. It returns a *ConvergenceError or the team's error.
//
// Cost: about 2 n^2 rotations. Method: see singularQR.
func SingularValues(team *sched.Team, b Bidiagonal) error {
	exponent := Matrix(b).normalize(0, len(b.D))
	q := singularQR{Bidiagonal: b}
	if err := q.iterate(team.Plan(SingularValuesCost(len(b.D)))); err != nil {
		return err
	}
	scaleByPower(exponent, b.D)
	slices.Sort(b.D)
	slices.Reverse(b.D)
	return team.Err()
}
