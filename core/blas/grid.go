package blas

// Tuning of how the threads of a team share a product. Times are flat around these.
const (
	// Chunks that a thread gets, so that one that comes late does less than the others; the chunks of a triangle differ in size.
	wholeChunks, partChunks = 4, 8
	// Multiplications of a chunk at least, where each thread has one.
	chunkWork = 1 << 21
	// What it costs a chunk to fetch an element of an operand, and to pack one, in multiplications.
	fetchCost, packCost = 4, 16
)

// grid cuts C into chunks: across blocks of columns, each of them into down blocks of strips.
type grid struct{ across, down int }

func (g grid) chunks() int { return g.across * g.down }

// gridFor returns the grid with the least cost among those that give every thread some chunks.
func (g *gemmProblem[T]) gridFor(threads int) grid {
	most := wholeChunks
	if g.part != full {
		most = partChunks
	}
	strips, tiles := g.strips(), g.tiles()
	wanted := threads * min(max(g.m*g.n*g.k/threads/chunkWork, 1), most)
	var best grid
	least := 0
	across := g.blocksAcross()
	for last := min(tiles, max(wanted, across+threads)); across <= last; across++ {
		down := min(ceilDiv(wanted, across), strips)
		for down < strips && across*down%threads != 0 { // a thread would have nothing to do in the end
			down++
		}
		next := grid{across, down}
		if cost := g.cost(next, threads); best == (grid{}) || cost < least {
			best, least = next, cost
		}
	}
	return best
}

// cost returns what the chunks of the busiest thread cost, in multiplications per inner dimension.
func (g *gemmProblem[T]) cost(cut grid, threads int) int {
	rows, cols := ceilDiv(g.m, cut.down), ceilDiv(g.n, cut.across)
	costA, costB := fetchCost, fetchCost
	if g.packA {
		costA = packCost
	}
	if g.packB {
		costB = packCost
	}
	return ceilDiv(cut.chunks(), threads) * (rows*cols + rows*costA + cols*costB)
}

// share returns the units first <= u < last of part x when total units are cut into that many parts, the larger ones first.
func share(total, parts, x int) (first, last int) {
	size, larger := total/parts, total%parts
	return x*size + min(x, larger), (x+1)*size + min(x+1, larger)
}
