package schur

import (
	"errors"
	"math"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

const (
	eps = 0x1p-52
	// Smallest normal number.
	safeMin = 0x1p-1022

	// Elements of a unitarily similar matrix, and the sums on the way to it, are at most n times as large as those of
	// A, up to a factor that this many bits cover. Only matrices above that limit are scaled down.
	headroomBits = 8
)

// exponents says how matrices of a type are scaled: smaller ones up so that their largest element is about 2^work, and those that leave no headroom below
// 2^largest down. The elements and the sums of their squares are then far from overflow, and an element of double precision has to be 2^1370 times smaller
// than the largest before its rounding errors are absolute instead of relative, one of single precision 2^150 times. Scaling up is exact.
type exponents struct{ work, largest int }

func exponentsOf[W dense.Scalar]() exponents {
	if dense.IsSingle[W]() {
		return exponents{work: 40, largest: 127}
	}
	return exponents{work: 400, largest: 1023}
}

// smallestNormal returns the smallest normal number of W's real type.
func smallestNormal[W dense.Scalar]() float64 {
	if dense.IsSingle[W]() {
		return 0x1p-126
	}
	return safeMin
}

// output is a result matrix and the name that errors call it by.
type output[T dense.Scalar] struct {
	name string
	dense.View[T]
}

// method is what follows the reduction to Hessenberg form, in the type W: nothing, or an iteration on that form and the
// last repairs when its result has been scaled back.
type method[W dense.Scalar] struct {
	iterate iteration[W]
	finish  func(t, zt dense.Matrix[W])
}

// decompose brings a to Hessenberg form in the type W, lets m continue from there, and stores the final
// matrix in form and the accumulated unitary factor in factor.
func decompose[W, T dense.Scalar](a dense.View[T], form, factor output[T], opt Options, m method[W]) error {
	if err := checkShapes(a, form, factor); err != nil {
		return err
	}
	if a.Rows == 0 {
		return nil
	}
	if finite, err := checkFinite(a, opt); !finite {
		fill(form.View, notANumber[T]())
		fill(factor.View, notANumber[T]())
		return err
	}
	size := a.Rows * paddedStride[W](a.Rows)
	kept := borrow[W](&keptMatrices, 2*size)
	defer kept.GiveBack()
	work, factorT := paddedIn(kept.numbers[:size], a.Rows), dense.Matrix[W]{}
	if factor.Rows > 0 {
		factorT = paddedIn(kept.numbers[size:], a.Rows)
	}
	if err := blas.CopyView(opt.Team, work.View(), a); err != nil {
		return err
	}
	if err := m.decomposeIn(work, factorT, opt); err != nil {
		return err
	}
	// What leaves the range of W does so in work, what leaves that of T when it is stored there.
	if err := blas.CopyView(opt.Team, form.View, work.View()); err != nil {
		return err
	}
	if blas.CheckFinite(nil, form.View, form.name) != nil {
		return dense.BadArgument("a", "elements are too large: those of the form overflow")
	}
	if factor.Rows == 0 {
		return nil
	}
	conjugate(factorT)
	return blas.CopyView(opt.Team, factor.View, factorT.View().T())
}

// checkFinite reports whether a is free of infinities and NaNs. If it is not, that is an error unless the options say otherwise.
func checkFinite[T dense.Scalar](a dense.View[T], opt Options) (finite bool, err error) {
	var notFinite *dense.ArgumentError
	if err := blas.CheckFinite(opt.Team, a, "a"); !opt.SkipFiniteCheck || !errors.As(err, &notFinite) {
		return err == nil, err
	}
	return false, nil
}

func notANumber[T dense.Scalar]() T { return dense.FromParts[T](math.NaN(), math.NaN()) }

// decomposeIn overwrites work by the form that m leads to, and factorT by the adjoint of the unitary factor.
func (m method[W]) decomposeIn(work, factorT dense.Matrix[W], opt Options) error {
	var order []int
	if m.iterate != nil {
		var err error
		if order, err = isolateEigenvalues(opt.Team, work); err != nil {
			return err
		}
	}
	shift, err := m.decomposeScaled(work, factorT, opt)
	if err != nil {
		return err
	}
	scale(work, -shift)
	if m.finish != nil {
		m.finish(work, factorT)
	}
	restoreOrder(factorT, order)
	return nil
}

// decomposeScaled is decomposeIn for a form that stays scaled, by 2^shift.
func (m method[W]) decomposeScaled(work, factorT dense.Matrix[W], opt Options) (shift int, err error) {
	shift = scalingShift(work)
	scale(work, shift)
	c := costsOf[W](work.Rows, factorT.Rows > 0)
	if m.iterate == nil {
		c.iteration = 0
	}
	team := opt.Team.Plan(c.reduction + c.accumulation + c.iteration)
	opt.Team = team.Phase(c.reduction + c.accumulation)
	if err := reduce(opt.Team, work, factorT); err != nil {
		return shift, err
	}
	opt.Team.End()
	if m.iterate == nil {
		return shift, nil
	}
	opt.Team = team.Phase(c.iteration)
	err = m.iterate(work, factorT, opt)
	opt.Team.End()
	return shift, err
}

// iteration continues from the Hessenberg matrix h and the adjoint qt of the unitary factor, both of which it overwrites.
type iteration[W dense.Scalar] func(h, qt dense.Matrix[W], opt Options) error

func checkShapes[T dense.Scalar](a dense.View[T], form, factor output[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("a", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	if form.Rows != n || form.Cols != n {
		return dense.BadArgument(form.name, "expected shape (%d, %d), got (%d, %d)", n, n, form.Rows, form.Cols)
	}
	if factor.Rows != 0 && (factor.Rows != n || factor.Cols != n) {
		return dense.BadArgument(factor.name, "expected shape (%d, %d) or no rows, got (%d, %d)", n, n, factor.Rows, factor.Cols)
	}
	return nil
}

// lineBytes is the size of a line of the cache.
const lineBytes = 64

// paddedStride returns the stride of newPadded, an odd number of lines of the cache.
func paddedStride[W dense.Scalar](n int) int {
	perLine := lineBytes / int(unsafe.Sizeof(*new(W)))
	return (toLines[W](n)/perLine | 1) * perLine
}

// toLines returns how many elements the lines of the cache have that hold n of them.
func toLines[W dense.Scalar](n int) int {
	perLine := lineBytes / int(unsafe.Sizeof(*new(W)))
	return (n + perLine - 1) / perLine * perLine
}

// newPadded returns an n x n matrix of zeros whose rows begin at multiples of a line of the cache, and those of rows that are neighbours an odd number of lines
// apart: the elements of a column then fall upon all sets of lines of a cache, and not on the same few.
func newPadded[W dense.Scalar](n int) dense.Matrix[W] {
	return paddedIn(newAligned[W](n*paddedStride[W](n)), n)
}

// paddedIn is newPadded in given memory: the elements are what they were before, and what is between the rows is zero.
func paddedIn[W dense.Scalar](memory []W, n int) dense.Matrix[W] {
	m := dense.Matrix[W]{Rows: n, Cols: n, Stride: paddedStride[W](n), Data: memory}
	for i := range n {
		clear(m.Data[i*m.Stride+n : (i+1)*m.Stride])
	}
	return m
}

// newAligned returns n zeros from the beginning of a line of the cache on.
func newAligned[W dense.Scalar](n int) []W {
	size := int(unsafe.Sizeof(*new(W)))
	data := make([]W, n+lineBytes/size)
	first := 0
	if over := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % lineBytes); over > 0 {
		first = (lineBytes - over) / size
	}
	return data[first : first+n]
}

func fill[T dense.Scalar](v dense.View[T], x T) {
	for i := range v.Rows {
		for j := range v.Cols {
			v.Set(i, j, x)
		}
	}
}

// pollEvery is the number of row operations between two looks at the team: a few milliseconds of work at order 10^4, much
// less below.
const pollEvery = 32

// poll returns the team's error at every pollEvery-th step.
func poll(team *sched.Team, step int) error {
	if step%pollEvery != 0 {
		return nil
	}
	return team.Err()
}
