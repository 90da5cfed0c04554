package eigen

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

// EighBanded is Eigh for a band matrix: element (i, j) of the n x n matrix A is zero for |i-j| >= band.Rows. band has n columns, and
// row k of it has the k-th diagonal below the main one,
//
//	A(j+k, j) = band(k, j)  for j+k < n
//
// or, with opt.Upper, row band.Rows-1-k the k-th diagonal above it,
//
//	A(j-k, j) = band(band.Rows-1-k, j)  for j >= k
//
// as LAPACK and SciPy store them. Other elements of band do not determine the result, but have to be finite unless
// opt.SkipFiniteCheck is set. w, v, count and errors are those of Eigh; errors call band a_band. It is never overwritten.
//
// Method: a matrix with one diagonal beside the main one is tridiagonal but for phases. Of wider ones a narrow band is reduced where
// only eigenvalues are wanted, and everything else as a dense matrix: to accumulate the reduction of a band takes more operations
// than to reduce a dense matrix.
//
// Cost: that of EighTridiagonal for one diagonal beside the main one; for b of them and eigenvalues alone 3 b n^2 multiply-adds more,
// where b is at most a 64th of n; otherwise that of Eigh.
func EighBanded[T dense.Scalar, R dense.Float](band dense.View[T], w []R, v dense.View[T], opt Options) (count int, err error) {
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

// eighBanded is EighBanded in the double precision type W after the checks of the arguments.
func eighBanded[W dense.Wide, T dense.Scalar, R dense.Float](view dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
	n := view.Cols
	band := newHermitianBand[W](view, opt.Upper)
	if !isFinite(band.largest) {
		return fillNaN(n, w, v, opt), nil
	}
	opt = opt.sharedFrom(leastSharedBand, n)
	t := tridiag.New(n)
	if band.width <= 1 {
		phases := band.loadTridiagonal(t)
		return tridiagonalPairs(t, -band.exponent, w, v, opt, phases)
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
		count, err := tridiagonalPairs[W](t, -band.exponent, w, v, opt, nil)
		opt.Team.End()
		return count, err
	}
	opt.Upper, opt.Overwrite, opt.SkipFiniteCheck = false, true, true
	return Eigh(band.lower().View(), w, v, opt)
}

// narrowBand is how many times the width of a band goes into the order if its reduction takes less time than that of a dense
// matrix. The quotient at which the two are equal is about 85 at order 256 and 40 at order 1024, and falls further where the
// dense one comes from memory.
const narrowBand = 64

// isNarrow reports whether a matrix with the given number of diagonals below the main one is reduced as a band.
func isNarrow(width, n int) bool { return width*narrowBand <= n }

// hermitianBand reads a band matrix times 2^exponent, which needs no scaling.
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

// bandWidth returns how many diagonals below the main one a matrix of order n has of those that a band with the given rows names.
func bandWidth(rows, n int) int { return min(rows, n) - 1 }

// each calls body with every element (j+k, j) of diagonal k. The main diagonal is taken to be real.
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

// loadTridiagonal fills d and e of t from a band with at most one diagonal beside the main one and returns the phases p for which
// diag(p)^H A diag(p) is t; nil if they are all 1. The moduli of the couplings are what is left: p_0 = 1, p_{j+1} = p_j A(j+1, j) / e_j.
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
		phases[j+1] = phase(phases[j] * phase(x))
	})
	return phases
}

// phase returns x / |x| with a modulus as close to 1 as can be; 1 for zero.
func phase[W dense.Wide](x W) W {
	const small, up = 0x1p-900, 0x1p170 // quotients of subnormal numbers have few digits
	modulus := dense.Abs(x)
	if modulus < small {
		x *= dense.FromReal[W](up)
		modulus = dense.Abs(x)
	}
	if modulus == 0 {
		return 1
	}
	return dense.FromParts[W](tridiag.UnitRotation(dense.Real(x)/modulus, dense.Imag(x)/modulus))
}

// reducible returns a copy of the band for its reduction.
func (b *hermitianBand[W, T]) reducible() *reduce.Band[W] {
	c := reduce.NewBand[W](b.view.Cols, b.width)
	for k := range b.width + 1 {
		b.each(k, func(j int, x W) { c.Set(j+k, j, x) })
	}
	return c
}

// lower returns a dense matrix whose lower triangle is that of the caller's.
func (b *hermitianBand[W, T]) lower() dense.Matrix[T] {
	whole := *b
	whole.exponent = 0
	h := dense.New[T](b.view.Cols, b.view.Cols)
	for k := range b.width + 1 {
		whole.each(k, func(j int, x W) { h.Set(j+k, j, dense.Convert[T](x)) })
	}
	return h
}

