package eigen

import (
	"errors"
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// EighGeneralized computes eigenvalues and eigenvectors of a generalized problem with n x n matrices A, Hermitian (real:
// symmetric), and B, Hermitian positive definite:
//
//	AXEqualsLambdaBX (1):  A V = B V diag(w),  V^H B V = I
//	ABXEqualsLambdaX (2):  A B V = V diag(w),  V^H B V = I
//	BAXEqualsLambdaX (3):  B A V = V diag(w),  V^H B^-1 V = I
//
// Arguments, results and errors are those of Eigh. opt.Upper and opt.Overwrite hold for b as for a (with the latter they
// do not overlap), and an infinity or a NaN may be in b. Further errors: *dense.ArgumentError for an unknown problem
// ("type"), for a shape of b that is not a's, and for a B so graded that the standard form overflows;
// *factor.NotPositiveDefiniteError with Arg "b" and the order of the first leading minor that is not positive.
//
// A pivot of the Cholesky factorization is refused, too, if it is at most n 2^-52 times the diagonal element it comes
// from: B is then indistinguishable from a singular matrix in double precision, and the vectors would be made of
// rounding errors. This holds for all dtypes, as single precision input is taken to be exact. Below that limit errors
// grow with the condition number of B: residuals are of the order eps cond(B) (|A| + |w| |B|) |x| at worst.
//
// Cost: 7/6 n^3 multiply-adds more than Eigh, and n^2/2 for each eigenvector.
func EighGeneralized[T dense.Scalar, R dense.Float](problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options) (count int, err error) {
	requireRealType[T, R]()
	if problem < AXEqualsLambdaBX || problem > BAXEqualsLambdaX {
		return 0, dense.BadArgument("type", "expected 1, 2 or 3, got %d", int(problem))
	}
	if err := checkCall(a, w, v, opt); err != nil {
		return 0, err
	}
	if b.Rows != a.Rows || b.Cols != a.Cols {
		return 0, dense.BadArgument("b", "expected the shape of a, (%d, %d), got (%d, %d)", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	if a.Rows == 0 {
		return 0, nil
	}
	if err := checkFinite(a, "a", opt); err != nil {
		return 0, err
	}
	if err := checkFinite(b, "b", opt); err != nil {
		return 0, err
	}
	if dense.IsComplex[T]() {
		return eighGeneralized[complex128](problem, a, b, w, v, opt)
	}
	return eighGeneralized[float64](problem, a, b, w, v, opt)
}

// eighGeneralized is EighGeneralized in the double precision type W after the checks of the arguments.
func eighGeneralized[W dense.Wide, T dense.Scalar, R dense.Float](problem Problem, a, b dense.View[T], w []R, v dense.View[T], opt Options) (int, error) {
	h, err := loadLower[W](opt.Team, a, opt.Upper, opt.Overwrite)
	if err != nil {
		return 0, err
	}
	l, err := loadLower[W](opt.Team, b, opt.Upper, opt.Overwrite)
	if err != nil {
		return 0, err
	}
	largestA, largestB := largestInLower(h), largestInLower(l)
	if !isFinite(largestA) || !isFinite(largestB) {
		return fillNaN(a.Rows, w, v, opt), nil
	}
	g := generalized[W]{problem: problem, team: opt.Team, l: l, exponentA: scalingExponent[W](largestA), exponentB: scalingExponent[W](largestB)}
	scaleLower(h, g.exponentA)
	scaleLower(l, g.exponentB)
	if err := g.factorB(); err != nil {
		return 0, err
	}
	if err := g.toStandardForm(h); err != nil {
		return 0, err
	}
	largest := largestInLower(h)
	if !isFinite(largest) {
		return 0, dense.BadArgument("b", "too badly scaled: the eigenvalues are beyond the range of double precision")
	}
	_, direct := vectorMemory[float64](v, opt)
	memory := borrowWorkspace(solveWords[W, float64](a.Rows, opt, direct))
	defer memory.giveBack()
	return solve[W, float64](h, largest, w, v, opt, g.transformation(), memory)
}

// generalized leads from a generalized problem to a standard one and back.
type generalized[W dense.Wide] struct {
	problem              Problem
	team                 *sched.Team
	l                    dense.Matrix[W] // B, then its Cholesky factor
	exponentA, exponentB int             // A and B have been multiplied by two to these powers
}

// factorB overwrites B by its Cholesky factor.
func (g *generalized[W]) factorB() error {
	n := g.l.Rows
	diagonal := make([]float64, n)
	for i := range n {
		diagonal[i] = dense.Real(g.l.At(i, i))
	}
	err := factor.Cholesky(g.team, g.l)
	factored := n
	var failed *factor.NotPositiveDefiniteError
	if errors.As(err, &failed) {
		factored = failed.Order - 1
	} else if err != nil {
		return err
	}
	// A tiny pivot comes before the negative one that it causes.
	order, err := g.firstSingularMinor(diagonal, factored)
	if err != nil {
		return err
	}
	if order == 0 && failed != nil {
		order = failed.Order
	}
	if order > 0 {
		return &factor.NotPositiveDefiniteError{Arg: "b", Order: order}
	}
	return nil
}

// firstSingularMinor returns the order of the first leading minor of B that is singular to working precision, or 0, for
// B with the given diagonal whose first rows have been factored.
//
// With y^T the k-th row of L^-1, y^T B y = 1. Rounding while B was factored is a change E of B with |E_ij| up to about
// eps sqrt(B_ii B_jj), so the minor is not known to differ from a singular one once eps (sum_i |y_i| sqrt(B_ii))^2 is as
// large as 1. Unlike a condition number this does not depend on the scaling of B. A pivot below n eps B_kk is refused
// too. Cost: n^3/6 multiply-adds.
func (g *generalized[W]) firstSingularMinor(diagonal []float64, rows int) (order int, err error) {
	roots := make([]float64, rows)
	for i := range roots {
		roots[i] = math.Sqrt(diagonal[i])
	}
	groups := (rows + chunkRows - 1) / chunkRows
	first := make([]int, groups)
	perWorker := min(rows, chunkRows) * rows
	memory := make([]W, min(groups, g.team.Threads())*perWorker)
	err = g.team.For(groups, func(worker, group int) error {
		begin, end := group*chunkRows, min(rows, (group+1)*chunkRows)
		inverse := dense.Matrix[W]{Rows: end - begin, Cols: end, Stride: end, Data: memory[worker*perWorker : (worker+1)*perWorker]}
		inverse.Fill(0)
		for k := begin; k < end; k++ {
			inverse.Set(k-begin, k, 1)
		}
		blas.Trsm(nil, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, g.l.Slice(0, end, 0, end), inverse)
		for k := end - 1; k >= begin; k-- {
			sum := 0.0
			for i, y := range inverse.Row(k - begin)[:k+1] {
				sum += dense.Abs(y) * roots[i]
			}
			pivot := dense.Real(g.l.At(k, k))
			if !(sum*sum*dense.Eps[W]() < 1) || pivot*pivot <= float64(len(diagonal))*dense.Eps[W]()*diagonal[k] {
				first[group] = k + 1
			}
		}
		return nil
	})
	for _, order := range first {
		if order > 0 {
			return order, err
		}
	}
	return 0, err
}

// toStandardForm overwrites the lower triangle of h by that of C = F^H A F, where F is L^-H for problem 1 and L for the
// others: the rows of A times F, then the rows of (A F)^H times F.
func (g *generalized[W]) toStandardForm(h dense.Matrix[W]) error {
	if err := mirrorLower(g.team, h); err != nil {
		return err
	}
	for range 2 {
		err := forRows(g.team, h, func(rows dense.Matrix[W]) {
			if g.problem == AXEqualsLambdaBX {
				blas.Trsm(nil, blas.Right, blas.Lower, blas.ConjTrans, blas.NonUnit, 1, g.l, rows)
			} else {
				blas.Trmm(nil, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, g.l, rows)
			}
		})
		if err != nil {
			return err
		}
		if err := conjugateTranspose(g.team, h); err != nil {
			return err
		}
	}
	return nil
}

// transformation leads from the eigenpairs of C to those of the caller's problem: x = L^-H y for the problems 1 and 2,
// x = L y for problem 3, and the scaling factors of A and B are taken back.
func (g *generalized[W]) transformation() transformation[W] {
	if g.problem == AXEqualsLambdaBX {
		return transformation[W]{valueExponent: g.exponentB - g.exponentA, vectors: g.fromStandardForm}
	}
	return transformation[W]{valueExponent: -g.exponentA - g.exponentB, vectors: g.fromStandardForm}
}

// fromStandardForm replaces rows that are eigenvectors of C by those of the caller's problem.
func (g *generalized[W]) fromStandardForm(rows dense.Matrix[W]) error {
	rootExponent := g.exponentB / 2
	if g.problem == BAXEqualsLambdaX {
		rootExponent = -rootExponent
	}
	return forRows(g.team.Serial(), rows, func(rows dense.Matrix[W]) {
		if g.problem == BAXEqualsLambdaX {
			blas.Trmm(nil, blas.Right, blas.Lower, blas.Trans, blas.NonUnit, 1, g.l, rows)
		} else {
			conjugateRows(rows)
			blas.Trsm(nil, blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, 1, g.l, rows)
			conjugateRows(rows)
		}
		if rootExponent != 0 {
			for i := range rows.Rows {
				scaleByPower(rootExponent, rows.Row(i))
			}
		}
	})
}

func conjugateRows[W dense.Wide](rows dense.Matrix[W]) {
	for i := range rows.Rows {
		conjugate(rows.Row(i))
	}
}

// Multiply-adds between two looks at the team, a few milliseconds of triangular products.
const rowGroupWork = 1 << 22

// forRows hands groups of m's rows, whose product with a triangle takes a few milliseconds, to body. The groups depend
// on the shape alone.
func forRows[W dense.Wide](team *sched.Team, m dense.Matrix[W], body func(rows dense.Matrix[W])) error {
	n := m.Cols
	size := min(chunkRows, max(1, rowGroupWork/(n*n)))
	return team.For((m.Rows+size-1)/size, func(_, group int) error {
		body(m.Slice(group*size, min(m.Rows, (group+1)*size), 0, n))
		return nil
	})
}

// mirrorLower fills what is above the diagonal of h so that h is Hermitian.
func mirrorLower[W dense.Wide](team *sched.Team, h dense.Matrix[W]) error {
	return forPairs(team, h.Rows, func(i, j int) { h.Set(j, i, dense.Conj(h.At(i, j))) })
}

// conjugateTranspose replaces h by h^H.
func conjugateTranspose[W dense.Wide](team *sched.Team, h dense.Matrix[W]) error {
	return forPairs(team, h.Rows, func(i, j int) {
		lower, upper := h.At(i, j), h.At(j, i)
		h.Set(i, j, dense.Conj(upper))
		h.Set(j, i, dense.Conj(lower))
	})
}

// Rows and columns of the tiles in which elements are visited together with their mirror images.
const mirrorTile = 32

// forPairs calls body for all n > i >= j >= 0.
func forPairs(team *sched.Team, n int, body func(i, j int)) error {
	for i0 := 0; i0 < n; i0 += mirrorTile {
		if err := team.Err(); err != nil {
			return err
		}
		for j0 := 0; j0 <= i0; j0 += mirrorTile {
			for i := i0; i < min(n, i0+mirrorTile); i++ {
				for j := j0; j < min(i+1, j0+mirrorTile); j++ {
					body(i, j)
				}
			}
		}
	}
	return nil
}
