package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/scratch"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// EighBanded is Eigh for a band matrix: element (i, j) of the n x n matrix A is zero for |i-j| >= band.Rows. band has n
// columns, and its row k holds the k-th diagonal below the main one,
//
//	A(j+k, j) = band(k, j)  for j+k < n
//
// or, with opt.Upper, its row band.Rows-1-k holds the k-th diagonal above it,
//
//	A(j-k, j) = band(band.Rows-1-k, j)  for j >= k
//
// as in LAPACK and SciPy. Other elements of band do not affect the result, but must be finite unless
// opt.SkipFiniteCheck is set. w, v, count and errors are those of Eigh, with band called a_band. band is never
// overwritten.
//
// Method: a matrix with one diagonal next to the main one is tridiagonal up to phases. A wider but narrow band is
// reduced by rotations if only eigenvalues are wanted. Everything else is solved as a dense matrix, because
// accumulating the rotations takes more operations than reducing a dense matrix.
//
// Cost: that of EighTridiagonal for one diagonal next to the main one; 3 b n^2 multiply-adds more for b of them and
// eigenvalues alone, if b is at most a 64th of n; otherwise that of Eigh.
func EighBanded[T dense.Scalar, R dense.Float](
	band dense.View[T], w []R, v dense.View[T], opt Options,
) (count int, err error) {
	requireRealType[T, R]()
	n := band.Cols
	if n > 0 && band.Rows == 0 {
		return 0, dense.BadArgument("a_band", "expected the main diagonal at least, got shape (%d, %d)", band.Rows, n)
	}
	if err := checkResults(n, w, v, opt); err != nil || n == 0 {
		return 0, err
	}
	if err := checkFinite(band, "a_band", opt); err != nil {
		return 0, err
	}
	if dense.IsComplex[T]() {
		return eighBanded[complex128](band, w, v, opt)
	}
	return eighBanded[float64](band, w, v, opt)
}

// eighBanded is EighBanded in the double precision type W, after the checks of the arguments.
func eighBanded[W dense.Wide, T dense.Scalar, R dense.Float](
	view dense.View[T], w []R, v dense.View[T], opt Options,
) (int, error) {
	n := view.Cols
	band := newHermitianBand[W](view, opt.Upper)
	if !dense.IsFinite(band.largest) {
		return fillNaN(n, w, v, opt), nil
	}
	opt = opt.sharedFrom(minSharedBand, n)
	t := tridiag.New(n)
	if band.width <= 1 {
		phases := band.loadTridiagonal(t)
		return eighScaledTridiagonal(t, -band.exponent, w, v, opt, phases)
	}
	if opt.ValuesOnly && isNarrow(band.width, n) {
		chasing, values := chaseCost[W](band.width, n), tridiag.EigenvaluesCost(n)
		team := opt.Team.Plan(chasing + values)
		phase := team.Phase(chasing)
		if err := band.reducible().Tridiagonalize(phase, t); err != nil {
			return 0, err
		}
		phase.End()
		opt.Team = team.Phase(values)
		count, err := eighScaledTridiagonal[W](t, -band.exponent, w, v, opt, nil)
		opt.Team.End()
		return count, err
	}
	opt.Upper, opt.Overwrite, opt.SkipFiniteCheck = false, true, true
	return Eigh(band.lower().View(), w, v, opt)
}

// The reduction of a band takes less time than that of a dense matrix if the order is at least bandRatio times the
// number of diagonals. The two are equal at a ratio of about 85 at order 256 and of 40 at order 1024. The ratio falls
// further when the dense matrix exceeds the cache.
const bandRatio = 64

// isNarrow reports whether a matrix with the given number of diagonals below the main one is reduced as a band.
func isNarrow(width, n int) bool { return width*bandRatio <= n }

// hermitianBand reads a band matrix times 2^exponent, which needs no further scaling.
type hermitianBand[W dense.Wide, T dense.Scalar] struct {
	view     dense.View[T]
	upper    bool
	width    int     // diagonals below the main one
	largest  float64 // modulus of a real or imaginary part of the caller's matrix, or NaN
	exponent int
}

func newHermitianBand[W dense.Wide, T dense.Scalar](view dense.View[T], upper bool) *hermitianBand[W, T] {
	b := &hermitianBand[W, T]{view: view, upper: upper, width: bandWidth(view.Rows, view.Cols)}
	for k := range b.width + 1 {
		b.each(k, func(_ int, x W) { b.largest = max(b.largest, math.Abs(dense.Real(x)), math.Abs(dense.Imag(x))) })
	}
	b.exponent = scalingExponent[float64](b.largest)
	return b
}

// bandWidth returns the number of diagonals below the main one of a matrix of order n that is stored as a band with the
// given rows.
func bandWidth(rows, n int) int { return min(rows, n) - 1 }

// each calls body with every element (j+k, j) of diagonal k. Imaginary parts of the main diagonal are ignored.
func (b *hermitianBand[W, T]) each(k int, body func(j int, x W)) {
	row, shift, scale := k, 0, math.Ldexp(1, b.exponent)
	if b.upper {
		row, shift = b.view.Rows-1-k, k
	}
	for j := range b.view.Cols - k {
		x := b.view.At(row, j+shift)
		re, im := dense.Real(x)*scale, dense.Imag(x)*scale
		switch {
		case k == 0:
			im = 0
		case b.upper:
			im = -im
		}
		body(j, dense.FromParts[W](re, im))
	}
}

