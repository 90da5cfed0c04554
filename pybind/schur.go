package pybind

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/hessenberg"
	"trnsci/core/quasi"
	"trnsci/core/reorder"
	"trnsci/core/sched"
	"trnsci/core/schur"
	"trnsci/core/sylvester"
	"trnsci/pybind/record"
)

// Schur writes the Schur form T, real for real matrices, and the unitary Z of every matrix of the stack A, A = Z T Z^H,
// into stacks of the same shape and dtype. If ComplexT is present, it also writes the complex form of a real matrix
// into ComplexT and ComplexZ. Sort is empty or a word of selections: the eigenvalues that it selects come first in the
// complex form if there is one, otherwise in T, and their number for each member is written to Counts.
func Schur(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Schur](address)
	return byDtype[c.A.Dtype].schur(jobID, c)
}

func (routinesOf[T]) schur(jobID int64, c *record.Schur) (int64, error) {
	switch {
	case c.ComplexT == nil:
		return schurForms[T, T](jobID, c, c.T, c.Z)
	case c.ComplexT.Dtype == record.Complex64:
		return schurForms[T, complex64](jobID, c, c.ComplexT, c.ComplexZ)
	}
	return schurForms[T, complex128](jobID, c, c.ComplexT, c.ComplexZ)
}

// Times of the complex form and of ordering half of the eigenvalues in percent of the time of the real form, measured
// by benchmarks/progress.py.
const (
	schurShare   = 100
	complexShare = 10
	orderShare   = 20
)

// schurForms computes Schur forms of type T. If F is another type, it also writes the forms of type F to lastT and
// lastZ.
func schurForms[T, F dense.Scalar](jobID int64, c *record.Schur, lastT, lastZ *record.Array) (int64, error) {
	in, forms, factors := newBatch[T](c.A), newBatch[T](c.T), newBatch[T](c.Z)
	lastForms, lastFactors := newBatch[F](lastT), newBatch[F](lastZ)
	var counts []int64
	if c.Sort != "" {
		counts = vector[int64](c.Counts)
	}
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		options := schur.Options{SkipFiniteCheck: !c.CheckFinite, Overwrite: c.Overwrite}
		results := c.T.Bytes() + c.Z.Bytes() + c.ComplexT.Bytes() + c.ComplexZ.Bytes()
		if err := reserveEach(team, in.count(), "schur", results, func(*sched.Team) int64 {
			return schur.Workspace[T](in.order())
		}); err != nil {
			return 0, err
		}
		converts := c.ComplexT != nil
		return 0, forEach(team, in.count(), func(team *sched.Team, k int) error {
			shares := newShares(team, schurShare, complexShare*bit(converts), orderShare*bit(c.Sort != ""))
			options := options
			options.Team = shares.next(schurShare)
			if err := schur.Decompose(in.at(k), forms.at(k), factors.at(k), options); err != nil {
				return err
			}
			if converts {
				copyConverted(lastForms.at(k), forms.at(k))
				copyConverted(lastFactors.at(k), factors.at(k))
				if err := toComplex(lastForms.at(k), lastFactors.at(k), shares.next(complexShare)); err != nil {
					return err
				}
			}
			if c.Sort == "" {
				return nil
			}
			count, err := orderSelected(lastForms.at(k), lastFactors.at(k), c.Sort, shares.next(orderShare))
			counts[k] = int64(count)
			return err
		})
	})
}

// shares divides the progress of a call among its successive steps.
type shares struct {
	team    *sched.Team
	current *sched.Team // of the running step; nil if the call has only one
}

// newShares plans steps with the given shares. A call of one step reports as if it were not divided.
func newShares(team *sched.Team, parts ...int) *shares {
	total, steps := 0, 0
	for _, part := range parts {
		total += part
		steps += bit(part > 0)
	}
	if steps <= 1 {
		return &shares{team: team}
	}
	return &shares{team: team.Plan(total), current: team}
}

