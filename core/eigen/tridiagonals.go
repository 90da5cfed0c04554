package eigen

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

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
	memory := make([]float64, 2*n)
	t := &tridiagonal{d: memory[:n:n], e: memory[n:]}
	for i, x := range d {
		t.d[i] = float64(x)
	}
	for i, x := range e {
		t.e[i] = float64(x)
	}
	largest := t.largest(0, n)
	if !isFinite(largest) {
		return fillNaN(n, w, v, opt), nil
	}
	opt = opt.sharedFrom(leastSharedBand, n)
	exponent := scalingExponent[float64](largest)
	scaleByPower(exponent, t.d)
	scaleByPower(exponent, t.e)
	return tridiagonalPairs[float64](t, -exponent, w, v, opt, nil)
}

// tridiagonalPairs writes the wanted eigenpairs of 2^exponent diag(p) T diag(p)^H to w and v: T is t, which needs no scaling and is
// overwritten, and p are the phases, of which nil stands for ones.
func tridiagonalPairs[W dense.Wide, T dense.Scalar, R dense.Float](t *tridiagonal, exponent int, w []R, v dense.View[T], opt Options, phases []W) (int, error) {
	n, team := len(t.d), opt.Team
	if opt.ValuesOnly {
		return wantedValues(team, t.d, t.e, w, opt.Subset, exponent)
	}
	v = columns(v, opt.Subset.largestCount(n))
	c := costsOf[W](n, v.Cols)
	team = team.Plan(c.conquest + c.rows)
	vectors, direct := vectorMemory[float64](v, opt)
	words := max(solveElements[float64](n), wordsOf[float64](writeElements[W](n, v.Cols, team.Threads())))
	if !direct {
		words += wordsOf[float64](n * n)
	}
	memory := borrowWorkspace(words)
	defer memory.GiveBack()
	if !direct {
		vectors = takeMatrix[float64](&memory, n, n)
	}
	phase := team.Phase(c.conquest)
	rows, err := wantedPairs(phase, t.d, t.e, vectors, w, opt.Subset, exponent, memory.rest)
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
