package tridiag

import (
	"cmp"
	"math"
	"slices"

	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/secular"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// The halves of a node in which a row of eigenvectors may be nonzero.
const (
	firstHalf = 1 << iota
	secondHalf
	bothHalves = firstHalf | secondHalf
)

// halves are the eigenvalues d of the two halves of a node. order holds the indices of each half in ascending order of
// its eigenvalues.
type halves struct {
	d     []float64
	order []int
	cut   int // the order of the first half
}

// rankOneUpdate diagonalizes diag(d) + rho z z^T, where d are the eigenvalues of the halves of a node. It deflates,
// solves the secular equation and computes the weights of its eigenvectors; the eigenvectors themselves are left to its
// users.
//
// Method: Cuppen, Numer. Math. 36, 1981, with the recomputed z of Gu and Eisenstat, "A stable and efficient algorithm
// for the rank-one modification of the symmetric eigenproblem", SIAM J. Matrix Anal. Appl. 15, 1994, which makes the
// vectors orthogonal whatever the errors of the roots. LAPACK: xLAED2 to xLAED4.
//
// Cost: about 5 k^2 terms of secular functions for k eigenpairs that are not deflated.
type rankOneUpdate struct {
	halves
	rho            float64   // positive
	z              []float64 // of length 1 within rounding errors
	kind           []uint8   // the halves in which a row of eigenvectors is nonzero
	squares        bool      // the poles are the squares of d, which are singular values
	kept, deflated []int     // eigenpairs that the update changes, in ascending order, and those that it does not
	sorted         []int     // all rows: kept ones in the order of their columns, then deflated ones

	equation        secular.Equation
	origins, shifts []float64 // the roots: pole plus distance
	deflatedValues  []float64
	first, both     int           // numbers of kept rows that are nonzero in the first half only, and in both
	columnOf        []int         // columns of kept rows in the secular eigenvectors, which are sorted by kind
	columns         secular.Poles // poles and square roots of weights in the order of the columns

	rootsBody  loopBody    // rootGroup
	rootsTeam  *sched.Team // that rootGroup reports to
	groupSteps int         // of a group of roots
}

// loopBody is an argument of Team.For. Method values are made once for many merges, since each one allocates.
type loopBody func(worker, i int) error

const (
	// updateIndices is how many indices place takes for each row.
	updateIndices = 4
	// groupRows is how many rows a thread copies, or roots or poles it works on, at a time.
	groupRows = 4 * secular.PoleGroup
)

// take takes memory for nodes up to the order n.
func (u *rankOneUpdate) take(a *scratch.Arena, n int) {
	for _, x := range []*[]float64{
		&u.z, &u.origins, &u.shifts, &u.deflatedValues,
		&u.equation.Poles.At, &u.equation.Poles.Weights, &u.columns.At, &u.columns.Weights,
	} {
		*x = scratch.Take[float64](a, n+secular.PoleGroup)
	}
}

// place gives the update its indices, for nodes up to the order n.
func (u *rankOneUpdate) place(n int, indices []int, kind []uint8) {
	u.kept, u.deflated, u.sorted, u.columnOf = indices[:0:n], indices[n:n:2*n], indices[2*n:3*n], indices[3*n:4*n]
	u.kind = kind[:n]
	u.rootsBody = u.rootGroup
}

// begin sets up the update that joins the halves of a node at the coupling rho. The caller sets z, which depends on the
// eigenvectors.
func (u *rankOneUpdate) begin(at halves, rho float64) {
	u.halves, u.rho = at, 2*math.Abs(rho)
	for i := range u.cut {
		u.kind[i] = firstHalf
	}
	for i := u.cut; i < len(u.d); i++ {
		u.kind[i] = secondHalf
	}
	u.sorted = u.sorted[:len(u.d)]
	mergeSorted(u.d, u.order[:u.cut], u.order[u.cut:], u.sorted)
}

// mergeSorted merges the indices a and b, both in ascending order of d, into all.
func mergeSorted(d []float64, a, b, all []int) {
	for i := range all {
		if len(b) == 0 || len(a) > 0 && d[a[0]] <= d[b[0]] {
			all[i], a = a[0], a[1:]
		} else {
			all[i], b = b[0], b[1:]
		}
	}
}

// deflate separates the eigenpairs that the update changes by no more than errors of size roundoff would. Rotations of
// the eigenvectors of close eigenvalues make more of them: rotate replaces vector i by c v_i + s v_j and vector j by c
// v_j - s v_i.
//
// The criterion is xLAED2's: the matrix changes by a few units of roundoff of its norm. The norm of the node is at
// least about that of d, and z has length 1 while rho may have any size.
func (u *rankOneUpdate) deflate(roundoff float64, rotate func(i, j int, c, s float64)) {
	const units = 8
	largest := 0.0
	for i, d := range u.d {
		largest = max(largest, math.Abs(d), math.Abs(u.z[i]))
	}
	tolerance := units * roundoff * largest
	u.kept, u.deflated = u.kept[:0], u.deflated[:0]
	last := -1 // the latest one not deflated, which may yet be rotated with the next one
	for _, i := range u.sorted {
		if u.rho*math.Abs(u.z[i]) <= tolerance {
			u.deflated = append(u.deflated, i)
			continue
		}
		if last >= 0 {
			if c, s, ok := u.rotation(last, i, tolerance); ok {
				rotate(last, i, c, s)
				u.deflated = append(u.deflated, last)
			} else {
				u.kept = append(u.kept, last)
			}
		}
		last = i
	}
	if last >= 0 {
		u.kept = append(u.kept, last)
	}
	sortBy(u.d, u.deflated)
}

// sortBy sorts indices in ascending order of the elements of d.
func sortBy(d []float64, indices []int) {
	slices.SortFunc(indices, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
}

// rotation rotates d and z so that z[i] becomes zero, for d[i] <= d[j], if the coupling that this leaves is below the
// tolerance.
func (u *rankOneUpdate) rotation(i, j int, tolerance float64) (c, s float64, ok bool) {
	r := householder.Length(u.z[i], u.z[j])
	c, s = u.z[j]/r, -u.z[i]/r
	if math.Abs((u.d[j]-u.d[i])*c*s) > tolerance {
		return 0, 0, false
	}
	c, s = householder.Normalize(c, s)
	u.z[i], u.z[j] = 0, r
	u.d[i], u.d[j] = u.d[i]*c*c+u.d[j]*s*s, u.d[i]*s*s+u.d[j]*c*c
	return c, s, true
}

// arrange sorts the kept rows by kind and sets up the secular equation. sorted then holds the kept rows in the order of
// their columns and the deflated rows after them.
func (u *rankOneUpdate) arrange() {
	// The last root is at most rho |z|^2 behind the last pole. The margin keeps it away from the end and from the
	// middle of its bracket.
	const margin = 1.5
	var counts [bothHalves + 1]int
	for _, i := range u.kept {
		counts[u.kind[i]]++
	}
	u.first, u.both = counts[firstHalf], counts[bothHalves]
	next := [bothHalves + 1]int{firstHalf: 0, bothHalves: u.first, secondHalf: u.first + u.both}
	kept, squares := len(u.kept), 0.0
	whole := ceilDiv(kept, secular.PoleGroup) * secular.PoleGroup
	u.equation.At, u.equation.Weights = u.equation.At[:whole], u.equation.Weights[:whole]
	u.columns.At, u.columns.Weights = u.columns.At[:whole], u.columns.Weights[:whole]
	poles, columns := u.equation.Poles, u.columns
	for k, i := range u.kept {
		column := next[u.kind[i]]
		next[u.kind[i]]++
		u.columnOf[k], u.sorted[column] = column, i
		at := u.pole(i)
		poles.At[k], poles.Weights[k], columns.At[column] = at, u.z[i]*u.z[i], at
		squares += poles.Weights[k]
	}
	u.equation.Count, u.equation.Inverse, u.equation.Reach = kept, 1/u.rho, margin*u.rho*squares
	// Beside a large square the reach of small couplings is below its roundoff.
	behind := 2 * u.equation.Reach
	if u.squares {
		behind += poles.At[kept-1]
	}
	for k := kept; k < whole; k++ {
		poles.At[k], poles.Weights[k] = poles.At[kept-1]+behind, 0
		columns.At[k], columns.Weights[k] = poles.At[k], 0
	}
	copy(u.sorted[kept:], u.deflated)
	for k, i := range u.deflated {
		u.deflatedValues[k] = u.d[i]
	}
}

// pole returns the pole of row i.
func (u *rankOneUpdate) pole(i int) float64 {
	if u.squares {
		return u.d[i] * u.d[i]
	}
	return u.d[i]
}

// solve finds the eigenvalues, which takes the given steps of the team. d then holds those of the kept pairs in
// ascending order and those of the deflated pairs after them; order holds all indices in ascending order of d.
func (u *rankOneUpdate) solve(team *sched.Team, steps int) error {
	kept := len(u.kept)
	groups := ceilDiv(kept, groupRows)
	u.rootsTeam, u.groupSteps = team, steps/max(1, groups)
	err := team.For(groups, u.rootsBody)
	for k := range kept {
		u.d[k] = u.origins[k] + u.shifts[k]
		if u.squares {
			u.d[k] = math.Sqrt(u.d[k])
		}
	}
	copy(u.d[kept:], u.deflatedValues[:len(u.deflated)])
	// Only the lengths of kept and deflated are needed from here on: their memory holds the two lists to be merged.
	for k := range u.kept {
		u.kept[k] = k
	}
	for k := range u.deflated {
		u.deflated[k] = kept + k
	}
	mergeSorted(u.d, u.kept, u.deflated, u.order)
	return err
}

// rootGroup finds a group of roots of the secular equation.
func (u *rankOneUpdate) rootGroup(_, group int) error {
	whole := len(u.equation.At)
	first, end := group*groupRows, min(whole, (group+1)*groupRows)
	secular.Roots(kernel.Best(), &u.equation, first, end, u.origins[:whole], u.shifts[:whole])
	u.rootsTeam.Step(u.groupSteps)
	return nil
}

// computeWeights computes the z of Gu and Eisenstat for a group of poles: the weights of the poles and their signed
// square roots in the order of the columns.
func (u *rankOneUpdate) computeWeights(group int) {
	whole := len(u.equation.At)
	first, end := group*groupRows, min(whole, (group+1)*groupRows)
	secular.Weights(kernel.Best(), u.equation.Poles, u.origins[:whole], u.shifts[:whole], first, end)
	for k := first; k < min(len(u.kept), end); k++ {
		column := u.columnOf[k]
		u.columns.Weights[column] = math.Copysign(u.equation.Weights[k], u.z[u.sorted[column]])
	}
}