// EighTridiagonal is Eigh for the real symmetric tridiagonal matrix with the diagonal d and the elements e beside it, of which e[i],
// i < n-1, couples i and i+1. Neither is changed. opt.Upper and opt.Overwrite mean nothing here; an infinity or a NaN may be in d or e.
//
// Cost: with eigenvectors up to 2/3 n^3 multiply-adds in divide and conquer, much less if many eigenvalues of its pieces agree;
// eigenvalues alone take about 10 n^2 terms of secular functions, see tridiagonalValues.
func EighTridiagonal[R dense.Float](d, e, w []R, v dense.View[R], opt Options) (count int, err error) {
	n := len(d)
	if len(e) != max(0, n-1) {
		return 0, dense.BadArgument("e", "expected one element less than d has, %d, got %d", max(0, n-1), len(e))
	}
	if err := checkResults(n, w, v, opt); err != nil || n == 0 {
		return 0, err
	}
	for k, x := range [][]R{d, e} {
		if err := checkFinite(dense.Matrix[R]{Rows: 1, Cols: len(x), Stride: n, Data: x}.View(), []string{"d", "e"}[k], opt); err != nil {
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
	if !isFinite(largest) {
		return fillNaN(n, w, v, opt), nil
	}
	opt = opt.sharedFrom(leastSharedBand, n)
	exponent := scalingExponent[float64](largest)
	scaleByPower(exponent, t.D)
	scaleByPower(exponent, t.E)
	return tridiagonalPairs[float64](t, -exponent, w, v, opt, nil)
}

// tridiagonalPairs writes the wanted eigenpairs of 2^exponent diag(p) T diag(p)^H to w and v: T is t, which needs no scaling and is
// overwritten, and p are the phases, of which nil stands for ones.
func tridiagonalPairs[W dense.Wide, T dense.Scalar, R dense.Float](t tridiag.Matrix, exponent int, w []R, v dense.View[T], opt Options, phases []W) (int, error) {
	n, team := len(t.D), opt.Team
	if opt.ValuesOnly {
		return wantedValues(team, t, w, opt.Subset, exponent)
	}
	v = columns(v, opt.Subset.largestCount(n))
	c := costsOf[W](n, v.Cols)
	team = team.Plan(c.conquest + c.rows)
	vectors, direct := vectorMemory[float64](v, opt)
	words := max(tridiag.WorkElements[float64](n), wordsOf[float64](writeElements[W](n, v.Cols, team.Threads())))
	if !direct {
		words += wordsOf[float64](n * n)
	}
	memory := borrowWorkspace(words)
	defer memory.GiveBack()
	if !direct {
		vectors = takeMatrix[float64](&memory, n, n)
	}
	phase := team.Phase(c.conquest)
	rows, err := wantedPairs(phase, t, vectors, w, opt.Subset, exponent, memory.rest)
	if err != nil {
		return 0, err
	}
	phase.End()
	phase = team.Phase(c.rows)
	err = writeRows(phase, rows, v, phases, memory.rest)
	phase.End()
	return rows.Rows, err
}

// writeRows stores the rows of real eigenvectors, which it overwrites, as the first columns of v, component i multiplied by phases[i] where
// there are phases. Each of them is a step of the team.
func writeRows[W dense.Wide, T dense.Scalar](team *sched.Team, rows dense.Matrix[float64], v dense.View[T], phases []W, memory []float64) error {
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

// BandWorkspace is Workspace for EighBanded with a band of the given rows, and with 2 rows for EighTridiagonal.
func BandWorkspace[T dense.Scalar](rows, n int, opt Options) (bytes int64) {
	width := bandWidth(rows, n)
	number := planes[T]() * realBytes
	if width > 1 && !(opt.ValuesOnly && isNarrow(width, n)) {
		if whole := Workspace[T](n, false, opt); whole < math.MaxInt64 {
			return whole + int64(number*n*n) // the dense matrix
		}
		return math.MaxInt64
	}
	if !opt.ValuesOnly {
		return Workspace[T](n, false, opt)
	}
	perRow := number + wholeRows*realBytes // the phases and the tridiagonal matrix
	if width > 1 {
		perRow += number * reduce.BandElements(width)
	}
	total := n*perRow + tridiag.EigenvaluesBytes(n, opt.Team.Threads())
	return int64(total + total/roundUp + callOverhead)
}
