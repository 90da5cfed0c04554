package kernel

import "unsafe"

// Blocking says how large the tiles of a set are, and the blocks around them.
//
// Inner decides the bits of results: a sum is cut every Inner terms. It is therefore the same for a set on every
// processor. The tile (Rows, Lanes and Vectors) belongs to the code of the set. Cols and ThreadWork decide which
// columns and which thread an element belongs to, and never how its sum is made, so that they change no bit: Cols
// follows the processor.
type Blocking struct {
	Rows    int // most rows of a tile, BLIS's mr
	Lanes   int // elements of a vector
	Vectors int // most vectors in a row of a tile; Lanes*Vectors is BLIS's nr
	Inner   int // length of a sum that is kept in registers, BLIS's kc
	// Columns of the block of B that stays in the L2 cache. It plays the part of BLIS's block of A, of mc rows: rows of
	// C are contiguous here, so that A and B change places.
	Cols int
	// Multiplications that are worth a second thread: 10 to 40 microseconds of assembly, 300 of the Go kernels.
	ThreadWork int
}

// TileCols returns the most columns of a tile.
func (b *Blocking) TileCols() int { return b.Lanes * b.Vectors }

// blockBytes is the largest block of B for each set: half of an L2 cache of 512 KiB for AVX2, of 1 MiB for AVX-512.
// Larger blocks have not been measured.
var blockBytes = [setCount]int{AVX2: 256 * kiB, AVX512: 512 * kiB}

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
		AVX2:   {Rows: 4, Lanes: 8, Vectors: 3, Inner: 384, ThreadWork: 1 << 20},
		AVX512: {Rows: 8, Lanes: 16, Vectors: 3, Inner: 384, ThreadWork: 1 << 20},
	}
)

// The blocking of this machine.
var (
	blocking64 = newBlocking[float64](thisProcessor, sets64)
	blocking32 = newBlocking[float32](thisProcessor, sets32)
)

// newBlocking fills in the columns of the sets of assembly: as many whole tiles as fit half of the L2 cache, which
// leaves the other half to A and C, but no more than blockBytes.
func newBlocking[T Float](p processor, sets [setCount]Blocking) [setCount]Blocking {
	for s := range sets {
		b := &sets[s]
		bytes := blockBytes[s]
		if bytes == 0 {
			continue
		}
		if l2 := p.l2Bytes(); l2 > 0 {
			bytes = min(bytes, l2/2)
		}
		column := b.Inner * int(unsafe.Sizeof(T(0)))
		b.Cols = max(1, bytes/column/b.TileCols()) * b.TileCols()
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
