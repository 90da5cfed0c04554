package kernel

import "unsafe"

// Blocking says how large the tiles of a set are, and the blocks around them.
//
// Inner decides the bits of results: a sum is cut every Inner terms. It is therefore the same for a set on every
// processor. The tile (Rows, Lanes and Vectors) belongs to the code of the set. Cols, L2Cols, Direct and ThreadWork
// decide which columns and which thread an element belongs to and where its factors are read, and never how its sum is
// made, so that they change no bit: Cols, L2Cols and Direct follow the processor.
type Blocking struct {
	Rows    int // most rows of a tile, BLIS's mr
	Lanes   int // elements of a vector
	Vectors int // most vectors in a row of a tile; Lanes*Vectors is BLIS's nr
	Inner   int // length of a sum that is kept in registers, BLIS's kc
	// Columns of the block of B, which plays the part of BLIS's block of A, of mc rows: rows of C are contiguous here, so
	// that A and B change places. It stays in the L2 cache, or in the L3 cache where that is as good.
	Cols int
	// Columns of a block that leaves half of the L2 cache to others: Cols, where the block of B stays in the L2 cache.
	L2Cols int
	// Most bytes of a B that is multiplied in place, without being packed.
	Direct int
	// Multiplications that are worth a second thread: 10 to 40 microseconds of assembly, 300 of the Go kernels.
	ThreadWork int
}

// TileCols returns the most columns of a tile.
func (b *Blocking) TileCols() int { return b.Lanes * b.Vectors }

// cacheUse is what a set takes of an L2 cache of the given bytes, for the block of B and for a B in place. Of smaller
// caches it takes as large a part; of larger ones it has not been measured.
type cacheUse struct{ l2, block, direct int }

// The block leaves half of the L2 cache to A and C.
var cacheUses = [setCount]cacheUse{
	Go:     {l2: miB, direct: 528 * kiB},
	AVX2:   {l2: 512 * kiB, block: 256 * kiB, direct: 240 * kiB},
	AVX512: {l2: miB, block: 512 * kiB, direct: 528 * kiB},
}

// amdBlock is the block of B with AVX2 on AMD's processors, whose L3 cache feeds these kernels as fast as the L2 cache
// does (Zen 3: 49 GF of 50 with a block of 64 kiB to 1 MiB, 47.5 with 2 MiB): A is read more seldom.
const amdBlock = miB

// Tiles and lengths of sums of the sets. With AVX-512, times are flat for Inner from 192 to 512. Cols is for plain Go
// alone.
var (
	sets64 = [setCount]Blocking{
		Go:     {Rows: 4, Lanes: 4, Vectors: 1, Inner: 256, Cols: 64, ThreadWork: 1 << 17},
		AVX2:   {Rows: 6, Lanes: 4, Vectors: 2, Inner: 256, ThreadWork: 1 << 20},
		AVX512: {Rows: 8, Lanes: 8, Vectors: 3, Inner: 256, ThreadWork: 1 << 20},
	}
	sets32 = [setCount]Blocking{
		Go:     {Rows: 4, Lanes: 4, Vectors: 1, Inner: 256, Cols: 64, ThreadWork: 1 << 17},
		AVX2:   {Rows: 6, Lanes: 8, Vectors: 2, Inner: 384, ThreadWork: 1 << 20},
		AVX512: {Rows: 8, Lanes: 16, Vectors: 3, Inner: 384, ThreadWork: 1 << 20},
	}
)

// The blocking of this machine.
var (
	blocking64 = newBlocking[float64](thisProcessor, sets64)
	blocking32 = newBlocking[float32](thisProcessor, sets32)
)

// newBlocking fills in what follows the processor. Blocks have as many whole tiles as they have room for.
func newBlocking[T Float](p processor, sets [setCount]Blocking) [setCount]Blocking {
	for s := range sets {
		b, use := &sets[s], cacheUses[s]
		l2 := use.l2
		if own := p.l2Bytes(); own > 0 {
			l2 = min(l2, own)
		}
		part := func(bytes int) int { return int(int64(bytes) * int64(l2) / int64(use.l2)) }
		columns := func(bytes int) int {
			return max(1, bytes/(b.Inner*int(unsafe.Sizeof(T(0))))/b.TileCols()) * b.TileCols()
		}
		b.Direct = part(use.direct)
		switch {
		case Set(s) == Go:
			b.L2Cols = b.Cols
		case Set(s) == AVX2 && (p.vendor == amd || p.vendor == hygon):
			b.L2Cols, b.Cols = columns(part(use.block)), columns(amdBlock)
		default:
			b.L2Cols = columns(part(use.block))
			b.Cols = b.L2Cols
		}
	}
	return sets
}

// BlockingOf returns the blocking of a set for T on this machine, which nobody changes.
func BlockingOf[T Float](s Set) *Blocking {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float64(0)) {
		return &blocking64[s]
	}
	return &blocking32[s]
}