// next ends the running step and returns the team of the next one.
func (s *shares) next(share int) *sched.Team {
	if s.current == nil {
		return s.team
	}
	s.current = s.team.Phase(share)
	return s.current
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// copyConverted copies a matrix to one of another type. Imaginary parts are zero if src is real.
func copyConverted[F, T dense.Scalar](dst dense.View[F], src dense.View[T]) {
	for i := range src.Rows {
		for j := range src.Cols {
			dst.Set(i, j, dense.Convert[F](src.At(i, j)))
		}
	}
}

func toComplex[F dense.Scalar](t, z dense.View[F], team *sched.Team) error {
	switch t := any(t).(type) {
	case dense.View[complex64]:
		return schur.ToComplex(team, t, any(z).(dense.View[complex64]))
	case dense.View[complex128]:
		return schur.ToComplex(team, t, any(z).(dense.View[complex128]))
	}
	panic("a real matrix as a complex Schur form")
}

// Hessenberg writes the Hessenberg form H and, if Q is present, the unitary Q of every matrix
// A = Q H Q^H of the stack A into stacks of the same shape and dtype.
func Hessenberg(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Hessenberg](address)
	return byDtype[c.A.Dtype].hessenberg(jobID, c)
}

func (routinesOf[T]) hessenberg(jobID int64, c *record.Hessenberg) (int64, error) {
	in, forms, factor := newBatch[T](c.A), newBatch[T](c.H), vectorsOf[T](c.Q)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		options := hessenberg.Options{SkipFiniteCheck: !c.CheckFinite, Overwrite: c.Overwrite}
		if err := reserveEach(team, in.count(), "hessenberg", c.H.Bytes()+c.Q.Bytes(), func(*sched.Team) int64 {
			return schur.Workspace[T](in.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, in.count(), func(team *sched.Team, k int) error {
			options := options
			options.Team = team
			return hessenberg.Reduce(in.at(k), forms.at(k), factor(k), options)
		})
	})
}

// Balance balances every row-major matrix of the stack B in place. It writes the original row numbers and the scales
// into the stacks of vectors Order and Scales.
func Balance(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.Balance](address)
	return byDtype[c.B.Dtype].balance(jobID, c)
}

func (routinesOf[T]) balance(jobID int64, c *record.Balance) (int64, error) {
	matrices, orders, scales := newBatch[T](c.B), newRows[int64](c.Order), newRows[float64](c.Scales)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			options := hessenberg.BalanceOptions{Team: team, Permute: c.Permute, Scale: c.Scale}
			done, err := hessenberg.Balance(matrices.rowMajor(k), options)
			if err != nil {
				return withNames(err)
			}
			order := orders.at(k)
			for i, from := range done.Order {
				order[i] = int64(from)
			}
			copy(scales.at(k), done.Scale)
			return nil
		})
	})
}

// eachForm calls do for every Schur form of the stack t and, unless z is nil, its unitary factor. workspace returns the
// bytes of workspace of one call.
func eachForm[T dense.Scalar](jobID int64, threads record.Team, name string, t, z *record.Array,
	workspace func(*sched.Team) int64, do func(team *sched.Team, k int, t, z dense.View[T]) error) (int64, error) {
	forms, factors := newBatch[T](t), vectorsOf[T](z)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, forms.count(), name, 0, workspace); err != nil {
			return 0, err
		}
		return 0, forEach(team, forms.count(), func(team *sched.Team, k int) error {
			return do(team, k, forms.at(k), factors(k))
		})
	})
}

// SchurEigenvalues writes the eigenvalues of every Schur form of the stack T, in the order of its diagonal, into the
// stack of vectors W.
func SchurEigenvalues(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.SchurEigenvalues](address)
	return byDtype[c.T.Dtype].eigenvalues(jobID, c)
}

func (routinesOf[T]) eigenvalues(jobID int64, c *record.SchurEigenvalues) (int64, error) {
	values := newRows[complex128](c.W)
	none := func(*sched.Team) int64 { return 0 }
	return eachForm(jobID, c.Team, "schur", c.T, nil, none, func(_ *sched.Team, k int, t, _ dense.View[T]) error {
		copy(values.at(k), quasi.Eigenvalues(t))
		return nil
	})
}

// SchurOrder reorders the Schur forms T and their factors Z in place: the eigenvalues for which Selected, a stack of
// vectors, is true come first.
func SchurOrder(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.SchurOrder](address)
	return byDtype[c.T.Dtype].order(jobID, c)
}

func (routinesOf[T]) order(jobID int64, c *record.SchurOrder) (int64, error) {
	n, selected := newBatch[T](c.T).order(), newRows[bool](c.Selected)
	workspace := func(*sched.Team) int64 { return reorder.Workspace[T](n) }
	return eachForm(jobID, c.Team, "schur", c.T, c.Z, workspace, func(team *sched.Team, k int, t, z dense.View[T]) error {
		_, err := reorder.Order(team, t, z, selected.at(k))
		return err
	})
}

