package mp2

import "slices"

// schedule orders the runs and decides when blocks are loaded and freed, within a number of bytes. It reports whether
// the blocks of one run fit.
//
// A group of left blocks stays on the device while the right blocks are loaded one after the other and used with the
// whole group. When there is no room, the block whose next use is farthest away is freed (L. A. Belady, IBM Systems
// Journal 5, 1966); that is never one that the group needs.
func (p *Plan) schedule(bytes int64) bool {
	if p.leastBytes() > bytes {
		return false
	}
	p.steps = nil
	for n, pass := range p.passes {
		room := bytes - p.blockBytes(pass.right)
		p.steps = p.appendPairs(p.steps, n, max(1, int(room/p.blockBytes(pass.left))))
	}
	uses := map[orbitalBlock][]int{} // the later steps that need a block
	for n := range p.steps {
		for _, b := range p.steps[n].blocks() {
			uses[b] = append(uses[b], n)
		}
	}
	var here []orbitalBlock
	var taken int64
	for n := range p.steps {
		s := &p.steps[n]
		for _, b := range s.blocks() {
			uses[b] = uses[b][1:]
			if slices.Contains(here, b) {
				continue
			}
			for taken+p.blockBytes(b.spin) > bytes {
				victim := farthestUse(here, uses, s)
				here = slices.DeleteFunc(here, func(x orbitalBlock) bool { return x == victim })
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

// appendPairs appends the steps of pass number n, with groups of left blocks of the given size.
func (p *Plan) appendPairs(steps []planStep, n, group int) []planStep {
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
				left, right := orbitalBlock{pass.left, i}, orbitalBlock{pass.right, j}
				steps = append(steps, planStep{pass: n, left: left, right: right})
			}
		}
	}
	return steps
}

// farthestUse returns the block whose next use is the latest, or that is not used again, among those that the step does
// not need.
func farthestUse(here []orbitalBlock, uses map[orbitalBlock][]int, s *planStep) orbitalBlock {
	const never = int(^uint(0) >> 1)
	victim, latest := orbitalBlock{}, -1
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
