package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/givens"
	"trnsci/core/sched"
)

// TournamentRounds returns the number of rounds in which each of n players can meet each other one once: n-1 for an
// even n; n for an odd one, with one player idle in each round; 0 for fewer than two players.
func TournamentRounds(n int) int {
	if n < 2 {
		return 0
	}
	return n - 1 + n%2
}

// AppendRound appends the pairs of a round, 0 <= round < TournamentRounds(n), to pairs: floor(n/2) disjoint pairs (p,
// q) with 0 <= p < q < n. All rounds together contain each pair once. Parallel Jacobi methods rotate in this order.
//
// The pairs are those of the circle method: p + q is 2 round modulo the number of rounds, and for an even n the player
// n-1 meets the one who would meet himself. A sweep in this order, the modulus order, is equivalent to a sweep by rows
// up to the order of rotations that commute (Luk and Park, "On parallel Jacobi orderings", SIAM J. Sci. Stat. Comput.
// 10, 1989).
func AppendRound(pairs [][2]int, n, round int) [][2]int {
	rounds := TournamentRounds(n)
	if n%2 == 0 && n > 0 {
		pairs = append(pairs, [2]int{round, n - 1})
	}
	for k := 1; k <= (rounds-1)/2; k++ {
		p, q := (round+k)%rounds, (round-k+rounds)%rounds
		pairs = append(pairs, [2]int{min(p, q), max(p, q)})
	}
	return pairs
}

// idleIndex returns the index that is in no pair of a round, or -1 if there is none.
func idleIndex(n, round int) int {
	if n%2 == 0 {
		return -1
	}
	return round
}

// jacobiSolver diagonalizes a Hermitian matrix by plane rotations, in sweeps, each of which rotates all pairs of rows
// once in the order of AppendRound. The pairs of a round are disjoint, so that threads share them.
type jacobiSolver[W dense.Wide] struct {
	team      *sched.Team
	n         int
	set       kernel.Set
	pairs     [][2]int // of the round
	maxSweeps int
	usual     int       // expected number of sweeps
	values    []float64 // the eigenvalues in no particular order

	rounds *sched.Rounds // the loops that threads share
	parts  int           // of each loop
	count  int           // length of the current loop
	body   func(first, end int)
}

const (
	// LAPACK gives up after this number of sweeps. Matrices of order 1000 take about ten.
	maxJacobiSweeps = 30
	// The largest element is scaled to about this power of two, so that eigenvalues smaller by 10^300 keep their
	// digits.
	jacobiExponent = 500
	// Elements of the matrix for each thread: a round then takes it some microseconds.
	jacobiGrain = 1 << 10
	// Quotients above this are equal to the square root of the sum of their square and 1.
	largeQuotient = 0x1p30
	// Rows whose elements are copied together to their mirror images.
	mirrorRows = 32
)

func newJacobiSolver[W dense.Wide](team *sched.Team, n int) *jacobiSolver[W] {
	parts := max(1, min(team.Threads(), n*dense.Parts[W]()*n/jacobiGrain))
	return &jacobiSolver[W]{
		team: team, n: n, set: kernel.Best(), maxSweeps: maxJacobiSweeps, values: make([]float64, n), parts: parts,
	}
}

// sweeps calls rotate for the pairs of each round, sweep after sweep, until a sweep without a significant rotation:
// rotate reports whether there was one.
func (j *jacobiSolver[W]) sweeps(begin func(sweep int) error, rotate func(round int) (rotated bool, err error)) error {
	rounds := TournamentRounds(j.n)
	for sweep := range j.maxSweeps {
		if err := begin(sweep); err != nil {
			return err
		}
		done := true
		for round := range rounds {
			j.pairs = AppendRound(j.pairs[:0], j.n, round)
			rotated, err := rotate(round)
			if err != nil {
				return err
			}
			done = done && !rotated
			j.team.Reach(doneOfSweeps(sweep*rounds+round+1, rounds, j.usual))
		}
		if done {
			return nil
		}
	}
	return &ConvergenceError{Order: j.n, Sweeps: j.maxSweeps}
}

// share calls body for ranges first <= i < end of 0 <= i < count, which must be independent, on all threads. A thread
// has the same range in all loops. As the pairs of a round are near those of the previous round in their order, few
// rows move between caches.
func (j *jacobiSolver[W]) share(count int, body func(first, end int)) error {
	if err := j.team.Err(); err != nil {
		return err
	}
	j.count, j.body = count, body
	return j.rounds.Do()
}

