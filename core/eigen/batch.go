package eigen

import (
	"fmt"
	"math"

	"trnsci/core/dense"
	"trnsci/core/kernel/batch"
)

// memberSteps is how finely progress on a member of a batch is divided.
const memberSteps = 1000

// BatchError is the error of one member of a batch.
type BatchError struct {
	Member int
	Err    error
}

func (e *BatchError) Error() string { return fmt.Sprintf("%v (batch member %d)", e.Err, e.Member) }

// Unwrap returns the error that Eigh returns for the member.
func (e *BatchError) Unwrap() error { return e.Err }

// EighBatch is Eigh for count matrices of one order. member(k) returns problem k; several threads call it. Unless it is
// nil, counts gets the number of eigenvalues of each matrix.
//
// A single matrix is solved by all threads of opt.Team, several matrices by one thread each. From three matrices on,
// those of orders up to 64 are solved in groups, in the lanes of SIMD vectors, if the arithmetic is in double
// precision: this takes single precision matrices of orders below 40 and all double precision ones.
//
// The result of a matrix does not depend on the other members, nor on the number of threads. It has the same bits as
// the result of Eigh, except in groups of three or more matrices of orders 19 to 64 (for eigenvalues alone 33 to 64, or
// 25 to 64 if they are complex): there the two differ by rounding errors, because Eigh solves larger matrices with
// divide and conquer.
//
// Errors are those of Eigh, also for matrices of different orders; for more than one matrix they are wrapped in a
// *BatchError. All outputs are then undefined.
func EighBatch[T dense.Scalar, R dense.Float](
	count int, member func(k int) Member[T, R], counts []int, opt Options,
) error {
	requireRealType[T, R]()
	store := func(k, found int) {
		if counts != nil {
			counts[k] = found
		}
	}
	switch count {
	case 0:
		return nil
	case 1:
		m := member(0)
		found, err := Eigh(m.A, m.W, m.V, opt)
		store(0, found)
		return err
	}
	n := member(0).A.Rows
	if size := groupSize[T](n, count, opt); size > 0 {
		return eighGroups(n, size, count, member, store, opt)
	}
	team := opt.Team.Plan(count * memberSteps)
	return team.For(count, func(_, k int) error {
		m, alone := member(k), opt
		alone.Team = team.Serial().Phase(memberSteps)
		err := checkOrder(n, m.A)
		if err == nil {
			var found int
			found, err = Eigh(m.A, m.W, m.V, alone)
			store(k, found)
		}
		if err != nil {
			return &BatchError{Member: k, Err: err}
		}
		alone.Team.End()
		return nil
	})
}

// eighGroups is EighBatch for matrices of order n in groups of the given size.
func eighGroups[T dense.Scalar, R dense.Float](
	n, size, count int, member func(k int) Member[T, R], store func(k, found int), opt Options,
) error {
	team := opt.Team.Plan(count)
	opt.Team = team.SerialWithoutProgress()
	return team.For(ceilDiv(count, size), func(_, group int) error {
		var memory [batch.Width]Member[T, R]
		var counts [batch.Width]int
		first, end := group*size, min((group+1)*size, count)
		members := memory[:end-first]
		for i := range members {
			m := member(first + i)
			err := checkOrder(n, m.A)
			if err == nil {
				err = checkCall(m.A, m.W, m.V, opt)
			}
			if err != nil {
				return &BatchError{Member: first + i, Err: err}
			}
			members[i] = m
		}
		if failed, err := eighGroup(members, counts[:], opt); err != nil {
			return &BatchError{Member: first + failed, Err: err}
		}
		for i := range members {
			store(first+i, counts[i])
		}
		team.Step(end - first)
		return nil
	})
}

// checkOrder returns an error unless a matrix of a batch has the order n of the first one.
func checkOrder[T dense.Scalar](n int, a dense.View[T]) error {
	if a.Rows != n {
		return dense.BadArgument("a", "expected matrices of one order, got orders %d and %d", n, a.Rows)
	}
	return nil
}

// BatchWorkspace is Workspace for EighBatch.
func BatchWorkspace[T dense.Scalar](n, count int, opt Options) (bytes int64) {
	if count == 1 {
		return Workspace[T](n, false, opt)
	}
	calls := count
	if size := groupSize[T](n, count, opt); size > 0 {
		calls = ceilDiv(count, size)
	}
	atOnce := int64(min(calls, opt.Team.Threads()))
	opt.Team = opt.Team.SerialWithoutProgress()
	each := Workspace[T](n, false, opt)
	if atOnce > 0 && each > math.MaxInt64/atOnce {
		return math.MaxInt64
	}
	return atOnce * each
}
