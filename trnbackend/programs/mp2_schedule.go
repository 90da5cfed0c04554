package programs

import "slices"

// mp2Block is a block of occupied orbitals of a spin.
type mp2Block struct{ spin, index int }

// mp2Step is one run of a graph: blocks that leave the device before it, blocks that come, and the pair that is multiplied.
type mp2Step struct {
	pass        int // of the plan
	left, right mp2Block
	free, load  []mp2Block
}

// mp2Weights tells the arrays of weights apart.
type mp2Weights struct {
	kind     mp2Kind
	diagonal bool
}

func (s *mp2Step) weights(pass mp2Pass) mp2Weights {
	return mp2Weights{pass.kind, pass.kind.triangular() && s.left == s.right}
}

// blocks returns the blocks of the step, each once.
func (s *mp2Step) blocks() []mp2Block {
	if s.left == s.right {
		return []mp2Block{s.left}
	}
	return []mp2Block{s.left, s.right}
}

// place orders the runs and says when blocks come and go, so that they never take more bytes than there are. It is false if two do not fit.
//
// A group of left blocks stays while the right ones pass by, each of which is used with the whole group. When there is no room, the block goes that
// is not used for the longest time (L. A. Belady, IBM Systems Journal 5, 1966), which is none that the group needs.
func (p *MP2Plan) place(bytes int64) bool {
	if p.least() > bytes {
		return false
	}
	p.steps = nil
	for n, pass := range p.passes {
		room := bytes - p.blockBytes(pass.right)
		p.steps = p.appendPairs(p.steps, n, max(1, int(room/p.blockBytes(pass.left))))
	}
	uses := map[mp2Block][]int{} // the steps that need a block and are still to come
	for n := range p.steps {
		for _, b := range p.steps[n].blocks() {
			uses[b] = append(uses[b], n)
		}
	}
	var here []mp2Block
	var taken int64
	for n := range p.steps {
		s := &p.steps[n]
		for _, b := range s.blocks() {
			uses[b] = uses[b][1:]
			if slices.Contains(here, b) {
				continue
			}
			for taken+p.blockBytes(b.spin) > bytes {
				victim := longestUnused(here, uses, s)
				here = slices.DeleteFunc(here, func(x mp2Block) bool { return x == victim })
				taken -= p.blockBytes(victim.spin)
				s.free = append(s.free, victim)
			}
			here = append(here, b)
			taken += p.blockBytes(b.spin)
			s.load = append(s.load, b)
		}
		p.Resident = max(p.Resident, taken)
	}
	return true
}

// appendPairs appends the steps of a pass, with groups of so many left blocks.
func (p *MP2Plan) appendPairs(steps []mp2Step, n, group int) []mp2Step {
	pass := p.passes[n]
	rows, triangular := p.blocks(pass.left), pass.kind.triangular()
	for first := 0; first < rows; first += group {
		end := min(rows, first+group)
		columns := p.blocks(pass.right)
		if triangular {
			columns = end
		}
		for j := range columns {
			for i := first; i < end; i++ {
				if triangular && i < j {
					continue
				}
				steps = append(steps, mp2Step{pass: n, left: mp2Block{pass.left, i}, right: mp2Block{pass.right, j}})
			}
		}
	}
	return steps
}

// longestUnused returns the block that is used latest, or no more, of those that the step does not need.
func longestUnused(here []mp2Block, uses map[mp2Block][]int, s *mp2Step) mp2Block {
	const never = int(^uint(0) >> 1)
	victim, latest := mp2Block{}, -1
	for _, b := range here {
		if b == s.left || b == s.right {
			continue
		}
		next := never
		if len(uses[b]) > 0 {
			next = uses[b][0]
		}
		if next > latest {
			victim, latest = b, next
		}
	}
	return victim
}