// part does part p of a loop.
func (j *jacobiSolver[W]) part(p int) {
	j.body(j.count*p/j.parts, j.count*(p+1)/j.parts)
}

// smallTangent returns the tangent t, at most 1, of the angle of the rotation (c, s; -s, c) that diagonalizes the
// matrix with the diagonal p, q and the off-diagonal a: the eigenvalues are p - t a and q + t a.
func smallTangent(p, q, a float64) float64 {
	quotient := (q - p) / (2 * a)
	if math.Abs(quotient) > largeQuotient {
		return 1 / (2 * quotient)
	}
	return 1 / (quotient + math.Copysign(math.Sqrt(1+quotient*quotient), quotient))
}

// cosineSine returns the cosine and the sine for a tangent.
func cosineSine(t float64) (c, s float64) {
	c = 1 / math.Sqrt(1+t*t)
	return householder.Normalize(c, c*t)
}

// rotateRows replaces the rows p and q of m by c p - s q and s p + c q.
func (j *jacobiSolver[W]) rotateRows(m dense.Matrix[W], p, q int, c, s float64) {
	parts := dense.Reals[float64](m.Data[p*m.Stride : q*m.Stride+m.Cols])
	width := len(parts) / (q*m.Stride + m.Cols - p*m.Stride)
	rotation := []givens.Rotation[float64]{{C: c, S: -s}}
	givens.Rotate(j.set, rotation, false, parts, (q-p)*m.Stride*width, m.Cols*width)
}

// writeOrdered stores the rows of the given order, normalized, as the columns of v.
func writeOrdered[W dense.Wide, T dense.Scalar](
	team *sched.Team, rows dense.Matrix[W], order []int, v dense.View[T],
) error {
	team = team.Plan(len(order))
	return team.For(len(order), func(_, k int) error {
		row := rows.Row(order[k])
		blas.Scal(dense.FromReal[W](1/blas.Nrm2(dense.Vec(row))), dense.Vec(row))
		fixPhase(row)
		column := columns(v, k+1).T().SliceRows(k, k+1)
		dense.Copy(column, dense.Matrix[W]{Rows: 1, Cols: len(row), Stride: len(row), Data: row}.View())
		team.Step(1)
		return nil
	})
}

// mirrorLower fills the upper triangle of h so that h is Hermitian.
func mirrorLower[W dense.Wide](team *sched.Team, h dense.Matrix[W]) error {
	for first := 0; first < h.Rows; first += mirrorRows {
		end := min(h.Rows, first+mirrorRows)
		above := h.Slice(0, first, first, end)
		if err := blas.CopyView(team, above.View(), h.Slice(first, end, 0, first).View().T()); err != nil {
			return err
		}
		for i := range first {
			dense.Conjugate(above.Row(i))
		}
		for i := first; i < end; i++ {
			for j := first; j < i; j++ {
				h.Set(j, i, dense.Conj(h.At(i, j)))
			}
		}
	}
	return team.Err()
}

const (
	// Sweeps of Jacobi's method that matrices usually take; the last ones rotate little. Positive definite matrices of
	// the orders 100, 200 and 400 took 15, 19 and 27 sweeps, all about as long: definiteSweeps times the square root of
	// the order.
	usualSweeps    = 8
	definiteSweeps = 1.35
	// Multiply-adds of a sweep for each of the n^3 elements that it multiplies.
	sweepRate = 6
)

// jacobiSweepCost returns the cost of a sweep.
func jacobiSweepCost(n int) int { return sweepRate * cube(n) }

// sweepsOfDefinite returns how many sweeps a positive definite matrix of order n usually takes.
func sweepsOfDefinite(n int) int {
	return min(max(usualSweeps, int(definiteSweeps*math.Sqrt(float64(n)))), maxJacobiSweeps)
}

// doneOfSweeps converts a number of rounds to a share of the usual number of sweeps. If more are needed, each further
// sweep counts as half of the remaining share.
func doneOfSweeps(rounds, perSweep, usual int) int {
	if most := (usual - 1) * perSweep; rounds > most {
		left := math.Exp2(-float64(rounds-most) / float64(perSweep))
		return most + int((1-left)*float64(perSweep))
	}
	return rounds
}
