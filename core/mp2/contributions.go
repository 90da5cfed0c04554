package mp2

import (
	"cmp"
	"runtime"
	"slices"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/mp2/internal/checkpoint"
)

// contributions holds the contributions of all pairs: of pairs within one spin under their triangular numbers, of pairs
// of two spins, i of the first and j of the second one, under i nocc_second + j.
type contributions struct {
	same     [2][]contribution
	opposite []contribution
}

// The parts of contributions: the pairs within each spin, by its number, and those of two spins.
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

// symmetric spreads the contributions of triangular pairs over a matrix whose elements have the same sum.
func symmetric(contributions []contribution, nocc int, of func(contribution) float64) dense.Matrix[float64] {
	m := dense.New[float64](nocc, nocc)
	for i := range nocc {
		for j := range i {
			half := of(contributions[triangular(i, j)]) / 2
			m.Set(i, j, half)
			m.Set(j, i, half)
		}
		m.Set(i, i, of(contributions[triangular(i, i)]))
	}
	return m
}

// selection says which pairs of each part are to be computed; nil selects all.
type selection [parts][]bool

func (s *selection) has(part, number int) bool { return s == nil || s[part][number] }

// count returns the number of pairs in a selection.
func (c *contributions) count(s *selection) int {
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

// choose returns the fewest pairs without which the sum of the bounds is within the tolerance, and their number. Of
// equal bounds the first ones are taken.
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
	// As many of the smallest bounds as the tolerance allows are kept.
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

// Passes over the pairs: over all of them, and over those that are computed again for the tolerance.
const (
	passAll = iota
	passAgain
	passes
)

// pairList returns the list of the checkpoint that holds the pairs of a part.
func pairList(pass, part int) int { return pass*parts + part }

// orbitalList returns the list of checksums of the orbitals of a spin, whose integrals each pass takes in its own
// dtype.
func orbitalList(pass, spin int) int { return pass*2 + spin }

// checkpointLists returns the lengths of the lists of a checkpoint.
func checkpointLists(spins []Spin, c *contributions) checkpoint.Lists {
	lists := checkpoint.Lists{Pairs: make([]int, passes*parts), Sums: make([]int, passes*2)}
	for pass := range passes {
		for part, list := range c.parts() {
			lists.Pairs[pairList(pass, part)] = len(list)
		}
		for spin, s := range spins {
			lists.Sums[orbitalList(pass, spin)], _, _ = s.Source.Shape()
		}
	}
	return lists
}

// openCheckpoint opens or creates the checkpoint of a call whose spins have been checked; nil if none is asked for.
func openCheckpoint(opt EnergyOptions, spins []Spin, c *contributions) (*checkpoint.File, error) {
	if opt.Checkpoint == "" {
		return nil, nil
	}
	return checkpoint.Open(opt.Checkpoint, jobOf(opt, spins), checkpointLists(spins, c))
}

// takeKept sets the contributions of a pass that the checkpoint has and returns the selection without them.
func (c *contributions) takeKept(kept *checkpoint.File, pass int, only *selection) (*selection, error) {
	if kept == nil {
		return only, nil
	}
	var rest selection
	lists := c.parts()
	for part, list := range lists {
		rest[part] = make([]bool, len(list))
		for number := range list {
			rest[part][number] = only.has(part, number)
		}
	}
	err := kept.EachPair(func(list, number int, x [3]float64) {
		part := list - pairList(pass, 0)
		if part < 0 || part >= parts {
			return
		}
		rest[part][number] = false
		lists[part][number] = contribution{opposite: x[0], same: x[1], bound: x[2]}
	})
	return &rest, err
}

// keep adds the contribution of a finished pair to the checkpoint.
func (c contribution) keep(kept *checkpoint.File, pass, part, number int) error {
	return kept.AddPair(pairList(pass, part), number, [3]float64{c.opposite, c.same, c.bound})
}

// Kept returns how many pairs a call would take from its checkpoint, and how many pairs there are. The file is only
// read, and another call may be using it: a pair that is being written does not count yet. Pairs that Tolerance makes a
// call compute again do not count either.
//
// Errors: *dense.ArgumentError for a file that the call would refuse, but not for one in use; the operating system's.
func Kept(opt EnergyOptions, spins ...Spin) (kept, all int, err error) {
	c := newContributions(spins)
	for _, list := range c.parts() {
		all += len(list)
	}
	if opt.Checkpoint == "" {
		return 0, all, nil
	}
	kept, err = checkpoint.Count(opt.Checkpoint, jobOf(opt, spins), checkpointLists(spins, c), pairList(passAgain, 0))
	return kept, all, err
}

// jobOf describes a call for its checkpoint. Neither threads nor memory are in it.
func jobOf(opt EnergyOptions, spins []Spin) checkpoint.Job {
	var job checkpoint.Job
	job.Add("spins", len(spins))
	job.Add("products", floatName(opt.single(sourcesOf(spins)...)))
	job.Add("etol", opt.Tolerance)
	job.Add("check_finite", !opt.SkipFiniteCheck)
	job.Add("kernels", runtime.GOARCH+" "+kernel.Best().String())
	for _, s := range spins {
		of := ofSpin(s.Name)
		nocc, nvir, naux := s.Source.Shape()
		job.Add("nocc"+of, nocc)
		job.Add("nvir"+of, nvir)
		job.Add("naux"+of, naux)
		job.Add("dtype of B"+of, floatName(IsSingle(s.Source)))
		job.Add("fastest axis of B"+of, map[bool]string{false: "P", true: "a"}[s.Source.alongA()])
		job.AddFingerprint("eps_occ"+of, s.Occ)
		job.AddFingerprint("eps_vir"+of, s.Vir)
	}
	return job
}

func floatName(single bool) string { return map[bool]string{false: "float64", true: "float32"}[single] }