// selections maps the words of Sort to predicates of eigenvalues. None selects NaN.
var selections = map[string]func(w complex128) bool{
	"lhp": func(w complex128) bool { return real(w) < 0 },
	"rhp": func(w complex128) bool { return real(w) >= 0 },
	"iuc": func(w complex128) bool { return modulusBeyondOne(w) <= 0 },
	"ouc": func(w complex128) bool { return modulusBeyondOne(w) > 0 },
}

// modulusBeyondOne has the sign of fl(|w|) - 1, where fl rounds to the nearest float64. Neither hypot nor a plain
// square root rounds |w| correctly.
func modulusBeyondOne(w complex128) float64 {
	re, im := math.Abs(real(w)), math.Abs(imag(w))
	if re > 2 || im > 2 {
		return 1
	}
	// re^2 + im^2 - 1 in twice the precision; the smaller square is added last.
	x, y := max(re, im), min(re, im)
	xx, yy := x*x, y*y
	low := math.FMA(x, x, -xx) + math.FMA(y, y, -yy)
	// |w| rounds to 1 if |w|^2 is at most (1 + eps/2)^2.
	const eps = 0x1p-52
	return ((xx - 1) + yy) + low - eps
}

// orderSelected reorders a Schur form so that the eigenvalues that a word selects come first, and returns their number,
// which is 0 for a form that is not finite.
func orderSelected[T dense.Scalar](t, z dense.View[T], word string, team *sched.Team) (int, error) {
	for i := range t.Rows {
		if d := t.At(i, i); d != d {
			return 0, nil
		}
	}
	count, err := reorder.Order(team, t, z, selectedOf(t, word))
	if err != nil || dense.IsComplex[T]() { // reordering does not change the eigenvalues of a complex form
		return count, err
	}
	count = 0
	for i, selected := range selectedOf(t, word) {
		if selected {
			if i != count {
				return 0, orderError{}
			}
			count++
		}
	}
	return count, nil
}

// selectedOf returns which eigenvalues of a Schur form a word selects. If it selects one of a conjugate pair, both are
// selected.
func selectedOf[T dense.Scalar](t dense.View[T], word string) []bool {
	is := selections[word]
	selected := make([]bool, t.Rows)
	for i, w := range quasi.Eigenvalues(t) {
		selected[i] = is(w)
	}
	if !dense.IsComplex[T]() {
		for i := 0; i+1 < t.Rows; i++ {
			if t.At(i+1, i) != 0 {
				either := selected[i] || selected[i+1]
				selected[i], selected[i+1] = either, either
			}
		}
	}
	return selected
}

// SchurToComplex converts real Schur forms, stored in the complex stacks T and Z, to complex Schur forms in place.
func SchurToComplex(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.SchurToComplex](address)
	if c.T.Dtype == record.Complex64 {
		return formsToComplex[complex64](jobID, c)
	}
	return formsToComplex[complex128](jobID, c)
}

func formsToComplex[T dense.Complex](jobID int64, c *record.SchurToComplex) (int64, error) {
	n := newBatch[T](c.T).order()
	workspace := func(*sched.Team) int64 { return reorder.Workspace[T](n) }
	return eachForm(jobID, c.Team, "rsf2csf", c.T, c.Z, workspace,
		func(team *sched.Team, _ int, t, z dense.View[T]) error {
			return schur.ToComplex(team, t, z)
		})
}

// SchurCondition writes the condition numbers s and sep of the first eigenvalues of every Schur form of the stack T
// into Results, a stack of vectors of two elements. Counts, a vector, holds the number of these eigenvalues.
func SchurCondition(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.SchurCondition](address)
	return byDtype[c.T.Dtype].condition(jobID, c)
}

func (routinesOf[T]) condition(jobID int64, c *record.SchurCondition) (int64, error) {
	n, counts, results := newBatch[T](c.T).order(), vector[int64](c.Counts), newRows[float64](c.Results)
	workspace := func(team *sched.Team) int64 { return sylvester.ConditionWorkspace[T](team, n) }
	return eachForm(jobID, c.Team, "schur_condition", c.T, nil, workspace,
		func(team *sched.Team, k int, t, _ dense.View[T]) error {
			result := results.at(k)
			var err error
			result[0], result[1], err = sylvester.ClusterCondition(t, int(counts[k]), sylvester.Options{Team: team})
			return withNames(err)
		})
}
