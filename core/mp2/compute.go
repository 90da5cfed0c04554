package mp2

import (
	"cmp"
	"slices"

	"trnsci/core/dense"
)

// contributions holds what every pair adds: of pairs within one spin under their triangular numbers, of pairs of two spins, i of the first and j
// of the second one, under i nocc_second + j.
type contributions struct {
	same     [2][]contribution
	opposite []contribution
}

// Parts of contributions: the pairs within one spin, by its number, and those of two.
const (
	mixedPart = 2
	parts     = 3
)

// parts returns the lists of pairs.
func (c *contributions) parts() [parts][]contribution {
	return [...][]contribution{c.same[0], c.same[1], c.opposite}
}

func newContributions(spins []Spin) *contributions {
	var c contributions
	var occupied [2]int
	for n, s := range spins {
		occupied[n], _, _ = s.Source.Shape()
		c.same[n] = make([]contribution, triangular(occupied[n], 0))
	}
	if len(spins) > 1 {
		c.opposite = make([]contribution, occupied[0]*occupied[1])
	}
	return &c
}

// compute returns the contributions of one spin, a closed shell, or of alpha and beta, and how many were computed again for the tolerance.
func compute(opt Options, spins ...Spin) (c *contributions, recomputed int, err error) {
	c = newContributions(spins)
	kept, err := openCheckpoint(opt, spins, c)
	if err != nil {
		return nil, 0, err
	}
	recomputed, err = passes(opt, spins, c, kept)
	return c, recomputed, kept.close(err)
}

// passes sets all contributions, those first that the checkpoint has. It returns how many were computed again for the tolerance.
func passes(opt Options, spins []Spin, c *contributions, kept *checkpoint) (recomputed int, err error) {
	sources := make([]Source, len(spins))
	rounded := false
	for n, s := range spins {
		sources[n] = s.Source
		rounded = rounded || !s.Source.singlePrecision()
	}
	if !opt.single(sources...) {
		return 0, fill[float64](opt, spins, c, nil, kept, passAll)
	}
	if opt.Tolerance == 0 || !rounded {
		return 0, fill[float32](opt, spins, c, nil, kept, passAll)
	}
	left, err := kept.remaining(passAll, c, nil)
	if err != nil {
		return 0, err
	}
	pairs := c.selected(left)
	first, again := 9*pairs, pairs // most pairs are good enough
	team := opt.Team.Plan(first + again)
	opt.Team = team.Phase(first)
	if err := fill[float32](opt, spins, c, nil, kept, passAll); err != nil {
		return 0, err
	}
	opt.Team.End()
	chosen, count := choose(c, opt.Tolerance)
	if count == 0 {
		team.Step(again)
		return 0, nil
	}
	opt.Team = team.Phase(again)
	return count, fill[float64](opt, spins, c, chosen, kept, passAgain)
}

// selection says for the pairs of each list of contributions whether they are to be computed; a nil one means all.
type selection [parts][]bool

func (s *selection) has(part, number int) bool { return s == nil || s[part][number] }

// selected returns the number of pairs in a selection.
func (c *contributions) selected(s *selection) int {
	count := 0
	for part, list := range c.parts() {
		for number := range list {
			if s.has(part, number) {
				count++
			}
		}
	}
	return count
}

// choose returns the fewest pairs without whose bounds the sum of bounds is within the tolerance, and their number. Of equal bounds the first
// ones are taken.
func choose(c *contributions, tolerance float64) (*selection, int) {
	type place struct{ part, number int }
	parts := c.parts()
	var chosen selection
	var places []place
	for part, list := range parts {
		chosen[part] = make([]bool, len(list))
		for number := range list {
			places = append(places, place{part, number})
		}
	}
	slices.SortStableFunc(places, func(x, y place) int {
		return cmp.Compare(parts[y.part][y.number].bound, parts[x.part][x.number].bound)
	})
	// From the smallest bound up, as many as the tolerance takes stay.
	left := len(places)
	for rest := 0.0; left > 0; left-- {
		p := places[left-1]
		if rest += parts[p.part][p.number].bound; !(certain(rest) <= tolerance) {
			break
		}
	}
	for _, p := range places[:left] {
		chosen[p.part][p.number] = true
	}
	return &chosen, left
}

// fill sets the contributions that are selected, with products in T, but for those that the checkpoint has of this pass.
func fill[T dense.Float](opt Options, spins []Spin, c *contributions, only *selection, kept *checkpoint, pass int) error {
	ops := make([]*operand[T], len(spins))
	for n, s := range spins {
		ops[n] = operandOf[T](s.Source)
		if kept != nil {
			ops[n].watch = func(i int, sum uint32) error { return kept.addOrbital(pass, n, s.Name, i, sum) }
		}
	}
	blocks, err := planAll(ops, opt.maxBytes(), opt.Team.Threads())
	if err != nil {
		return err
	}
	only, err = kept.remaining(pass, c, only)
	if err != nil {
		return err
	}
	opt.Team = opt.Team.Plan(pairCount(ops, only))
	e := newEngine(opt, blocks.elements, ops...)
	for n, op := range ops {
		e.only = func(i, j int) bool { return j <= i && only.has(n, triangular(i, j)) }
		e.finished = func(i, j int) error {
			number := triangular(i, j)
			return kept.addPair(pass, n, number, c.same[n][number])
		}
		if err := e.sameSpinPass(op, spins[n], blocks.same[n], len(spins) == 1, c.same[n]); err != nil {
			return err
		}
	}
	if len(spins) == 1 {
		return nil
	}
	number := func(i, j int) int { return i*ops[1].nocc + j }
	e.only = func(i, j int) bool { return only.has(mixedPart, number(i, j)) }
	e.finished = func(i, j int) error { return kept.addPair(pass, mixedPart, number(i, j), c.opposite[number(i, j)]) }
	return e.oppositeSpinPass(ops[0], ops[1], spins[0], spins[1], blocks.opposite, c.opposite)
}

// pairCount returns the number of pairs that are to be computed.
func pairCount[T dense.Float](ops []*operand[T], only *selection) int {
	count := 0
	add := func(part, number int) {
		if only.has(part, number) {
			count++
		}
	}
	for n, op := range ops {
		for i := 0; i < op.nocc && !op.empty(); i++ {
			for j := 0; j < i; j++ {
				add(n, triangular(i, j))
			}
			if len(ops) == 1 {
				add(n, triangular(i, i))
			}
		}
	}
	if len(ops) == 2 && !ops[0].empty() && !ops[1].empty() {
		for n := range ops[0].nocc * ops[1].nocc {
			add(mixedPart, n)
		}
	}
	return count
}