// loadTridiagonal fills t from a band with at most one diagonal next to the main one and returns the phases p for which
// diag(p)^H A diag(p) is t; nil if they are all 1. The couplings of t are the moduli e_j: p_0 = 1, p_{j+1} = p_j A(j+1,
// j) / e_j.
func (b *hermitianBand[W, T]) loadTridiagonal(t tridiag.Matrix) (phases []W) {
	b.each(0, func(j int, x W) { t.D[j] = dense.Real(x) })
	if b.width == 0 {
		return nil
	}
	if !dense.IsComplex[W]() {
		b.each(1, func(j int, x W) { t.E[j] = dense.Real(x) })
		return nil
	}
	phases = make([]W, len(t.D))
	phases[0] = 1
	b.each(1, func(j int, x W) {
		t.E[j] = dense.Abs(x)
		phases[j+1] = phaseOf(phases[j] * phaseOf(x))
	})
	return phases
}

// reducible returns a copy of the band for its reduction.
func (b *hermitianBand[W, T]) reducible() *reduce.Band[W] {
	c := reduce.NewBand[W](b.view.Cols, b.width)
	for k := range b.width + 1 {
		b.each(k, func(j int, x W) { c.Set(j+k, j, x) })
	}
	return c
}

// lower returns a dense matrix with the lower triangle of the caller's matrix.
func (b *hermitianBand[W, T]) lower() dense.Matrix[T] {
	unscaled := *b
	unscaled.exponent = 0
	h := dense.New[T](b.view.Cols, b.view.Cols)
	for k := range b.width + 1 {
		unscaled.each(k, func(j int, x W) { h.Set(j+k, j, dense.Convert[T](x)) })
	}
	return h
}

// EighTridiagonal is Eigh for the real symmetric tridiagonal matrix with the diagonal d and the off-diagonal elements
// e: e[i], i < n-1, couples i and i+1. Neither is changed. opt.Upper and opt.Overwrite are ignored.
//
// Cost: with eigenvectors up to 2/3 n^3 multiply-adds in divide and conquer, much less with much deflation; eigenvalues
// alone take about 10 n^2 terms of secular functions, see tridiag.Eigenvalues.
func EighTridiagonal[R dense.Float](d, e, w []R, v dense.View[R], opt Options) (count int, err error) {
	n := len(d)
	if len(e) != max(0, n-1) {
		return 0, dense.BadArgument("e", "expected one element less than d has, %d, got %d", max(0, n-1), len(e))
	}
	if err := checkResults(n, w, v, opt); err != nil || n == 0 {
		return 0, err
	}
	for k, x := range [][]R{d, e} {
		row := dense.Matrix[R]{Rows: 1, Cols: len(x), Stride: n, Data: x}.View()
		if err := checkFinite(row, []string{"d", "e"}[k], opt); err != nil {
			return 0, err
		}
	}
	t := tridiag.New(n)
	for i, x := range d {
		t.D[i] = float64(x)
	}
	for i, x := range e {
		t.E[i] = float64(x)
	}
	largest := t.MaxAbs()
	if !dense.IsFinite(largest) {
		return fillNaN(n, w, v, opt), nil
	}
	opt = opt.sharedFrom(minSharedBand, n)
	exponent := scalingExponent[float64](largest)
	blas.Ldexp(t.D, exponent)
	blas.Ldexp(t.E, exponent)
	return eighScaledTridiagonal[float64](t, -exponent, w, v, opt, nil)
}

// eighScaledTridiagonal writes the wanted eigenpairs of 2^exponent diag(p) T diag(p)^H to w and v. T is t, which needs
// no scaling and is overwritten, and p are the phases; nil stands for ones.
func eighScaledTridiagonal[W dense.Wide, T dense.Scalar, R dense.Float](
	t tridiag.Matrix, exponent int, w []R, v dense.View[T], opt Options, phases []W,
) (int, error) {
	n, team := len(t.D), opt.Team
	if opt.ValuesOnly {
		return tridiagonalValues(team, t, w, opt.Subset, exponent)
	}
	v = columns(v, opt.Subset.maxCount(n))
	c := costsOf[W](n, v.Cols)
	team = team.Plan(c.divideConquer + c.store)
	vectors, direct := vectorMemory[float64](v, opt)
	var divideConquer, chunks []float64
	memory := workspaces.Arena(func(a *scratch.Arena) {
		if !direct {
			vectors = scratch.TakeMatrix[float64](a, n, n)
		}
		a.Either(func(a *scratch.Arena) {
			divideConquer = scratch.Take[float64](a, tridiag.WorkElements[float64](n))
		}, func(a *scratch.Arena) {
			chunks = scratch.Take[float64](a, writeElements[W](n, v.Cols, team.Threads()))
		})
	})
	defer memory.GiveBack()
	phase := team.Phase(c.divideConquer)
	rows, err := tridiagonalPairs(phase, t, vectors, w, opt.Subset, exponent, divideConquer)
	if err != nil {
		return 0, err
	}
	phase.End()
	phase = team.Phase(c.store)
	err = writeRows(phase, rows, v, phases, chunks)
	phase.End()
	return rows.Rows, err
}

// writeRows stores the rows of real eigenvectors, which it overwrites, as the first columns of v. If there are phases,
// component i is multiplied by phases[i].
func writeRows[W dense.Wide, T dense.Scalar](
	team *sched.Team, rows dense.Matrix[float64], v dense.View[T], phases []W, memory []float64,
) error {
	out := vectorWriter[float64, W, T]{rows: rows, v: columns(v, rows.Rows)}
	if phases != nil {
		out.transform = func(rows dense.Matrix[W]) error {
			for i := range rows.Rows {
				row := rows.Row(i)
				for j, p := range phases {
					row[j] *= p
				}
			}
			return nil
		}
	}
	return out.write(team, memory)
}
